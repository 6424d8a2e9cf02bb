// Fragments from and to matrices in memory, global or LDS.
//
//   load_matrix_sync(a, A + row * k + kk, k);                            // A row-major
//   load_matrix_sync<Order::column_major>(b, B_t + column * k + kk, k);   // B as rows of k
//   load_matrix_sync_bounded(a, A + row * k + kk, k, m - row, k - kk);   // zeros outside
//   store_matrix_sync_bounded(C + row * n + column, d, n, m - row, n - column);
//
// with row and column of type long, as an int ends at 2^31 elements.
//
// The pointer points to the fragment's element (0, 0). The stride is the number of elements from a
// row to the next, or in column-major matrices from a column to the next. Every lane moves its own
// elements. At once it moves as many as are neighbours in the map and fill at most 16 bytes. Any
// address will do, since AMD's systems allow unaligned access; multiples of 16 bytes are faster.
// The elements of one fragment lie within 4 GiB. Two 4-bit elements share a byte: the pointer then
// points to bytes, and every row begins at a whole byte.
//
// The elements in memory may have another type with the same bits, such as HIP's __half. A store,
// and a load of C, also converts between float, half_t and bhalf_t.
//
// HOW WIDE A MOVE BECOMES, for fragments of 16 x 16 x 16:
//
//     fragment, order in memory              gfx11                     gfx12
//     A of half_t, row_major                 2 x 16 bytes a lane       1 x 16 bytes
//     A of half_t, column_major              16 x 2 bytes              8 x 2 bytes
//     B of half_t, column_major              as A by rows              as A by rows
//     D of float, row_major                  8 x 4 bytes               8 x 4 bytes
//     D of float, column_major               8 x 4 bytes               2 x 16 bytes
//
// A lane holds a row of A along k and a column of B along k, so these orders are the fast ones. On
// gfx12 a lane holds 8 neighbours of a column of D, so column_major takes wide stores.
//
// `_sync` says that the whole wave takes part; there is no barrier inside. After writing to LDS,
// synchronize_block() comes before the load.
//
// WHAT AN EDGE COSTS. The _bounded forms read element by element and compare each place; the others
// move up to 16 bytes at once and compare nothing. So a kernel takes the _bounded ones for the
// tiles at the edge only.
//
//     tile inside the matrix     load_matrix_sync             as wide as the order in memory allows
//     tile at the edge           load_matrix_sync_bounded     a load and a comparison an element
#pragma once

#include <concepts>
#include <type_traits>

#include "heddle/device/fragment.h"

namespace heddle::device {

/// Which elements are neighbours in memory: those of a row, or those of a column.
///     row_major      element (r, c) is at r * stride + c
///     column_major   element (r, c) is at c * stride + r
enum class Order : bool { row_major, column_major };

namespace detail {

/// Row and column of a lane's element i where the lane's own part is 0: constants.
template <class F>
struct ElementPlace {
  unsigned row, column;
  constexpr explicit ElementPlace(int i) : row(F::row(i, 0)), column(F::column(i, 0)) {}
};

/// How many of a lane's elements are neighbours along one axis and fill at most 16 bytes. Axis 0 is
/// that of rows, for column-major memory; axis 1 is that of columns. The bits are those of an
/// element in memory.
template <class F>
constexpr int elements_side_by_side(int axis, int memory_bits) {
  int count = 1;
  while (2 * count <= F::size && 2 * count * memory_bits <= 128) {
    const ElementPlace<F> at(count);
    const unsigned along = axis == 0 ? at.row : at.column;
    const unsigned across = axis == 0 ? at.column : at.row;
    if (along != static_cast<unsigned>(count) || across != 0) break;
    count *= 2;
  }
  return count;
}

/// Bits of an element in memory: those of an element type, or of another type of its size.
template <class F, class Memory>
constexpr int memory_bits() {
  return F::bits < 8 ? F::bits : 8 * static_cast<int>(sizeof(Memory));
}

/// Whether memory holds the fragment's elements bit by bit.
template <class F, class Memory>
inline constexpr bool same_bits =
    F::bits < 8 ? sizeof(Memory) == 1
                : sizeof(Memory) * 8 == F::bits &&
                      (!is_element<Memory> || F::bits == 8 ||
                       element_kind<Memory>.type == element_kind<typename F::Element>.type);

/// The place `offset` elements on. The offset is counted in bytes, as an unsigned 32-bit number. So
/// a uniform pointer stays in scalar registers, and only the offset takes a vector register.
template <class F, class Memory>
HEDDLE_DEVICE Memory* advance(Memory* pointer, unsigned offset) {
  using Byte = std::conditional_t<std::is_const_v<Memory>, const char, char>;
  constexpr unsigned bits = memory_bits<F, std::remove_const_t<Memory>>();
  const unsigned bytes = bits < 8 ? offset / 2 : offset * (bits / 8);
  return reinterpret_cast<Memory*>(reinterpret_cast<Byte*>(pointer) + bytes);
}

/// Elements i to i + count of the fragment from memory where they lie side by side.
template <int count, class F, class Memory>
HEDDLE_DEVICE void load_piece(F& fragment, int i, const Memory* from, bool odd_half = false) {
  using T = typename F::Element;
  if constexpr (!same_bits<F, Memory>) {
    using V = Unaligned<Vector<Memory, count>, Memory>;
    const V values = *reinterpret_cast<const V*>(from);
    for (int j = 0; j < count; ++j) fragment.set(i + j, static_cast<T>(values[j]));
  } else if constexpr (F::bits >= 16 && count == 1) {
    using V = Unaligned<Vector<T, 1>, Memory>;
    fragment.set(i, (*reinterpret_cast<const V*>(from))[0]);
  } else if constexpr (F::bits >= 16) {
    using V = Unaligned<Vector<T, count>, Memory>;
    const V values = *reinterpret_cast<const V*>(from);
    for (int j = 0; j < count; ++j) fragment.set(i + j, values[j]);
  } else if constexpr (count > 1) {
    constexpr int words = count * F::bits / 32;
    using V = Unaligned<Vector<std::int32_t, words>, Memory>;
    const V values = *reinterpret_cast<const V*>(from);
    for (int j = 0; j < words; ++j) fragment.registers[i * F::bits / 32 + j] = values[j];
  } else {
    const unsigned byte = *reinterpret_cast<const std::uint8_t*>(from);
    fragment.set(i, static_cast<T>(odd_half ? byte >> 4 : byte));
  }
}

/// The lanes' own part of the place, and where it begins in memory.
template <class F, Order order>
struct Walk {
  static constexpr bool by_rows = order == Order::row_major;
  unsigned row, column, stride;

