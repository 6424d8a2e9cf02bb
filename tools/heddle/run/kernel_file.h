// Turns the user's file into a code object: HIP and assembly are compiled by clang, other files are
// read.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// True if a file of that name is compiled: .hip, .cpp, .cc, .cxx, .cu, .c, .s.
bool is_kernel_source(const std::string& path);
/// True if a file of that name is PTX: .ptx.
bool is_ptx_file(const std::string& path);
/// True if a file of that name is a kernel: a source, PTX, or .hsaco, .co, .o, .so, .out.
bool is_kernel_file(const std::string& path);

struct CompileFlags {
  std::string target;              // "gfx1151"
  std::vector<std::string> extra;  // the user's flags, which come last
  LinkObject link;                 // links what is compiled to an object
  bool is_program = false;         // its host code is compiled too
  std::string rocm{};              // a folder of ROCm whose headers are used; empty: none
  bool is_cuda = false;            // all sources are CUDA, whatever their names
  std::uint64_t seconds = most_compile_seconds;  // processor time that a compiler may take
  bool keeps_headers = true;  // may take precompiled headers from the user's cache
};

/// The processor for which HIP sources are compiled, and on which their programs run, unless the
/// user chooses another processor.
inline constexpr const char* default_hip_target = "gfx1151";

/// The code object in `path`. A source is compiled for `flags.target`; from a file that holds
/// several code objects, the one for `flags.target` is chosen. An empty target means gfx1151 for
/// sources (for assembly, the target that it names), and for other files the only code object in
/// them. Errors have all of clang's messages if clang fails.
std::expected<std::vector<std::byte>, std::string> read_kernel_file(const std::string& path,
                                                                    const CompileFlags& flags);

/// Compiles a source that a program passes to hiprtc or nvrtc at run time: HIP, or CUDA if the
/// target is NVIDIA's. Options are separated by spaces. `headers` are pairs of a file name without
/// folders and the text of that file.
std::expected<std::vector<std::byte>, std::string> compile_source_text(
    const std::string& source, const std::string& options,
    const std::vector<std::pair<std::string, std::string>>& headers, const std::string& target,
    LinkObject link, std::uint64_t seconds);

/// A compiled program: an executable for this machine and, for each source, the code object or PTX
/// of its kernels. In the executable, program::module_mark and the number of the source, from 0,
/// take the place of the kernels. The file of the executable exists as long as this object.
class CompiledProgram {
 public:
  CompiledProgram();
  CompiledProgram(CompiledProgram&&) noexcept;
  ~CompiledProgram();

  /// Removes the file of the executable early, when the program has started. Afterwards nothing has
  /// to be cleaned up, so an interrupt ends this process at once.
  void remove_files();

  std::string executable;
  std::vector<std::vector<std::byte>> kernels;  // empty for a source without kernels
  std::string target;

 private:
  friend std::expected<CompiledProgram, std::string> compile_program(
      const std::vector<std::string>& sources, const CompileFlags& flags);
  struct Files;
  std::unique_ptr<Files> files_;
};

/// Compiles the sources of a program and links them. The sources are HIP, or CUDA if the target is
/// one of NVIDIA's. A kernel calls functions of its own source only, as with clang and hipcc
/// without -fgpu-rdc. Errors have all of clang's messages.
std::expected<CompiledProgram, std::string> compile_program(const std::vector<std::string>& sources,
                                                            const CompileFlags& flags);

}  // namespace heddle::tool
