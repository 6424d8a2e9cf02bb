// Sizes and offsets of tensors as polynomials of sizes that only the launch tells, so that two ways
// to write one number compare as equal.
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

/// A sum of products of atoms, each product with its factor. Atoms are numbers that SizePolynomials
/// gives out; no product has the factor 0.
using SizePolynomial = std::map<std::vector<int>, std::int64_t>;

/// What an atom stands for: dimension `dim` of `value`; the index `value` itself if `dim` is -1; or
/// `dividend` divided by `divisor` and rounded up if there is no value. A number that is too large
/// for arithmetic has `dim` -2, and both halves of it.
struct SizeAtom {
  mlir::Value value;
  int dim = -1;
  SizePolynomial dividend, divisor;
  friend bool operator==(const SizeAtom&, const SizeAtom&) = default;
};

/// Reads values of the type index. Values that it does not understand are atoms of their own, and
/// so is everything that has more than a few terms.
class SizePolynomials {
 public:
  SizePolynomial of(mlir::OpFoldResult number);
  /// The length of dimension `dim` of a tensor. What writes into a tensor keeps its sizes.
  SizePolynomial size(mlir::Value tensor, int dim);
  /// All numbers of which affine.min, arith.minsi or arith.minui takes the least; else none.
  std::vector<SizePolynomial> minimum(mlir::Value value);

  static SizePolynomial constant(std::int64_t number);
  static std::optional<std::int64_t> constant(const SizePolynomial& polynomial);
  /// The atom, if the polynomial is one atom and nothing else.
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
