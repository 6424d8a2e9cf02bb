#include "answers/instruction/highlight.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "answers/text/conditions.h"
#include "library/text/formatted.h"

namespace heddle::answers {

std::expected<Highlight, std::string> read_highlight(std::string_view text) {
  Highlight highlight;
  const std::array places{&highlight.lane, &highlight.reg, &highlight.reg, &highlight.row,
                          &highlight.column};
  const std::vector<std::string> names{"lane", "reg", "register", "row", "column"};
  std::string element;  // of "3,7"
  const std::size_t comma = text.find(',');
  if (text.find_first_not_of("0123456789,") == std::string_view::npos &&
      comma != std::string_view::npos) {
    element = formatted("row={},column={}", text.substr(0, comma), text.substr(comma + 1));
    text = element;
  }
  const auto conditions = read_conditions("--highlight", text, names);
  if (!conditions)
    return std::unexpected(conditions.error() + "; or one element, row and column, as 3,7");
  for (const Condition& condition : *conditions) {
    const auto at = std::ranges::find(names, condition.name) - names.begin();
    if (condition.number > std::numeric_limits<int>::max())
      return std::unexpected(formatted("--highlight: {} {}: no operand has so many", condition.name,
                                       condition.number));
    *places[static_cast<std::size_t>(at)] = static_cast<int>(condition.number);
  }
  return highlight;
}

std::string why_outside(const Highlight& highlight, std::string_view operand,
                        const instruction::Places& places, int registers, int lanes) {
  if (highlight.lane >= lanes)
    return formatted("--highlight: lane {}: the wave has lanes 0 to {}", highlight.lane, lanes - 1);
  struct Limit {
    std::string_view what;
    int wanted, count;
  };
  for (const Limit& limit :
       {Limit{"register", highlight.reg, registers}, Limit{"row", highlight.row, places.rows},
        Limit{"column", highlight.column, places.cols}})
    if (limit.wanted >= limit.count)
      return formatted("--highlight: {} {}: {} has {}s 0 to {}", limit.what, limit.wanted, operand,
                       limit.what, limit.count - 1);
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
