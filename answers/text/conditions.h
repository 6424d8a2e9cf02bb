// Conditions that a reader writes: "lane=5,register=2".
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::answers {

struct Condition {
  std::string name;
  std::uint64_t number = 0;
};

/// Reads conditions, separated by commas. `option` is named in messages. Errors: a part that is no
/// NAME=NUMBER with one of the names, or a name twice.
std::expected<std::vector<Condition>, std::string> read_conditions(
    std::string_view option, std::string_view text, const std::vector<std::string>& names);

}  // namespace heddle::answers
