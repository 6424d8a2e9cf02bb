// What the lowest headers include first, as needs_cxx23.h says.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error Heddle needs C++20: compile with -std=c++20
#include "heddle/needs/-std=c++20"
#endif
