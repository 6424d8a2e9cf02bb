#include "compiler/amd/read_matrix.h"

#include <algorithm>

#include "compiler/kernel/expression_code.h"
#include "compiler/request/operand_form.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

using mlir::Value;

ElementOffsets::ElementOffsets(const KernelContext& context, const MatrixRecord& matrix,
                               const ThreadPlace& thread)
    : context_(context),
      bytes_(counted_bytes(matrix.element)),
      row_axis_(context.extent(matrix.row)),
      column_axis_(context.extent(matrix.column)),
      thread_(thread),
      begin_(first_in_buffer(context, matrix)),
      first_(offset(thread.row, thread.column)) {}

Value ElementOffsets::at(std::int64_t down, std::int64_t right) const {
  if (!row_axis_.is_linear() || !column_axis_.is_linear())
    return offset(context_.add(thread_.row, down), context_.add(thread_.column, right));
  return context_.add(first_, context_.sum(context_.scaled(row_axis_.step, down * bytes_),
                                           context_.scaled(column_axis_.step, right * bytes_)));
}

Value ElementOffsets::offset(Value row, Value column) const {
  Value elements = context_.add(context_.buffer_place(row_axis_, row),
                                context_.buffer_place(column_axis_, column));
  if (begin_) elements = context_.add(begin_, elements);
  return context_.multiply(elements, bytes_);
}

bool lies_in_steps(const MatmulRequest& request, const MatrixRecord& matrix, std::int64_t count) {
  const auto divides = [&](const Stride& stride) {
    return known_factor(request, stride) % count == 0;
  };
  const auto jumps = [&](const Axis& axis) {
    return std::ranges::all_of(
        axis.jumps, [&](const Jump& jump) { return divides(jump.forward) && divides(jump.back); });
  };
  return matrix.column.step == Stride{1, 0} && matrix.offset % count == 0 &&
         divides(matrix.row.step) && divides(matrix.batch.step) && jumps(matrix.row) &&
         jumps(matrix.column) && jumps(matrix.batch) &&
         std::ranges::all_of(matrix.column.jumps,
                             [&](const Jump& jump) { return jump.every % count == 0; });
}

namespace {

// The type with which a buffer load loads a `type`. LLVM has no buffer loads of vectors of bytes,
// so these are loaded as integers.
mlir::Type loaded_type(mlir::Type type) {
  const auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  if (!vector || !vector.getElementType().isInteger(8)) return type;
  const std::int64_t bytes = vector.getNumElements();
  const auto integer = [&](std::int64_t bits) -> mlir::Type {
    return mlir::IntegerType::get(type.getContext(), static_cast<unsigned>(bits));
  };
  if (bytes <= 4) return integer(8 * bytes);
  return mlir::VectorType::get({bytes / 4}, integer(32));
}

}  // namespace

namespace {

// The type of load_elements' result.
mlir::Type elements_type(const KernelContext& context, instruction::ElementType element,
                         int count) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const mlir::Type bits = bits_type(builder.getContext(), element);
  if (count == 1) return bits;
  if (!shares_bytes(element)) return mlir::VectorType::get({count}, bits);
  if (count > 8) return mlir::VectorType::get({count / 8}, builder.getI32Type());
  return builder.getIntegerType(static_cast<unsigned>(4 * count));
}

}  // namespace

Value load_elements(const KernelContext& context, instruction::ElementType element, int count,
                    Value buffer, Value offset, Value scalar) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const mlir::Type type = elements_type(context, element, count);
  if (shares_bytes(element)) {
    if (scalar) offset = context.add(offset, scalar);
    const Value byte = context.divide(offset, 2);
    if (count > 1) return load_buffer(context, type, buffer, byte);
    return element_of_byte(builder, load_buffer(context, builder.getI8Type(), buffer, byte),
                           offset);
  }
  const mlir::Type moved = loaded_type(type);
  Value value = load_buffer(context, moved, buffer, offset, scalar);
  if (moved == type) return value;
  if (!mlir::isa<mlir::VectorType>(moved))
    value = mlir::vector::FromElementsOp::create(builder, mlir::VectorType::get({1}, moved), value);
  return mlir::vector::BitCastOp::create(builder, type, value);
}

