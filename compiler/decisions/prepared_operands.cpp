#include "compiler/decisions/prepared_operands.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "compiler/decisions/block_scales.h"
#include "compiler/request/uses.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

// Times in microseconds, and rates in operations, bytes or elements per microsecond. `launch` is
// assumed. The others come from two measurements and are rounded to the cautious side:
// - An H200 ran 17 products of bench/gpu/products.py, compiled for sm_90a and for sm_90, which only
// has mma.sync (2026-11-24, driver 580.159.04).
// - An H100 ran products of rounded f32 and of weights of i8 (2026-11-26).
struct Measured {
  double narrow = 75e6, wide = 250e6;  // mma.sync, by how wide loads are
  double worked = 170e6;               // and with operations on what they bring
  double wide_f32 = 220e6;
  double wgmma = 600e6;      // of 16-bit elements
  double wgmma_f32 = 380e6;  // and of 32-bit ones
  double moved = 3e6;
  double stored = 260e3;  // elements of D from registers, into rows at any places
  double launch = 5;
  // For 8-bit floats with scales: the rate, and which share of the time is added if the scales of A
  // are copied one by one. Measured on an H100, bench/gpu/products.json (2026-11-27), `blocks` and
  // `blocks columns`.
  double scaled = 1200e6, one_by_one = 0.05;
};
constexpr Measured measured;

// Drops the buffers in which the part has no matrix.
void drop_unused(SequencePart& part) {
  std::vector<int> place(part.request.buffers.size(), -1);
  for_each_matrix(part.request, [&](const MatrixRecord& matrix) {
    place[static_cast<std::size_t>(matrix.parameter)] = 0;
  });
  std::vector<BufferRecord> buffers;
  std::vector<int> numbers;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] < 0) continue;
    place[i] = static_cast<int>(buffers.size());
    buffers.push_back(std::move(part.request.buffers[i]));
    numbers.push_back(part.buffers[i]);
  }
  part.request.buffers = std::move(buffers);
  part.buffers = std::move(numbers);
  for_each_matrix(part.request, [&](MatrixRecord& matrix) {
    matrix.parameter = place[static_cast<std::size_t>(matrix.parameter)];
  });
}

// A copy in memory that a separate kernel writes or reads. Most often it is a copy of A or B with
// the operations on the operand applied, which the product reads instead of the operand. It may
// also be a copy of the scales of A, or the D that the product writes before D is copied to its
// place.
struct Prepared {
  bool is_a = true;
  bool is_swapped = false;  // rows of memory are along the other of the operand's two loops
  std::int64_t rows = 1, columns = 1, batch = 1;  // of memory
  std::int64_t row_elements = 1;                  // from one row to the next
  ElementType element{};
};

std::int64_t whole_rows(const Prepared& made, int row_bytes) {
  const std::int64_t unit = std::max(row_bytes / counted_bytes(made.element), 1);
  return (made.columns + unit - 1) / unit * unit;
}

// True if a product may read inputs of this type from memory without preparing them.
bool is_multiplied(ElementType type) {
  using enum ElementType;
  return type == f16 || type == bf16 || type == f32 || type == f64 || type == i32;
}

Prepared prepared(const MatmulRequest& request, bool is_a, int row_bytes) {
  const plan::Problem& problem = request.problem;
  Prepared made;
  made.is_a = is_a;
  made.element = is_a ? problem.input : problem.b_input();
  const MatrixRecord& matrix = is_a ? request.a : request.b;
  const plan::OperandForm& form = is_a ? problem.a : problem.b;
  // wgmma reads elements that do not have 16 bits only along k; 16-bit elements keep their order.
  const bool along_k = instruction::bits(made.element) != 16 || form.transposed != is_a;
  const std::int64_t mn = is_a ? problem.m : problem.n;
  made.is_swapped = along_k != is_a;
  made.rows = along_k ? mn : problem.k;
  made.columns = along_k ? problem.k : mn;
  made.batch = matrix.batch.is({}) ? 1 : problem.batch;
  made.row_elements = whole_rows(made, row_bytes);
  return made;
}

