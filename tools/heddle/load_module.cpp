#include "tools/heddle/load_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string_view>

namespace heddle::tool {
namespace {

std::expected<const CompileModule*, std::string> open_module(const std::filesystem::path& file) {
  void* module = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (module == nullptr)
    return std::unexpected(fmt::format("cannot open the compiler: {}", dlerror()));
  const auto entry =
      reinterpret_cast<decltype(&heddle_compile_module)>(dlsym(module, compile_module_entry));
  const CompileModule* offered = entry == nullptr ? nullptr : entry();
  if (offered == nullptr || std::string_view(offered->version) != HEDDLE_VERSION)
    return std::unexpected(
        fmt::format("'{}' is not of this program's version, heddle " HEDDLE_VERSION
                    "; build or install both together",
                    file.string()));
  return offered;
}

}  // namespace

std::expected<const CompileModule*, std::string> load_compile_module() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return std::unexpected(fmt::format("cannot find the program's own folder, and with it {}: {}",
                                       compile_module_file, error.message()));
  const auto beside = program.parent_path();
  const auto library = beside.parent_path() / "lib";
  for (const auto& folder : {beside, library})
    if (std::filesystem::exists(folder / compile_module_file, error))
      return open_module(folder / compile_module_file);
  return std::unexpected(
      fmt::format("`heddle compile` and `heddle run` need {}, which is neither in {} nor in {}; "
                  "build or install it with the program",
                  compile_module_file, beside.string(), library.string()));
}

}  // namespace heddle::tool
