#include "compiler/rdna/staging.h"

#include <algorithm>

#include "compiler/kernel/expression_code.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

Value element_of(mlir::ImplicitLocOpBuilder& builder, Value loaded, std::int64_t index) {
  if (!mlir::isa<mlir::VectorType>(loaded.getType())) return loaded;
  return mlir::vector::ExtractOp::create(builder, loaded, index);
}

// What a buffer load can return instead of `type`: LLVM has none of vectors of bytes.
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

Staging::Staging(const KernelContext& context, const plan::OperandPlan& operand,
                 OperandBuffers buffers, std::uint32_t start)
    : context_(context),
      operand_(operand),
      buffers_(std::move(buffers)),
      addresses_(context, operand.chosen.shared(), operand.chosen.stores, start) {
  const layout::LinearLayout& map = operand.chosen.staging.map;
  const bool k_contiguous = operand.tile.k_contiguous;
  row_axis_ = context.extent(is_a() ? matrix().row : matrix().column);
  k_axis_ = context.extent(is_a() ? matrix().column : matrix().row);
  padding_ = context.padding(matrix(), is_a(), context.batch);
  k_in_tile_ = k_axis_.is_linear_in(operand.tile.k);
  row_ = context.add(thread_coordinate(context, map, operand.tile.row),
                     is_a() ? context.block_m : context.block_n);
  k_ = thread_coordinate(context, map, "k");
  const Value none = context.constant(0);
  const Value rows = row_axis_.is_linear() ? context.multiply(row_, row_axis_.step) : none;
  const Value columns = k_in_tile_ ? context.multiply(k_, k_axis_.step) : none;
  thread_ = in_bytes(k_contiguous ? context.add(rows, columns) : context.add(columns, rows));
  if (context.first_k && !counts_k())
    thread_ = context.add(thread_, in_bytes(context.multiply(context.first_k, k_axis_.step)));
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
  if (carries_k()) first_.push_back(context.first_k ? context.first_k : none);
}

Value Staging::in_bytes(Value elements) const {
  return context_.multiply(elements, std::int64_t{operand_.tile.stored_bytes});
}

std::string Staging::name(const char* what) const {
  return std::string(is_a() ? "a_" : "b_") + what;
}

const Expression& Staging::producer() const {
  return is_a() ? context_.request.a_producer : context_.request.b_producer;
}

const Extent& Staging::row_limit() const {
  return context_.size(is_a() ? plan::Loop::m : plan::Loop::n);
}

// Beyond the matrix's last row in memory every offset lies outside the buffer, and hardware checks
// that: only offsets that come back in need a comparison, by wrapping around, or because rows
// overlap, jump or have padding. Beyond the end of a row in memory the next row follows: there the
// kernel has to compare.
bool Staging::comes_back(plan::Loop loop) const {
  const bool is_row = loop != plan::Loop::k;
  const AxisExtent& axis = is_row ? row_axis_ : k_axis_;
  const AxisExtent& other = is_row ? k_axis_ : row_axis_;
  const Extent& size = context_.size(loop);
  const Extent& other_size = is_row ? context_.size(plan::Loop::k) : row_limit();
  if (!axis.is_linear() || !size.is_known() || !axis.step.is_known() || !padding_.empty())
    return true;
  const std::int64_t beyond = size.known + std::int64_t{2} * (operand_.tile.rows + operand_.tile.k);
  if (beyond * axis.step.known * operand_.tile.stored_bytes >= std::int64_t{1} << 32) return true;
  const Extent row = context_.place(other, context_.sum(other_size, {-1, {}}));
  return row.is_known() && axis.step.known <= row.known;
}

bool Staging::rows_need_check() const {
  const Extent& limit = row_limit();
  if (limit.is_known() && limit.known % operand_.tile.rows == 0) return false;
  return !operand_.tile.k_contiguous || comes_back(is_a() ? plan::Loop::m : plan::Loop::n);
}

bool Staging::is_whole(const std::optional<Extent>& k_left) const {
  return !k_left || (k_left->is_known() && k_left->known >= operand_.tile.k);
}

bool Staging::k_needs_check(const std::optional<Extent>& k_left) const {
  if (is_whole(k_left)) return false;
  return operand_.tile.k_contiguous || comes_back(plan::Loop::k);
}

