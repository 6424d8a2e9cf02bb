#include "compiler/decisions/block_scales.h"

#include <algorithm>
#include <utility>

#include "compiler/request/operand_form.h"
#include "heddle/instruction/catalogue.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using plan::Loop;

bool has_instruction(instruction::Target target) {
  const instruction::Family family = instruction::processor(target).family;
  return !instruction::is_nvidia(family) &&
         std::ranges::any_of(instruction::all_instructions(), [&](const auto& row) {
           return row.is_of(family) && row.has(instruction::Operand::scale_a);
         });
}

// A factor of a product: the type of its elements in memory, and whether the elements are
// multiplied by scales.
struct Factor {
  ElementType stored{};
  bool is_scaled = false;
};

// The factor, if a producer computes nothing but a factor from elements of type `stored`: the
// element itself, or the element times a scale. Null if it computes anything else.
std::optional<Factor> factor_of(const Expression& producer, ElementType stored,
                                const std::vector<MatrixRecord>& extras) {
  const bool is_taken =
      stored == ElementType::fp8 || stored == ElementType::bf8 || stored == ElementType::fp4;
  if (!is_taken) return std::nullopt;
  if (producer.is_identity()) return Factor{stored};
  const auto node = [&](int number) -> const Node& {
    return producer.nodes[static_cast<std::size_t>(number)];
  };
  const auto is_input = [](const Node& of, int index) {
    return of.step == Step::input && of.index == index;
  };
  int root = static_cast<int>(producer.nodes.size()) - 1;
  if (node(root).step == Step::convert && is_input(node(node(root).operands[0]), 0))
    return Factor{stored};
  // A conversion of an f4E2M1FN times a scale to bf16 is exact (find_types in request_builder.cpp).
  if (stored == ElementType::fp4 && node(root).step == Step::convert &&
      node(root).type == ElementType::bf16)
    root = node(root).operands[0];
  const bool keeps_all = node(root).type == ElementType::f32 ||
                         (node(root).type == ElementType::bf16 && stored == ElementType::fp4);
  const auto scaled = scaled_number(producer.nodes, root);
  if (!scaled || !keeps_all || extras.size() != 1 || !is_input(scaled->number, 0) ||
      !is_input(scaled->scale, 1))
    return std::nullopt;
  return Factor{stored, true};
}

bool is_even(const Axis& axis) {
  return axis.step.factor % 2 == 0 && std::ranges::all_of(axis.jumps, [](const Jump& jump) {
           return jump.forward.factor % 2 == 0 && jump.back.factor % 2 == 0;
         });
}

// True if elements 2 i and 2 i + 1 along k always share a byte, so that a byte is a pair along k.
bool has_pairs(const MatrixRecord& matrix, const Axis& row, const Axis& k) {
  return matrix.element == ElementType::fp4 && k.step == Stride{1, 0} && is_even(row) &&
         is_even(matrix.batch) && matrix.offset % 2 == 0 &&
         std::ranges::all_of(
             k.jumps, [](const Jump& jump) { return jump.every % 2 == 0 && jump.sizes == 0; }) &&
         is_even({{}, k.jumps});
}

// True if k is known to be even and, if k is dynamic, no stride of a matrix depends on k.
bool has_even_k(const MatmulRequest& request) {
  const plan::Problem& problem = request.problem;
  if (!problem.is_dynamic(Loop::k)) return problem.k % 2 == 0;
  const unsigned bit = 1u << static_cast<unsigned>(Loop::k);
  bool is_counted = false;
  for_each_matrix(request, [&](const MatrixRecord& matrix) {
    for (const Axis* axis : {&matrix.batch, &matrix.row, &matrix.column}) {
      unsigned sizes = axis->step.sizes;
      for (const Jump& jump : axis->jumps)
        sizes |= jump.forward.sizes | jump.back.sizes | jump.sizes;
      is_counted = is_counted || (sizes & bit) != 0;
    }
  });
  return !is_counted && request.multiples[static_cast<std::size_t>(Loop::k)] % 2 == 0;
}

Axis halved(Axis axis, bool is_k) {
  if (!is_k) axis.step.factor /= 2;
  for (Jump& jump : axis.jumps) {
    if (is_k) jump.every /= 2;
    jump.forward.factor /= 2;
    jump.back.factor /= 2;
  }
  return axis;
}

