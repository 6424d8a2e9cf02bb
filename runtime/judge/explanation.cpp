#include "runtime/judge/explanation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "library/text/formatted.h"
#include "runtime/judge/mistakes.h"

namespace heddle::runtime {
namespace {

using Kind = Expression::Kind;

/// The largest number of multiplications that are spent on trying one mistake.
constexpr std::int64_t most_for_one = std::int64_t{1} << 26;

/// The side of the tiles in a report that maps right and wrong elements.
constexpr std::int64_t shown_tile = 16;

int products(const Expression& formula) {
  int count = formula.kind == Kind::product;
  for (const Expression& operand : formula.operands) count += products(operand);
  return count;
}

/// True if everything after the product works element by element, so that an element of the result
/// needs one element of the product.
bool is_elementwise_above_product(const Expression& formula) {
  if (formula.kind == Kind::product) return true;
  if (formula.kind == Kind::transpose || formula.name == "softmax") return false;
  for (const Expression& operand : formula.operands)
    if (products(operand) > 0) return is_elementwise_above_product(operand);
  return false;
}

/// The elements that a mistake has to explain: the written elements of every tile in which
/// something is wrong. Empty if more elements are missing than written.
std::vector<std::size_t> wrong_tiles(const Judgement& judgement, std::int64_t side) {
  const std::int64_t columns = judgement.size.columns;
  const auto tile_of = [&](std::size_t i) {
    const auto element = static_cast<std::int64_t>(i);
    return std::pair(element / columns / side, element % columns / side);
  };
  std::set<std::pair<std::int64_t, std::int64_t>> tiles;
  for (std::size_t i = 0; i < judgement.elements.size(); ++i)
    if (judgement.elements[i] == Verdict::wrong) tiles.insert(tile_of(i));
  std::vector<std::size_t> elements;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < judgement.elements.size(); ++i) {
    if (!tiles.contains(tile_of(i))) continue;
    if (judgement.elements[i] == Verdict::unwritten)
      ++missing;
    else
      elements.push_back(i);
  }
  if (missing > elements.size()) elements.clear();
  return elements;
}

/// About `most` of the elements, spread evenly. The step between them is odd, so that it shares no
/// factor with the size of a tile, which is a power of two.
std::vector<std::size_t> sample(const std::vector<std::size_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> some;
  const std::size_t step = std::max<std::size_t>(1, all.size() / most) | 1;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

bool is_inside(Position p, MatrixSize size) {
  return p.row >= 0 && p.column >= 0 && p.row < size.rows && p.column < size.columns;
}

/// The errors of a value's elements in units of u (FormulaValue::error). The result has no elements
/// if the value was read from memory, and so has no errors.
FormulaValue errors_of(const FormulaValue& value) {
  FormulaValue errors;
  errors.size = value.is_given() ? MatrixSize{0, 0} : value.size;
  if (value.is_given()) return errors;
  for (std::size_t i = 0; i < value.values.size(); ++i) errors.values.push_back(value.error(i));
  return errors;
}

/// The value that a kernel with this mistake reads instead of element `place` of `operand`; 0 if it
/// reads outside of the operand.
double read(const FormulaValue& operand, const IndexMap& map, ValueMap value, Position place) {
  const auto there = map ? map(place) : std::optional(place);
  if (!there || !is_inside(*there, operand.size)) return 0;
  const double read = operand.at(there->row, there->column);
  return value != nullptr ? value(read) : read;
}

class Trial {
 public:
  Trial(const LaunchText& launch, const Expression& formula, const Expectation& expectation,
        const TensorValues& values, const Judgement& judgement, const MatrixTile& tile,
        std::int64_t most_multiplications)
      : tile_(tile),
        expectation_(expectation),
        judgement_(judgement),
        elementwise_(is_elementwise_above_product(formula)),
        around_(launch, formula, values),
        left_(around_.left()),
        right_(around_.right()),
        left_errors_(errors_of(left_)),
        right_errors_(errors_of(right_)),
        multiplications_left_(most_multiplications) {}

  MatrixSize size() const { return {left_.size.rows, right_.size.columns}; }
  std::int64_t depth() const { return left_.size.columns; }
  std::int64_t multiplications() const { return size().rows * size().columns * depth(); }
  bool elementwise() const { return elementwise_ && size() == judgement_.size; }
  bool was_cut() const { return multiplications_left_ < 0; }

  /// True if the mistake gives the kernel's values in all these elements. False if it does not, or
  /// if the search was cut before the answer.
  bool explains(const Mistake& mistake, const std::vector<std::size_t>& elements) {
    return std::ranges::all_of(agreement(mistake, elements), [](bool is) { return is; });
  }

  /// Looks at the first tile of these elements. If the rows of the kernel's result there are the
  /// rows of the right result in another order, returns that order; otherwise nothing.
  std::vector<std::int64_t> row_order(const std::vector<std::size_t>& elements) {
    const std::int64_t side = tile_.side;
    const auto row_of = [&](std::size_t e) {
      return static_cast<std::int64_t>(e) / judgement_.size.columns;
    };
    const auto row_in_tile = [&](std::size_t e) {
      return static_cast<std::size_t>(row_of(e) % side);
    };
    const auto tile_of = [&](std::size_t e) {
      const auto column = static_cast<std::int64_t>(e) % judgement_.size.columns;
      return std::pair(row_of(e) / side, column / side);
    };
    std::vector<std::size_t> first;
    for (const std::size_t e : elements)
      if (tile_of(e) == tile_of(elements.front())) first.push_back(e);
    std::vector<std::int64_t> order(static_cast<std::size_t>(side), -1);
    for (std::int64_t from = 0; from < side; ++from) {
      const std::vector<std::int64_t> all_from(order.size(), from);
      const auto agrees = agreement(permuted_rows(all_from, tile_), first);
      std::vector<bool> is_from(order.size());
      for (const std::size_t e : first) is_from[row_in_tile(e)] = true;
      for (std::size_t i = 0; i < first.size(); ++i)
        if (!agrees[i]) is_from[row_in_tile(first[i])] = false;
      const auto to = std::ranges::find(is_from, true);
      if (to == is_from.end()) return {};
      order[static_cast<std::size_t>(to - is_from.begin())] = from;
    }
    if (std::ranges::find(order, -1) != order.end()) return {};
    return order;
  }

 private:
  /// Marks the elements in which the mistake gives the kernel's values; none if the search is cut.
  std::vector<bool> agreement(const Mistake& mistake, const std::vector<std::size_t>& elements) {
    std::vector<bool> right(elements.size());
    const std::size_t ways = std::max<std::size_t>(1, mistake.results.size());
    for (std::size_t way = 0; way < ways; ++way) {
      const IndexMap result = mistake.results.empty() ? IndexMap{} : mistake.results[way];
      const std::size_t computed = elementwise() ? elements.size() : product_elements();
      multiplications_left_ -= static_cast<std::int64_t>(computed) * (depth() + 1);
      if (was_cut()) return std::vector<bool>(elements.size());
      const FormulaValue product = this->product(mistake, result, elements);
      const FormulaValue value =
          elementwise() ? around_.with(product, elements) : around_.with(product);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::size_t from = value.place_of(elementwise() ? i : elements[i]);
        right[i] = right[i] ||
                   is_right(judgement_.type, judgement_.values[elements[i]], value.values[from],
                            value.allowed(from, judgement_.sums), expectation_.tolerance);
      }
    }
    return right;
  }

  std::size_t product_elements() const {
    return static_cast<std::size_t>(size().rows * size().columns);
  }

  /// The product as a kernel with this mistake computes it. If the rest of the formula is
  /// elementwise, only the elements `elements` are computed, as one row; otherwise the whole
  /// product.
  FormulaValue product(const Mistake& mistake, const IndexMap& result,
                       const std::vector<std::size_t>& elements) const {
    const std::size_t count = elementwise() ? elements.size() : product_elements();
    FormulaValue value;
    value.size = size();
    if (elementwise()) value.size = {1, static_cast<std::int64_t>(count)};
    value.terms = roundings(depth(), left_.is_random || right_.is_random);
    value.quantum = left_.quantum * right_.quantum;
    value.values.assign(count, std::numeric_limits<double>::quiet_NaN());
    value.magnitudes.assign(count, 0);
    if (!left_errors_.values.empty() || !right_errors_.values.empty()) value.inherit();
    const auto fill = [&](std::size_t i) {
      const auto element = static_cast<std::int64_t>(elementwise() ? elements[i] : i);
      const Position place{element / size().columns, element % size().columns};
      const auto from = result ? result(place) : std::optional(place);
      if (!from || !is_inside(*from, size())) return;
      double sum = 0, magnitude = 0;
      for (std::int64_t k = 0; k < depth(); ++k) {
        if (mistake.keeps && !mistake.keeps(k)) continue;
        const Position in_a{from->row, k}, in_b{k, from->column};
        const double x = read(left_, mistake.a, mistake.a_value, in_a);
        const double y = read(right_, mistake.b, mistake.b_value, in_b);
        sum += x * y;
        magnitude += std::abs(x * y);
        if (value.inherited.empty()) continue;
        value.inherited[i] += read(left_errors_, mistake.a, nullptr, in_a) * std::abs(y) +
                              std::abs(x) * read(right_errors_, mistake.b, nullptr, in_b);
      }
      value.values[i] = sum;
      value.magnitudes[i] = magnitude;
    };
    for (std::size_t i = 0; i < count; ++i) fill(i);
    return value;
  }

  const MatrixTile& tile_;
  const Expectation& expectation_;
  const Judgement& judgement_;
  bool elementwise_;
  AroundProduct around_;
  const FormulaValue &left_, &right_;
  FormulaValue left_errors_, right_errors_;
  std::int64_t multiplications_left_;
};

/// Lists the chosen rows or columns as ranges, such as "rows 8 to 15". If they repeat with period
/// 16, it lists one period, "of every 16".
std::string ranges(const std::vector<bool>& chosen, std::string_view what) {
  std::vector<bool> pattern(
      chosen.begin(), chosen.begin() + std::min<std::ptrdiff_t>(
                                           shown_tile, static_cast<std::ptrdiff_t>(chosen.size())));
  bool repeats = chosen.size() > pattern.size();
  for (std::size_t i = 0; i < chosen.size() && repeats; ++i)
    repeats = chosen[i] == pattern[i % pattern.size()];
  const std::vector<bool>& shown = repeats ? pattern : chosen;
  std::string text(what);
  int parts = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) continue;
    const std::size_t begin = i;
    while (i + 1 < shown.size() && shown[i + 1]) ++i;
    if (++parts == 9) return text + ", …" + (repeats ? " of every 16" : "");
    text += formatted("{}{}", parts == 1 ? " " : ", ", begin);
    if (i > begin) text += formatted(" to {}", i);
  }
  return text + (repeats ? " of every 16" : "");
}

}  // namespace

