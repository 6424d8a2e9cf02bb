#include "compiler/nvidia/tile_copies.h"

#include "compiler/kernel/expression_code.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {

using mlir::Value;

TileCopies::TileCopies(const MmaContext& context, const plan::MmaOperandPlan& operand,
                       const GlobalMatrices& matrices, const BlockTile& tile, std::uint32_t start)
    : context_(context),
      operand_(operand),
      matrix_(operand.row == "m" ? matrices.a : matrices.b),
      producer_(operand.row == "m" ? context.request.a_producer : context.request.b_producer),
      tells_padding_(operand.row == "m" ? context.request.a.tells_padding
                                        : context.request.b.tells_padding),
      valid_(tile.valid),
      addresses_(context, operand.shared(), operand.stores, 0),
      start_(start) {
  const bool is_a = operand.row == "m";
  for (const GlobalMatrix& extra : is_a ? matrices.a_extras : matrices.b_extras)
    extras_.push_back(is_a == operand.k_contiguous ? extra : extra.transposed());
  row_axis_ = is_a ? matrix_.row : matrix_.column;
  k_axis_ = is_a ? matrix_.column : matrix_.row;
  k_in_tile_ = k_axis_.is_linear_in(operand.k);
  row_limit_ = is_a ? matrix_.rows : matrix_.columns;
  const layout::LinearLayout& map = operand.staging;
  row_ = context.add(thread_coordinate(context, map, operand.row), is_a ? tile.m : tile.n);
  k_ = thread_coordinate(context, map, "k");
  context.named(is_a ? "a_row" : "b_column", row_);
  const Value to_row =
      row_axis_.is_linear() ? context.multiply(context.wide(row_), row_axis_.step) : Value();
  const Value to_k = k_in_tile_ ? context.multiply(context.wide(k_), k_axis_.step) : Value();
  first_ = matrix_.pointer;
  for (const Value& part : {to_row, to_k})
    if (part) first_ = context.further(first_, part);
  if (context.part.first_k && !counts_k())
    first_ =
        context.further(first_, context.multiply(context.wide(context.part.first_k), k_axis_.step));
  context.named(is_a ? "a_first" : "b_first", first_);
  if (operand.checks_alignment) aligned_ = alignment();
  for (std::uint64_t index = 0; index < map.input_size("step"); ++index) {
    const layout::Coordinates place = map.apply({{"step", index}}).value();
    const auto row = static_cast<std::int64_t>(place.at(operand.row));
    const auto k = static_cast<std::int64_t>(place.at("k"));
    const Extent rows = row_axis_.is_linear()
                            ? context.scaled(row_axis_.step, row)
                            : Extent{-1, context.place(row_axis_, context.add(row_, row))};
    const Extent columns = k_in_tile_ ? context.scaled(k_axis_.step, k) : Extent{0, {}};
    Step step{row, k, context.sum(rows, columns), {}};
    step.row_valid = row_valid(row);
    steps_.push_back(step);
  }
}

Value TileCopies::first(std::int64_t number) const {
  const std::int64_t k = number * operand_.k;
  if (!counts_k()) return context_.further(first_, context_.scaled(k_axis_.step, k));
  return context_.part.first_k ? context_.add(context_.part.first_k, k) : context_.constant(k);
}

// i1: true if the row that is `ahead` rows behind the thread's first row is inside the matrix.
// Null: it certainly is.
Value TileCopies::row_valid(std::int64_t ahead) const {
  if (row_limit_.is_known() && row_limit_.known % operand_.rows == 0) return valid_;
  return context_.both(valid_, context_.less(context_.add(row_, ahead), row_limit_));
}