  HEDDLE_DEVICE Walk(unsigned stride_, unsigned lane)
      : row(F::row(0, lane)), column(F::column(0, lane)), stride(stride_) {}
  HEDDLE_DEVICE unsigned lane_offset() const {
    return by_rows ? row * stride + column : column * stride + row;
  }
  HEDDLE_DEVICE unsigned offset(ElementPlace<F> at) const {
    return by_rows ? at.row * stride + at.column : at.column * stride + at.row;
  }
  /// This lane's element at `at`. For A and B, the part that is the same for all lanes is added to
  /// the pointer. The pointer is usually uniform and then lies in scalar registers, so a loop over
  /// k keeps no vector register for it. For D, this part is added to the lane's offset, which the
  /// fragments of a tile share.
  template <class Memory>
  HEDDLE_DEVICE Memory* element(Memory* pointer, ElementPlace<F> at) const {
    if constexpr (F::operand == Operand::d)
      return advance<F>(pointer, lane_offset() + offset(at));
    else
      return advance<F>(advance<F>(pointer, offset(at)), lane_offset());
  }
  /// Whether a 4-bit element is in the high half of its byte.
  HEDDLE_DEVICE bool is_odd(ElementPlace<F> at) const {
    return F::bits < 8 && (lane_offset() + offset(at)) % 2 != 0;
  }
  HEDDLE_DEVICE bool is_inside(ElementPlace<F> at, int rows, int columns) const {
    return static_cast<int>(row + at.row) < rows && static_cast<int>(column + at.column) < columns;
  }
};

/// Elements that one access moves: as many as lie side by side, of packed ones whole registers.
template <class F, Order order, class Memory>
constexpr int piece_size() {
  const int count = elements_side_by_side<F>(order == Order::row_major, memory_bits<F, Memory>());
  return F::bits < 16 && count * F::bits < 32 ? 1 : count;
}

template <class F, class Memory>
constexpr bool can_load() {
  return same_bits<F, Memory> || (F::operand == Operand::d && is_element<Memory>);
}

}  // namespace detail

/// The fragment whose element (0, 0) is at `pointer`.
template <Order order = Order::row_major, class F, class Memory>
HEDDLE_DEVICE void load_matrix_sync(F& fragment, const Memory* pointer, unsigned stride,
                                    unsigned lane = lane_index()) {
  static_assert(detail::can_load<F, Memory>(),
                "a fragment is loaded from elements of its own type, or of other types of the same "
                "size that are no elements; an accumulator is also converted");
  constexpr int count = detail::piece_size<F, order, Memory>();
  const detail::Walk<F, order> walk(stride, lane);
  if constexpr (F::bits < 16 && count == 1) fragment.registers = typename F::Registers{};
#pragma unroll
  for (int i = 0; i < F::size; i += count) {
    const detail::ElementPlace<F> at(i);
    detail::load_piece<count>(fragment, i, walk.element(pointer, at), walk.is_odd(at));
  }
}

/// The same if only `rows` x `columns` elements from `pointer` on exist. The other elements become
/// 0 and are not read. The numbers may be larger than the fragment, or 0.
template <Order order = Order::row_major, class F, class Memory>
HEDDLE_DEVICE void load_matrix_sync_bounded(F& fragment, const Memory* pointer, unsigned stride,
                                            int rows, int columns, unsigned lane = lane_index()) {
  static_assert(detail::can_load<F, Memory>(),
                "a fragment is loaded from elements of its own type, or of other types of the same "
                "size that are no elements; an accumulator is also converted");
  const detail::Walk<F, order> walk(stride, lane);
  fragment.registers = typename F::Registers{};
#pragma unroll
  for (int i = 0; i < F::size; ++i) {
    const detail::ElementPlace<F> at(i);
    if (walk.is_inside(at, rows, columns))
      detail::load_piece<1>(fragment, i, walk.element(pointer, at), walk.is_odd(at));
  }
}

/// A from rows of k in LDS, `stride` elements apart: row 0 and k = 0 of the fragment at `pointer`.
template <class T, Family family, int k, int side, class Memory>
HEDDLE_DEVICE void load_matrix_sync_lds(FragmentA<T, family, k, side>& fragment,
                                        const Memory* pointer, unsigned stride,
                                        unsigned lane = lane_index()) {
  load_matrix_sync<Order::row_major>(fragment, pointer, stride, lane);
}

/// B from rows of k in LDS (B transposed: a row there is a column of B), `stride` elements apart.
template <class T, Family family, int k, int side, class Memory>
HEDDLE_DEVICE void load_matrix_sync_lds_b_transposed(FragmentB<T, family, k, side>& fragment,
                                                     const Memory* pointer, unsigned stride,
                                                     unsigned lane = lane_index()) {
  load_matrix_sync<Order::column_major>(fragment, pointer, stride, lane);
}

namespace detail {

/// Loads a fragment into a bare vector: half16 or half8, bhalf16 or bhalf8, depending on the
/// family. Words hold 8-bit integers.
template <Operand operand, class Word, int size>
HEDDLE_DEVICE void bare_fragment(Vector<Word, size>& registers, auto load) {
  using Loaded = Fragment<operand, std::conditional_t<sizeof(Word) == 2, Word, std::int8_t>>;
  static_assert(
      std::is_same_v<typename Loaded::Registers, Vector<Word, size>>,
      "a fragment of A or B is a half16, bhalf16 or int32x4 on gfx11, a half8, bhalf8 or int32x2 "
      "on gfx12");
  Loaded loaded;
  load(loaded);
  registers = loaded.registers;
}

}  // namespace detail

/// The same two into bare vectors, for kernels that call the builtins themselves.
template <class Word, int size, class Memory>
HEDDLE_DEVICE void load_matrix_sync_lds(Vector<Word, size>& fragment, const Memory* pointer,
                                        unsigned stride, unsigned lane = lane_index()) {
  detail::bare_fragment<Operand::a, Word, size>(
      fragment, [&](auto& loaded) __attribute__((always_inline)) {
        load_matrix_sync<Order::row_major>(loaded, pointer, stride, lane);
      });
}
template <class Word, int size, class Memory>
HEDDLE_DEVICE void load_matrix_sync_lds_b_transposed(Vector<Word, size>& fragment,
                                                     const Memory* pointer, unsigned stride,
                                                     unsigned lane = lane_index()) {
  detail::bare_fragment<Operand::b, Word, size>(
      fragment, [&](auto& loaded) __attribute__((always_inline)) {
        load_matrix_sync<Order::column_major>(loaded, pointer, stride, lane);
      });
}

/// The accumulator's element (0, 0) goes to `pointer`; values are converted to Memory.
template <Order order = Order::row_major, class Memory, class T, Family family, int side>
HEDDLE_DEVICE void store_matrix_sync(Memory* pointer, const Accumulator<T, family, side>& fragment,
                                     unsigned stride, unsigned lane = lane_index()) {
  using F = Accumulator<T, family, side>;
  // There are no vectors of classes, such as HIP's __half.
  constexpr int count = std::is_class_v<Memory> ? 1 : detail::piece_size<F, order, Memory>();
  const detail::Walk<F, order> walk(stride, lane);
#pragma unroll
  for (int i = 0; i < F::size; i += count) {
    Memory* to = walk.element(pointer, detail::ElementPlace<F>(i));
    if constexpr (count == 1) {
      *to = static_cast<Memory>(fragment[i]);
    } else {
      using V = Unaligned<Vector<Memory, count>, Memory>;
      V values;
      for (int j = 0; j < count; ++j) values[j] = static_cast<Memory>(fragment[i + j]);
      *reinterpret_cast<V*>(to) = values;
    }
  }
}

/// The same if only `rows` x `columns` elements from `pointer` on exist: the others are not
/// written.
template <Order order = Order::row_major, class Memory, class T, Family family, int side>
HEDDLE_DEVICE void store_matrix_sync_bounded(Memory* pointer,
                                             const Accumulator<T, family, side>& fragment,
                                             unsigned stride, int rows, int columns,
                                             unsigned lane = lane_index()) {
  using F = Accumulator<T, family, side>;
  const detail::Walk<F, order> walk(stride, lane);
#pragma unroll
  for (int i = 0; i < F::size; ++i) {
    const detail::ElementPlace<F> at(i);
    if (walk.is_inside(at, rows, columns))
      *walk.element(pointer, at) = static_cast<Memory>(fragment[i]);
  }
}

namespace detail {

/// The accumulator whose registers are a bare vector.
template <class T, int size>
HEDDLE_DEVICE Accumulator<T> accumulator_of(const Vector<T, size>& registers) {
  static_assert(
      size == 8 && sizeof(T) == 4,
      "a bare vector that is stored is an accumulator: a float8 or an int32x8; others are "
      "put into the registers of an Accumulator first");
  Accumulator<T> result;
  result.registers = registers;
  return result;
}

}  // namespace detail

/// These two stores from bare vectors, a float8 or an int32x8, for kernels that call the builtins
/// themselves.
template <Order order = Order::row_major, class Memory, class T, int size>
HEDDLE_DEVICE void store_matrix_sync(Memory* pointer, const Vector<T, size>& accumulator,
                                     unsigned stride, unsigned lane = lane_index()) {
  store_matrix_sync<order>(pointer, detail::accumulator_of<T, size>(accumulator), stride, lane);
}
template <Order order = Order::row_major, class Memory, class T, int size>
HEDDLE_DEVICE void store_matrix_sync_bounded(Memory* pointer, const Vector<T, size>& accumulator,
                                             unsigned stride, int rows, int columns,
                                             unsigned lane = lane_index()) {
  store_matrix_sync_bounded<order>(pointer, detail::accumulator_of<T, size>(accumulator), stride,
                                   rows, columns, lane);
}

// Calls that are mistakes, and the sentence for each.

namespace detail {

/// False, and known to be only when a template is instantiated.
template <class...>
inline constexpr bool never = false;

}  // namespace detail

template <Order order = Order::row_major, Operand operand, class T, Family family, int k, int side,
          std::integral Stride, class Memory, class... Rest>
HEDDLE_DEVICE void load_matrix_sync(Fragment<operand, T, family, k, side>&, Stride, const Memory*,
                                    Rest...) {
  static_assert(detail::never<T>,
                "the pointer comes before the stride: load_matrix_sync(fragment, pointer, stride)");
}
template <class T, Family family, int k, int side, class... Rest>
HEDDLE_DEVICE void load_matrix_sync_lds(FragmentB<T, family, k, side>&, const Rest&...) {
  static_assert(detail::never<T>,
                "load_matrix_sync_lds loads a fragment of A; one of B is loaded by "
                "load_matrix_sync_lds_b_transposed, or by load_matrix_sync in any order");
}
template <class T, Family family, int k, int side, class... Rest>
HEDDLE_DEVICE void load_matrix_sync_lds_b_transposed(FragmentA<T, family, k, side>&,
                                                     const Rest&...) {
  static_assert(detail::never<T>,
                "load_matrix_sync_lds_b_transposed loads a fragment of B; one of A is loaded by "
                "load_matrix_sync_lds, or by load_matrix_sync in any order");
}

#define HEDDLE_REFUSE_STORES(store_name)                                                           \
  template <Order order = Order::row_major, class Memory, Operand operand, class T, Family family, \
            int k, int side, class... Rest>                                                        \
    requires(operand != Operand::d)                                                                \
  HEDDLE_DEVICE void store_name(Memory*, const Fragment<operand, T, family, k, side>&, Rest...) {  \
    static_assert(detail::never<T>,                                                                \
                  "accumulators are stored; a fragment of A or B is only loaded");                 \
  }                                                                                                \
  template <Order order = Order::row_major, class Memory, Operand operand, class T, Family family, \
            int k, int side, class... Rest>                                                        \
  HEDDLE_DEVICE void store_name(const Fragment<operand, T, family, k, side>&, Memory*, Rest...) {  \
    static_assert(detail::never<T>,                                                                \
                  "the pointer comes first: " #store_name "(pointer, accumulator, stride, ...)");  \
  }
HEDDLE_REFUSE_STORES(store_matrix_sync)
HEDDLE_REFUSE_STORES(store_matrix_sync_bounded)
#undef HEDDLE_REFUSE_STORES

}  // namespace heddle::device