// The request of an elementwise kernel that writes the copy `made`. The caller must still add the
// matrices.
MatmulRequest elementwise(std::string function, const Prepared& made, ElementType source,
                          const Place& place) {
  MatmulRequest request;
  request.function = std::move(function);
  request.place = place;
  request.constant = 0;
  request.problem = {.m = made.rows,
                     .n = made.columns,
                     .k = 1,
                     .input = is_multiplied(source) ? source : ElementType::i8,
                     .result = made.element,
                     .batch = made.batch};
  request.sum_result = request.problem.sum_type();
  return request;
}

// Every request needs a product. Gives an elementwise request one whose result nothing reads: the
// first element of `source` times itself.
void multiply_nothing(MatmulRequest& request, const MatrixRecord& source) {
  request.a.element = request.problem.input;
  request.a.parameter = source.parameter;
  request.a.place = source.place;
  request.b = request.a;
}

// The matrix of the copy `made`, which lies in buffer number `parameter`. Its rows and columns are
// the rows and columns of the copy in memory; if `is_swapped`, its rows are the columns in memory
// and the other way round.
MatrixRecord record(const Prepared& made, int parameter, bool is_swapped, const Place& place) {
  MatrixRecord matrix;
  matrix.element = made.element;
  matrix.parameter = parameter;
  matrix.place = place;
  matrix.row.step = {made.row_elements, 0};
  matrix.column.step = {1, 0};
  if (is_swapped) std::swap(matrix.row, matrix.column);
  if (made.batch > 1) matrix.batch.step = {made.rows * made.row_elements, 0};
  return matrix;
}

BufferRecord buffer(const Prepared& made, Role role) {
  BufferRecord memory;
  memory.role = role;
  memory.element = made.element;
  memory.shape = {made.batch, made.rows, made.columns};
  memory.strides = {made.rows * made.row_elements, made.row_elements, 1};
  memory.dynamic_sizes.resize(memory.shape.size());
  memory.place = {0, 0};  // it is not in the text
  return memory;
}

// The kernel, called NAME`suffix`, that writes the copy `made`: it applies `producer` to the
// elements of `sources`, in the order of the copy in memory. In its request the sources are
// matrices of the epilogue, and the epilogue does not use the sum.
SequencePart writer(const SequencePart& product, const Prepared& made, const char* suffix,
                    const std::vector<MatrixRecord>& sources, const Expression& producer,
                    int written) {
  const MatmulRequest& of = product.request;
  const MatrixRecord& source = sources[0];
  SequencePart part;
  part.request = elementwise(of.function + suffix, made, source.element, source.place);
  MatmulRequest& request = part.request;
  request.buffers = of.buffers;
  part.buffers = product.buffers;
  for (BufferRecord& known : request.buffers) known.role = Role::extra;
  request.buffers.push_back(buffer(made, Role::d));
  part.buffers.push_back(written);
  request.extras = sources;
  if (made.is_swapped)
    for (MatrixRecord& matrix : request.extras) std::swap(matrix.row, matrix.column);
  request.d = record(made, static_cast<int>(request.buffers.size()) - 1, /*is_swapped=*/false,
                     source.place);
  multiply_nothing(request, source);
  request.buffers[static_cast<std::size_t>(source.parameter)].role = Role::a;
  request.epilogue = producer;
  if (request.epilogue.nodes.empty()) {
    // Bytes are moved as bytes, whatever they mean.
    const bool is_byte = instruction::bits(made.element) == 8;
    const ElementType moved = is_byte ? ElementType::i8 : made.element;
    request.extras[0].element = request.d.element = request.problem.result = moved;
    request.epilogue.nodes.push_back({.step = Step::input, .type = moved});
  }
  for (Node& node : request.epilogue.nodes)
    if (node.step == Step::input) ++node.index;
  drop_unused(part);
  return part;
}

SequencePart operand_writer(const SequencePart& product, const Prepared& made, int written) {
  const MatmulRequest& of = product.request;
  std::vector<MatrixRecord> sources{made.is_a ? of.a : of.b};
  const auto& others = made.is_a ? of.a_extras : of.b_extras;
  sources.insert(sources.end(), others.begin(), others.end());
  return writer(product, made, made.is_a ? "_a" : "_b", sources,
                made.is_a ? of.a_producer : of.b_producer, written);
}

