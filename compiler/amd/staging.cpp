#include "compiler/amd/staging.h"

#include <algorithm>

#include "compiler/amd/fragments.h"
#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/tf32_rounding.h"
#include "compiler/request/operand_form.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

using mlir::Value;

Staging::Staging(const KernelContext& context, const plan::OperandPlan& operand, Value buffer,
                 const std::vector<Value>& extras, std::uint32_t start)
    : context_(context),
      operand_(operand),
      buffer_(buffer),
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
  if (const Value begin = first_in_buffer(context, matrix()))
    thread_ = context.add(thread_, in_bytes(begin));
  if (context.part.first_k && !counts_k())
    thread_ = context.add(thread_, in_bytes(context.multiply(context.part.first_k, k_axis_.step)));
  context.named(name("row"), row_);
  context.named(name("k"), k_);
  context.named(name("offset"), thread_);
  for (const Value base : addresses_.bases())
    lds_bases_.push_back(context.named(
        name("store_base"), context.multiply(base, std::int64_t{operand.tile.element_bytes})));
  access_ = plan::access_of(operand.tile, operand.patch);
  has_row_bases_ = needs_row_bases(map);
  counts_bytes_ =
      k_contiguous && !counts_k() && !is_narrow() && (has_row_bases_ || keeps_order(context));
  for (std::size_t i = 0; i < extras.size(); ++i)
    add_extra((is_a() ? context.request.a_extras : context.request.b_extras)[i], extras[i]);
  const auto element_step = static_cast<std::uint64_t>(k_contiguous ? access_ : 1);
  const auto vector_step = static_cast<std::uint64_t>(k_contiguous ? 1 : access_);
  for (std::uint64_t step = 0; step < map.input_size("step"); ++step) {
    for (std::uint64_t vector = 0; vector < map.input_size("vector"); vector += vector_step) {
      for (std::uint64_t element = 0; element < map.input_size("element"); element += element_step)
        add_access(map.apply({{"element", element}, {"vector", vector}, {"step", step}}).value());
    }
  }
  if (counts_bytes_) first_.push_back(none);
  if (carries_k()) first_.push_back(context.part.first_k ? context.part.first_k : none);
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

bool comes_back(const KernelContext& context, const plan::GlobalTile& tile, const AxisExtent& axis,
                const Extent& size, const AxisExtent& other, const Extent& other_size) {
  if (!axis.is_linear() || !size.is_known() || !axis.step.is_known()) return true;
  const std::int64_t beyond = size.known + std::int64_t{2} * (tile.rows + tile.k);
  if (beyond * axis.step.known * tile.stored_bytes >= std::int64_t{1} << 32) return true;
  const Extent row = context.place(other, context.sum(other_size, {-1, {}}));
  return !row.is_known() || axis.step.known <= row.known;
}

// True if k has to be compared: because the matrix is padded, or because the offset of a k beyond
// the end could come back into the buffer (staging.h). Otherwise no comparison is needed: the
// bounds of the buffer catch stray reads, and a row outside the matrix only feeds rows of D that
// are never stored.
bool Staging::comes_back() const {
  return !padding_.empty() ||
         compiler::comes_back(context_, operand_.tile, k_axis_, context_.size(plan::Loop::k),
                              row_axis_, row_limit());
}

bool Staging::rows_are_whole() const {
  const Extent& limit = row_limit();
  return limit.is_known() && limit.known % operand_.tile.rows == 0;
}

// True if the kernel has to compare row numbers with the size of the matrix. That may be so if rows
// are contiguous instead of k: behind the last row of one k the next k begins. It may also be so
// for a padded matrix: its buffer also covers the padding, for which there is no memory, so the
// bounds of the buffer do not catch reads of padding.
bool Staging::rows_need_check() const {
  return (!operand_.tile.k_contiguous || !padding_.empty()) && !rows_are_whole();
}

bool Staging::is_whole(const std::optional<Extent>& k_left) const {
  return !k_left || (k_left->is_known() && k_left->known >= operand_.tile.k);
}

