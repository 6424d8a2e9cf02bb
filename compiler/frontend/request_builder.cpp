#include "compiler/frontend/request_builder.h"

#include <algorithm>

#include "compiler/decisions/block_scales.h"
#include "compiler/memory_type.h"
#include "compiler/overlap.h"
#include "compiler/request/reach.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

Expression expression_of(const Element& element, const std::vector<int>& inputs) {
  Expression expression;
  for (Node node : element.nodes) {
    if (node.step == Step::input) node.index = inputs[static_cast<std::size_t>(node.index)];
    expression.nodes.push_back(node);
  }
  return expression;
}

// True if a factor is an f4E2M1FN times a power of two, computed in f32. bf16 can represent all
// such numbers.
bool is_scaled_fp4(const Element& factor) {
  const auto scaled = scaled_number(factor.nodes, static_cast<int>(factor.nodes.size()) - 1);
  return scaled && scaled->number.type == ElementType::fp4 &&
         factor.root().type == ElementType::f32;
}

}  // namespace

bool RequestBuilder::refuse(mlir::Location where, std::string_view found,
                            std::string_view accepted) {
  diagnostics_.error(where, found, accepted);
  return false;
}

std::optional<MatmulRequest> RequestBuilder::build() {
  request_.function = mlir::func::FuncOp(function_).getName().str();
  request_.place = line_of(place());
  request_.in_place = formula_.results[0].written.has_value();
  if (!find_loops() || !check_factors()) return std::nullopt;
  limit_batch();
  name_sides();
  if (!find_types() || !find_initial() || !find_buffers() || !find_sizes() || !find_strides() ||
      !find_groups() || !find_matrices() || !check_result_places() || !check_writes())
    return std::nullopt;
  return request_;
}

// Each element of D is computed from one element of the contraction, its sum. Rewrites formulas
// over the loops of the contraction as formulas over the coordinates of D and the summed loops.
bool RequestBuilder::find_loops() {
  const ContractionFormula& contraction = formula_.contraction;
  const ResultFormula& first = formula_.results[0];
  const Leaf* sum = only_sum(first.value.element, first.place);
  if (sum == nullptr) return false;
  std::vector<Index> places(contraction.loops.size());
  for (std::size_t i = 0; i < contraction.result.size(); ++i)
    places[static_cast<std::size_t>(contraction.result[i])] = sum->dims[i];
  d_leaf_ = place_in_memory(first);
  for (const Parts& parts : first.value.dims)
    loops_.sizes.insert(loops_.sizes.end(), parts.begin(), parts.end());
  result_loops_ = loops_.sizes.size();
  for (std::size_t i = 0; i < contraction.loops.size(); ++i) {
    if (!contraction.loops[i].is_summed) continue;
    places[i] = Index::of(static_cast<int>(loops_.sizes.size()));
    loops_.sizes.push_back(contraction.loops[i].size);
  }
  // If the element of D at index i is computed from the sum at index i, the loop and D's dimension
  // have the same size.
  for (std::size_t i = 0; i < contraction.result.size(); ++i) {
    const Index& index = sum->dims[i];
    const std::int64_t size =
        contraction.loops[static_cast<std::size_t>(contraction.result[i])].size;
    if (index.terms.size() == 1 && index == Index::of(index.terms[0].coordinate)) {
      std::int64_t& known = loops_.sizes[static_cast<std::size_t>(index.terms[0].coordinate)];
      if (known < 0) known = size;
    }
  }
  for (int side = 0; side < 2; ++side) factors_[side] = contraction.factors[side].at(places);
  std::vector<Index> of_result;
  for (const int loop : contraction.result)
    of_result.push_back(places[static_cast<std::size_t>(loop)]);
  initial_ = contraction.initial.at(of_result);
  for (const ResultFormula& further : llvm::drop_begin(formula_.results))
    if (!add_further(further, *sum)) return false;
  if (loops_.sizes.size() <= 64) return true;
  return refuse(place(), formatted("{} loops", loops_.sizes.size()), "at most 64");
}

