// Plans the copies of A or B straight into LDS, which pass no register.
//
// buffer_load_dwordx4 … lds of gfx950 stores a piece of LDS, 64 lanes of 16 bytes, without gaps. So
// the layout decides which lane copies which elements. It is chosen only for the fragments' loads:
// the rows of the tile that share a piece, and the padding between pieces. Consecutive lanes of a
// piece have neighbours in memory, so that a wave loads whole segments of it.
//
// tensor_load_to_lds of gfx1250 stores rows of memory one behind the other, with padding after a
// fixed number of bytes, and zeros outside the matrix. Each wave copies an equal share of the
// tile's rows. The padding is chosen for the fragments' loads.
//
// global_load_async_to_lds of gfx1250 could store anywhere. It copies pieces as above, of 32 lanes
// with 4, 8 or 16 bytes, for operands that no descriptor can describe.
//
// An operand that is not contiguous along k in memory is not contiguous along k in LDS either;
// loads of fragments transpose it.
#pragma once

#include <algorithm>
#include <array>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "compiler/plan/operand_plan.h"
#include "heddle/instruction/target.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::plan {

/// A load that transposes among lanes. A lane r reads `bytes` of LDS: elements that are neighbours
/// along m of A (n of B). A lane l gets the same number of elements, each from a different lane.
/// The lowest bits of l say which of r's elements it gets. `readers[i]` names bit i of r: a bit of
/// the element's number among those that l gets, or bit 2 or 3 of l. The higher bits of r are those
/// of l.
struct TransposingLoad {
  enum class Bit : std::uint8_t { none, element_0, element_1, element_2, lane_2, lane_3 };
  instruction::Family family;
  int element_bytes, bytes;
  std::array<Bit, 4> readers;

  constexpr int elements() const { return bytes / element_bytes; }
};

/// Sources: for gfx950, AMD CDNA 4 ISA, "DS_READ_B64_TR_B16" and "…_TR_B8"; for gfx1250, Triton's
/// lowering of ds_load_tr16_b128 and ds_load_tr8_b64 (docs/emulator.md).
inline constexpr auto transposing_loads = [] {
  using enum TransposingLoad::Bit;
  using enum instruction::Family;
  return std::array{
      TransposingLoad{gfx950, 2, 8, {lane_2, lane_3, element_0, element_1}},
      TransposingLoad{gfx950, 1, 8, {lane_3, element_0, element_1, element_2}},
      TransposingLoad{gfx1250, 2, 16, {element_0, element_1, element_2, none}},
      TransposingLoad{gfx1250, 1, 8, {element_0, element_1, lane_3, element_2}},
  };
}();

/// The load of a processor for elements of so many bytes; null if there is none.
constexpr const TransposingLoad* transposing_load(instruction::Target target, int element_bytes) {
  for (const TransposingLoad& load : transposing_loads)
    if (load.family == instruction::row(target).family && load.element_bytes == element_bytes)
      return &load;
  return nullptr;
}

inline constexpr std::array ways_straight_to_lds{Copies::tiles, Copies::pieces};

/// The ways in which A and B of a processor may go straight to LDS, the preferred one first.
constexpr std::span<const Copies> copies_of(const instruction::ProcessorRow& row) {
  const std::span<const Copies> ways(ways_straight_to_lds);
  if (row.copies_tiles) return ways;
  return row.copied_bytes >= 16 ? ways.last(1) : ways.first(0);
}

/// Their names in a plan. If a processor has one kind of copies that pass no register, it is
/// "direct", which in a plan file means any kind.
constexpr std::string_view name(Copies copies, instruction::Target target) {
  if (copies == Copies::registers) return "registers";
  if (copies_of(instruction::row(target)).size() == 1) return "direct";
  return copies == Copies::tiles ? "descriptor" : "async";
}

/// Bytes that a lane copies with one load if accesses of `access_bytes` are possible; more than
/// those if no load is so narrow. Asynchronous loads move 4, 8 or 16 bytes. buffer_load … lds could
/// move 4 too, which would take more instructions than loads through registers. Source: LLVM's
/// intrinsics llvm.amdgcn.global.load.async.to.lds.*; AMD CDNA 4 ISA, "Memory buffer load to LDS".
constexpr int piece_bytes(instruction::Target target, int access_bytes) {
  const int most = instruction::row(target).copied_bytes;
  return are_asynchronous(Copies::pieces, target) ? std::clamp(access_bytes, 4, most) : most;
}

/// Plans one operand from the fragment of a block, by `copies`, which is one of copies_of. The
/// bytes of its placement are those of all groups. Error: the reason it cannot be copied so.
std::expected<OperandPlan, std::string> plan_copied_operand(instruction::Target target,
                                                            Copies copies, const GlobalTile& tile,
                                                            const layout::LinearLayout& fragment,
                                                            int warps);

/// The padding that a descriptor of tensor_load_to_lds can express: 1 to 128 words of four bytes
/// after every 2 to 256 words, a power of two. Source: LLVM, AMDGPUUsage and MLIR's amdgpu dialect
/// (make_dma_descriptor); Triton's TDMUtility.cpp.
inline constexpr int least_padded_bytes = 8, most_padded_bytes = 1024, most_padding_bytes = 512;

}  // namespace heddle::plan
