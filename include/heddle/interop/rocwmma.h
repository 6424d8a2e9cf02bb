// The names of rocWMMA, implemented by Heddle's device headers. A kernel for rocWMMA is ported by
// changing an include: fragment, fill_fragment, load_matrix_sync, mma_sync, store_matrix_sync,
// layouts, types.
//
//   #include "heddle/interop/rocwmma.h"         // instead of <rocwmma/rocwmma.hpp>
//
//   rocwmma::fragment<rocwmma::matrix_a, 16, 16, 16, rocwmma::float16_t, rocwmma::row_major> a;
//   rocwmma::fragment<rocwmma::accumulator, 16, 16, 16, rocwmma::float32_t> sum;
//   rocwmma::fill_fragment(sum, 0.0f);
//   rocwmma::load_matrix_sync(a, pointer, lda);
//   rocwmma::mma_sync(sum, a, b, sum);
//   rocwmma::store_matrix_sync(pointer, sum, ldd, rocwmma::mem_row_major);
//
// It needs no ROCm; with ROCm, HIP's headers must come first. The differences to rocWMMA:
//
//   sizes    BlockM, BlockN, BlockK are multiples of 16; a fragment is made of atoms of 16x16x16
//   types    those that WMMA of gfx11 and gfx12 multiplies (multiply_accumulate.h): no f32 or f64
//            inputs, so simple_sgemm and simple_dgemm have no instruction here; rocWMMA rejects
//            them on these GPUs too
//   x        elements in Heddle's order, atom by atom. As in rocWMMA, code that uses x is only
//            portable if it treats all elements alike; row(i) and column(i) say what element i is
//   speed    on gfx11 a 16-bit accumulator is packed and unpacked around mma_sync: prefer float
//   absent   cooperative loads, fragment transforms (rocwmma_transforms.hpp), waves of 64
//
// Source of names and meanings: ROCm documentation of rocWMMA, "API reference guide".
#pragma once

#include <cstdint>
#include <numeric>
#include <type_traits>

#include "heddle/device/load_store.h"
#include "heddle/device/multiply_accumulate.h"

namespace heddle::interop::rocwmma {

using float16_t = device::half_t;
/// In rocWMMA this is HIP's __half. __half is also accepted here, as a fragment's type and in
/// memory.
using hfloat16_t = device::half_t;
using bfloat16_t = device::bhalf_t;
using float32_t = float;
using float8_t = device::fp8_t;
using bfloat8_t = device::bf8_t;
using std::int32_t;
using std::int8_t;
using std::uint8_t;

/// The operand of which a fragment is a part: A (BlockM x BlockK), B (BlockK x BlockN), or C and D
/// (BlockM x BlockN). These types are only tags and have no members.
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};

/// The layout in memory, as the fourth argument of a load or store, if the fragment's type does not
/// give it. ldm is the number of elements from a row to the next (mem_row_major) or from a column
/// to the next (mem_col_major).
enum layout_t { mem_row_major, mem_col_major };

struct Constants {
  static constexpr std::uint32_t AMDGCN_WAVE_SIZE = device::wave_size;
};

namespace detail {

template <class MatrixT>
inline constexpr device::Operand operand = std::is_same_v<MatrixT, matrix_a>   ? device::Operand::a
                                           : std::is_same_v<MatrixT, matrix_b> ? device::Operand::b
                                                                               : device::Operand::d;

/// HIP's class of f16, if its header was included before; else half_t.
#if defined(HIP_INCLUDE_HIP_HIP_FP16_H) || defined(HIP_INCLUDE_HIP_AMD_DETAIL_HIP_FP16_H)
using HipHalf = ::__half;
#else
using HipHalf = device::half_t;
#endif

/// The type of the elements that a fragment of DataT holds.
template <class DataT>
using Element = std::conditional_t<std::is_same_v<DataT, HipHalf>, device::half_t, DataT>;

/// 8-bit elements, packed into the 32-bit words of registers. They are read and written one at a
/// time.
template <class T, std::uint32_t count>
struct PackedElements {
  static constexpr int bits = 8;
  std::int32_t words[count * bits / 32];

