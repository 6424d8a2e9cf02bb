#include "heddle/interop/tilelang_fragment.h"

#include <algorithm>
#include <bit>
#include <expected>
#include <utility>

#include "library/text/formatted.h"

namespace heddle::interop::tilelang {
namespace detail {

/// Limits for trying a tile element by element: the most elements, copies included, and the most
/// operations.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 22;
inline constexpr std::int64_t most_operations = std::int64_t{1} << 28;

/// The names of a fragment's variables: _i, _j, … for `rank` axes, and _rep.
std::vector<std::string> variables(std::size_t rank);

/// [16, 16], (16, 16) or (16,).
Sizes read_shape(TextScanner& in);

void read_field(TextScanner& in, const std::string& name);

std::string shape_text(const Sizes& shape);

std::optional<std::string> not_a_power_of_two(std::int64_t size, const std::string& what);

int bits_of(std::int64_t size);

}  // namespace detail
namespace detail {

std::vector<std::string> variables(std::size_t rank) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rank; ++i)
    names.push_back(std::string("_") + static_cast<char>('i' + i));
  names.push_back("_rep");
  return names;
}

Sizes read_shape(TextScanner& in) {
  const bool round = in.take("(");
  if (!round) in.expect("[", " and a shape");
  const char* close = round ? ")" : "]";
  Sizes shape;
  do {
    if (!shape.empty() && in.next_is(close)) break;
    if (shape.size() == 7) in.fail("expected at most 7 dimensions");
    shape.push_back(in.number("a size", 1, most_elements));
  } while (in.take(","));
  in.expect(close, " or ',' in the shape");
  return shape;
}

namespace {

std::vector<IndexExpression> read_expressions(TextScanner& in,
                                              std::span<const std::string> variables) {
  const bool round = in.take("(");
  if (!round) in.expect("[", " and the expressions of forward_index");
  const char* close = round ? ")" : "]";
  std::vector<IndexExpression> expressions;
  do {
    if (!expressions.empty() && in.next_is(close)) break;
    expressions.push_back(IndexExpression::read(in, variables));
  } while (in.take(","));
  in.expect(close, " or ',' in forward_index");
  return expressions;
}

}  // namespace

void read_field(TextScanner& in, const std::string& name) {
  in.expect(",", " and the field " + name);
  in.expect(name, ", the next field");
  in.expect(":", " behind " + name);
}

std::string shape_text(const Sizes& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += formatted("{}{}", i > 0 ? ", " : "", shape[i]);
  return text + "]";
}

}  // namespace detail

std::expected<Fragment, TextError> read(std::string_view text) {
  TextScanner in(text);
  Fragment fragment;
  in.expect("Fragment", " of TileLang");
  in.expect("(");
  fragment.shape = detail::read_shape(in);
  in.expect("->", " and the shape of a thread's values");
  fragment.value_shape = detail::read_shape(in);
  detail::read_field(in, "replicate");
  fragment.replicate = in.number("a number of copies", 1, detail::most_elements);
  detail::read_field(in, "thread");
  fragment.threads = in.number("a number of threads", 1, detail::most_elements);
  const std::vector<std::string> variables = detail::variables(fragment.shape.size());
  const std::span<const std::string> without_rep(variables.data(), fragment.shape.size());
  detail::read_field(in, "forward_thread");
  fragment.forward_thread = IndexExpression::read(in, variables);
  detail::read_field(in, "forward_index");
  const std::size_t list = in.place();
  fragment.forward_index = detail::read_expressions(in, without_rep);
  if (fragment.forward_index.size() != fragment.value_shape.size())
    in.fail_at(list, formatted("forward_index has {} expressions for the {} axes of the values",
                               fragment.forward_index.size(), fragment.value_shape.size()));
  if (in.next_is(",")) {
    detail::read_field(in, "thread_range");
    if (!in.take("I.")) in.take("T.");
    in.take("Range");
    in.take("range");
    in.expect("(", " of a range");
    in.take("min=");
    const std::int64_t begin = in.number("the first thread", 0, detail::most_elements);
    in.expect(",", " and the number of threads");
    if (!in.take("extent=")) in.take("ext=");
    fragment.thread_range = {begin, in.number("a number of threads", 1, detail::most_elements)};
    in.expect(")", " behind the range");
  }
  in.expect(")", " behind the last field");
  in.expect_end();
  if (in.failed()) return std::unexpected(*in.error());
  return fragment;
}

std::string text(const Fragment& fragment) {
  std::string text = formatted(
      "Fragment({} -> {}, replicate: {}, thread: {}, forward_thread: {}, forward_index: [",
      detail::shape_text(fragment.shape), detail::shape_text(fragment.value_shape),
      fragment.replicate, fragment.threads, fragment.forward_thread.text());
  for (std::size_t i = 0; i < fragment.forward_index.size(); ++i)
    text += (i > 0 ? ", " : "") + fragment.forward_index[i].text();
  text += "]";
  if (fragment.thread_range)
    text += formatted(", thread_range: Range({}, {})", fragment.thread_range->first,
                      fragment.thread_range->second);
  return text + ")";
}

