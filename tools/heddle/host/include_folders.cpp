#include "tools/heddle/host/include_folders.h"

#include <filesystem>

namespace heddle::tool {

IncludeFolders include_folders() {
  IncludeFolders folders;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto prefix = program.parent_path().parent_path();
  const auto installed = prefix / "include";
  if (!error && std::filesystem::exists(installed / "heddle", error))
    folders = {installed.string(), (installed / "hip_without_rocm").string(),
               (installed / "cuda_without_sdk").string(), "", "", ""};
  folders.library = (prefix / "lib" / "libheddle_program.a").string();
  folders.hip_library = (prefix / "lib" / "heddle" / "hip").string();
  folders.device_libraries = (prefix / "lib" / "heddle").string();
  return folders;
}

}  // namespace heddle::tool
