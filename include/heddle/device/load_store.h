// Loads fragments from matrices in memory (global or LDS), and stores them there.
//
//   load_matrix_sync(a, A + row * k + kk, k);                            // A row-major
//   load_matrix_sync<Order::column_major>(b, B_t + column * k + kk, k);   // B as rows of k
//   load_matrix_sync_bounded(a, A + row * k + kk, k, m - row, k - kk);   // zeros outside
//   store_matrix_sync_bounded(C + row * n + column, d, n, m - row, n - column);
//
// Here row and column have type long, because an int would overflow from 2^31 elements on.
//
// The pointer points to the fragment's element (0, 0). The stride is the number of elements from a
// row to the next, or in column-major matrices from a column to the next. Every lane moves its own
// elements. One access moves the elements that are contiguous in the lane's registers and in
// memory, up to 16 bytes. Any address is allowed, since AMD's systems enable unaligned access;
// multiples of 16 bytes are faster. The elements of one fragment must lie within 4 GiB. Two 4-bit
// elements share a byte: then the pointer points to bytes, and every row begins at a whole byte.
//
// The elements in memory may have another type with the same bits, such as HIP's __half. A store,
// and a load of C, also converts between float, half_t and bhalf_t.
//
// HOW WIDE AN ACCESS BECOMES, for fragments of 16 x 16 x 16:
//
//     fragment, order in memory              gfx11                     gfx12
//     A of half_t, row_major                 2 x 16 bytes a lane       1 x 16 bytes
//     A of half_t, column_major              16 x 2 bytes              8 x 2 bytes
//     B of half_t, column_major              as A by rows              as A by rows
//     D of float, row_major                  8 x 4 bytes               8 x 4 bytes
//     D of float, column_major               8 x 4 bytes               2 x 16 bytes
//
// A lane holds a row of A along k and a column of B along k, so memory orders that are contiguous
// along k are the fast ones. On gfx12 a lane holds 8 consecutive elements of a column of D, so
// column_major gives wide stores.
//
// `_sync` says that the whole wave takes part; there is no barrier inside. After LDS is written,
// call synchronize_block() before the load.
//
// THE COST OF EDGES. The _bounded functions access element by element and compare each position
// with the bounds; the others move up to 16 bytes at once and compare nothing. So use the _bounded
// functions only for tiles at the edge of the matrix.
//
//     tile inside the matrix     load_matrix_sync             as wide as the order in memory allows
//     tile at the edge           load_matrix_sync_bounded     a load and a comparison an element
#pragma once

#include <concepts>
#include <type_traits>

#include "heddle/device/fragment.h"

