// Plans copies of A or B straight into LDS, without registers in between. There are three
// instructions for it:
// - buffer_load_dwordx4 … lds of gfx950: the 64 lanes of a wave copy 16 bytes each, which are
// contiguous in LDS (a "piece"). So the layout in LDS decides which lane copies which elements. The
// layout is chosen only for the loads of fragments: which rows of the tile share a piece, and the
// padding between pieces. But consecutive lanes read adjacent memory, so that a wave reads whole
// segments of global memory.
// - tensor_load_to_lds of gfx1250: copies rows of memory one behind the other, with padding after a
// fixed number of bytes, and with zeros for elements outside the matrix. Each wave copies an equal
// share of the tile's rows. The padding is chosen for the loads of fragments.
// - global_load_async_to_lds of gfx1250: could write anywhere in LDS, but is used like the first
// instruction, with pieces of 32 lanes and 4, 8 or 16 bytes a lane. It serves operands that no tile
// descriptor can describe.
//
// An operand that is not contiguous along k in memory is not contiguous along k in LDS either; the
// loads of its fragments transpose it.
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

/// A load from LDS that transposes among lanes. Each lane r reads `bytes` of LDS: elements that are
/// adjacent along m of A (n of B). These elements are then distributed: each lane l gets as many
/// elements as it has read, each from a different lane. The lowest bits of l say which of a lane's
/// elements l gets.
///
/// `readers[i]` says what bit i of the number r means for lane l: a bit of the position that r's
/// element has among the elements that l gets, or bit 2 or 3 of l. The higher bits of r are those
/// of l.
struct TransposingLoad {
  enum class Bit : std::uint8_t { none, element_0, element_1, element_2, lane_2, lane_3 };
  instruction::Family family;
  int element_bytes, bytes;
  std::array<Bit, 4> readers;

  constexpr int elements() const { return bytes / element_bytes; }
};

/// All loads from LDS that transpose. Sources: for gfx950, AMD CDNA 4 ISA, "DS_READ_B64_TR_B16" and
/// "…_TR_B8"; for gfx1250, Triton's lowering of ds_load_tr16_b128 and ds_load_tr8_b64
/// (docs/emulator.md).
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

/// The transposing load that a processor has for elements of `element_bytes` bytes; null if it has
/// none.
constexpr const TransposingLoad* transposing_load(instruction::Target target, int element_bytes) {
  for (const TransposingLoad& load : transposing_loads)
    if (load.family == instruction::row(target).family && load.element_bytes == element_bytes)
      return &load;
  return nullptr;
}

inline constexpr std::array ways_straight_to_lds{Copies::tiles, Copies::pieces};

/// The ways in which A and B may be copied straight to LDS on a processor, the preferred one first.
constexpr std::span<const Copies> copies_of(const instruction::ProcessorRow& row) {
  const std::span<const Copies> ways(ways_straight_to_lds);
  if (row.copies_tiles) return ways;
  return row.copied_bytes >= 16 ? ways.last(1) : ways.first(0);
}

/// The name of a way of copying, as plans and plan files have it. If a processor has only one way
/// straight to LDS, it is called "direct". In a plan file, "direct" means any of the processor's
/// ways straight to LDS.
constexpr std::string_view name(Copies copies, instruction::Target target) {
  if (copies == Copies::registers) return "registers";
  if (copies_of(instruction::row(target)).size() == 1) return "direct";
  return copies == Copies::tiles ? "descriptor" : "async";
}

/// How many bytes a lane copies with one load straight to LDS, if rows are aligned such that
/// accesses of `access_bytes` are possible. If the processor has no load that is so narrow, the
/// result is larger than `access_bytes`. Asynchronous loads copy 4, 8 or 16 bytes. buffer_load …
/// lds could copy 4, too, but that would take more instructions than loads through registers.
/// Source: LLVM's intrinsics llvm.amdgcn.global.load.async.to.lds.*; AMD CDNA 4 ISA, "Memory buffer
/// load to LDS".
constexpr int piece_bytes(instruction::Target target, int access_bytes) {
  const int most = instruction::row(target).copied_bytes;
  return are_asynchronous(Copies::pieces, target) ? std::clamp(access_bytes, 4, most) : most;
}

/// Plans one operand that is copied in the way `copies`, which must be one of copies_of. `fragment`
/// is the operand's fragment for the workgroup's tile. If several groups of waves could each copy
/// the whole tile (copying_groups), the bytes of the plan's placement include the places to which
/// the other groups copy. Error: the reason why the operand cannot be copied in this way.
std::expected<OperandPlan, std::string> plan_copied_operand(instruction::Target target,
                                                            Copies copies, const GlobalTile& tile,
                                                            const layout::LinearLayout& fragment,
                                                            int warps);

/// The paddings that a descriptor of tensor_load_to_lds can express: 1 to 128 words (of four bytes)
/// after every n words, where n is a power of two from 2 to 256. Source: LLVM, AMDGPUUsage and
/// MLIR's amdgpu dialect (make_dma_descriptor); Triton's TDMUtility.cpp.
inline constexpr int least_padded_bytes = 8, most_padded_bytes = 1024, most_padding_bytes = 512;

}  // namespace heddle::plan
