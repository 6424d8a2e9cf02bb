#include "compiler/nvidia/tile_copies.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {

using mlir::Value;

TileCopies::TileCopies(const MmaContext& context, const plan::MmaOperandPlan& operand,
                       const GlobalMatrix& matrix, const BlockTile& tile, std::uint32_t start)
    : context_(context),
      operand_(operand),
      matrix_(matrix),
      valid_(tile.valid),
      addresses_(context, operand.shared(), operand.stores, 0),
      start_(start) {
  const bool is_a = operand.row == "m";
  row_stride_ = is_a ? matrix.row_stride : matrix.column_stride;
  k_stride_ = is_a ? matrix.column_stride : matrix.row_stride;
  row_limit_ = is_a ? matrix.rows : matrix.columns;
  const int bytes = operand.element_bits() / 8;
  const layout::LinearLayout& map = operand.staging;
  row_ = context.add(thread_coordinate(context, map, operand.row),
                     is_a ? tile.m : tile.n);
  k_ = thread_coordinate(context, map, "k");
  context.named(is_a ? "a_row" : "b_column", row_);
  const Value rows = context.wide(row_, row_stride_ * bytes);
  const Value columns = context.wide(k_, k_stride_ * bytes);
  first_ = context.further(context.further(matrix.pointer, rows), columns);
  context.named(is_a ? "a_first" : "b_first", first_);
  for (std::uint64_t index = 0; index < map.input_size("step"); ++index) {
    const layout::Coordinates place = map.apply({{"step", index}}).value();
    Step step{static_cast<std::int64_t>(place.at(operand.row)),
              static_cast<std::int64_t>(place.at("k")),
              0,
              {}};
    step.bytes = (step.row * row_stride_ + step.k * k_stride_) * bytes;
    if (row_limit_ % operand.rows != 0)
      step.row_valid = context.less(context.add(row_, step.row), row_limit_);
    step.row_valid = context.both(valid_, step.row_valid);
    steps_.push_back(step);
  }
}

Value TileCopies::first(std::int64_t number) const {
  return context_.further(first_,
                          number * operand_.k * k_stride_ * operand_.element_bits() / 8);
}

Value TileCopies::next(Value pointer) const {
  return context_.further(pointer, operand_.k * k_stride_ * operand_.element_bits() / 8);
}

// How many bytes of a copy there are in the matrix (i32), or null: all. A copy is as wide as rows
// are aligned, so along the contiguous direction it is either inside or outside, unless the matrix
// is part of a larger one.
Value TileCopies::bytes_valid(const Step& step, std::optional<std::int64_t> k_left) const {
  const std::int64_t elements = operand_.copy_bytes * 8 / operand_.element_bits();
  const int bytes = operand_.element_bits() / 8;
  const auto along = [&](Value at, std::int64_t limit) {
    const Value left = mlir::arith::SubIOp::create(context_.builder, context_.constant(limit), at);
    const Value most =
        mlir::arith::MinSIOp::create(context_.builder, left, context_.constant(elements));
    const Value some = mlir::arith::MaxSIOp::create(context_.builder, most, context_.constant(0));
    return context_.multiply(some, bytes);
  };
  Value partial;  // along the contiguous direction, where copies are cut
  Value valid;
  if (row_limit_ % operand_.rows != 0 && !operand_.k_contiguous && row_limit_ % elements != 0) {
    partial = along(context_.add(row_, step.row), row_limit_);
    valid = valid_;
  } else {
    valid = step.row_valid;
  }
  if (k_left && *k_left < operand_.k) {
    const Value at = context_.add(k_, step.k);
    if (operand_.k_contiguous && *k_left % elements != 0) {
      partial = along(at, *k_left);
    } else {
      valid = context_.both(valid, context_.less(at, *k_left));
    }
  }
  if (!valid) return partial;
  return context_.select(valid, partial ? partial : context_.constant(operand_.copy_bytes),
                         context_.constant(0));
}

void TileCopies::copy(std::size_t from, std::size_t to, Value pointer, Value stage,
                      std::optional<std::int64_t> k_left) const {
  const int bytes = operand_.element_bits() / 8;
  const auto modifier = operand_.copy_bytes == 16 ? mlir::NVVM::LoadCacheModifierKind::CG
                                                  : mlir::NVVM::LoadCacheModifierKind::CA;
  for (std::size_t index = from; index < to; ++index) {
    const Step& step = steps_[index];
    const SharedAddresses::Place place = addresses_.at({{"step", index}});
    const Value offset = context_.add(context_.multiply(place.base, bytes), stage);
    const Value target = context_.further(context_.further(context_.shared, offset),
                                          place.constant * bytes + start_);
    Value source = context_.further(pointer, step.bytes);
    const Value valid = bytes_valid(step, k_left);
    if (valid) {  // an address outside the matrix is not formed
      const Value some = mlir::arith::CmpIOp::create(
          context_.builder, mlir::arith::CmpIPredicate::ne, valid, context_.constant(0));
      source = context_.select(some, source, matrix_.pointer);
    }
    if (operand_.by_registers) {
      copy_by_registers(source, target, valid);
    } else {
      mlir::NVVM::CpAsyncOp::create(context_.builder, target, source,
                                    static_cast<std::uint32_t>(operand_.copy_bytes), modifier,
                                    valid);
    }
  }
}

void TileCopies::copy_by_registers(Value from, Value to, Value valid) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const mlir::Type type = context_.integer(operand_.element_bits());
  const auto align = static_cast<unsigned>(operand_.element_bits() / 8);
  Value element = mlir::LLVM::LoadOp::create(builder, type, from, align);
  if (valid) {
    const Value some = mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ne, valid,
                                                   context_.constant(0));
    const Value zero = mlir::arith::ConstantOp::create(builder, builder.getIntegerAttr(type, 0));
    element = context_.select(some, element, zero);
  }
  mlir::LLVM::StoreOp::create(builder, element, to, align);
}

}  // namespace heddle::compiler
