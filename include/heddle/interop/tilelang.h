// TileLang's WMMA layout functions with their own names, computed from the catalogue.
//
// They replace tilelang.rocm.intrinsics.wmma_layout (before 2026 tilelang.intrinsics.wmma_layout):
// same names, same order of arguments, same results.
//
//   auto [i, j] = wmma_store_index_map_gfx11(thread_id, local_id);           // ints, in a kernel
//   auto [i, j] = wmma_store_index_map_gfx11(Formula("t"), Formula("l"));    // i.text(), j.text()
//
// Index is an integer type or layout::Formula. Arguments must be non-negative and within the shape
// that the function's name gives: i, j < 16; thread_id < 32; local_id < 8 or 16; rep < 2. A thread
// is a lane of a wave32, and local_id numbers the elements that it holds.
//
// On gfx12 TileLang numbers k so that a lane's elements are consecutive: KOrder::contiguous, not
// the order of the ISA. On gfx11 the two orders are the same.
//
// Witness: TileLang's wmma_layout.py (github.com/tile-ai/tilelang, commit a35008a4), evaluated for
// all arguments of every function, in tests/data/tilelang_wmma.json.gz.
//
// THE NAMES, and what each function maps:
//
//     shared_16x16_to_local_32x8_layout_A_gfx12          (i, j) -> (thread_id, local_id)
//     thread_id_shared_access_32x8_to_16x16_layout_A_…   (thread_id, local_id) -> (i, j)
//     …_colmajor_…                                       the tile is transposed: i and j swapped
//     fragment_forward_A_gfx11(i, j, rep)                of copy rep: gfx11 holds A and B twice
//     wmma_store_index_map_gfx12                         the position of a thread's results in C
//     get_wmma_…_funcs(11 or 12, …)                      the pair of functions of a generation
//
//     A and B have 8 elements a lane on gfx12 (32x8) and 16 on gfx11 (32x16); C has 8 on both.
//
//     wmma_store_index_map_gfx11(17, 3)      (7, 1): row 2 * 3 + 1, as 17 is in the upper half
//     wmma_store_index_map_gfx12(17, 3)      (11, 1): row 3 + 8
//
// The functions can be evaluated at compile time: a static_assert on their results costs a kernel
// nothing.
#pragma once

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/algebra.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/index.h"
#include "heddle/layout/solve.h"

