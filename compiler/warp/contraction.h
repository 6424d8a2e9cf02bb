// Reads a vector.contract as a matrix product, and chooses the instruction of the catalogue that
// computes it.
#pragma once

#include <array>
#include <string>

#include "heddle/instruction/instruction.h"
#include "heddle/layout/layout.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

/// A contraction D = A * B + C of matrices. m is the iterator that A and C have in common, n the
/// one of B and C, k the one of A and B. The fields m, n and k are their sizes.
struct Contraction {
  std::int64_t m = 0, n = 0, k = 0;
  // Which dimension of the vector (0 or 1) is m in A, n in B, and m in C. The vector's other
  // dimension is k in A and B, and n in C.
  int a_m = 0, b_n = 0, c_m = 0;
};

/// Reads the indexing maps of a contraction of two matrices. Anything else is reported as an error
/// at the operation: other combining kinds, masks, vectors of other ranks, maps that are no
/// permutations.
mlir::FailureOr<Contraction> read_contraction(mlir::vector::ContractionOp contract);

/// The facts about the target that the passes need.
struct WarpOptions {
  instruction::Target target = instruction::Target::sm_80;
  /// f32 operands may be rounded to 10 bits of mantissa (NVIDIA's tf32, CDNA3's xf32).
  bool tf32 = false;

  /// Lanes of a warp: 64 on CDNA, else 32.
  int lanes() const { return instruction::default_wave(target); }
};

/// A contraction, and the instruction of the catalogue that computes it. The instruction is
/// repeated until it covers the contraction's vectors.
struct Multiplication {
  const instruction::Instruction* instruction = nullptr;
  Contraction contraction;
  layout::LinearLayout a, b, d;  // (register, lane) -> the dimensions of the vectors
};

/// Chooses the instruction that wastes least on padding; of several such, the one that does the
/// most multiplications. If the target has no instruction that accumulates in the type of C,
/// chooses one that accumulates in f32. If no instruction multiplies the types of A and B, that is
/// an error at the operation.
mlir::FailureOr<Multiplication> choose_multiplication(mlir::vector::ContractionOp contract,
                                                      const WarpOptions& options);

/// Like choose_multiplication, but with the instruction that the operation's attribute
/// `heddle.instruction` names, if the operation has this attribute.
mlir::FailureOr<Multiplication> chosen_multiplication(mlir::vector::ContractionOp contract,
                                                      const WarpOptions& options);

/// The element type in which the instruction holds C and D in registers.
mlir::Type accumulator_type(mlir::MLIRContext* context, const instruction::Instruction& row);

}  // namespace heddle::compiler
