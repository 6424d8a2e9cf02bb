// Who takes what. A compiler of kernels that learns a form changes its row here.
#include <algorithm>

#include "compiler/request/matmul_request.h"
#include "heddle/plan/fma_atom.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using instruction::Family;

using enum ElementType;

/// What the kernels of one kind of target take.
struct Capabilities {
  bool has_fp8;
  std::string_view f32_paths;  // for messages
};

Capabilities capabilities(instruction::Target target) {
  const Family family = instruction::processor(target).family;
  if (instruction::is_nvidia(family)) return {family != Family::sm80, "exact, bf16x3 or tf32"};
  return {family != Family::gfx11, "exact or bf16x3"};
}

bool is_fp8(ElementType type) { return type == fp8 || type == bf8; }
bool is_byte(ElementType type) { return type == i8 || type == u8; }

/// Whether there are products of a and b.
bool multiplies(ElementType a, ElementType b, bool has_fp8) {
  if (a == b && (a == f16 || a == bf16 || plan::fma_row(a) >= 0)) return true;
  return (is_byte(a) && is_byte(b)) || (has_fp8 && is_fp8(a) && is_fp8(b));
}

std::string words(ElementType type) {
  if (type == fp8) return "f8E4M3FN";
  if (type == bf8) return "f8E5M2";
  if (type == fp4) return "f4E2M1FN";
  if (type == e8m0) return "f8E8M0FNU";
  return std::string(instruction::name(type));
}

/// A step that converts from or to fp8, for which there is no code but inside a matrix instruction.
bool converts_fp8(const Expression& expression) {
  return std::ranges::any_of(expression.nodes, [](const Node& node) { return is_fp8(node.type); });
}

/// An operation on f4E2M1FN or f8E8M0FNU that does not make another number of it.
bool computes_unreadable(const Expression& expression) {
  return std::ranges::any_of(expression.nodes, [&](const Node& node) {
    if (is_only_read(node.type)) return node.step != Step::input;
    for (int i = 0; i < operand_count(node.step); ++i) {
      const int operand = node.operands[static_cast<std::size_t>(i)];
      if (is_only_read(expression.nodes[static_cast<std::size_t>(operand)].type) &&
          node.step != Step::convert)
        return true;
    }
    return false;
  });
}

}  // namespace

std::optional<Refusal> why_not(const MatmulRequest& request, instruction::Target target) {
  const Capabilities can = capabilities(target);
  const plan::Problem& problem = request.problem;
  const std::string on = " on " + std::string(instruction::name(target));
  if (!multiplies(problem.input, problem.b_input(), can.has_fp8)) {
    const std::string found = problem.input == problem.b_input()
                                  ? words(problem.input)
                                  : words(problem.input) + " and " + words(problem.b_input());
    return Refusal{request.a.place, "inputs of " + found + on,
                   std::string("f16, bf16, f32, f64, i4, i8, i16, i32") +
                       (can.has_fp8 ? ", i64, f8E4M3FN or f8E5M2 inputs" : " or i64 inputs")};
  }
  if (problem.input == f32 && problem.f32 == plan::F32Path::tf32 &&
      can.f32_paths.find("tf32") == can.f32_paths.npos)
    return Refusal{request.a.place, "--f32 tf32" + on, "--f32 " + std::string(can.f32_paths)};
  std::vector<const Expression*> expressions{&request.a_producer, &request.b_producer,
                                             &request.epilogue};
  for (const FurtherResult& further : request.further) expressions.push_back(&further.epilogue);
  for (const Expression* expression : expressions) {
    if (computes_unreadable(*expression))
      return Refusal{request.place, "an operation on f4E2M1FN or f8E8M0FNU",
                     "arith.extf, and arith.scaling_extf with a scale of f8E8M0FNU"};
    if (converts_fp8(*expression))
      return Refusal{request.place, "a conversion of f8E4M3FN or f8E5M2 outside the product" + on,
                     "f8E4M3FN and f8E5M2 as inputs of the matmul"};
  }
  for (const MatrixRecord* result : written_matrices(request)) {
    if (result->element != i4 && !is_fp8(result->element) && !is_only_read(result->element))
      continue;
    return Refusal{result->place, "a result of " + words(result->element) + on,
                   "f64, f32, f16, bf16, i64, i32, i16 or i8"};
  }
  return std::nullopt;
}

}  // namespace heddle::compiler
