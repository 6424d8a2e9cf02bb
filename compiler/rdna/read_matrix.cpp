#include "compiler/rdna/read_matrix.h"

#include "compiler/kernel/expression_code.h"

namespace heddle::compiler {

using mlir::Value;

ElementOffsets::ElementOffsets(const KernelContext& context, const MatrixRecord& matrix,
                               const ThreadPlace& thread)
    : context_(context),
      bytes_(instruction::bits(matrix.element) / 8),
      row_axis_(context.extent(matrix.row)),
      column_axis_(context.extent(matrix.column)),
      thread_(thread),
      first_(offset(thread.row, thread.column)) {}

Value ElementOffsets::at(std::int64_t down, std::int64_t right) const {
  if (!row_axis_.is_linear() || !column_axis_.is_linear())
    return offset(context_.add(thread_.row, down), context_.add(thread_.column, right));
  return context_.add(first_, context_.sum(context_.scaled(row_axis_.step, down * bytes_),
                                           context_.scaled(column_axis_.step, right * bytes_)));
}

Value ElementOffsets::offset(Value row, Value column) const {
  return context_.multiply(
      context_.add(context_.place(row_axis_, row), context_.place(column_axis_, column)), bytes_);
}

namespace {

// Of the numbers that lead to the same element along `axis`, the first: all of as many as the
// largest power of two that divides every jump's distance.
std::int64_t first_alike(const Axis& axis, std::int64_t number) {
  if (axis.step.factor != 0) return number;
  std::int64_t repeated = 0;
  for (const Jump& jump : axis.jumps) repeated |= jump.every;
  return repeated == 0 ? 0 : number & -(repeated & -repeated);
}

}  // namespace

Value ReadMatrix::at(std::int64_t down, std::int64_t right) {
  down = first_alike(matrix_.row, down);
  right = first_alike(matrix_.column, right);
  return at_offset(down, right, [&] { return offsets_.at(down, right); });
}

Value ReadMatrix::load(Value offset) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const mlir::Type bits = bits_type(builder.getContext(), matrix_.element);
  const mlir::Type number = number_type(builder.getContext(), matrix_.element);
  if (matrix_.element == instruction::ElementType::f32)
    return load_buffer(context_, number, buffer_, offset);
  const Value loaded = load_buffer(context_, bits, buffer_, offset);
  if (bits == number) return loaded;
  return mlir::arith::BitcastOp::create(builder, number, loaded);
}

}  // namespace heddle::compiler
