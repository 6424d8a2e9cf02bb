// Runs a kernel of PTX on the CPU.
//
//   auto module = ptx::Module::parse(text);            // or the place of what is no PTX
//   Launch launch;                                     // emulator/record/launch.h
//   launch.kernel = "gemm";
//   launch.arguments = {buffer(std::span(a), "A"), ..., value(n)};
//   launch.grid = {8, 8, 1};
//   launch.workgroup = {128, 1, 1};
//   std::expected<RunReport, Fault> report = ptx::run(*module, launch);
//
// What is simulated, what not, and where the arithmetic differs from a GPU's: docs/emulator.md.
// Source: PTX ISA 9.0.
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
  // Errors: "line:column: what is wrong". Instructions that the simulator does not have are none:
  // executing one is a fault. What is kept of the text is charged to `budget.memory_bytes`.
  static std::expected<Module, Error> parse(std::string_view text, const Budget& budget = {});

  // The .entry functions: name, parameters (global_buffer where .ptr says so or by_value; 128 bytes
  // aligned to 64 may be a tensor map), bytes of static shared memory, most threads of a block.
  std::span<const Kernel> kernels() const { return kernels_; }
  const Kernel* find_kernel(std::string_view name) const;
  // "sm_90a".
  const std::string& target() const;

  // Where the variables of the module lie in its image, and the image before the first launch: for
  // Launch::variables.
  std::span<const DeviceVariable> variables() const { return variables_; }
  std::vector<std::byte> image() const;

  // Instructions of any kernel that the simulator does not have: "12:5 tex.2d.v4 …".
  std::vector<std::string> unknown_instructions() const;

 private:
  friend std::expected<RunReport, Fault> run(const Module& module, const Launch& launch);
  friend std::optional<Fault> check_launch(const Module& module, const Launch& launch);
  std::shared_ptr<const Source> source_;
  std::vector<std::shared_ptr<const Program>> programs_;  // of kernels_
  std::vector<Kernel> kernels_;
  std::vector<DeviceVariable> variables_;
};

// Faults name the line as "PTX:line:column" in Fault::source, and the lane. Of several blocks that
// fault the lowest is reported. A launch with `check` is searched for races (docs/emulator.md):
// only a fault ends it, and is then in the report next to the findings. In the report,
// program_counter is the number of the instruction among those of the kernel, `wmma` counts matrix
// multiplies of a warp, and `lds` is what the bank model says of shared memory.
std::expected<RunReport, Fault> run(const Module& module, const Launch& launch);

// What run() would refuse before any instruction.
std::optional<Fault> check_launch(const Module& module, const Launch& launch);

}  // namespace heddle::emulator::ptx
