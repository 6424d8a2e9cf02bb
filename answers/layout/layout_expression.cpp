#include "answers/layout/layout_expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "answers/layout/pasted_text.h"
#include "heddle/interop/cute/text.h"
#include "heddle/interop/cute/tiling.h"
#include "heddle/layout/algebra.h"
#include "heddle/layout/solve.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

namespace cute = interop::cute;

using layout::LinearLayout;
using Computed = std::expected<cute::Layout, std::string>;

using OfLayout = cute::Layout (*)(const cute::Layout&);
using OfLayoutOrNone = Computed (*)(const cute::Layout&);
using OfLayouts = Computed (*)(const cute::Layout&, const cute::Layout&);
using OfTiler = Computed (*)(const cute::Layout&, const cute::Tiler&);

/// complement(L), or complement(L, NUMBER).
struct Complement {};

/// tile_to_shape(L, SIZES), or tile_to_shape(L, SIZES, ORDER).
struct TileToShape {};

/// local_tile(L, TILER, COORDINATE).
struct LocalTile {};

/// make_tiled_copy(ATOM, THREADS, VALUES).
struct TiledCopy {};

struct Function {
  std::string_view name;
  std::variant<OfLayout, OfLayoutOrNone, OfLayouts, OfTiler, Complement, TileToShape, LocalTile,
               TiledCopy>
      of;
};

const std::array<Function, 19>& functions() {
  static const std::array<Function, 19> all{{
      {"composition", OfTiler(cute::composition)},
      {"complement", Complement{}},
      {"right_inverse", OfLayout(cute::right_inverse)},
      {"left_inverse", OfLayoutOrNone(cute::left_inverse)},
      {"logical_divide", OfTiler(cute::logical_divide)},
      {"zipped_divide", OfTiler(cute::zipped_divide)},
      {"tiled_divide", OfTiler(cute::tiled_divide)},
      {"flat_divide", OfTiler(cute::flat_divide)},
      {"logical_product", OfTiler(cute::logical_product)},
      {"zipped_product", OfTiler(cute::zipped_product)},
      {"tiled_product", OfTiler(cute::tiled_product)},
      {"flat_product", OfTiler(cute::flat_product)},
      {"blocked_product", OfLayouts(cute::blocked_product)},
      {"raked_product", OfLayouts(cute::raked_product)},
      {"tile_to_shape", TileToShape{}},
      {"coalesce", OfLayout(cute::coalesce)},
      {"filter", OfLayout(cute::filter)},
      {"local_tile", LocalTile{}},
      {"make_tiled_copy", TiledCopy{}},
  }};
  return all;
}

/// A call: "name(arguments)", whose closing bracket is the end of the text.
struct Call {
  const Function* function;
  std::string_view inside;
};

bool opens(char c) { return c == '(' || c == '<' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == '>' || c == ']' || c == '}'; }