void pair_up(MatrixRecord& matrix, bool is_a, std::vector<MatrixRecord>& scales) {
  matrix.element = ElementType::i8;
  matrix.offset /= 2;
  matrix.batch = halved(matrix.batch, false);
  matrix.row = halved(matrix.row, !is_a);
  matrix.column = halved(matrix.column, is_a);
  for (MatrixRecord& scale : scales)
    for (Jump& jump : (is_a ? scale.column : scale.row).jumps) jump.every /= 2;
}

Expression producer_of(ElementType stored, ElementType multiplied) {
  if (stored == multiplied) return {};
  return {{{.step = Step::input, .type = stored}, {.step = Step::convert, .type = multiplied}}};
}

// For each step of a producer: true if the step's value depends on input 0, the element of A or B
// that the producer turns into a factor.
std::vector<bool> dependent_steps(const std::vector<Node>& nodes) {
  std::vector<bool> dependent;
  for (const Node& node : nodes) {
    bool depends = node.step == Step::input && node.index == 0;
    for (int i = 0; i < plan::operand_count(node.step); ++i)
      depends = depends ||
                dependent[static_cast<std::size_t>(node.operands[static_cast<std::size_t>(i)])];
    dependent.push_back(depends);
  }
  return dependent;
}

// If a producer multiplies its element (input 0) by a number that does not depend on the element,
// returns an expression for this number in f32: the producer with 1 in place of the element. Null
// if the producer computes anything else.
std::optional<Expression> factor_of_element(Expression producer) {
  std::vector<Node>& nodes = producer.nodes;
  if (nodes.empty()) return std::nullopt;
  const std::vector<bool> depends = dependent_steps(nodes);
  for (std::size_t at = nodes.size() - 1;;) {
    Node& node = nodes[at];
    if (node.type != ElementType::f32) return std::nullopt;
    const auto x = static_cast<std::size_t>(node.operands[0]);
    const auto y = static_cast<std::size_t>(node.operands[1]);
    if (node.step == Step::convert && nodes[x].step == Step::input && depends[x]) {
      node = {.step = Step::constant, .type = ElementType::f32, .constant = 1};
      return producer;
    }
    if (node.step != Step::multiply || depends[x] == depends[y]) return std::nullopt;
    at = depends[x] ? x : y;
  }
}

// How many adjacent columns have the same scales of B.
std::int64_t scaled_columns(const MatmulRequest& request) {
  std::int64_t count = plan::all_columns;
  const auto is_shared = [&](const MatrixRecord& scales) {
    return is_one_element(scales.column, count);
  };
  while (count > 1 && !std::ranges::all_of(request.b_extras, is_shared)) count /= 2;
  return count;
}

// True if the scales of each four neighbouring rows are contiguous and begin at a multiple of 16
// bytes. The scales of all rows of a tile can then be copied by one copy.
bool are_contiguous(const MatrixRecord& scales, std::int64_t rows) {
  constexpr std::int64_t count = 4;
  const auto is_whole = [](const Stride& stride) {
    return stride.is_static() && stride.factor % count == 0;
  };
  const auto all_whole = [&](const Axis& axis) {
    return is_whole(axis.step) && std::ranges::all_of(axis.jumps, [&](const Jump& jump) {
             return is_whole(jump.forward) && is_whole(jump.back);
           });
  };
  return scales.row.is(Stride{1, 0}) && all_whole(scales.column) && all_whole(scales.batch) &&
         scales.offset % count == 0 && rows % count == 0;
}

}  // namespace

std::optional<ScaledSums> scaled_sums(const MatmulRequest& request) {
  const plan::Problem& problem = request.problem;
  const ElementType stored = request.a.element;
  if (problem.combine != Step::add || problem.sum_type() != ElementType::f32 ||
      problem.f8 == plan::F8Sums::exact || request.b.element != stored ||
      (stored != ElementType::fp8 && stored != ElementType::bf8) || !request.a.padding.empty() ||
      !request.b.padding.empty())
    return std::nullopt;
  const auto a = factor_of_element(request.a_producer), b = factor_of_element(request.b_producer);
  if (!a || !b) return std::nullopt;
  if (request.a_extras.size() > 1 || request.b_extras.size() > 1) return std::nullopt;
  const auto fits = [](const MatrixRecord& scales, const Axis& k) {
    return scales.element == ElementType::f32 && scales.padding.empty() &&
           is_one_element(k, plan::promoted_depth);
  };
  for (const MatrixRecord& scales : request.a_extras)
    if (!fits(scales, scales.column)) return std::nullopt;
  for (const MatrixRecord& scales : request.b_extras)
    if (!fits(scales, scales.row)) return std::nullopt;
  ScaledSums made{request, *a, *b};
  MatmulRequest& kept = made.request;
  kept.a_producer = kept.b_producer = {};
  kept.problem.input = stored;
  kept.problem.input_b.reset();
  kept.problem.a.stored = kept.problem.b.stored = {};
  kept.problem.f8 = plan::F8Sums::promoted;
  kept.problem.scaled_columns = scaled_columns(request);
  for (MatrixRecord& scales : kept.a_extras)
    scales.column = in_blocks(scales.column, plan::promoted_depth);
  for (MatrixRecord& scales : kept.b_extras)
    scales.row = in_blocks(scales.row, plan::promoted_depth);
  const bool knows_rows = !problem.is_dynamic(plan::Loop::m);
  kept.problem.a_scales_contiguous = std::ranges::all_of(
      kept.a_extras,
      [&](const MatrixRecord& scales) { return knows_rows && are_contiguous(scales, problem.m); });
  return made;
}