// The sum that a result reads.
const Leaf* RequestBuilder::only_sum(const Element& element, mlir::Value place) {
  const auto is_sum = [](const Leaf& leaf) { return leaf.source == Leaf::product; };
  if (std::ranges::count_if(element.leaves, is_sum) == 1)
    return &*std::ranges::find_if(element.leaves, is_sum);
  refuse(place_of(place), "a result that uses an element of the matmul's twice",
         "elementwise operations on the matmul's result, perhaps transposed");
  return nullptr;
}

// Adds a further result. The result must have exactly one element for each element of D, computed
// from the same sum.
bool RequestBuilder::add_further(const ResultFormula& further, const Leaf& sum) {
  const Leaf* own = only_sum(further.value.element, further.place);
  if (own == nullptr) return false;
  std::vector<std::int64_t> sizes;
  for (const Parts& parts : further.value.dims)
    sizes.insert(sizes.end(), parts.begin(), parts.end());
  std::vector<std::optional<Index>> found(sizes.size());
  bool is_same = true;
  for (std::size_t i = 0; i < own->dims.size(); ++i) {
    const Index& index = own->dims[i];
    if (index == Index{}) continue;
    is_same = is_same && index.terms.size() == 1 && index == Index::of(index.terms[0].coordinate);
    if (is_same) found[static_cast<std::size_t>(index.terms[0].coordinate)] = sum.dims[i];
  }
  std::vector<Index> places;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    is_same = is_same && (found[i] || sizes[i] == 1);
    places.push_back(found[i].value_or(Index{}));
  }
  if (!is_same)
    return refuse(place_of(further.place), "a second result that is reshaped or broadcast",
                  "results of one product with the same elements, perhaps transposed");
  further_.push_back(further.value.element.at(places));
  further_d_.push_back(
      place_in_memory(further).moved([&](const Index& index) { return index.at(places); }));
  return true;
}

// Where the elements of a result are written: to an argument's memory if the text says so
// (`written`); otherwise the result is a new matrix that has no other elements.
Leaf RequestBuilder::place_in_memory(const ResultFormula& result) {
  if (result.written) return *result.written;
  Leaf whole;
  int first = 0;
  for (const Parts& parts : result.value.dims) {
    whole.dims.push_back(joined(parts, first));
    first += static_cast<int>(parts.size());
  }
  return whole;
}

bool RequestBuilder::check_factors() {
  const auto has_places = [](const Element& element) { return element.reads(Leaf::place); };
  if (std::ranges::any_of(factors_, has_places) || has_places(initial_))
    return refuse(place(), "a product of numbers that depend on their places",
                  "linalg.index in what is computed from the result");
  if (!factors_[0].leaves.empty() || !factors_[1].leaves.empty()) return true;
  return refuse(place_of(formula_.contraction.operands[0]), "inputs computed in the function",
                "an input that is a function argument, or computed from some");
}

// True if factor number `side` (0 or 1) depends on the loop.
bool RequestBuilder::is_in(int side, int loop) const {
  return std::ranges::any_of(factors_[side].leaves,
                             [&](const Leaf& leaf) { return reads(leaf, loop); });
}

