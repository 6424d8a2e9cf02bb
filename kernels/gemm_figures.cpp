#include "kernels/gemm_figures.h"

#include <vector>

namespace heddle::kernels {
namespace {

/// Zeros that stay where they are while a launch runs.
class Zeros {
 public:
  Zeros(std::string name, std::uint64_t bytes) : name_(std::move(name)), bytes_(bytes) {}
  emulator::Argument argument() { return emulator::buffer(std::span(bytes_), name_); }

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
};

std::expected<emulator::RunReport, std::string> run(
    runtime::Module& module, std::expected<emulator::Launch, std::string> launch) {
  if (!launch) return std::unexpected(launch.error());
  launch->profile = emulator::Profile::all;
  const auto report = module.launch(*launch);
  if (!report) return std::unexpected(report.error().message);
  if (!report->emulated) return std::unexpected("only the emulator counts");
  return *report->emulated;
}

}  // namespace

KernelFigures static_figures(const emulator::CodeObject& object, const emulator::Kernel& kernel,
                             std::uint32_t threads) {
  return {.name = kernel.name,
          .threads = threads,
          .vgprs = kernel.vgpr_count,
          .sgprs = kernel.sgpr_count,
          .spills = kernel.vgpr_spills + kernel.sgpr_spills,
          .scratch_bytes = kernel.scratch_bytes,
          .lds_bytes = kernel.lds_bytes,
          .loop = emulator::find_hot_loop(object, kernel).value_or(emulator::HotLoop{}),
          .occupancy = emulator::occupancy(object, kernel, threads)};
}

Conflicts conflicts(const emulator::RunReport& report) {
  Conflicts sum;
  for (const emulator::LdsAccess& access : report.lds) {
    sum.ideal_passes += access.ideal_passes;
    sum.extra_passes += access.extra_passes;
  }
  return sum;
}

GemmProblem problem_for(const GemmKernel& kernel, std::uint32_t k) {
  const bool is_any = kernel.operands == "any" || kernel.operands == "packed";
  return {.element = kernel.element,
          .m = 2 * kernel.block_m,
          .n = 2 * kernel.block_n,
          .k = k,
          .a_transposed = !is_any && kernel.operands[0] == 't',
          .b_transposed = !is_any && kernel.operands[1] == 't',
          .packed = kernel.operands == "packed",
          .paired_sums = kernel.paired_sums};
}

std::expected<emulator::RunReport, std::string> profiled(runtime::Module& module,
                                                         const GemmKernel& kernel,
                                                         std::uint32_t k) {
  const GemmProblem problem = problem_for(kernel, k);
  // Large enough packed or not.
  const auto bytes = [&](std::uint32_t rows) {
    return PackedOperand{problem.element, rows, k}.bytes();
  };
  Zeros a("A", bytes(problem.m)), b("B", bytes(problem.n)),
      d("D", std::uint64_t{problem.m} * problem.n * 4);
  return run(module,
             gemm_launch(kernel, problem, {a.argument(), b.argument(), {}, {}, d.argument()}));
}

std::expected<emulator::RunReport, std::string> profiled_pack(runtime::Module& module,
                                                              const PackedOperand& operand,
                                                              bool k_is_outer) {
  Zeros from("operand", std::uint64_t{operand.rows} * operand.k *
                            static_cast<std::uint64_t>(runtime::row(operand.element).bytes)),
      packed("packed", operand.bytes());
  return run(module, pack_launch(operand, k_is_outer, 0, from.argument(), packed.argument()));
}

}  // namespace heddle::kernels
