#include "answers/instruction/highlight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace heddle::answers {

std::expected<Highlight, std::string> read_highlight(std::string_view text) {
  Highlight highlight;
  const std::array words{std::pair{std::string_view("lane"), &highlight.lane},
                         std::pair{std::string_view("reg"), &highlight.reg},
                         std::pair{std::string_view("row"), &highlight.row},
                         std::pair{std::string_view("column"), &highlight.column}};
  std::string_view rest = text;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t equals = part.find('=');
    bool taken = false;
    for (const auto& [word, value] : words) {
      if (equals == std::string_view::npos || part.substr(0, equals) != word || *value >= 0)
        continue;
      const std::string_view number = part.substr(equals + 1);
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), *value);
      taken = error == std::errc() && end == number.data() + number.size() && *value >= 0;
    }
    if (!taken)
      return std::unexpected(fmt::format(
          "--highlight: '{}' is no condition; write lane=5, reg=2, row=3 or column=7, each once, "
          "apart by commas",
          part));
    if (part.size() == rest.size()) return highlight;
    rest.remove_prefix(part.size() + 1);
  }
}

std::string why_outside(const Highlight& highlight, std::string_view operand,
                        const instruction::Places& places, int registers, int lanes) {
  if (highlight.lane >= lanes)
    return fmt::format("--highlight: lane {}: the wave has lanes 0 to {}", highlight.lane,
                       lanes - 1);
  struct Limit {
    std::string_view what;
    int wanted, count;
  };
  for (const Limit& limit : {Limit{"register", highlight.reg, registers},
                             Limit{"row", highlight.row, places.rows},
                             Limit{"column", highlight.column, places.cols}})
    if (limit.wanted >= limit.count)
      return fmt::format("--highlight: {} {}: {} has {}s 0 to {}", limit.what, limit.wanted,
                         operand, limit.what, limit.count - 1);
  return "";
}

std::set<std::pair<int, int>> lit_registers(const instruction::Places& places,
                                            const Highlight& highlight) {
  const auto meets = [](int wanted, int value) { return wanted < 0 || wanted == value; };
  std::set<std::pair<int, int>> lit;
  for (std::size_t i = 0; i < places.reg.size(); ++i) {
    const int column = static_cast<int>(i) % places.cols;
    const int row = static_cast<int>(i) / places.cols % places.rows;
    const bool in_lane = std::ranges::any_of(
        places.lane_copies, [&](int copy) { return meets(highlight.lane, places.lane[i] + copy); });
    // An element may begin in one register and end in the next.
    const int last = places.reg[i] + (places.bit[i] + places.bits - 1) / 32;
    const bool in_register =
        highlight.reg < 0 || (highlight.reg >= places.reg[i] && highlight.reg <= last);
    if (!in_lane || !in_register || !meets(highlight.row, row) || !meets(highlight.column, column))
      continue;
    for (int reg = places.reg[i]; reg <= last; ++reg) lit.emplace(places.lane[i], reg);
  }
  return lit;
}

}  // namespace heddle::answers
