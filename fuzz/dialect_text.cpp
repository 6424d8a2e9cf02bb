// Any text is either read as a layout of CuTe, IREE, TileLang or Composable Kernel, which then
// prints and reads back as itself and is mapped or refused with a sentence, or it is refused at a
// column inside the text. A map that comes from a dialect goes back into it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "heddle/interop/ck_tile_text.h"
#include "heddle/interop/cute/thread_value.h"
#include "heddle/interop/cute/tiling.h"
#include "heddle/interop/iree_text.h"
#include "heddle/interop/tilelang_fragment.h"

namespace {

using namespace heddle::interop;
using heddle::layout::LinearLayout;

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Whether the text was read, and what holds of the result in any dialect.
template <class Layout>
bool is_read(const std::expected<Layout, TextError>& layout, std::size_t size) {
  if (layout) return true;
  require(layout.error().column >= 1 && layout.error().column <= size + 1,
          "the column of an error lies inside the text");
  require(!layout.error().message.empty(), "an error has a sentence");
  return false;
}

template <class T>
bool has_answer(const std::expected<T, std::string>& answer) {
  require(answer.has_value() || !answer.error().empty(), "a refusal has a sentence");
  return answer.has_value();
}

bool same_words(const LinearLayout& a, const LinearLayout& b) {
  bool same = a.input_bits() == b.input_bits();
  for (int bit = 0; same && bit < a.input_bits(); ++bit) same = a.basis(bit) == b.basis(bit);
  return same;
}

/// A few coordinates of a layout, the first and the last among them.
std::vector<cute::Number> samples(cute::Number size) {
  std::vector<cute::Number> all{0, size - 1, size / 2, size / 3};
  for (cute::Number i = 1; i < size && i < 40; ++i) all.push_back(i);
  return all;
}

void check_algebra(const cute::Layout& layout) {
  const cute::Layout coalesced = cute::coalesce(layout);
  for (const cute::Number i : samples(cute::size(layout)))
    require(cute::evaluate(coalesced, i) == cute::evaluate(layout, i),
            "coalesce keeps the function");
  const cute::Layout right = cute::right_inverse(layout);
  for (const cute::Number i : samples(cute::size(right)))
    require(cute::evaluate(layout, cute::evaluate(right, i)) == i, "right_inverse leads back");
  if (const auto left = cute::left_inverse(layout); has_answer(left))
    for (const cute::Number i : samples(cute::size(layout)))
      require(cute::evaluate(layout, cute::evaluate(*left, cute::evaluate(layout, i))) ==
                  cute::evaluate(layout, i),
              "left_inverse leads back");
  // The layout's own first mode as what it is composed with, divided by and repeated over.
  const cute::Layout part = layout[0];
  if (const auto composed = cute::composition(layout, part); has_answer(composed))
    for (const cute::Number i : samples(cute::size(part)))
      require(cute::evaluate(*composed, i) == cute::evaluate(layout, cute::evaluate(part, i)),
              "composition is pointwise");
  has_answer(cute::complement(layout));
  has_answer(cute::flat_divide(layout, cute::tiler(part)));
  has_answer(cute::tiled_product(layout, cute::tiler(part)));
  has_answer(cute::raked_product(layout, part));
}

void check_cute(std::string_view text) {
  const auto layout = cute::read(text);
  if (!is_read(layout, text.size())) return;
  require(cute::read(cute::text(*layout)) == layout, "the text of CuTe reads back");
  if (const auto map = cute::to_linear(*layout); has_answer(map)) {
    for (const cute::Number i : samples(cute::size(*layout)))
      require(map->apply(static_cast<std::uint64_t>(i)) ==
                  static_cast<std::uint64_t>(cute::evaluate(*layout, i)),
              "to_linear is the layout");
    const auto back = cute::from_linear(*map);
    require(has_answer(back) && cute::to_linear(*back) == map, "from_linear undoes to_linear");
  }
  if (const auto* plain = std::get_if<cute::Layout>(&*layout)) check_algebra(*plain);
}

void check_iree(std::string_view text) {
  const auto layout = iree::read(text);
  if (!is_read(layout, text.size())) return;
  require(iree::read(iree::text(*layout)) == layout, "the text of IREE reads back");
  const auto map = iree::to_distributed(*layout);
  if (!has_answer(map)) return;
  const auto back = iree::from_distributed(*map);
  require(has_answer(back) && same_words(*iree::to_distributed(*back), *map),
          "IREE's from_distributed undoes to_distributed");
}

void check_tilelang(std::string_view text) {
  const auto fragment = tilelang::read(text);
  if (!is_read(fragment, text.size())) return;
  require(tilelang::read(tilelang::text(*fragment)) == fragment, "TileLang's text reads back");
  const auto map = tilelang::to_distributed(*fragment);
  if (!has_answer(map)) return;
  const auto back = tilelang::from_distributed(*map);
  require(has_answer(back) && same_words(*tilelang::to_distributed(*back), *map),
          "TileLang's from_distributed undoes to_distributed");
}

void check_ck_tile(std::string_view text) {
  const auto encoding = ck_tile::read(text);
  if (!is_read(encoding, text.size())) return;
  require(ck_tile::read(ck_tile::text(*encoding)) == encoding, "ck_tile's text reads back");
  const auto map = ck_tile::to_distributed(*encoding);
  if (!has_answer(map)) return;
  const auto back = ck_tile::from_distributed(*map);
  require(has_answer(back) && ck_tile::to_distributed(*back) == map,
          "ck_tile's from_distributed undoes to_distributed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_cute(text);
  check_iree(text);
  check_tilelang(text);
  check_ck_tile(text);
  return 0;
}
