#include "kernels/row_major_gemm.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/codegen/stage.h"
#include "library/text/formatted.h"
#include "runtime/numbers/number.h"

namespace heddle::kernels {
namespace {

using runtime::NumberType;

bool is_integer(NumberType type) { return !runtime::is_float(type); }

/// The name of a type in MLIR. MLIR's i8 is neither signed nor unsigned, so u8 is i8 as well.
std::string_view type_name(NumberType type) {
  return type == NumberType::u8 ? "i8" : runtime::name(type);
}

/// The memref type of a matrix whose rows are `stride` elements apart. 0: rows are contiguous.
std::string matrix(std::uint32_t rows, std::uint32_t columns, NumberType type,
                   std::uint32_t stride = 0) {
  const std::string layout =
      stride == 0 || stride == columns ? "" : formatted(", strided<[{}, 1]>", stride);
  return formatted("memref<{}x{}x{}{}>", rows, columns, type_name(type), layout);
}

/// Writes the epilogue of a sum as operations of the dialects arith and math. Each operation gets
/// the next free name.
class Epilogue {
 public:
  Epilogue(const GemmProblem& problem, NumberType sum)
      : problem_(problem), is_integer_(problem.result == NumberType::i32) {
    value_ = "%sum";
    if (is_integer(sum) && !is_integer_) convert("sitofp", type_name(sum), "f32");
  }

  std::string text() {
    if (problem_.alpha != 1) value_ = binary("mul", value_, constant(problem_.alpha));
    if (problem_.beta != 0) {
      std::string c = widened("%c_element");
      if (problem_.beta != 1) c = binary("mul", c, constant(problem_.beta));
      value_ = binary("add", value_, c);
    }
    if (problem_.has_bias) value_ = binary("add", value_, widened("%bias_element"));
    activate();
    if (problem_.result != NumberType::f32 && !is_integer_)
      convert("truncf", "f32", type_name(problem_.result));
    return text_ + formatted("    linalg.yield {} : {}\n", value_, type_name(problem_.result));
  }

 private:
  std::string_view type() const { return is_integer_ ? "i32" : "f32"; }

  std::string made(const std::string& operation) {
    std::string name = formatted("%v{}", count_++);
    text_ += formatted("    {} = {}\n", name, operation);
    return name;
  }
  std::string constant(float value) {
    if (is_integer_)
      return made(
          formatted("arith.constant {} : i32", static_cast<std::int32_t>(std::trunc(value))));
    return made(formatted("arith.constant 0x{:08X} : f32", std::bit_cast<std::uint32_t>(value)));
  }
  std::string binary(std::string_view name, const std::string& x, const std::string& y) {
    return made(formatted("arith.{}{} {}, {} : {}", name, is_integer_ ? "i" : "f", x, y, type()));
  }
  void convert(std::string_view name, std::string_view from, std::string_view to) {
    value_ = made(formatted("arith.{} {} : {} to {}", name, value_, from, to));
  }
  /// An element of C or of the bias, converted to the type of the arithmetic.
  std::string widened(const std::string& element) {
    if (problem_.result == NumberType::f32 || is_integer_) return element;
    return made(formatted("arith.extf {} : {} to f32", element, type_name(problem_.result)));
  }

  /// sigmoid(x) is (1 + tanh(x / 2)) / 2, which the compiler computes without a tanh.
  void activate() {
    if (problem_.activation == Activation::none) return;
    if (problem_.activation == Activation::relu) {
      const std::string zero = constant(0);
      value_ = made(formatted("arith.{} {}, {} : {}", is_integer_ ? "maxsi" : "maximumf", value_,
                              zero, type()));
      return;
    }
    const std::string half = constant(0.5F), halved = binary("mul", value_, half);
    std::string argument = halved;
    if (problem_.activation == Activation::gelu) {
      // sqrt(2 / pi) * (x + 0.044715 * x^3)
      const std::string square = binary("mul", value_, value_);
      const std::string cubic = constant(0.035677406F), linear = constant(0.79788456F);
      const std::string slope = made(formatted("math.fma {}, {}, {} : f32", square, cubic, linear));
      argument = binary("mul", value_, slope);
    }
    const std::string tanh = made(formatted("math.tanh {} : f32", argument));
    const std::string sum = binary("add", tanh, constant(1));
    value_ = binary("mul", sum, problem_.activation == Activation::sigmoid ? half : halved);
  }

