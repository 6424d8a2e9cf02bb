// Layouts of the vectors of a warp: maps (register, lane) -> (d0, d1, ...).
//
// A vector of a warp belongs to all its lanes together. Its layout says which element register r of
// lane l holds; the code of one thread then has a vector of as many elements as the layout has
// registers. The axes d0, d1, ... are powers of two and may be longer than those of the vector:
// positions beyond the vector may hold anything and are never read.
#pragma once

#include <optional>

#include "heddle/layout/layout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace heddle::compiler {

/// The longest vectors have as many axes as a layout has.
inline constexpr int most_dimensions = layout::max_axes;

/// The name of axis `dimension` of a vector: d0, d1, ...; 0 <= dimension < most_dimensions.
layout::AxisName dimension_name(int dimension);

/// The size of a dimension by its number, which is signed like those of axes; MLIR's are not.
inline std::int64_t dimension_size(mlir::ShapedType type, std::int64_t dimension) {
  return type.getDimSize(static_cast<unsigned>(dimension));
}

/// Registers of one lane.
inline std::int64_t registers_of(const layout::LinearLayout& map) {
  return static_cast<std::int64_t>(map.input_size("register"));
}

/// The type of `vector` in one thread: as many elements as the layout has registers.
mlir::VectorType thread_type(mlir::VectorType vector, const layout::LinearLayout& map);

/// The coordinates of register `reg` of lane 0, or of lane `lane`.
llvm::SmallVector<std::uint64_t> coordinates(const layout::LinearLayout& map, std::uint64_t reg,
                                             std::uint64_t lane = 0);

/// A layout from the bases of registers and lanes, each with one coordinate for each dimension.
using Basis = llvm::SmallVector<std::uint64_t, 2>;
layout::LinearLayout layout_of(llvm::ArrayRef<Basis> registers, llvm::ArrayRef<Basis> lanes,
                               llvm::ArrayRef<std::uint64_t> sizes);

/// Result dimension i is dimension permutation[i] of `map`: the layout of vector.transpose's
/// result.
layout::LinearLayout transposed(const layout::LinearLayout& map,
                                llvm::ArrayRef<std::int64_t> permutation);
llvm::SmallVector<std::int64_t> inverse(llvm::ArrayRef<std::int64_t> permutation);

/// The layout that the source of a vector.broadcast needs for this layout of the result. It has
/// only the coordinates of the source, and no registers that would hold copies.
layout::LinearLayout broadcast_source(const layout::LinearLayout& result, mlir::VectorType source,
                                      mlir::VectorType broadcast);

/// The default layout of a vector: 16 bytes along the last dimension in registers, then lanes along
/// it, then the rest in registers. If the vector is smaller than a warp, the higher lanes hold
/// copies.
layout::LinearLayout plain_layout(mlir::VectorType vector, int lanes);

/// For each register of `map` in lane 0 the lowest that holds the same.
llvm::SmallVector<std::int64_t> first_copies(const layout::LinearLayout& map);

/// The layouts of values. What is not in it is no vector of a warp.
using LayoutTable = llvm::DenseMap<mlir::Value, layout::LinearLayout>;

/// Writes the layouts of the table as attributes `heddle.layouts` of the operations below `root`.
void write_layouts(mlir::Operation* root, const LayoutTable& table);

/// Reads the layouts, for warps of `lanes` lanes. The arguments of a loop get the layouts of the
/// loop's results.
LayoutTable read_layouts(mlir::Operation* root, int lanes);

/// Gives an operation that is newly made its layouts, one for each result.
void set_layout(mlir::Operation* operation, const layout::LinearLayout& map);

inline constexpr llvm::StringLiteral layouts_attribute = "heddle.layouts";
inline constexpr llvm::StringLiteral instruction_attribute = "heddle.instruction";
inline constexpr llvm::StringLiteral unsigned_attribute = "heddle.unsigned";

/// True if the type is a vector that belongs to a warp: it has one to eight dimensions, a fixed
/// size, and few enough elements to number them.
bool is_warp_vector(mlir::Type type);

}  // namespace heddle::compiler
