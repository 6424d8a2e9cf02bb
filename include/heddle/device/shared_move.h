// Moves a tile between the registers of a thread block and shared memory, according to two maps:
//
//   held    (position, lane, warp) -> axes of the tile      what each thread has in its registers
//   shared  offset -> axes of the tile, and padding         its layout (shared_layout.h)
//
//   offsets = inverse(shared) ∘ held      (position, lane, warp) -> offset
//
// Positions whose bits map to the lowest bits of the offset move together, up to 16 bytes. An
// address is the sum of two parts. The thread's part is computed once, from its lane and warp. The
// position's part is a constant, and becomes the immediate offset of the instruction. If a swizzle
// mixes the two parts (they share bits of the offset), an xor is computed once for each different
// constant.
//
//     using Move = SharedMove<shared, held, 16>;             // 16-bit elements
//     Move::width, Move::accesses                            elements an instruction, and how many
//     Move::store(lds, thread, [&](int position) { return values[position]; });
//     synchronize_shared();
//     Move::load<Move::accesses>(lds, thread, 0, [&](int position, auto value) { … });
//
// Positions are numbered as in `held`; the callbacks receive them as constants where loops are
// unrolled.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heddle/device/platform.h"
#include "heddle/device/vector_types.h"
#include "heddle/layout/index.h"
#include "heddle/layout/layout.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::device {

/// An unsigned integer with the size of an element. Elements are moved as such, since nothing is
/// computed with them.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;

/// A thread in a block of one dimension.
struct Thread {
  unsigned lane = 0;  // 0 .. 31
  unsigned warp = 0;  // number of its wave in the block
};

#if defined(__HIP__)
HEDDLE_DEVICE inline Thread this_thread() { return {lane_index(), wave_index()}; }
#else
/// On the host there is no current thread: the caller must pass one.
[[noreturn]] inline Thread this_thread() { __builtin_trap(); }
#endif

/// Calls visit(0), visit(1), … visit(count - 1) with constants (std::integral_constant).
template <int count>
HEDDLE_DEVICE constexpr void unroll(auto&& visit) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (visit(std::integral_constant<int, i>()), ...);
  }(std::make_integer_sequence<int, count>());
}

/// The identity map from `size` values of axis `in` to the same values of axis `out`, as a factor
/// of a product of layouts. size is a power of two.
constexpr layout::LinearLayout along(int size, const layout::AxisName& in,
                                     const layout::AxisName& out) {
  return layout::LinearLayout::identity(static_cast<std::uint64_t>(size), in, out).value();
}

/// A map in which `size` values of axis `in` hold the same elements (copies). `out` is any axis of
/// the tile.
constexpr layout::LinearLayout copies(int size, const layout::AxisName& in,
                                      const layout::AxisName& out) {
  return layout::LinearLayout::zeros(static_cast<std::uint64_t>(size), in, out).value();
}

/// The product of all these layouts; the first takes the lowest bits of every axis.
template <class... Parts>
constexpr layout::LinearLayout product_of(layout::LinearLayout first, const Parts&... rest) {
  ((first = layout::product(first, rest).value()), ...);
  return first;
}

/// The map (position, lane, warp) -> tile with its input axes in this order. `held` may lack some
/// of these axes.
constexpr layout::LinearLayout held_by_threads(const layout::LinearLayout& held) {
  const layout::AxisList axes{{"position", 0}, {"lane", 0}, {"warp", 0}};
  const layout::LinearLayout none = layout::LinearLayout::from_words(axes, {}, {}).value();
  return layout::product(none, held).value();
}

/// The loads and stores of one tile. `shared` and `held` are the maps described above, as constants
/// with static storage. Elements have 8, 16 or 32 bits. Each element of `held` must be in `shared`.
template <const memory::SharedLayout& shared, const layout::LinearLayout& held, int element_bits>
struct SharedMove {
  static constexpr layout::LinearLayout offsets =
      layout::invert_and_compose(held_by_threads(held), shared.map).value();
  static constexpr layout::LinearLayout of_thread =
      layout::sublayout(offsets, {"lane", "warp"}, {"offset"}).value();

  static constexpr int position_bits = offsets.inputs().bits_of("position");
  /// Elements that a thread holds.
  static constexpr int positions = 1 << position_bits;
  /// Bits of the offset that depend on the thread.
  static constexpr std::uint64_t thread_mask = [] {
    std::uint64_t mask = 0;
    for (int bit = 0; bit < of_thread.input_bits(); ++bit) mask |= of_thread.basis(bit);
    return mask;
  }();

