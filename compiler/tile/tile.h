// A tile in registers: a layout and the values of a thread.
//
// The layout is a map (register, lane) -> axes such as (query, key). The values are pieces, vectors
// of as many registers as one matrix instruction takes or makes: register r is element r % n of
// piece r / n. The verbs on tiles, each with one meaning for every machine:
//
//   copy, wait, barrier   global memory -> shared memory        machine.h, shared_tile.h
//   fragment              shared memory -> registers            shared_tile.h
//   multiply              by an instruction of the catalogue    verbs.h
//   convert               to another layout                     verbs.h
//   reduce                along an axis                         verbs.h
//
// Elementwise operations are those of MLIR on the pieces.
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

/// The names of an instruction's axes in a tile: m and n of its D, or one of them and k.
struct TileAxis {
  layout::AxisName of_instruction, of_tile;
  int atoms = 1;  // repetitions along it: a power of two
};

/// (register, lane) -> tile axes: the operand's fragment, then its repetitions along `inner`, then
/// those along `outer`, in further registers. The tile's axes are in the order of `outer`, `inner`.
layout::LinearLayout tile_map(const instruction::Instruction& row, instruction::Operand operand,
                              instruction::KOrder order, const TileAxis& outer,
                              const TileAxis& inner);

/// The part of coordinate `axis` of register `reg` that is the same in all lanes.
std::int64_t constant_part(const layout::LinearLayout& map, std::uint64_t reg,
                           const layout::AxisName& axis);

/// Coordinate `axis` of register `reg` in the thread's lane: i32. `of_lane` is
/// thread_coordinate(context, map, axis).
mlir::Value coordinate(const ThreadContext& context, const layout::LinearLayout& map,
                       mlir::Value of_lane, std::uint64_t reg, const layout::AxisName& axis);

}  // namespace heddle::compiler
