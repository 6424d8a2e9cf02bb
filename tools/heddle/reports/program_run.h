// What `heddle run PROGRAM` found out: every launch that the program made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {

/// All launches of one kernel. `run` has the sums of their counts, the figures of memory accesses
/// of the first, and what was found in any of them.
struct KernelTotal {
  KernelRun run;
  std::uint64_t launches = 0;

  void add(KernelRun launch, std::uint64_t number);
};

struct ProgramRun {
  std::string file;
  std::string target, device;
  bool checked = false;
  std::vector<KernelTotal> kernels;  // in the order of their first launches
  std::uint64_t launches = 0;
  std::vector<std::string> refusals;  // of launches that did not fit their kernels
  std::vector<HostMistake> mistakes;  // of the host code, those refusals among them
  int exit_status = 0;
  int signal = 0;  // that ended the program; 0: none
  double compile_seconds = 0, seconds = 0;

  KernelTotal& total_of(const emulator::Kernel& kernel);
  std::size_t findings() const;
  bool finished() const;
  /// The program's own status; of one that a signal ended 128 and its number, as shells have it; 1
  /// where the program was content and Heddle found something.
  int status() const;
};

std::string program_run_text(const ProgramRun& run, int width);
std::string program_run_json(const ProgramRun& run);
/// One run of all kernels together, for the reports by line: SARIF and HTML.
KernelRun merged(const ProgramRun& run);

}  // namespace heddle::tool