Explanations explain(const LaunchText& launch, const Expectation& expectation,
                     const TensorValues& values, const Judgement& judgement, const MatrixTile& tile,
                     std::int64_t most_multiplications) {
  if (judgement.wrong == 0 || !has_one_product(expectation)) return {};
  const auto* formula = std::get_if<Expression>(&expectation.reference);
  Trial trial(launch, *formula, expectation, values, judgement, tile, most_multiplications);
  if (!trial.elementwise() && trial.multiplications() > most_for_one / 8) return {};
  const std::vector<std::size_t> all = wrong_tiles(judgement, tile.side);
  if (all.empty()) return {};
  const bool few = static_cast<std::int64_t>(all.size()) * trial.depth() <= most_for_one;
  // A mistake costs depth() multiplications for each element, so deep sums need small samples.
  const auto affordable = static_cast<std::size_t>(
      std::max<std::int64_t>(1, most_for_one / std::max<std::int64_t>(1, trial.depth())));
  const std::vector<std::size_t> most =
      few ? all : sample(all, std::min<std::size_t>(4096, affordable));
  const std::vector<std::size_t> some = sample(all, std::min<std::size_t>(61, affordable));

  Explanations result;
  for (const Mistake& mistake :
       mistakes(trial.size().rows, trial.size().columns, trial.depth(), tile))
    if (trial.explains(mistake, some) && trial.explains(mistake, most))
      result.found.push_back({mistake.name, mistake.message, mistake.fix});
  if (result.found.empty() && trial.elementwise())
    if (const auto order = trial.row_order(all); !order.empty())
      if (const Mistake rows = permuted_rows(order, tile); trial.explains(rows, most))
        result.found.push_back({rows.name, rows.message, rows.fix});
  result.was_cut = trial.was_cut();
  return result;
}