namespace detail {

std::optional<std::string> not_a_power_of_two(std::int64_t size, const std::string& what) {
  if (std::has_single_bit(static_cast<std::uint64_t>(size))) return std::nullopt;
  return formatted("{} is {}; a linear map has sizes that are powers of two", what, size);
}

int bits_of(std::int64_t size) { return std::countr_zero(static_cast<std::uint64_t>(size)); }

}  // namespace detail

namespace detail {
namespace {

/// Makes a linear map from a fragment's expressions. The expressions say which value of which
/// thread each element is.
class Places {
 public:
  explicit Places(const Fragment& fragment) : fragment_(fragment) {}

  /// The map (_i, _j, …, _rep) -> (value, thread).
  std::expected<layout::LinearLayout, std::string> forward() {
    if (auto reason = check_sizes()) return std::unexpected(std::move(*reason));
    layout::LinearLayout::Bases bases{};
    for (int bit = 0; bit < inputs_.bits(); ++bit) {
      const auto word = place_of(std::uint64_t{1} << bit);
      if (!word) return std::unexpected(word.error());
      bases[static_cast<std::size_t>(bit)] = *word;
    }
    const auto map = layout::LinearLayout::from_words(inputs_, outputs_, bases);
    if (!map) return std::unexpected(std::string(map.error().message().view()));
    for (std::uint64_t flat = 0; flat >> inputs_.bits() == 0; ++flat) {
      const auto word = place_of(flat);
      if (!word) return std::unexpected(word.error());
      if (*word == map->apply(flat)) continue;
      return std::unexpected("the fragment is not linear over F2: at " + point_text(flat) +
                             " it is not the xor of what single bits give");
    }
    return *map;
  }

 private:
  std::optional<std::string> check_sizes() {
    __int128 elements = fragment_.replicate;
    int values = 0;
    for (std::size_t i = 0; i < fragment_.shape.size(); ++i) {
      const std::string name = variables(i + 1)[i];
      if (auto reason = not_a_power_of_two(fragment_.shape[i], "the size of " + name))
        return reason;
      elements *= fragment_.shape[i];
      if (elements > most_elements) return "the tile has more than 2^22 elements, copies counted";
      inputs_.push_back({layout::AxisName(std::string_view(name)), bits_of(fragment_.shape[i])});
    }
    std::int64_t operations = fragment_.forward_thread.operations();
    for (const IndexExpression& index : fragment_.forward_index) operations += index.operations();
    if (elements * operations > most_operations)
      return formatted(
          "the expressions take {} operations for each element, more than 2^28 in all; simplify "
          "them",
          operations);
    for (const std::int64_t size : fragment_.value_shape) {
      if (auto reason = not_a_power_of_two(size, "the size of an axis of the values"))
        return reason;
      values += bits_of(size);
    }
    if (auto reason = not_a_power_of_two(fragment_.replicate, "the number of copies"))
      return reason;
    if (auto reason = not_a_power_of_two(fragment_.threads, "the number of threads")) return reason;
    inputs_.push_back({"_rep", bits_of(fragment_.replicate)});
    outputs_.push_back({"value", values});
    outputs_.push_back({"thread", bits_of(fragment_.threads)});
    if (outputs_.bits() > layout::max_bits) return "values and threads have more than 64 bits";
    return std::nullopt;
  }

  std::string point_text(std::uint64_t flat) const {
    std::string text;
    for (const layout::Coordinate& at : inputs_.unpack(flat))
      text += formatted("{}{} = {}", text.empty() ? "" : ", ", at.axis.text(), at.value);
    return text;
  }

  std::expected<std::uint64_t, std::string> place_of(std::uint64_t flat) const {
    std::array<std::int64_t, layout::max_axes> values{};
    std::size_t axis = 0;
    for (const layout::Coordinate& at : inputs_.unpack(flat))
      values[axis++] = static_cast<std::int64_t>(at.value);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < fragment_.forward_index.size(); ++i) {
      const auto index =
          at_point(fragment_.forward_index[i], "an index", flat, values, fragment_.value_shape[i]);
      if (!index) return index;
      value = value << bits_of(fragment_.value_shape[i]) | *index;
    }
    const auto thread =
        at_point(fragment_.forward_thread, "the thread", flat, values, fragment_.threads);
    if (!thread) return thread;
    return value | *thread << outputs_[0].bits;
  }

  std::expected<std::uint64_t, std::string> at_point(const IndexExpression& expression,
                                                     const std::string& what, std::uint64_t flat,
                                                     std::span<const std::int64_t> values,
                                                     std::int64_t size) const {
    const auto result = expression.evaluate(values);
    if (result && *result >= 0 && *result < size) return static_cast<std::uint64_t>(*result);
    return std::unexpected(formatted(
        "{} {} is {} at {}; it is from 0 to {}", what, expression.text(),
        result ? formatted("{}", *result) : "no number of 64 bits", point_text(flat), size - 1));
  }