namespace heddle::interop::tilelang {

// A pair (thread, local) or (i, j): auto [first, second] = ...
template <class Index>
using Pair = std::array<Index, 2>;

/// The layout of the tile in memory: not transposed (A: m x k, B: k x n), or transposed.
enum class Storage : bool { row_major, transposed };

namespace maps {

using instruction::ElementType;
using instruction::Family;
using instruction::Operand;
using layout::Axis;
using layout::LinearLayout;

/// The instruction that TileLang uses: f16 into f32. bf16 has the same layouts.
constexpr const instruction::Instruction& wmma(Family family) {
  const auto target =
      family == Family::gfx11 ? instruction::Target::gfx1100 : instruction::Target::gfx1200;
  return *instruction::find_dense(target, ElementType::f16, ElementType::f32);
}

constexpr LinearLayout make_owned_element(Family family, Operand operand, Storage storage) {
  using enum instruction::KOrder;
  const LinearLayout fragment = instruction::fragment(wmma(family), operand, contiguous);
  const int lane_bits = fragment.inputs().bits_of("lane");
  const layout::AxisList axes{{"local_id", fragment.input_bits() - lane_bits},
                              {"thread_id", lane_bits}};
  const LinearLayout map = layout::reshape_inputs(fragment, axes).value();
  if (storage == Storage::row_major) return map;
  return layout::transpose_outputs(map, {map.outputs()[1].name, map.outputs()[0].name}).value();
}

/// The map (local_id, thread_id) -> the operand's two axes, swapped if the tile is transposed.
template <Family family, Operand operand, Storage storage = Storage::row_major>
inline constexpr LinearLayout owned_element = make_owned_element(family, operand, storage);

/// The map from the operand's two axes to the (local_id, thread_id) that holds this element; if the
/// element has copies, to the one in the lower lane.
template <Family family, Operand operand, Storage storage = Storage::row_major>
inline constexpr LinearLayout owner =
    layout::pseudo_inverse(owned_element<family, operand, storage>);

/// The map from the number of a copy to a difference: the (local_id, thread_id) of this copy xor
/// that of `owner`.
template <Family family, Operand operand, Storage storage = Storage::row_major>
inline constexpr LinearLayout copy = layout::kernel(owned_element<family, operand, storage>, "rep");

/// The map from the operand's two axes and the number of a copy to (local_id, thread_id).
template <Family family, Operand operand, Storage storage = Storage::row_major>
inline constexpr LinearLayout owner_of_copy =
    layout::concatenate_inputs(owner<family, operand, storage>, copy<family, operand, storage>)
        .value();

}  // namespace maps

/// (i, j) -> (thread_id, local_id)
template <maps::Family family, maps::Operand operand, Storage storage = Storage::row_major,
          class Index>
constexpr Pair<Index> forward(Index i, Index j) {
  const auto [local_id, thread_id] = layout::map_index<maps::owner<family, operand, storage>>(i, j);
  return {thread_id, local_id};
}

/// (thread_id, local_id) -> (i, j)
template <maps::Family family, maps::Operand operand, Storage storage = Storage::row_major,
          class Index>
constexpr Pair<Index> reverse(Index thread_id, Index local_id) {
  return layout::map_index<maps::owned_element<family, operand, storage>>(local_id, thread_id);
}

/// (i, j, rep) -> (thread_id, local_id) of copy `rep`
template <maps::Family family, maps::Operand operand, Storage storage = Storage::row_major,
          class Index>
constexpr Pair<Index> forward_copy(Index i, Index j, Index rep) {
  const auto [local_id, thread_id] =
      layout::map_index<maps::owner_of_copy<family, operand, storage>>(i, j, rep);
  return {thread_id, local_id};
}

// gfx12

template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x8_layout_A_gfx12(Index i, Index j) {
  return forward<maps::Family::gfx12, maps::Operand::a>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x8_to_16x16_layout_A_gfx12(Index thread_id,
                                                                           Index local_id) {
  return reverse<maps::Family::gfx12, maps::Operand::a>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x8_layout_A_colmajor_gfx12(Index i, Index j) {
  return forward<maps::Family::gfx12, maps::Operand::a, Storage::transposed>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x8_to_16x16_layout_A_colmajor_gfx12(
    Index thread_id, Index local_id) {
  return reverse<maps::Family::gfx12, maps::Operand::a, Storage::transposed>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x8_layout_B_gfx12(Index i, Index j) {
  return forward<maps::Family::gfx12, maps::Operand::b>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x8_to_16x16_layout_B_gfx12(Index thread_id,
                                                                           Index local_id) {
  return reverse<maps::Family::gfx12, maps::Operand::b>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x8_layout_B_colmajor_gfx12(Index i, Index j) {
  return forward<maps::Family::gfx12, maps::Operand::b, Storage::transposed>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x8_to_16x16_layout_B_colmajor_gfx12(
    Index thread_id, Index local_id) {
  return reverse<maps::Family::gfx12, maps::Operand::b, Storage::transposed>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x8_layout_C_gfx12(Index i, Index j) {
  return forward<maps::Family::gfx12, maps::Operand::c>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x8_to_16x16_layout_C_gfx12(Index thread_id,
                                                                           Index local_id) {
  return reverse<maps::Family::gfx12, maps::Operand::c>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> wmma_store_index_map_gfx12(Index thread_id, Index local_id) {
  return reverse<maps::Family::gfx12, maps::Operand::d>(thread_id, local_id);
}

// gfx11

template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x16_layout_A_gfx11(Index i, Index j) {
  return forward<maps::Family::gfx11, maps::Operand::a>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x16_to_16x16_layout_A_gfx11(Index thread_id,
                                                                            Index local_id) {
  return reverse<maps::Family::gfx11, maps::Operand::a>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x16_layout_A_colmajor_gfx11(Index i, Index j) {
  return forward<maps::Family::gfx11, maps::Operand::a, Storage::transposed>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x16_to_16x16_layout_A_colmajor_gfx11(
    Index thread_id, Index local_id) {
  return reverse<maps::Family::gfx11, maps::Operand::a, Storage::transposed>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x16_layout_B_gfx11(Index i, Index j) {
  return forward<maps::Family::gfx11, maps::Operand::b>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x16_to_16x16_layout_B_gfx11(Index thread_id,
                                                                            Index local_id) {
  return reverse<maps::Family::gfx11, maps::Operand::b>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x16_layout_B_colmajor_gfx11(Index i, Index j) {
  return forward<maps::Family::gfx11, maps::Operand::b, Storage::transposed>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x16_to_16x16_layout_B_colmajor_gfx11(
    Index thread_id, Index local_id) {
  return reverse<maps::Family::gfx11, maps::Operand::b, Storage::transposed>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> shared_16x16_to_local_32x8_layout_C_gfx11(Index i, Index j) {
  return forward<maps::Family::gfx11, maps::Operand::c>(i, j);
}
template <class Index = int>
constexpr Pair<Index> thread_id_shared_access_32x8_to_16x16_layout_C_gfx11(Index thread_id,
                                                                           Index local_id) {
  return reverse<maps::Family::gfx11, maps::Operand::c>(thread_id, local_id);
}
template <class Index = int>
constexpr Pair<Index> wmma_store_index_map_gfx11(Index thread_id, Index local_id) {
  return reverse<maps::Family::gfx11, maps::Operand::d>(thread_id, local_id);
}

template <class Index = int>
constexpr Pair<Index> fragment_forward_A_gfx11(Index i, Index j, Index rep) {
  return forward_copy<maps::Family::gfx11, maps::Operand::a>(i, j, rep);
}
template <class Index = int>
constexpr Pair<Index> fragment_forward_A_colmajor_gfx11(Index i, Index j, Index rep) {
  return forward_copy<maps::Family::gfx11, maps::Operand::a, Storage::transposed>(i, j, rep);
}
template <class Index = int>
constexpr Pair<Index> fragment_forward_B_gfx11(Index i, Index j, Index rep) {
  return forward_copy<maps::Family::gfx11, maps::Operand::b>(i, j, rep);
}
template <class Index = int>
constexpr Pair<Index> fragment_forward_B_colmajor_gfx11(Index i, Index j, Index rep) {
  return forward_copy<maps::Family::gfx11, maps::Operand::b, Storage::transposed>(i, j, rep);
}

/// The result of a get_* function: a value, or the reason why there is none.
template <class T>
struct Result {
  T value{};
  layout::Text error{};

  constexpr bool has_value() const { return error.size() == 0; }
  constexpr explicit operator bool() const { return has_value(); }
};

template <class Index>
using Map = Pair<Index> (*)(Index, Index);
template <class Index>
using CopyMap = Pair<Index> (*)(Index, Index, Index);

/// A pair of functions. forward: (i, j) -> (thread_id, local_id). reverse: (thread_id, local_id) ->
/// (i, j).
template <class Index>
struct LayoutFuncs {
  Map<Index> forward = nullptr;
  Map<Index> reverse = nullptr;
};

/// `on_gfx11` if rdna_gen is 11, `on_gfx12` if it is 12, else the error with TileLang's message.
template <class T>
constexpr Result<T> of_generation(int rdna_gen, T on_gfx11, T on_gfx12) {
  Result<T> result{rdna_gen == 11 ? on_gfx11 : on_gfx12, {}};
  if (rdna_gen == 11 || rdna_gen == 12) return result;
  result.value = T{};
  result.error.append("Unsupported RDNA generation for WMMA layout: ");
  if (rdna_gen < 0) result.error.append('-');
  const auto magnitude = static_cast<std::uint64_t>(rdna_gen);
  result.error.append_number(rdna_gen < 0 ? 0 - magnitude : magnitude);
  return result;
}

template <class Index = int>
constexpr Result<LayoutFuncs<Index>> get_wmma_a_layout_funcs(int rdna_gen, bool transposed) {
  if (transposed) {
    return of_generation<LayoutFuncs<Index>>(
        rdna_gen,
        {shared_16x16_to_local_32x16_layout_A_colmajor_gfx11<Index>,
         thread_id_shared_access_32x16_to_16x16_layout_A_colmajor_gfx11<Index>},
        {shared_16x16_to_local_32x8_layout_A_colmajor_gfx12<Index>,
         thread_id_shared_access_32x8_to_16x16_layout_A_colmajor_gfx12<Index>});
  }
  return of_generation<LayoutFuncs<Index>>(
      rdna_gen,
      {shared_16x16_to_local_32x16_layout_A_gfx11<Index>,
       thread_id_shared_access_32x16_to_16x16_layout_A_gfx11<Index>},
      {shared_16x16_to_local_32x8_layout_A_gfx12<Index>,
       thread_id_shared_access_32x8_to_16x16_layout_A_gfx12<Index>});
}

template <class Index = int>
constexpr Result<LayoutFuncs<Index>> get_wmma_b_layout_funcs(int rdna_gen, bool transposed) {
  if (transposed) {
    return of_generation<LayoutFuncs<Index>>(
        rdna_gen,
        {shared_16x16_to_local_32x16_layout_B_colmajor_gfx11<Index>,
         thread_id_shared_access_32x16_to_16x16_layout_B_colmajor_gfx11<Index>},
        {shared_16x16_to_local_32x8_layout_B_colmajor_gfx12<Index>,
         thread_id_shared_access_32x8_to_16x16_layout_B_colmajor_gfx12<Index>});
  }
  return of_generation<LayoutFuncs<Index>>(
      rdna_gen,
      {shared_16x16_to_local_32x16_layout_B_gfx11<Index>,
       thread_id_shared_access_32x16_to_16x16_layout_B_gfx11<Index>},
      {shared_16x16_to_local_32x8_layout_B_gfx12<Index>,
       thread_id_shared_access_32x8_to_16x16_layout_B_gfx12<Index>});
}

template <class Index = int>
constexpr Result<LayoutFuncs<Index>> get_wmma_c_layout_funcs(int rdna_gen) {
  return of_generation<LayoutFuncs<Index>>(
      rdna_gen,
      {shared_16x16_to_local_32x8_layout_C_gfx11<Index>,
       thread_id_shared_access_32x8_to_16x16_layout_C_gfx11<Index>},
      {shared_16x16_to_local_32x8_layout_C_gfx12<Index>,
       thread_id_shared_access_32x8_to_16x16_layout_C_gfx12<Index>});
}

template <class Index = int>
constexpr Result<Map<Index>> get_wmma_store_index_map_func(int rdna_gen) {
  return of_generation<Map<Index>>(rdna_gen, wmma_store_index_map_gfx11<Index>,
                                   wmma_store_index_map_gfx12<Index>);
}

/// The fragment_forward function of A. The result's value is nullptr for generation 12, which has
/// no copies.
template <class Index = int>
constexpr Result<CopyMap<Index>> get_wmma_a_fragment_forward_func(int rdna_gen, bool transposed) {
  return of_generation<CopyMap<Index>>(
      rdna_gen,
      transposed ? fragment_forward_A_colmajor_gfx11<Index> : fragment_forward_A_gfx11<Index>,
      nullptr);
}

/// The fragment_forward function of B. The result's value is nullptr for generation 12, which has
/// no copies.
template <class Index = int>
constexpr Result<CopyMap<Index>> get_wmma_b_fragment_forward_func(int rdna_gen, bool transposed) {
  return of_generation<CopyMap<Index>>(
      rdna_gen,
      transposed ? fragment_forward_B_colmajor_gfx11<Index> : fragment_forward_B_gfx11<Index>,
      nullptr);
}

/// The number of lanes that hold each element of A and B.
constexpr Result<int> get_wmma_fragment_replicate_count(int rdna_gen) {
  return of_generation(rdna_gen,
                       1 << maps::copy<maps::Family::gfx11, maps::Operand::a>.input_bits(),
                       1 << maps::copy<maps::Family::gfx12, maps::Operand::a>.input_bits());
}

}  // namespace heddle::interop::tilelang
