// From the file that the user names to a code object: HIP and assembly are compiled by clang, the
// rest is read.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// Whether a file of that name is compiled: .hip, .cpp, .cc, .cxx, .cu, .c, .s.
bool is_kernel_source(const std::string& path);
/// Whether a file of that name is PTX: .ptx.
bool is_ptx_file(const std::string& path);
/// Whether a file of that name is a kernel at all: those, and .hsaco, .co, .o, .so, .out.
bool is_kernel_file(const std::string& path);

struct CompileFlags {
  std::string target;              // "gfx1151"
  std::vector<std::string> extra;  // of the user, last
  LinkObject link;                 // what is compiled to an object needs it
  bool is_program = false;         // its host code is compiled too
  std::string rocm{};              // a folder of ROCm whose headers are used; empty: none
  bool is_cuda = false;            // all of its sources are CUDA's, whatever their names
  std::uint64_t seconds = most_compile_seconds;  // of a processor that a compiler may take
};

/// The code object in `path`, compiled with `flags.target` or, for a file that holds several,
/// chosen by it; an empty target is gfx1151 for sources and the only one there is for other files.
/// Errors: with everything that clang wrote, when it fails.
std::expected<std::vector<std::byte>, std::string> read_kernel_file(const std::string& path,
                                                                    const CompileFlags& flags);

/// The same for a text of HIP, or CUDA for a target of NVIDIA's, with options that spaces part:
/// what a program compiles while it runs. `headers`: names, of a file and no folder, and texts.
std::expected<std::vector<std::byte>, std::string> compile_source_text(
    const std::string& source, const std::string& options,
    const std::vector<std::pair<std::string, std::string>>& headers, const std::string& target,
    LinkObject link, std::uint64_t seconds);

/// A program: the executable for this machine, and for each source the code object or PTX of its
/// kernels, which the executable names by program::module_mark and the number of the source, from
/// 0. The file is there as long as this object.
class CompiledProgram {
 public:
  CompiledProgram();
  CompiledProgram(CompiledProgram&&) noexcept;
  ~CompiledProgram();

  /// Removes the file while the object lives, for a program that runs by now. From then on an
  /// interrupt ends this process at once, as there is nothing to clean up.
  void remove_files();

  std::string executable;
  std::vector<std::vector<std::byte>> kernels;  // empty of a source that has none
  std::string target;

 private:
  friend std::expected<CompiledProgram, std::string> compile_program(
      const std::vector<std::string>& sources, const CompileFlags& flags);
  struct Files;
  std::unique_ptr<Files> files_;
};

/// Compiles the sources of a program and links them: HIP, or CUDA for a target of NVIDIA's. A
/// kernel calls functions of its own source only, as with clang and hipcc without -fgpu-rdc.
/// Errors: with everything that clang wrote.
std::expected<CompiledProgram, std::string> compile_program(const std::vector<std::string>& sources,
                                                            const CompileFlags& flags);

}  // namespace heddle::tool
