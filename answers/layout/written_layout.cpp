#include "answers/layout/written_layout.h"

#include <array>
#include <bit>
#include <vector>

#include "answers/layout/pasted_text.h"
#include "heddle/interop/cute/shared.h"
#include "heddle/interop/index_expression.h"
#include "heddle/interop/text_scanner.h"
#include "heddle/layout/solve.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using interop::TextScanner;
using Numbers = std::vector<std::int64_t>;
using Read = std::expected<LayoutArgument, std::string>;

constexpr std::int64_t most_size = std::int64_t{1} << 30;
constexpr std::int64_t most_elements = std::int64_t{1} << 20;

std::unexpected<std::string> refused(std::string_view option, std::string_view reason) {
  return std::unexpected(formatted("{}: {}", option, reason));
}

std::unexpected<std::string> failed(std::string_view option, const TextScanner& in) {
  return refused(option, formatted("column {}: {}", in.error()->column, in.error()->message));
}

/// "[72, 1]".
Numbers read_list(TextScanner& in, std::string_view what, std::int64_t least) {
  Numbers numbers;
  in.expect("[", std::string(" before ") + std::string(what));
  do {
    if (!numbers.empty() && in.next_is("]")) break;
    numbers.push_back(in.number(std::string(what), least, most_size));
  } while (!in.failed() && in.take(",") && numbers.size() < layout::max_axes);
  in.expect("]", std::string(" behind ") + std::string(what));
  return numbers;
}

Numbers row_major_strides(const Numbers& shape) {
  Numbers strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Reads a type such as memref<64x64xf16, strided<[72, 1], offset: 0>, 3>. Source: MLIR's builtin
/// dialect, "MemRefType".
Read read_memref(std::string_view option, const std::string& text) {
  TextScanner in(text);
  in.take("memref<");
  Numbers shape;
  std::string type;
  while (!in.failed() && type.empty()) {
    if (in.next_is("?"))
      return refused(option, "a memref with a dynamic size; write its sizes as numbers");
    const std::size_t begin = in.place();
    const std::string_view word = in.rest();
    if (word.empty() || word[0] < '0' || word[0] > '9') {
      type = in.word();
      break;
    }
    shape.push_back(in.number("a size", 1, most_size));
    if (!in.take("x")) in.fail_at(begin, "expected a size, x and the type, as 64x64xf16");
  }
  const auto bits = read_element_bits(type);
  if (!in.failed() && !bits) return refused(option, bits.error());
  Numbers strides = row_major_strides(shape);
  while (!in.failed() && in.take(",")) {
    if (in.take("strided<")) {
      strides = read_list(in, "a stride", 0);
      if (in.take(",")) {
        in.expect("offset", " and a colon");
        in.expect(":", " behind offset");
        if (in.take("?") || in.number("an offset", 0, most_size) != 0)
          return refused(option,
                         "where a memref begins is no part of its layout; leave the offset "
                         "out");
      }
      in.expect(">", " behind the strides");
      if (strides.size() != shape.size()) in.fail("expected as many strides as sizes");
    } else if (in.next_is("affine_map")) {
      return refused(option, "a memref with an affine_map; write strided<[…]> with its strides");
    } else {
      while (!in.failed() && !in.next_is(">") && !in.next_is(","))
        if (in.word().empty()) in.take(in.rest().substr(0, 1));  // the memory space
    }
  }
  in.expect(">", " behind the memref");
  if (in.failed()) return failed(option, in);
  std::vector<interop::cute::Layout> modes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    modes.push_back(interop::cute::Mode{shape[i], shape[i] == 1 ? 0 : strides[i]});
  const interop::cute::AnyLayout layout = interop::cute::make_layout(std::move(modes));
  LayoutArgument argument{text, "MLIR's memref", layout, *bits, type, interop::Dialect::cute};
  if (auto shared = interop::cute::to_shared(layout)) {
    argument.meaning = *std::move(shared);
    argument.dialect.reset();
  }
  return argument;
}

/// The layout in memory of a tile of the given shape: the element with flat index i (the last
/// dimension changes fastest) lies at place(i). Error: the layout is no linear map over the bits of
/// the index.
template <class Place>
std::expected<memory::SharedLayout, std::string> placed(const Numbers& shape, const Place& place) {
  layout::AxisList dims;
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(shape[i])))
      return std::unexpected(formatted("the size {} is no power of two", shape[i]));
    dims.push_back({interop::cute::detail::dim_name(i),
                    std::countr_zero(static_cast<std::uint64_t>(shape[i]))});
    elements *= shape[i];
    if (elements > most_elements) return std::unexpected("it has more than 2^20 elements");
  }
  // A flat index has the last dimension in its lowest bits; a coordinate of the map, as one word,
  // has the first dimension in its lowest bits.
  const auto word_of = [&](std::uint64_t index) {
    std::uint64_t word = 0;
    for (int dim = dims.size() - 1; dim >= 0; --dim) {
      word |= (index & (dims[dim].size() - 1)) << dims.offset(dim);
      index >>= dims[dim].bits;
    }
    return word;
  };
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < dims.bits(); ++bit) {
    const std::uint64_t word = word_of(std::uint64_t{1} << bit);
    const std::optional<std::int64_t> at = place(std::int64_t{1} << bit);
    if (!at || *at < 0 || *at >= elements)
      return std::unexpected("an element lies outside of the tile's own memory");
    bases[static_cast<std::size_t>(std::countr_zero(word))] = static_cast<std::uint64_t>(*at);
  }
  const auto to_offset =
      layout::LinearLayout::from_words(dims, {{"offset", dims.bits()}}, bases).value();
  for (std::int64_t index = 0; index < elements; ++index)
    if (place(index) !=
        static_cast<std::int64_t>(to_offset.apply(word_of(static_cast<std::uint64_t>(index)))))
      return std::unexpected("it is no map over bits: places are no xor of those of single steps");
  const auto map = layout::invert(to_offset);
  if (!map) return std::unexpected("two elements lie at one place");
  return memory::SharedLayout{*map, {}};
}

