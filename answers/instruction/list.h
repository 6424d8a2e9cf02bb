// The rows of the catalogue that a filter lets through, and how many there are.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/instruction/row_filter.h"

namespace heddle::answers {

/// The filter, and the format of the list.
struct ListQuestion {
  FilterArguments filter;
  std::string format = "text";
  bool counts = false;
  bool processors = false;  // list processors instead, or the one that the filter names
};

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> list(const ListQuestion& question);

}  // namespace heddle::answers