// i1: true if every line of contiguous elements, and every matrix of the batch, begins at a
// multiple of an access and is a whole number of accesses long. The kernel computes this from the
// sizes that it gets as arguments. Where the first line begins has already been checked by the
// plan.
Value TileCopies::alignment() const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const std::int64_t bytes = std::int64_t{operand_.access_elements} * operand_.stored_bytes();
  const bool is_a = operand_.row == "m";
  const Extent& k_limit = is_a ? matrix_.columns : matrix_.rows;
  const Extent length = context_.wide(operand_.k_contiguous ? k_limit : row_limit_);
  const Extent& apart = operand_.k_contiguous ? row_axis_.step : k_axis_.step;
  std::vector<Extent> parts{apart, matrix_.batch.step};
  for (const AxisExtent* axis : {&row_axis_, &k_axis_, &matrix_.batch})
    for (const AxisExtent::Jump& jump : axis->jumps) parts.push_back(jump.elements);
  Value all = context_.wide_value_of(context_.scaled(length, operand_.stored_bytes()));
  for (const Extent& part : parts)
    all = mlir::arith::OrIOp::create(builder, all, context_.wide_value_of(part));
  const Value rest =
      mlir::arith::AndIOp::create(builder, all, context_.wide_value_of({bytes - 1, {}}));
  return context_.equal(rest, 0);
}

Value TileCopies::next(Value tile) const {
  if (counts_k()) return context_.add(tile, operand_.k);
  return context_.further(tile, context_.scaled(k_axis_.step, operand_.k));
}

// The address in global memory of the element that is `ahead` elements behind the first element of
// the copy `step`.
Value TileCopies::source(Value tile, const Step& step, std::int64_t ahead) const {
  Value from = counts_k() ? first_ : tile;
  if (counts_k()) {
    const std::int64_t further = step.k + (operand_.k_contiguous ? ahead : 0);
    const Value k = k_in_tile_ ? tile : context_.add(tile, context_.add(k_, further));
    from = context_.further(from, context_.place(k_axis_, k));
  }
  if (ahead == 0 || operand_.k_contiguous || row_axis_.is_linear()) {
    from = context_.further(from, step.bytes);
    const Extent& along = operand_.k_contiguous ? k_axis_.step : row_axis_.step;
    const bool is_there = operand_.k_contiguous && !k_in_tile_;
    return is_there ? from : context_.further(from, context_.scaled(along, ahead));
  }
  const Value row = context_.add(row_, step.row + ahead);
  from = context_.further(from, context_.place(row_axis_, row));
  return k_in_tile_ ? context_.further(from, context_.scaled(k_axis_.step, step.k)) : from;
}

// i1: true if the access `ahead` elements behind the first element of a copy reads memory, not
// padding. Null: the matrix has no padding.
Value TileCopies::in_memory(const Copy& copy, std::int64_t ahead) const {
  if (matrix_.padding.empty()) return {};
  const std::int64_t row = copy.step.row + (operand_.k_contiguous ? 0 : ahead);
  const std::int64_t k = copy.step.k + (operand_.k_contiguous ? ahead : 0);
  return context_.is_stored(matrix_.padding, context_.add(row_, row),
                            context_.add(copy.tile, context_.add(k_, k)));
}

// i1: true if the access `ahead` elements behind the first element of a copy is inside the matrix,
// padding included. An access is only as wide as rows are aligned, so it is wholly inside or wholly
// outside.
Value TileCopies::inside(const Copy& copy, std::int64_t ahead) const {
  const std::int64_t row = copy.step.row + (operand_.k_contiguous ? 0 : ahead);
  const std::int64_t k = copy.step.k + (operand_.k_contiguous ? ahead : 0);
  const Value valid = row == copy.step.row ? copy.step.row_valid : row_valid(row);
  const std::optional<Extent>& left = copy.k_left;
  if (!left || (left->is_known() && left->known >= operand_.k)) return valid;
  return context_.both(valid, context_.less(context_.add(k_, k), *left));
}

void TileCopies::copy(std::size_t from, std::size_t to, Value tile, Value stage,
                      const std::optional<Extent>& k_left) const {
  const auto all = [&](int access) { copy_all(from, to, tile, stage, k_left, access); };
  if (!aligned_ || from == to) return all(operand_.access_elements);
  run_if(context_, aligned_, [&] { all(operand_.access_elements); }, [&] { all(1); });
}

// Copies by accesses of `access` elements.
void TileCopies::copy_all(std::size_t from, std::size_t to, Value tile, Value stage,
                          const std::optional<Extent>& k_left, int access) const {
  const int bytes = operand_.element_bits() / 8;
  for (std::size_t index = from; index < to; ++index) {
    const SharedAddresses::Place place = addresses_.at({{"step", index}});
    const Value offset = context_.add(context_.multiply(place.base, bytes), stage);
    const Value target = context_.further(context_.further(context_.shared, offset),
                                          place.constant * bytes + start_);
    const Step& step = steps_[index];
    const Copy copy{step, tile, source(tile, step, 0), target, k_left};
    if (operand_.by_registers || access != operand_.access_elements) {
      copy_by_registers(copy, access);
    } else {
      copy_directly(copy);
    }
  }
}

