// The headers that need only C++20, and that all others build on, include this first: an older C++
// then gets one sentence instead of many errors (see needs_cxx23.h).
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error Heddle needs C++20: compile with -std=c++20
#include "heddle/needs/-std=c++20"
#endif
