#include "answers/layout/layout_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "answers/layout/pasted_text.h"
#include "answers/text/conditions.h"
#include "answers/text/json_text.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::uint64_t most_looked_at = std::uint64_t{1} << 20;

/// "dim0=3,dim1=7" if the text is the coordinates "3,7". Empty if the text has other characters, or
/// another number of coordinates than the tile has dimensions.
std::string with_names(const LayoutView& view, std::string_view text) {
  if (text.find_first_not_of("0123456789, ") != std::string_view::npos) return "";
  std::string named;
  std::size_t axis = 0;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? 0 : end + 1)) {
    end = text.find(',');
    const std::string_view number = trimmed(text.substr(0, end));
    if (axis == view.axes.size() || number.empty()) return "";
    named += formatted("{}{}={}", axis == 0 ? "" : ",", view.axes[axis], number);
    ++axis;
  }
  return axis == view.axes.size() ? named : "";
}

// Any layout as a function of named numbers.
class NamedMap {
 public:
  explicit NamedMap(const LayoutView& view) : view_(view) {
    if (const layout::LinearLayout* const map = written_map()) {
      for (const layout::Axis& axis : map->inputs()) add(axis.name.text(), size_of(axis));
      inputs_ = names_.size();
      for (const layout::Axis& axis : map->outputs()) add(axis.name.text(), size_of(axis));
      has_place_ = view.kind == LayoutKind::shared && !view.shared().padding.empty();
      if (has_place_) add("place", 0);
      return;
    }
    for (std::size_t axis = 0; axis < view.axes.size(); ++axis)
      add(view.axes[axis], view.sizes[axis]);
    inputs_ = names_.size();
    add("offset", 0);
  }

  const std::vector<std::string>& names() const { return names_; }
  std::size_t inputs() const { return inputs_; }
  // How many values the input or output with number `name` has, from 0 on; 0: that is not known.
  std::uint64_t size(std::size_t name) const { return sizes_[name]; }

  // Appends the outputs to the inputs.
  void apply(Numbers& numbers) const {
    numbers.resize(inputs_);
    const layout::LinearLayout* const map = written_map();
    if (!map) {
      std::uint64_t flat = 0;
      for (std::size_t axis = inputs_; axis-- > 0;)
        flat = flat * sizes_[axis] + unsigned_number(numbers[axis]);
      return numbers.push_back(
          interop::cute::evaluate(*view_.cute(), static_cast<std::int64_t>(flat)));
    }
    std::uint64_t flat = 0;
    for (std::size_t axis = 0; axis < inputs_; ++axis)
      if (numbers[axis] != 0)
        flat |= unsigned_number(numbers[axis]) << map->inputs().offset(static_cast<int>(axis));
    const std::uint64_t reached = map->apply(flat);
    for (int axis = 0; axis < map->outputs().size(); ++axis)
      numbers.push_back(static_cast<std::int64_t>(map->outputs().coordinate(reached, axis)));
    if (has_place_)
      numbers.push_back(static_cast<std::int64_t>(view_.shared().place(
          unsigned_number(numbers[static_cast<std::size_t>(map->inputs().find("offset"))]))));
  }

 private:
  static std::uint64_t unsigned_number(std::int64_t number) {
    return static_cast<std::uint64_t>(number);
  }
  // The map with the names that `heddle layout` prints.
  const layout::LinearLayout* written_map() const {
    const auto* own = std::get_if<layout::LinearLayout>(&view_.argument.meaning);
    return own != nullptr ? own : view_.map();
  }
  static std::uint64_t size_of(const layout::Axis& axis) {
    return axis.bits < 64 ? std::uint64_t{1} << axis.bits : 0;
  }
  // Adds the name of an input or output. If an input already has the name, it becomes "to_" + name.
  void add(std::string_view name, std::uint64_t size) {
    std::string own(name);
    while (std::ranges::find(names_, own) != names_.end()) own = "to_" + own;
    names_.push_back(std::move(own));
    sizes_.push_back(size);
  }

  const LayoutView& view_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> sizes_;
  std::size_t inputs_ = 0;
  bool has_place_ = false;
};

}  // namespace

std::string LayoutPoints::number(std::int64_t of) const {
  return is_signed ? formatted("{}", of) : formatted("{}", static_cast<std::uint64_t>(of));
}

