// What an instruction computes, needs and takes, and how to call it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// Which instruction, and how it is told.
struct InfoQuestion {
  RowArguments row;
  std::string format = "text";
};

/// The answer in the format that the question names, or a sentence on what is wrong with it.
std::expected<std::string, std::string> info(const InfoQuestion& question);

}  // namespace heddle::answers
