// Sizes and offsets of tensors, written as polynomials in those sizes that are known only at
// launch. Two spellings of the same number in the text become the same polynomial, so they can be
// compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"

namespace heddle::compiler {

/// A polynomial: a sum of products. A key is a product of atoms (the numbers of its factors), its
/// value the product's constant factor, which is not 0. SizePolynomials gives the atoms, the
/// unknowns of the polynomial, their numbers.
using SizePolynomial = std::map<std::vector<int>, std::int64_t>;

/// The meaning of an atom:
/// - dim >= 0: the size of dimension `dim` of the tensor `value`
/// - dim == -1 and `value` is set: the index `value` itself
/// - dim == -1 and `value` is null: `dividend` / `divisor`, rounded up
/// - dim == -2: a constant too large for arithmetic, stored in two halves
struct SizeAtom {
  mlir::Value value;
  int dim = -1;
  SizePolynomial dividend, divisor;
  friend bool operator==(const SizeAtom&, const SizeAtom&) = default;
};

/// Converts values of the type index to polynomials. A value becomes an atom if an unsupported
/// operation computes it, or if its polynomial would have more than a few terms.
class SizePolynomials {
 public:
  SizePolynomial of(mlir::OpFoldResult number);
  /// The length of dimension `dim` of a tensor. The result of an operation that writes into a
  /// tensor has the sizes of that tensor, so the two have the same polynomials.
  SizePolynomial size(mlir::Value tensor, int dim);
  /// If `value` is the result of affine.min, arith.minsi or arith.minui: the operands of that
  /// operation. Otherwise empty.
  std::vector<SizePolynomial> minimum(mlir::Value value);

  static SizePolynomial constant(std::int64_t number);
  static std::optional<std::int64_t> constant(const SizePolynomial& polynomial);
  /// If the polynomial is one atom and nothing else: that atom; otherwise null.
  const SizeAtom* only_atom(const SizePolynomial& polynomial) const;
  static SizePolynomial sum(const SizePolynomial& x, const SizePolynomial& y,
                            std::int64_t factor = 1);
  static SizePolynomial product(const SizePolynomial& x, const SizePolynomial& y);

 private:
  SizePolynomial atom(const SizeAtom& atom);
  SizePolynomial bounded(SizePolynomial polynomial, mlir::Value value);
  std::optional<SizePolynomial> of_affine(mlir::AffineExpr expression, unsigned dimensions,
                                          const std::vector<SizePolynomial>& operands);
  std::optional<SizePolynomial> of_operation(mlir::Operation& operation);

  std::vector<SizeAtom> atoms_;
  llvm::DenseMap<mlir::Value, SizePolynomial> known_;
  int depth_ = 0;  // how many values are being read, each for the one before it
};

}  // namespace heddle::compiler
