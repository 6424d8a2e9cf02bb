// Tiles in LDS: rows of elements, padded or swizzled, and the loads of fragments from them.
//
//   using TileA = SharedTile<half_t, Padded<128, 16, 8>>;    // 128 rows of 16, 8 of padding each
//   __shared__ TileA tile;
//   tile.store(row, column, values);                         // e.g. a half8 from global memory
//   synchronize_block();
//   load_matrix_sync_lds(a, tile, wave_row, k);              // A, from rows along k
//   load_matrix_sync_lds_b_transposed(b, tile_b, wave_column, k);   // B, also in rows along k
//
// A layout is any type with a constexpr memory::SharedLayout named `value` whose map is offset ->
// (row, column): Padded, Swizzled and SwizzledByRowParity below make the usual ones. Stores and
// loads use the same index arithmetic, that of memory/shared_index.h, so a load undoes the swizzle
// of the store.
//
// Bank conflicts are counted at compile time: extra_passes<Fragment, Tile, order>() is the number
// of extra passes of fragment loads (0 is ideal), and a kernel may static_assert on it.
// ConflictFreePadded and ConflictFreeSwizzled search for layouts without conflicts.
//
// A KERNEL THAT USES A TILE
//
//     using Tile = SharedTile<half_t, ConflictFreeSwizzled<half_t, 64, 32>>;    // 64 rows, 32 of k
//     __shared__ Tile a;
//     a.store(row, column, values);                          // a half8; column a multiple of 8
//     synchronize_block();
//     FragmentA<half_t> fragment;
//     load_matrix_sync_lds(fragment, a, 16 * wave, 16 * step);
//     static_assert(extra_passes<FragmentA<half_t>, Tile, Order::row_major>() == 0);
//
//     layout              size of 64 x 32 halves       cost
//     Padded<64, 32>      4096 bytes                   conflicts in most fragment loads
//     Padded<64, 32, 8>   5104 bytes                   no conflicts; 8 elements of padding a row
//     Swizzled<…>         4096 bytes                   no conflicts; an xor in the address
#pragma once

#include "heddle/device/load_store.h"
#include "heddle/memory/banks.h"
#include "heddle/memory/shared_index.h"

namespace heddle::device {

namespace detail {

constexpr int bits_of_size(int size) {
  return std::bit_width(static_cast<unsigned>(size > 0 ? size - 1 : 0));
}

/// The map offset -> (row, column) of contiguous rows in which groups of `group` columns are
/// permuted: in row r, group g is stored in position g ^ (r >> shift & mask). The number of rows is
/// rounded up to a power of two.
constexpr memory::SharedLayout rows_of_groups(int rows, int columns, int group, int shift,
                                              int mask) {
  const int row_bits = bits_of_size(rows), column_bits = bits_of_size(columns);
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < column_bits; ++bit) bases[bit] = std::uint64_t{1} << (row_bits + bit);
  for (int bit = 0; bit < row_bits; ++bit) {
    const std::uint64_t row = std::uint64_t{1} << bit;
    const std::uint64_t moved =
        (row >> shift & static_cast<std::uint64_t>(mask)) * static_cast<std::uint64_t>(group);
    bases[column_bits + bit] = row | moved << row_bits;
  }
  return {layout::LinearLayout::from_words({{"offset", row_bits + column_bits}},
                                           {{"row", row_bits}, {"column", column_bits}}, bases)
              .value(),
          {}};
}

/// True if no bit of the offset is an xor in which one of the row's bits from bit 4 up takes part.
/// Then an element 16 rows further is at a constant distance.
constexpr bool repeats_every_16_rows(const memory::OffsetFields& fields) {
  for (int number = 0; number < fields.count; ++number) {
    const memory::OffsetField& field = fields.field[static_cast<std::size_t>(number)];
    for (int i = 0; field.sources > 1 && i < field.sources; ++i) {
      const memory::FieldSource& source = field.source[static_cast<std::size_t>(i)];
      if (source.axis == 0 && source.from + field.count > 4) return false;
    }
  }
  return true;
}

}  // namespace detail