// A number that divides the first k of every thread.
std::int64_t Staging::k_unit() const {
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  auto unit = static_cast<std::uint64_t>(operand_.tile.k);
  for (const layout::AxisName axis : {layout::AxisName("lane"), layout::AxisName("warp")})
    for (int bit = 0; bit < map.inputs().bits_of(axis); ++bit)
      if (const std::uint64_t k = map.basis(axis, bit, "k"); k != 0) unit = std::min(unit, k & -k);
  return static_cast<std::int64_t>(unit);
}

// i1: true if the k of an element of the thread is before the end of the matrix; `k` counts from
// the thread's first k. The comparison is of k_, the thread's first k in the tile, with k_left - k,
// so that no register has to hold the sum for each k.
Value Staging::is_before_end(std::int64_t k, const Extent& k_left) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  if (k_left.is_known()) {
    // k_left - k is rounded up to a value that k_ can have, so that several k share one comparison.
    const std::int64_t left = std::max<std::int64_t>(k_left.known - k, 0), unit = k_unit();
    return context_.less(k_, (left + unit - 1) / unit * unit);
  }
  if (k == 0) return context_.less(k_, k_left);
  const Value behind_first = mlir::arith::SubIOp::create(builder, k_left.value, k_);
  return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::sgt, behind_first,
                                     context_.constant(k));
}

bool Staging::k_needs_check(const std::optional<Extent>& k_left) const {
  if (is_whole(k_left)) return false;
  return operand_.tile.k_contiguous || comes_back();
}

// True if each row of the thread needs a separate offset register. Otherwise one register serves
// all rows: the distances of the other rows are constants in the instructions, or are in a scalar
// that takes no access out of the matrix. Separate offsets save an instruction in a loop that keeps
// its order, where the offsets never change and only a scalar advances. But if a row has several
// accesses, LLVM would keep the sum of offset and constant of each access in a register
// (staging.h).
bool Staging::needs_row_bases(const layout::LinearLayout& map) const {
  if (counts_k() || !operand_.tile.k_contiguous) return false;
  if (!row_axis_.is_linear() || !row_axis_.step.is_known()) return true;
  std::int64_t farthest = 0;
  for (int bit = 0; bit < map.input_bits(); ++bit) {
    const layout::AxisName& axis = map.inputs()[map.inputs().axis_of_bit(bit)].name;
    if (axis != "lane" && axis != "warp")
      farthest += static_cast<std::int64_t>(
          map.outputs().coordinate(map.basis(bit), map.outputs().find(operand_.tile.row)));
  }
  const std::int64_t bytes = farthest * row_axis_.step.known * operand_.tile.stored_bytes;
  return bytes > most_immediate(context_.plan.target) && (is_narrow() || !rows_are_whole());
}

// The byte offset of the thread's row number `row`, at the thread's first k.
Value Staging::row_offset(std::int64_t row) const {
  if (!row_axis_.is_linear())
    return context_.add(thread_,
                        in_bytes(context_.buffer_place(row_axis_, context_.add(row_, row))));
  return context_.add(thread_, context_.scaled(row_axis_.step, row * operand_.tile.stored_bytes));
}

void Staging::add_access(const layout::Coordinates& place) {
  const auto row = static_cast<std::int64_t>(place.at(operand_.tile.row));
  const auto k = static_cast<std::int64_t>(place.at("k"));
  const Extent row_bytes = context_.scaled(row_axis_.step, row * operand_.tile.stored_bytes);
  const Extent k_bytes =
      k_in_tile_ ? context_.scaled(k_axis_.step, k * operand_.tile.stored_bytes) : Extent{0, {}};
  Access access{0, 0, k_bytes, row, k};
  std::vector<Value>& offsets = counts_bytes_ ? row_offsets_ : first_;
  if (!counts_bytes_ && !has_row_bases_ && row_axis_.is_linear() && !rows_need_check()) {
    access.scalar = context_.sum(row_bytes, k_bytes);
    if (offsets.empty()) offsets.push_back(thread_);
  } else {
    const auto known = std::ranges::find(rows_, row);
    access.base = static_cast<std::size_t>(known - rows_.begin());
    if (known == rows_.end()) {
      rows_.push_back(row);
      Value offset = row_offset(row);
      if (rows_need_check())
        offset = context_.or_outside(context_.less(context_.add(row_, row), row_limit()), offset);
      offsets.push_back(offset);
    }
  }
  if (access.scalar.is_known() && access.scalar.known <= most_immediate(context_.plan.target))
    std::swap(access.constant, access.scalar.known);
  accesses_.push_back(access);
}

