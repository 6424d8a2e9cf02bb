// A text that can be used as an index. If a layout is evaluated on it with map_index, the result is
// the text of the computation.
//
//   auto [m, n] = map_index<fragment>(Formula("register"), Formula("lane"));
//   m.text()    "register * 2 + lane / 16"          Notation::arithmetic
//               "(register << 1) | (lane >> 4)"     Notation::bits
//
// Both texts are C, C++ and HIP expressions over non-negative integers. For the host only.
//
// Both notations for the two examples of linear_layout.h, the accumulator of gfx11 and a swizzle:
//
//     output        arithmetic                    bits
//     m             register * 2 + lane / 16      (register << 1) | (lane >> 4)
//     n             lane % 16                     lane & 15
//     offset        (row * 8) ^ group ^ row       (row << 3) ^ group ^ row
//
// `/` and `%` are those of unsigned integers: they round down because nothing is negative.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/layout/index.h"

namespace heddle::layout {

// How a formula is written: with quotients and remainders, or with shifts and masks.
enum class Notation : std::uint8_t { arithmetic, bits };

class Formula {
 public:
  // A formula that is a variable, or any other operand that needs no parentheses.
  explicit Formula(std::string name, Notation notation = Notation::arithmetic)
      : text_(std::move(name)), notation_(notation) {}

  const std::string& text() const { return text_; }
  Notation notation() const { return notation_; }

  // This formula, followed by `operation` and `number`. If this formula is compound, it is put in
  // parentheses.
  Formula with(const char* operation, std::uint64_t number) const {
    return compound(grouped() + " " + operation + " " + std::to_string(number));
  }
  // This formula and `other`, joined by `operation`. The terms of a sum need no parentheses.
  // Compound operands of other operations are put in parentheses, except this formula if it was
  // itself made by joined().
  Formula joined(const char* operation, const Formula& other, bool is_sum) const {
    return compound(
        is_sum ? text_ + " " + operation + " " + other.text_
               : (is_joined_ ? text_ : grouped()) + " " + operation + " " + other.grouped(),
        true);
  }

 private:
  std::string grouped() const { return is_compound_ ? "(" + text_ + ")" : text_; }
  Formula compound(std::string text, bool is_joined = false) const {
    Formula result(std::move(text), notation_);
    result.is_compound_ = true;
    result.is_joined_ = is_joined;
    return result;
  }

  std::string text_;
  Notation notation_;
  bool is_compound_ = false;
  bool is_joined_ = false;  // the last step was `joined`, and the next one is the same operation
};

template <>
struct IndexOperations<Formula> {
  static Formula zero() { return Formula("0"); }

  static Formula field(const Formula& x, const BitField& field) {
    return x.notation() == Notation::arithmetic ? quotient_and_remainder(x, field)
                                                : mask_and_shift(x, field);
  }

  static Formula join(const Formula& a, const Formula& b, bool disjoint) {
    if (!disjoint) return a.joined("^", b, false);
    const bool sum = a.notation() == Notation::arithmetic;
    return a.joined(sum ? "+" : "|", b, sum);
  }

 private:
  // x / 2^from % 2^count * 2^to
  static Formula quotient_and_remainder(Formula x, const BitField& field) {
    if (field.from > 0) x = x.with("/", std::uint64_t{1} << field.from);
    if (!field.reaches_top) x = x.with("%", std::uint64_t{1} << field.count);
    if (field.to > 0) x = x.with("*", std::uint64_t{1} << field.to);
    return x;
  }

  // Code for one field: the mask x & mask, if it is needed, then one shift. If the field goes to
  // bit 0, the right shift alone removes the bits below the field.
  static Formula mask_and_shift(Formula x, const BitField& field) {
    const bool cuts_low = field.from > 0 && field.to > 0;
    if (cuts_low || !field.reaches_top) {
      const std::uint64_t mask = low_bits(field.count) << field.from;
      x = x.with("&", mask);
    }
    const int shift = field.to - field.from;
    if (shift > 0) x = x.with("<<", static_cast<std::uint64_t>(shift));
    if (shift < 0) x = x.with(">>", static_cast<std::uint64_t>(-shift));
    return x;
  }
};

// The formulas of a layout that is known only at run time: one for each output axis. The variables
// have the names of the input axes.
//     formulas(parse("register: (2) (4); lane: (1) -> m: 8").value())      {"register * 2 + lane"}
//
// An output axis that no input moves has the formula "0".
inline std::vector<std::string> formulas(const LinearLayout& layout,
                                         Notation notation = Notation::arithmetic) {
  using Operations = IndexOperations<Formula>;
  std::vector<std::string> result;
  for (int output = 0; output < layout.outputs().size(); ++output) {
    const bool disjoint = fields_are_disjoint(layout, output);
    std::optional<Formula> sum;
    for_each_field(layout, output, [&](const BitField& field) {
      const Formula variable(
          std::string(layout.inputs()[static_cast<int>(field.input)].name.text()), notation);
      const Formula part = Operations::field(variable, field);
      sum = sum ? Operations::join(*sum, part, disjoint) : part;
    });
    result.push_back(sum.value_or(Operations::zero()).text());
  }
  return result;
}

}  // namespace heddle::layout
