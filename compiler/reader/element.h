// Describes the computation of one element of a tensor: a formula over elements of the function's
// arguments. The front end derives such a formula for each tensor of the user's text. The kernel
// computes the formula of the function's result.
//
// Terms: a formula consists of steps (additions, …) and leaves. A leaf is an element that the
// formula reads. The coordinates of a formula are the integers that select the element of the
// tensor, usually one for each dimension.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/diagnostics.h"
#include "compiler/request/matmul_request.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle::compiler {

/// Line and column of a location.
Place line_of(mlir::Location location);

/// The element type of a matrix or of a scalar; null for types that no kernel supports.
std::optional<instruction::ElementType> element_type(mlir::Type type);

/// The type in which kernels compute: with a number of `type`, or, if `type` is shaped, with its
/// elements. For the type index it is i64. Null if the type is unsupported.
std::optional<instruction::ElementType> computed_type(mlir::Type type);

/// The list of element types that kernels support, for messages.
inline constexpr std::string_view accepted_element_types =
    "f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f4E2M1FN, f8E8M0FNU, i64, i32, "
    "i16, i8, i4 and i1";

/// The text after "accepted:" in a message about an element type that no kernel supports.
std::string accepted_elements(mlir::Type type);

/// The type of an element in memory. An i1 is stored as a byte, in which any value except 0 is
/// true, as in LLVM's and PyTorch's arrays. Kernels write 0 and 1.
instruction::ElementType stored_type(instruction::ElementType type);

/// While a loop of the text is being read, its counter is a coordinate too, numbered from
/// first_counter on (formula_loops.cpp). When the loop ends, such counters are replaced by
/// coordinates of the loop's result.
inline constexpr int first_counter = 1 << 20;

/// An index as a linear function of coordinates: constant + the sum of factor * coordinate over
/// `terms`, which are sorted by coordinate. In a formula, factors are at least 1 and the constant
/// is at least 0; loop_numbers.h also uses negative ones. Factors and the constant are limited to
/// 2^62, beyond any array.
struct Index {
  struct Term {
    int coordinate = 0;
    std::int64_t factor = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;

  /// True if the index cannot be negative.
  bool is_place() const {
    return constant >= 0 && std::ranges::all_of(terms, [](Term term) { return term.factor > 0; });
  }
  /// Coordinate `coordinate` itself.
  static Index of(int coordinate) { return {0, {{coordinate, 1}}}; }
  /// Adds `factor` times `other`.
  void add(const Index& other, std::int64_t factor = 1);
  /// The same function with each coordinate i replaced by `places[i]`; loop counters (from
  /// first_counter on) stay.
  Index at(const std::vector<Index>& places) const;
  /// The same function with `coordinate` replaced by `place`.
  Index with(int coordinate, const Index& place) const;
  std::int64_t factor_of(int coordinate) const;
  friend bool operator==(const Index&, const Index&) = default;
};

/// The list of functions in which function i returns coordinate i itself.
std::vector<Index> identity(std::size_t count);

/// One condition under which an element of a padded tensor is in memory. It holds if `place` is at
/// least 0, less than `size`, and divisible by `every`. If any condition of the element does not
/// hold, the element is padding. `place` may be negative.
struct Bound {
  Index place;
  std::int64_t size = 1, every = 1;  // size -1: as long as the leaf's `dimension`, which is dynamic
  int dimension = -1;
  std::int64_t beside = 0;  // how many elements of padding the text knows of along it
  friend bool operator==(const Bound&, const Bound&) = default;
};

/// An element that a formula reads: of the function argument with number `source`, or of the
/// product. Its index along dimension i is dims[i], a function of the formula's coordinates.
struct Leaf {
  static constexpr int product = -1;
  static constexpr int running_sum = -2;  // what a product adds to, inside its body
  static constexpr int carried = -3;      // and below: what a loop carries, inside it
  /// If `source` is `place`, the leaf reads no element: its value is the index dims[0] itself, as
  /// an i64. The front end makes such a leaf of linalg.index.
  static constexpr int place = std::numeric_limits<int>::min();