std::vector<Value> Staging::at(Value k) const {
  std::vector<Value> offsets = first_;
  if (!counts_k()) {
    const Value further = in_bytes(context_.multiply(k, k_axis_.step));
    for (std::size_t i = 0; i < offsets.size() - (carries_k() ? 1 : 0); ++i)
      offsets[i] = context_.add(offsets[i], further);
  }
  if (carries_k()) offsets.back() = context_.add(offsets.back(), k);
  return offsets;
}

std::vector<Value> Staging::next(const std::vector<Value>& offsets) const {
  std::vector<Value> advanced = offsets;
  if (!counts_k()) {
    const Extent step =
        context_.scaled(k_axis_.step, std::int64_t{operand_.tile.k} * operand_.tile.stored_bytes);
    for (std::size_t i = 0; i < advanced.size() - (carries_k() ? 1 : 0); ++i)
      advanced[i] = context_.add(advanced[i], step);
  }
  if (carries_k()) advanced.back() = context_.add(offsets.back(), operand_.tile.k);
  return advanced;
}

// The bytes along k from the matrix's first k to the first k of the tile to which `offsets` belong.
// If the axis jumps inside a tile, the bytes to the thread's k number `k` of that tile.
Value Staging::along_k(const std::vector<Value>& offsets, std::int64_t k) const {
  const Value first = offsets.back();
  const Value at = k_in_tile_ ? first : context_.add(first, context_.add(k_, k));
  return in_bytes(context_.buffer_place(k_axis_, at, k_in_tile_));
}

std::optional<std::int64_t> Staging::counted_bytes() const {
  if (!counts_bytes_ || carries_k() || !k_axis_.step.is_known()) return std::nullopt;
  return k_axis_.step.known * operand_.tile.k * operand_.tile.stored_bytes;
}

Value Staging::load_one(const std::vector<Value>& offsets, std::size_t number,
                        const std::optional<Extent>& k_left) const {
  const Access& access = accesses_[number];
  if (!is_whole(k_left) && k_left->is_known() && access.k >= k_left->known)
    return no_elements(context_, matrix().element, access_);
  Value offset = (counts_bytes_ ? row_offsets_ : offsets)[access.base];
  Extent scalar = access.scalar;
  // Usually the instruction itself adds the constant to its offset register. If k is checked, the
  // register has one of two offsets, so the constant would need an addition; a scalar adds it for
  // free. But the bounds check may ignore scalars, so where rows are not whole the offset must
  // include it.
  if (k_needs_check(k_left) && operand_.tile.k_contiguous && scalar.is_known() && rows_are_whole())
    scalar.known += access.constant;
  else
    offset = context_.add(offset, access.constant);
  if (counts_bytes_) scalar = context_.sum({-1, offsets[0]}, scalar);
  if (counts_k()) offset = context_.add(offset, along_k(offsets, access.k));
  if (k_needs_check(k_left)) {
    offset = context_.or_outside(is_before_end(access.k, *k_left), offset);
  } else if (!is_whole(k_left)) {  // the sum says whether it is inside
    offset = context_.add(offset, scalar);
    scalar = {0, {}};
  }
  if (!padding_.empty()) offset = context_.or_outside(is_stored(offsets, access), offset);
  const bool has_scalar = !scalar.is_known() || scalar.known != 0;
  const Value value = load_elements(context_, matrix().element, access_, buffer_, offset,
                                    has_scalar ? context_.value_of(scalar) : Value());
  return context_.named(name("loaded"), value);
}

