// The rows of the catalogue that a filter lets through, and how many there are.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/instruction/row_filter.h"

namespace heddle::answers {

/// Which instructions, and how they are listed.
struct ListQuestion {
  FilterArguments filter;
  std::string format = "text";
  bool counts = false;
  bool processors = false;  // those instead, or the one that the filter names
};

/// The answer in the format that the question names, or a sentence on what is wrong with it.
std::expected<std::string, std::string> list(const ListQuestion& question);

}  // namespace heddle::answers