/// The position where the bracket at `at` closes; npos if it does not. An arrow closes nothing.
std::size_t closing(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (opens(text[i])) ++depth;
    const bool is_arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
    if (closes(text[i]) && !is_arrow && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::optional<Call> call_of(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view prefix : {"cute::", "cute."})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  const std::size_t bracket = text.find('(');
  if (bracket == std::string_view::npos || closing(text, bracket) != text.size() - 1)
    return std::nullopt;
  const auto& all = functions();
  const auto found = std::ranges::find(all, trimmed(text.substr(0, bracket)), &Function::name);
  if (found == all.end()) return std::nullopt;
  const std::string_view inside = text.substr(bracket + 1, text.size() - bracket - 2);
  // CuTe prints a swizzled layout like a call, composition(Sw<3,4,3>, 0, (8,64):(64,1)): that is no
  // call.
  for (const std::string_view swizzle : {"Swizzle<", "Sw<", "S<", "cute::Swizzle<"})
    if (found->name == "composition" && trimmed(inside).starts_with(swizzle)) return std::nullopt;
  return Call{&*found, inside};
}

/// True if the text looks like an output with its size, such as "n: 16". In Heddle's own notation a
/// map ends with a list of outputs, "... -> m: 16, n: 16", so a comma may separate outputs of one
/// map instead of arguments of a call.
bool is_output(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view name = trimmed(text.substr(0, colon));
  const std::string_view size = trimmed(text.substr(colon + 1));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_of_name = [&](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_of_name) &&
         !size.empty() && is_digit(size[0]);
}

/// Splits a list of arguments at the commas outside of brackets. A comma after an arrow "->" does
/// not separate arguments if an output such as "n: 16" follows it: it belongs to the map.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  const auto add = [&](std::string_view part) {
    const bool continues =
        !parts.empty() && parts.back().find("->") != std::string_view::npos && is_output(part);
    if (!continues) return parts.push_back(part);
    const auto first = static_cast<std::size_t>(parts.back().data() - text.data());
    const auto end = static_cast<std::size_t>(part.data() + part.size() - text.data());
    parts.back() = text.substr(first, end - first);
  };
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (opens(text[i])) ++depth;
    if (closes(text[i]) && !(text[i] == '>' && i > 0 && text[i - 1] == '-')) --depth;
    if (text[i] != ',' || depth != 0) continue;
    add(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  add(trimmed(text.substr(begin)));
  return parts;
}

