#include "compiler/request/request_builder.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "compiler/overlap.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using plan::Loop;

// The largest matrix: byte offsets of buffer instructions are 32 bits, and offsets from 2^31 up
// mean "outside" to the kernels.
constexpr std::int64_t most_bytes = (std::int64_t{1} << 31) - 1;

// What plans are made for where a size is not known.
constexpr std::int64_t planned_size = 1024;

// Grids have at most this many blocks along z. Source: CUDA C++ Programming Guide, "Compute
// Capabilities", maximum z-dimension of a grid; HIP's is not smaller.
constexpr std::int64_t most_batches = 65535;

bool contains(const std::vector<int>& numbers, int number) {
  return std::ranges::count(numbers, number) != 0;
}

bool is_float(ElementType type) { return type != ElementType::i32 && type != ElementType::i8; }

std::string type_words(ElementType type) {
  if (type == ElementType::fp8) return "f8E4M3FN";
  if (type == ElementType::bf8) return "f8E5M2";
  return std::string(instruction::name(type));
}

Place line_of(mlir::Location location) {
  if (const auto line = location->findInstanceOf<mlir::FileLineColLoc>())
    return {std::max(line.getLine(), 1u), std::max(line.getColumn(), 1u)};
  return {};
}

std::string name_of_loop(Loop loop) {
  constexpr std::array<const char*, 4> names{"m", "n", "k", "a batch"};
  return names[static_cast<std::size_t>(loop)];
}

Expression expression_of(const Element& element, const std::vector<int>& inputs) {
  Expression expression;
  for (Node node : element.nodes) {
    if (node.step == Step::input) node.index = inputs[static_cast<std::size_t>(node.index)];
    expression.nodes.push_back(node);
  }
  return expression;
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
  request_.in_place = formula_.written >= 0;
  if (!find_result_loops() || !find_leaves() || !name_loops() || !find_types() || !find_initial() ||
      !find_buffers() || !find_sizes() || !find_matrices() || !check_result_places() ||
      !check_writes())
    return std::nullopt;
  return request_;
}

// The sum is read at one place for each element of D.
bool RequestBuilder::find_result_loops() {
  const ContractionFormula& contraction = formula_.contraction;
  const auto rank = static_cast<std::size_t>(formula_.type.getRank());
  int found = 0;
  for (const Leaf& leaf : formula_.result.leaves) {
    if (leaf.source != Leaf::product) continue;
    ++found;
    result_loops_.assign(rank, -1);
    for (std::size_t i = 0; i < leaf.dims.size(); ++i)
      result_loops_[static_cast<std::size_t>(leaf.dims[i])] = contraction.loops[i];
  }
  if (found == 1 && !contains(result_loops_, -1)) return true;
  return refuse(place_of(formula_.place), "a result that uses an element of the matmul's twice",
                "elementwise operations on the matmul's result, perhaps transposed");
}

bool RequestBuilder::find_leaves() {
  for (int side = 0; side < 2; ++side) {
    const Element& factor = formula_.contraction.factors[side];
    const mlir::Location where = place_of(formula_.contraction.operands[side]);
    if (factor.leaves.empty())
      return refuse(where, "an input computed in the function",
                    "inputs that are function arguments");
    if (factor.leaves.size() > 1) {
      return refuse(where, "an input computed from several matrices",
                    "elementwise operations on one function argument, with constants");
    }
  }
  return true;
}

// The loop along which neighbours of an operand are neighbours in memory.
int RequestBuilder::innermost(const Leaf& leaf) const {
  const mlir::Type type =
      mlir::func::FuncOp(function_).getArgument(static_cast<unsigned>(leaf.source)).getType();
  llvm::SmallVector<std::int64_t> strides;
  std::int64_t offset = 0;
  if (const auto memref = mlir::dyn_cast<mlir::MemRefType>(type);
      memref && mlir::succeeded(memref.getStridesAndOffset(strides, offset))) {
    for (std::size_t i = strides.size(); i-- > 0;)
      if (strides[i] == 1) return leaf.dims[i];
  }
  return leaf.dims.empty() ? -1 : leaf.dims.back();
}

// Of two loops that only one operand has, either may be the batch. It is not the one along which
// the operand, or else D, lies without gaps.
std::size_t RequestBuilder::lone_batch(const Leaf& leaf, const std::vector<int>& loops) const {
  for (const int contiguous : {innermost(leaf), result_loops_.back()})
    if (contains(loops, contiguous)) return loops[0] == contiguous ? 1 : 0;
  return 0;
}