/// A layout of `rows` rows with `columns` elements each and `padding` unused elements after each
/// row: row r begins at r * (columns + padding). columns must be a power of two.
template <int rows, int columns, int padding = 0>
struct Padded {
  static_assert(std::has_single_bit(static_cast<unsigned>(columns)) && padding >= 0,
                "columns of a tile are a power of two, and padding is not negative");
  static constexpr int row_count = rows;
  static constexpr memory::SharedLayout value = [] {
    memory::SharedLayout shared = detail::rows_of_groups(rows, columns, 1, 0, 0);
    if (padding > 0) shared.padding.push_back({columns, padding});
    return shared;
  }();
};

/// A layout of `rows` rows with `columns` elements each, without padding. In row r, group g of
/// `group` columns is stored in position g ^ (r >> shift & mask). columns and group must be powers
/// of two, and mask less than columns / group.
template <int rows, int columns, int group, int shift, int mask>
struct Swizzled {
  static_assert(std::has_single_bit(static_cast<unsigned>(columns)) &&
                    std::has_single_bit(static_cast<unsigned>(group)) && shift >= 0 && mask >= 0 &&
                    mask < columns / group,
                "columns and group are powers of two, and mask is less than columns / group");
  static constexpr int row_count = rows;
  static constexpr memory::SharedLayout value =
      detail::rows_of_groups(rows, columns, group, shift, mask);
};

/// The swizzle that a published note recommends for gfx1151: group ^ (row & 1). It is here for
/// comparison (docs/device.md). It leaves 2-way conflicts in gfx11's fragment loads of 16 bytes a
/// lane: the phase of lanes 0-3 and 20-23 reads rows 0 to 7, and every fourth of these rows begins
/// in the same bank. For rows of 16 halves, Swizzled<rows, 16, 8, 2, 1>, which is group ^ (row >> 2
/// & 1), has no conflicts.
template <int rows, int columns, int group>
using SwizzledByRowParity = Swizzled<rows, columns, group, 0, 1>;

/// A tile of elements T in LDS. Make it a __shared__ variable; its contents at the start are
/// undefined.
template <class T, class Layout>
struct SharedTile {
  static_assert(element_kind<T>.bits() >= 8,
                "a tile of 4-bit elements is one of uint8_t with half the columns");
  using Element = T;
  static constexpr int rows = Layout::row_count;
  static constexpr int columns = 1 << Layout::value.map.outputs().bits_of("column");

  /// The offset of an element from the tile's start, in elements. row < rows, column < columns.
  HEDDLE_DEVICE static constexpr unsigned place(unsigned row, unsigned column) {
    return memory::place_index<Layout::value>(row, column);
  }

  static_assert(detail::repeats_every_16_rows(memory::fields_of_shared<Layout::value>),
                "a swizzle of a tile takes the low four bits of a row only: fragments begin at "
                "multiples of 16 rows");

  /// The largest n such that the elements n * i to n * i + n - 1 of a row are contiguous for every
  /// i.
  static constexpr int contiguous_columns = [] {
    constexpr memory::OffsetField lowest = memory::fields_of_shared<Layout::value>.field[0];
    const bool is_column =
        lowest.sources == 1 && lowest.source[0].axis == 1 && lowest.source[0].from == 0;
    return is_column ? 1 << lowest.count : 1;
  }();

  /// The number of elements from the first to the last, with padding. If the number of rows is not
  /// a power of two, the map has more rows than the tile; then the tile's last element is searched
  /// for, which takes the compiler longer.
  static constexpr unsigned size = [] {
    if (std::has_single_bit(static_cast<unsigned>(rows)))
      return static_cast<unsigned>(Layout::value.size());
    unsigned last = 0;
    for (unsigned row = rows > 64 ? rows - 64 : 0; row < rows; ++row)
      for (unsigned column = 0; column < columns; ++column)
        if (place(row, column) > last) last = place(row, column);
    return last + 1;
  }();

  alignas(16) T elements[size];

  HEDDLE_DEVICE T* at(unsigned row, unsigned column) { return elements + place(row, column); }
  HEDDLE_DEVICE const T* at(unsigned row, unsigned column) const {
    return elements + place(row, column);
  }

  /// Stores `count` elements of a row, from `column` on, which must be a multiple of count. One
  /// access moves as many elements as are contiguous.
  template <class V, int count>
  HEDDLE_DEVICE void store(unsigned row, unsigned column, Vector<V, count> values) {
    static_assert(sizeof(V) == sizeof(T), "a tile is written with elements of its own size");
    constexpr int piece = count < contiguous_columns ? count : contiguous_columns;
    using Piece = Unaligned<Vector<V, piece>, T>;
#pragma unroll
    for (int first = 0; first < count; first += piece) {
      Piece part;
      for (int i = 0; i < piece; ++i) part[i] = values[first + i];
      *reinterpret_cast<Piece*>(at(row, column + static_cast<unsigned>(first))) = part;
    }
  }
};

