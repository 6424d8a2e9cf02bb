// A tile in registers: a layout, and the values that one thread has of the tile.
//
// The layout is a map (register, lane) -> axes such as (query, key). The values are pieces: vectors
// of n registers, where n is the number of registers that one matrix instruction reads or writes.
// Register r is element r % n of piece r / n. The operations on tiles are called verbs; each verb
// means the same on every machine:
//
//   copy, wait, barrier   global memory -> shared memory        machine.h, shared_tile.h
//   fragment              shared memory -> registers            shared_tile.h
//   multiply              by an instruction of the catalogue    verbs.h
//   convert               to another layout                     verbs.h
//   reduce                along an axis                         verbs.h
//
// For elementwise operations, MLIR's operations are applied to the pieces.
#pragma once

#include "compiler/kernel/thread_context.h"
#include "heddle/instruction/fragment.h"
#include "heddle/layout/linear_layout.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Value.h"

namespace heddle::compiler {

using Pieces = llvm::SmallVector<mlir::Value>;

struct Tile {
  layout::LinearLayout map;
  Pieces pieces;
};

/// Says which axis of a tile an axis of a matrix instruction runs along. `of_instruction` is m or n
/// for D, and m, n or k for A and B.
struct TileAxis {
  layout::AxisName of_instruction, of_tile;
  int atoms = 1;  // repetitions along it: a power of two
};

/// The map (register, lane) -> axes of a tile for an operand that consists of several fragments.
/// The low bits of the register number count the registers of one instruction's fragment, the next
/// bits its repetitions along `inner`, the highest bits those along `outer`. The axes of the tile
/// are in the order `outer`, `inner`.
layout::LinearLayout tile_map(const instruction::Instruction& row, instruction::Operand operand,
                              instruction::KOrder order, const TileAxis& outer,
                              const TileAxis& inner);

/// Coordinate `axis` of register `reg` in lane 0. In other lanes, the coordinate is this xor a part
/// that depends only on the lane.
std::int64_t constant_part(const layout::LinearLayout& map, std::uint64_t reg,
                           const layout::AxisName& axis);

/// Emits coordinate `axis` (i32) of register `reg` in the thread's lane. `of_lane` must be the
/// value of thread_coordinate(context, map, axis).
mlir::Value coordinate(const ThreadContext& context, const layout::LinearLayout& map,
                       mlir::Value of_lane, std::uint64_t reg, const layout::AxisName& axis);

}  // namespace heddle::compiler
