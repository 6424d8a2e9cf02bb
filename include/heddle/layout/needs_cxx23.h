// Headers that return std::expected include this first. In an older C++ the compiler would print
// hundreds of lines of errors. Instead it stops here after one sentence, because a missing file
// ends the compilation.
#pragma once

#include <version>

#ifndef __cpp_lib_expected
#error this header of Heddle needs C++23 and its <expected>: compile with -std=c++23
#include "heddle/needs/-std=c++23"
#endif