// A grid has at most `most_batches` matrices. Loops on which both factors depend count with the
// batch, and normally so do loops on which neither depends. If these are too many together:
// - Loops on which neither factor depends become columns, which are all equal.
// - If the loops of both factors alone are still too many, and no loop is in only one factor, A
// becomes the product of the two factors, and B becomes 1.
void RequestBuilder::limit_batch() {
  std::int64_t both = 1, neither = 1;
  bool has_own = false;
  for (int loop = 0; loop < static_cast<int>(result_loops_); ++loop) {
    const bool in_a = is_in(0, loop), in_b = is_in(1, loop);
    const std::int64_t size =
        std::max<std::int64_t>(loops_.sizes[static_cast<std::size_t>(loop)], 1);
    std::int64_t& count = in_a ? both : neither;
    if (in_a != in_b) {
      has_own = has_own || loops_.sizes[static_cast<std::size_t>(loop)] != 1;
    } else if (__builtin_mul_overflow(count, size, &count)) {
      count = most_bytes;
    }
  }
  if (static_cast<__int128>(both) * neither <= most_batches) return;
  repeats_columns_ = true;
  if (both <= most_batches || has_own) return;
  Element product = factors_[0];
  const int x = static_cast<int>(product.nodes.size()) - 1;
  const int y = product.add_all(factors_[1], identity(loops_.sizes.size()));
  const ElementType type = formula_.contraction.type;
  factors_[0] = product.part(product.add({Step::multiply, type, {x, y}}));
  factors_[1] = {};
  factors_[1].add({Step::constant, type, {}, 0, 1});
}

// Chooses which factor is A. Loops that are only in A count rows, loops that are only in B count
// columns. The choice is such that D's last dimension, if only one factor depends on it, counts
// columns.
void RequestBuilder::name_sides() {
  if (formula_.contraction.combine != Step::add) return;  // of A's elements
  for (int loop = static_cast<int>(result_loops_); loop-- > 0;) {
    if (!is_in(0, loop) && !is_in(1, loop)) continue;
    a_side_ = is_in(0, loop) && !is_in(1, loop) ? 1 : 0;
    break;
  }
  if (a_side_ == 1) std::swap(factors_[0], factors_[1]);
}

// Chooses the types that are multiplied. If both factors are widened before they are multiplied,
// the narrow numbers are multiplied instead, because matrix instructions multiply exactly.
bool RequestBuilder::find_types() {
  const ElementType type = formula_.contraction.type;
  ElementType types[2];
  Element narrow[2], few_bits[2];
  const auto widened = [](Element element, Step step, ElementType to) {
    element.add({step, to, {static_cast<int>(element.nodes.size()) - 1}});
    return element;
  };
  request_.sum_result = type;
  if (formula_.contraction.combine !=
      Step::add) {  // no instruction multiplies: sums' types hold all
    const ElementType wide = plan::sum_type_of(type);
    for (Element& factor : factors_)
      if (factor.root().type != wide) factor = widened(factor, Step::convert, wide);
    request_.problem.input = wide;
    request_.problem.combine = formula_.contraction.combine;
    find_leaves();
    return true;
  }
  for (int i = 0; i < 2; ++i) {
    const Node& root = factors_[i].root();
    narrow[i] = factors_[i];
    types[i] = root.type;
    const bool is_cast = root.step == Step::convert || root.step == Step::convert_unsigned;
    if (!is_cast || instruction::bits(type) == 64) continue;  // no narrow product has such sums
    Element inner = factors_[i].part(root.operands[0]);
    const ElementType from = inner.root().type;
    if (from == ElementType::e8m0 || from == ElementType::i16) continue;
    if (from == ElementType::b1 || shares_bytes(from)) {
      few_bits[i] = std::move(inner);
      continue;
    }
    if (is_small_float(from)) few_bits[i] = inner;
    if (instruction::is_integer(from) != instruction::is_integer(type) ||
        instruction::bits(from) >= instruction::bits(type))
      continue;
    types[i] =
        from == ElementType::i8 && root.step == Step::convert_unsigned ? ElementType::u8 : from;
    narrow[i] = std::move(inner);
  }
  if (type == ElementType::i16) {  // sums modulo 2^32 are right modulo 2^16
    for (int i = 0; i < 2; ++i) {
      narrow[i] = widened(factors_[i], Step::convert, ElementType::i32);
      types[i] = ElementType::i32;
    }
  }
  const bool are_scaled[2] = {is_scaled_fp4(factors_[0]), is_scaled_fp4(factors_[1])};
  for (int i = 0; i < 2; ++i) {
    const bool has_bf16 =
        are_scaled[1 - i] || types[1 - i] == ElementType::bf16 || few_bits[1 - i].is_written();
    if (!are_scaled[i] || !has_bf16) continue;
    types[i] = ElementType::bf16;
    narrow[i] = widened(factors_[i], Step::convert, ElementType::bf16);
  }
  // Numbers of 1 and 4 bits fit every type, 8-bit floats fit both 16-bit floats. But E5M2 numbers
  // may be subnormal in f16, and not every target multiplies subnormal numbers.
  const bool both = few_bits[0].is_written() && few_bits[1].is_written();
  const bool are_small = is_small_float(types[0]) && is_small_float(types[1]);
  for (int i = 0; i < 2 && !are_small; ++i) {
    if (!few_bits[i].is_written() || (type != ElementType::f32 && type != ElementType::i32))
      continue;
    const ElementType other = both ? ElementType::f16 : types[1 - i];
    const bool is_half = other == ElementType::f16 || other == ElementType::bf16;
    if (type == ElementType::f32 && !is_half) continue;
    const bool has_wide_range = few_bits[i].root().type == ElementType::bf8 ||
                                few_bits[i].root().type == ElementType::bf8_fnuz;
    if (has_wide_range && other == ElementType::f16) continue;
    types[i] = type == ElementType::i32 ? ElementType::i8 : other;
    narrow[i] = widened(std::move(few_bits[i]), factors_[i].root().step, types[i]);
  }
  const bool small = instruction::bits(types[0]) == 8 && instruction::bits(types[1]) == 8;
  if (types[0] != types[1] && !small) {
    types[0] = types[1] = type;
  } else {
    for (int i = 0; i < 2; ++i) factors_[i] = std::move(narrow[i]);
  }
  plan::Problem& problem = request_.problem;
  problem.input = types[0];
  if (types[1] != types[0]) problem.input_b = types[1];
  find_leaves();
  return true;
}

