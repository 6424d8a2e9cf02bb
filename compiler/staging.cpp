#include "compiler/staging.h"

#include <algorithm>

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

constexpr std::int64_t address_space = std::int64_t{1} << 32;  // of 32-bit byte offsets

Value element_of(mlir::ImplicitLocOpBuilder& builder, Value loaded, std::int64_t index) {
  if (!mlir::isa<mlir::VectorType>(loaded.getType())) return loaded;
  return mlir::vector::ExtractOp::create(builder, loaded, index);
}

}  // namespace

Staging::Staging(const KernelContext& context, const plan::OperandPlan& operand, Value buffer,
                 std::uint32_t start)
    : context_(context),
      operand_(operand),
      buffer_(buffer),
      addresses_(context, operand.chosen.shared, operand.chosen.staging.offsets, start) {
  const layout::LinearLayout& map = operand.chosen.staging.map;
  const plan::Patch& patch = operand.patch;
  const bool k_contiguous = operand.tile.k_contiguous;
  row_ = context.add(thread_coordinate(context, map, operand.tile.row),
                     k_contiguous ? context.block_m : context.block_n);
  k_ = thread_coordinate(context, map, "k");
  access_ = std::min(operand.tile.access, k_contiguous ? patch.k : patch.rows);
  const auto element_step = static_cast<std::uint64_t>(k_contiguous ? access_ : 1);
  const auto vector_step = static_cast<std::uint64_t>(k_contiguous ? 1 : access_);
  for (std::uint64_t step = 0; step < map.input_size("step"); ++step) {
    for (std::uint64_t vector = 0; vector < map.input_size("vector"); vector += vector_step) {
      for (std::uint64_t element = 0; element < map.input_size("element"); element += element_step)
        accesses_.push_back(make_access(element, vector, step));
    }
  }
}

std::int64_t Staging::row_elements() const {
  return operand_.tile.k_contiguous ? context_.plan.problem.k : context_.plan.problem.n;
}

std::int64_t Staging::row_limit() const {
  return operand_.tile.k_contiguous ? context_.plan.problem.m : context_.plan.problem.n;
}

// Beyond the matrix's last row in memory every offset lies outside the buffer, and hardware checks
// that: only offsets that come back in by wrapping around need a comparison. Beyond the end of a row
// in memory the next row follows: there the kernel has to compare.
bool Staging::rows_need_check() const {
  if (row_limit() % operand_.tile.rows == 0) return false;
  const std::int64_t rows = row_limit() + operand_.tile.rows;
  return !operand_.tile.k_contiguous ||
         rows * row_elements() * plan::element_bytes >= address_space;
}

bool Staging::k_needs_check() const {
  const std::int64_t limit = context_.plan.problem.k;
  if (limit % operand_.tile.k == 0) return false;
  const std::int64_t rows = limit + operand_.tile.k;
  return operand_.tile.k_contiguous ||
         rows * row_elements() * plan::element_bytes >= address_space;
}

Staging::Access Staging::make_access(std::uint64_t element, std::uint64_t vector,
                                     std::uint64_t step) const {
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  const layout::Coordinates at =
      map.apply({{"element", element}, {"vector", vector}, {"step", step}}).value();
  const auto row = static_cast<std::int64_t>(at.at(operand_.tile.row));
  const auto k = static_cast<std::int64_t>(at.at("k"));
  const bool k_contiguous = operand_.tile.k_contiguous;
  const Value outer = k_contiguous ? row_ : k_;
  const Value inner = k_contiguous ? k_ : row_;
  const Value thread = context_.multiply(
      context_.add(context_.multiply(outer, row_elements()), inner), plan::element_bytes);
  const std::int64_t constant =
      (k_contiguous ? row * row_elements() + k : k * row_elements() + row) * plan::element_bytes;
  Value offset = context_.add(thread, constant);
  if (rows_need_check()) {
    const Value inside = context_.less(context_.add(row_, row), row_limit());
    offset = context_.or_outside(inside, offset);
  }
  return {offset, k};
}

std::vector<Value> Staging::load(Value k) const {
  std::vector<Value> loaded;
  loaded.reserve(accesses_.size());
  for (const Access& access : accesses_) loaded.push_back(load_one(access, k));
  return loaded;
}

Value Staging::load_one(const Access& access, Value k) const {
  const mlir::Type type =
      access_ == 1 ? context_.element()
                   : mlir::Type(mlir::VectorType::get({access_}, context_.element()));
  const std::int64_t k_bytes =
      plan::element_bytes * (operand_.tile.k_contiguous ? 1 : row_elements());
  const Value advance = context_.multiply(k, k_bytes);
  // Where nothing is outside, the uniform part stays in a scalar register. Elsewhere the sum must be
  // known before the comparison picks an offset.
  if (!rows_need_check() && !k_needs_check() && row_limit() % operand_.tile.rows == 0 &&
      context_.plan.problem.k % operand_.tile.k == 0) {
    return load_buffer(context_, type, buffer_, access.offset, advance);
  }
  Value offset = context_.add(access.offset, advance);
  if (k_needs_check()) {
    const Value place = context_.add(context_.add(k_, k), access.k);
    offset = context_.or_outside(context_.less(place, context_.plan.problem.k), offset);
  }
  return load_buffer(context_, type, buffer_, offset, context_.constant(0));
}

void Staging::store(const std::vector<Value>& loaded, Value stage) const {
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  for (std::uint64_t step = 0; step < map.input_size("step"); ++step) {
    for (std::uint64_t vector = 0; vector < map.input_size("vector"); ++vector) {
      const SharedAddresses::Place place = addresses_.at({{"vector", vector}, {"step", step}});
      const Value base = stage ? context_.add(place.base, stage) : place.base;
      store_shared(context_, gathered(loaded, step, vector), base, place.constant);
    }
  }
}

// The elements along k of row `vector` of the patch, out of what its loads brought.
Value Staging::gathered(const std::vector<Value>& loaded, std::size_t step,
                        std::uint64_t vector) const {
  const plan::Patch& patch = operand_.patch;
  const auto width = static_cast<std::size_t>(access_);
  const auto row = static_cast<std::size_t>(vector);
  const auto k_count = static_cast<std::size_t>(patch.k);
  const std::size_t loads = accesses_.size() / operand_.chosen.staging.map.input_size("step");
  const auto load_at = [&](std::size_t index) { return loaded[step * loads + index]; };
  if (operand_.tile.k_contiguous && width == k_count) return load_at(row);
  std::vector<Value> elements;
  for (std::size_t k = 0; k < k_count; ++k) {
    const std::size_t index = operand_.tile.k_contiguous ? (row * k_count + k) / width
                                                         : row / width * k_count + k;
    const std::size_t inside = (operand_.tile.k_contiguous ? k : row) % width;
    elements.push_back(
        element_of(context_.builder, load_at(index), static_cast<std::int64_t>(inside)));
  }
  const auto type = mlir::VectorType::get({patch.k}, context_.element());
  return mlir::vector::FromElementsOp::create(context_.builder, type, elements);
}

}  // namespace heddle::compiler