void TileCopies::copy_directly(const Copy& copy) const {
  const auto modifier = operand_.copy_bytes == 16 ? mlir::NVVM::LoadCacheModifierKind::CG
                                                  : mlir::NVVM::LoadCacheModifierKind::CA;
  Value source = copy.source, bytes;
  if (const Value valid = context_.both(
          inside(copy, 0), in_memory(copy, 0))) {  // an address outside the matrix is not formed
    bytes = context_.select(valid, context_.constant(operand_.copy_bytes), context_.constant(0));
    source = context_.select(valid, source, matrix_.stored);
  }
  mlir::NVVM::CpAsyncOp::create(context_.builder, copy.target, source,
                                static_cast<std::uint32_t>(operand_.copy_bytes), modifier, bytes);
}

void TileCopies::copy_by_registers(const Copy& copy, int access) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const int count = operand_.copy_elements();
  std::vector<Value> elements;
  for (int ahead = 0; ahead < count; ahead += access) {
    const Value valid = inside(copy, ahead), in_memory = this->in_memory(copy, ahead);
    Value from = ahead == 0 ? copy.source : source(copy.tile, copy.step, ahead);
    if (const Value read = context_.both(valid, in_memory))
      from = context_.select(read, from, matrix_.stored);
    const Value loaded = context_.load(matrix_, from, access);
    for (const Value element :
         produced(loaded, access, further(copy, ahead, access, valid), valid, in_memory))
      elements.push_back(element);
  }
  mlir::LLVM::StoreOp::create(builder, context_.vector_of(elements), copy.target,
                              static_cast<unsigned>(operand_.copy_bytes));
}

// What the producer reads besides A or B, for `count` elements from the one that is `ahead` behind
// the first of a copy on: a list for each further matrix.
std::vector<std::vector<Value>> TileCopies::further(const Copy& copy, std::int64_t ahead, int count,
                                                    Value valid) const {
  std::vector<std::vector<Value>> all;
  if (extras_.empty()) return all;
  const Value k = context_.add(copy.tile, k_);
  const Step& step = copy.step;
  const MatrixPlace at = operand_.k_contiguous ? MatrixPlace{row_, k, step.row, step.k + ahead}
                                               : MatrixPlace{k, row_, step.k, step.row + ahead};
  for (const GlobalMatrix& extra : extras_)
    all.push_back(context_.load(extra, at, static_cast<std::size_t>(count),
                                [&](const MatrixPlace&) { return valid; }));
  return all;
}

// Applies the producer to the `count` elements in `loaded`. The results are integers with the bits
// of the factors to multiply. Elements that are not `in_memory` count as 0. If `valid` is false,
// the elements are outside the matrix, and the results are what beyond_matrix returns (usually
// zeros), whatever the producer computes.
std::vector<Value> TileCopies::produced(Value loaded, int count,
                                        const std::vector<std::vector<Value>>& further, Value valid,
                                        Value in_memory) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const mlir::Type bits = context_.integer(operand_.element_bits());
  const Value zero = beyond_matrix(builder, context_.request.problem, operand_.row == "m", bits);
  std::vector<Value> results;
  for (int i = 0; i < count; ++i) {
    Value element = context_.element_of(matrix_, loaded, count, i);
    if (in_memory) {
      const Value nothing =
          mlir::arith::ConstantOp::create(builder, builder.getIntegerAttr(element.getType(), 0));
      element = context_.select(in_memory, element, nothing);
    }
    if (!producer_.nodes.empty()) {
      std::vector<Value> beside;
      for (const std::vector<Value>& other : further)
        beside.push_back(other[static_cast<std::size_t>(i)]);
      if (tells_padding_) beside.push_back(in_memory);
      element = compiler::produced(builder, producer_, matrix_.element, element, beside, bits);
    }
    results.push_back(valid ? context_.select(valid, element, zero) : element);
  }
  return results;
}

}  // namespace heddle::compiler
