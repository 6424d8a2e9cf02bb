// The bank conflicts of an access to shared memory.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/tile/banks_view.h"

namespace heddle::answers {

/// An access to a tile, and how its conflicts are told.
struct BanksQuestion : BanksArguments {
  std::string format = "text";
};

/// The answer in the format that the question names, or a sentence on what is wrong with it.
std::expected<std::string, std::string> banks(const BanksQuestion& question);

}  // namespace heddle::answers