namespace detail {

/// The number of elements that one LDS access moves between a fragment and a tile.
template <class F, class Tile, Order order>
constexpr int tile_piece() {
  const int count = piece_size<F, order, typename Tile::Element>();
  const int piece = count < Tile::contiguous_columns ? count : Tile::contiguous_columns;
  return F::bits < 16 && piece * F::bits < 32 ? 1 : piece;
}

/// An access moves tile_piece() elements. This is the offset of those that begin with the lane's
/// element i, if the fragment begins in row 0 of the tile. The part of the offset that `column`
/// gives and the part that the lane gives are computed together, since a swizzle mixes them.
template <class F, class Tile, Order order>
HEDDLE_DEVICE constexpr unsigned piece_place(unsigned column, int i, unsigned lane) {
  const ElementPlace<F> at(i);
  const unsigned m = F::row(0, lane) + at.row, n = F::column(0, lane) + at.column;
  return order == Order::row_major ? Tile::place(m, column + n) : Tile::place(n, column + m);
}

}  // namespace detail

/// Loads the fragment whose element (0, 0) is the tile's element (row, column). `row` and `column`
/// must be multiples of 16.
///
///   Order::row_major      rows of the tile are rows of the operand
///   Order::column_major   rows of the tile are columns of the operand
///
/// What `row` adds to the offset is added separately. So if `row` is wave_row + 16 * i with a
/// constant i, the part of 16 * i becomes the immediate offset of the instruction.
template <Order order = Order::row_major, class F, class T, class Layout>
HEDDLE_DEVICE void load_matrix_sync(F& fragment, const SharedTile<T, Layout>& tile, unsigned row,
                                    unsigned column, unsigned lane = lane_index()) {
  using Tile = SharedTile<T, Layout>;
  static_assert(detail::can_load<F, T>(), "the tile has elements of another type");
  constexpr int count = detail::tile_piece<F, Tile, order>();
  const unsigned row_place = Tile::place(row, 0);
#pragma unroll
  for (int i = 0; i < F::size; i += count)
    detail::load_piece<count>(
        fragment, i,
        tile.elements + detail::piece_place<F, Tile, order>(column, i, lane) + row_place);
}

/// Loads A from a tile of rows along k: the fragment begins at A's row `row` and at k = `column`.
template <class T, Family family, int k, int side, class M, class Layout>
HEDDLE_DEVICE void load_matrix_sync_lds(FragmentA<T, family, k, side>& fragment,
                                        const SharedTile<M, Layout>& tile, unsigned row,
                                        unsigned column, unsigned lane = lane_index()) {
  load_matrix_sync<Order::row_major>(fragment, tile, row, column, lane);
}

/// Loads B from a tile whose rows are B's columns (B transposed): the fragment begins at B's column
/// `row` and at k = `column`.
template <class T, Family family, int k, int side, class M, class Layout>
HEDDLE_DEVICE void load_matrix_sync_lds_b_transposed(FragmentB<T, family, k, side>& fragment,
                                                     const SharedTile<M, Layout>& tile,
                                                     unsigned row, unsigned column,
                                                     unsigned lane = lane_index()) {
  load_matrix_sync<Order::column_major>(fragment, tile, row, column, lane);
}

/// load_matrix_sync_lds() and load_matrix_sync_lds_b_transposed() for plain vectors, for kernels
/// that call the builtins directly.
template <class Word, int size, class M, class Layout>
HEDDLE_DEVICE void load_matrix_sync_lds(Vector<Word, size>& fragment,
                                        const SharedTile<M, Layout>& tile, unsigned row,
                                        unsigned column, unsigned lane = lane_index()) {
  detail::bare_fragment<Operand::a, Word, size>(
      fragment, [&](auto& loaded) __attribute__((always_inline)) {
        load_matrix_sync<Order::row_major>(loaded, tile, row, column, lane);
      });
}
template <class Word, int size, class M, class Layout>
HEDDLE_DEVICE void load_matrix_sync_lds_b_transposed(Vector<Word, size>& fragment,
                                                     const SharedTile<M, Layout>& tile,
                                                     unsigned row, unsigned column,
                                                     unsigned lane = lane_index()) {
  detail::bare_fragment<Operand::b, Word, size>(
      fragment, [&](auto& loaded) __attribute__((always_inline)) {
        load_matrix_sync<Order::column_major>(loaded, tile, row, column, lane);
      });
}

