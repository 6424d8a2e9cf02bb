// What headers that give std::expected include first. In an older C++ the compiler would go on for
// hundreds of lines, so it stops here, behind one sentence: a missing file ends a compilation.
#pragma once

#include <version>

#ifndef __cpp_lib_expected
#error this header of Heddle needs C++23 and its <expected>: compile with -std=c++23
#include "heddle/needs/-std=c++23"
#endif
