#include "kernels/gemm.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <variant>

#include "compiler/compile.h"
#include "compiler/plan/launch_grid.h"
#include "compiler/plan/matmul_plan.h"
#include "heddle/instruction/target.h"
#include "kernels/row_major_gemm.h"
#include "library/text/formatted.h"
#include "runtime/files/files.h"

namespace heddle::kernels {
namespace {

using runtime::is_float;
using runtime::name;
using runtime::row;

// The rows, columns and threads of a thread block (the last three numbers) are those of the tiles
// in kernels/rdna/gemm.hip; a test launches every kernel on sizes that are no multiples of them.
const std::vector<GemmKernel>& kernels() {
  constexpr std::uint32_t large = 128, paired = 192;
  static const std::vector<GemmKernel> all{
      {"gemm_f16_packed", NumberType::f16, "packed", false, 320, 64, 128},
      {"gemm_f16_packed_shared", NumberType::f16, "packed", false, large, large, 128},
      {"gemm_f16_packed_paired", NumberType::f16, "packed", true, paired, paired, 128},
      {"gemm_f16_nt_paired", NumberType::f16, "nt", true, paired, paired, 128},
      {"gemm_bf16_packed", NumberType::bf16, "packed", false, 320, 64, 128},
      {"gemm_bf16_packed_shared", NumberType::bf16, "packed", false, large, large, 128},
      {"gemm_bf16_packed_paired", NumberType::bf16, "packed", true, paired, paired, 128},
      {"gemm_bf16_nt_paired", NumberType::bf16, "nt", true, paired, paired, 128},
      {"gemm_i8_packed_shared", NumberType::i8, "packed", false, large, large, 128},
      {"gemm_u8_packed_shared", NumberType::u8, "packed", false, large, large, 128},
  };
  return all;
}

constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();

std::uint64_t blocks(std::uint64_t x, std::uint32_t each) { return (x + each - 1) / each; }

/// a * b, or 2^64 - 1 if the product has more than 64 bits. 2^64 - 1 is above any limit here.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? ~std::uint64_t{0} : result;
}

std::uint64_t bytes_of(NumberType type) { return static_cast<std::uint64_t>(row(type).bytes); }

NumberType second_result(NumberType element) {
  return is_float(element) ? element : NumberType::i32;
}

/// The strides of an operand in elements: from one row of A (or column of B) to the next, and from
/// one k to the next. `rows` is the number of these rows or columns.
struct Strides {
  std::uint32_t between_rows, between_k;
};
Strides strides(std::uint32_t rows, std::uint32_t k, bool k_is_outer, std::uint32_t given) {
  const std::uint32_t stride = given != 0 ? given : k_is_outer ? rows : k;
  return k_is_outer ? Strides{1, stride} : Strides{stride, 1};
}

std::string needs(std::string_view what, std::uint64_t value, std::string_view right) {
  return formatted("{} is {}; {}", what, value, right);
}

/// GemmKernel::operands of the problem's.
std::string order_of(const GemmProblem& problem) {
  if (problem.packed) return "packed";
  return {problem.a_transposed ? 't' : 'n', problem.b_transposed ? 't' : 'n'};
}

/// An error if the stride is shorter than a row; empty otherwise. 0 stands for the length of a row.
std::string short_stride(std::string_view what, std::uint32_t stride, std::uint32_t least) {
  if (stride == 0 || stride >= least) return "";
  return needs(what, stride, formatted("a row has {} elements", least));
}

/// An error if a packed operand is too large for pack_launch; empty otherwise.
std::string too_large(std::string_view what, const PackedOperand& operand) {
  if (operand.bytes() <= most32) return "";
  return formatted("{} of {} x {} has 4 GiB or more; a packed operand has less", what, operand.rows,
                   operand.k);
}

/// A message if a buffer ends before its `rows` rows do. Empty if the buffer is long enough, or if
/// its size is not known, as for a plain address.
std::string too_small(std::string_view what, const emulator::Argument& argument, std::uint64_t rows,
                      std::uint64_t columns, std::uint64_t stride, NumberType type) {
  const auto* buffer = std::get_if<emulator::Buffer>(&argument);
  if (buffer == nullptr || rows == 0 || columns == 0) return "";
  const std::uint64_t least =
      product(product(rows - 1, std::max(stride, columns)) + columns, bytes_of(type));
  if (buffer->bytes.size() >= least) return "";
  return needs("the buffer of " + std::string(what), buffer->bytes.size(),
               formatted("its elements need {} bytes", least));
}

std::string too_small_packed(std::string_view what, const emulator::Argument& argument,
                             const PackedOperand& operand) {
  return too_small(what, argument, operand.padded_rows(), operand.padded_k(), 0, operand.element);
}

/// Says which part of the problem no kernel can do; empty if there is none.
std::string why_not(const GemmProblem& problem) {
  if (problem.element != NumberType::f16 && problem.element != NumberType::bf16 &&
      problem.element != NumberType::i8 && problem.element != NumberType::u8)
    return "operands of " + std::string(name(problem.element)) +
           ": f16, bf16, i8 and u8 are multiplied";
  if (problem.result != NumberType::f32 && problem.result != second_result(problem.element))
    return "a result of " + std::string(name(problem.result)) + ": operands of " +
           std::string(name(problem.element)) + " give f32 or " +
           std::string(name(second_result(problem.element)));
  if (problem.m == 0) return needs("m", 0, "a matrix has at least one row");
  if (problem.n == 0) return needs("n", 0, "a matrix has at least one column");
  for (const std::string& wrong :
       {problem.packed ? std::string()
                       : short_stride("a_stride", problem.a_stride,
                                      problem.a_transposed ? problem.m : problem.k),
        problem.packed ? std::string()
                       : short_stride("b_stride", problem.b_stride,
                                      problem.b_transposed ? problem.k : problem.n),
        short_stride("c_stride", problem.c_stride, problem.n),
        short_stride("d_stride", problem.d_stride, problem.n)})
    if (!wrong.empty()) return wrong;
  if (problem.result == NumberType::i32 && problem.activation != Activation::none &&
      problem.activation != Activation::relu)
    return "a result of i32 with an activation other than relu: ask for f32";
  if (problem.paired_sums && !is_float(problem.element))
    return "paired sums of " + std::string(name(problem.element)) + ": its sums are i32";
  if (problem.packed) {
    if (problem.k == 0) return needs("k", 0, "packed operands have at least 1");
    if (std::string wrong = too_large("A", {problem.element, problem.m, problem.k}); !wrong.empty())
      return wrong;
    return too_large("B", {problem.element, problem.n, problem.k});
  }
  if (problem.k == 0) return needs("k", 0, "operands have at least 1");
  return "";
}

std::string rows_have_4_gib(std::uint32_t rows, std::uint64_t most_stride) {
  return formatted("the {} rows of a block have at most 4 GiB: at most {}", rows, most_stride);
}

/// Says which part of the problem this kernel cannot do, although another kernel may. Empty if this
/// kernel can do the problem.
std::string why_not(const GemmKernel& kernel, const GemmProblem& problem) {
  if (kernel.compiled)
    return kernel.compiled->problem == problem ? "" : "it was compiled for another problem";
  if (kernel.element != problem.element)
    return "it multiplies " + std::string(name(kernel.element)) + ", the operands are " +
           std::string(name(problem.element));
  if (kernel.paired_sums != problem.paired_sums)
    return kernel.paired_sums ? "its sums are paired, which was not asked for"
                              : "its sums are not paired";
  if ((kernel.operands == "packed") != problem.packed)
    return problem.packed ? "its operands are not packed" : "its operands are packed";
  // The grid's y has 16 bits on gfx12 and, by HIP's limits, everywhere; x has 32 bits of threads.
  // Columns are counted in 32 bits, including those of the last block beyond the matrix.
  constexpr std::uint64_t most_y = 65535;
  const std::uint64_t most_x = most32 / std::max(kernel.threads, kernel.block_n);
  for (const auto& [what, size, block, most, where] :
       {std::tuple("m", problem.m, kernel.block_m, most_y, "rows"),
        std::tuple("n", problem.n, kernel.block_n, most_x, "columns")})
    if (blocks(size, block) > most)
      return needs(what, size,
                   formatted("at most {}, {} blocks of {} {}", most * block, most, block, where));
  // The offsets inside the rows of C and D that a thread block reads and writes have 32 bits, too.
  const std::uint64_t of_block = kernel.block_m * bytes_of(problem.result);
  for (const auto& [is_there, what, given] :
       {std::tuple(problem.beta != 0, "c_stride", problem.c_stride),
        std::tuple(true, "d_stride", problem.d_stride)}) {
    const std::uint32_t stride = given != 0 ? given : problem.n;
    if (is_there && product(of_block, stride) > most32)
      return needs(what, stride, rows_have_4_gib(kernel.block_m, most32 / of_block));
  }
  const std::uint64_t bytes = bytes_of(problem.element);
  const Strides a = strides(problem.m, problem.k, problem.a_transposed, problem.a_stride);
  const Strides b = strides(problem.n, problem.k, !problem.b_transposed, problem.b_stride);
  // Packed operands have fewer than 4 GiB, so that the offset of an existing row fits into 32 bits.
  if (problem.packed) return "";
  // Offsets inside the rows of A and B that a thread block reads have 32 bits.
  for (const auto& [is_row, what, stride, block] :
       {std::tuple(!problem.a_transposed, "a_stride", a.between_rows, kernel.block_m),
        std::tuple(problem.b_transposed, "b_stride", b.between_rows, kernel.block_n)})
    if (is_row && product(block * bytes, stride) > most32)
      return needs(what, stride, rows_have_4_gib(block, most32 / (block * bytes)));
  const std::string order = order_of(problem);
  if (kernel.operands != order)
    return "its operands are " + std::string(kernel.operands) + ", the problem's " + order;
  if (problem.k == 0 || problem.k * bytes % 128 != 0)
    return needs("k", problem.k, formatted("it must be a multiple of {}", 128 / bytes));
  for (const auto& [operand, what] : {std::tuple(a, "a_stride"), std::tuple(b, "b_stride")}) {
    const std::uint32_t stride = std::max(operand.between_rows, operand.between_k);
    if (stride * bytes % 16 != 0)
      return needs(what, stride, formatted("it must be a multiple of {}", 16 / bytes));
  }
  return "";
}

/// The compiler's kernel for ordinary operands.
std::expected<GemmKernel, std::string> compiled_kernel(const GemmProblem& problem,
                                                       std::string_view target) {
  const instruction::ProcessorRow* processor = instruction::find_target(target);
  if (processor == nullptr || instruction::is_nvidia(processor->family))
    return std::unexpected("no GEMM for '" + std::string(target) +
                           "'; there is one for AMD processors, such as gfx1151");
  auto compiled = compile_gemm(problem, processor->target);
  if (!compiled) return std::unexpected(std::move(compiled.error()));
  const compiler::Compilation& made = (*compiled)->compilation;
  GemmKernel kernel{.name = made.kernel_name,
                    .element = problem.element,
                    .operands = order_of(problem),
                    .paired_sums = false,
                    .block_m = 0,
                    .block_n = 0,
                    .threads = made.workgroup[0] * made.workgroup[1] * made.workgroup[2],
                    .compiled = *compiled};
  if (const auto* plan = std::get_if<plan::MatmulPlan>(&made.plan)) {
    kernel.block_m = static_cast<std::uint32_t>(plan->tiles.m);
    kernel.block_n = static_cast<std::uint32_t>(plan->tiles.n);
  }
  return kernel;
}

/// The launch of a compiled kernel. The kernel's arguments are those of the function in gemm_text.
emulator::Launch compiled_launch(const compiler::Compilation& compilation,
                                 const GemmBuffers& buffers) {
  emulator::Launch launch;
  launch.kernel = compilation.kernel_name;
  launch.grid = plan::blocks(compilation.grid, compilation.problem);
  launch.workgroup = compilation.workgroup;
  launch.dynamic_lds_bytes = compilation.dynamic_shared_bytes;
  launch.arguments = {buffers.a, buffers.b};
  if (buffers.c) launch.arguments.push_back(*buffers.c);
  if (buffers.bias) launch.arguments.push_back(*buffers.bias);
  launch.arguments.push_back(buffers.d);
  return launch;
}

}  // namespace