/// The number of extra passes of the LDS loads of a fragment of type F from a tile of type Tile on
/// `target`, summed over all columns at which a fragment may begin. 0 means that there are no bank
/// conflicts. Only row 0 is examined: fragments that begin at other multiples of 16 rows cost the
/// same, because in all layouts here the offsets of 16 rows repeat, plus a constant.
template <class F, class Tile, Order order>
constexpr int extra_passes(Target target = target_here) {
  constexpr int count = detail::tile_piece<F, Tile, order>();
  constexpr int depth = order == Order::row_major ? F::columns : F::rows;
  const memory::BankModel model = memory::bank_model(target, wave_size);
  int passes = 0;
  for (int column = 0; column < Tile::columns; column += depth)
    for (int i = 0; i < F::size; i += count) {
      std::array<std::uint32_t, wave_size> address{};
      for (unsigned lane = 0; lane < wave_size; ++lane)
        address[lane] = static_cast<std::uint32_t>(sizeof(typename Tile::Element)) *
                        detail::piece_place<F, Tile, order>(static_cast<unsigned>(column), i, lane);
      memory::Access access;
      access.bytes = count * static_cast<int>(sizeof(typename Tile::Element));
      access.address = address;
      passes += memory::extra_passes(model, access);
    }
  return passes;
}

namespace detail {

/// The number of elements of a row that one access of a fragment of A moves. If the padding is a
/// multiple of this number, every access stays aligned.
template <class T, int columns>
inline constexpr int row_step =
    tile_piece<FragmentA<T>, SharedTile<T, Padded<16, columns>>, Order::row_major>();

template <class T, class Layout>
inline constexpr bool is_conflict_free =
    extra_passes<FragmentA<T>, SharedTile<T, Layout>, Order::row_major>() == 0;

}  // namespace detail

/// The least padding with which rows of `columns` elements can be loaded as fragments of A or B
/// without bank conflicts, on the target of this compilation. The search takes about a second. A
/// kernel that is compiled often should give the padding itself and assert that extra_passes is 0.
template <class T, int columns, int padding = 0>
consteval int conflict_free_padding() {
  constexpr bool too_much = padding * sizeof(T) > 128;
  static_assert(!too_much, "no padding of at most 128 bytes is free of conflicts: swizzle");
  if constexpr (too_much || detail::is_conflict_free<T, Padded<16, columns, padding>>)
    return padding;
  else
    return conflict_free_padding<T, columns, padding + detail::row_step<T, columns>>();
}

/// The Padded layout with the least padding without conflicts: ConflictFreePadded<half_t, 128, 32>.
template <class T, int rows, int columns>
using ConflictFreePadded = Padded<rows, columns, conflict_free_padding<T, columns>()>;

namespace detail {

template <class T, int rows, int columns, int shift, int mask>
constexpr auto choose_swizzle() {
  constexpr int group = row_step<T, columns>;
  static_assert(mask > 0, "no xor of row bits with groups of a row is free of conflicts: pad");
  if constexpr (mask == 0 || is_conflict_free<T, Swizzled<16, columns, group, shift, mask>>)
    return Swizzled<rows, columns, group, shift, mask>{};
  else if constexpr (mask << (shift + 1) > 15)
    return choose_swizzle<T, rows, columns, 0, mask / 2>();
  else
    return choose_swizzle<T, rows, columns, shift + 1, mask>();
}

template <class T, int columns>
inline constexpr int widest_mask =
    (columns / row_step<T, columns> < 16 ? columns / row_step<T, columns> : 16) - 1;

}  // namespace detail

/// A Swizzled layout without bank conflicts: ConflictFreeSwizzled<half_t, 128, 32>. A group has as
/// many columns as one access moves. Of all masks and shifts that avoid conflicts, the layout has
/// the largest mask, and with this mask the smallest shift. The search takes seconds: a kernel that
/// is compiled often should give the Swizzled layout itself.
template <class T, int rows, int columns>
using ConflictFreeSwizzled =
    decltype(detail::choose_swizzle<T, rows, columns, 0, detail::widest_mask<T, columns>>());

}  // namespace heddle::device