void Staging::add_access(const layout::Coordinates& place) {
  const auto row = static_cast<std::int64_t>(place.at(operand_.tile.row));
  const auto k = static_cast<std::int64_t>(place.at("k"));
  const Extent row_bytes = context_.scaled(row_axis_.step, row * operand_.tile.stored_bytes);
  const Extent k_bytes =
      k_in_tile_ ? context_.scaled(k_axis_.step, k * operand_.tile.stored_bytes) : Extent{0, {}};
  if (!rows_need_check() && row_axis_.is_linear()) {
    if (first_.empty()) first_ = {thread_};
    accesses_.push_back({0, context_.sum(row_bytes, k_bytes), row, k});
    return;
  }
  const auto known = std::ranges::find(checked_, row);
  accesses_.push_back({static_cast<std::size_t>(known - checked_.begin()), k_bytes, row, k});
  if (known != checked_.end()) return;
  checked_.push_back(row);
  const Value further = row_axis_.is_linear()
                            ? context_.value_of(row_bytes)
                            : in_bytes(context_.place(row_axis_, context_.add(row_, row)));
  const Value offset = context_.add(thread_, further);
  if (!rows_need_check()) {
    first_.push_back(offset);
    return;
  }
  const Value inside = context_.less(context_.add(row_, row), row_limit());
  first_.push_back(context_.or_outside(inside, offset));
}

std::vector<Value> Staging::next(const std::vector<Value>& offsets) const {
  std::vector<Value> advanced = offsets;
  if (!counts_k()) {
    const Extent step =
        context_.scaled(k_axis_.step, std::int64_t{operand_.tile.k} * operand_.tile.stored_bytes);
    for (Value& offset : advanced) offset = context_.add(offset, step);
  }
  if (carries_k()) advanced.back() = context_.add(offsets.back(), operand_.tile.k);
  return advanced;
}

// How far the tile's k of `offsets` is from the matrix's first, or where jumps lie inside a tile,
// that of column `k` of the thread.
Value Staging::along_k(const std::vector<Value>& offsets, std::int64_t k) const {
  const Value first = offsets.back();
  const Value at = k_in_tile_ ? first : context_.add(first, context_.add(k_, k));
  return in_bytes(context_.place(k_axis_, at));
}

std::vector<Value> Staging::load(const std::vector<Value>& offsets,
                                 const std::optional<Extent>& k_left) const {
  const mlir::Type element = bits_type(context_.builder.getContext(), matrix().element);
  const mlir::Type type =
      access_ == 1 ? element : mlir::Type(mlir::VectorType::get({access_}, element));
  const mlir::Type moved = loaded_type(type);
  std::vector<Value> loaded;
  for (const Access& access : accesses_) {
    Value offset = context_.add(offsets[access.base], access.constant);
    if (counts_k()) offset = context_.add(offset, along_k(offsets, access.k));
    if (k_needs_check(k_left)) {
      const Value inside = context_.less(context_.add(k_, access.k), *k_left);
      offset = context_.or_outside(inside, offset);
    }
    if (!padding_.empty()) {
      const Value row = context_.add(row_, access.row);
      const Value k = context_.add(offsets.back(), context_.add(k_, access.k));
      offset = context_.or_outside(context_.is_stored(padding_, row, k), offset);
    }
    Value value = load_buffer(context_, moved, buffers_.matrix, offset);
    if (moved != type) {
      if (!mlir::isa<mlir::VectorType>(moved)) {
        value = mlir::vector::FromElementsOp::create(context_.builder,
                                                     mlir::VectorType::get({1}, moved), value);
      }
      value = mlir::vector::BitCastOp::create(context_.builder, type, value);
    }
    loaded.push_back(context_.named(name("loaded"), value));
  }
  if (!extras().empty()) load_extras(offsets.back(), loaded);
  return loaded;
}

// In the order in which elements are stored, an element of each further matrix.
void Staging::load_extras(Value tile_k, std::vector<Value>& loaded) const {
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  const Value k = context_.add(tile_k, k_);
  const ThreadPlace thread = is_a() ? ThreadPlace{row_, k} : ThreadPlace{k, row_};
  std::vector<ReadMatrix> matrices;
  for (std::size_t i = 0; i < extras().size(); ++i)
    matrices.emplace_back(context_, extras()[i], buffers_.extras[i], thread);
  for (std::uint64_t step = 0; step < map.input_size("step"); ++step) {
    for (std::uint64_t vector = 0; vector < map.input_size("vector"); ++vector) {
      const layout::Coordinates at = map.apply({{"vector", vector}, {"step", step}}).value();
      const auto row = static_cast<std::int64_t>(at.at(operand_.tile.row));
      const auto first = static_cast<std::int64_t>(at.at("k"));
      for (std::int64_t column = first; column < first + operand_.patch.k; ++column)
        for (ReadMatrix& matrix : matrices)
          loaded.push_back(is_a() ? matrix.at(row, column) : matrix.at(column, row));
    }
  }
}

void Staging::store(const std::vector<Value>& loaded, Value stage,
                    const std::optional<Extent>& k_left) const {
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  const std::size_t read_beside = extras().size() * static_cast<std::size_t>(operand_.patch.k);
  llvm::ArrayRef<Value> beside = llvm::ArrayRef(loaded).drop_front(accesses_.size());
  for (std::uint64_t step = 0; step < map.input_size("step"); ++step) {
    for (std::uint64_t vector = 0; vector < map.input_size("vector"); ++vector) {
      const layout::Coordinates at{{"vector", vector}, {"step", step}};
      const SharedAddresses::Place place = addresses_.at(at);
      const Value base = stage ? context_.add(place.base, stage) : place.base;
      const auto k = static_cast<std::int64_t>(map.apply(at).value().at("k"));
      const std::vector<Value> elements =
          produced(gathered(loaded, step, vector), k, beside.take_front(read_beside), k_left);
      store_parts(elements, base, place.constant);
      beside = beside.drop_front(read_beside);
    }
  }
}