std::span<const GemmKernel> gemm_kernels() { return kernels(); }

const GemmKernel* find_gemm(std::string_view name) {
  const auto found = std::ranges::find(kernels(), name, &GemmKernel::name);
  return found == kernels().end() ? nullptr : &*found;
}

std::string name_of_gemm(const GemmProblem& problem) {
  return "gemm_" + std::string(name(problem.element)) + "_" + order_of(problem);
}

std::expected<GemmKernel, std::string> choose_gemm(const GemmProblem& problem,
                                                   std::string_view target) {
  if (std::string wrong = why_not(problem); !wrong.empty()) return std::unexpected(wrong);
  if (!problem.packed && !problem.paired_sums) return compiled_kernel(problem, target);
  const std::string order = order_of(problem);
  std::string reasons;  // of the kernels for operands like these
  for (const GemmKernel& kernel : kernels()) {
    if (kernel.element != problem.element || kernel.paired_sums != problem.paired_sums ||
        kernel.operands != order)
      continue;
    const std::string wrong = why_not(kernel, problem);
    if (wrong.empty()) return kernel;
    reasons += (reasons.empty() ? "" : "; ") + kernel.name + ": " + wrong;
  }
  if (reasons.empty())
    reasons = "no kernel has paired sums of operands " + order + ": they must be packed or nt";
  return std::unexpected(reasons);
}

