// Kernels written with the headers against the same kernels with indices by hand, as clang -O3
// compiles both: no more instructions, no more vector registers, the same matrix instructions and
// no more accesses to memory of any width. Scalar registers are printed but not compared: a wave of
// gfx10 and later has all of them, however many it uses (LLVM AMDGPUUsage, "Kernel Descriptor",
// GRANULATED_WAVEFRONT_SGPR_COUNT).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace heddle::device {
namespace machine_code_test {

struct Code {
  std::map<std::string, int> mnemonics;
  int vgprs = 0, sgprs = 0, spilled = 0, scratch = 0;

  int total() const {
    int sum = 0;
    for (const auto& [mnemonic, count] : mnemonics) sum += count;
    return sum;
  }
  int of(const std::string& prefix) const {
    int sum = 0;
    for (const auto& [mnemonic, count] : mnemonics)
      if (mnemonic.starts_with(prefix)) sum += count;
    return sum;
  }
};

// The kernels of a source file by name, from clang's assembly and its metadata.
std::map<std::string, Code> compile(const std::string& source, const std::string& target) {
  std::string name = source;
  for (char& c : name)
    if (c == '/') c = '_';
  const std::string output = ::testing::TempDir() + "heddle_" + name + "." + target + ".s";
  const std::string command =
      std::string(HEDDLE_CLANG) + " -x hip --offload-arch=" + target +
      " --cuda-device-only -nogpulib -nogpuinc -std=c++20 -O3 -S -I" HEDDLE_ROOT
      "/include " HEDDLE_ROOT "/" +
      source + " -o " + output;
  if (std::system(command.c_str()) != 0) {
    ADD_FAILURE() << "does not compile: " << command;
    return {};
  }
  std::map<std::string, Code> kernels;
  std::string function;
  std::ifstream file(output);
  const std::regex label("^([A-Za-z_0-9]+):.*"), instruction("^\t([a-z][a-z0-9_]+)(\\s.*)?$");
  const std::regex number(
      "^\\s+\\.(name|vgpr_count|sgpr_count|vgpr_spill_count|private_segment_"
      "fixed_size):\\s+(\\S+)$");
  std::map<std::string, std::string> metadata;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (line.starts_with(".Lfunc_end")) {
      function.clear();
    } else if (std::regex_match(line, match, label)) {
      function = match[1];
    } else if (std::regex_match(line, match, instruction)) {
      if (!function.empty()) ++kernels[function].mnemonics[match[1]];
    } else if (std::regex_match(line, match, number)) {
      // The entries of a kernel are in alphabetical order; vgpr_spill_count is the last of them.
      metadata[match[1]] = match[2];
      if (match[1] == "vgpr_spill_count") {
        Code& code = kernels[metadata["name"]];
        code.vgprs = std::stoi(metadata["vgpr_count"]);
        code.sgprs = std::stoi(metadata["sgpr_count"]);
        code.spilled = std::stoi(metadata["vgpr_spill_count"]);
        code.scratch = std::stoi(metadata["private_segment_fixed_size"]);
      }
    }
  }
  return kernels;
}

void expect_no_worse(const std::string& name, const Code& ours, const Code& hand) {
  SCOPED_TRACE(name);
  std::printf(
      "%-24s instructions %4d by hand %4d   VGPRs %3d by hand %3d   SGPRs %3d by hand %3d\n",
      name.c_str(), ours.total(), hand.total(), ours.vgprs, hand.vgprs, ours.sgprs, hand.sgprs);
  EXPECT_LE(ours.total(), hand.total());
  EXPECT_GT(hand.vgprs, 0);
  EXPECT_LE(ours.vgprs, hand.vgprs);
  EXPECT_EQ(ours.spilled, 0);
  EXPECT_EQ(ours.scratch, 0);
  EXPECT_EQ(ours.of("v_wmma"), hand.of("v_wmma"));
  for (const char* access : {"ds_load", "ds_store", "global_load", "global_store", "s_barrier"})
    EXPECT_LE(ours.of(access), hand.of(access)) << access;
}

class MachineCode : public ::testing::TestWithParam<std::string> {};

TEST_P(MachineCode, OfEachAccessIsNoLongerThanByHand) {
  const auto kernels = compile("tests/device/machine_code.hip", GetParam());
  int pairs = 0;
  for (const auto& [name, hand] : kernels) {
    if (!name.ends_with("_hand")) continue;
    const std::string stem = name.substr(0, name.size() - 5);
    ASSERT_TRUE(kernels.contains(stem + "_ours")) << stem;
    expect_no_worse(GetParam() + " " + stem, kernels.at(stem + "_ours"), hand);
    ++pairs;
  }
  EXPECT_EQ(pairs, 4);
  // The loads of the published note: the same code, instruction by instruction.
  EXPECT_EQ(kernels.at("lds_padded_ours").mnemonics, kernels.at("lds_padded_hand").mnemonics);
  EXPECT_EQ(kernels.at("lds_padded_ours").of("ds_load_b128"), GetParam() == "gfx1201" ? 2 : 4);
}

TEST_P(MachineCode, OfTheExamplesIsNoLongerThanByHand) {
  for (const std::string name : {"wmma_naive", "wmma_tiled"}) {
    const auto ours = compile("examples/" + name + ".hip", GetParam());
    const auto hand = compile("tests/device/hand_written/" + name + ".hip", GetParam());
    ASSERT_TRUE(ours.contains(name) && hand.contains(name));
    expect_no_worse(GetParam() + " " + name, ours.at(name), hand.at(name));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, MachineCode, ::testing::Values("gfx1151", "gfx1201"),
                         [](const auto& info) { return info.param; });

}  // namespace machine_code_test
}  // namespace heddle::device