// The copy of the scales of A in which a row of memory has the scales of all rows of A for one
// block of k.
Prepared prepared_scales(const MatmulRequest& request, int row_bytes) {
  const plan::Problem& problem = request.problem;
  const MatrixRecord& scales = request.a_extras[0];
  Prepared made;
  made.is_swapped = true;
  made.element = scales.element;
  made.rows = (problem.k + plan::promoted_depth - 1) / plan::promoted_depth;
  made.columns = problem.m;
  made.batch = scales.batch.is({}) ? 1 : problem.batch;
  made.row_elements = whole_rows(made, row_bytes);
  return made;
}

SequencePart scales_writer(const SequencePart& product, const Prepared& made, int written) {
  MatrixRecord scales = product.request.a_extras[0];
  scales.column = in_blocks(scales.column, plan::promoted_depth);
  return writer(product, made, "_a_scales", {scales}, {}, written);
}

void read_prepared_scales(SequencePart& part, const Prepared& made, int written) {
  MatmulRequest& request = part.request;
  request.buffers.push_back(buffer(made, Role::extra));
  part.buffers.push_back(written);
  MatrixRecord& scales = request.a_extras[0];
  scales =
      record(made, static_cast<int>(request.buffers.size()) - 1, made.is_swapped, scales.place);
  scales.column = {
      .step = {},
      .jumps = {{.every = plan::promoted_depth, .forward = scales.column.step, .back = {}}}};
}

// Makes the product read its operand from buffer number `written` of the sequence, into which the
// kernel that prepares the operand writes it.
void read_prepared(SequencePart& part, const Prepared& made, int written) {
  MatmulRequest& request = part.request;
  const bool is_a = made.is_a;
  request.buffers.push_back(buffer(made, is_a ? Role::a : Role::b));
  part.buffers.push_back(written);
  MatrixRecord& matrix = is_a ? request.a : request.b;
  matrix =
      record(made, static_cast<int>(request.buffers.size()) - 1, made.is_swapped, matrix.place);
  (is_a ? request.a_producer : request.b_producer).nodes.clear();
  (is_a ? request.a_extras : request.b_extras).clear();
  plan::OperandForm& form = is_a ? request.problem.a : request.problem.b;
  form = {.transposed = made.is_swapped, .divisor = made.row_elements};
}

// Makes the product write D to buffer number `between` of the sequence. Returns the kernel that
// copies it from there to where D lies.
SequencePart result_writer(SequencePart& product, int between, int row_bytes) {
  MatmulRequest& of = product.request;
  Prepared made;
  made.element = of.d.element;
  made.rows = of.problem.m, made.columns = of.problem.n, made.batch = of.problem.batch;
  made.row_elements = whole_rows(made, row_bytes);
  SequencePart part;
  part.request = elementwise(of.function + "_d", made, made.element, of.d.place);
  part.request.buffers = of.buffers;
  part.buffers = product.buffers;
  part.request.d = of.d;
  const auto at = static_cast<int>(of.buffers.size());
  const MatrixRecord source = record(made, at, /*is_swapped=*/false, of.d.place);
  part.request.extras = {source};
  multiply_nothing(part.request, source);
  part.request.buffers.push_back(buffer(made, Role::a));
  part.buffers.push_back(between);
  part.request.epilogue.nodes = {{.step = Step::input, .type = made.element, .index = 1}};
  drop_unused(part);
  of.buffers.push_back(buffer(made, Role::d));
  product.buffers.push_back(between);
  of.d = source;
  of.in_place = false;
  return part;
}

}  // namespace