Value Staging::is_stored(const std::vector<Value>& offsets, const Access& access) const {
  return context_.is_stored(padding_, context_.add(row_, access.row),
                            context_.add(offsets.back(), context_.add(k_, access.k)));
}

std::vector<Value> Staging::load(const std::vector<Value>& offsets,
                                 const std::optional<Extent>& k_left) const {
  std::vector<Value> loaded;
  for (std::size_t number = 0; number < accesses_.size(); ++number)
    loaded.push_back(load_one(offsets, number, k_left));
  if (!extras_.empty()) load_extras(offsets.back(), loaded);
  if (matrix().tells_padding)
    for (const Access& access : accesses_) loaded.push_back(is_stored(offsets, access));
  return loaded;
}

// Adds a further matrix that the producer of A or B reads. A load of it has as many elements as its
// rows allow, but not more than a load of A or B.
void Staging::add_extra(const MatrixRecord& matrix, Value buffer) {
  Extra extra{matrix, buffer, 1, access_};
  if (is_a() != operand_.tile.k_contiguous) std::swap(extra.matrix.row, extra.matrix.column);
  if (is_one_element(extra.matrix.column, access_)) {
    extra.loads = 1;
  } else {
    const int most = std::min(access_, 128 / instruction::bits(matrix.element));
    while (extra.width < most && lies_in_steps(context_.request, extra.matrix, 2 * extra.width))
      extra.width *= 2;
    extra.loads /= extra.width;
  }
  loads_of_extras_ += static_cast<std::size_t>(extra.loads);
  extras_.push_back(std::move(extra));
}

// For each access to A or B, loads from every further matrix the elements at the same rows and k,
// and appends them to `loaded`.
void Staging::load_extras(Value tile_k, std::vector<Value>& loaded) const {
  const bool k_contiguous = operand_.tile.k_contiguous;
  const Value k = context_.add(tile_k, k_);
  const ThreadPlace thread = k_contiguous ? ThreadPlace{row_, k} : ThreadPlace{k, row_};
  std::vector<ReadMatrix> matrices;
  for (const Extra& extra : extras_)
    matrices.emplace_back(context_, extra.matrix, extra.buffer, thread);
  for (const Access& access : accesses_) {
    const std::int64_t across = k_contiguous ? access.row : access.k;
    const std::int64_t along = k_contiguous ? access.k : access.row;
    for (std::size_t i = 0; i < extras_.size(); ++i)
      for (int load = 0; load < extras_[i].loads; ++load)
        loaded.push_back(matrices[i].at(across, along + load * extras_[i].width, extras_[i].width));
  }
}

// What the producer reads besides the elements that `gathered` returns. For each of these elements:
// the values of the further matrices, which load_extras has loaded, and, if the producer asks for
// it, whether the element lies in memory or in the padding.
std::vector<std::vector<Value>> Staging::beside(const std::vector<Value>& loaded,
                                                std::uint64_t step, std::uint64_t vector) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  std::vector<std::vector<Value>> all(static_cast<std::size_t>(operand_.patch.k));
  for (std::uint64_t k = 0; k < all.size(); ++k) {
    const InAccess at = in_access(step, vector, k);
    std::size_t first = accesses_.size() + at.access * loads_of_extras_;
    for (const Extra& extra : extras_) {
      const std::int64_t load = extra.loads == 1 ? 0 : at.inside / extra.width;
      Value value =
          element_of(context_, extra.matrix.element, loaded[first + static_cast<std::size_t>(load)],
                     at.inside % extra.width);
      const mlir::Type number = number_type(builder.getContext(), extra.matrix.element);
      if (value.getType() != number) value = mlir::arith::BitcastOp::create(builder, number, value);
      all[k].push_back(value);
      first += static_cast<std::size_t>(extra.loads);
    }
    if (matrix().tells_padding)
      all[k].push_back(loaded[accesses_.size() * (1 + loads_of_extras_) + at.access]);
  }
  return all;
}

