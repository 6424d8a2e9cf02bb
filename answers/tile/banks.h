// The bank conflicts of an access to shared memory.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/tile/banks_view.h"

namespace heddle::answers {

/// An access to a tile, and the form of the answer.
struct BanksQuestion : BanksArguments {
  std::string format = "text";
};

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> banks(const BanksQuestion& question);

}  // namespace heddle::answers
