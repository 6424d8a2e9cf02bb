// The lowest headers include this first, for the reason in needs_cxx23.h.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error Heddle needs C++20: compile with -std=c++20
#include "heddle/needs/-std=c++20"
#endif
