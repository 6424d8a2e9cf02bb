// One element of a tensor as a formula over elements of the function's arguments. The front end
// follows each tensor of the user's text as such a formula; where the text ends, the formula of the
// result is what the kernel has to compute.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/diagnostics.h"
#include "compiler/request/matmul_request.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle::compiler {

/// The element type of a matrix or of a scalar, or nothing for those that no kernel takes.
std::optional<instruction::ElementType> element_type(mlir::Type type);

/// Those that kernels take, for messages.
inline constexpr std::string_view accepted_element_types =
    "f32, f16, bf16, f8E4M3FN, f8E5M2, i32, i8 and i1";

/// The type of an element in memory: of i1 a byte, in which anything but 0 is true, as in LLVM's
/// and PyTorch's arrays. Kernels write 0 and 1.
instruction::ElementType stored_type(instruction::ElementType type);

/// An element that a formula reads: of a function argument, by its number, or of the product. Its
/// position along dimension i is the formula's own coordinate dims[i].
struct Leaf {
  static constexpr int product = -1;
  static constexpr int running_sum = -2;  // what a product adds to, inside its body

  int source = product;
  std::vector<int> dims;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

/// A formula: the steps of an Expression whose inputs are leaves. Without steps: never written.
struct Element {
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;

  bool is_written() const { return !nodes.empty(); }
  const Node& root() const { return nodes.back(); }
  /// The leaf, when the formula is that and no more.
  const Leaf* only_leaf() const {
    return nodes.size() == 1 && nodes[0].step == Step::input ? &leaves[0] : nullptr;
  }

  /// Position of `node` among the steps; equal steps are one.
  int add(const Node& node);
  int add_leaf(const Leaf& leaf, instruction::ElementType type);
  /// Adds the steps of `other`, whose coordinate i is coordinate dims[i] here, and gives its root.
  int add_all(const Element& other, const std::vector<int>& dims);
  /// The formula that ends in step `root`.
  Element part(int root) const;
};

/// The formula that reads an element of `type` in memory.
Element element_of(const Leaf& leaf, instruction::ElementType type);

/// Adds the steps of `body`, the region of a linalg operation, to `into`; `bound` has the step of
/// each block argument. Gives the step of what the body yields.
std::optional<int> evaluate(mlir::Block& body, const std::vector<int>& bound, Element& into,
                            Diagnostics& diagnostics);

/// The step of a constant: arith.constant of a number or a splat. -1 where it is none.
int add_constant(mlir::Value value, Element& into);

}  // namespace heddle::compiler