  const GemmProblem& problem_;
  bool is_integer_;  // the arithmetic is of i32
  std::string value_, text_;
  int count_ = 0;
};

/// The arguments of the elementwise operation besides the sum and D: C and the bias.
struct Others {
  std::string names, types, maps, elements;

  void add(std::string_view name, const std::string& type, std::string_view map,
           std::string_view element) {
    names += formatted(", %{}", name);
    types += ", " + type;
    maps += formatted(", {}", map);
    elements += formatted("%{}_element: {}, ", name, element);
  }
};

}  // namespace

std::string gemm_text(const GemmProblem& problem) {
  const NumberType sum = is_integer(problem.element) ? NumberType::i32 : NumberType::f32;
  const std::uint32_t m = problem.m, n = problem.n, k = problem.k;
  const std::string a = problem.a_transposed ? matrix(k, m, problem.element, problem.a_stride)
                                             : matrix(m, k, problem.element, problem.a_stride);
  const std::string b = problem.b_transposed ? matrix(n, k, problem.element, problem.b_stride)
                                             : matrix(k, n, problem.element, problem.b_stride);
  const std::string d = matrix(m, n, problem.result, problem.d_stride);
  const std::string sums = matrix(m, n, sum);
  Others others;
  std::string parameters = formatted("%a: {}, %b: {}", a, b);
  if (problem.beta != 0) {
    const std::string c = matrix(m, n, problem.result, problem.c_stride);
    others.add("c", c, "#row", type_name(problem.result));
    parameters += ", %c: " + c;
  }
  if (problem.has_bias) {
    const std::string bias = formatted("memref<{}x{}>", n, type_name(problem.result));
    others.add("bias", bias, "#column", type_name(problem.result));
    parameters += ", %bias: " + bias;
  }
  return formatted(
      "#row = affine_map<(m, n) -> (m, n)>\n#column = affine_map<(m, n) -> (n)>\n"
      "func.func @{0}({1}, %d: {2}) {{\n"
      "  %zero = arith.constant {3} : {4}\n  %sums = memref.alloc() : {5}\n"
      "  linalg.fill ins(%zero : {4}) outs(%sums : {5})\n"
      "  linalg.contract indexing_maps = [affine_map<(m, n, k) -> ({6})>, "
      "affine_map<(m, n, k) -> ({7})>, affine_map<(m, n, k) -> (m, n)>]{8}\n"
      "    ins(%a, %b : {9}, {10}) outs(%sums : {5})\n"
      "  linalg.generic {{indexing_maps = [#row{11}, #row], "
      "iterator_types = [\"parallel\", \"parallel\"]}}\n"
      "    ins(%sums{12} : {5}{13}) outs(%d : {2}) {{\n"
      "  ^bb0(%sum: {4}, {14}%unused: {15}):\n{16}  }}\n  return\n}}\n",
      name_of_gemm(problem), parameters, d, is_integer(sum) ? "0" : "0.0", type_name(sum), sums,
      problem.a_transposed ? "k, m" : "m, k", problem.b_transposed ? "n, k" : "k, n",
      problem.element == NumberType::u8 ? " {cast = #linalg.type_fn<cast_unsigned>}" : "", a, b,
      others.maps, others.names, others.types, others.elements, type_name(problem.result),
      Epilogue(problem, sum).text());
}

std::expected<std::shared_ptr<const CompiledGemm>, std::string> compile_gemm(
    const GemmProblem& problem, instruction::Target target) {
  // A launch has no memory for partial sums, so one workgroup goes through all k.
  const compiler::Options options{
      .target = target, .prepare = compiler::Prepare::never, .plan = {.split_k = 1}};
  auto compiled = compiler::compile(gemm_text(problem), "gemm", options, compiler::Stage::object);
  if (!compiled) return std::unexpected(std::move(compiled.error()));
  return std::make_shared<const CompiledGemm>(problem, std::move(*compiled));
}

}  // namespace heddle::kernels