  /// The bits of the position that map to bits 0, 1, … of the offset and to no other bit. Each of
  /// them doubles the number of elements that one instruction moves, up to 16 bytes: 4 bits for
  /// 8-bit elements, 2 for 32-bit elements.
  struct Vector {
    int count = 0;
    std::array<int, 4> bit{};
  };
  static constexpr Vector vector = [] {
    Vector found;
    const auto is_free = [](int offset_bit) {
      const std::uint64_t mask = std::uint64_t{1} << offset_bit;
      for (const memory::Padding& padding : shared.padding)
        if (((padding.interval | padding.amount) & mask) != 0) return false;
      int touched = 0;
      for (int bit = 0; bit < offsets.input_bits(); ++bit)
        touched += (offsets.basis(bit) & mask) != 0;
      return touched == 1;
    };
    while (element_bits << found.count < 128 && found.count < 4) {
      int next = -1;
      for (int bit = 0; bit < position_bits; ++bit)
        if (offsets.basis(bit) == std::uint64_t{1} << found.count) next = bit;
      if (next < 0 || !is_free(found.count)) break;
      found.bit[static_cast<std::size_t>(found.count++)] = next;
    }
    return found;
  }();
  /// The number of elements that one instruction moves, and the number of instructions that move
  /// all elements of a thread.
  static constexpr int width = 1 << vector.count;
  static constexpr int accesses = positions / width;

  /// The positions of the elements of access 0. For another access, add the position of its first
  /// element.
  static constexpr std::array<int, static_cast<std::size_t>(width)> element_table = [] {
    std::array<int, static_cast<std::size_t>(width)> table{};
    for (int element = 0; element < width; ++element)
      for (int i = 0; i < vector.count; ++i)
        table[static_cast<std::size_t>(element)] |= (element >> i & 1)
                                                    << vector.bit[static_cast<std::size_t>(i)];
    return table;
  }();

  /// The part of an offset that depends on the thread, without padding. It is the same for all
  /// accesses of the thread.
  static HEDDLE_DEVICE constexpr unsigned thread_offset(Thread thread) {
    return layout::map_index<of_thread>(thread.lane, thread.warp)[0];
  }

  /// The constant parts of an access. They are in tables, and the compiler unrolls loops over the
  /// tables: a function for each element would take most of a kernel's compile time.
  struct Access {
    int first = 0;       // position of its first element
    unsigned mixed = 0;  // bits of the offset that the thread shares, to be combined by xor
    unsigned apart = 0;  // elements from there on, padding included
  };
  static constexpr std::array<Access, static_cast<std::size_t>(accesses)> access_table = [] {
    std::array<Access, static_cast<std::size_t>(accesses)> table;
    // `first` counts through those bits of the position that are not within one access.
    const int taken = element_table.back();
    int first = 0;
    for (Access& access : table) {
      const std::uint64_t constant = offsets.apply(static_cast<std::uint64_t>(first));
      access = {first, static_cast<unsigned>(constant & thread_mask),
                static_cast<unsigned>(shared.place(constant & ~thread_mask))};
      first = ((first | taken) + 1) & ~taken;
    }
    return table;
  }();

  /// The offset in elements, with padding, of what the thread moves by `access`.
  static HEDDLE_DEVICE constexpr unsigned place(const Access& access, unsigned thread_offset) {
    return padded(thread_offset ^ access.mixed) + access.apart;
  }

  /// Calls take(position, value) for the elements of `count` accesses, beginning with access
  /// `first`. The loops are unrolled: if `first` is a constant, so are all positions. `tile` must
  /// be aligned to 16 bytes.
  template <int count, class T>
  static HEDDLE_DEVICE constexpr void load(const T* tile, Thread thread, int first, auto&& take) {
    using Piece = device::Vector<T, width>;
    constexpr auto table = access_table;
    constexpr auto elements = element_table;
    const unsigned offset = thread_offset(thread);
#pragma unroll
    for (int i = first; i < first + count; ++i) {
      const Access& access = table[static_cast<std::size_t>(i)];
      const Piece piece = *reinterpret_cast<const Piece*>(tile + place(access, offset));
#pragma unroll
      for (int element = 0; element < width; ++element)
        take(access.first | elements[static_cast<std::size_t>(element)], piece[element]);
    }
  }

  /// Stores give(position) for every element of the thread. `tile` must be aligned to 16 bytes.
  template <class T>
  static HEDDLE_DEVICE constexpr void store(T* tile, Thread thread, auto&& give) {
    using Piece = device::Vector<T, width>;
    constexpr auto table = access_table;
    constexpr auto elements = element_table;
    const unsigned offset = thread_offset(thread);
#pragma unroll
    for (int i = 0; i < accesses; ++i) {
      const Access& access = table[static_cast<std::size_t>(i)];
      Piece piece;
#pragma unroll
      for (int element = 0; element < width; ++element)
        piece[element] = give(access.first | elements[static_cast<std::size_t>(element)]);
      *reinterpret_cast<Piece*>(tile + place(access, offset)) = piece;
    }
  }

 private:
  /// shared.place for an offset of run time.
  static HEDDLE_DEVICE constexpr unsigned padded(unsigned offset) {
    return add_padding(offset, std::make_index_sequence<shared.padding.size()>());
  }
  template <std::size_t... i>
  static HEDDLE_DEVICE constexpr unsigned add_padding(unsigned offset, std::index_sequence<i...>) {
    return offset + (0u + ... + part_of_padding<i>(offset));
  }
  template <std::size_t i>
  static HEDDLE_DEVICE constexpr unsigned part_of_padding(unsigned offset) {
    constexpr memory::Padding padding = shared.padding.begin()[i];
    return (offset >> std::countr_zero(padding.interval)) * static_cast<unsigned>(padding.amount);
  }
};

}  // namespace heddle::device
