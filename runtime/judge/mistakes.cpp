#include "runtime/judge/mistakes.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/layout.h"
#include "library/text/formatted.h"

namespace heddle::runtime {
namespace {

std::optional<Position> transpose(Position p) { return Position{p.column, p.row}; }

IndexMap transpose_in_tiles_of(std::int64_t side) {
  return [side](Position p) {
    const auto start = [side](std::int64_t x) { return x - x % side; };
    return std::optional(Position{start(p.row) + p.column % side, start(p.column) + p.row % side});
  };
}

/// "16x16".
std::string square(std::int64_t side) { return formatted("{}x{}", side, side); }

/// The cure for a wrong load: a sentence that says which elements each lane must load.
std::string loading(const MatrixTile& tile) {
  const std::string command = "`" + tile.drawing + "`";
  const std::string places =
      tile.is_of_rdna ? "On gfx11 and gfx12 lane l holds row l % 16 of A and column l % 16 of B, k "
                        "along its registers (" +
                            command + "): "
                      : command +
                            " shows which row and k of A, and which k and column of B, each lane "
                            "and register holds: ";
  return places +
         "a lane of A reads A[row][k], one of B reads B[k][column]; from B stored transposed it "
         "reads B_transposed[column][k]";
}

/// Adds mistakes with operands or the result transposed, as a whole or inside every tile.
void add_transposes(std::vector<Mistake>& all, std::int64_t m, std::int64_t n, std::int64_t k,
                    const MatrixTile& tile) {
  const bool one_tile = m <= tile.side && n <= tile.side && k <= tile.side;
  const std::string loading = runtime::loading(tile);
  const IndexMap transpose_in_tile = transpose_in_tiles_of(tile.side);
  const std::string every = "every " + square(tile.side) + " tile of ";
  const std::string load = one_tile ? "the fragment was loaded in the other operand's layout. "
                                    : "the matrix is read with row and column exchanged. ";
  if (m == k)
    all.push_back(
        {"a-transposed", "the result equals A' @ B", load + loading, transpose, {}, {}, {}});
  if (k == n)
    all.push_back(
        {"b-transposed", "the result equals A @ B'", load + loading, {}, transpose, {}, {}});
  if (m == k && k == n) {
    all.push_back({"both-transposed",
                   "the result equals A' @ B'",
                   load + loading,
                   transpose,
                   transpose,
                   {},
                   {}});
    all.push_back(
        {"result-transposed",
         "the result equals (A @ B)'",
         "The store exchanges row and column, or A and B are exchanged as operands of the "
         "instruction, which gives the product of the transposes. " +
             loading,
         {},
         {},
         {transpose},
         {}});
  }
  const std::string tiles =
      "The fragments of this operand are loaded in the other operand's layout. ";
  all.push_back({"a-fragments-transposed",
                 "the result equals A @ B with " + every + "A transposed in its place",
                 tiles + loading,
                 transpose_in_tile,
                 {},
                 {},
                 {}});
  all.push_back({"b-fragments-transposed",
                 "the result equals A @ B with " + every + "B transposed in its place",
                 tiles + loading,
                 {},
                 transpose_in_tile,
                 {},
                 {}});
  all.push_back({"both-fragments-transposed",
                 "the result equals A @ B with " + every + "A and of B transposed in its place",
                 tiles + loading,
                 transpose_in_tile,
                 transpose_in_tile,
                 {},
                 {}});
  all.push_back({"result-tiles-transposed",
                 "the result equals A @ B with " + every + "it transposed in its place",
                 "A and B are exchanged as operands of the instruction, or the store exchanges row "
                 "and column" +
                     (tile.is_of_rdna ? ": register i of lane l is one row and column l % 16. "
                                      : std::string(". ")) +
                     loading,
                 {},
                 {},
                 {transpose_in_tile},
                 {}});
}

using BitOrder = std::vector<int>;  // bit i of the result is bit order[i] of the index

std::int64_t reordered(std::int64_t x, const BitOrder& order) {
  std::int64_t result = x >> order.size() << order.size();
  for (std::size_t i = 0; i < order.size(); ++i) result |= (x >> order[i] & 1) << i;
  return result;
}

/// The images of 0, 1, 2, …
std::vector<std::int64_t> listed(const BitOrder& order) {
  std::vector<std::int64_t> all(std::size_t{1} << order.size());
  for (std::size_t x = 0; x < all.size(); ++x)
    all[x] = reordered(static_cast<std::int64_t>(x), order);
  return all;
}

/// The unchanged order of the bits of a number below `count`, a power of two: 0, 1, 2, …
BitOrder identity(std::int64_t count) {
  BitOrder order(static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(count))));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// "0 1 4 5 8 9 …".
std::string text(std::span<const std::int64_t> order) {
  std::string text;
  for (const std::int64_t x : order) text += formatted("{}{}", text.empty() ? "" : " ", x);
  return text;
}

/// The order of rows in a wrong result: the hardware leaves sums in the registers in the layout of
/// target `hardware`, and the kernel stores these registers as if the layout were that of target
/// `store`.
BitOrder row_order(instruction::Target hardware, instruction::Target store) {
  using instruction::Operand;
  const auto map = [](instruction::Target target) {
    return instruction::fragment(*instruction::find("v_wmma_f32_16x16x16_f16", target), Operand::d);
  };
  const auto held = layout::compose(layout::invert(map(store)).value(), map(hardware)).value();
  BitOrder order(4);
  for (int bit = 0; bit < 4; ++bit) {
    const auto row = held.apply({{"m", std::uint64_t{1} << bit}, {"n", 0}}).value().at("m");
    for (int i = 0; i < 4; ++i)
      if (row == std::uint64_t{1} << i) order[static_cast<std::size_t>(i)] = bit;
  }
  return order;
}

/// Adds mistakes in which one operand has the bits of k in another order; every order is tried.
void add_k_orders(std::vector<Mistake>& all, const MatrixTile& tile) {
  BitOrder order = identity(tile.depth);
  while (std::next_permutation(order.begin(), order.end())) {
    const auto k_of_a = [order](Position p) {
      return std::optional(Position{p.row, reordered(p.column, order)});
    };
    const bool isa = tile.is_of_rdna && order == BitOrder{0, 1, 3, 2};
    all.push_back(
        {isa ? "k-order-of-isa" : "k-permuted",
         formatted("the result equals A @ B with k in another order in A than in B: k = {} of A "
                   "meet k = 0 1 2 … {} of B, in every {}",
                   text(listed(order)), tile.depth - 1, tile.depth),
         isa ? "One operand is loaded in the k order of the RDNA4 ISA (k = 8 * (e / 4) + 4 * "
               "(lane / 16) + e % 4), the other with the 8 elements of a lane contiguous (k = 8 * "
               "(lane / 16) + e). Either order is right when both operands have it"
             : "The elements of a fragment are packed in another order than those of the other "
               "operand: load both with the same order of k, such as contiguous ones by one vector "
               "load" +
                   std::string(tile.is_of_rdna ? ", or with load_matrix_sync_lds (docs/device.md)"
                                               : ""),
         k_of_a,
         {},
         {},
         {}});
  }
}

/// Adds mistakes in which the result has the bits of the row in another order; every order is
/// tried.
void add_row_orders(std::vector<Mistake>& all, const MatrixTile& tile) {
  const BitOrder gfx12_store =
      row_order(instruction::Target::gfx1100, instruction::Target::gfx1201);
  const BitOrder gfx11_store =
      row_order(instruction::Target::gfx1201, instruction::Target::gfx1100);
  BitOrder order = identity(tile.side);
  while (std::next_permutation(order.begin(), order.end())) {
    Mistake rows = permuted_rows(listed(order), tile);
    if (tile.is_of_rdna && (order == gfx12_store || order == gfx11_store)) {
      rows.name = "store-of-other-generation";
      rows.fix =
          order == gfx12_store
              ? "C is stored by gfx12's layout, row 8 * (lane / 16) + i, and on gfx11 register i "
                "holds row 2 * i + lane / 16 (`heddle show v_wmma_f32_16x16x16_f16 --operand D`)"
              : "C is stored by gfx11's layout, row 2 * i + lane / 16, and on gfx12 register i "
                "holds row 8 * (lane / 16) + i (`heddle show v_wmma_f32_16x16x16_f16 --arch "
                "gfx1201 --operand D`)";
    }
    all.push_back(std::move(rows));
  }
}

/// The value of a byte that is read as signed instead of unsigned, or the other way round.
double with_other_sign(double x) { return x < 0 ? x + 256 : x > 127 ? x - 256 : x; }

/// Adds mistakes in which the instruction reads bytes with the wrong signedness. Only 8-bit types
/// have such mistakes.
void add_signs(std::vector<Mistake>& all, const MatrixTile& tile) {
  const std::string fix =
      tile.is_of_rdna
          ? "Each operand of an iu8 instruction has a flag of its own, true for signed: the first "
            "argument of __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32 is A's, the third B's"
          : "Which bytes have a sign is said by the instruction, by its types or by flags (`" +
                tile.drawing + "`), and has to be what the matrix holds";
  const auto add = [&](const char* name, const std::string& which, ValueMap a, ValueMap b) {
    all.push_back({name,
                   "the result equals A @ B with the bytes of " + which +
                       " read with the other sign: i8 as u8, or u8 as i8",
                   fix,
                   {},
                   {},
                   {},
                   {},
                   a,
                   b});
  };
  add("sign-of-a", "A", with_other_sign, nullptr);
  add("sign-of-b", "B", nullptr, with_other_sign);
  add("signs-of-both", "A and of B", with_other_sign, with_other_sign);
}

/// Adds the mistake of storing register i to row i and column `lane`, in place of row 2 * i + lane
/// / 16 and column lane % 16. The upper half of the wave then writes 16 elements too far in memory.
void add_lane_as_column(std::vector<Mistake>& all, std::int64_t n) {
  constexpr std::int64_t side = MatrixTile{}.side;
  const auto start = [](std::int64_t x) { return x - x % side; };
  const auto lower = [start](Position p) -> std::optional<Position> {
    if (p.row % side >= side / 2) return {};
    return Position{start(p.row) + 2 * (p.row % side), p.column};
  };
  const auto upper = [start, n](Position p) -> std::optional<Position> {
    const std::int64_t place = p.row * n + p.column - side;
    const std::int64_t row = place / n;
    if (place < 0 || row % side >= side / 2) return {};
    return Position{start(row) + 2 * (row % side) + 1, place % n};
  };
  all.push_back(
      {"store-lane-as-column",
       "row i of every tile holds row 2 * i of A @ B, or 16 columns further on row "
       "2 * i + 1",
       "C is stored to [i][lane], which ignores that lanes 16 to 31 hold rows of their "
       "own: store register i to row 2 * i + lane / 16, column lane % 16 (on gfx12: row "
       "8 * (lane / 16) + i), as `heddle show v_wmma_f32_16x16x16_f16 --operand D` draws it",
       {},
       {},
       {lower, upper},
       {}});
}

/// Adds mistakes in which groups of elements are exchanged in some rows, because shared memory is
/// swizzled when it is stored or when it is loaded, but not both.
void add_swizzles(std::vector<Mistake>& all, std::int64_t k, const MatrixTile& tile) {
  const auto add = [&](std::int64_t group, std::int64_t mask, int shift) {
    const IndexMap a = [=](Position p) {
      return std::optional(Position{p.row, p.column ^ ((p.row >> shift & mask) * group)});
    };
    const IndexMap b = [=](Position p) {
      return std::optional(Position{p.row ^ ((p.column >> shift & mask) * group), p.column});
    };
    const auto in = [&](const std::string& lines) {
      const std::string groups = formatted("its groups of {} k exchanged in ", group);
      if (mask == 1) return formatted("{}those whose bit {} is set of {}", groups, shift, lines);
      const std::string line = shift == 0 ? "r" : formatted("r / {}", 1 << shift);
      return formatted("{}{}: group g of line r is g ^ ({} % {})", groups, lines, line, mask + 1);
    };
    const std::string fix =
        "The tile is stored in shared memory with an XOR swizzle and loaded without it, or the "
        "other way round" +
        std::string(tile.has_blocks ? " (of wgmma the mode in the descriptor says which)" : "") +
        ": apply the same XOR to the group's number when a fragment is loaded (the XOR is its own "
        "inverse)";
    const std::string with = "the result equals A @ B with ";
    all.push_back(
        {"swizzle-of-a-not-undone", with + "A having " + in("its rows"), fix, a, {}, {}, {}});
    all.push_back(
        {"swizzle-of-b-not-undone", with + "B having " + in("its columns"), fix, {}, b, {}, {}});
    all.push_back({"swizzles-not-undone",
                   with + "both operands having " + in("A's rows and B's columns"),
                   fix,
                   a,
                   b,
                   {},
                   {}});
  };
  for (const std::int64_t group : {8, 4, 2}) {
    for (int bit = 0; bit < 4; ++bit) add(group, 1, bit);
    // Wider masks exchange elements among mask + 1 groups, all of which must fit into a row of k.
    for (const std::int64_t mask : {3, 7, 15})
      for (int shift = 0;
           mask << shift <= 15 && (mask + 1) * group <= std::max<std::int64_t>(k, 16); ++shift)
        add(group, mask, shift);
  }
}

/// Adds mistakes with the 8x8 matrices that ldmatrix loads: a matrix is transposed, or one of two
/// matrices is loaded twice. Also adds those in which all of A or of B is read transposed.
void add_blocks(std::vector<Mistake>& all, const MatrixTile& tile) {
  constexpr std::int64_t side = 8;
  const IndexMap transposed = transpose_in_tiles_of(side);
  const std::string trans =
      "ldmatrix has .trans where it must not have it, or lacks it: without it a lane gets two "
      "neighbours of a row of shared memory, with it two of a column (`" +
      tile.drawing + "` shows which k or row these are)";
  const std::string with = "the result equals A @ B with every 8x8 block of ";
  all.push_back(
      {"a-blocks-transposed", with + "A transposed in its place", trans, transposed, {}, {}, {}});
  all.push_back(
      {"b-blocks-transposed", with + "B transposed in its place", trans, {}, transposed, {}, {}});
  all.push_back({"both-blocks-transposed",
                 with + "A and of B transposed in its place",
                 trans,
                 transposed,
                 transposed,
                 {},
                 {}});
  const std::string order =
      "Lanes 8 * i to 8 * i + 7 give ldmatrix the rows of the matrix that goes to register i: look "
      "at the part of their addresses that chooses the block";
  const auto repeat = [&](bool of_a, bool in_k, bool first) {
    const IndexMap map = [=](Position p) {
      std::int64_t& place = in_k == of_a ? p.column : p.row;
      place = first ? place & ~side : place | side;
      return std::optional(p);
    };
    const std::string lines = in_k ? "k" : of_a ? "rows" : "columns";
    all.push_back({of_a ? "a-blocks-repeated" : "b-blocks-repeated",
                   std::string("the result equals A @ B with ") + lines +
                       (first ? " 8 to 15 of every 16 of " : " 0 to 7 of every 16 of ") +
                       (of_a ? "A" : "B") + " being those before or behind them",
                   order,
                   of_a ? map : IndexMap{},
                   of_a ? IndexMap{} : map,
                   {},
                   {}});
  };
  for (const bool of_a : {true, false})
    for (const bool in_k : {false, true})
      for (const bool first : {true, false}) repeat(of_a, in_k, first);
  const std::string flag =
      "The operand lies in shared memory with the other index contiguous than the instruction is "
      "told: of wgmma the last two numbers say so (tnspA, tnspB), 1 where m or n is contiguous";
  all.push_back({"a-read-across",
                 "the result equals A' @ B, with zeros beyond A'",
                 flag,
                 transpose,
                 {},
                 {},
                 {}});
  all.push_back({"b-read-across",
                 "the result equals A @ B', with zeros beyond B'",
                 flag,
                 {},
                 transpose,
                 {},
                 {}});
}

/// Adds mistakes in which two registers of a fragment are exchanged, in every tile of the
/// instruction.
void add_register_exchanges(std::vector<Mistake>& all, const MatrixTile& tile) {
  using instruction::Operand;
  struct Side {
    Operand operand;
    const char *name, *of;
    layout::AxisName row, column;
  };
  const Side sides[] = {
      {Operand::a, "a-registers-exchanged", "A", "m", "k"},
      {Operand::b, "b-registers-exchanged", "B", "k", "n"},
      {Operand::d, "result-registers-exchanged", "the result", "m", "n"},
  };
  constexpr std::uint64_t most_registers = 8;
  for (const Side& side : sides) {
    const layout::LinearLayout held = instruction::fragment(*tile.instruction, side.operand);
    const auto size_of = [&](const layout::AxisName& axis) { return held.input_size(axis); };
    const std::uint64_t registers = size_of("register");
    if (registers > most_registers) continue;
    const auto rows = static_cast<std::int64_t>(held.output_size(side.row));
    const auto columns = static_cast<std::int64_t>(held.output_size(side.column));
    const auto place = [&](std::uint64_t reg, std::uint64_t lane, std::uint64_t element) {
      const auto at = held.apply({{"element", element}, {"register", reg}, {"lane", lane}}).value();
      return static_cast<std::int64_t>(at.at(side.row)) * columns +
             static_cast<std::int64_t>(at.at(side.column));
    };
    for (std::uint64_t one = 0; one < registers; ++one)
      for (std::uint64_t other = one + 1; other < registers; ++other) {
        std::vector<std::int64_t> map(static_cast<std::size_t>(rows * columns));
        std::iota(map.begin(), map.end(), 0);
        for (std::uint64_t lane = 0; lane < size_of("lane"); ++lane)
          for (std::uint64_t element = 0; element < size_of("element"); ++element) {
            const std::int64_t x = place(one, lane, element), y = place(other, lane, element);
            map[static_cast<std::size_t>(x)] = y;
            map[static_cast<std::size_t>(y)] = x;
          }
        const IndexMap exchanged = [=](Position p) {
          const std::int64_t row = p.row % rows, column = p.column % columns;
          const std::int64_t from = map[static_cast<std::size_t>(row * columns + column)];
          return std::optional(
              Position{p.row - row + from / columns, p.column - column + from % columns});
        };
        const std::string numbers = formatted("{} and {}", one, other);
        Mistake mistake{side.name,
                        "the result equals A @ B with registers " + numbers +
                            " of every fragment of " + side.of + " exchanged",
                        "Fill or store the registers in the order that `" + tile.drawing +
                            "` draws; of ldmatrix, lanes 8 * i to 8 * i + 7 give the rows of the "
                            "matrix that goes to register i",
                        {},
                        {},
                        {},
                        {}};
        if (side.operand == Operand::a) mistake.a = exchanged;
        if (side.operand == Operand::b) mistake.b = exchanged;
        if (side.operand == Operand::d) mistake.results = {exchanged};
        all.push_back(std::move(mistake));
      }
  }
}

void add_missing_sums(std::vector<Mistake>& all, std::int64_t k) {
  const auto add = [&](std::string name, const std::string& which, std::string fix, auto keeps) {
    all.push_back({std::move(name),
                   "the result equals A @ B without the products of " + which,
                   std::move(fix),
                   {},
                   {},
                   {},
                   keeps});
  };
  for (const std::int64_t step : {16, 32, 64, 128})
    if (k % step != 0)
      add("k-tail-missing", formatted("the last {} k", k % step),
          formatted("The loop over k ends before the part that does not fill a step of {}: run it "
                    "to the end, with zeros in the fragments beyond k",
                    step),
          [=](std::int64_t i) { return i < k - k % step; });
  for (const std::int64_t step : {16, 32, 64, 128}) {
    if (k <= step) continue;
    add("first-step-missing", formatted("the first {} k", step),
        "The loop's first step is lost: look at the sums' initial value, and at which buffer of "
        "shared memory is read first",
        [=](std::int64_t i) { return i >= step; });
    add("last-step-missing", formatted("the last {} k", step),
        "The loop ends one step early: with two buffers the last slice is multiplied behind the "
        "loop",
        [=](std::int64_t i) { return i < (k - 1) / step * step; });
  }
  for (int bit = 0; bit < 7; ++bit)
    for (const std::int64_t kept : {0, 1}) {
      if (k <= std::int64_t{1} << bit) continue;
      add("half-of-the-sum-missing",
          formatted("the k with bit {}{}", bit, kept ? " clear" : " set"),
          "Half of every fragment does not take part: look at elements that are never filled, and "
          "at sums of several waves or registers of which only some are added",
          [=](std::int64_t i) { return (i >> bit & 1) == kept; });
    }
}

}  // namespace