std::expected<LayoutPoints, std::string> layout_points(const LayoutView& view,
                                                       std::string_view conditions,
                                                       std::size_t most) {
  const NamedMap function(view);
  const auto read = read_conditions("--at", conditions, function.names());
  if (!read) {
    const std::string named = with_names(view, conditions);
    if (named.empty()) return std::unexpected(read.error());
    return std::unexpected(formatted("--at: '{}' are numbers without names; did you mean --at {}?",
                                     conditions, named));
  }
  std::vector<std::optional<std::uint64_t>> wanted(function.names().size());
  for (const Condition& condition : *read) {
    const auto at = std::ranges::find(function.names(), condition.name) - function.names().begin();
    const auto name = static_cast<std::size_t>(at);
    wanted[name] = condition.number;
    if (const std::uint64_t size = function.size(name); size != 0 && condition.number >= size)
      return std::unexpected(formatted("--at: {} {}: this layout has {} 0 to {}", condition.name,
                                       condition.number, condition.name, size - 1));
  }
  // Inputs without a condition take every value.
  std::uint64_t looked_at = 1;
  for (std::size_t i = 0; i < function.inputs(); ++i) {
    const std::uint64_t size = wanted[i] ? 1 : function.size(i);
    if (size == 0 || size > most_looked_at / looked_at)
      return std::unexpected(formatted(
          "--at: more than {} inputs meet the conditions on {}; write one on another of "
          "these, too",
          most_looked_at,
          joined(std::ranges::subrange(
                     function.names().begin(),
                     function.names().begin() + static_cast<std::ptrdiff_t>(function.inputs())),
                 ", ")));
    looked_at *= size;
  }
  LayoutPoints found{function.names(), function.inputs(), {}, 0, view.cute() != nullptr};
  for (std::uint64_t number = 0; number < looked_at; ++number) {
    Numbers numbers;
    std::uint64_t rest = number;
    for (std::size_t i = 0; i < function.inputs(); ++i) {
      if (wanted[i]) {
        numbers.push_back(static_cast<std::int64_t>(*wanted[i]));
        continue;
      }
      numbers.push_back(static_cast<std::int64_t>(rest % function.size(i)));
      rest /= function.size(i);
    }
    function.apply(numbers);
    bool meets = true;
    for (std::size_t i = function.inputs(); i < numbers.size(); ++i)
      meets = meets && (!wanted[i] || *wanted[i] == static_cast<std::uint64_t>(numbers[i]));
    if (!meets) continue;
    ++found.count;
    if (found.points.size() < most) found.points.push_back(std::move(numbers));
  }
  return found;
}

std::string points_text(const LayoutPoints& points, bool may_show_more) {
  if (points.count == 0) return "no input of the layout leads there\n";
  std::vector<std::size_t> columns;
  for (std::size_t name = 0; name < points.names.size(); ++name)
    if (name >= points.inputs ||
        std::ranges::any_of(points.points,
                            [&](const Numbers& numbers) { return numbers[name] != 0; }) ||
        name == 0)
      columns.push_back(name);
  const auto width = [&](std::size_t name) {
    std::size_t widest = points.names[name].size();
    for (const Numbers& numbers : points.points)
      widest = std::max(widest, points.number(numbers[name]).size());
    return widest;
  };
  std::vector<std::size_t> widths;
  for (const std::size_t name : columns) widths.push_back(width(name));
  std::string text;
  const auto line = [&](auto&& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_first_output = columns[i] == points.inputs;
      text +=
          fmt::format("{}{:>{}}", is_first_output ? "  ->  " : "  ", cell(columns[i]), widths[i]);
    }
    text += '\n';
  };
  line([&](std::size_t name) { return points.names[name]; });
  for (const Numbers& numbers : points.points)
    line([&](std::size_t name) { return points.number(numbers[name]); });
  if (points.points.size() < points.count)
    text += formatted("  the first {} of {}{}\n", points.points.size(), points.count,
                      may_show_more ? "; --all shows more" : "");
  return text;
}

std::string points_json(const LayoutPoints& points) {
  std::string text;
  for (const Numbers& numbers : points.points) {
    std::string fields;
    for (std::size_t name = 0; name < points.names.size(); ++name)
      fields += formatted("{}{}:{}", fields.empty() ? "" : ",", json_string(points.names[name]),
                          points.number(numbers[name]));
    text += formatted("{}{{{}}}", text.empty() ? "" : ",\n  ", fields);
  }
  return "[" + text + "]";
}

}  // namespace heddle::answers