  const Fragment& fragment_;
  layout::AxisList inputs_, outputs_;
};

}  // namespace
}  // namespace detail

std::expected<layout::LinearLayout, std::string> to_distributed(const Fragment& fragment,
                                                                std::int64_t warp_size) {
  if (auto reason = detail::not_a_power_of_two(warp_size, "the number of lanes"))
    return std::unexpected(std::move(*reason));
  const auto forward = detail::Places(fragment).forward();
  if (!forward) return forward;
  const auto inverse = layout::invert(*forward);
  if (!inverse) {
    const std::string axis(inverse.error().axis.text());
    return std::unexpected(
        inverse.error().code == layout::ErrorCode::not_injective
            ? formatted("two elements or copies share a place: {} bit {} adds nothing new", axis,
                        inverse.error().numbers[0])
            : formatted("{} {} holds nothing of its own; a linear map fills every thread and value",
                        axis, inverse.error().numbers[0]));
  }
  layout::LinearLayout map = *inverse;
  layout::NameList dims;
  for (std::size_t i = 0; i < fragment.shape.size(); ++i) {
    const std::string from = detail::variables(i + 1)[i];
    const layout::AxisName to(std::string_view(formatted("dim{}", i)));
    map = *layout::rename_output(map, layout::AxisName(std::string_view(from)), to);
    dims.push_back(to);
  }
  map = *layout::sublayout(map, {"value", "thread"}, dims);
  const int thread_bits = map.inputs()[1].bits;
  const int lane_bits = std::min(thread_bits, detail::bits_of(warp_size));
  return *layout::reshape_inputs(
      map,
      {{"register", map.inputs()[0].bits}, {"lane", lane_bits}, {"warp", thread_bits - lane_bits}});
}

std::expected<Fragment, std::string> from_distributed(const layout::LinearLayout& map) {
  for (const layout::Axis& axis : map.inputs())
    if (axis.bits > 0 && axis.name != layout::AxisName("register") &&
        axis.name != layout::AxisName("lane") && axis.name != layout::AxisName("warp"))
      return std::unexpected("the map has an input axis '" + std::string(axis.name.text()) +
                             "'; a fragment has register, lane and warp");
  if (map.outputs().size() > 7)
    return std::unexpected("the map has more than 7 dimensions, for which a fragment has no names");
  if (map.input_bits() > 22 || map.output_bits() > 22)
    return std::unexpected("the map has more than 2^22 elements");
  if (!layout::is_surjective(map))
    return std::unexpected("some elements are in no register; a fragment says where each one is");
  // The axes value and thread come in this order, whatever the map's order is.
  layout::NameList order;
  for (const layout::AxisName name :
       {layout::AxisName("register"), layout::AxisName("lane"), layout::AxisName("warp")})
    if (map.inputs().contains(name)) order.push_back(name);
  const int value_bits = map.inputs().bits_of("register");
  const layout::AxisList places{{"value", value_bits}, {"thread", map.input_bits() - value_bits}};
  const layout::LinearLayout by_place = *layout::reshape_inputs(
      *layout::sublayout(map, order, layout::names_of(map.outputs())), places);
  const layout::LinearLayout copies = layout::kernel(by_place, "_rep");
  for (int bit = 0; bit < copies.input_bits(); ++bit)
    if (copies.basis("_rep", bit, "value") != 0)
      return std::unexpected(
          "a lane holds an element in two registers, or a copy lies in another register; a "
          "fragment's copies are in other threads alone");
  layout::LinearLayout owner = layout::pseudo_inverse(by_place);
  Fragment fragment;
  const std::vector<std::string> variables =
      detail::variables(static_cast<std::size_t>(map.outputs().size()));
  layout::AxisList dims;
  for (int i = 0; i < map.outputs().size(); ++i) {
    const int bits = map.outputs()[i].bits;
    dims.push_back(
        {layout::AxisName(std::string_view(variables[static_cast<std::size_t>(i)])), bits});
    fragment.shape.push_back(std::int64_t{1} << bits);
  }
  owner = *layout::reshape_inputs(owner, dims);
  const layout::LinearLayout forward = *layout::concatenate_inputs(owner, copies);
  fragment.value_shape = {std::int64_t{1} << value_bits};
  fragment.replicate = std::int64_t{1} << copies.input_bits();
  fragment.threads = std::int64_t{1} << places[1].bits;
  const auto expression = [&](std::string formula) {
    for (std::size_t at = 0; (at = formula.find('/', at)) != std::string::npos; at += 2)
      formula.insert(at, 1, '/');  // C's division of non-negative numbers is Python's //
    TextScanner in(formula);
    return IndexExpression::read(in, variables);
  };
  const std::vector<std::string> formulas = layout::formulas(forward);
  fragment.forward_index = {expression(formulas[0])};
  fragment.forward_thread = expression(formulas[1]);
  return fragment;
}

}  // namespace heddle::interop::tilelang