// Rows are the loop of A alone, columns that of B alone, and a loop of both is the batch. D's last
// dimension runs along columns, where there is a choice.
bool RequestBuilder::name_loops() {
  const ContractionFormula& contraction = formula_.contraction;
  std::vector<int> only[2], both;
  for (const int loop : result_loops_) {
    const bool first = contains(contraction.factors[0].leaves[0].dims, loop);
    const bool second = contains(contraction.factors[1].leaves[0].dims, loop);
    if (first && second) both.push_back(loop);
    if (first != second) only[first ? 0 : 1].push_back(loop);
    if (!first && !second)
      return refuse(place(), "a result with a dimension that no operand has", accepted_body);
  }
  // One operand for all of a batch.
  for (int side = 0; side < 2; ++side) {
    std::vector<int>& loops = only[side];
    if (loops.size() != 2 || !both.empty()) continue;
    both.push_back(loops[lone_batch(contraction.factors[side].leaves[0], loops)]);
    std::erase(loops, both.back());
  }
  const bool summed = contains(contraction.factors[0].leaves[0].dims, contraction.reduction) &&
                      contains(contraction.factors[1].leaves[0].dims, contraction.reduction);
  if (only[0].size() != 1 || only[1].size() != 1 || both.size() > 1 || !summed) {
    return refuse(place(), "a contraction of other loops",
                  "one loop of A alone, one of B alone, one that is summed, and at most one batch");
  }
  if (!both.empty()) batch_ = both[0];
  a_side_ = result_loops_.back() == only[0][0] ? 1 : 0;
  row_ = only[a_side_][0];
  column_ = only[1 - a_side_][0];
  for (int i = 0; i < 2; ++i) {
    factors_[i] = contraction.factors[i == 0 ? a_side_ : 1 - a_side_];
    leaves_[i] = factors_[i].leaves[0];
  }
  return true;
}

std::optional<Loop> RequestBuilder::name_of(int loop) const {
  if (loop == row_) return Loop::m;
  if (loop == column_) return Loop::n;
  if (loop == formula_.contraction.reduction) return Loop::k;
  if (loop == batch_) return Loop::batch;
  return std::nullopt;
}

// A product of widened numbers is one of the narrow ones: matrix instructions multiply exactly.
bool RequestBuilder::find_types() {
  const ElementType type = formula_.contraction.type;
  ElementType types[2];
  Element narrow[2], bits[2];
  const auto widened = [](Element element, Step step, ElementType to) {
    element.add({step, to, {static_cast<int>(element.nodes.size()) - 1}});
    return element;
  };
  for (int i = 0; i < 2; ++i) {
    const Node& root = factors_[i].root();
    narrow[i] = factors_[i];
    types[i] = root.type;
    const bool is_cast = root.step == Step::convert || root.step == Step::convert_unsigned;
    if (!is_cast) continue;
    Element inner = factors_[i].part(root.operands[0]);
    const ElementType from = inner.root().type;
    if (from == ElementType::b1) {
      bits[i] = std::move(inner);
      continue;
    }
    if (is_float(from) != is_float(type) || instruction::bits(from) >= instruction::bits(type))
      continue;
    types[i] =
        from == ElementType::i8 && root.step == Step::convert_unsigned ? ElementType::u8 : from;
    narrow[i] = std::move(inner);
  }
  // 0 and 1, or 0 and -1, are numbers of every type.
  const bool both = bits[0].is_written() && bits[1].is_written();
  for (int i = 0; i < 2; ++i) {
    if (!bits[i].is_written() || (type != ElementType::f32 && type != ElementType::i32)) continue;
    const ElementType other = both ? ElementType::f16 : types[1 - i];
    const bool is_half = other == ElementType::f16 || other == ElementType::bf16;
    if (type == ElementType::f32 && !is_half) continue;
    types[i] = type == ElementType::i32 ? ElementType::i8 : other;
    narrow[i] = widened(std::move(bits[i]), factors_[i].root().step, types[i]);
  }
  if (type == ElementType::f32 &&
      (types[0] == ElementType::f32) != (types[1] == ElementType::f32)) {
    types[0] = types[1] = ElementType::f32;
  } else {
    for (int i = 0; i < 2; ++i) factors_[i] = std::move(narrow[i]);
  }
  const mlir::Value operand = formula_.contraction.operands[1];
  if (types[0] == ElementType::i32) {
    return refuse(place_of(formula_.contraction.operands[0]), "inputs of " + type_words(types[0]),
                  "inputs of i8 for a result of i32");
  }
  const bool small = instruction::bits(types[0]) == 8 && instruction::bits(types[1]) == 8;
  if (types[0] != types[1] && !small) {
    return refuse(place_of(operand),
                  "inputs of " + type_words(types[0]) + " and " + type_words(types[1]),
                  "both of one type, or f8E4M3FN with f8E5M2");
  }
  plan::Problem& problem = request_.problem;
  problem.input = types[0];
  if (types[1] != types[0]) problem.input_b = types[1];
  request_.sum_result = type;
  request_.a_producer = expression_of(factors_[0], {0});
  request_.b_producer = expression_of(factors_[1], {0});
  if (request_.a_producer.is_identity()) request_.a_producer = {};
  if (request_.b_producer.is_identity()) request_.b_producer = {};
  return true;
}

