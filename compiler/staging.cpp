#include "compiler/staging.h"

#include <algorithm>

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

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
      addresses_(context, operand.chosen.shared(), operand.chosen.stores, start) {
  const layout::LinearLayout& map = operand.chosen.staging.map;
  const bool k_contiguous = operand.tile.k_contiguous;
  row_ = context.add(thread_coordinate(context, map, operand.tile.row),
                     k_contiguous ? context.block_m : context.block_n);
  k_ = thread_coordinate(context, map, "k");
  const Value outer = context.multiply(k_contiguous ? row_ : k_, row_elements());
  thread_ = context.multiply(context.add(outer, k_contiguous ? k_ : row_), plan::element_bytes);
  context.named(name("row"), row_);
  context.named(name("k"), k_);
  context.named(name("offset"), thread_);
  addresses_.name_bases(name("store_base"));
  access_ = plan::access_of(operand.tile, operand.patch);
  const auto element_step = static_cast<std::uint64_t>(k_contiguous ? access_ : 1);
  const auto vector_step = static_cast<std::uint64_t>(k_contiguous ? 1 : access_);
  for (std::uint64_t step = 0; step < map.input_size("step"); ++step) {
    for (std::uint64_t vector = 0; vector < map.input_size("vector"); vector += vector_step) {
      for (std::uint64_t element = 0; element < map.input_size("element"); element += element_step)
        add_access(map.apply({{"element", element}, {"vector", vector}, {"step", step}}).value());
    }
  }
}

std::string Staging::name(const char* what) const {
  return std::string(operand_.tile.k_contiguous ? "a_" : "b_") + what;
}

std::int64_t Staging::row_elements() const {
  return operand_.tile.k_contiguous ? context_.plan.problem.k : context_.plan.problem.n;
}

std::int64_t Staging::row_limit() const {
  return operand_.tile.k_contiguous ? context_.plan.problem.m : context_.plan.problem.n;
}

// Beyond the matrix's last row in memory every offset lies outside the buffer, and hardware checks
// that: only offsets that come back in by wrapping around need a comparison. Beyond the end of a
// row in memory the next row follows: there the kernel has to compare.
bool Staging::wraps(std::int64_t rows) const {
  const std::int64_t beyond = rows + std::int64_t{2} * (operand_.tile.rows + operand_.tile.k);
  return beyond * row_elements() * plan::element_bytes >= std::int64_t{1} << 32;
}

bool Staging::rows_need_check() const {
  if (row_limit() % operand_.tile.rows == 0) return false;
  return !operand_.tile.k_contiguous || wraps(row_limit());
}

bool Staging::k_needs_check(std::int64_t k_left) const {
  if (k_left >= operand_.tile.k) return false;
  return operand_.tile.k_contiguous || wraps(context_.plan.problem.k);
}

void Staging::add_access(const layout::Coordinates& place) {
  const auto row = static_cast<std::int64_t>(place.at(operand_.tile.row));
  const auto k = static_cast<std::int64_t>(place.at("k"));
  const std::int64_t row_step = operand_.tile.k_contiguous ? row_elements() : 1;
  const std::int64_t k_step = operand_.tile.k_contiguous ? 1 : row_elements();
  const std::int64_t row_bytes = row * row_step * plan::element_bytes;
  const std::int64_t k_bytes = k * k_step * plan::element_bytes;
  if (!rows_need_check()) {
    if (first_.empty()) first_ = {thread_};
    accesses_.push_back({0, row_bytes + k_bytes, k});
    return;
  }
  const auto known = std::ranges::find(checked_, row);
  accesses_.push_back({static_cast<std::size_t>(known - checked_.begin()), k_bytes, k});
  if (known != checked_.end()) return;
  const Value inside = context_.less(context_.add(row_, row), row_limit());
  checked_.push_back(row);
  first_.push_back(context_.or_outside(inside, context_.add(thread_, row_bytes)));
}

std::vector<Value> Staging::next(const std::vector<Value>& offsets) const {
  const std::int64_t k_bytes =
      plan::element_bytes * (operand_.tile.k_contiguous ? 1 : row_elements());
  std::vector<Value> advanced;
  advanced.reserve(offsets.size());
  for (const Value offset : offsets)
    advanced.push_back(context_.add(offset, operand_.tile.k * k_bytes));
  return advanced;
}

std::vector<Value> Staging::load(const std::vector<Value>& offsets, std::int64_t k_left) const {
  const mlir::Type type = access_ == 1
                              ? context_.element()
                              : mlir::Type(mlir::VectorType::get({access_}, context_.element()));
  std::vector<Value> loaded;
  for (const Access& access : accesses_) {
    Value offset = context_.add(offsets[access.base], access.constant);
    if (k_needs_check(k_left)) {
      const Value inside = context_.less(context_.add(k_, access.k), k_left);
      offset = context_.or_outside(inside, offset);
    }
    loaded.push_back(context_.named(name("loaded"), load_buffer(context_, type, buffer_, offset)));
  }
  return loaded;
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
Value Staging::gathered(const std::vector<Value>& loaded, std::uint64_t step,
                        std::uint64_t vector) const {
  const bool k_contiguous = operand_.tile.k_contiguous;
  const auto width = static_cast<std::uint64_t>(access_);
  const auto k_count = static_cast<std::uint64_t>(operand_.patch.k);
  const std::uint64_t loads = accesses_.size() / operand_.chosen.staging.map.input_size("step");
  const auto load_at = [&](std::uint64_t index) { return loaded[step * loads + index]; };
  if (k_contiguous && width == k_count && width > 1) return load_at(vector);
  std::vector<Value> elements;
  for (std::uint64_t k = 0; k < k_count; ++k) {
    const std::uint64_t index =
        k_contiguous ? (vector * k_count + k) / width : vector / width * k_count + k;
    const std::uint64_t inside = (k_contiguous ? k : vector) % width;
    elements.push_back(
        element_of(context_.builder, load_at(index), static_cast<std::int64_t>(inside)));
  }
  const auto type = mlir::VectorType::get({operand_.patch.k}, context_.element());
  return context_.named(name("along_k"),
                        mlir::vector::FromElementsOp::create(context_.builder, type, elements));
}

}  // namespace heddle::compiler