MatrixTile tile_of(std::string_view processor, std::span<const std::string> mnemonics) {
  const instruction::ProcessorRow* row = instruction::find_processor(processor);
  if (row == nullptr) return {};
  MatrixTile tile;
  tile.is_of_rdna = instruction::is_rdna(row->family);
  tile.has_blocks = row->name.starts_with("sm_");
  if (tile.is_of_rdna) return tile;
  tile.drawing = "heddle list --arch " + std::string(row->name);
  for (const std::string& mnemonic : mnemonics) {
    const instruction::Instruction* found = instruction::find(mnemonic, row->target);
    if (found == nullptr || found->kind != instruction::Kind::multiply) continue;
    tile.side = found->m == 32 && found->n == 32 ? 32 : 16;
    tile.depth = std::clamp(found->k, 16, 32);
    tile.instruction = found;
    tile.drawing = "heddle show " + std::string(found->name) + " --arch " + std::string(row->name);
    break;
  }
  return tile;
}

Mistake permuted_rows(std::span<const std::int64_t> order, const MatrixTile& tile) {
  const auto row_of_result = [order = std::vector(order.begin(), order.end())](Position p) {
    const auto count = static_cast<std::int64_t>(order.size());
    const std::int64_t inside = p.row % count;
    return std::optional(
        Position{p.row - inside + order[static_cast<std::size_t>(inside)], p.column});
  };
  return {"rows-permuted",
          formatted("the result equals A @ B with the rows of every {} in another order: rows 0 1 "
                    "2 … {} hold rows {}",
                    order.size(), order.size() - 1, text(order)),
          "Store register i of lane l to the row that `" + tile.drawing + "` draws" +
              (tile.is_of_rdna ? ": 2 * i + l / 16 on gfx11, 8 * (l / 16) + i on gfx12" : ""),
          {},
          {},
          {row_of_result},
          {}};
}

std::vector<Mistake> mistakes(std::int64_t m, std::int64_t n, std::int64_t k,
                              const MatrixTile& tile) {
  std::vector<Mistake> all;
  add_transposes(all, m, n, k, tile);
  if (tile.is_of_rdna) add_lane_as_column(all, n);
  add_missing_sums(all, k);
  add_swizzles(all, k, tile);
  if (tile.has_blocks) add_blocks(all, tile);
  if (tile.instruction != nullptr) add_register_exchanges(all, tile);
  add_signs(all, tile);
  add_k_orders(all, tile);
  // Tiles of 32 rows have too many orders to try them all; explain() finds their order from one
  // tile.
  if (tile.side == MatrixTile{}.side) add_row_orders(all, tile);
  return all;
}

}  // namespace heddle::runtime