// The accumulator starts from a constant, from a matrix, or from zero with the initial value added
// in the epilogue.
bool RequestBuilder::find_initial() {
  const ContractionFormula& contraction = formula_.contraction;
  const Element& initial = contraction.initial;
  result_ = formula_.result;
  if (initial.nodes.size() == 1 && initial.root().step == Step::constant) {
    request_.constant = initial.root().constant;
    find_epilogue();
    return true;
  }
  if (const Leaf* leaf = initial.only_leaf()) {
    Leaf in_loops = *leaf;
    for (int& dim : in_loops.dims) dim = contraction.loops[static_cast<std::size_t>(dim)];
    c_leaf_ = in_loops;
    find_epilogue();
    return true;
  }
  if (contraction.type != ElementType::f32 && contraction.type != ElementType::i32) {
    return refuse(place(), "a computed initial value of " + type_words(contraction.type),
                  "a function argument, a constant, or a computed value of f32 or i32");
  }
  Element sum;
  std::vector<int> moved;
  for (Node node : result_.nodes) {
    const bool is_input = node.step == Step::input;
    const Leaf leaf = is_input ? result_.leaves[static_cast<std::size_t>(node.index)] : Leaf{};
    if (is_input && leaf.source == Leaf::product) {
      const int product = sum.add_leaf(leaf, node.type);
      const int added = sum.add_all(initial, leaf.dims);
      moved.push_back(sum.add({Step::add, node.type, {product, added}}));
      continue;
    }
    if (is_input) {
      moved.push_back(sum.add_leaf(leaf, node.type));
      continue;
    }
    for (int i = 0; i < operand_count(node.step); ++i) {
      int& operand = node.operands[static_cast<std::size_t>(i)];
      operand = moved[static_cast<std::size_t>(operand)];
    }
    moved.push_back(sum.add(node));
  }
  result_ = sum.part(moved.back());
  request_.constant = 0.0;
  find_epilogue();
  return true;
}

void RequestBuilder::find_epilogue() {
  std::vector<int> inputs;
  int extras = 0;
  for (const Leaf& leaf : result_.leaves)
    inputs.push_back(leaf.source == Leaf::product ? 0 : ++extras);
  request_.epilogue = expression_of(result_, inputs);
  if (request_.epilogue.is_identity()) request_.epilogue = {};
  request_.problem.result = result_.root().type;
}

