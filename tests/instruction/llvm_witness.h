// LLVM as a witness: its assembler and disassembler for AMD's processors, and its code generators
// for AMD's and NVIDIA's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/instruction/target.h"

namespace heddle::test {

/// A result, or why there is none: `error` is empty exactly when it worked.
template <class T>
struct Answer {
  T value{};
  std::string error;
};

/// The bytes of one instruction in assembly text.
Answer<std::vector<std::uint8_t>> assemble(instruction::Target target, int wave,
                                           const std::string& text);

/// The error of the same for a processor of AMD's by its name; empty when it assembles.
std::string assembly_error(const std::string& processor, int wave, const std::string& text);

/// The assembly text of one instruction, without leading spaces.
Answer<std::string> disassemble(instruction::Target target, int wave,
                                const std::vector<std::uint8_t>& bytes);

/// The assembly file that LLVM makes of a module of LLVM IR; PTX for an NVIDIA target. IR that does
/// not verify, such as an intrinsic with other types than it has, is an error.
Answer<std::string> compile_ir(instruction::Target target, int wave, const std::string& ir);

/// The intrinsics of LLVM whose names begin with `prefix`.
std::vector<std::string> intrinsics(const std::string& prefix);

/// The processors that LLVM knows, as in llc -mcpu=help: AMD's, or NVIDIA's.
std::vector<std::string> processors_of_amd();
std::vector<std::string> processors_of_nvidia();

/// Whether the processor has the subtarget feature, as in llc -mattr=help.
bool has_feature(instruction::Target target, std::string_view feature);

}  // namespace heddle::test