std::optional<cute::Number> number_of_part(std::string_view text) {
  if (text.ends_with("{}")) text.remove_suffix(2);
  if (text.starts_with('_')) text.remove_prefix(1);
  cute::Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

class Evaluation {
 public:
  Evaluation(std::string_view option, const LayoutContext& context)
      : option_(option), context_(context) {}

  std::expected<LayoutArgument, std::string> value(std::string_view text) {
    const auto call = call_of(text);
    if (!call) return argument(std::string(trimmed(text)));
    constexpr int deepest = 16;
    if (++depth_ > deepest) return refused("calls are more than 16 deep");
    auto result = value_of(*call, parts_of(call->inside));
    --depth_;
    return result;
  }

 private:
  /// Reads an argument of a call, which is a layout. Here a CuTe layout is always a function of
  /// coordinates, even where read_layout_argument would read it as a tile in shared memory.
  std::expected<LayoutArgument, std::string> argument(const std::string& text) {
    if (interop::dialect_of(text) == interop::Dialect::cute)
      if (const auto read = cute::read_text(text); read && read->tile.empty())
        return LayoutArgument{text,         std::string(interop::row(interop::Dialect::cute).name),
                              read->layout, read->element_bits,
                              "",           interop::Dialect::cute};
    return read_layout_argument(option_, text, context_);
  }

  std::unexpected<std::string> refused(std::string_view reason) const {
    return std::unexpected(formatted("{}: {}", option_, reason));
  }
  std::unexpected<std::string> refused(const Call& call, std::string_view reason) const {
    return refused(formatted("{}: {}", call.function->name, reason));
  }

  std::expected<LayoutArgument, std::string> value_of(const Call& call,
                                                      const std::vector<std::string_view>& parts) {
    if (std::holds_alternative<TiledCopy>(call.function->of)) return tiled_copy(call, parts);
    if (std::holds_alternative<LocalTile>(call.function->of) && parts.size() != 3)
      return refused(call, "it takes a layout, the sizes of a tile and a coordinate, as (0,_)");
    const bool takes_one = std::holds_alternative<OfLayout>(call.function->of) ||
                           std::holds_alternative<OfLayoutOrNone>(call.function->of);
    const bool complements = std::holds_alternative<Complement>(call.function->of);
    const bool tiles = std::holds_alternative<TileToShape>(call.function->of);
    const std::size_t fewest = takes_one || complements ? 1 : 2;
    const bool is_tile = std::holds_alternative<LocalTile>(call.function->of);
    const std::size_t most = takes_one ? 1 : tiles || is_tile ? 3 : 2;
    if (parts.size() < fewest || parts.size() > most)
      return refused(call, formatted("it takes {}, and {} {} given",
                                     complements ? "a layout and perhaps a size"
                                     : tiles     ? "a layout, a shape and perhaps an order"
                                     : takes_one ? "one layout"
                                                 : "two arguments",
                                     parts.size(), parts.size() == 1 ? "is" : "are"));
    auto first = value(parts[0]);
    if (!first) return first;
    first->what = formatted("{} of {}", call.function->name, first->what);
    if (const auto* map = std::get_if<LinearLayout>(&first->meaning))
      return of_map(call, *map, parts, *first);
    const auto* any = std::get_if<cute::AnyLayout>(&first->meaning);
    const auto* composed = any == nullptr ? nullptr : std::get_if<cute::ComposedLayout>(any);
    const auto* left = any == nullptr ? nullptr : std::get_if<cute::Layout>(any);
    std::expected<cute::AnyLayout, std::string> result;
    if (left != nullptr)
      result = computed(call, *left, parts);
    else if (composed != nullptr && tiles)  // swizzle and offset come last, as in CuTe
      result = cute::inside(
          *composed, [&](const cute::Layout& block) { return computed(call, block, parts); });
    else
      return refused(call,
                     "its first argument is a layout in shared memory with a swizzle or "
                     "padding; wanted is a layout of CuTe's without, or a map over bits");
    if (!result) return std::unexpected(result.error());
    constexpr cute::Number most_elements = cute::Number{1} << 58;
    if (cute::size(*result) > most_elements)
      return refused(call, "the layout has more than 2^58 elements");
    first->text = cute::text(*result);
    first->meaning = *std::move(result);
    first->dialect = interop::Dialect::cute;
    return first;
  }

  Computed computed(const Call& call, const cute::Layout& left,
                    const std::vector<std::string_view>& parts) {
    const auto named = [&](Computed result) -> Computed {
      if (!result) return refused(call, result.error());
      return result;
    };
    if (const auto* of = std::get_if<OfLayout>(&call.function->of)) return (*of)(left);
    if (const auto* of = std::get_if<OfLayoutOrNone>(&call.function->of)) return named((*of)(left));
    if (std::holds_alternative<Complement>(call.function->of)) {
      if (parts.size() == 1) return named(cute::complement(left));
      const auto size = number_of_part(parts[1]);
      if (!size) return refused(call, formatted("'{}' is no size, as 24", parts[1]));
      return named(cute::complement(left, *size));
    }
    if (std::holds_alternative<TileToShape>(call.function->of)) {
      const auto shape = numbers_of(call, parts[1]);
      if (!shape) return std::unexpected(shape.error());
      const auto order = parts.size() == 3 ? numbers_of(call, parts[2]) : Numbers{};
      if (!order) return std::unexpected(order.error());
      return named(cute::tile_to_shape(left, *shape, *order));
    }
    if (std::holds_alternative<LocalTile>(call.function->of)) return local_tile(call, left, parts);
    if (const auto* of = std::get_if<OfLayouts>(&call.function->of)) {
      const auto right = plain_layout(call, parts[1]);
      return right ? named((*of)(left, *right)) : right;
    }
    const auto tiler = tiler_of(call, parts[1], 0);
    if (!tiler) return std::unexpected(tiler.error());
    return named(std::get<OfTiler>(call.function->of)(left, *tiler));
  }

  /// local_tile: cuts `left` into tiles. `parts[2]` has a coordinate or _ for each axis. The result
  /// has the modes of one tile, then, for each axis with _, a mode that counts the tiles along this
  /// axis. Source: NVIDIA/cutlass, include/cute/tensor_impl.hpp (local_tile, inner_partition).
  Computed local_tile(const Call& call, const cute::Layout& left,
                      const std::vector<std::string_view>& parts) {
    const auto tiler = tiler_of(call, parts[1], 0);
    if (!tiler) return std::unexpected(tiler.error());
    const auto divided = cute::zipped_divide(left, *tiler);
    if (!divided) return refused(call, divided.error());
    std::string_view coordinate = parts[2];
    for (const std::string_view name : {"make_coord", "Coord"})
      if (coordinate.starts_with(name)) coordinate = trimmed(coordinate.substr(name.size()));
    if (!coordinate.empty() && opens(coordinate[0]))
      coordinate = coordinate.substr(1, coordinate.size() - 2);
    const std::vector<std::string_view> at = parts_of(coordinate);
    const cute::Layout tile = (*divided)[0], rest = (*divided)[1];
    std::vector<cute::Layout> modes;
    for (std::size_t i = 0; i < tile.rank(); ++i) modes.push_back(tile[i]);
    if (at.size() != rest.rank())
      return refused(call, formatted("the coordinate {} has {} numbers; the tiles have {} modes",
                                     parts[2], at.size(), rest.rank()));
    for (std::size_t i = 0; i < rest.rank(); ++i) {
      if (at[i] == "_")
        modes.push_back(rest[i]);
      else if (at[i] != "0" && at[i] != "_0")
        return refused(call, formatted("'{}' in the coordinate: tiles differ in where they begin, "
                                       "which is no part of a layout; write 0, or _ for all",
                                       at[i]));
    }
    return cute::checked(cute::make_layout(std::move(modes)));
  }

  /// Computes make_tiled_copy(…). Writes the text that CuTe would print for the resulting copy, and
  /// reads this text. Source: NVIDIA/cutlass, include/cute/atom/copy_atom.hpp (make_tiled_copy: the
  /// right inverse of the raked product).
  std::expected<LayoutArgument, std::string> tiled_copy(
      const Call& call, const std::vector<std::string_view>& parts) {
    if (parts.size() != 3 && parts.size() != 2)
      return refused(call, "it takes an atom and the layouts of threads and of values");
    const auto threads = plain_layout(call, parts[1]);
    if (!threads) return std::unexpected(threads.error());
    const auto values =
        parts.size() == 3 ? plain_layout(call, parts[2]) : Computed(cute::Layout(cute::Mode{}));
    if (!values) return std::unexpected(values.error());
    const auto product = cute::raked_product(*threads, *values);
    if (!product) return refused(call, product.error());
    const cute::Number of_threads = cute::size(*threads), of_values = cute::size(*values);
    const auto tv = cute::composition(
        cute::right_inverse(*product),
        cute::make_layout({cute::Mode{of_threads, 1}, cute::Mode{of_values, of_threads}}));
    if (!tv) return refused(call, tv.error());
    Numbers tile;
    for (std::size_t i = 0; i < product->rank(); ++i) tile.push_back(cute::size((*product)[i]));
    const std::string text = formatted("TiledCopy Tiler_MN: ({}) TiledLayout_TV: {}",
                                       joined(tile, ","), cute::text(*tv));
    auto argument = read_layout_argument(option_, text, context_);
    if (argument) argument->what = "make_tiled_copy of CuTe";
    return argument;
  }

  using Numbers = std::vector<cute::Number>;
  /// "(128,64)", "Shape<_128,_64>", "Step<_2,_1>", "make_shape(Int<128>{},_64{})", or one number.
  std::expected<Numbers, std::string> numbers_of(const Call& call, std::string_view text) const {
    std::string_view inside = text;
    for (const std::string_view prefix : {"cute::", "cute."})
      if (inside.starts_with(prefix)) inside.remove_prefix(prefix.size());
    for (const std::string_view name : {"Shape", "Step", "make_shape", "make_step"}) {
      if (!inside.starts_with(name)) continue;
      inside = trimmed(inside.substr(name.size()));
      break;
    }
    if (inside.ends_with("{}")) inside.remove_suffix(2);
    if (!inside.empty() && opens(inside[0]) && closing(inside, 0) == inside.size() - 1)
      inside = inside.substr(1, inside.size() - 2);
    Numbers numbers;
    for (std::string_view part : parts_of(inside)) {
      if (part.ends_with("{}")) part.remove_suffix(2);
      if (part.starts_with("Int<") && part.ends_with('>')) part = part.substr(4, part.size() - 5);
      // An order may begin at 0.
      const auto number = part == "0" || part == "_0" ? 0 : number_of_part(part);
      if (!number) return refused(call, formatted("'{}' is no list of numbers, as (128,64)", text));
      numbers.push_back(*number);
    }
    return numbers;
  }

  /// A layout of CuTe's without a swizzle.
  Computed plain_layout(const Call& call, std::string_view text) {
    if (const auto size = number_of_part(text)) return cute::checked(cute::Mode{*size, 1});
    const auto argument = value(text);
    if (!argument) return std::unexpected(argument.error());
    const auto* any = std::get_if<cute::AnyLayout>(&argument->meaning);
    const auto* plain = any == nullptr ? nullptr : std::get_if<cute::Layout>(any);
    if (plain == nullptr)
      return refused(call, formatted("'{}' is {}; wanted is a layout of CuTe's without a "
                                     "swizzle, as (4,8):(8,1)",
                                     text, argument->what));
    return *plain;
  }

  std::expected<cute::Tiler, std::string> tiler_of(const Call& call, std::string_view text,
                                                   int depth) {
    if (text == "_") return cute::Tiler(std::nullopt);
    for (const std::string_view name : {"cute::make_tile", "make_tile"})
      if (text.starts_with(name)) text = trimmed(text.substr(name.size()));
    const bool is_tuple =
        (text.starts_with('(') || text.starts_with('<')) && closing(text, 0) == text.size() - 1;
    if (!is_tuple) {
      const auto plain = plain_layout(call, text);
      if (!plain) return std::unexpected(plain.error());
      return cute::tiler(*plain);
    }
    if (depth == 4) return refused(call, "tilers nest at most 4 deep");
    std::vector<cute::Tiler> modes;
    for (const std::string_view part : parts_of(text.substr(1, text.size() - 2))) {
      auto mode = tiler_of(call, part, depth + 1);
      if (!mode) return mode;
      modes.push_back(*std::move(mode));
    }
    return cute::Tiler::tuple(std::move(modes));
  }

  /// The same of a map over bits.
  std::expected<LayoutArgument, std::string> of_map(const Call& call, const LinearLayout& map,
                                                    const std::vector<std::string_view>& parts,
                                                    LayoutArgument result) {
    const std::string_view name = call.function->name;
    layout::Expected<LinearLayout> value = map;
    if (name == "right_inverse" || name == "left_inverse") {
      value = layout::invert(map);
    } else if (name == "composition") {
      const auto second = this->value(parts[1]);
      if (!second) return second;
      const auto* inner = std::get_if<LinearLayout>(&second->meaning);
      if (inner == nullptr)
        return refused(call, formatted("'{}' is {}, and the first argument is a map over bits; "
                                       "wanted are two of a kind",
                                       parts[1], second->what));
      value = layout::compose(*inner, map);
    } else {
      return refused(call,
                     "its first argument is a map over bits, which has composition, "
                     "right_inverse and left_inverse; wanted is a layout of CuTe's");
    }
    if (!value) return refused(call, value.error().message().view());
    result.meaning = *value;
    result.text = interop::write_native(*value);
    result.dialect = interop::Dialect::native;
    return result;
  }

  std::string_view option_;
  const LayoutContext& context_;
  int depth_ = 0;
};

}  // namespace

std::vector<std::string_view> layout_functions() {
  std::vector<std::string_view> names;
  for (const Function& function : functions()) names.push_back(function.name);
  return names;
}

bool is_layout_expression(std::string_view text) { return call_of(text).has_value(); }

std::expected<LayoutArgument, std::string> read_layout_expression(std::string_view option,
                                                                  const std::string& text,
                                                                  const LayoutContext& context) {
  auto computed = Evaluation(option, context).value(text);
  if (!computed || computed->dialect != interop::Dialect::cute) return computed;
  // The computed layout is a text so far; reading this text gives its meaning.
  auto read = read_layout_argument(option, computed->text, context);
  if (!read) return read;
  read->what = std::move(computed->what);
  read->element_bits = computed->element_bits;
  return read;
}

}  // namespace heddle::answers
