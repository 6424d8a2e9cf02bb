// Layouts for Python: read, written, taken apart, and the algebra of heddle/layout. A layout
// crosses as its text: Heddle's own, or CuTe's of a function that has no map over bits.
#include <algorithm>
#include <array>
#include <cstring>

#include "answers/layout/layout_code.h"
#include "heddle/interop/any_layout.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/solve.h"
#include "library/text/formatted.h"
#include "python/core/values.h"

namespace heddle::python {

std::string text_of(const interop::Meaning& meaning) {
  if (const auto* map = std::get_if<layout::LinearLayout>(&meaning))
    return interop::write_native(*map);
  if (const auto* shared = std::get_if<memory::SharedLayout>(&meaning))
    return interop::write_native(*shared);
  return interop::cute::text(std::get<interop::cute::AnyLayout>(meaning));
}

namespace {

using interop::Meaning;
using layout::AxisList;
using layout::AxisName;
using layout::LinearLayout;
using layout::NameList;

/// Reads what text_of wrote, or what a user calls Heddle's own text.
Answer<Meaning> meaning_of(const std::string& text) {
  const auto read = interop::read_layout(text);
  if (read) return read->meaning;
  return std::unexpected(formatted("column {}: {}", read.error().column, read.error().message));
}

Answer<LinearLayout> map_of(const std::string& text) {
  if (const auto map = layout::parse(text)) return *map;
  const auto meaning = meaning_of(text);
  if (!meaning) return std::unexpected(meaning.error());
  if (const auto* map = std::get_if<LinearLayout>(&*meaning)) return *map;
  if (const auto* shared = std::get_if<memory::SharedLayout>(&*meaning)) {
    if (shared->padding.empty()) return shared->map;
    return std::unexpected(
        "a padded layout is not linear over F2; take its `.without_padding` for the algebra");
  }
  return interop::cute::to_linear(std::get<interop::cute::AnyLayout>(*meaning));
}

Answer<std::string> written(const layout::Expected<LinearLayout>& result) {
  if (result) return interop::write_native(*result);
  return std::unexpected(std::string(result.error().message().view()));
}

Answer<AxisName> axis_name(const std::string& text) {
  if (AxisName::is_valid(text)) return AxisName(text);
  return std::unexpected("'" + text +
                         "' is no name of an axis: 1 to 15 letters, digits and underscores, no "
                         "digit first");
}

/// Heddle's own text as Heddle writes it.
Answer<std::string> canonical(const std::string& text) { return written(layout::parse(text)); }

Answer<std::string> write_layout(const std::string& text, const std::string& dialect) {
  if (const interop::DialectRow* row = interop::find_dialect(dialect)) {
    const auto meaning = meaning_of(text);
    if (!meaning) return std::unexpected(meaning.error());
    return interop::write_layout(*meaning, row->dialect);
  }
  std::string known;
  for (const interop::DialectRow& row : interop::dialect_rows)
    known += (known.empty() ? "" : ", ") + std::string(row.key);
  known += "; and code:";
  for (const std::string_view language : answers::code_languages)
    known += " " + std::string(language);
  return std::unexpected("no dialect '" + dialect + "'; there are " + known);
}

using NamedBases = std::tuple<std::string, std::vector<std::vector<std::uint64_t>>>;
using NamedBits = std::tuple<std::string, int>;
using NumberPair = std::tuple<std::uint64_t, std::uint64_t>;
using Parts = std::tuple<std::string, std::vector<NamedBases>, std::vector<NamedBits>,
                         std::vector<NumberPair>>;

Parts parts_of(std::string_view kind, const LinearLayout& map,
               const memory::PaddingList& padding = {}) {
  Parts parts;
  auto& [kind_name, inputs, outputs, pads] = parts;
  kind_name = kind;
  int bit = 0;
  for (const layout::Axis& axis : map.inputs()) {
    std::vector<std::vector<std::uint64_t>> bases;
    for (const int end = bit + axis.bits; bit < end; ++bit) {
      auto& basis = bases.emplace_back();
      for (int out = 0; out < map.outputs().size(); ++out)
        basis.push_back(map.outputs().coordinate(map.basis(bit), out));
    }
    inputs.emplace_back(std::string(axis.name.text()), std::move(bases));
  }
  for (const layout::Axis& axis : map.outputs())
    outputs.emplace_back(std::string(axis.name.text()), axis.bits);
  for (const memory::Padding& pad : padding) pads.emplace_back(pad.interval, pad.amount);
  return parts;
}

/// The kind, the inputs with their bases, the outputs with their bits, and the padding. A function
/// of CuTe's that is linear has the map from coordinates to offsets.
Answer<Parts> layout_parts(const std::string& text) {
  const auto meaning = meaning_of(text);
  if (const auto map = layout::parse(text); map && !meaning) return parts_of("linear", *map);
  if (!meaning) return std::unexpected(meaning.error());
  if (const auto* map = std::get_if<LinearLayout>(&*meaning)) return parts_of("linear", *map);
  if (const auto* shared = std::get_if<memory::SharedLayout>(&*meaning))
    return parts_of("shared", shared->map, shared->padding);
  const auto map = interop::cute::to_linear(std::get<interop::cute::AnyLayout>(*meaning));
  return map ? parts_of("function", *map) : Parts{"function", {}, {}, {}};
}

/// The sizes of the modes of a function of CuTe's, and the offset at each coordinate as 64-bit
/// numbers, the first mode slowest, as numpy counts.
Answer<std::tuple<std::vector<std::int64_t>, Bytes>> function_table(const std::string& text) {
  namespace cute = interop::cute;
  const auto meaning = meaning_of(text);
  if (!meaning) return std::unexpected(meaning.error());
  const auto* any = std::get_if<cute::AnyLayout>(&*meaning);
  if (any == nullptr) return std::unexpected("this is a map over bits: take its indices()");
  const auto* composed = std::get_if<cute::ComposedLayout>(any);
  const cute::Layout& layout =
      composed != nullptr ? composed->layout : std::get<cute::Layout>(*any);
  constexpr cute::Number most = 1 << 24;
  const cute::Number count = cute::size(layout);
  if (count > most)
    return std::unexpected(
        formatted("the layout has {} coordinates; a table may have {}", count, most));
  std::vector<std::int64_t> sizes;
  for (std::size_t mode = 0; mode < layout.rank(); ++mode)
    sizes.push_back(cute::size(layout[mode]));
  std::string bytes(static_cast<std::size_t>(count) * sizeof(std::int64_t), '\0');
  std::vector<std::int64_t> at(sizes.size(), 0);
  for (cute::Number i = 0; i < count; ++i) {
    cute::Number flat = 0;
    for (std::size_t mode = sizes.size(); mode-- > 0;) flat = flat * sizes[mode] + at[mode];
    const std::int64_t offset = cute::evaluate(*any, flat);
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof offset, &offset, sizeof offset);
    for (std::size_t mode = sizes.size(); mode-- > 0;) {
      if (++at[mode] < sizes[mode]) break;
      at[mode] = 0;
    }
  }
  return std::tuple(std::move(sizes), Bytes{std::move(bytes)});
}

/// The rank, the contiguity, and for each input axis the mask of the bits that make copies.
using Facts = std::tuple<int, std::uint64_t, std::vector<std::tuple<std::string, std::uint64_t>>>;
Answer<Facts> layout_facts(const std::string& text) {
  const auto map = map_of(text);
  if (!map) return std::unexpected(map.error());
  Facts facts{layout::rank(*map), layout::contiguity(*map), {}};
  for (const layout::Coordinate& mask : layout::free_variable_masks(*map))
    std::get<2>(facts).emplace_back(std::string(mask.axis.text()), mask.value);
  return facts;
}

template <class T>
struct NamedOperation {
  std::string_view name;
  T operation;
};

using Unary = layout::Expected<LinearLayout> (*)(const LinearLayout&);
constexpr std::array<NamedOperation<Unary>, 5> unary_operations{{
    {"invert", [](const LinearLayout& a) { return layout::invert(a); }},
    {"pseudo_inverse",
     [](const LinearLayout& a) {
       return layout::Expected<LinearLayout>(layout::pseudo_inverse(a));
     }},
    {"kernel",
     [](const LinearLayout& a) { return layout::Expected<LinearLayout>(layout::kernel(a)); }},
    {"image",
     [](const LinearLayout& a) { return layout::Expected<LinearLayout>(layout::image(a)); }},
    {"complement",
     [](const LinearLayout& a) { return layout::Expected<LinearLayout>(layout::complement(a)); }},
}};

using Binary = layout::Expected<LinearLayout> (*)(const LinearLayout&, const LinearLayout&);
constexpr std::array<NamedOperation<Binary>, 6> binary_operations{{
    {"compose", layout::compose},
    {"product", layout::product},
    {"divide_left", layout::divide_left},
    {"invert_and_compose", layout::invert_and_compose},
    {"concatenate_inputs", layout::concatenate_inputs},
    {"concatenate_outputs", layout::concatenate_outputs},
}};

Answer<std::string> unary(const std::string& name, const std::string& text) {
  const auto map = map_of(text);
  if (!map) return std::unexpected(map.error());
  const auto* found = std::ranges::find(unary_operations, name, &NamedOperation<Unary>::name);
  if (found == unary_operations.end()) return std::unexpected("no operation '" + name + "'");
  return written(found->operation(*map));
}

Answer<std::string> binary(const std::string& name, const std::string& first,
                           const std::string& second) {
  const auto a = map_of(first);
  if (!a) return std::unexpected(a.error());
  const auto b = map_of(second);
  if (!b) return std::unexpected(b.error());
  const auto* found = std::ranges::find(binary_operations, name, &NamedOperation<Binary>::name);
  if (found == binary_operations.end()) return std::unexpected("no operation '" + name + "'");
  return written(found->operation(*a, *b));
}

Answer<std::string> rename(const std::string& text, bool of_input, const std::string& from,
                           const std::string& to) {
  const auto map = map_of(text);
  if (!map) return std::unexpected(map.error());
  const auto old_name = axis_name(from);
  if (!old_name) return std::unexpected(old_name.error());
  const auto new_name = axis_name(to);
  if (!new_name) return std::unexpected(new_name.error());
  return written(of_input ? layout::rename_input(*map, *old_name, *new_name)
                          : layout::rename_output(*map, *old_name, *new_name));
}

Answer<NameList> name_list(const std::vector<std::string>& texts) {
  NameList names;
  for (const std::string& text : texts) {
    const auto name = axis_name(text);
    if (!name) return std::unexpected(name.error());
    names.push_back(*name);
  }
  return names;
}

Answer<std::string> sublayout(const std::string& text, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs) {
  const auto map = map_of(text);
  if (!map) return std::unexpected(map.error());
  const auto of_inputs = name_list(inputs);
  if (!of_inputs) return std::unexpected(of_inputs.error());
  const auto of_outputs = name_list(outputs);
  if (!of_outputs) return std::unexpected(of_outputs.error());
  return written(layout::sublayout(*map, *of_inputs, *of_outputs));
}

Answer<std::string> reshape(const std::string& text, bool of_inputs,
                            const std::vector<std::string>& names, const std::vector<int>& bits) {
  const auto map = map_of(text);
  if (!map) return std::unexpected(map.error());
  const auto list = name_list(names);
  if (!list) return std::unexpected(list.error());
  if (names.size() != bits.size() || list->is_overfull())
    return std::unexpected("a layout has at most 8 axes on a side, each with its bits");
  AxisList axes;
  for (std::size_t i = 0; i < bits.size(); ++i)
    axes.push_back({(*list)[static_cast<int>(i)], bits[i]});
  return written(of_inputs ? layout::reshape_inputs(*map, axes)
                           : layout::reshape_outputs(*map, axes));
}

Answer<std::string> resize_output(const std::string& text, const std::string& name, int bits) {
  const auto map = map_of(text);
  if (!map) return std::unexpected(map.error());
  const auto axis = axis_name(name);
  if (!axis) return std::unexpected(axis.error());
  if (bits < 0 || bits > layout::max_bits)
    return std::unexpected(formatted("an axis has 0 to 64 bits, not {}", bits));
  return written(layout::resize_output(*map, *axis, bits));
}

}  // namespace

std::vector<PyMethodDef> layout_functions() {
  return {
      {"canonical", Call<canonical>::call, METH_VARARGS, nullptr},
      {"write_layout", Call<write_layout>::call, METH_VARARGS, nullptr},
      {"layout_parts", Call<layout_parts>::call, METH_VARARGS, nullptr},
      {"layout_facts", Call<layout_facts>::call, METH_VARARGS, nullptr},
      {"function_table", Call<function_table>::call, METH_VARARGS, nullptr},
      {"unary", Call<unary>::call, METH_VARARGS, nullptr},
      {"binary", Call<binary>::call, METH_VARARGS, nullptr},
      {"rename", Call<rename>::call, METH_VARARGS, nullptr},
      {"sublayout", Call<sublayout>::call, METH_VARARGS, nullptr},
      {"reshape", Call<reshape>::call, METH_VARARGS, nullptr},
      {"resize_output", Call<resize_output>::call, METH_VARARGS, nullptr},
  };
}

}  // namespace heddle::python