// Every argument, then D. Dimensions get the names of the loops that run over them.
bool RequestBuilder::find_buffers() {
  const auto add = [&](mlir::Value value) {
    const mlir::ShapedType type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
    const mlir::Location where = place_of(value);
    if (!type || !type.hasRank() || !element_type(type.getElementType())) {
      return refuse(where, "an argument that the linalg.matmul does not use",
                    "arguments that are A, B and, unless a constant fills it, C");
    }
    BufferRecord buffer;
    buffer.element = stored_type(*element_type(type.getElementType()));
    buffer.is_i1 = type.getElementType().isSignlessInteger(1);
    buffer.shape.assign(type.getShape().begin(), type.getShape().end());
    for (std::int64_t& size : buffer.shape) {
      if (size == 0) return refuse(where, "the empty " + printed(type), "sizes of at least 1");
      if (mlir::ShapedType::isDynamic(size)) size = -1;
    }
    buffer.loops.resize(buffer.shape.size());
    buffer.strides.assign(buffer.shape.size(), -1);
    if (const auto memref = mlir::dyn_cast<mlir::MemRefType>(type)) {
      llvm::SmallVector<std::int64_t> strides;
      std::int64_t offset = 0;
      const bool known = mlir::succeeded(memref.getStridesAndOffset(strides, offset));
      if (!known || mlir::ShapedType::isDynamic(offset) || offset < 0 ||
          (!memref.getLayout().isIdentity() && llvm::any_of(
                                                   strides,
                                                   [](std::int64_t stride) {
                                                     return mlir::ShapedType::isDynamic(stride) ||
                                                            stride < 1 || stride > most_bytes;
                                                   })) ||
          offset > most_bytes) {
        return refuse(
            where, "the layout of " + printed(type),
            "row-major, or constant strides from 1 and a constant offset, up to 2147483647");
      }
      if (memref.getMemorySpace()) {
        return refuse(where, "the memory space of " + printed(type),
                      "the default one, global memory");
      }
      if (!memref.getLayout().isIdentity()) buffer.strides.assign(strides.begin(), strides.end());
      buffer.offset = offset;
    } else if (mlir::cast<mlir::RankedTensorType>(type).getEncoding()) {
      return refuse(where, "the encoding of " + printed(type), "a plain tensor, row-major");
    }
    std::int64_t elements = most_bytes / std::max(instruction::bits(buffer.element) / 8, 1);
    for (const std::int64_t size : buffer.shape) {
      if (size > elements) {
        return refuse(where, "the size of " + printed(type),
                      "at most " + std::to_string(most_bytes) + " bytes a matrix");
      }
      if (size > 0) elements /= size;
    }
    request_.buffers.push_back(std::move(buffer));
    return true;
  };
  for (const mlir::BlockArgument argument : mlir::func::FuncOp(function_).getArguments())
    if (!add(argument)) return false;
  if (request_.in_place) return true;
  return add(formula_.place);
}

// The size of each loop, from every dimension it runs over: a number where one of them is.
bool RequestBuilder::find_sizes() {
  plan::Problem& problem = request_.problem;
  std::int64_t sizes[4] = {-1, -1, -1, batch_ < 0 ? 1 : -1};
  struct Use {
    int source;
    std::size_t dimension;
    Loop loop;
  };
  std::vector<Use> uses;
  std::string differing;
  const auto take = [&](int source, const std::vector<int>& loops) {
    BufferRecord& buffer = request_.buffers[static_cast<std::size_t>(source)];
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const Loop loop = name_of(loops[i]).value();
      buffer.loops[i] = loop;
      uses.push_back({source, i, loop});
      std::int64_t& size = sizes[static_cast<std::size_t>(loop)];
      if (size < 0 || size == buffer.shape[i]) size = buffer.shape[i];
      if (buffer.shape[i] < 0 || size == buffer.shape[i]) continue;
      differing = name_of_loop(loop) + " of " + std::to_string(size) + " and of " +
                  std::to_string(buffer.shape[i]);
    }
  };
  const int result =
      request_.in_place ? formula_.written : static_cast<int>(request_.buffers.size()) - 1;
  take(result, result_loops_);
  for (const Leaf& leaf : leaves_) take(leaf.source, leaf.dims);
  if (c_leaf_) take(c_leaf_->source, c_leaf_->dims);
  for (const Leaf& leaf : result_.leaves) {
    if (leaf.source < 0) continue;
    std::vector<int> loops;
    for (const int dim : leaf.dims) loops.push_back(result_loops_[static_cast<std::size_t>(dim)]);
    take(leaf.source, loops);
  }
  // A dimension that two loops run over makes them equally long, which kernels are not told.
  for (const Use& use : uses) {
    const BufferRecord& buffer = request_.buffers[static_cast<std::size_t>(use.source)];
    const Loop last = buffer.loops[use.dimension];
    const std::int64_t size = sizes[static_cast<std::size_t>(use.loop)];
    const std::int64_t last_size = sizes[static_cast<std::size_t>(last)];
    if (use.loop == last || (size == last_size && size >= 0)) continue;
    differing = "an argument with one dimension for " + name_of_loop(use.loop) + " and for " +
                name_of_loop(last);
  }
  if (!differing.empty())
    return refuse(place(), differing, "one known size for all dimensions that must be equal");
  for (std::size_t loop = 0; loop < 4; ++loop) {
    if (sizes[loop] >= 0) continue;
    problem.dynamic |= 1u << loop;
    sizes[loop] = loop == static_cast<std::size_t>(Loop::batch) ? 1 : planned_size;
  }
  problem.m = sizes[0];
  problem.n = sizes[1];
  problem.k = sizes[2];
  problem.batch = sizes[3];
  if (problem.batch <= most_batches) return true;
  return refuse(place(), "a batch of " + std::to_string(problem.batch),
                "at most " + std::to_string(most_batches));
}

