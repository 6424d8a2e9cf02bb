#include "heddle/interop/cute/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/interop/cute/algebra.h"
#include "library/text/formatted.h"

namespace heddle::interop::cute {

std::string text(const IntTuple& tuple) {
  if (tuple.is_leaf()) return formatted("{}", tuple.leaf());
  std::string result = "(";
  for (std::size_t i = 0; i < tuple.rank(); ++i) result += (i > 0 ? "," : "") + text(tuple[i]);
  return result + ")";
}

std::string text(const Layout& layout) { return text(shape(layout)) + ":" + text(stride(layout)); }

std::string text(const Swizzle& swizzle) {
  return formatted("Sw<{},{},{}>", swizzle.bits, swizzle.base, swizzle.shift);
}

std::string text(const ComposedLayout& composed) {
  return formatted("{} o {} o {}", text(composed.swizzle), composed.offset, text(composed.layout));
}

std::string text(const AnyLayout& any) {
  return std::visit([](const auto& layout) { return text(layout); }, any);
}

bool begins_with_pointer(std::string_view text) {
  constexpr std::array<std::string_view, 7> starts{"smem_",   "gmem_",   "rmem_", "tmem_[",
                                                   "sparse<", "subptr[", "ptr["};
  return std::ranges::any_of(starts, [&](auto start) { return text.starts_with(start); });
}

std::span<const std::string_view> names_of_layouts() {
  static constexpr std::array names = std::to_array<std::string_view>({"Layout<",
                                                                       "ComposedLayout<",
                                                                       "Swizzle<",
                                                                       "make_layout(",
                                                                       "Sw<",
                                                                       "S<",
                                                                       "composition(",
                                                                       "make_composed_layout(",
                                                                       "TiledCopy",
                                                                       "Tiled Copy",
                                                                       "TiledMMA",
                                                                       "Tiled MMA",
                                                                       "MMA_Atom",
                                                                       "MMA Atom",
                                                                       "!fly.layout",
                                                                       "!fly.composed_layout",
                                                                       "!fly.memref",
                                                                       "!cute.layout",
                                                                       "!cute.composed_layout",
                                                                       "!cute.memref",
                                                                       "tensor<ptr<",
                                                                       "raw_ptr(",
                                                                       "make_ordered_layout(",
                                                                       "GMMA::Layout_",
                                                                       "UMMA::Layout_",
                                                                       "comptime ",
                                                                       "alias ",
                                                                       "row_major",
                                                                       "col_major",
                                                                       "Layout((",
                                                                       "Layout(IntTuple",
                                                                       "Layout.row_major",
                                                                       "Layout.col_major",
                                                                       "TileTensor[",
                                                                       "LayoutTensor[",
                                                                       "stack_allocation[",
                                                                       "tt_stack_allocation[",
                                                                       "var "});
  return names;
}

bool begins_with_name(std::string_view text) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view before : {"cute::", "const ", "cute.", "fx.", "SM90::", "SM100::"})
      if (text.starts_with(before)) {
        text.remove_prefix(before.size());
        found = true;
      }
  }
  return std::ranges::any_of(names_of_layouts(),
                             [&](auto start) { return text.starts_with(start); });
}