// The elements along k of row `vector` of the patch, out of what its loads brought: one vector
// where a load is just that, else each by itself.
std::vector<Value> Staging::gathered(const std::vector<Value>& loaded, std::uint64_t step,
                                     std::uint64_t vector) const {
  const bool k_contiguous = operand_.tile.k_contiguous;
  const auto width = static_cast<std::uint64_t>(access_);
  const auto k_count = static_cast<std::uint64_t>(operand_.patch.k);
  const std::uint64_t loads = accesses_.size() / operand_.chosen.staging.map.input_size("step");
  const auto load_at = [&](std::uint64_t index) { return loaded[step * loads + index]; };
  if (k_contiguous && width == k_count && width > 1 && producer().nodes.empty() &&
      !context_.plan.problem.is_split())
    return {load_at(vector)};
  std::vector<Value> elements;
  for (std::uint64_t k = 0; k < k_count; ++k) {
    const std::uint64_t index =
        k_contiguous ? (vector * k_count + k) / width : vector / width * k_count + k;
    const std::uint64_t inside = (k_contiguous ? k : vector) % width;
    elements.push_back(
        element_of(context_.builder, load_at(index), static_cast<std::int64_t>(inside)));
  }
  return elements;
}

// The numbers that are multiplied, from k on, in the type of the shared tile. What the producer
// makes of the zeros beyond the matrix must not be multiplied. `beside` has what it reads beside
// each element.
std::vector<Value> Staging::produced(const std::vector<Value>& elements, std::int64_t k,
                                     llvm::ArrayRef<Value> beside,
                                     const std::optional<Extent>& k_left) const {
  if (producer().nodes.empty()) return elements;
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const plan::Problem& problem = context_.plan.problem;
  const mlir::Type stored = number_type(builder.getContext(), matrix().element);
  const mlir::Type bits =
      bits_type(builder.getContext(), is_a() ? problem.input : problem.b_input());
  std::vector<Value> results;
  for (const Value element : elements) {
    std::vector<Value> inputs{mlir::arith::BitcastOp::create(builder, stored, element)};
    for (const Value other : beside.take_front(extras().size())) inputs.push_back(other);
    beside = beside.drop_front(extras().size());
    Value result = emit(builder, producer(), inputs);
    result = mlir::arith::BitcastOp::create(builder, bits, result);
    if (!is_whole(k_left)) {
      const Value zero = mlir::arith::ConstantOp::create(builder, builder.getZeroAttr(bits));
      const Value inside = context_.less(context_.add(k_, k), *k_left);
      result = mlir::arith::SelectOp::create(builder, inside, result, zero);
    }
    results.push_back(result);
    ++k;
  }
  return results;
}

void Staging::store_parts(const std::vector<Value>& elements, Value base,
                          std::int64_t constant) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const auto type = mlir::VectorType::get({operand_.patch.k}, context_.element());
  const auto store = [&](Value vector, std::int64_t at) {
    store_shared(context_, context_.named(name("along_k"), vector), base, at);
  };
  if (!context_.plan.problem.is_split()) {
    const bool is_vector = mlir::isa<mlir::VectorType>(elements[0].getType());
    if (is_vector) return store_shared(context_, elements[0], base, constant);
    return store(mlir::vector::FromElementsOp::create(builder, type, elements), constant);
  }
  const mlir::Type narrow = builder.getBF16Type();
  const mlir::Type wide = builder.getF32Type();
  std::vector<Value> high, low;
  for (const Value element : elements) {
    const Value number = mlir::arith::BitcastOp::create(builder, wide, element);
    const Value part = mlir::arith::TruncFOp::create(builder, narrow, number);
    const Value back = mlir::arith::ExtFOp::create(builder, wide, part);
    const Value rest = mlir::arith::TruncFOp::create(
        builder, narrow, mlir::arith::SubFOp::create(builder, number, back));
    high.push_back(mlir::arith::BitcastOp::create(builder, context_.element(), part));
    low.push_back(mlir::arith::BitcastOp::create(builder, context_.element(), rest));
  }
  const auto plane =
      static_cast<std::int64_t>(operand_.chosen.placement.bytes) / operand_.tile.element_bytes;
  store(mlir::vector::FromElementsOp::create(builder, type, high), constant);
  store(mlir::vector::FromElementsOp::create(builder, type, low), constant + plane);
}

}  // namespace heddle::compiler
