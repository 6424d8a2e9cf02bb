// One run of a GEMM kernel on random operands, and its verdict.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/gemm.h"
#include "kernels/gemm_check.h"
#include "runtime/device/device.h"

namespace heddle::kernels::testing {

/// One of each generation; gfx1100 has the instructions of gfx1151.
inline const std::vector<std::string>& targets() {
  static const std::vector<std::string> names = {"gfx1151", "gfx1201"};
  return names;
}

/// A code object of the build's folder of kernels on the emulator of its target; the same one for
/// every call. A failed test when there is none.
runtime::Module& module_of(const std::string& file, const std::string& target);

/// The code object of a kernel that the compiler made.
std::unique_ptr<runtime::Module> loaded(const GemmKernel& kernel, const std::string& target);

/// What a run did.
struct Trial {
  runtime::MatmulCheck check;
  emulator::RunReport report;  // of the multiplication
  emulator::RunReport pack_a, pack_b;
  /// Empty; or what the kernel did beyond its result: a fault, elements of D's padding written.
  std::string wrong;
};

struct TrialOptions {
  const GemmKernel* kernel = nullptr;  // the chosen one if null
  std::uint64_t seed = 1;
  bool exact = false;  // multiples of 1/8, whose sums are exact
  emulator::Profile profile = emulator::Profile::none;
  bool check = false;  // the checker looks at the multiplication (emulator/record/finding.h)
};

/// Runs the problem. Between the rows of A, B and C, where their strides leave room, lie NaNs; what
/// lies between the rows of D must not change.
Trial try_gemm(const GemmProblem& problem, const std::string& target,
               const TrialOptions& options = {});

/// "gfx1151 f16 nt 65x63x17, f32, alpha 0.5, ...".
std::string text(const GemmProblem& problem, const std::string& target);

}  // namespace heddle::kernels::testing