std::size_t Staging::stores() const {
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  return map.input_size("step") * map.input_size("vector");
}

void Staging::store(const std::vector<Value>& loaded, const TileBases& bases,
                    const std::optional<Extent>& k_left) const {
  for (std::size_t number = 0; number < stores(); ++number)
    store_one(loaded, bases, k_left, number);
}

void Staging::store_one(const std::vector<Value>& loaded, const TileBases& bases,
                        const std::optional<Extent>& k_left, std::size_t number) const {
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  const std::uint64_t vectors = map.input_size("vector");
  const std::uint64_t step = number / vectors, vector = number % vectors;
  const layout::Coordinates at{{"vector", vector}, {"step", step}};
  const SharedAddresses::Place place = addresses_.at(at);
  const auto k = static_cast<std::int64_t>(map.apply(at).value().at("k"));
  store_parts(produced(gathered(loaded, step, vector), beside(loaded, step, vector), k, k_left),
              bases.registers[place.number],
              place.constant * operand_.tile.element_bytes + bases.further);
}

// True if elements have 8 bits and a store to LDS needs bytes from several loads. They are then
// gathered into words of four bytes that are adjacent along k.
bool Staging::gathers_bytes() const {
  return (!operand_.tile.k_contiguous || access_ == 1) && producer().nodes.empty() &&
         instruction::bits(matrix().element) == 8 && operand_.patch.k % 4 == 0;
}

// Returns the same elements as gathered(), but permutes bytes of whole words; LLVM would take the
// words apart byte by byte. A word of four bytes takes three v_perm_b32, or two if the first of
// them also serves the neighbouring row.
Value Staging::gathered_bytes(const std::vector<Value>& loaded, std::uint64_t step,
                              std::uint64_t vector) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const mlir::Type word = builder.getI32Type();
  const std::int64_t inside = in_access(step, vector, 0).inside;
  const auto word_at = [&](std::uint64_t k) -> Value {
    Value value = loaded[in_access(step, vector, k).access];
    if (access_ < 4) {
      const mlir::Type bits = builder.getIntegerType(static_cast<unsigned>(8 * access_));
      if (access_ > 1)
        value = mlir::vector::ExtractOp::create(
            builder,
            mlir::vector::BitCastOp::create(builder, mlir::VectorType::get({1}, bits), value),
            std::int64_t{0});
      return mlir::arith::ExtUIOp::create(builder, word, value);
    }
    const auto type = mlir::VectorType::get({access_ / 4}, word);
    return mlir::vector::ExtractOp::create(
        builder, mlir::vector::BitCastOp::create(builder, type, value), inside / 4);
  };
  // A selector byte 0-3 chooses a byte of `low`, a selector byte 4-7 a byte of `high`.
  const auto permuted = [&](Value high, Value low, std::uint32_t selector) -> Value {
    return mlir::LLVM::CallIntrinsicOp::create(
               builder, word, builder.getStringAttr("llvm.amdgcn.perm"),
               mlir::ValueRange{high, low, context_.constant(selector)})
        .getResult(0);
  };
  const std::uint32_t pair = inside % 4 < 2 ? 0x05010400 : 0x07030602;
  const std::uint32_t half = inside % 2 == 0 ? 0x05040100 : 0x07060302;
  std::vector<Value> words;
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(operand_.patch.k); k += 4)
    words.push_back(permuted(permuted(word_at(k + 3), word_at(k + 2), pair),
                             permuted(word_at(k + 1), word_at(k), pair), half));
  const auto type = mlir::VectorType::get({operand_.patch.k / 4}, word);
  return mlir::vector::BitCastOp::create(
      builder, mlir::VectorType::get({operand_.patch.k}, context_.element()),
      mlir::vector::FromElementsOp::create(builder, type, words));
}

