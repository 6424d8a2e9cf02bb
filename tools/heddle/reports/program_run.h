// The results of `heddle run PROGRAM`: every launch that the program made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {

/// All launches of one kernel. `run` has the sums of their counts, the memory figures of the first
/// launch, and the findings of all.
struct KernelTotal {
  KernelRun run;
  std::uint64_t launches = 0;

  void add(KernelRun launch, std::uint64_t number);
};

struct ProgramRun {
  std::string file;
  std::string target, device;
  bool is_built = false;             // another compiler has built it
  std::vector<std::string> offered;  // what its code is for, of which Heddle chose the target
  bool checked = false;
  std::vector<KernelTotal> kernels;  // in the order of their first launches
  std::uint64_t launches = 0;
  std::vector<std::string> refusals;  // messages of launches that did not fit their kernels
  std::vector<HostMistake> mistakes;  // of the host code, with those refusals
  int exit_status = 0;
  int signal = 0;  // the signal that ended the program; 0: none
  double compile_seconds = 0, seconds = 0;

  KernelTotal& total_of(const emulator::Kernel& kernel);
  std::size_t findings() const;
  bool finished() const;
  /// The program's own status. If a signal ended it: 128 and the signal's number, as in shells. If
  /// the program returned 0 but Heddle found something: 1.
  int status() const;
};

std::string program_run_text(const ProgramRun& run, int width);
std::string program_run_json(const ProgramRun& run);
/// All kernels as one run. The reports that go by source lines, SARIF and HTML, need this.
KernelRun merged(const ProgramRun& run);

}  // namespace heddle::tool
