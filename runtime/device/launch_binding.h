// Turns a launch file into a launch of a kernel.
#pragma once

#include <expected>
#include <span>
#include <string>

#include "emulator/decode/code_object.h"
#include "emulator/record/launch.h"
#include "runtime/device/stored_addresses.h"
#include "runtime/launch/memory.h"
#include "runtime/launch/text.h"

namespace heddle::runtime {

/// A kernel that the launch file runs, with its sizes and arguments. It is the kernel itself, or
/// the reference kernel with which the kernel is compared.
struct KernelCall {
  std::string kernel;  // empty: the file has only one kernel
  TextPlace place;     // the place of the name, or of the line that implies it
  TextPlace arguments_place;
  std::array<std::uint32_t, 3> grid, block;
  std::uint32_t lds_bytes;
  const std::vector<WrittenArgument>& arguments;
};

KernelCall call_of(const KernelLaunch& launch);
KernelCall call_of(const KernelLaunch& launch, const ReferenceKernel& reference);

/// The kernel that `name` means: a symbol, or the source name of a C++ kernel ("gemm" for
/// _Z4gemmPKf) if only one kernel has it. "copy<float>" chooses among the instances of a template.
/// Errors list the names of the kernels, the nearest first.
std::expected<const emulator::Kernel*, std::string> find_kernel(
    std::span<const emulator::Kernel> kernels, const std::string& name);

/// "gemm" of "_Z4gemmPKf", else the symbol itself.
std::string source_name(const std::string& symbol);

/// The name of a template's instance with its arguments and without spaces, such as
/// "gemm<float,4>".
std::string full_name(const std::string& symbol);

/// An argument whose type was guessed from the spelling of its number. This happens for a bare
/// number of an extern "C" kernel, whose symbol has no types.
struct SpelledArgument {
  TextPlace place;
  std::string text;  // "2 is passed as an i32 for alpha (a value of 4 bytes)"
};
std::vector<SpelledArgument> spelled_arguments(const KernelCall& call,
                                               const emulator::Kernel& kernel);

/// The addresses in the file's arrays of pointers, for Module::launch.
std::vector<StoredAddress> stored_addresses(const LaunchText& launch);

/// Makes the launch. Its buffers are parts of `memory`, which must outlive the launch: kernels read
/// and write them in place. Each argument is checked against the kernel's. Errors: at the argument
/// that does not fit.
std::expected<emulator::Launch, LaunchError> bind(const LaunchText& launch, const KernelCall& call,
                                                  std::span<const emulator::Kernel> kernels,
                                                  LaunchMemory& memory);

}  // namespace heddle::runtime
