// Layouts of the vectors of a warp: maps (register, lane) -> (d0, d1, ...).
//
// A vector in warp-level code belongs to all lanes of the warp together. Its layout says which
// element is in register r of lane l. In the code of one thread, the vector becomes a vector with
// as many elements as the layout has registers.
//
// The axes d0, d1, ... have sizes that are powers of two, so they may be longer than the dimensions
// of the vector. Registers at positions beyond the vector may hold anything and are never read.
#pragma once

#include <optional>

#include "heddle/layout/layout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace heddle::compiler {

/// The largest number of dimensions of a vector: as many as a layout can have axes.
inline constexpr int most_dimensions = layout::max_axes;

/// The name of axis `dimension` of a vector: d0, d1, ...; 0 <= dimension < most_dimensions.
layout::AxisName dimension_name(int dimension);

/// The size of dimension number `dimension`. This code uses signed numbers of dimensions, MLIR
/// unsigned ones.
inline std::int64_t dimension_size(mlir::ShapedType type, std::int64_t dimension) {
  return type.getDimSize(static_cast<unsigned>(dimension));
}

/// Registers of one lane.
inline std::int64_t registers_of(const layout::LinearLayout& map) {
  return static_cast<std::int64_t>(map.input_size("register"));
}

/// The type of `vector` in one thread: as many elements as the layout has registers.
mlir::VectorType thread_type(mlir::VectorType vector, const layout::LinearLayout& map);

/// The coordinates of register `reg` of lane `lane`.
llvm::SmallVector<std::uint64_t> coordinates(const layout::LinearLayout& map, std::uint64_t reg,
                                             std::uint64_t lane = 0);

/// Makes a layout from its bases. Each basis has one coordinate for each dimension: registers[i] is
/// where bit i of the register number leads, lanes[i] where bit i of the lane number leads.
using Basis = llvm::SmallVector<std::uint64_t, 2>;
layout::LinearLayout layout_of(llvm::ArrayRef<Basis> registers, llvm::ArrayRef<Basis> lanes,
                               llvm::ArrayRef<std::uint64_t> sizes);

/// The layout of the result of vector.transpose: its dimension i is dimension permutation[i] of
/// `map`.
layout::LinearLayout transposed(const layout::LinearLayout& map,
                                llvm::ArrayRef<std::int64_t> permutation);
llvm::SmallVector<std::int64_t> inverse(llvm::ArrayRef<std::int64_t> permutation);

/// The layout that the source of a vector.broadcast must have so that the result has the layout
/// `result` without moves between lanes. It has only the dimensions of the source, and no registers
/// that hold copies.
layout::LinearLayout broadcast_source(const layout::LinearLayout& result, mlir::VectorType source,
                                      mlir::VectorType broadcast);

/// The default layout of a vector. The low register bits cover up to 16 bytes along the last
/// dimension; the lane bits cover what follows, along the last dimension first; the high register
/// bits cover the rest. If the vector is smaller than a warp, the higher lanes hold copies.
layout::LinearLayout plain_layout(mlir::VectorType vector, int lanes);

/// For each register of `map`, the lowest register that holds the same element in lane 0.
llvm::SmallVector<std::int64_t> first_copies(const layout::LinearLayout& map);

/// The layout of each value. Values that are not in the table are no vectors of a warp.
using LayoutTable = llvm::DenseMap<mlir::Value, layout::LinearLayout>;

/// Writes the layouts of the table as attributes `heddle.layouts` of the operations below `root`.
void write_layouts(mlir::Operation* root, const LayoutTable& table);

/// Reads the layouts from the attributes `heddle.layouts` of the operations below `root`, for warps
/// of `lanes` lanes. The arguments of a loop's body get the layouts of the loop's results.
LayoutTable read_layouts(mlir::Operation* root, int lanes);

/// Sets the attribute `heddle.layouts` of a new operation, whose only result has the layout `map`.
void set_layout(mlir::Operation* operation, const layout::LinearLayout& map);

inline constexpr llvm::StringLiteral layouts_attribute = "heddle.layouts";
inline constexpr llvm::StringLiteral instruction_attribute = "heddle.instruction";
inline constexpr llvm::StringLiteral unsigned_attribute = "heddle.unsigned";

/// True if the type is a vector that belongs to a warp: it has one to eight dimensions, a fixed
/// size, and few enough elements to number them.
bool is_warp_vector(mlir::Type type);

}  // namespace heddle::compiler