std::optional<ScaledNumber> scaled_number(const std::vector<Node>& nodes, int root) {
  const auto node = [&](int number) -> const Node& {
    return nodes[static_cast<std::size_t>(number)];
  };
  if (node(root).step != Step::multiply) return std::nullopt;
  Node of[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const Node& operand = node(node(root).operands[i]);
    if (operand.step != Step::convert) return std::nullopt;
    of[i] = node(operand.operands[0]);
  }
  if (of[0].type == ElementType::e8m0) std::swap(of[0], of[1]);
  if (of[1].type != ElementType::e8m0) return std::nullopt;
  return ScaledNumber{of[0], of[1]};
}

Axis in_blocks(const Axis& axis, std::int64_t count) {
  Axis blocks;
  for (Jump jump : axis.jumps) {
    jump.every /= count;
    if (jump.every == 1 && jump.back == Stride{} && jump.sizes == 0 && blocks.step == Stride{})
      blocks.step = jump.forward;
    else
      blocks.jumps.push_back(jump);
  }
  return blocks;
}

void find_block_scales(MatmulRequest& request, instruction::Target target) {
  plan::Problem& problem = request.problem;
  if (problem.combine != Step::add || problem.sum_type() != ElementType::f32 ||
      !request.a.padding.empty() || !request.b.padding.empty() || !has_instruction(target))
    return;
  const auto a = factor_of(request.a_producer, request.a.element, request.a_extras);
  const auto b = factor_of(request.b_producer, request.b.element, request.b_extras);
  if (!a || !b || (!a->is_scaled && !b->is_scaled)) return;
  const auto fits = [](const MatrixRecord& scales, const Axis& k) {
    return scales.padding.empty() && is_one_element(k, plan::scale_block) &&
           std::ranges::all_of(k.jumps, [](const Jump& jump) { return jump.sizes == 0; });
  };
  for (const MatrixRecord& scales : request.a_extras)
    if (!fits(scales, scales.column)) return;
  for (const MatrixRecord& scales : request.b_extras)
    if (!fits(scales, scales.row)) return;
  problem.has_scales = true;
  const bool pairs = has_even_k(request) && has_pairs(request.a, request.a.row, request.a.column) &&
                     has_pairs(request.b, request.b.column, request.b.row);
  // Every f4E2M1FN is an f8E4M3FN.
  const auto multiplied = [&](ElementType stored) {
    return stored == ElementType::fp4 && !pairs ? ElementType::fp8 : stored;
  };
  const ElementType of_a = multiplied(a->stored), of_b = multiplied(b->stored);
  problem.input = of_a;
  problem.input_b.reset();
  if (of_b != of_a) problem.input_b = of_b;
  const auto stored = [](ElementType in_memory, ElementType multiplied) {
    return in_memory == multiplied ? std::optional<ElementType>() : array_type(in_memory);
  };
  problem.a.stored = stored(a->stored, of_a);
  problem.b.stored = stored(b->stored, of_b);
}

MatmulRequest as_multiplied(MatmulRequest request) {
  plan::Problem& problem = request.problem;
  request.a_producer = producer_of(request.a.element, problem.input);
  request.b_producer = producer_of(request.b.element, problem.b_input());
  if (problem.elements_of_unit() == 1) return request;
  problem.k /= 2;
  request.multiples[static_cast<std::size_t>(Loop::k)] /= 2;
  pair_up(request.a, true, request.a_extras);
  pair_up(request.b, false, request.b_extras);
  problem.a.stored = problem.b.stored = ElementType::i8;
  find_forms(request);
  return request;
}

}  // namespace heddle::compiler