Stride RequestBuilder::stride(const BufferRecord& buffer, std::size_t dimension) const {
  if (buffer.strides[dimension] >= 0) return {buffer.strides[dimension], 0};
  Stride result{1, 0};
  for (std::size_t i = dimension + 1; i < buffer.shape.size(); ++i) {
    if (request_.problem.is_dynamic(buffer.loops[i])) {
      result.sizes |= 1u << static_cast<unsigned>(buffer.loops[i]);
    } else {
      result.factor *= request_.problem.size(buffer.loops[i]);
    }
  }
  return result;
}

MatrixRecord RequestBuilder::matrix(const Leaf& leaf, Loop rows, Loop columns) const {
  const BufferRecord& buffer = request_.buffers[static_cast<std::size_t>(leaf.source)];
  MatrixRecord matrix;
  matrix.element = buffer.element;
  matrix.parameter = leaf.source;
  matrix.offset = buffer.offset;
  const auto arguments = mlir::func::FuncOp(function_).getArguments();
  const bool is_argument = static_cast<std::size_t>(leaf.source) < arguments.size();
  matrix.place =
      line_of(place_of(is_argument ? mlir::Value(arguments[static_cast<std::size_t>(leaf.source)])
                                   : formula_.place));
  for (std::size_t i = 0; i < leaf.dims.size(); ++i) {
    const Loop loop = name_of(leaf.dims[i]).value();
    if (loop == rows) matrix.row = stride(buffer, i);
    if (loop == columns) matrix.column = stride(buffer, i);
    if (loop == Loop::batch) matrix.batch = stride(buffer, i);
  }
  return matrix;
}

bool RequestBuilder::find_matrices() {
  plan::Problem& problem = request_.problem;
  const auto role = [&](const MatrixRecord& matrix, Role role) {
    request_.buffers[static_cast<std::size_t>(matrix.parameter)].role = role;
  };
  for (const Leaf& leaf : result_.leaves) {
    if (leaf.source < 0) continue;
    Leaf in_loops = leaf;
    for (int& dim : in_loops.dims) dim = result_loops_[static_cast<std::size_t>(dim)];
    request_.extras.push_back(matrix(in_loops, Loop::m, Loop::n));
  }
  const int result =
      request_.in_place ? formula_.written : static_cast<int>(request_.buffers.size()) - 1;
  request_.d = matrix({result, result_loops_}, Loop::m, Loop::n);
  role(request_.d, Role::d);
  if (c_leaf_) {
    request_.c = matrix(*c_leaf_, Loop::m, Loop::n);
    role(*request_.c, Role::c);
  }
  request_.a = matrix(leaves_[0], Loop::m, Loop::k);
  request_.b = matrix(leaves_[1], Loop::k, Loop::n);
  role(request_.b, Role::b);
  role(request_.a, Role::a);
  if (request_.a.element != problem.input && !request_.a_producer.nodes.empty())
    problem.a.stored = request_.a.element;
  if (request_.b.element != problem.b_input() && !request_.b_producer.nodes.empty())
    problem.b.stored = request_.b.element;
  problem.a.transposed = request_.a.row == Stride{1, 0} && request_.a.column != Stride{1, 0};
  problem.b.transposed = request_.b.row == Stride{1, 0} && request_.b.column != Stride{1, 0};
  const auto fits = [&](const MatrixRecord& read) { return check_size(read, Loop::m, Loop::n); };
  return find_form(request_.a, leaves_[0], 0, problem.a) &&
         find_form(request_.b, leaves_[1], 1, problem.b) &&
         check_size(request_.a, Loop::m, Loop::k) && check_size(request_.b, Loop::k, Loop::n) &&
         fits(request_.d) && (!request_.c || fits(*request_.c)) &&
         std::ranges::all_of(request_.extras, fits);
}