  int source = product;
  std::vector<Index> dims;
  /// The conditions under which the element is in memory. If one does not hold, the element is read
  /// as 0.
  std::vector<Bound> bounds = {};
  /// For each dimension, the number by which the index dims[i] is divided to find the element in
  /// memory. It is more than 1 if padding puts zeros between elements. Empty: 1 for all dimensions.
  std::vector<std::int64_t> over = {};
  /// If true, the value of the leaf is an i1: whether all `bounds` hold. The element itself is not
  /// read.
  bool is_mask = false;

  /// True if an index along the dimension may be out of bounds: a condition in `bounds` depends on
  /// a coordinate of that index.
  bool is_padded(std::size_t dim) const {
    return std::ranges::any_of(bounds, [&](const Bound& bound) {
      return std::ranges::any_of(bound.place.terms, [&](const Index::Term& term) {
        return dims[dim].factor_of(term.coordinate) != 0;
      });
    });
  }
  /// The same leaf with `change` applied to each of its indices.
  Leaf moved(llvm::function_ref<Index(const Index&)> change) const;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

/// A formula: a list of steps, the last of which computes the result (the root). `leaves` are its
/// inputs. A tensor that was never written has a formula without steps.
struct Element {
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;

  bool is_written() const { return !nodes.empty(); }
  const Node& root() const { return nodes.back(); }
  bool reads(int source) const {
    return std::ranges::any_of(leaves, [&](const Leaf& leaf) { return leaf.source == source; });
  }
  /// If the formula is the value of one leaf, unchanged: that leaf; null otherwise.
  const Leaf* only_leaf() const {
    return nodes.size() == 1 && nodes[0].step == Step::input ? &leaves[0] : nullptr;
  }

  /// Adds `node` unless an equal step exists. Returns the step's number.
  int add(const Node& node);
  int add_leaf(const Leaf& leaf, instruction::ElementType type);
  /// Adds the steps of the formula `other`, with its coordinate i replaced by `places[i]`. Returns
  /// the number of the step that computes the result of `other`.
  int add_all(const Element& other, const std::vector<Index>& places);
  /// Adds the steps of the formula `other`. For each leaf of `other`, `read` adds steps that
  /// compute its value, and returns the number of the last of these. Returns the number of the step
  /// that computes the result of `other`.
  int add_all(const Element& other,
              llvm::function_ref<int(const Leaf&, instruction::ElementType)> read);
  /// The same formula with coordinate i replaced by `places[i]`.
  Element at(const std::vector<Index>& places) const;
  /// The same formula with `coordinate` replaced by `place`.
  Element with(int coordinate, const Index& place) const;
  /// The formula that ends in step `root`.
  Element part(int root) const;
};

/// True if the formula reads one element and its result is 0 whenever that element is 0. Then
/// padding the element with zeros is the same as padding the result with zeros.
bool keeps_zero(const Element& element);

/// The formula that reads an element of `type` in memory.
Element element_of(const Leaf& leaf, instruction::ElementType type);

/// A function that the caller passes to evaluate. It is given a scalar that a body uses but that is
/// defined outside of the body, and returns the scalar's formula, which has no coordinates; null if
/// there is none.
using Captured = llvm::function_ref<const Element*(mlir::Value)>;

/// Adds the steps of `body`, the region of a linalg operation, to the formula `into`. bound[i] is
/// the number of the step for the body's argument i, and loops[i] the index of loop i. Returns the
/// number of the step that computes the value that the body yields; null if the body is refused.
std::optional<int> evaluate(mlir::Block& body, const std::vector<int>& bound,
                            const std::vector<Index>& loops, Element& into, Captured captured,
                            Diagnostics& diagnostics);

/// Adds the step of `operation`, which computes each element of a tensor from the elements of its
/// operands at the same indices. bound[i] is the number of the step for operand i. Returns the
/// number of the new step; null if the operation is refused.
std::optional<int> evaluate(mlir::Operation& operation, const std::vector<int>& bound,
                            Element& into, Diagnostics& diagnostics);

/// Adds the constant `value`, which is an arith.constant of a number or of a splat. Returns its
/// step number; -1 if `value` is no such constant.
int add_constant(mlir::Value value, Element& into);

}  // namespace heddle::compiler