  struct Element {
    std::int32_t& word;
    unsigned shift;
    HEDDLE_DEVICE operator T() const {
      return static_cast<T>(static_cast<std::uint32_t>(word) >> shift & 0xff);
    }
    HEDDLE_DEVICE Element& operator=(T x) {
      const auto others = static_cast<std::uint32_t>(word) & ~(0xffu << shift);
      word = static_cast<std::int32_t>(
          others | static_cast<std::uint32_t>(static_cast<std::uint8_t>(x)) << shift);
      return *this;
    }
  };
  HEDDLE_DEVICE Element operator[](std::uint32_t i) { return {words[i / 4], i % 4 * 8}; }
  HEDDLE_DEVICE T operator[](std::uint32_t i) const {
    return static_cast<T>(static_cast<std::uint32_t>(words[i / 4]) >> i % 4 * 8 & 0xff);
  }
};

template <class T, std::uint32_t count>
struct Elements {
  T elements[count];
  HEDDLE_DEVICE T& operator[](std::uint32_t i) { return elements[i]; }
  HEDDLE_DEVICE T operator[](std::uint32_t i) const { return elements[i]; }
};
template <class T, std::uint32_t count>
  requires(sizeof(T) == 1)
struct Elements<T, count> : PackedElements<T, count> {};

}  // namespace detail

/// A tile that the lanes of a wave hold together: BlockM x BlockK (matrix_a), BlockK x BlockN
/// (matrix_b) or BlockM x BlockN (accumulator). Each object has the elements of one lane.
/// DataLayout: row_major, col_major, or void if each load gives the layout.
template <class MatrixT, std::uint32_t BlockM, std::uint32_t BlockN, std::uint32_t BlockK,
          class DataT, class DataLayout = void>
class fragment {
  static_assert(BlockM % 16 == 0 && BlockN % 16 == 0 && BlockK % 16 == 0 && BlockM > 0 &&
                    BlockN > 0 && BlockK > 0,
                "BlockM, BlockN and BlockK of a fragment are multiples of 16 here");

 public:
  using Atom = device::Fragment<detail::operand<MatrixT>, detail::Element<DataT>>;
  using element_type = DataT;

  static constexpr std::uint32_t height() {
    return std::is_same_v<MatrixT, matrix_b> ? BlockK : BlockM;
  }
  static constexpr std::uint32_t width() {
    return std::is_same_v<MatrixT, matrix_a> ? BlockK : BlockN;
  }
  static constexpr std::uint32_t atom_size = Atom::size;
  static constexpr std::uint32_t num_elements = height() / 16 * (width() / 16) * atom_size;
  static constexpr std::uint32_t size() { return num_elements; }

  /// The lane's elements. The elements of atom (row, column) begin at index (row * width() / 16 +
  /// column) * atom_size.
  detail::Elements<detail::Element<DataT>, num_elements> x;

  HEDDLE_DEVICE decltype(auto) operator[](std::uint32_t i) { return x[i]; }
  HEDDLE_DEVICE detail::Element<DataT> operator[](std::uint32_t i) const { return x[i]; }

  /// The row and column in the tile of the lane's element i.
  HEDDLE_DEVICE static std::uint32_t row(std::uint32_t i) {
    return i / atom_size / (width() / 16) * 16 + Atom::row(static_cast<int>(i % atom_size));
  }
  HEDDLE_DEVICE static std::uint32_t column(std::uint32_t i) {
    return i / atom_size % (width() / 16) * 16 + Atom::column(static_cast<int>(i % atom_size));
  }

  /// Gets and sets the part of the tile that is the operand of one instruction. rocWMMA has no such
  /// functions.
  HEDDLE_DEVICE Atom atom(std::uint32_t row, std::uint32_t column) const {
    Atom result{};
    const std::uint32_t first = (row * (width() / 16) + column) * atom_size;
    if constexpr (sizeof(DataT) == 1) {
      for (std::uint32_t i = 0; i < atom_size / 4; ++i)
        result.registers[i] = x.words[first / 4 + i];
    } else {
      for (std::uint32_t i = 0; i < atom_size; ++i) result.set(static_cast<int>(i), x[first + i]);
    }
    return result;
  }
  HEDDLE_DEVICE void set_atom(std::uint32_t row, std::uint32_t column, const Atom& from) {
    const std::uint32_t first = (row * (width() / 16) + column) * atom_size;
    if constexpr (sizeof(DataT) == 1) {
      for (std::uint32_t i = 0; i < atom_size / 4; ++i) x.words[first / 4 + i] = from.registers[i];
    } else {
      for (std::uint32_t i = 0; i < atom_size; ++i) x[first + i] = from[static_cast<int>(i)];
    }
  }
};