std::expected<ReadText, std::string> tiled_operand(const TiledMmaText& text, char operand) {
  // The modes of the product for the operand's rows and columns; M, N and K are 0, 1, 2.
  const std::size_t along_rows = operand == 'B' ? 1 : 0, along_columns = operand == 'C' ? 1 : 2;
  const Layout& atom = operand == 'A' ? text.a : operand == 'B' ? text.b : text.c;
  if (atom.rank() != 2) return std::unexpected("the atom's layout is no (thread, value)");
  if (text.threads.rank() != 4) return std::unexpected("the threads are no (V,M,N,K)");
  std::array<Number, 3> times{};
  std::array<Number, 3> repeats{1, 1, 1};  // how often the atoms of all threads repeat in the tile
  for (std::size_t mode = 0; mode < 3; ++mode) {
    times[mode] = size(text.threads[mode + 1]);
    const Number tile = text.tile_mnk[mode], atoms = text.shape_mnk[mode];
    if (tile == 0) continue;
    if (tile % atoms != 0 || tile / atoms % times[mode] != 0)
      return std::unexpected(
          formatted("the tile is {} along {}, which is no multiple of {} atoms of {}", tile,
                    "MNK"[mode], times[mode], atoms));
    repeats[mode] = tile / atoms / times[mode];
  }
  const Number rows = text.shape_mnk[along_rows], columns = text.shape_mnk[along_columns];
  constexpr Number most_elements = Number{1} << 29;
  const auto is_too_long = [&](std::size_t mode, Number of_atom) {
    return times[mode] > most_elements / of_atom ||
           repeats[mode] > most_elements / of_atom / times[mode];
  };
  if (is_too_long(along_rows, rows) || is_too_long(along_columns, columns))
    return std::unexpected("a side of the tile has more than 2^29 elements");
  const Number all_rows = rows * times[along_rows] * repeats[along_rows];
  // Maps an index inside the atom to the index inside the tile.
  const Layout inside = from_modes({{rows, 1}, {columns, all_rows}});

  /// A leaf of the threads, and the layout of the indices that steps along the leaf give.
  struct Step {
    Mode leaf;
    Layout index;
  };
  std::vector<Step> steps;
  std::string reason;
  for (std::size_t mode = 0; mode < 4; ++mode) {
    Number before = 1;
    const auto visit = [&](const auto& self, const Layout& part) -> void {
      if (!part.is_leaf()) {
        for (std::size_t i = 0; i < part.rank(); ++i) self(self, part[i]);
        return;
      }
      const Mode leaf = part.leaf();
      if (leaf.shape > 1 && mode == 0) {
        auto of_atom = composition(atom[0], Layout(Mode{leaf.shape, before}));
        if (of_atom) of_atom = composition(inside, *of_atom);
        if (!of_atom) reason = of_atom.error();
        steps.push_back({leaf, of_atom.value_or(Layout())});
      } else if (leaf.shape > 1) {
        const Number step = mode - 1 == along_rows      ? rows
                            : mode - 1 == along_columns ? columns * all_rows
                                                        : 0;
        steps.push_back({leaf, Mode{leaf.shape, step * before}});
      }
      before *= leaf.shape;
    };
    visit(visit, text.threads[mode]);
  }
  if (!reason.empty()) return std::unexpected(reason);
  std::ranges::sort(steps, {}, [](const Step& step) { return step.leaf.stride; });
  std::vector<Layout> threads;
  Number next = 1;
  for (const Step& step : steps) {
    if (step.leaf.stride != next)
      return std::unexpected(formatted(
          "threads {} and on have no place in the product: their numbers must follow each other",
          next));
    next *= step.leaf.shape;
    threads.push_back(step.index);
  }
  auto values = composition(inside, atom[1]);
  if (!values) return std::unexpected(values.error());
  ReadText result;
  const Layout thread = threads.empty() ? Layout(Mode{}) : make_layout(std::move(threads));
  // If the tile is wider than the atoms of all threads, each thread holds several atoms, down the
  // rows first. Source: CUTLASS, cute/atom/mma_atom.hpp (TiledMMA::thrfrg_C and the like).
  std::vector<Layout> value{*std::move(values)};
  for (const Mode& repeat :
       {Mode{repeats[along_rows], rows * times[along_rows]},
        Mode{repeats[along_columns], columns * times[along_columns] * all_rows}})
    if (repeat.shape > 1) value.push_back(repeat);
  const Number all_columns = columns * times[along_columns] * repeats[along_columns];
  auto whole = checked(make_layout(
      {thread, value.size() == 1 ? std::move(value[0]) : make_layout(std::move(value))}));
  // A permutation of a mode acts on the matrix before it is divided into atoms (thrfrg_C as above).
  const Layout& of_rows = text.permutation_mnk[along_rows];
  const Layout& of_columns = text.permutation_mnk[along_columns];
  if (whole && (!of_rows.is_leaf() || !of_columns.is_leaf()))
    whole = composition(
        make_layout(
            {of_rows.is_leaf() ? Layout(Mode{all_rows, 1}) : of_rows,
             scaled(of_columns.is_leaf() ? Layout(Mode{all_columns, 1}) : of_columns, all_rows)}),
        *whole);
  if (!whole) return std::unexpected(whole.error());
  result.layout = *std::move(whole);
  result.tile = {all_rows, all_columns};
  return result;
}

}  // namespace heddle::interop::cute
