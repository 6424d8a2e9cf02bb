// Describes an instruction: what it computes, needs and takes, and how to call it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// The instruction, and the format of the answer.
struct InfoQuestion {
  RowArguments row;
  std::string format = "text";
  std::int64_t products = 4096;  // of the sum whose error is told
};

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> info(const InfoQuestion& question);

}  // namespace heddle::answers