/// Reads a layout of TileLang's such as T.Layout([16, 16], lambda i, j: i * 16 + (j ^ (i % 8))).
/// Instead of one number the lambda may return a list of coordinates. Source: tile-ai/tilelang,
/// tilelang/layout/layout.py.
Read read_tilelang_layout(std::string_view option, const std::string& text) {
  TextScanner in(text);
  for (const std::string_view module : {"tilelang.", "layout.", "T."}) in.take(module);
  in.take("Layout(");
  const Numbers shape = read_list(in, "a size", 1);
  in.expect(",", " and a lambda");
  in.expect("lambda", " and its variables");
  std::vector<std::string> variables;
  do variables.emplace_back(in.word());
  while (!in.failed() && in.take(","));
  in.expect(":", " behind the variables");
  if (!in.failed() && variables.size() != shape.size())
    in.fail("expected a variable for each size");
  std::string_view end;
  if (in.take("[")) end = "]";
  std::vector<interop::IndexExpression> outputs;
  do {
    if (in.failed()) break;
    outputs.push_back(interop::IndexExpression::read(in, variables));
  } while (!end.empty() && in.take(",") && !in.next_is(end));
  if (!end.empty()) in.expect(end, " behind the coordinates");
  in.expect(")", " behind the layout");
  if (!in.failed() && outputs.size() > 1 && outputs.size() != shape.size())
    in.fail("expected one place, or as many coordinates as sizes");
  if (in.failed()) return failed(option, in);
  const Numbers strides = row_major_strides(shape);
  const auto shared = placed(shape, [&](std::int64_t index) -> std::optional<std::int64_t> {
    Numbers at(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) at[i] = index / strides[i] % shape[i];
    std::int64_t place = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto value = outputs[i].evaluate(at);
      if (!value) return std::nullopt;
      place += outputs.size() == 1 ? *value : *value * strides[i];
    }
    return place;
  });
  if (!shared) return refused(option, "T.Layout: " + shared.error());
  return LayoutArgument{text, "TileLang's layout of a buffer", *shared, 0, "", {}};
}

