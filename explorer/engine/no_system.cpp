// What the program has of an operating system, where there is none: in WebAssembly.
#include "probe/device.h"
#include "tools/heddle/host/memory_ceiling.h"
#include "tools/heddle/host/open_page.h"
#include "tools/heddle/modules/load_module.h"

namespace heddle {

namespace {

constexpr const char* without_modules =
    "`heddle compile` and `heddle run` need LLVM, which this build of heddle for WebAssembly has "
    "not; the program that ./dev build makes has them";

}  // namespace

std::expected<const tool::CompileModule*, std::string> tool::load_compile_module() {
  return std::unexpected(without_modules);
}

std::expected<const tool::RunModule*, std::string> tool::load_run_module() {
  return std::unexpected(without_modules);
}

std::expected<std::string, std::string> tool::page_file() {
  return std::unexpected(
      "the page comes with the program, which ./dev build and ./dev explorer make; this build of "
      "heddle for WebAssembly opens nothing");
}

bool tool::open_in_browser(const std::string&) { return false; }

/// The module's own memory ends at the same 4 GiB.
void tool::set_memory_ceiling(std::uint64_t, const char*) {}

std::expected<std::unique_ptr<probe::Device>, std::string> probe::open_device() {
  return std::unexpected("WebAssembly reaches no GPU; --format ptx needs none");
}

}  // namespace heddle
