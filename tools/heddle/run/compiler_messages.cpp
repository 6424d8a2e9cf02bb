#include "tools/heddle/run/compiler_messages.h"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string_view>

namespace heddle::tool {

std::string without_stack(const std::string& said) {
  std::string kept;
  std::istringstream lines(said);
  bool is_stack = false;
  for (std::string line; std::getline(lines, line);) {
    is_stack = line.starts_with("PLEASE submit a bug report") || line.starts_with("Stack dump") ||
               (is_stack && (line.starts_with(" #") || line.starts_with("#") ||
                             (!line.empty() && line[0] >= '0' && line[0] <= '9')));
    const bool is_of_driver =
        line.contains("error: clang frontend command failed") ||
        line.contains("error: unable to execute command") || line.starts_with("clang version") ||
        line.starts_with("Debian clang") || line.starts_with("Target: ") ||
        line.starts_with("Thread model: ") || line.starts_with("InstalledDir: ") ||
        line.starts_with("Build config: ") || line.contains("note: diagnostic msg:");
    if (!is_stack && !is_of_driver) kept += line + "\n";
  }
  return kept;
}

std::string backend_advice(const std::string& said) {
  if (said.contains("unknown type name '__global__'"))
    return "\nA kernel in HIP begins with #include <hip/hip_runtime.h>, which Heddle has without "
           "ROCm, too";
  if (said.contains("Cannot select: intrinsic %llvm.amdgcn.wmma") ||
      said.contains("Cannot select: intrinsic %llvm.amdgcn.swmmac") ||
      (said.contains("_w32") && said.contains("needs target feature")))
    return "\nThe target has no such matrix instruction: builtins of gfx11 end in _w32 and take 16 "
           "elements of A and B a lane; those of gfx12 end in _w32_gfx12 and take 8";
  if (said.contains("__builtin_amdgcn_mfma_") && said.contains("needs target feature"))
    return "\nThe target has no such matrix instruction: MFMA is CDNA's, for which --target names "
           "a GPU, as --target gfx942 or MI300X";
  return "";
}

std::string cuda_advice(const std::string& said) {
  return said.contains("file not found") || said.contains("undeclared identifier")
             ? "\nThe headers are Heddle's own, without the CUDA toolkit: docs/programs.md lists "
               "what they have"
             : backend_advice(said);
}

namespace {

/// True if a line of clang's messages contains `what` and a quoted name that begins with one of
/// `beginnings`, as in "'hipblas/hipblas.h' file not found".
bool speaks_of(const std::string& said, std::string_view what,
               std::initializer_list<std::string_view> beginnings) {
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);)
    if (line.contains(what) && std::ranges::any_of(beginnings, [&](std::string_view beginning) {
          return line.contains("'" + std::string(beginning));
        }))
      return true;
  return false;
}

}  // namespace

std::string advice(const std::string& said) {
  const std::initializer_list<std::string_view> of_name = {"hip", "HIP", "__hip", "roc", "__roc"};
  if (speaks_of(said, "file not found", {"hip", "roc"}) ||
      speaks_of(said, "undeclared identifier", of_name) ||
      speaks_of(said, "unknown type name", of_name) || speaks_of(said, "no member named", of_name))
    return "\n<hip/...> are Heddle's own headers here, without ROCm: they have what "
           "docs/programs.md lists. Where ROCm is installed, kernels with a launch file may take "
           "its headers: --hip-path /opt/rocm";
  return backend_advice(said);
}

}  // namespace heddle::tool
