// A vector.contract in the words of a matrix product, and the instruction of the catalogue that
// carries it out.
#pragma once

#include <array>
#include <string>

#include "heddle/instruction/instruction.h"
#include "heddle/layout/layout.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

/// D = A * B + C: m is the iterator that A and C share, n that of B and C, k that of A and B.
struct Contraction {
  std::int64_t m = 0, n = 0, k = 0;
  // The position of this dimension in the vector: 0 or 1. The other dimension is k (A, B) or n (C).
  int a_m = 0, b_n = 0, c_m = 0;
};

/// Reads the maps of a contraction of two matrices. Everything else is an error at the operation:
/// other combining kinds, masks, vectors of other ranks, maps that are no permutations.
mlir::FailureOr<Contraction> read_contraction(mlir::vector::ContractionOp contract);

/// The facts about the target that the passes need.
struct WarpOptions {
  instruction::Target target = instruction::Target::sm_80;
  /// f32 operands may be rounded to 10 bits of mantissa (NVIDIA's tf32, CDNA3's xf32).
  bool tf32 = false;

  /// Lanes of a warp: 64 on CDNA, else 32.
  int lanes() const { return instruction::default_wave(target); }
};

/// A contraction by an instruction of the catalogue, again and again over its tile.
struct Multiplication {
  const instruction::Instruction* instruction = nullptr;
  Contraction contraction;
  layout::LinearLayout a, b, d;  // (register, lane) -> the dimensions of the vectors
};

/// Chooses the instruction that wastes least on padding; among equals the one that multiplies most
/// at once. If the target has no instruction that accumulates in the type of C, it chooses one that
/// accumulates in f32. Types that no instruction takes are an error at the operation.
mlir::FailureOr<Multiplication> choose_multiplication(mlir::vector::ContractionOp contract,
                                                      const WarpOptions& options);

/// The choice that stands in the attribute `heddle.instruction` of the operation.
mlir::FailureOr<Multiplication> chosen_multiplication(mlir::vector::ContractionOp contract,
                                                      const WarpOptions& options);

/// The element type of C and D in the registers of the instruction.
mlir::Type accumulator_type(mlir::MLIRContext* context, const instruction::Instruction& row);

}  // namespace heddle::compiler
