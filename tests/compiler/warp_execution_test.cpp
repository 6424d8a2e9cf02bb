// Warp-level functions, compiled and run: on the emulator for AMD, on the simulator of PTX for
// NVIDIA, and compared with the float64 reference, element by element.
//
// HEDDLE_SWEEP: how many drawn functions each target gets; 20 without it. The text of one that
// fails is printed whole.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "compiler/check/warp_run.h"
#include "heddle/instruction/numerics.h"
#include "warp_draw.h"
#include "warp_programs.h"
#include "warp_text.h"

namespace heddle::compiler {
namespace warp_execution_test {

using instruction::Target;

constexpr std::array targets{Target::sm_80,   Target::sm_90,   Target::gfx1100,
                             Target::gfx1151, Target::gfx1201, Target::gfx90a,
                             Target::gfx942,  Target::gfx950,  Target::gfx1250};

std::string device_of(Target target) {
  return instruction::is_nvidia(instruction::processor(target).family) ? "ptx" : "emulator";
}

/// Empty when the kernel did what the reference says; otherwise what went wrong, and where.
std::string fault_of(std::string_view text, Target target, WarpCaseOptions options) {
  options.reference.flushes = instruction::flushes_subnormals(instruction::processor(target).family,
                                                              instruction::ElementType::f16);
  const auto trial = make_warp_case(text, "input", options);
  if (!trial) return "reference: " + trial.error();
  const auto compiled =
      compile_warp_function(text, "input", {target, options.reference.tf32}, Stage::object);
  if (!compiled) return "compiler: " + compiled.error();
  auto device = runtime::Device::open(device_of(target));
  if (!device) return "device: " + device.error().message;
  const auto run = run_warp_kernel(**device, *compiled, *trial);
  if (!run) return "run: " + run.error().message;
  const WarpVerdict verdict = judge(*trial, run->results);
  return verdict.right() ? "" : "wrong: " + verdict.first_fault();
}

TEST(WarpExecution, TheSeedInBothForms) {
  for (const Target target : {Target::sm_80, Target::sm_90})
    for (const std::string_view text : {seed_text, seed_text_transposed_apart})
      for (std::uint64_t seed = 1; seed < 4; ++seed)
        EXPECT_EQ(fault_of(text, target, {.seed = seed, .reference = {}}), "")
            << instruction::name(target);
}

TEST(WarpExecution, ChainedContractionsAndLoops) {
  for (const Target target : targets)
    for (const std::string_view text : {chained_text, as_b_text, loop_text})
      for (const WarpInputs inputs : {WarpInputs::exact, WarpInputs::uniform})
        EXPECT_EQ(fault_of(text, target, {.seed = 7, .inputs = inputs, .reference = {}}), "")
            << instruction::name(target) << '\n'
            << text;
}

int sweep() {
  const char* set = std::getenv("HEDDLE_SWEEP");
  return set == nullptr ? 20 : std::max(1, std::atoi(set));
}

/// The kind of a fault, for the summary: its stage and the message without place and numbers.
std::string kind_of(const std::string& fault) {
  std::string kind;
  for (const char c : fault.substr(0, fault.find('\n')))
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) kind += c;
  return kind.substr(0, 160);
}

TEST(WarpExecution, DrawnFunctions) {
  std::map<std::string, int> kinds;
  int ran = 0;
  for (const Target target : targets) {
    for (int seed = 0; seed < sweep(); ++seed) {
      const WarpDraw draw = draw_warp_function(target, static_cast<std::uint64_t>(seed));
      WarpCaseOptions options{.seed = static_cast<std::uint64_t>(seed) + 1, .reference = {}};
      options.reference.tf32 = draw.tf32;
      const std::string fault = fault_of(draw.text, target, options);
      ++ran;
      if (fault.empty()) continue;
      ++kinds[kind_of(fault)];
      ADD_FAILURE() << instruction::name(target) << ", draw " << seed << ": " << fault << '\n'
                    << draw.text;
    }
  }
  for (const auto& [kind, count] : kinds) std::printf("%5d  %s\n", count, kind.c_str());
  std::printf("%d functions ran\n", ran);
}

}  // namespace warp_execution_test
}  // namespace heddle::compiler
