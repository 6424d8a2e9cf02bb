#include "kernels/gemm_figures.h"

#include <vector>

namespace heddle::kernels {
namespace {

/// A buffer of zeros for an argument of a launch. It owns the memory, which stays at the same
/// address while a launch uses it.
class Zeros {
 public:
  Zeros(std::string name, std::uint64_t bytes) : name_(std::move(name)), bytes_(bytes) {}
  emulator::Argument argument() { return emulator::buffer(std::span(bytes_), name_); }

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
};

std::expected<emulator::RunReport, std::string> run(
    runtime::Module& module, std::expected<emulator::Launch, std::string> launch,
    emulator::Profile profile) {
  if (!launch) return std::unexpected(launch.error());
  launch->profile = profile;
  const auto report = module.launch(*launch);
  if (!report) return std::unexpected(report.error().message);
  if (!report->emulated) return std::unexpected("only the emulator counts");
  return *report->emulated;
}

std::expected<emulator::RunReport, std::string> run_on_zeros(runtime::Module& module,
                                                             const GemmKernel& kernel,
                                                             const GemmProblem& problem,
                                                             emulator::Profile profile) {
  // Large enough packed or not.
  const auto bytes = [&](std::uint32_t rows) {
    return PackedOperand{problem.element, rows, problem.k}.bytes();
  };
  const std::uint64_t of_d = std::uint64_t{problem.m} * problem.n * 4;
  Zeros a("A", bytes(problem.m)), b("B", bytes(problem.n)), c("C", of_d), d("D", of_d),
      bias("bias", std::uint64_t{problem.n} * 4);
  return run(module,
             gemm_launch(kernel, problem,
                         {a.argument(), b.argument(), c.argument(), bias.argument(), d.argument()}),
             profile);
}

}  // namespace

KernelFigures static_figures(const emulator::CodeObject& object, const emulator::Kernel& kernel,
                             std::uint32_t threads) {
  const instruction::ProcessorRow* target = instruction::find_target(object.target().name);
  return {.name = kernel.name,
          .threads = threads,
          .vgprs = kernel.vgpr_count,
          .sgprs = kernel.sgpr_count,
          .spills = kernel.vgpr_spills + kernel.sgpr_spills,
          .scratch_bytes = kernel.scratch_bytes,
          .lds_bytes = kernel.lds_bytes,
          .loop = emulator::find_hot_loop(object, kernel).value_or(emulator::HotLoop{}),
          .occupancy = target == nullptr
                           ? instruction::Occupancy{}
                           : instruction::occupancy(*target, kernel.wave32 ? 32 : 64,
                                                    kernel.vgpr_count, kernel.lds_bytes, threads)};
}

Conflicts conflicts(const emulator::RunReport& report) {
  Conflicts sum;
  for (const emulator::LdsAccess& access : report.lds) {
    sum.ideal_passes += access.ideal_passes;
    sum.extra_passes += access.extra_passes;
  }
  return sum;
}

GemmProblem problem_for(const GemmKernel& kernel, std::uint32_t m, std::uint32_t n,
                        std::uint32_t k) {
  const bool is_packed = kernel.operands == "packed";
  return {.element = kernel.element,
          .m = m,
          .n = n,
          .k = k,
          .a_transposed = !is_packed && kernel.operands[0] == 't',
          .b_transposed = !is_packed && kernel.operands[1] == 't',
          .packed = is_packed,
          .paired_sums = kernel.paired_sums};
}

std::expected<emulator::RunReport, std::string> profiled(runtime::Module& module,
                                                         const GemmKernel& kernel,
                                                         std::uint32_t k) {
  return run_on_zeros(module, kernel,
                      problem_for(kernel, 2 * kernel.block_m, 2 * kernel.block_n, k),
                      emulator::Profile::all);
}

std::expected<std::uint64_t, std::string> executed(runtime::Module& module,
                                                   const GemmKernel& kernel,
                                                   const GemmProblem& problem) {
  const auto report = run_on_zeros(module, kernel, problem, emulator::Profile::none);
  if (!report) return std::unexpected(report.error());
  return report->instructions;
}

CallCost line_through(std::uint32_t k, std::uint64_t count, std::uint32_t other_k,
                      std::uint64_t other_count) {
  const double of_k = (static_cast<double>(other_count) - static_cast<double>(count)) /
                      (static_cast<double>(other_k) - static_cast<double>(k));
  return {static_cast<double>(count) - k * of_k, 16 * of_k};
}

std::expected<CallCost, std::string> call_cost(runtime::Module& module, const GemmKernel& kernel,
                                               GemmProblem problem) {
  constexpr std::uint32_t small = 128, large = 1152;
  problem.k = small;
  const auto first = executed(module, kernel, problem);
  if (!first) return std::unexpected(first.error());
  problem.k = large;
  const auto second = executed(module, kernel, problem);
  if (!second) return std::unexpected(second.error());
  return line_through(small, *first, large, *second);
}

std::expected<emulator::RunReport, std::string> profiled_pack(runtime::Module& module,
                                                              const PackedOperand& operand,
                                                              bool k_is_outer) {
  Zeros from("operand", std::uint64_t{operand.rows} * operand.k *
                            static_cast<std::uint64_t>(runtime::row(operand.element).bytes)),
      packed("packed", operand.bytes());
  return run(module, pack_launch(operand, k_is_outer, 0, from.argument(), packed.argument()),
             emulator::Profile::all);
}

}  // namespace heddle::kernels
