#include "compiler/codegen/link.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace heddle::compiler {
namespace {

// A new temporary directory. The destructor removes it with its files.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    llvm::SmallString<128> path;
    error_ = llvm::sys::fs::createUniqueDirectory("heddle", path);
    if (!error_) path_ = path.str().str();
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (exists()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  bool exists() const { return !path_.empty(); }
  std::string error() const {
    llvm::SmallString<128> parent;
    llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, parent);
    return "cannot make a directory to link in inside '" + parent.str().str() +
           "': " + error_.message() + "; set TMPDIR to a directory that can be written";
  }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  std::error_code error_;
};

bool run_lld(const std::string& input, const std::string& output, std::string& messages) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  llvm::raw_string_ostream stream(messages);
  const char* arguments[] = {"ld.lld",         "-m",          "elf64_amdgpu",
                             "-shared",        "--threads=1", "--build-id=none",
                             "--no-undefined", input.c_str(), "-o",
                             output.c_str()};
  return lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}}).retCode == 0;
}

}  // namespace

std::expected<std::vector<std::uint8_t>, std::string> link_shared_object(std::string_view object) {
  const TemporaryDirectory directory;
  if (!directory.exists()) return std::unexpected(directory.error());
  const std::string input = directory.file("kernel.o");
  const std::string output = directory.file("kernel.so");
  std::ofstream file(input, std::ios::binary);
  file.write(object.data(), static_cast<std::streamsize>(object.size()));
  file.close();
  if (!file)
    return std::unexpected("cannot write the temporary file '" + input +
                           "'; set TMPDIR to a directory with free space");
  std::string messages;
  if (!run_lld(input, output, messages)) return std::unexpected("lld: " + messages);
  std::ifstream linked(output, std::ios::binary);
  return std::vector<std::uint8_t>(std::istreambuf_iterator<char>(linked), {});
}

}  // namespace heddle::compiler
