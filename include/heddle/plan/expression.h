// The computation that is applied to each element of a matrix before it is multiplied, or to each
// sum of products: a short list of operations, each on results of earlier operations. Compilers
// turn the list into code; the judge of a result evaluates it in float64.
//
// An example is the bias and relu of a sum, max(sum + bias, 0), in f32, with the bias as input 1:
//
//     number    step        operands    type
//     0         input 0                 f32     the sum
//     1         input 1                 f32     the bias
//     2         add         0, 1        f32
//     3         constant 0              f32
//     4         maximum     2, 3        f32     the result: the last node
//
// A node uses earlier nodes only, so that a loop from the first node to the last computes the
// result.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "heddle/instruction/element_type.h"
#include "heddle/layout/needs_cxx20.h"

namespace heddle::plan {

/// The operation of a step. Types and meanings are those of MLIR's arith dialect: each step rounds
/// once to nearest even, and integers wrap around.
enum class Step : std::uint8_t {
  input,             // `index`: of the expression's inputs
  constant,          // `constant`, of `type`
  convert,           // to `type`: float to float, or integer to integer as signed numbers
  convert_unsigned,  // the same as unsigned numbers
  add,
  subtract,
  multiply,
  divide,   // floats only
  maximum,  // NaN if one operand is
  minimum,
  maximum_number,  // the other operand if one is NaN; of integers: signed
  minimum_number,
  maximum_unsigned,
  minimum_unsigned,
  negate,
  less,  // 1 bit: ordered for floats, signed for integers
  less_equal,
  equal,
  not_equal,  // unordered for floats
  select,     // operand 0 says which of 1 and 2
  function1,  // `index`: of runtime/numbers/math_functions.h, of this many operands
  function2,
  function3,
};

struct Node {
  Step step = Step::input;
  instruction::ElementType type{};  // of the result; b1 for comparisons
  std::array<int, 3> operands{};    // positions of earlier nodes
  int index = 0;                    // of `input` and functions
  double constant = 0;              // of an integer: see integer_of
  /// True if both compute the same bits: the constants -0 and 0 differ, and a NaN equals itself.
  friend constexpr bool operator==(const Node& x, const Node& y) {
    return x.step == y.step && x.type == y.type && x.operands == y.operands && x.index == y.index &&
           std::bit_cast<std::uint64_t>(x.constant) == std::bit_cast<std::uint64_t>(y.constant);
  }
};

/// The number of operands of a step.
constexpr int operand_count(Step step) {
  switch (step) {
    case Step::input:
    case Step::constant:
      return 0;
    case Step::convert:
    case Step::convert_unsigned:
    case Step::negate:
    case Step::function1:
      return 1;
    case Step::select:
    case Step::function3:
      return 3;
    default:
      return 2;
  }
}

/// True if a step may combine all elements of a row into one number: their sum, or the largest or
/// the smallest of them.
constexpr bool reduces(Step step) {
  return step == Step::add || step == Step::maximum || step == Step::minimum ||
         step == Step::maximum_number || step == Step::minimum_number;
}

/// The integer value of a constant. Outside of i64 it is the nearest i64; for NaN it is 0. No
/// double equals the largest i64, so 2^63 stands for it.
constexpr std::int64_t integer_of(double constant) {
  if (constant != constant) return 0;
  if (constant >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  if (constant < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(constant);
}

/// The neutral element of a step that reduces: combining it with any x of `type` gives x. `type` is
/// f32, f64, i32 or i64.
constexpr double neutral(Step step, instruction::ElementType type) {
  using enum instruction::ElementType;
  if (step == Step::add) return 0;
  const bool is_largest = step == Step::maximum || step == Step::maximum_number;
  if (type == i64) return is_largest ? -0x1p63 : 0x1p63;
  if (type == i32) return is_largest ? -0x1p31 : 0x1p31 - 1;
  const double most = std::numeric_limits<double>::infinity();
  return is_largest ? -most : most;
}

/// The value of the last node is the result. Input 0 is the element to which the expression is
/// applied: an element of A or of B, or a sum of products.
struct Expression {
  std::vector<Node> nodes;

  /// True if the result is input 0, unchanged.
  bool is_identity() const {
    return nodes.empty() ||
           (nodes.size() == 1 && nodes[0].step == Step::input && nodes[0].index == 0);
  }
  instruction::ElementType type() const { return nodes.back().type; }
  friend bool operator==(const Expression&, const Expression&) = default;
};

}  // namespace heddle::plan
