// The class that goes through a function and replaces its vectors by tensors; see vector_values.h.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <optional>
#include <vector>

#include "compiler/diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

class VectorReader {
 public:
  VectorReader(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function), diagnostics_(diagnostics), builder_(function.getContext()) {}

  bool rewrite();

 private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;
  using Places = llvm::SmallVector<mlir::OpFoldResult>;

  // The part of a memref or tensor from which a vector is read, or to which it is written.
  struct Access {
    Operation* operation = nullptr;
    Value base;
    mlir::ValueRange indices;
    mlir::AffineMap map;  // from dimensions of the base to those of the vector
    mlir::VectorType vector;
    std::vector<bool> is_inside;  // of each dimension of the vector
    Value mask, padding;          // null: none
  };

  bool refuse(Operation& operation, std::string_view accepted);
  void change_arguments();
  bool change_results();
  bool read_block(mlir::Block& block);
  bool read(Operation& operation);
  bool read_vector(Operation& operation);
  bool read_elementwise(Operation& operation);
  bool read_loop(mlir::scf::ForOp loop);
  bool read_condition(mlir::scf::IfOp condition);
  bool read_constant(mlir::Operation& operation);
  bool read_broadcast(mlir::vector::BroadcastOp broadcast);
  bool read_contraction(mlir::vector::ContractionOp contraction, Value mask);
  bool read_outer_product(mlir::vector::OuterProductOp product, Value mask);
  bool read_reduction(mlir::vector::MultiDimReductionOp reduction, Value mask);
  bool read_reduction(mlir::vector::ReductionOp reduction, Value mask);
  bool read_masked(mlir::vector::MaskOp masked);
  bool read_mask(mlir::vector::CreateMaskOp mask);
  bool read_mask(mlir::vector::ConstantMaskOp mask);
  bool read_extract(mlir::vector::ExtractOp extract);
  bool read_insert(mlir::vector::InsertOp insert);
  bool read_strided(mlir::vector::ExtractStridedSliceOp extract);
  bool read_strided(mlir::vector::InsertStridedSliceOp insert);
  bool read_elements(mlir::vector::FromElementsOp from);
  bool read_interleave(mlir::vector::InterleaveOp interleave);
  bool read_deinterleave(mlir::vector::DeinterleaveOp deinterleave);
  bool read_shuffle(mlir::vector::ShuffleOp shuffle);
  bool read_step(mlir::vector::StepOp step);
  bool read_transfer(mlir::vector::TransferReadOp read, Value mask);
  bool write_transfer(mlir::vector::TransferWriteOp write, Value mask);
  bool read_memory(const Access& access, Value result);
  bool write_memory(const Access& access, Value value);

  // The value that replaces `value` in the rewritten function: a tensor if `value` is a vector,
  // else `value` itself.
  Value tensor(Value value) const;
  void set(Value vector, Value tensor);
  mlir::Type converted(mlir::Type type) const;
  mlir::RankedTensorType tensor_type(mlir::Type vector) const;
  mlir::Location place() const { return place_; }

  Value empty(mlir::RankedTensorType type);
  Value filled(mlir::RankedTensorType type, Value number);
  Value number_in_tensor(Value number);
  Value number_of(Value tensor);  // of a tensor without dimensions
  Value reshaped(Value tensor, mlir::RankedTensorType type);
  Value index(std::int64_t number);
  Value sum(Operation& operation, llvm::ArrayRef<Value> inputs,
            llvm::ArrayRef<mlir::AffineMap> maps, llvm::ArrayRef<bool> is_summed, Value initial,
            mlir::vector::CombiningKind kind, Value mask);
  Value mapped(Value input, mlir::AffineMap map, mlir::RankedTensorType type);
  Value slice(Value base, const Places& offsets, const Places& sizes, const Places& strides,
              mlir::RankedTensorType type);
  Value guarded_read(const Access& access, Value base);
  Value neutral(mlir::vector::CombiningKind kind, mlir::Type type);

  mlir::func::FuncOp function_;
  Diagnostics& diagnostics_;
  mlir::OpBuilder builder_;
  mlir::Location place_ = mlir::UnknownLoc::get(builder_.getContext());
  llvm::DenseMap<Value, Value> tensors_;
  std::vector<Operation*> dead_;
};

}  // namespace heddle::compiler
