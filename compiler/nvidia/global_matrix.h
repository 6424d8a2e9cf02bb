// Matrices in global memory, and arithmetic on offsets there, as the kernels of NVIDIA have them.
#pragma once

#include "compiler/kernel/product_frame.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

/// A matrix in global memory: element (i, j) is as far from the pointer as i is along `row` and j
/// along `column`.
struct GlobalMatrix {
  mlir::Value pointer;  // !llvm.ptr<1>; null where the kernel has no such matrix
  Extent rows, columns;
  AxisExtent row, column, batch;  // in counted_bytes, as `pointer` is from `argument`; i64
  std::int64_t offset_bytes = 0;  // from the argument to the first matrix
  instruction::ElementType element{};
  std::vector<PaddingExtent> padding;  // of A and B
  mlir::Value stored;                  // an element in memory: `pointer`, but where that is padding
  mlir::Value argument;                // !llvm.ptr<1>

  int element_bytes() const { return counted_bytes(element); }
  /// Whether all rows begin at multiples of 1 << `bits` elements and none ends within so many,
  /// which lie beside each other. A matrix that is not there has such rows.
  bool fits(int bits) const;
  GlobalMatrix transposed() const;
};

using GlobalMatrices = ProductMatrices<GlobalMatrix>;

/// A place in a matrix: of the thread (i32), and further by constants.
struct MatrixPlace {
  mlir::Value row, column;
  std::int64_t down = 0, right = 0;
};

/// A tile of D that a block computes.
struct BlockTile {
  mlir::Value m, n;   // i32: its first row and column
  mlir::Value valid;  // i1: whether there is such a tile; null: yes
  mlir::Value batch;  // i32: number of its matrix; null: the block's only one
};

struct GlobalContext : SizedContext {
  /// `bytes` further; of an i32 or i64.
  mlir::Value further(mlir::Value pointer, mlir::Value bytes) const {
    return mlir::LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(), pointer,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{bytes});
  }
  mlir::Value further(mlir::Value pointer, std::int64_t bytes) const {
    if (bytes == 0) return pointer;
    // MLIR keeps constant indices in 29 bits (GEPConstantIndex), and cuts longer ones.
    constexpr std::int64_t most = std::int64_t{1} << 28;
    if (bytes >= -most && bytes < most)
      return mlir::LLVM::GEPOp::create(
          builder, pointer.getType(), builder.getI8Type(), pointer,
          llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<std::int32_t>(bytes)});
    const mlir::Value wide =
        mlir::arith::ConstantOp::create(builder, builder.getI64IntegerAttr(bytes));
    return further(pointer, wide);
  }
  mlir::Value further(mlir::Value pointer, const Extent& bytes) const {
    return bytes.is_known() ? further(pointer, bytes.known) : further(pointer, bytes.value);
  }
  /// As i64: offsets in global memory. Numbers (i32) are not negative, nor is `factor` (i64).
  mlir::Value wide(mlir::Value number) const {
    return mlir::arith::ExtUIOp::create(builder, builder.getI64Type(), number);
  }
  mlir::Value wide(mlir::Value number, const Extent& factor) const {
    return times(factor, wide(number));
  }
  Extent wide(const Extent& number) const {
    return number.is_known() ? number : Extent{-1, wide(number.value)};
  }
  /// Products and sums of offsets.
  mlir::Value times(const Extent& factor, mlir::Value offset) const {
    if (!factor.is_known()) return mlir::arith::MulIOp::create(builder, offset, factor.value);
    return factor.known == 1 ? offset : mlir::arith::MulIOp::create(builder, offset, i64(factor));
  }
  Extent times(const Extent& factor, std::int64_t number) const {
    if (factor.is_known()) return {factor.known * number, {}};
    if (number == 0) return {0, {}};
    return {-1, times({number, {}}, factor.value)};
  }
  Extent plus(const Extent& x, const Extent& y) const {
    if (x.is_known() && y.is_known()) return {x.known + y.known, {}};
    if (x.is_known() && x.known == 0) return y;
    if (y.is_known() && y.known == 0) return x;
    return {-1, mlir::arith::AddIOp::create(builder, i64(x), i64(y))};
  }
  /// `stride` in bytes.
  Extent bytes_of(const Stride& stride, int element_bytes) const {
    Extent result{stride.factor * element_bytes, {}};
    for (unsigned loop = 0; loop < plan::size_count; ++loop) {
      if ((stride.sizes >> loop & 1u) == 0) continue;
      result = {-1, times(result, wide(value_of(sizes[loop])))};
    }
    return result;
  }
  AxisExtent bytes_of(const Axis& axis, int element_bytes) const {
    AxisExtent result{bytes_of(axis.step, element_bytes), {}};
    for (const Jump& jump : axis.jumps) {
      const Extent forward = bytes_of(jump.forward, element_bytes);
      const Extent back = bytes_of(jump.back, element_bytes);
      const bool is_known = forward.is_known() && back.is_known();
      const Extent rest =
          is_known ? Extent{forward.known - back.known, {}}
                   : Extent{-1, mlir::arith::SubIOp::create(builder, i64(forward), i64(back))};
      result.jumps.push_back({jump.every, rest, extent(Stride{1, jump.sizes})});
    }
    return result;
  }
  /// How far `number` (i32) is along `axis`, which is in bytes; i64.
  mlir::Value place(const AxisExtent& axis, mlir::Value number) const {
    mlir::Value place = wide(number, axis.step);
    for (const AxisExtent::Jump& jump : axis.jumps)
      place = mlir::arith::AddIOp::create(builder, place, wide(count(number, jump), jump.elements));
    return place;
  }
  mlir::Value i64(const Extent& number) const {
    if (!number.is_known()) return number.value;
    return mlir::arith::ConstantOp::create(builder, builder.getI64IntegerAttr(number.known));
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) const {
    return mlir::arith::SelectOp::create(builder, condition, yes, no);
  }
  /// Both; either may be null, which means true.
  mlir::Value both(mlir::Value x, mlir::Value y) const {
    if (!x || !y) return x ? x : y;
    return mlir::arith::AndIOp::create(builder, x, y);
  }

  /// The matrix of `record` at the argument `pointer`: number `batch` (i32), or the only one where
  /// that is null.
  GlobalMatrix matrix(const MatrixRecord& record, mlir::Value pointer, plan::Loop rows,
                      plan::Loop columns, mlir::Value batch) const;
  mlir::Value pointer(const GlobalMatrix& matrix, const MatrixPlace& at) const;
  /// `count` elements from `pointer` on, for element_of; a multiple of their own bytes from the
  /// matrix's beginning.
  mlir::Value load(const GlobalMatrix& matrix, mlir::Value pointer, int count) const;
  /// Element `index` of what that gave for `count`, as an integer of its bits.
  mlir::Value element_of(const GlobalMatrix& matrix, mlir::Value loaded, int count,
                         int index) const;
  /// `count` elements beside each other in a row from `at` on, as numbers
  /// (compiler/kernel/expression_code.h), by loads as wide as rows are aligned. `at` is a multiple
  /// of `count`, which is a power of two. Where `inside` (i1; null: always) says that an element
  /// is not in the matrix, its first is read.
  std::vector<mlir::Value> load(const GlobalMatrix& matrix, MatrixPlace at, std::size_t count,
                                llvm::function_ref<mlir::Value(const MatrixPlace&)> inside) const;
};

}  // namespace heddle::compiler