// A factor may be computed from several matrices. Chooses the one that becomes A or B: one that
// depends on the most loops. Its elements are brought into shared memory; the other matrices are
// read for each of its elements.
void RequestBuilder::find_leaves() {
  const auto loops_of = [&](const Leaf& leaf) {
    int count = 0;
    for (int loop = 0; loop < static_cast<int>(loops_.sizes.size()); ++loop)
      count += reads(leaf, loop) ? 1 : 0;
    return count;
  };
  for (int side = 0; side < 2; ++side) {
    // A factor without a matrix is a constant. Its producer then ignores its input, which is the
    // first element of the other factor's matrix.
    std::vector<Leaf> all = factors_[side].leaves;
    if (all.empty()) {
      const Leaf& other = factors_[1 - side].leaves[0];
      all.push_back({other.source, std::vector<Index>(other.dims.size())});
    }
    const auto weight = [&](const Leaf& leaf) { return leaf.is_mask ? -1 : loops_of(leaf); };
    const auto main = std::ranges::max_element(all, {}, weight) - all.begin();
    const auto is_main = [&](const Leaf& leaf) {
      return &leaf == &all[static_cast<std::size_t>(main)];
    };
    for (const Leaf& leaf : all)
      if (!is_main(leaf) && !leaf.is_mask) further_leaves_[side].push_back(leaf);
    int next = 0;
    std::vector<int> inputs;
    for (const Leaf& leaf : all) {
      inputs.push_back(is_main(leaf)  ? 0
                       : leaf.is_mask ? static_cast<int>(further_leaves_[side].size()) + 1
                                      : ++next);
      if (!leaf.is_mask) continue;
      tells_padding_[side] = true;
      knows_padding_ = knows_padding_ && leaf.bounds == all[static_cast<std::size_t>(main)].bounds;
    }
    leaves_[side] = all[static_cast<std::size_t>(main)];
    Expression& producer = side == 0 ? request_.a_producer : request_.b_producer;
    producer = expression_of(factors_[side], inputs);
    // In reductions other than sums, a producer stays even if it changes nothing: beyond the end of
    // k its result is replaced by a number that does not change the reduction.
    const bool is_reduced = side == 0 && request_.problem.combine != Step::add;
    if (producer.is_identity() && !is_reduced) producer = {};
  }
}

