// What the emulator's tests share: code objects from files and from assembly, and random data.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/run/run.h"

namespace heddle::emulator::testing {

std::vector<std::byte> read_file(const std::string& path);

// examples/NAME.TARGET.O<level>.co of the build folder.
CodeObject load_example(const std::string& name, const std::string& target, int level = 3);

// The code object that LLVM's assembler and linker make of a text; a failed test when they do not.
// `wave`: lanes of its waves, 32 or 64.
CodeObject assemble(const std::string& text, const std::string& target, int wave = 32);
// The same without loading it.
std::vector<std::byte> assemble_bytes(const std::string& text, const std::string& target,
                                      int wave = 32);

// One kernel of assembly with its descriptor and metadata: `arguments` pointers of 8 bytes.
struct AssemblyKernel {
  std::string name;
  std::string body;  // ends with s_endpgm
  int arguments = 1;
  int lds_bytes = 0;
  int scratch_bytes = 0;
  int denormals = 3;  // FLOAT_DENORM_MODE_32: 0 flushes, 3 keeps, as compilers ask for
  int rounding = 0;   // FLOAT_ROUND_MODE_32
  int wave = 32;
  int denormals_16_64 = 3, rounding_16_64 = 0;
};
std::string kernel_text(const std::vector<AssemblyKernel>& kernels, const std::string& target);

// Uniform in [-1, 1), the same on every host for the same seed.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint32_t bits();
  float uniform();

 private:
  uint64_t state_;
};

// One of each generation. gfx1151 has all instructions of gfx1100, and scalar floating point
// besides.
inline const std::vector<std::string>& targets() {
  static const std::vector<std::string> names = {"gfx1151", "gfx1201"};
  return names;
}

}  // namespace heddle::emulator::testing
