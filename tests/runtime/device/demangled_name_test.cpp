// Names of symbols: LLVM's demangler is the witness, and hostile symbols stay what they are.
#include "runtime/device/demangled_name.h"

#include <gtest/gtest.h>
#include <llvm/Demangle/Demangle.h>

#include <vector>

#include "runtime/device/launch_binding.h"

namespace heddle::runtime {
namespace demangled_name_test {

std::string repeated(const std::string& piece, int times) {
  std::string all;
  while (times-- > 0) all += piece;
  return all;
}

/// The number of a substitution, in base 36.
std::string number_of(int value) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % 36]);
    value /= 36;
  } while (value > 0);
  return text;
}

/// A name twice as long for each level: A<A<A<…>, A<…>>, …>.
std::string doubling(int levels) {
  std::string symbol = "_Z1f1AIiiE";
  for (int i = 0; i < levels; ++i) symbol += "S_IS" + number_of(i) + "_S" + number_of(i) + "_E";
  return symbol + "v";
}

TEST(DemangledName, IsLlvms) {
  for (const char* symbol :
       {"_Z1fi", "_Z4gemmILi16EfEvPKT0_S2_PS0_i", "_ZN7cutlass6KernelI3abcE3runEPKfi",
        "_ZN12_GLOBAL__N_16kernelEPDF16_", "_Z6kernelIXsr3std7is_sameIT_iEE5valueEEvv",
        "_Z3addITpTnDaJLi1ELi2EEEvDpT_", "_ZZ4mainENKUlvE_clEv", "_Z1fPFvPA3_iE",
        "_Z1fM1aKFivEDv4_f", "_ZN5thrust8cuda_cub4core13_kernel_agentINS0_14__parallel_forEEEvv",
        "_Z1fi.kd", "kernel", "_Z", "_Zsomething", "__device_stub__Z1fi"}) {
    NameBudget budget;
    EXPECT_EQ(demangled(symbol, budget), llvm::demangle(symbol)) << symbol;
  }
  NameBudget budget;
  EXPECT_EQ(demangled(doubling(5), budget), llvm::demangle(doubling(5)));
}

// LLVM's needs memory without end for the first, and the stack for most of the others.
TEST(DemangledName, StaysWhatItIsBeyondTheBudget) {
  std::string pointers = "_Z1fP1aPS_";
  for (int i = 0; i < 3000; ++i) pointers += "PS" + number_of(i) + "_";
  for (const std::string& symbol :
       {doubling(48), pointers, "_Z1f" + repeated("P", 16000) + "i",
        "_Z1f" + repeated("u1aI", 4000) + "i", "_ZZ1fvENKUl" + repeated("Tp", 8000) + "TyvE_clEv",
        "_ZZ1fvENKUl" + repeated("Tt", 8000) + "TyvE_clEv", "_Z1fI" + repeated("J", 16000),
        "_Z1fIX" + repeated("nt", 8000) + "T_EEvv", "_Z1f" + repeated("F", 16000),
        "_Z1f" + repeated("U1a", 5000) + "i", "_Z" + repeated("Z", 16000),
        "_Z1fIXtl1a" + repeated("di1b", 4000) + "Li1EEEvv", "_Z1f" + repeated("P", 20000) + "i"}) {
    NameBudget budget;
    EXPECT_EQ(demangled(symbol, budget), symbol);
  }
}

TEST(DemangledName, SharesABudget) {
  NameBudget budget;
  while (budget.take(1 << 10)) continue;
  EXPECT_EQ(demangled("_Z1fi", budget), "_Z1fi");
}

emulator::Kernel kernel_named(const std::string& symbol) {
  emulator::Kernel kernel;
  kernel.name = symbol;
  return kernel;
}

TEST(KernelNames, AreFoundAmongHostileOnes) {
  std::vector<emulator::Kernel> kernels;
  for (int i = 0; i < 3000; ++i)
    kernels.push_back(kernel_named(doubling(40) + "PK" + std::to_string(i) + "x"));
  for (int i = 0; i < 20000; ++i)
    kernels.push_back(kernel_named("_Z4gemmILi" + std::to_string(i) + "EEvPf"));
  kernels.push_back(kernel_named("_Z4copyPf"));
  const auto missing = find_kernel(kernels, "copi");
  ASSERT_FALSE(missing);
  EXPECT_LT(missing.error().size(), 200'000u);
  EXPECT_TRUE(missing.error().contains(" more")) << missing.error().substr(0, 1000);
  // Those that the budget reaches are found by their names, the others by their symbols.
  kernels.erase(kernels.begin(), kernels.begin() + 3000);
  ASSERT_TRUE(find_kernel(kernels, "gemm<17>"));
  EXPECT_EQ((*find_kernel(kernels, "gemm<17>"))->name, "_Z4gemmILi17EEvPf");
  ASSERT_TRUE(find_kernel(kernels, "_Z4copyPf"));
  EXPECT_EQ(find_kernel(kernels, "copi").error().substr(0, 35),
            "no kernel 'copi'; did you mean copy");
}

}  // namespace demangled_name_test
}  // namespace heddle::runtime
