// The figures of a GEMM kernel that are known without a GPU: the declarations of its code object,
// the instructions of its hot loop, and the emulator's counts of a run.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "emulator/run/hot_loop.h"
#include "heddle/instruction/occupancy.h"
#include "kernels/gemm.h"
#include "runtime/device/device.h"

namespace heddle::kernels {

/// Static figures of a kernel of any code object.
struct KernelFigures {
  std::string name;
  std::uint32_t threads = 0;
  std::uint32_t vgprs = 0, sgprs = 0, spills = 0, scratch_bytes = 0, lds_bytes = 0;
  emulator::HotLoop loop;  // empty if no loop multiplies
  instruction::Occupancy occupancy;
};
KernelFigures static_figures(const emulator::CodeObject& object, const emulator::Kernel& kernel,
                             std::uint32_t threads);

/// The passes of one launch through the banks of LDS, for all its workgroups together.
struct Conflicts {
  std::uint64_t ideal_passes = 0;
  std::uint64_t extra_passes = 0;  // by the bank model of heddle/memory/banks.h; 0 is ideal
};
Conflicts conflicts(const emulator::RunReport& report);

/// A problem for the kernel: D has m x n elements, and each is a sum of k products.
GemmProblem problem_for(const GemmKernel& kernel, std::uint32_t m, std::uint32_t n,
                        std::uint32_t k);

/// Runs a kernel on a problem of 2 x 2 thread blocks with zeros in the operands, and profiles every
/// workgroup.
std::expected<emulator::RunReport, std::string> profiled(runtime::Module& module,
                                                         const GemmKernel& kernel, std::uint32_t k);

/// The wave instructions that a whole launch executes, with zeros in its operands.
std::expected<std::uint64_t, std::string> executed(runtime::Module& module,
                                                   const GemmKernel& kernel,
                                                   const GemmProblem& problem);

/// The number of executed wave instructions as a linear function of k: the cost of a launch as k
/// goes to 0, and the cost of every further 16 k. Measured at two values of k.
struct CallCost {
  double fixed = 0, of_16_k = 0;
};
CallCost line_through(std::uint32_t k, std::uint64_t count, std::uint32_t other_k,
                      std::uint64_t other_count);
std::expected<CallCost, std::string> call_cost(runtime::Module& module, const GemmKernel& kernel,
                                               GemmProblem problem);

/// Runs the packing kernel on rows x k zeros, to count what packing costs.
std::expected<emulator::RunReport, std::string> profiled_pack(runtime::Module& module,
                                                              const PackedOperand& operand,
                                                              bool k_is_outer);

}  // namespace heddle::kernels
