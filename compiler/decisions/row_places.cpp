#include "compiler/decisions/row_places.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace heddle::compiler {
namespace {

using runtime::MatrixAxis;

// A run of `count` rows at equal distances. Each row has a number somewhere else in memory (its
// maximum, for example). A row begins `step` elements behind the row before it, and its number is
// `number_step` elements behind the number of that row.
struct Run {
  std::int64_t step = 0, number_step = 0, count = 1;
  friend auto operator<=>(const Run&, const Run&) = default;
};

// Splits the rows along an axis into nested runs and appends them to `runs`. False if they cannot
// be split in this way.
bool add_runs(const MatrixAxis& rows, const MatrixAxis& numbers, std::int64_t count,
              std::vector<Run>& runs) {
  std::set<std::int64_t> starts{1};
  for (const MatrixAxis* axis : {&rows, &numbers})
    for (const MatrixAxis::Jump& jump : axis->jumps)
      if (jump.every < count) starts.insert(jump.every);
  for (auto at = starts.begin(); at != starts.end(); ++at) {
    const auto next = std::next(at);
    const std::int64_t end = next == starts.end() ? count : *next;
    if (*at <= 0 || end % *at != 0) return false;
    if (end != *at) runs.push_back({rows.at(*at), numbers.at(*at), end / *at});
  }
  return true;
}

// The runs of all rows and of the batch, sorted by `step`, with runs joined where possible. Null if
// two rows may begin at the same place.
std::optional<std::vector<Run>> runs_of(const RowPlaces& places) {
  std::vector<Run> all;
  if (places.problem.m < 1 || places.problem.batch < 1 ||
      !add_runs(places.from.row, places.to.row, places.problem.m, all) ||
      !add_runs(places.from.batch, places.to.batch, places.problem.batch, all))
    return std::nullopt;
  std::ranges::sort(all);
  std::vector<Run> joined;
  std::int64_t end = 1;  // beyond the last place of the runs so far
  for (const Run& run : all) {
    if (run.step < end) return std::nullopt;
    end += run.step * (run.count - 1);
    if (!joined.empty() && run.step == joined.back().step * joined.back().count &&
        run.number_step == joined.back().number_step * joined.back().count)
      joined.back().count *= run.count;
    else
      joined.push_back(run);
  }
  return joined;
}

// The same, row by row.
bool are_same_rows(const RowPlaces& read, const RowPlaces& places) {
  std::unordered_map<std::int64_t, std::int64_t> numbers;
  for (std::int64_t batch = 0; batch < places.problem.batch; ++batch)
    for (std::int64_t m = 0; m < places.problem.m; ++m)
      numbers[places.from.of_row(batch, m)] = places.to.of_row(batch, m);
  for (std::int64_t batch = 0; batch < read.problem.batch; ++batch)
    for (std::int64_t m = 0; m < read.problem.m; ++m) {
      const auto found = numbers.find(read.from.of_row(batch, m));
      if (found == numbers.end() || found->second != read.to.of_row(batch, m)) return false;
    }
  return true;
}

}  // namespace

bool are_rows(const plan::Problem& problem, const MatrixRecord& scores, const MatrixRecord& of_row,
              const RowPlaces& places) {
  const RowPlaces read{problem, Places(scores, problem), Places(of_row, problem)};
  for (std::int64_t k = 0; k < problem.k; ++k)
    if (read.to.column.at(k) != 0) return false;
  if (read.from.offset == places.from.offset && read.to.offset == places.to.offset) {
    const auto runs = runs_of(read);
    if (runs && runs == runs_of(places)) return true;
  }
  return are_same_rows(read, places);
}

}  // namespace heddle::compiler