PreparedProduct with_prepared(const ProductSequence& sequence, int part, Preparation which,
                              int row_bytes) {
  PreparedProduct result{.sequence = sequence, .product = part};
  std::vector<SequencePart>& parts = result.sequence.parts;
  std::vector<SequenceBuffer>& buffers = result.sequence.buffers;
  SequencePart product = std::move(parts[static_cast<std::size_t>(part)]);
  auto intermediates = static_cast<int>(
      std::ranges::count(buffers, SequenceBuffer::Kind::intermediate, &SequenceBuffer::kind));
  const auto new_buffer = [&] {
    buffers.push_back({.number = intermediates++});
    return static_cast<int>(buffers.size()) - 1;
  };
  std::vector<SequencePart> made;
  for (const bool is_a : {true, false}) {
    if (!(is_a ? which.a : which.b)) continue;
    const Prepared operand = prepared(product.request, is_a, row_bytes);
    const int written = new_buffer();
    made.push_back(operand_writer(product, operand, written));
    read_prepared(product, operand, written);
  }
  if (which.a_scales) {
    const Prepared scales = prepared_scales(product.request, row_bytes);
    const int written = new_buffer();
    made.push_back(scales_writer(product, scales, written));
    read_prepared_scales(product, scales, written);
  }
  std::optional<SequencePart> last;
  if (which.d) last = result_writer(product, new_buffer(), row_bytes);
  drop_unused(product);
  result.product = part + static_cast<int>(made.size());
  made.push_back(std::move(product));
  if (last) made.push_back(*std::move(last));
  result.count = static_cast<int>(made.size());
  parts.erase(parts.begin() + part);
  parts.insert(parts.begin() + part, made.begin(), made.end());
  find_uses(result.sequence);
  return result;
}

bool is_elementwise(const MatmulRequest& request) {
  const auto reads_sum = [](const Node& node) {
    return node.step == Step::input && node.index == 0;
  };
  return request.problem.k == 1 && request.problem.dynamic == 0 && !request.c &&
         request.further.empty() && !request.extras.empty() && !request.epilogue.nodes.empty() &&
         std::ranges::none_of(request.epilogue.nodes, reads_sum);
}

bool can_be_prepared(const MatmulRequest& request, Preparation which) {
  const auto is_in_memory = [](const MatrixRecord& matrix) {
    return matrix.padding.empty() && !matrix.tells_padding;
  };
  return request.problem.dynamic == 0 && request.problem.combine == Step::add &&
         (!which.a || is_in_memory(request.a)) && (!which.b || is_in_memory(request.b)) &&
         (!which.d || (request.further.empty() && counted_bytes(request.d.element) > 1)) &&
         (!which.a_scales || (request.a_extras.size() == 1 && scaled_sums(request)));
}

bool pays(const MatmulRequest& request, Preparation which) {
  const plan::Problem& problem = request.problem;
  const auto product = [](auto... sizes) { return (1.0 * ... * static_cast<double>(sizes)); };
  if (which.d) {
    const double elements = product(problem.batch, problem.m, problem.n);
    const double bytes = 2 * elements * counted_bytes(request.d.element);
    if (elements / measured.stored < measured.launch + bytes / measured.moved) return false;
  }
  const double operations = 2 * product(problem.batch, problem.m, problem.n, problem.k);
  if (which.a_scales) {
    const Prepared made = prepared_scales(request, 1);
    const double bytes =
        2 * product(made.batch, made.rows, made.columns, counted_bytes(made.element));
    return measured.launch + bytes / measured.moved <
           measured.one_by_one * operations / measured.scaled;
  }
  if (!which.a && !which.b) return true;
  double bytes = 0;
  bool is_narrow = false;  // whether rows begin at other places than multiples of 16 bytes
  for (const bool is_a : {true, false}) {
    if (!(is_a ? which.a : which.b)) continue;
    const Prepared made = prepared(request, is_a, 1);
    const int read = counted_bytes((is_a ? request.a : request.b).element);
    bytes += product(made.batch, made.rows, made.columns, read + counted_bytes(made.element));
    const std::int64_t divisor = is_a ? problem.a_divisor() : problem.b_divisor();
    is_narrow = is_narrow || divisor * read % 16 != 0;
  }
  const bool is_f32 = instruction::bits(problem.input) == 32;
  const bool is_worked = !request.a_producer.nodes.empty() || !request.b_producer.nodes.empty();
  const double as_they_lie = is_narrow   ? measured.narrow
                             : is_f32    ? measured.wide_f32
                             : is_worked ? measured.worked
                                         : measured.wide;
  const double prepared = 2 * measured.launch + bytes / measured.moved +
                          operations / (is_f32 ? measured.wgmma_f32 : measured.wgmma);
  return prepared < operations / as_they_lie;
}

}  // namespace heddle::compiler
