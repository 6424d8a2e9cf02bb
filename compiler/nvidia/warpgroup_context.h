// What the parts of a kernel for sm_90a share: arithmetic, pointers to shared memory, and inline
// PTX for wgmma. (MLIR's NVVM operation for wgmma is not used: with it, all sums would be copied
// from each instruction to the next.)
//
// This header includes MLIR: C++20 only.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/global_matrix.h"
#include "compiler/plan/warpgroup_plan.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {

/// LLVM's address spaces for the shared memory of the thread block, and for that of all thread
/// blocks of its cluster.
enum class SharedSpace : std::uint8_t { block = 3, cluster = 7 };

/// The numbers of a thread block's named barriers. Barrier 0 is for all threads of the block. From
/// number `own` on, each barrier is for one consumer (a warpgroup that multiplies).
enum class NamedBarrier : std::uint8_t { consumers = 1, own = 2 };

/// Addresses of shared memory are i32 here, as in PTX.
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
  /// Converts an address (i32) in the block's shared memory to a pointer. The same address is valid
  /// in the cluster's address space, where it also means this block's memory.
  mlir::Value shared_pointer(mlir::Value address, SharedSpace space = SharedSpace::block) const {
    const auto type =
        mlir::LLVM::LLVMPointerType::get(builder.getContext(), static_cast<unsigned>(space));
    return mlir::LLVM::IntToPtrOp::create(builder, type, address);
  }
  /// The threads of a warp wait for each other.
  void synchronise_warp() const { mlir::NVVM::SyncWarpOp::create(builder, constant(-1)); }
  /// Waits at the named barrier `barrier` for `threads` threads. All threads of a warp must take
  /// part.
  void synchronise(mlir::Value barrier, int threads) const {
    synchronise_warp();
    mlir::NVVM::BarrierOp::create(builder, mlir::TypeRange(), barrier, constant(threads), nullptr,
                                  mlir::Value());
  }
  /// Inserts one or several PTX instructions. LLVM neither removes them nor moves them past other
  /// such instructions or past memory accesses.
  mlir::Value ptx(mlir::Type result, llvm::StringRef text, const std::string& constraints,
                  mlir::ValueRange operands) const {
    return inline_ptx(result, text, constraints, operands)->getResult(0);
  }
  /// The same without a result.
  void ptx_statement(llvm::StringRef text, const std::string& constraints,
                     mlir::ValueRange operands) const {
    inline_ptx(mlir::TypeRange(), text, constraints, operands);
  }

 private:
  mlir::LLVM::InlineAsmOp inline_ptx(mlir::TypeRange results, llvm::StringRef text,
                                     const std::string& constraints,
                                     mlir::ValueRange operands) const {
    return mlir::LLVM::InlineAsmOp::create(builder, results, operands, text,
                                           constraints + ",~{memory}",
                                           /*has_side_effects=*/true, /*is_align_stack=*/false,
                                           mlir::LLVM::tailcallkind::TailCallKind::None,
                                           mlir::LLVM::AsmDialectAttr(), mlir::ArrayAttr());
  }
};

}  // namespace heddle::compiler