namespace detail {

template <class Layout>
inline constexpr bool has_layout =
    std::is_same_v<Layout, row_major> || std::is_same_v<Layout, col_major>;
template <class Layout>
inline constexpr layout_t layout_of =
    std::is_same_v<Layout, col_major> ? mem_col_major : mem_row_major;

/// Calls visit(row, column, offset) for each atom of the tile. row and column count atoms; `offset`
/// is the atom's offset in memory, in elements.
template <layout_t layout, class Fragment, class Visit>
HEDDLE_DEVICE void for_each_atom(std::uint32_t ldm, Visit visit) {
#pragma unroll
  for (std::uint32_t row = 0; row < Fragment::height() / 16; ++row)
#pragma unroll
    for (std::uint32_t column = 0; column < Fragment::width() / 16; ++column)
      visit(row, column,
            layout == mem_row_major ? std::size_t{16} * row * ldm + 16 * column
                                    : std::size_t{16} * column * ldm + 16 * row);
}

template <layout_t layout>
inline constexpr device::Order order =
    layout == mem_row_major ? device::Order::row_major : device::Order::column_major;

template <layout_t layout, class Fragment, class DataT>
HEDDLE_DEVICE void load(Fragment& frag, const DataT* data, std::uint32_t ldm) {
  for_each_atom<layout, Fragment>(ldm, [&](std::uint32_t row, std::uint32_t column,
                                           std::size_t offset) __attribute__((always_inline)) {
    typename Fragment::Atom atom;
    device::load_matrix_sync<order<layout>>(atom, data + offset, ldm);
    frag.set_atom(row, column, atom);
  });
}

template <layout_t layout, class Fragment, class DataT>
HEDDLE_DEVICE void store(DataT* data, const Fragment& frag, std::uint32_t ldm) {
  for_each_atom<layout, Fragment>(ldm, [&](std::uint32_t row, std::uint32_t column,
                                           std::size_t offset) __attribute__((always_inline)) {
    device::store_matrix_sync<order<layout>>(data + offset, frag.atom(row, column), ldm);
  });
}

}  // namespace detail

/// Every element becomes `value`.
template <class MatrixT, std::uint32_t BlockM, std::uint32_t BlockN, std::uint32_t BlockK,
          class DataT, class DataLayout>
HEDDLE_DEVICE void fill_fragment(fragment<MatrixT, BlockM, BlockN, BlockK, DataT, DataLayout>& frag,
                                 std::type_identity_t<DataT> value) {
#pragma unroll
  for (std::uint32_t i = 0; i < frag.num_elements; ++i)
    frag.x[i] = static_cast<detail::Element<DataT>>(value);
}

/// Loads the tile whose element (0, 0) is at `data`. ldm is the number of elements from a row to
/// the next (row-major), or from a column to the next (column-major).
template <class MatrixT, std::uint32_t BlockM, std::uint32_t BlockN, std::uint32_t BlockK,
          class DataT, class DataLayout, class Memory>
HEDDLE_DEVICE void load_matrix_sync(
    fragment<MatrixT, BlockM, BlockN, BlockK, DataT, DataLayout>& frag, const Memory* data,
    std::uint32_t ldm) {
  static_assert(detail::has_layout<DataLayout>,
                "a fragment without row_major or col_major is loaded with a fourth argument: "
                "mem_row_major or mem_col_major");
  detail::load<detail::layout_of<DataLayout>>(frag, data, ldm);
}
template <class MatrixT, std::uint32_t BlockM, std::uint32_t BlockN, std::uint32_t BlockK,
          class DataT, class DataLayout, class Memory>
