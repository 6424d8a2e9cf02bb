#include "answers/text/conditions.h"

#include "library/text/formatted.h"
#include "library/text/joined.h"

#include <algorithm>
#include <charconv>

namespace heddle::answers {

std::expected<std::vector<Condition>, std::string> read_conditions(
    std::string_view option, std::string_view text, const std::vector<std::string>& names) {
  std::vector<Condition> conditions;
  std::string_view rest = text;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    const std::string_view number = part.substr(std::min(equals + 1, part.size()));
    Condition condition{std::string(name), 0};
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), condition.number);
    const bool is_number = error == std::errc() && end == number.data() + number.size();
    if (!is_number || std::ranges::find(names, name) == names.end() ||
        std::ranges::find(conditions, name, &Condition::name) != conditions.end())
      return std::unexpected(formatted(
          "{}: '{}' is no condition; write NAME=NUMBER with the names {}, each once, apart "
          "by commas",
          option, part, joined(names, ", ")));
    conditions.push_back(std::move(condition));
    if (part.size() == rest.size()) return conditions;
    rest.remove_prefix(part.size() + 1);
  }
}

}  // namespace heddle::answers
