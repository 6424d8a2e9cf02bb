#include "tools/heddle/modules/load_module.h"
#include "library/text/formatted.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>

namespace heddle::tool {
namespace {

template <class Module>
std::expected<const Module*, std::string> open_module(const std::filesystem::path& file) {
  void* module = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (module == nullptr)
    return std::unexpected(formatted("cannot open a part of the program: {}", dlerror()));
  const auto entry = reinterpret_cast<const Module* (*)()>(dlsym(module, Module::entry));
  const Module* offered = entry == nullptr ? nullptr : entry();
  if (offered == nullptr || std::string_view(offered->version) != HEDDLE_VERSION)
    return std::unexpected(formatted("'{}' is not of this program's version, heddle " HEDDLE_VERSION
                                     "; build or install both together",
                                     file.string()));
  return offered;
}

template <class Module>
std::expected<const Module*, std::string> load_module(const char* purpose) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return std::unexpected(formatted("cannot find the program's own folder, and with it {}: {}",
                                     Module::file, error.message()));
  const auto beside = program.parent_path();
  const auto library = beside.parent_path() / "lib";
  for (const auto& folder : {beside, library})
    if (std::filesystem::exists(folder / Module::file, error))
      return open_module<Module>(folder / Module::file);
  return std::unexpected(
      formatted("{} needs {}, which is neither in {} nor in {}; "
                "build or install it with the program",
                purpose, Module::file, beside.string(), library.string()));
}

}  // namespace

std::expected<const CompileModule*, std::string> load_compile_module() {
  return load_module<CompileModule>("compiling");
}

std::expected<const RunModule*, std::string> load_run_module() {
  return load_module<RunModule>("running kernels");
}

}  // namespace heddle::tool