Value no_elements(const KernelContext& context, instruction::ElementType element, int count) {
  const mlir::TypedAttr zero = mlir::cast<mlir::TypedAttr>(
      context.builder.getZeroAttr(elements_type(context, element, count)));
  return mlir::arith::ConstantOp::create(context.builder, zero);
}

void store_elements(const KernelContext& context, const std::vector<Value>& elements, Value buffer,
                    Value offset) {
  if (elements.size() == 1) return store_buffer(context, elements[0], buffer, offset);
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto count = static_cast<std::int64_t>(elements.size());
  const auto type = mlir::VectorType::get({count}, elements[0].getType());
  Value value = mlir::vector::FromElementsOp::create(builder, type, elements);
  const mlir::Type moved = loaded_type(type);
  if (moved == type) return store_buffer(context, value, buffer, offset);
  if (mlir::isa<mlir::VectorType>(moved))
    return store_buffer(context, mlir::vector::BitCastOp::create(builder, moved, value), buffer,
                        offset);
  value = mlir::vector::BitCastOp::create(builder, mlir::VectorType::get({1}, moved), value);
  store_buffer(context, mlir::vector::ExtractOp::create(builder, value, 0), buffer, offset);
}

Value element_of(const KernelContext& context, instruction::ElementType type, Value loaded,
                 std::int64_t index) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto vector = mlir::dyn_cast<mlir::VectorType>(loaded.getType());
  if (!shares_bytes(type))
    return vector ? mlir::vector::ExtractOp::create(builder, loaded, index).getResult() : loaded;
  if (loaded.getType() == bits_type(builder.getContext(), type)) return loaded;
  if (vector) {
    loaded = mlir::vector::ExtractOp::create(builder, loaded, index / 8);
    index %= 8;
  }
  return element_of_word(builder, loaded, index);
}

namespace {

// Returns the lowest index that has the same element along `axis` as index `number`. On an axis
// without a step, consecutive indices share an element: as many as the largest power of two that
// divides the distance (Jump::every) of every jump.
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
  Value& known = read_[{down, right}];
  if (!known) known = load(offsets_.at(down, right));
  return known;
}

Value ReadMatrix::at(std::int64_t down, std::int64_t right, int count) {
  if (count == 1) return at(down, right);
  down = first_alike(matrix_.row, down);
  Value& known = read_[{down, right}];
  if (!known)
    known = load_elements(context_, matrix_.element, count, buffer_, offsets_.at(down, right));
  return known;
}

Value ReadMatrix::in_group(std::int64_t down, std::int64_t right, int most) {
  most = std::min(most, 128 / instruction::bits(matrix_.element));
  int count = 1;
  if (!is_one_element(matrix_.column, most))
    while (2 * count <= most && lies_in_steps(context_.request, matrix_, 2 * count)) count *= 2;
  if (count == 1) return at(down, right);
  const std::int64_t inside = right % count;
  return number_of(at(down, right - inside, count), inside);
}

Value ReadMatrix::in_group_at(std::int64_t down, std::int64_t right, int count, Value offset) {
  const std::int64_t inside = right % count;
  Value& known = read_[{down, right - inside}];
  if (count == 1) return known ? known : known = load(offset);
  if (!known) known = load_elements(context_, matrix_.element, count, buffer_, offset);
  return number_of(known, inside);
}

Value ReadMatrix::number_of(Value loaded, std::int64_t index) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const Value element = element_of(context_, matrix_.element, loaded, index);
  const mlir::Type number = number_type(builder.getContext(), matrix_.element);
  if (element.getType() == number) return element;
  return mlir::arith::BitcastOp::create(builder, number, element);
}

Value ReadMatrix::load(Value offset) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const mlir::Type number = number_type(builder.getContext(), matrix_.element);
  if (matrix_.element == instruction::ElementType::f32)
    return load_buffer(context_, number, buffer_, offset);
  const Value loaded = load_elements(context_, matrix_.element, 1, buffer_, offset);
  if (loaded.getType() == number) return loaded;
  return mlir::arith::BitcastOp::create(builder, number, loaded);
}

}  // namespace heddle::compiler
