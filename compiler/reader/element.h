// One element of a tensor as a formula over elements of the function's arguments. The front end
// follows each tensor of the user's text as such a formula; at the end of the text, the formula of
// the result is the computation of the kernel.
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

/// The element type of a matrix or of a scalar, or nothing for those that no kernel takes.
std::optional<instruction::ElementType> element_type(mlir::Type type);

/// The type in which kernels compute numbers of `type`, or of its elements: places are i64.
std::optional<instruction::ElementType> computed_type(mlir::Type type);

/// The list of those that kernels take, for messages.
inline constexpr std::string_view accepted_element_types =
    "f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f4E2M1FN, f8E8M0FNU, i64, i32, "
    "i16, i8, i4 and i1";

/// The advice of a message about elements of a type that no kernel takes.
std::string accepted_elements(mlir::Type type);

/// The type of an element in memory. An i1 is a byte, in which anything but 0 is true, as in LLVM's
/// and PyTorch's arrays. Kernels write 0 and 1.
instruction::ElementType stored_type(instruction::ElementType type);

/// Coordinates from here on are counters of loops that are being read (formula_loops.cpp). When a
/// loop ends, coordinates of its result replace them.
inline constexpr int first_counter = 1 << 20;

/// A coordinate as a function of others: constant + the sum of factor * coordinate over `terms`, in
/// the order of the coordinates. In a formula factors are at least 1 and the constant is at least
/// 0; numbers of loops may be negative (loop_numbers.h). Both end at 2^62, beyond any array.
struct Index {
  struct Term {
    int coordinate = 0;
    std::int64_t factor = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;

  /// True if the coordinate is never before the first element.
  bool is_place() const {
    return constant >= 0 && std::ranges::all_of(terms, [](Term term) { return term.factor > 0; });
  }
  /// Coordinate `coordinate` itself.
  static Index of(int coordinate) { return {0, {{coordinate, 1}}}; }
  /// Adds `factor` times `other`.
  void add(const Index& other, std::int64_t factor = 1);
  /// The same function with coordinate i replaced by `places[i]`; counters stay.
  Index at(const std::vector<Index>& places) const;
  /// The same function with `coordinate` replaced by `place`.
  Index with(int coordinate, const Index& place) const;
  std::int64_t factor_of(int coordinate) const;
  friend bool operator==(const Index&, const Index&) = default;
};

/// Coordinates 0, 1 … as functions of themselves.
std::vector<Index> identity(std::size_t count);

/// The padded elements that are in memory: `place`, which may be negative, is at least 0, less than
/// `size`, and a multiple of `every`.
struct Bound {
  Index place;
  std::int64_t size = 1, every = 1;  // size -1: as long as the leaf's `dimension`, which is dynamic
  int dimension = -1;
  std::int64_t beside = 0;  // how many elements of padding the text knows of along it
  friend bool operator==(const Bound&, const Bound&) = default;
};

/// An element that a formula reads. It is an element of a function argument, given by its number,
/// or of the product. Its position along dimension i is dims[i], a function of the formula's
/// coordinates.
struct Leaf {
  static constexpr int product = -1;
  static constexpr int running_sum = -2;  // what a product adds to, inside its body
  static constexpr int carried = -3;      // and below: what a loop carries, inside it
  /// No element: the number dims[0] itself, an i64. linalg.index is such a leaf.
  static constexpr int place = std::numeric_limits<int>::min();

  int source = product;
  std::vector<Index> dims;
  /// Outside of these bounds the element is 0; its position is then negative or beyond the end.
  std::vector<Bound> bounds = {};
  /// Divisors of the position along each dimension, if zeros are between elements. Empty: 1.
  std::vector<std::int64_t> over = {};
  /// Reads whether the element is inside of the bounds (i1), and not the element itself.
  bool is_mask = false;

  /// True if positions along the dimension may be outside.
  bool is_padded(std::size_t dim) const {
    return std::ranges::any_of(bounds, [&](const Bound& bound) {
      return std::ranges::any_of(bound.place.terms, [&](const Index::Term& term) {
        return dims[dim].factor_of(term.coordinate) != 0;
      });
    });
  }
  /// The same leaf with each place replaced by `change` of it.
  Leaf moved(llvm::function_ref<Index(const Index&)> change) const;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

/// A formula: the steps of an Expression whose inputs are leaves. Without steps: never written.
struct Element {
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;

  bool is_written() const { return !nodes.empty(); }
  const Node& root() const { return nodes.back(); }
  bool reads(int source) const {
    return std::ranges::any_of(leaves, [&](const Leaf& leaf) { return leaf.source == source; });
  }
  /// The leaf, if the formula is a leaf and nothing more.
  const Leaf* only_leaf() const {
    return nodes.size() == 1 && nodes[0].step == Step::input ? &leaves[0] : nullptr;
  }

  /// Position of `node` among the steps; equal steps are one.
  int add(const Node& node);
  int add_leaf(const Leaf& leaf, instruction::ElementType type);
  /// Adds the steps of `other`, with its coordinate i replaced by `places[i]`; returns its root.
  int add_all(const Element& other, const std::vector<Index>& places);
  /// Adds the steps of `other`, and for each of its leaves the steps that `read` adds; returns its
  /// root.
  int add_all(const Element& other,
              llvm::function_ref<int(const Leaf&, instruction::ElementType)> read);
  /// The same formula with coordinate i replaced by `places[i]`.
  Element at(const std::vector<Index>& places) const;
  /// The same formula with `coordinate` replaced by `place`.
  Element with(int coordinate, const Index& place) const;
  /// The formula that ends in step `root`.
  Element part(int root) const;
};

/// True if the formula reads one element and makes 0 of 0. Padding around that element is then
/// padding around the result.
bool keeps_zero(const Element& element);

/// The formula that reads an element of `type` in memory.
Element element_of(const Leaf& leaf, instruction::ElementType type);

/// The formula, without coordinates, of a number from outside a body; null if it has none.
using Captured = llvm::function_ref<const Element*(mlir::Value)>;

/// Adds the steps of `body`, the region of a linalg operation, to `into`; `bound` has the step of
/// each block argument, and `loops` the number of each loop. Returns the step of the value that the
/// body yields.
std::optional<int> evaluate(mlir::Block& body, const std::vector<int>& bound,
                            const std::vector<Index>& loops, Element& into, Captured captured,
                            Diagnostics& diagnostics);

/// Adds the step of `operation`, which computes each element of a tensor from the elements of its
/// operands at the same place; `bound` has the step of each operand.
std::optional<int> evaluate(mlir::Operation& operation, const std::vector<int>& bound,
                            Element& into, Diagnostics& diagnostics);

/// The step of a constant: arith.constant of a number or a splat. -1 if it is none.
int add_constant(mlir::Value value, Element& into);

}  // namespace heddle::compiler