// The elements along k of row number `vector` of the thread's patch, taken from the values that
// were loaded. The result is one vector if one load has exactly these elements, or if bytes are
// permuted; otherwise it has a value for each element.
std::vector<Value> Staging::gathered(const std::vector<Value>& loaded, std::uint64_t step,
                                     std::uint64_t vector) const {
  const auto k_count = static_cast<std::uint64_t>(operand_.patch.k);
  if (operand_.tile.k_contiguous && access_ == operand_.patch.k && access_ > 1 &&
      producer().nodes.empty() && !context_.plan.problem.is_split())
    return {loaded[in_access(step, vector, 0).access]};
  if (gathers_bytes()) return {gathered_bytes(loaded, step, vector)};
  std::vector<Value> elements;
  for (std::uint64_t k = 0; k < k_count; ++k) {
    const InAccess at = in_access(step, vector, k);
    elements.push_back(element_of(context_, matrix().element, loaded[at.access], at.inside));
  }
  return elements;
}

Staging::InAccess Staging::in_access(std::uint64_t step, std::uint64_t vector,
                                     std::uint64_t k) const {
  const bool k_contiguous = operand_.tile.k_contiguous;
  const auto width = static_cast<std::uint64_t>(access_);
  const auto k_count = static_cast<std::uint64_t>(operand_.patch.k);
  const std::uint64_t loads = accesses_.size() / operand_.chosen.staging.map.input_size("step");
  const std::uint64_t index =
      k_contiguous ? (vector * k_count + k) / width : vector / width * k_count + k;
  return {step * loads + index, static_cast<std::int64_t>((k_contiguous ? k : vector) % width)};
}

// Applies the producer to `elements`, whose first has the thread's k number `k`. The results are
// what is multiplied, in the type of the tile in LDS. `beside` has the further values that the
// producer reads for each element. Elements beyond the matrix were read as zeros; from zeros a
// producer may compute anything, so its results for them are replaced by a number that changes no
// sum.
std::vector<Value> Staging::produced(const std::vector<Value>& elements,
                                     const std::vector<std::vector<Value>>& beside, std::int64_t k,
                                     const std::optional<Extent>& k_left) const {
  if (producer().nodes.empty()) return elements;
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const plan::Problem& problem = context_.plan.problem;
  const mlir::Type bits =
      bits_type(builder.getContext(), is_a() ? problem.input : problem.b_input());
  std::vector<Value> results;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Value result =
        compiler::produced(builder, producer(), matrix().element, elements[i], beside[i], bits);
    if (!is_whole(k_left)) {
      const Value zero = beyond_matrix(builder, problem, is_a(), bits);
      result = mlir::arith::SelectOp::create(builder, is_before_end(k, *k_left), result, zero);
    }
    results.push_back(result);
    ++k;
  }
  return results;
}

// Rounds f32 numbers, given as their bits, before an instruction that would only cut off the lower
// bits.
Value Staging::rounded(Value bits) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const auto type = mlir::cast<mlir::VectorType>(bits.getType());
  const auto numbers = mlir::VectorType::get(type.getShape(), builder.getF32Type());
  return mlir::arith::BitcastOp::create(
      builder, type,
      rounded_before_cut(builder, mlir::arith::BitcastOp::create(builder, numbers, bits)));
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
    const Value vector =
        is_vector ? elements[0]
                  : mlir::vector::FromElementsOp::create(builder, type, elements).getResult();
    if (context_.plan.problem.rounds_tf32() &&
        context_.plan.instruction->a_type == instruction::ElementType::xf32)
      return store(rounded(vector), constant);
    return is_vector ? store_shared(context_, vector, base, constant) : store(vector, constant);
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
  const auto plane = static_cast<std::int64_t>(operand_.chosen.placement.bytes);
  store(mlir::vector::FromElementsOp::create(builder, type, high), constant);
  store(mlir::vector::FromElementsOp::create(builder, type, low), constant + plane);
}

}  // namespace heddle::compiler