/// #iree_codegen.xor_shuffle<row, access>. Source: iree-org/iree, IREECodegenAttrs.td (XORShuffle).
Read read_xor_shuffle(std::string_view option, const std::string& text,
                      const LayoutContext& context) {
  TextScanner in(text);
  in.take("#iree_codegen.xor_shuffle<");
  const std::int64_t row = in.number("the elements of a row", 1, most_size);
  in.expect(",", " and the elements of an access");
  const std::int64_t access = in.number("the elements of an access", 1, most_size);
  if (in.next_is(","))
    return refused(option,
                   "xor_shuffle with a row stride or a phase is not read; "
                   "xor_shuffle<128, 16> is");
  in.expect(">", " behind the sizes");
  if (in.failed()) return failed(option, in);
  if (row % access != 0 || !std::has_single_bit(static_cast<std::uint64_t>(row / access)))
    return refused(option, "xor_shuffle: a row has a power of two of accesses");
  if (context.shape.empty())
    return refused(option,
                   "xor_shuffle permutes the places of a tile; give its sizes, as --shape "
                   "64x64");
  const std::int64_t groups = row / access;
  const auto shared = placed(context.shape, [&](std::int64_t index) -> std::optional<std::int64_t> {
    const std::int64_t group = index % row / access;
    return index / row * row + (group ^ index / row % groups) * access + index % access;
  });
  if (!shared) return refused(option, "xor_shuffle: " + shared.error());
  return LayoutArgument{text, "IREE's shuffle of shared memory", *shared, 0, "", {}};
}

/// The beginning of a text that people write but that does not say enough to be read, and what to
/// write instead.
struct Hint {
  std::string_view begins;
  std::string_view instead;
};
constexpr auto hints = std::to_array<Hint>({
    {"TiledMMA<",
     "a type of CuTe's does not say what its atom's traits are; print(tiled_mma) does, "
     "and what it prints (TiledMMA ThrLayoutVMNK: …) is read"},
    {"make_tiled_mma(",
     "a call of CuTe's does not say what its atom's traits are; print(tiled_mma) "
     "does, and what it prints (TiledMMA ThrLayoutVMNK: …) is read"},
    {"#iree_gpu.data_tiled_mma_layout<",
     "it names operands of an intrinsic, unrolled and spread over subgroups; an operand itself is "
     "read, as MFMA_F32_16x16x16_F16.A with --shape 64x16 --warps 4"},
    {"make_swizzled_layout(",
     "it depends on the type and the sizes of the buffer, which it does "
     "not say; write T.Layout([64, 64], lambda i, j: [i, j ^ i % 8 * 8])"},
    {"make_full_bank_swizzled_layout(",
     "it depends on the type and the sizes of the buffer, which it does not say; write "
     "T.Layout([64, 64], lambda i, j: [i, j ^ i % 8 * 8])"},
});

/// "(16,32):(32,1)" for "16x32"; empty for other texts.
std::string rows_of_sizes(std::string_view text) {
  std::vector<std::int64_t> sizes(1);
  for (const char c : text) {
    if (c == 'x' && sizes.back() > 0)
      sizes.push_back(0);
    else if (c >= '0' && c <= '9' && sizes.back() < most_size)
      sizes.back() = 10 * sizes.back() + (c - '0');
    else
      return "";
  }
  if (sizes.size() < 2 || sizes.size() > 8 || sizes.back() == 0) return "";
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t i = sizes.size() - 1; i-- > 0;) {
    if (sizes[i + 1] > most_size / strides[i + 1]) return "";
    strides[i] = strides[i + 1] * sizes[i + 1];
  }
  return formatted("({}):({})", joined(sizes, ","), joined(strides, ","));
}

}  // namespace

std::optional<Read> read_written_layout(std::string_view option, const std::string& text,
                                        const LayoutContext& context) {
  const std::string_view own = trimmed(text);
  if (own.starts_with("memref<")) return read_memref(option, std::string(own));
  if (const std::string rows = rows_of_sizes(own); !rows.empty())
    return refused(option, formatted("'{}' are sizes, and no layout; a tile of these whose rows "
                                     "lie one after the other is {}",
                                     own, rows));
  if (own.contains("lambda") && (own.starts_with("T.Layout(") || own.starts_with("Layout(") ||
                                 own.starts_with("tilelang.layout.Layout(")))
    return read_tilelang_layout(option, std::string(own));
  if (own.starts_with("#iree_codegen.xor_shuffle<"))
    return read_xor_shuffle(option, std::string(own), context);
  std::string_view name = own;
  for (const std::string_view module : {"tilelang.", "layout.", "T.", "cute::", "cute."})
    if (name.starts_with(module)) name.remove_prefix(module.size());
  for (const Hint& hint : hints)
    if (name.starts_with(hint.begins)) return refused(option, hint.instead);
  return std::nullopt;
}

}  // namespace heddle::answers