// Finds with what sums begin: with a constant, with a matrix (C), or, if the initial value is
// computed, with zero (for other combinations with the number that changes nothing). In the last
// case the epilogue adds the initial value.
bool RequestBuilder::find_initial() {
  const ContractionFormula& contraction = formula_.contraction;
  const Element& initial = initial_;
  result_ = formula_.results[0].value.element;
  request_.constant_is_any = contraction.initial_is_any;
  if (initial.nodes.size() == 1 && initial.root().step == Step::constant) {
    request_.constant = initial.root().constant;
    find_epilogue();
    return true;
  }
  if (const Leaf* leaf = initial.only_leaf()) {
    c_leaf_ = *leaf;
    find_epilogue();
    return true;
  }
  if (contraction.type != plan::sum_type_of(contraction.type)) {
    return refuse(place(), "a computed initial value of " + type_words(contraction.type),
                  "a function argument, a constant, or a computed value of f32, f64, i32 or i64");
  }
  result_ = with_initial(result_);
  for (Element& further : further_) further = with_initial(further);
  request_.constant = plan::neutral(request_.problem.combine, request_.problem.sum_type());
  find_epilogue();
  return true;
}

// The formula of `result`, in which the initial value is added to the sum.
Element RequestBuilder::with_initial(const Element& result) const {
  Element sum;
  const int root = sum.add_all(result, [&](const Leaf& leaf, ElementType type) {
    const int read = sum.add_leaf(leaf, type);
    if (leaf.source != Leaf::product) return read;
    const int added = sum.add_all(initial_, identity(loops_.sizes.size()));
    return sum.add({request_.problem.combine, type, {read, added}});
  });
  return sum.part(root);
}

void RequestBuilder::find_epilogue() {
  // Input 0 of each epilogue is the sum. A matrix that several results read is one input.
  const auto position = [](std::vector<Leaf>& all, const Leaf& leaf) {
    const auto known = std::ranges::find(all, leaf);
    const auto at = static_cast<int>(known - all.begin());
    if (known == all.end()) all.push_back(leaf);
    return at;
  };
  const auto note = [&](const Element& result) {
    for (const Leaf& leaf : result.leaves)
      if (leaf.source != Leaf::product)
        position(leaf.source == Leaf::place ? places_ : extra_leaves_, leaf);
  };
  note(result_);
  for (const Element& further : further_) note(further);
  const auto epilogue = [&](const Element& result) {
    std::vector<int> inputs;
    const int first_place = static_cast<int>(extra_leaves_.size()) + 1;
    for (const Leaf& leaf : result.leaves)
      inputs.push_back(leaf.source == Leaf::product ? 0
                       : leaf.source == Leaf::place ? first_place + position(places_, leaf)
                                                    : 1 + position(extra_leaves_, leaf));
    const Expression expression = expression_of(result, inputs);
    return expression.is_identity() ? Expression{} : expression;
  };
  request_.epilogue = epilogue(result_);
  for (const Element& further : further_) request_.further.push_back({{}, epilogue(further)});
  request_.problem.result = result_.root().type;
}

// True if the value is refused later.
bool RequestBuilder::refuse_size(mlir::Value value, const std::string& accepted) {
  const std::string found = "the size of " + printed(value.getType());
  if (!between_.contains(value)) return refuse(place_of(value), found, accepted);
  too_large_.emplace_back(value, Refusal{line_of(place_of(value)), found, accepted});
  return true;
}

