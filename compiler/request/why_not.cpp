// Who takes what. A compiler of kernels that learns a form changes its row here.
#include <algorithm>
#include <array>
#include <span>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using instruction::Family;

/// What is multiplied; sums are f32, those of integers i32.
struct Inputs {
  ElementType a, b;
};

/// What the kernels of one kind of target take.
struct Capabilities {
  std::span<const Inputs> inputs;
  std::string_view inputs_words;
  std::string_view f32_paths;  // for messages; empty: none
};

using enum ElementType;

constexpr std::array gfx11_inputs{Inputs{f16, f16}, Inputs{bf16, bf16}, Inputs{f32, f32},
                                  Inputs{i32, i32}, Inputs{i8, i8},     Inputs{u8, u8},
                                  Inputs{i8, u8},   Inputs{u8, i8}};
constexpr std::array gfx12_inputs{Inputs{f16, f16}, Inputs{bf16, bf16}, Inputs{f32, f32},
                                  Inputs{i32, i32}, Inputs{i8, i8},     Inputs{u8, u8},
                                  Inputs{i8, u8},   Inputs{u8, i8},     Inputs{fp8, fp8},
                                  Inputs{fp8, bf8}, Inputs{bf8, fp8},   Inputs{bf8, bf8}};

constexpr Capabilities gfx11{.inputs = gfx11_inputs,
                             .inputs_words = "f16, bf16, f32, i4, i8, i16 or i32 inputs",
                             .f32_paths = "exact or bf16x3"};

constexpr Capabilities gfx12 = [] {
  Capabilities row = gfx11;
  row.inputs = gfx12_inputs;
  row.inputs_words = "f16, bf16, f32, i4, i8, i16, i32, f8E4M3FN or f8E5M2 inputs";
  return row;
}();

constexpr std::array sm80_inputs{Inputs{f16, f16}, Inputs{bf16, bf16}, Inputs{f32, f32},
                                 Inputs{i32, i32}, Inputs{i8, i8},     Inputs{u8, u8},
                                 Inputs{i8, u8},   Inputs{u8, i8}};

constexpr Capabilities sm80{.inputs = sm80_inputs,
                            .inputs_words = "f16, bf16, f32, i4, i8, i16 or i32 inputs",
                            .f32_paths = "exact, bf16x3 or tf32"};

constexpr Capabilities sm89 = [] {
  Capabilities row = sm80;
  row.inputs = gfx12_inputs;
  row.inputs_words = "f16, bf16, f32, i4, i8, i16, i32, f8E4M3FN or f8E5M2 inputs";
  return row;
}();

const Capabilities& capabilities(instruction::Target target) {
  const Family family = instruction::processor(target).family;
  if (!instruction::is_nvidia(family)) return family == Family::gfx11 ? gfx11 : gfx12;
  return family == Family::sm80 ? sm80 : sm89;
}

std::string words(ElementType type) {
  if (type == fp8) return "f8E4M3FN";
  if (type == bf8) return "f8E5M2";
  if (type == fp4) return "f4E2M1FN";
  if (type == e8m0) return "f8E8M0FNU";
  return std::string(instruction::name(type));
}

bool is_fp8(ElementType type) { return type == fp8 || type == bf8; }

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
  const Capabilities& can = capabilities(target);
  const plan::Problem& problem = request.problem;
  const std::string on = " on " + std::string(instruction::name(target));
  const auto known = std::ranges::any_of(can.inputs, [&](const Inputs& inputs) {
    return inputs.a == problem.input && inputs.b == problem.b_input();
  });
  if (!known) {
    const std::string found = problem.input == problem.b_input()
                                  ? words(problem.input)
                                  : words(problem.input) + " and " + words(problem.b_input());
    return Refusal{request.a.place, "inputs of " + found + on, std::string(can.inputs_words)};
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
                   "f32, f16, bf16, i32, i16 or i8"};
  }
  return std::nullopt;
}

}  // namespace heddle::compiler
