// The place of one element of an operand, or the elements in one register of one lane.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// The element, or the place.
struct GetQuestion {
  SelectionArguments selection;
  std::vector<int> at;
  int reg = -1;
  int lane = -1;
  int byte = -1;
  bool sources = false;  // for an element of D: also the elements that it is computed from
  std::string format = "text";
};

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> get(const GetQuestion& question);

}  // namespace heddle::answers
