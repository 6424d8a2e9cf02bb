// Where one element of an operand lies, or what one register of one lane holds.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// Which element or which place.
struct GetQuestion {
  SelectionArguments selection;
  std::vector<int> at;
  int reg = -1;
  int lane = -1;
  int byte = -1;
  bool sources = false;  // of an element of D: what goes into it
  std::string format = "text";
};

/// The answer in the format that the question names, or a sentence on what is wrong with it.
std::expected<std::string, std::string> get(const GetQuestion& question);

}  // namespace heddle::answers
