// Runs a kernel of PTX on the CPU.
//
//   auto module = ptx::Module::parse(text);            // or the place that is no PTX
//   Launch launch;                                     // emulator/record/launch.h
//   launch.kernel = "gemm";
//   launch.arguments = {buffer(std::span(a), "A"), ..., value(n)};
//   launch.grid = {8, 8, 1};
//   launch.workgroup = {128, 1, 1};
//   std::expected<RunReport, Fault> report = ptx::run(*module, launch);
//
// docs/emulator.md lists what is simulated, what is not, and where the arithmetic differs from a
// GPU's. Source: PTX ISA 9.0.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/code_object.h"
#include "emulator/record/fault.h"
#include "emulator/record/launch.h"
#include "emulator/record/report.h"

namespace heddle::emulator::ptx {

struct Source;
struct Program;

class Module {
 public:
  // Errors: "line:column: what is wrong". An instruction that the simulator does not have is no
  // error here, but executing it is a fault. Memory for the text is charged to
  // `budget.memory_bytes`.
  static std::expected<Module, std::string> parse(std::string_view text, const Budget& budget = {});

  // The .entry functions. Each has its name, its parameters, the size of static shared memory and
  // the most threads of a block. A parameter is global_buffer if it has .ptr, else by_value; one of
  // 128 bytes aligned to 64 may be a tensor map.
  std::span<const Kernel> kernels() const { return kernels_; }
  const Kernel* find_kernel(std::string_view name) const;
  // "sm_90a".
  const std::string& target() const;

  // The places of the module's variables in its image, and the image before the first launch, for
  // Launch::variables.
  std::span<const DeviceVariable> variables() const { return variables_; }
  std::vector<std::byte> image() const;

  // Instructions of any kernel that the simulator does not have: "12:5 tex.2d.v4 …".
  std::vector<std::string> unknown_instructions() const;

 private:
  friend std::expected<RunReport, Fault> run(const Module& module, const Launch& launch);
  friend std::optional<Fault> check_launch(const Module& module, const Launch& launch);
  std::shared_ptr<const Source> source_;
  std::vector<std::shared_ptr<const Program>> programs_;  // one for each of kernels_
  std::vector<Kernel> kernels_;
  std::vector<DeviceVariable> variables_;
};

// A fault names the line as "PTX:line:column" in Fault::source, and the lane. If several blocks
// fault, the lowest is reported. A launch with `check` is searched for races (docs/checker.md).
// Only a fault ends such a launch; the report then has the fault and the findings. In the report,
// program_counter is the number of the instruction among those of the kernel, `wmma` counts matrix
// multiplies of a warp, and `lds` has the results of the bank model for shared memory.
std::expected<RunReport, Fault> run(const Module& module, const Launch& launch);

// The fault with which run() would refuse the launch before any instruction, if there is one.
std::optional<Fault> check_launch(const Module& module, const Launch& launch);

}  // namespace heddle::emulator::ptx
