// Says which requests each kind of kernel supports. Whoever extends a kind of kernel changes the
// row of that kind here.
#include <algorithm>
#include <array>

#include "compiler/plan/fma_atom.h"
#include "compiler/request/matmul_request.h"
#include "heddle/instruction/numerics.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using instruction::Family;

using enum ElementType;

/// The capabilities of the kernels for one kind of target.
struct Capabilities {
  std::array<ElementType, 2> small_floats;  // of 8 bits; the same twice: of none
  bool has_unsigned_bytes;
  ElementType widened_float;   // as which others of 8 bits are multiplied
  std::string_view f32_paths;  // for messages

  bool multiplies_small(ElementType type) const {
    return small_floats[0] != small_floats[1] &&
           (type == small_floats[0] || type == small_floats[1]);
  }
};

Capabilities capabilities(instruction::Target target) {
  constexpr std::array ocp{fp8, bf8}, fnuz{fp8_fnuz, bf8_fnuz}, none{f32, f32};
  const Family family = instruction::processor(target).family;
  const instruction::SmallFloats encodings = instruction::row(family).small_floats;
  // Small numbers of E5M2 are subnormal in f16. So if f16 subnormals are flushed to 0, f16 would
  // not represent all 8-bit floats exactly, and bf16 is used.
  const ElementType widened = instruction::flushes_subnormals(family, f16) ? bf16 : f16;
  return {encodings == instruction::SmallFloats::ocp    ? ocp
          : encodings == instruction::SmallFloats::fnuz ? fnuz
                                                        : none,
          !instruction::is_cdna(family), widened,
          instruction::has(family, instruction::Feature::xf32) ? "exact, bf16x3, tf32 or tf32-cut"
                                                               : "exact or bf16x3"};
}

bool is_byte(ElementType type) { return type == i8 || type == u8; }

/// True if kernels with these capabilities multiply elements of type `a` by elements of type `b`.
bool multiplies(ElementType a, ElementType b, const Capabilities& can) {
  if (a == b && (a == f16 || a == bf16 || plan::fma_row(a) >= 0)) return true;
  return (is_byte(a) && is_byte(b)) || (can.multiplies_small(a) && can.multiplies_small(b));
}

/// The inputs that a target multiplies, for messages.
std::string accepted_inputs(const Capabilities& can) {
  const std::string all = "f16, bf16, f32, f64, i4, i8, i16, i32";
  if (!can.multiplies_small(can.small_floats[0])) return all + " or i64 inputs";
  return all + ", i64, " + type_words(can.small_floats[0]) + " or " +
         type_words(can.small_floats[1]) + " inputs";
}

/// Changes the formula `producer`: its input is now an element of type `stored`, and its result is
/// converted to the wider type `to`.
void widen(Expression& producer, ElementType stored, ElementType to, bool is_unsigned) {
  if (producer.nodes.empty()) producer.nodes.push_back({.step = plan::Step::input, .type = stored});
  const auto last = static_cast<int>(producer.nodes.size()) - 1;
  producer.nodes.push_back(
      {.step = is_unsigned ? plan::Step::convert_unsigned : plan::Step::convert,
       .type = to,
       .operands = {last}});
}

/// Kernels can only convert some types (8-bit floats and types that are only read). Returns such a
/// type if a step of `expression` computes with it in another way, or if it is an 8-bit float to
/// which an f64 is converted. Null if there is none.
std::optional<ElementType> unreadable(const Expression& expression) {
  const auto is_read = [](ElementType type) { return is_only_read(type) || is_small_float(type); };
  for (const Node& node : expression.nodes) {
    const bool is_cast = node.step == Step::convert || node.step == Step::convert_unsigned;
    const bool is_made = is_cast && is_small_float(node.type);
    if (is_read(node.type) && node.step != Step::input && !is_made) return node.type;
    for (int i = 0; i < operand_count(node.step); ++i) {
      const int operand = node.operands[static_cast<std::size_t>(i)];
      const ElementType from = expression.nodes[static_cast<std::size_t>(operand)].type;
      if (is_read(from) && (node.step != Step::convert || instruction::is_integer(node.type)))
        return from;
      if (is_made && from == f64) return node.type;  // it would be rounded to f32 first
    }
  }
  return std::nullopt;
}

}  // namespace

std::string type_words(ElementType type) {
  if (type == fp8) return "f8E4M3FN";
  if (type == bf8) return "f8E5M2";
  if (type == fp8_fnuz) return "f8E4M3FNUZ";
  if (type == bf8_fnuz) return "f8E5M2FNUZ";
  if (type == fp4) return "f4E2M1FN";
  if (type == e8m0) return "f8E8M0FNU";
  return std::string(instruction::name(type));
}

void widen_factors(MatmulRequest& request, instruction::Target target) {
  plan::Problem& problem = request.problem;
  const Capabilities can = capabilities(target);
  const ElementType a = problem.input, b = problem.b_input();
  const bool has_unsigned = is_byte(a) && is_byte(b) && (a == u8 || b == u8);
  const bool are_small = is_small_float(a) && is_small_float(b);
  if (problem.has_scales) return;
  if ((!has_unsigned || can.has_unsigned_bytes) && (!are_small || multiplies(a, b, can))) return;
  problem.input = are_small ? can.widened_float : i32;
  problem.input_b.reset();
  widen(request.a_producer, request.a.element, problem.input, a == u8);
  widen(request.b_producer, request.b.element, problem.input, b == u8);
  problem.a.stored = array_type(request.a.element);
  problem.b.stored = array_type(request.b.element);
}

std::optional<Refusal> why_not(const MatmulRequest& request, instruction::Target target) {
  const Capabilities can = capabilities(target);
  const plan::Problem& problem = request.problem;
  const std::string on = " on " + std::string(instruction::name(target));
  for (const MatrixRecord* result : written_matrices(request)) {
    if (result->element != i4 && !is_only_read(result->element)) continue;
    return Refusal{
        result->place, "a result of " + type_words(result->element),
        "f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, i64, i32, i16 or i8"};
  }
  if (!problem.has_scales && !multiplies(problem.input, problem.b_input(), can)) {
    const std::string found =
        problem.input == problem.b_input()
            ? type_words(problem.input)
            : type_words(problem.input) + " and " + type_words(problem.b_input());
    return Refusal{request.a.place, "inputs of " + found + on, accepted_inputs(can)};
  }
  if (problem.is_tf32() && can.f32_paths.find("tf32") == can.f32_paths.npos)
    return Refusal{request.a.place, "--f32 tf32" + on, "--f32 " + std::string(can.f32_paths)};
  std::vector<const Expression*> expressions{&request.a_producer, &request.b_producer,
                                             &request.epilogue};
  for (const FurtherResult& further : request.further) expressions.push_back(&further.epilogue);
  for (const Expression* expression : expressions) {
    const auto type = unreadable(*expression);
    if (!type) continue;
    if (is_only_read(*type))
      return Refusal{request.place, "an operation on f4E2M1FN or f8E8M0FNU",
                     "arith.extf, and arith.scaling_extf with a scale of f8E8M0FNU"};
    return Refusal{
        request.place, "an operation on " + type_words(*type) + " outside the product",
        "the product, arith.extf to a type that is computed with, and casts of f32, f16, bf16 "
        "and integers to it"};
  }
  return std::nullopt;
}

}  // namespace heddle::compiler