std::expected<std::vector<std::byte>, std::string> code_object(const GemmKernel& kernel,
                                                               const std::string& folder,
                                                               std::string_view target) {
  if (kernel.compiled) {
    const auto bytes = std::as_bytes(std::span(kernel.compiled->compilation.object));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  const auto text = runtime::read_file(folder + "/" + gemm_file(kernel.element, target), most_bytes,
                                       runtime::FileKind::regular);
  if (!text) return std::unexpected(text.error());
  const auto bytes = std::as_bytes(std::span(*text));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::expected<emulator::Launch, std::string> gemm_launch(const GemmKernel& kernel,
                                                         const GemmProblem& problem,
                                                         const GemmBuffers& buffers) {
  if (std::string wrong = why_not(problem); !wrong.empty()) return std::unexpected(wrong);
  if (std::string wrong = why_not(kernel, problem); !wrong.empty())
    return std::unexpected(std::string(kernel.name) + " cannot do this: " + wrong);
  if (problem.beta != 0 && !buffers.c) return std::unexpected("beta is not 0, and there is no C");
  if (problem.has_bias && !buffers.bias)
    return std::unexpected("the problem has a bias, and there is no buffer of it");

  for (const std::string& wrong :
       {problem.packed ? too_small_packed("A", buffers.a, {problem.element, problem.m, problem.k})
                       : too_small("A", buffers.a, problem.a_transposed ? problem.k : problem.m,
                                   problem.a_transposed ? problem.m : problem.k, problem.a_stride,
                                   problem.element),
        problem.packed ? too_small_packed("B", buffers.b, {problem.element, problem.n, problem.k})
                       : too_small("B", buffers.b, problem.b_transposed ? problem.n : problem.k,
                                   problem.b_transposed ? problem.k : problem.n, problem.b_stride,
                                   problem.element),
        problem.beta == 0
            ? std::string()
            : too_small("C", *buffers.c, problem.m, problem.n, problem.c_stride, problem.result),
        problem.has_bias ? too_small("the bias", *buffers.bias, 1, problem.n, 0, problem.result)
                         : std::string(),
        too_small("D", buffers.d, problem.m, problem.n, problem.d_stride, problem.result)})
    if (!wrong.empty()) return std::unexpected(wrong);

  if (kernel.compiled) {
    GemmBuffers used = buffers;
    if (problem.beta == 0) used.c.reset();
    if (!problem.has_bias) used.bias.reset();
    return compiled_launch(kernel.compiled->compilation, used);
  }
  GemmArguments arguments{.m = problem.m,
                          .n = problem.n,
                          .k = problem.k,
                          .c_stride = problem.c_stride != 0 ? problem.c_stride : problem.n,
                          .d_stride = problem.d_stride != 0 ? problem.d_stride : problem.n,
                          .alpha = problem.alpha,
                          .beta = problem.beta,
                          .activation = problem.activation,
                          .has_second_result = problem.result != NumberType::f32,
                          .has_bias = problem.has_bias};
  if (problem.packed) {
    arguments.k =
        static_cast<std::uint32_t>(PackedOperand{problem.element, problem.m, problem.k}.padded_k());
  } else {
    const Strides a = strides(problem.m, problem.k, problem.a_transposed, problem.a_stride);
    const Strides b = strides(problem.n, problem.k, !problem.b_transposed, problem.b_stride);
    arguments.a_row_stride = a.between_rows;
    arguments.a_k_stride = a.between_k;
    arguments.b_row_stride = b.between_rows;
    arguments.b_k_stride = b.between_k;
  }
  const emulator::Value nothing(sizeof(std::uint64_t));
  emulator::Launch launch;
  launch.kernel = kernel.name;
  launch.arguments = {buffers.a,
                      buffers.b,
                      buffers.c.value_or(nothing),
                      buffers.bias.value_or(nothing),
                      buffers.d,
                      emulator::value(arguments)};
  launch.grid = {static_cast<std::uint32_t>(blocks(problem.n, kernel.block_n)),
                 static_cast<std::uint32_t>(blocks(problem.m, kernel.block_m)), 1};
  launch.workgroup = {kernel.threads, 1, 1};
  return launch;
}

std::uint64_t PackedOperand::padded_k() const {
  const auto whole = static_cast<std::uint32_t>(128 / bytes_of(element));
  return blocks(std::max(k, 1u), whole) * whole;
}
std::uint64_t PackedOperand::padded_rows() const { return blocks(rows, 32) * 32; }
std::uint64_t PackedOperand::bytes() const {
  return product(product(padded_rows(), padded_k()), bytes_of(element));
}

std::expected<emulator::Launch, std::string> pack_launch(const PackedOperand& operand,
                                                         bool k_is_outer, std::uint32_t stride,
                                                         const emulator::Argument& from,
                                                         const emulator::Argument& packed) {
  const int bytes = row(operand.element).bytes;
  if (bytes > 2)
    return std::unexpected("elements of " + std::string(name(operand.element)) +
                           " are not packed; those of 8 and 16 bits are");
  if (operand.rows == 0) return std::unexpected(needs("rows", 0, "an operand has at least one"));
  if (operand.k == 0) return std::unexpected(needs("k", 0, "there is nothing to pack"));
  const std::uint32_t rows = k_is_outer ? operand.k : operand.rows;
  const std::uint32_t columns = k_is_outer ? operand.rows : operand.k;
  for (const std::string& wrong :
       {too_large("an operand", operand), short_stride("the stride", stride, columns),
        too_small("the operand", from, rows, columns, stride, operand.element),
        too_small_packed("the packed operand", packed, operand)})
    if (!wrong.empty()) return std::unexpected(wrong);
  const Strides between = strides(operand.rows, operand.k, k_is_outer, stride);
  emulator::Launch launch;
  launch.kernel = bytes == 2 ? "pack_16" : "pack_8";
  launch.arguments = {from, packed,
                      emulator::value(PackArguments{
                          operand.rows, operand.k, between.between_rows, between.between_k,
                          static_cast<std::uint32_t>(operand.padded_k())})};
  // A thread block packs 256 pieces of 16 bytes: 32 rows of 128 bytes. All thread blocks are full.
  launch.grid = {static_cast<std::uint32_t>(operand.bytes() / (16 * 256)), 1, 1};
  launch.workgroup = {256, 1, 1};
  return launch;
}

std::string gemm_file(NumberType element, std::string_view target) {
  return "gemm_" + std::string(name(element)) + "." + std::string(target) + ".co";
}
std::string pack_file(std::string_view target) { return "pack." + std::string(target) + ".co"; }

}  // namespace heddle::kernels
