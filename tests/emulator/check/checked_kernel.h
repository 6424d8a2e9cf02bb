// A kernel of a few lines of assembly, run with the checker, on gfx11, gfx12 and CDNA.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../kernels.h"

namespace heddle::emulator::testing {

// Lines of assembly where {lds 1} is the wait that leaves one LDS operation outstanding on this
// target, and so on for {load N}, {scalar N}, {store N}; {barrier} waits at the workgroup's
// barrier.
std::string for_target(std::string body, const std::string& target);

// The buffers of the launch: "in" is filled with 1, 2, 3 ...; "out" is declared as not initialised.
struct CheckedRun {
  std::vector<uint32_t> in, out;
  RunReport report;
  std::string text() const;  // of all findings
  // How many findings are of the kind.
  int count(FindingKind kind) const;
};

struct CheckedKernel {
  std::string body;  // without prologue; s[4:5]: in, s[6:7]: out, v0: the thread, v1: 4 * thread
  int lds_bytes = 0;
  int scratch_bytes = 0;
  uint32_t threads = 32;
  uint32_t workgroups = 1;
  unsigned host_threads = 1;
  int wave = 32;  // of RDNA; CDNA has waves of 64
};

CheckedRun run_checked(const CheckedKernel& kernel, const std::string& target);

class Checked : public ::testing::TestWithParam<std::string> {
 protected:
  // The kernel has findings of this kind and of no other.
  CheckedRun expect(FindingKind kind, const CheckedKernel& kernel) const;
  void expect_silent(const CheckedKernel& kernel) const;
  bool is_gfx12() const { return GetParam() == "gfx1201"; }
};

}  // namespace heddle::emulator::testing