bool RequestBuilder::add_buffer(mlir::Value value) {
  const auto type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  const mlir::Location where = place_of(value);
  const mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
  BufferRecord buffer;
  if (const auto known = type ? element_type(element) : computed_type(element)) {
    buffer.element = stored_type(*known);
  } else {
    return refuse(where, "elements of " + printed(element), accepted_elements(element));
  }
  buffer.is_i1 = element.isSignlessInteger(1);
  // A trial run draws random indices that are smaller than the largest loop.
  if (element.isIndex()) {
    buffer.index_end = 1;
    for (const std::int64_t size : loops_.sizes)
      buffer.index_end = std::max(buffer.index_end, size);
  }
  if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    buffer.argument = static_cast<int>(argument.getArgNumber());
  buffer.place = line_of(where);
  if (type) buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  for (std::int64_t& size : buffer.shape) {
    if (size == 0)
      return refuse(where, "the empty " + printed(value.getType()), "sizes of at least 1");
    if (mlir::ShapedType::isDynamic(size)) size = -1;
  }
  buffer.dynamic_sizes.resize(buffer.shape.size());
  buffer.strides.assign(buffer.shape.size(), -1);
  if (const mlir::MemRefType memref = memory_type(value.getType())) {
    llvm::SmallVector<std::int64_t> strides;
    std::int64_t offset = 0;
    const bool known = mlir::succeeded(memref.getStridesAndOffset(strides, offset));
    const bool is_plain = memref.getLayout().isIdentity();
    const auto is_accepted = [](std::int64_t number) {
      return mlir::ShapedType::isDynamic(number) || (number >= 1 && number <= most_bytes);
    };
    // If the offset of an argument is dynamic ("open"), the kernel gets a pointer to the first
    // element, about whose alignment nothing is known. Then the strides are arguments, too, and no
    // access is wider than an element. Only kernels for special launches (special_launches.h)
    // assume that the pointer is a multiple of 16 bytes.
    buffer.has_open_offset = mlir::ShapedType::isDynamic(offset);
    if (buffer.has_open_offset) offset = 0;
    if (!known || offset < 0 || offset > most_bytes ||
        (!is_plain && !llvm::all_of(strides, is_accepted))) {
      return refuse(where, "the layout of " + printed(value.getType()),
                    "row-major, or strides from 1 and an offset, up to 2147483647");
    }
    for (std::size_t i = 0; i < strides.size() && !is_plain; ++i) {
      const bool is_open = buffer.has_open_offset || mlir::ShapedType::isDynamic(strides[i]);
      buffer.strides[i] = !is_open ? strides[i] : buffer.shape[i] == 1 ? 1 : told_stride;
    }
    buffer.told_strides.resize(strides.size());
    buffer.offset = offset;
  } else if (type && mlir::cast<mlir::RankedTensorType>(type).getEncoding()) {
    return refuse(where, "the encoding of " + printed(value.getType()),
                  "a plain tensor, row-major");
  }
  std::int64_t elements = most_bytes_of(buffer) / counted_bytes(buffer.element);
  for (const std::int64_t size : buffer.shape) {
    if (size > std::min(elements, most_length)) {
      if (!refuse_size(value, accepted_size(buffer))) return false;
      break;
    }
    if (size > 0) elements /= size;
  }
  // Strides may lead further than the sizes say.
  __int128 last = buffer.offset;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i)
    if (buffer.shape[i] > 0 && buffer.strides[i] > 0)
      last += __int128{buffer.shape[i] - 1} * buffer.strides[i];
  if (last >= most_bytes_of(buffer) / counted_bytes(buffer.element) &&
      !refuse_size(value, accepted_size(buffer)))
    return false;
  request_.buffers.push_back(std::move(buffer));
  values_.push_back(value);
  return true;
}

