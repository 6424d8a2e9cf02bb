// Runs a PTX kernel on the CPU.
//
//   auto module = ptx::Module::parse(text);            // or the place of the first error
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
  // Parses and decodes PTX text. Errors: "line:column: what is wrong". An instruction that the
  // simulator does not implement is not an error here; executing it is a fault. Memory for the text
  // is charged to `budget.memory_bytes`.
  static std::expected<Module, std::string> parse(std::string_view text, const Budget& budget = {});

  // The .entry functions: name, parameters, size of static shared memory and the largest number of
  // threads of a block. A parameter is a global_buffer if it has .ptr, else by_value. A parameter
  // of 128 bytes that is aligned to 64 may be a tensor map.
  std::span<const Kernel> kernels() const { return kernels_; }
  const Kernel* find_kernel(std::string_view name) const;
  // "sm_90a".
  const std::string& target() const;

  // Where the module's variables are in its image, and the contents of the image before the first
  // launch, for Launch::variables.
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

// Runs a launch.
// - In a fault, Fault::source is the place "PTX:line:column"; the fault also names the lane. If
// several blocks fault, the fault of the block with the lowest number is reported.
// - A launch with `check` is searched for races (docs/checker.md). If such a launch faults, the
// fault is returned in the report, together with the findings.
// - In the report, program_counter is the index of an instruction of the kernel, `wmma` counts
// matrix multiplies of a warp, and `lds` has the results of the bank model for shared memory.
std::expected<RunReport, Fault> run(const Module& module, const Launch& launch);

// The fault with which run() would refuse the launch before any instruction, if there is one.
std::optional<Fault> check_launch(const Module& module, const Launch& launch);

}  // namespace heddle::emulator::ptx
