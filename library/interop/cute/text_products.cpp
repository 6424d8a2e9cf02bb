#include "library/interop/cute/text_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/interop/cute/algebra.h"

namespace heddle::interop::cute {

void TextReader::read_tiled_copy(ReadText& result) {
  const std::size_t begin_of_copy = in_.place();
  if (!in_.take("TiledCopy")) in_.take("Tiled Copy");
  expect_label("Tiler_MN:", "Tiler MN:", " of the tiled copy");
  const std::string_view end = take_tuple();
  if (end.empty()) in_.expect("(", " and the sizes of the tile");
  std::vector<Layout> modes;
  do {
    if (!result.tile.empty() && in_.next_is(end)) break;
    const TextScanner before = in_;
    const std::size_t begin = in_.place();
    Layout mode = Mode{};
    Number length = 0;
    const bool is_nest = in_.next_is("(");
    if (!is_nest) length = read_number("a size of the tile", 1, Number{1} << 30);
    if (is_nest || in_.next_is(":")) {
      in_ = before;
      length = read_permutation(begin, mode);
    }
    result.tile.push_back(length);
    modes.push_back(mode.is_leaf() ? Layout(Mode{length, 1}) : mode);
    if (result.tile.size() > 8) in_.fail("expected at most 8 sizes");
  } while (in_.take(","));
  in_.expect(end, " behind the sizes of the tile");
  expect_label("TiledLayout_TV:", "TV Layout tiled:", " of the tiled copy");
  result.layout = read_layout();
  permute(result, begin_of_copy, modes);
  const std::string_view rest = in_.rest();
  const std::size_t bits = rest.find("ValueType:");
  if (bits != std::string_view::npos) {
    // The DSL prints "Value type:" and a type's name in place of the bits; such a name is not read.
    TextScanner type(rest.substr(bits + std::string_view("ValueType:").size()));
    result.element_bits = static_cast<int>(type.number("bits", 0, 4096));
    if (type.failed()) result.element_bits = 0;
  }
  is_rest_known_ = in_.next_is("Copy_Atom") || in_.next_is("Copy Atom");
}

void TextReader::permute(ReadText& result, std::size_t begin, const std::vector<Layout>& modes) {
  if (in_.failed() || std::ranges::all_of(modes, &Layout::is_leaf)) return;
  std::vector<Layout> tile;
  Number step = 1;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    tile.push_back(scaled(modes[i], step));
    if (step > most_number / result.tile[i]) return in_.fail_at(begin, "the tile is too large");
    step *= result.tile[i];
  }
  const auto* plain = std::get_if<Layout>(&result.layout);
  auto permuted = composition(make_layout(std::move(tile)), *plain);
  if (!permuted) return in_.fail_at(begin, std::move(permuted.error()));
  result.layout = *std::move(permuted);
}

void TextReader::expect_label(std::string_view label, std::string_view of_dsl,
                              const std::string& why) {
  if (!in_.take(of_dsl)) in_.expect(label, why);
}

void TextReader::read_tiled_mma(ReadText& result) {
  const std::size_t begin = in_.place();
  TiledMmaText mma;
  const bool is_tiled = in_.take("TiledMMA") || in_.take("Tiled MMA");
  if (is_tiled) {
    expect_label("ThrLayoutVMNK:", "Thr Layout VMNK:", " of the tiled product");
    mma.threads = read_layout();
    expect_label("PermutationMNK:", "Permutation MNK:", " of the tiled product");
    in_.expect("(", " and three sizes of the tile");
    for (std::size_t i = 0; i < 3; ++i) {
      mma.tile_mnk[i] = read_tile_of_product(mma.permutation_mnk[i]);
      in_.expect(i < 2 ? "," : ")", " behind a size of the tile");
    }
  }
  expect_label("MMA_Atom", "MMA Atom", " and what the atom is");
  in_.expect("ThrID:", " of the atom");
  const Layout threads = read_layout();
  if (!is_tiled) mma.threads = make_layout({threads, Mode{}, Mode{}, Mode{}});
  expect_label("Shape_MNK:", "Shape MNK:", " of the atom");
  in_.expect("(", " and three sizes");
  for (std::size_t i = 0; i < 3; ++i) {
    mma.shape_mnk[i] = read_number("a size of the atom", 1, Number{1} << 20);
    in_.expect(i < 2 ? "," : ")", " behind a size of the atom");
  }
  for (const auto& [name, of_dsl, layout] : {std::tuple{"LayoutA_TV:", "TV Layout A:", &mma.a},
                                             std::tuple{"LayoutB_TV:", "TV Layout B:", &mma.b},
                                             std::tuple{"LayoutC_TV:", "TV Layout C:", &mma.c}}) {
    expect_label(name, of_dsl, " of the atom");
    *layout = read_layout();
  }
  char operand = 'C';
  if (in_.take(".A")) operand = 'A';
  if (in_.take(".B")) operand = 'B';
  if (operand == 'C' && !in_.take(".C")) in_.take(".D");
  if (in_.failed()) return;
  auto tiled = tiled_operand(mma, operand);
  if (!tiled) return in_.fail_at(begin, std::move(tiled.error()));
  result = *std::move(tiled);
}

Number TextReader::read_tile_of_product(Layout& permutation) {
  permutation = Mode{};
  const TextScanner before = in_;
  if (in_.take("_") && (in_.next_is(",") || in_.next_is(")"))) return 0;
  in_ = before;
  const std::size_t begin = in_.place();
  if (in_.next_is("(")) return read_permutation(begin, permutation);
  const Number size = read_number("_ or a size of the tile", 1, Number{1} << 30);
  if (!in_.next_is(":")) return size;
  in_ = before;
  return read_permutation(begin, permutation);
}

Number TextReader::read_permutation(std::size_t begin, Layout& permutation) {
  permutation = read_layout();
  if (in_.failed()) return 1;
  const Number length = size(permutation);
  if (length > Number{1} << 30 || !is_compact(permutation))
    in_.fail_at(begin, "expected a layout that has each place of the tile's mode once");
  if (coalesce(permutation) == Layout(Mode{length, 1})) permutation = Mode{length, 1};
  return length;
}

}  // namespace heddle::interop::cute