bool has_one_product(const Expectation& expectation) {
  const auto* formula = std::get_if<Expression>(&expectation.reference);
  return formula != nullptr && products(*formula) == 1;
}

std::vector<std::string> explanation_names() {
  std::vector<std::string> names;
  const std::string multiplication = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
  for (const MatrixTile& tile : {MatrixTile{}, tile_of("sm_80", {&multiplication, 1})})
    for (const Mistake& mistake : mistakes(24, 24, 24, tile))
      if (std::ranges::find(names, mistake.name) == names.end()) names.push_back(mistake.name);
  return names;
}

std::string where(const Judgement& judgement, Verdict verdict) {
  const auto rows = static_cast<std::size_t>(judgement.size.rows);
  const auto columns = static_cast<std::size_t>(judgement.size.columns);
  std::vector<bool> in_rows(rows), in_columns(columns);
  std::size_t count = 0;
  for (std::size_t i = 0; i < judgement.elements.size(); ++i) {
    if (judgement.elements[i] != verdict) continue;
    ++count;
    in_rows[i / columns] = in_columns[i % columns] = true;
  }
  if (count == 0) return "";
  const auto all = [](const std::vector<bool>& set) {
    return static_cast<std::size_t>(std::ranges::count(set, true));
  };
  if (all(in_rows) == rows && all(in_columns) == columns)
    return count == rows * columns ? "everywhere" : "scattered over the whole array";
  std::string text;
  if (all(in_rows) < rows) text = ranges(in_rows, "rows");
  if (all(in_columns) < columns) text += (text.empty() ? "" : ", ") + ranges(in_columns, "columns");
  return count == all(in_rows) * all(in_columns) ? text : "among " + text;
}

std::string tile_map(const Judgement& judgement) {
  const auto [rows, columns] = judgement.size;
  std::string map;
  for (std::int64_t row = 0; row < std::min<std::int64_t>(rows, 32 * shown_tile);
       row += shown_tile) {
    for (std::int64_t column = 0; column < std::min<std::int64_t>(columns, 64 * shown_tile);
         column += shown_tile) {
      std::array<int, 3> count{};
      for (std::int64_t i = row; i < std::min(row + shown_tile, rows); ++i)
        for (std::int64_t j = column; j < std::min(column + shown_tile, columns); ++j)
          ++count[static_cast<std::size_t>(
              judgement.elements[static_cast<std::size_t>(i * columns + j)])];
      const auto [right, wrong, unwritten] = count;
      map += wrong > 0 ? (right > 0 ? '+' : '#') : unwritten > 0 ? (right > 0 ? '_' : '-') : '.';
    }
    map += '\n';
  }
  return map;
}

}  // namespace heddle::runtime