HEDDLE_DEVICE void load_matrix_sync(
    fragment<MatrixT, BlockM, BlockN, BlockK, DataT, DataLayout>& frag, const Memory* data,
    std::uint32_t ldm, layout_t layout) {
  if (layout == mem_row_major)
    detail::load<mem_row_major>(frag, data, ldm);
  else
    detail::load<mem_col_major>(frag, data, ldm);
}

/// The other way, of an accumulator.
template <std::uint32_t BlockM, std::uint32_t BlockN, std::uint32_t BlockK, class DataT,
          class DataLayout, class Memory>
HEDDLE_DEVICE void store_matrix_sync(
    Memory* data, const fragment<accumulator, BlockM, BlockN, BlockK, DataT, DataLayout>& frag,
    std::uint32_t ldm) {
  static_assert(detail::has_layout<DataLayout>,
                "a fragment without row_major or col_major is stored with a fourth argument: "
                "mem_row_major or mem_col_major");
  detail::store<detail::layout_of<DataLayout>>(data, frag, ldm);
}
template <std::uint32_t BlockM, std::uint32_t BlockN, std::uint32_t BlockK, class DataT,
          class DataLayout, class Memory>
HEDDLE_DEVICE void store_matrix_sync(
    Memory* data, const fragment<accumulator, BlockM, BlockN, BlockK, DataT, DataLayout>& frag,
    std::uint32_t ldm, layout_t layout) {
  if (layout == mem_row_major)
    detail::store<mem_row_major>(data, frag, ldm);
  else
    detail::store<mem_col_major>(data, frag, ldm);
}

/// Of A or B: a mistake.
template <class Memory, class MatrixT, std::uint32_t BlockM, std::uint32_t BlockN,
          std::uint32_t BlockK, class DataT, class DataLayout, class... Rest>
  requires(!std::is_same_v<MatrixT, accumulator>)
HEDDLE_DEVICE void store_matrix_sync(
    Memory*, const fragment<MatrixT, BlockM, BlockN, BlockK, DataT, DataLayout>&, Rest...) {
  static_assert(sizeof(MatrixT) == 0,
                "accumulators are stored; a fragment of matrix_a or matrix_b is only loaded");
}

#if defined(__HIP__)

/// d = a * b + c; d may be c.
template <std::uint32_t BlockM, std::uint32_t BlockN, std::uint32_t BlockK, class TA, class TB,
          class TD, class LayoutA, class LayoutB, class LayoutC, class LayoutD>
HEDDLE_DEVICE void mma_sync(fragment<accumulator, BlockM, BlockN, BlockK, TD, LayoutD>& d,
                            const fragment<matrix_a, BlockM, BlockN, BlockK, TA, LayoutA>& a,
                            const fragment<matrix_b, BlockM, BlockN, BlockK, TB, LayoutB>& b,
                            const fragment<accumulator, BlockM, BlockN, BlockK, TD, LayoutC>& c) {
#pragma unroll
  for (std::uint32_t row = 0; row < BlockM / 16; ++row)
#pragma unroll
    for (std::uint32_t column = 0; column < BlockN / 16; ++column) {
      auto sum = c.atom(row, column);
#pragma unroll
      for (std::uint32_t k = 0; k < BlockK / 16; ++k)
        sum = device::multiply_accumulate(a.atom(row, k), b.atom(k, column), sum);
      d.set_atom(row, column, sum);
    }
}

/// Anything else is a mistake.
template <class D, class A, class B, class C>
HEDDLE_DEVICE void mma_sync(D&, const A&, const B&, const C&) {
  static_assert(
      sizeof(D) == 0,
      "mma_sync(d, a, b, c) takes fragments accumulator, matrix_a, matrix_b, accumulator, "
      "in this order, of one BlockM, BlockN and BlockK, and d of the type of c");
}

/// Waits for all waves of the block.
HEDDLE_DEVICE inline void synchronize_workgroup() { device::synchronize_block(); }

#endif

}  // namespace heddle::interop::rocwmma

/// As rocWMMA's kernels call it.
namespace rocwmma = heddle::interop::rocwmma;