// One of the two dimensions of A and of B lies without gaps.
bool RequestBuilder::find_form(const MatrixRecord& matrix, const Leaf& leaf, int side,
                               plan::OperandForm& form) {
  const plan::Problem& problem = request_.problem;
  const Stride& along = form.transposed ? matrix.row : matrix.column;
  const Stride& across = form.transposed ? matrix.column : matrix.row;
  if (along != Stride{1, 0}) {
    return refuse(place_of(formula_.contraction.operands[side == 0 ? a_side_ : 1 - a_side_]),
                  "an input whose last dimension is the batch, or has gaps",
                  "a last dimension of m, n or k with stride 1");
  }
  const Loop rows = side == 0 ? Loop::m : Loop::k;
  const Loop columns = side == 0 ? Loop::k : Loop::n;
  const Loop inner = form.transposed ? rows : columns;
  const auto known = [&](std::int64_t divisor, const Stride& stride) {
    return std::gcd(divisor, stride.factor);
  };
  std::int64_t divisor = problem.is_dynamic(inner) ? 1 : problem.size(inner);
  divisor = known(known(known(divisor, across), matrix.batch), {matrix.offset, 0});
  form.divisor = divisor;
  (void)leaf;
  return true;
}

// Offsets inside a matrix are 32-bit numbers of bytes.
bool RequestBuilder::check_size(const MatrixRecord& matrix, Loop rows, Loop columns) {
  const plan::Problem& problem = request_.problem;
  if (!matrix.row.is_static() || !matrix.column.is_static()) return true;
  const int bytes = std::max(instruction::bits(matrix.element) / 8, 1);
  const __int128 span = static_cast<__int128>(problem.size(rows)) * matrix.row.factor +
                        static_cast<__int128>(problem.size(columns)) * matrix.column.factor +
                        matrix.offset;
  if (span * bytes <= most_bytes) return true;
  const auto arguments = mlir::func::FuncOp(function_).getArguments();
  const auto parameter = static_cast<std::size_t>(matrix.parameter);
  const mlir::Value value =
      parameter < arguments.size() ? mlir::Value(arguments[parameter]) : formula_.place;
  return refuse(place_of(value), "the size of " + printed(value.getType()),
                "at most " + std::to_string(most_bytes) + " bytes a matrix");
}

// Where several elements are one place, the last to be written would remain.
bool RequestBuilder::check_result_places() {
  const BufferRecord& buffer = request_.buffers[static_cast<std::size_t>(request_.d.parameter)];
  std::vector<ArrayDimension> dimensions;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i)
    if (buffer.strides[i] >= 0)  // an open size is more than one element
      dimensions.push_back({buffer.shape[i] < 0 ? 2 : buffer.shape[i], buffer.strides[i]});
  if (!may_overlap(std::move(dimensions))) return true;
  return refuse(place_of(formula_.place),
                "a result with several elements at one place, " +
                    printed(mlir::Value(formula_.place).getType()),
                accepted_result_layout);
}

// Each argument is read or written, and what is written is read at the same element only.
bool RequestBuilder::check_writes() {
  std::vector<bool> used(request_.buffers.size());
  const auto use = [&](const MatrixRecord& matrix) {
    used[static_cast<std::size_t>(matrix.parameter)] = true;
  };
  use(request_.a);
  use(request_.b);
  use(request_.d);
  if (request_.c) use(*request_.c);
  for (const MatrixRecord& extra : request_.extras) use(extra);
  for (mlir::BlockArgument argument : mlir::func::FuncOp(function_).getArguments()) {
    if (used[argument.getArgNumber()]) continue;
    if (!argument.use_empty() && !request_.in_place) {
      return refuse(argument.getLoc(), "a tensor argument that is only overwritten",
                    "a linalg.fill of tensor.empty()");
    }
    return refuse(argument.getLoc(), "an argument that the linalg.matmul does not use",
                  "arguments that are A, B and, unless a constant fills it, C");
  }
  const auto is_same = [&](const MatrixRecord& matrix) {
    const MatrixRecord& d = request_.d;
    return matrix.parameter != d.parameter ||
           (matrix.row == d.row && matrix.column == d.column && matrix.batch == d.batch);
  };
  bool holds =
      request_.a.parameter != request_.d.parameter && request_.b.parameter != request_.d.parameter;
  if (request_.c) holds = holds && is_same(*request_.c);
  for (const MatrixRecord& extra : request_.extras) holds = holds && is_same(extra);
  if (holds) return true;
  return refuse(place(), "an input that is overwritten while it is read",
                "a result that is read only where it is written");
}

}  // namespace heddle::compiler
