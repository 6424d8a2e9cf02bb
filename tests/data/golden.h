// Reads the recorded answers of other programs (tests/data/*.json, *.json.gz).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/JSON.h"

namespace heddle::test {

/// The parsed file tests/data/`name`; ends the program with a sentence when it cannot be read.
llvm::json::Value read_golden(std::string_view name);

/// The numbers of an array.
std::vector<int> numbers(const llvm::json::Array& array);

}  // namespace heddle::test
