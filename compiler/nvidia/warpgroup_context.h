// What the parts of a kernel for sm_90a share: arithmetic, inline PTX for the instructions of
// Hopper, and where things lie in shared memory.
//
// Includes MLIR: C++20.
#pragma once

#include <string>
#include <vector>

#include "compiler/nvidia/global_matrix.h"
#include "heddle/plan/warpgroup_plan.h"

namespace heddle::compiler {

/// Operands of an instruction in braces: "{$4, $5}".
struct PtxList {
  std::string text, constraints;  // the latter with a comma before each
  std::vector<mlir::Value> operands;
};

/// Of i32, with `before` operands before them.
inline PtxList ptx_list(const std::vector<mlir::Value>& values, std::size_t before) {
  PtxList list{"{", "", values};
  for (std::size_t i = 0; i < values.size(); ++i) {
    list.text += (i == 0 ? "$" : ", $") + std::to_string(before + i);
    list.constraints += ",r";
  }
  list.text += "}";
  return list;
}

/// Addresses of shared memory are i32 here, as in PTX. `warp` counts inside the warpgroup.
struct WarpgroupContext : GlobalContext {
  WarpgroupContext(mlir::ImplicitLocOpBuilder& insertion, const plan::WarpgroupPlan& chosen)
      : GlobalContext{{{insertion, {}, {}}, {}}}, plan(chosen) {}

  const plan::WarpgroupPlan& plan;
  mlir::Value shared;     // i32: where the block's dynamic shared memory begins
  mlir::Value warpgroup;  // i32
  mlir::Value rank;       // i32: of the block in its cluster
  mlir::Value part;       // i32: the part of k that it computes

  mlir::Value exclusive_or(mlir::Value x, mlir::Value y) const {
    return mlir::arith::XOrIOp::create(builder, x, y);
  }
  mlir::Value exclusive_or(mlir::Value x, std::int64_t y) const {
    return y == 0 ? x : exclusive_or(x, constant(y));
  }
  /// One or several instructions of PTX. They are neither removed nor moved past each other or past
  /// accesses of memory.
  mlir::Value ptx(mlir::Type result, llvm::StringRef text, const std::string& constraints,
                  mlir::ValueRange operands) const {
    auto code = mlir::LLVM::InlineAsmOp::create(
        builder, result ? mlir::TypeRange(result) : mlir::TypeRange(), operands, text,
        constraints + (constraints.empty() ? "~{memory}" : ",~{memory}"),
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        mlir::LLVM::tailcallkind::TailCallKind::None, mlir::LLVM::AsmDialectAttr(),
        mlir::ArrayAttr());
    return result ? code->getResult(0) : mlir::Value();
  }
  void ptx(llvm::StringRef text, const std::string& constraints, mlir::ValueRange operands) const {
    ptx({}, text, constraints, operands);
  }
};

}  // namespace heddle::compiler
