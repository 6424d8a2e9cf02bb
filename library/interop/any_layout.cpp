#include "heddle/interop/any_layout.h"

#include <algorithm>
#include <array>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/interop/ck_tile_text.h"
#include "heddle/interop/cute/thread_value.h"
#include "heddle/interop/iree_text.h"
#include "heddle/interop/tilelang_fragment.h"
#include "heddle/interop/tilelang_functions.h"
#include "heddle/interop/triton/attribute_reader.h"
#include "heddle/interop/triton/attribute_writer.h"
#include "heddle/interop/triton/gluon_reader.h"
#include "heddle/interop/triton/gluon_writer.h"
#include "library/text/formatted.h"

namespace heddle::interop {

namespace {

/// Without blanks behind it.
std::string_view trimmed(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

Dialect dialect_of(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
  if (triton::is_gluon_text(text)) return Dialect::gluon;
  if (triton::is_attribute_text(text)) return Dialect::triton;
  if (text.starts_with("#iree_gpu.mma_layout<")) return Dialect::native;  // an instruction's name
  if (!iree::virtual_operand(trimmed(text)).empty()) return Dialect::iree;
  if (text.starts_with("#iree") || text.starts_with("{")) return Dialect::iree;
  if (text.starts_with("Fragment") || !tilelang::map_of_function(trimmed(text)).empty())
    return Dialect::tilelang;
  if (text.find("tile_distribution_encoding") != std::string_view::npos) return Dialect::ck_tile;
  // _8 is a number of CuTe's, but __builtin_… and __nvvm_… are names of instructions.
  const std::string_view number = text.substr(text.starts_with("_") ? 1 : 0);
  const bool is_nest =
      text.starts_with("(") || (!number.empty() && number[0] >= '0' && number[0] <= '9');
  if (is_nest || cute::begins_with_name(text) || cute::begins_with_pointer(text))
    return Dialect::cute;
  return Dialect::native;
}

namespace detail {
namespace {

/// Gives an error about the whole text a place: the first column.
template <class T>
std::expected<T, TextError> at_start(std::expected<T, std::string> result) {
  if (result) return *std::move(result);
  return std::unexpected(TextError{1, std::move(result.error())});
}

std::expected<Meaning, TextError> cute_meaning(const cute::AnyLayout& layout,
                                               const ReadingContext& context) {
  if (!context.shape.empty()) {
    const auto* plain = std::get_if<cute::Layout>(&layout);
    if (plain == nullptr)
      return std::unexpected(TextError{1, "a thread-value layout has no swizzle"});
    const auto held =
        at_start(cute::to_distributed(cute::ThreadValue{*plain, context.shape}, context.lanes));
    if (!held) return std::unexpected(held.error());
    return Meaning(*held);
  }
  if (const auto shared = cute::to_shared(layout)) return Meaning(*shared);
  return Meaning(layout);
}

}  // namespace

std::expected<layout::LinearLayout, std::string> standard_distributed(
    const layout::LinearLayout& map) {
  const std::array<layout::AxisName, 5> names{"element", "register", "lane", "warp", "block"};
  for (const layout::Axis& axis : map.inputs())
    if (std::ranges::find(names, axis.name) == names.end())
      return std::unexpected("the input axis '" + std::string(axis.name.text()) +
                             "' is none of element, register, lane, warp, block");
  layout::LinearLayout::Bases bases{};
  layout::AxisList inputs;
  std::size_t next = 0;
  int registers = 0;
  for (const layout::AxisName& name : names) {
    const int index = map.inputs().find(name);
    const int bits = index < 0 ? 0 : map.inputs()[index].bits;
    for (int bit = 0; bit < bits; ++bit)
      bases[next++] = map.basis(map.inputs().offset(index) + bit);
    if (name == names[0])
      registers = bits;
    else
      inputs.push_back({name, name == names[1] ? registers + bits : bits});
  }
  layout::AxisList outputs;
  for (int dim = 0; dim < map.outputs().size(); ++dim)
    outputs.push_back(
        {cute::detail::dim_name(static_cast<std::size_t>(dim)), map.outputs()[dim].bits});
  return layout::LinearLayout::from_words(inputs, outputs, bases).value();
}

namespace {

/// Writes the text of IREE. In this text subgroups are numbered by their strides, and subgroups
/// above the highest stride are not counted. So a map in which such subgroups hold copies has no
/// text.
std::expected<std::string, std::string> write_iree(const layout::LinearLayout& held) {
  const auto nested = iree::from_distributed(held);
  if (!nested) return std::unexpected(nested.error());
  const auto again =
      iree::to_distributed(*nested, static_cast<std::int64_t>(held.input_size("lane")));
  const std::uint64_t said = again ? again->input_size("warp") : 0;
  if (said != held.input_size("warp"))
    return std::unexpected(
        formatted("from warp {} on warps hold copies, and IREE's layout does not say how many "
                  "subgroups there are",
                  said));
  return iree::text(*nested);
}

std::expected<std::string, std::string> write_distributed(const layout::LinearLayout& map,
                                                          Dialect dialect) {
  if (dialect == Dialect::native) return write_native(map);
  const auto standard = standard_distributed(map);
  if (!standard) return std::unexpected(standard.error());
  if (dialect == Dialect::triton) return triton::write(*standard);
  if (dialect == Dialect::gluon) return triton::write_gluon(*standard);
  if (standard->input_size("block") != 1)
    return std::unexpected("it is spread over several blocks; " + std::string(row(dialect).name) +
                           " ends with warps");
  const layout::LinearLayout held = layout::sublayout(*standard, {"register", "lane", "warp"},
                                                      layout::names_of(standard->outputs()))
                                        .value();
  const auto text_of = [](const auto& result) -> std::expected<std::string, std::string> {
    if (!result) return std::unexpected(result.error());
    return text(*result);
  };
  if (dialect == Dialect::iree) return write_iree(held);
  if (dialect == Dialect::tilelang) return text_of(tilelang::from_distributed(held));
  if (dialect == Dialect::ck_tile) return text_of(ck_tile::from_distributed(held));
  const auto tv = cute::from_distributed(held);
  if (!tv) return std::unexpected(tv.error());
  return cute::text(tv->layout);  // the text lacks the map's tile: ReadingContext::shape has it
}

std::expected<std::string, std::string> write_shared(const memory::SharedLayout& shared,
                                                     Dialect dialect) {
  if (dialect == Dialect::native) return write_native(shared);
  if (dialect == Dialect::triton) return triton::write(shared);
  if (dialect == Dialect::gluon) return triton::write_gluon(shared);
  if (dialect == Dialect::cute) {
    const auto layout = cute::from_shared(shared);
    if (!layout) return std::unexpected(layout.error());
    return cute::text(*layout);
  }
  return std::unexpected("it lies in shared memory; " + std::string(row(dialect).name) +
                         " says who holds elements in registers");
}

}  // namespace
}  // namespace detail

std::expected<AnyLayout, TextError> read_layout(std::string_view text,
                                                const ReadingContext& context) {
  AnyLayout any{dialect_of(text), {}};
  const auto take = [&](auto&& result) -> std::expected<AnyLayout, TextError> {
    if (!result) return std::unexpected(result.error());
    any.meaning = *result;
    return any;
  };
  const auto take_variant = [&](auto&& result) -> std::expected<AnyLayout, TextError> {
    if (!result) return std::unexpected(result.error());
    std::visit([&](const auto& one) { any.meaning = one; }, *result);
    return any;
  };
  switch (any.dialect) {
    case Dialect::gluon:
    case Dialect::triton: {
      std::optional<triton::Numbers> shape;
      if (!context.shape.empty()) shape = context.shape;
      const auto read = triton::read(text, shape);
      if (!read) return std::unexpected(read.error());
      any.element_bits = read->element_bits;
      std::visit([&](const auto& one) { any.meaning = one; }, read->map);
      return any;
    }
    case Dialect::cute: {
      const auto read = cute::read_text(text);
      if (!read) return std::unexpected(read.error());
      any.element_bits = read->element_bits;
      ReadingContext with_tile = context;
      if (with_tile.shape.empty()) with_tile.shape = read->tile;
      return take(detail::cute_meaning(read->layout, with_tile));
    }
    case Dialect::iree: {
      const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
      const std::string_view of_virtual = iree::virtual_operand(trimmed(text.substr(begin)));
      const auto read = iree::read(of_virtual.empty() ? text : of_virtual);
      if (!read) return std::unexpected(read.error());
      auto map = iree::to_distributed(*read, context.lanes);
      // A layout that needs more than 32 threads is read with 64, the wave of CDNA.
      if (!map && context.lanes < 64)
        if (auto of_64 = iree::to_distributed(*read, 64)) map = std::move(of_64);
      return take(detail::at_start(std::move(map)));
    }
    case Dialect::tilelang: {
      const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
      if (const auto map = tilelang::map_of_function(trimmed(text.substr(begin))); !map.empty())
        return take_variant(read_native(map));
      const auto read = tilelang::read(text);
      if (!read) return std::unexpected(read.error());
      return take(detail::at_start(tilelang::to_distributed(*read, context.lanes)));
    }
    case Dialect::ck_tile: {
      const auto read = ck_tile::read(text);
      if (!read) return std::unexpected(read.error());
      return take(detail::at_start(ck_tile::to_distributed(*read)));
    }
    case Dialect::native:
      break;
  }
  return take_variant(read_native(text));
}

std::expected<std::string, std::string> write_layout(const Meaning& meaning, Dialect dialect) {
  if (const auto* held = std::get_if<layout::LinearLayout>(&meaning))
    return detail::write_distributed(*held, dialect);
  if (const auto* shared = std::get_if<memory::SharedLayout>(&meaning))
    return detail::write_shared(*shared, dialect);
  const auto& layout = std::get<cute::AnyLayout>(meaning);
  if (dialect == Dialect::cute) return cute::text(layout);
  const auto map = cute::to_linear(layout);
  if (!map) return std::unexpected(map.error());
  if (dialect == Dialect::native) return write_native(*map);
  return std::unexpected("as a map from coordinates it does not fill its offsets once each: " +
                         cute::to_shared(layout).error());
}

}  // namespace heddle::interop