// Makes the buffers of the kernel: one for each argument that the product reads, then one for D.
bool RequestBuilder::find_buffers() {
  const auto arguments = mlir::func::FuncOp(function_).getArguments();
  buffers_.assign(arguments.size(), -1);
  std::vector<int> read;
  for (const Leaf* leaf : all_leaves())
    if (leaf->source >= 0) read.push_back(leaf->source);
  for (const ResultFormula& result : formula_.results)
    if (result.written) read.push_back(result.written->source);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::ranges::count(read, static_cast<int>(i)) == 0) continue;
    buffers_[i] = static_cast<int>(request_.buffers.size());
    if (!add_buffer(arguments[i])) return false;
  }
  for (std::size_t i = 0; i < formula_.results.size(); ++i) {
    const ResultFormula& result = formula_.results[i];
    if (result.written) continue;
    (i == 0 ? d_leaf_ : further_d_[i - 1]).source = static_cast<int>(buffers_.size());
    buffers_.push_back(static_cast<int>(request_.buffers.size()));
    if (!add_buffer(result.place)) return false;
  }
  return true;
}

int RequestBuilder::buffer_of(const Leaf& leaf) const {
  return buffers_[static_cast<std::size_t>(leaf.source)];
}

mlir::Value RequestBuilder::value_of(int buffer) const {
  return values_[static_cast<std::size_t>(buffer)];
}

// The leaves of A, B and D, then the others.
std::vector<const Leaf*> RequestBuilder::all_leaves() const {
  std::vector<const Leaf*> all{&leaves_[0], &leaves_[1], &d_leaf_};
  for (const std::vector<Leaf>& further : further_leaves_)
    for (const Leaf& leaf : further) all.push_back(&leaf);
  if (c_leaf_) all.push_back(&*c_leaf_);
  for (const Leaf& leaf : extra_leaves_) all.push_back(&leaf);
  for (const Leaf& leaf : further_d_) all.push_back(&leaf);
  return all;
}

// Refuses results with several elements at one place, where only the last one written would remain.
bool RequestBuilder::check_result_places() {
  for (const MatrixRecord* written : written_matrices(request_)) {
    const BufferRecord& buffer = request_.buffers[static_cast<std::size_t>(written->parameter)];
    std::vector<ArrayDimension> dimensions;
    for (std::size_t i = 0; i < buffer.shape.size(); ++i)
      if (buffer.strides[i] >= 0)  // an open size is more than one element
        dimensions.push_back({buffer.shape[i] < 0 ? 2 : buffer.shape[i], buffer.strides[i]});
    if (!may_overlap(std::move(dimensions))) continue;
    const mlir::Value held = value_of(written->parameter);
    return refuse(place_of(held),
                  "a result with several elements at one place, " + printed(held.getType()),
                  accepted_result_layout);
  }
  return true;
}

// Refuses a product that writes a matrix and also reads it, unless each element is read only to
// compute the same element.
bool RequestBuilder::check_writes() {
  const std::vector<const MatrixRecord*> all = written_matrices(request_);
  const auto is_same = [&](const MatrixRecord& matrix) {
    return std::ranges::all_of(all, [&](const MatrixRecord* d) {
      return matrix.parameter != d->parameter ||
             (matrix.row == d->row && matrix.column == d->column && matrix.batch == d->batch &&
              matrix.offset == d->offset);
    });
  };
  const auto is_other = [&](const MatrixRecord& matrix) {
    return std::ranges::none_of(
        all, [&](const MatrixRecord* d) { return matrix.parameter == d->parameter; });
  };
  bool holds = is_other(request_.a) && is_other(request_.b) &&
               std::ranges::all_of(request_.a_extras, is_other) &&
               std::ranges::all_of(request_.b_extras, is_other);
  for (const MatrixRecord* d : all)
    holds = holds && std::ranges::count(all, d->parameter, &MatrixRecord::parameter) == 1;
  if (request_.c) holds = holds && is_same(*request_.c);
  for (const MatrixRecord& extra : request_.extras) holds = holds && is_same(extra);
  if (holds) return true;
  return refuse(place(), "an input that is overwritten while it is read",
                "a result that is read only where it is written");
}

}  // namespace heddle::compiler