namespace heddle::device {

/// Which elements are contiguous in memory: those of a row, or those of a column.
///     row_major      element (r, c) is at r * stride + c
///     column_major   element (r, c) is at c * stride + r
enum class Order : bool { row_major, column_major };

namespace detail {

/// The row and column of a lane's element i are the sum of a part that depends only on the lane and
/// a part that depends only on i. This is the part that depends on i: the row and column of element
/// i in lane 0.
template <class F>
struct ElementPlace {
  unsigned row, column;
  constexpr explicit ElementPlace(int i) : row(F::row(i, 0)), column(F::column(i, 0)) {}
};

/// How many of a lane's elements are consecutive along one axis and fill at most 16 bytes. Axis 0
/// goes along a column (for column-major memory), axis 1 along a row. `memory_bits` is the size of
/// an element in memory.
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

/// The number of bits of an element in memory. Memory may be an element type or another type of the
/// same size.
template <class F, class Memory>
constexpr int memory_bits() {
  return F::bits < 8 ? F::bits : 8 * static_cast<int>(sizeof(Memory));
}

/// True if memory holds the same bits as the fragment's elements, so that no conversion is needed.
template <class F, class Memory>
inline constexpr bool same_bits =
    F::bits < 8 ? sizeof(Memory) == 1
                : sizeof(Memory) * 8 == F::bits &&
                      (!is_element<Memory> || F::bits == 8 ||
                       element_kind<Memory>.type == element_kind<typename F::Element>.type);

/// The pointer, advanced by `offset` elements. The offset in bytes is an unsigned 32-bit number. So
/// a uniform pointer stays in scalar registers, and only the offset takes a vector register.
template <class F, class Memory>
HEDDLE_DEVICE Memory* advance(Memory* pointer, unsigned offset) {
  using Byte = std::conditional_t<std::is_const_v<Memory>, const char, char>;
  constexpr unsigned bits = memory_bits<F, std::remove_const_t<Memory>>();
  const unsigned bytes = bits < 8 ? offset / 2 : offset * (bits / 8);
  return reinterpret_cast<Memory*>(reinterpret_cast<Byte*>(pointer) + bytes);
}

/// Loads elements i to i + count - 1 of the fragment, which are contiguous in memory.
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

/// Calculates the addresses of a lane's elements. Each is the sum of a part that depends on the
/// lane and a constant part (ElementPlace).
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
  /// The address of this lane's element at `at`. For A and B, the constant part is added to the
  /// pointer: the pointer is usually uniform and in scalar registers, so a loop over k needs no
  /// vector register for it. For D, the constant part is added to the lane's offset, which all
  /// fragments of a tile share.
  template <class Memory>
  HEDDLE_DEVICE Memory* element(Memory* pointer, ElementPlace<F> at) const {
    if constexpr (F::operand == Operand::d)
      return advance<F>(pointer, lane_offset() + offset(at));
    else
      return advance<F>(advance<F>(pointer, offset(at)), lane_offset());
  }
  /// True if a 4-bit element is in the high half of its byte.
  HEDDLE_DEVICE bool is_odd(ElementPlace<F> at) const {
    return F::bits < 8 && (lane_offset() + offset(at)) % 2 != 0;
  }
  HEDDLE_DEVICE bool is_inside(ElementPlace<F> at, int rows, int columns) const {
    return static_cast<int>(row + at.row) < rows && static_cast<int>(column + at.column) < columns;
  }
};

/// The number of elements that one access moves: the elements that are contiguous in the lane and
/// in memory. It is 1 for elements of fewer than 16 bits that would not fill whole registers.
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

/// Loads the fragment whose element (0, 0) is at `pointer`.
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

/// Like load_matrix_sync(), if only `rows` x `columns` elements from `pointer` on exist. The other
/// elements of the fragment become 0 and are not read. `rows` and `columns` may exceed the
/// fragment's size or be 0.
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

/// Loads A from LDS, where the rows of A are contiguous along k and `stride` elements apart.
/// `pointer` points to row 0 and k = 0 of the fragment.
template <class T, Family family, int k, int side, class Memory>
HEDDLE_DEVICE void load_matrix_sync_lds(FragmentA<T, family, k, side>& fragment,
                                        const Memory* pointer, unsigned stride,
                                        unsigned lane = lane_index()) {
  load_matrix_sync<Order::row_major>(fragment, pointer, stride, lane);
}

/// Loads B from LDS, where B is transposed: each row is a column of B along k. The rows are
/// `stride` elements apart.
template <class T, Family family, int k, int side, class Memory>
HEDDLE_DEVICE void load_matrix_sync_lds_b_transposed(FragmentB<T, family, k, side>& fragment,
                                                     const Memory* pointer, unsigned stride,
                                                     unsigned lane = lane_index()) {
  load_matrix_sync<Order::column_major>(fragment, pointer, stride, lane);
}

namespace detail {

/// Loads a fragment into a plain vector: half16 or half8, bhalf16 or bhalf8, depending on the
/// family. int32 vectors hold 8-bit integers.
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

/// load_matrix_sync_lds() and load_matrix_sync_lds_b_transposed() for plain vectors, for kernels
/// that call the builtins directly.
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

/// Stores the accumulator: element (0, 0) goes to `pointer`. Values are converted to Memory.
template <Order order = Order::row_major, class Memory, class T, Family family, int side>
HEDDLE_DEVICE void store_matrix_sync(Memory* pointer, const Accumulator<T, family, side>& fragment,
                                     unsigned stride, unsigned lane = lane_index()) {
  using F = Accumulator<T, family, side>;
  // The compiler has no vectors of class types such as HIP's __half, so these are stored one by
  // one.
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

/// Like store_matrix_sync(), if only `rows` x `columns` elements from `pointer` on exist: the other
/// elements of the fragment are not written.
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

/// The accumulator that has a plain vector as its registers.
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

/// store_matrix_sync() and store_matrix_sync_bounded() for plain vectors (a float8 or an int32x8),
/// for kernels that call the builtins directly.
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

// Overloads that match mistaken calls. Each fails with an error message that explains the mistake.

namespace detail {

/// False, but only evaluated when a template is instantiated.
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
