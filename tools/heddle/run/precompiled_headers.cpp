#include "tools/heddle/run/precompiled_headers.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "library/text/formatted.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 32;

/// The folder of the cache, which is created if it does not exist. Nothing if it cannot be created,
/// or if the user has no folder for caches.
std::optional<fs::path> cache_folder() {
  std::error_code error;
  fs::path folder;
  llvm::SmallString<128> home;
  // Source: XDG Base Directory Specification 0.8, which says that relative paths are ignored.
  if (const char* chosen = std::getenv("XDG_CACHE_HOME"); chosen && *chosen == '/')
    folder = chosen;
  else if (llvm::sys::path::home_directory(home) && fs::is_directory(home.str().str(), error))
    folder = fs::path(home.str().str()) / ".cache";
  else
    return std::nullopt;
  folder /= "heddle";
  fs::create_directories(folder, error);
  if (error) return std::nullopt;
  return folder;
}

/// True for a flag that defines a macro which no precompiled header tests. The macros that
/// precompiled headers test begin with HEDDLE_ or, in the C and C++ library, with an underscore.
bool is_of_others(const std::string& flag) {
  return flag.starts_with("-D") && !flag.starts_with("-D_") && !flag.starts_with("-DHEDDLE_");
}

bool names_relative_folder(const std::string& flag) {
  return flag.starts_with("-I") && !flag.starts_with("-I/");
}

/// The command that writes the precompiled header.
std::vector<std::string> making(const CompileCommand& command, const std::string& output) {
  std::vector<std::string> words;
  std::ranges::copy_if(command.words, std::back_inserter(words),
                       [](const std::string& word) { return !is_of_others(word); });
  words.insert(words.end(), {"-Xclang", "-emit-pch", command.header, "-o", output});
  return words;
}

/// The name of the file of precompiled headers for a command. Two commands that parse the headers
/// in the same way get the same name.
std::string name_of(const CompileCommand& command) {
  llvm::SHA256 hash;
  const auto add = [&](const std::string& text) {
    hash.update(text);
    hash.update(llvm::StringRef("\0", 1));
  };
  for (const std::string& word : making(command, "")) add(word);
  std::error_code error;
  // A relative folder of the user's may have headers that replace the system's.
  if (std::ranges::any_of(command.words, names_relative_folder))
    add(fs::current_path(error).string());
  const fs::path clang = fs::canonical(command.words[0], error);
  add(formatted("{} {}", fs::file_size(clang, error),
                fs::last_write_time(clang, error).time_since_epoch().count()));
  return "headers-" + llvm::toHex(llvm::ArrayRef(hash.final()).take_front(16), true) + ".pch";
}

void remove_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with("headers-"))
      files.emplace_back(entry.last_write_time(error), entry.path());
  if (files.size() <= most_files) return;
  std::ranges::sort(files, std::greater());
  for (std::size_t i = most_files; i < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace

std::vector<std::string> CompileCommand::line() const {
  std::vector<std::string> all = words;
  if (!precompiled.empty())
    // Makes clang also check whether the system's headers have changed since.
    all.insert(all.end(), {"-Xclang", "-include-pch", "-Xclang", precompiled, "-Xclang",
                           "-fmodules-validate-system-headers"});
  all.insert(all.end(), own.begin(), own.end());
  all.insert(all.end(), {source, "-o", output});
  return all;
}

void precompile(std::vector<CompileCommand*> commands, const TemporaryFolder& folder,
                std::uint64_t seconds) {
  std::erase_if(commands, [](const CompileCommand* command) { return command->header.empty(); });
  const auto cache = commands.empty() ? std::nullopt : cache_folder();
  if (!cache) return;
  struct Making {
    fs::path unfinished;
    Compiling job;
  };
  std::map<fs::path, Making> jobs;
  std::error_code error;
  for (CompileCommand* command : commands) {
    const fs::path file = *cache / name_of(*command);
    command->precompiled = file.string();
    if (fs::exists(file, error)) {
      fs::last_write_time(file, fs::file_time_type::clock::now(), error);
    } else if (!jobs.contains(file)) {
      // Another process may make the same file. So each process writes a file with a name of its
      // own, and then renames it.
      const std::string name =
          formatted("{}.{}", file.filename().string(), llvm::sys::Process::getProcessId());
      const fs::path unfinished = *cache / name;
      jobs[file] = {unfinished,
                    start(making(*command, unfinished.string()), folder, name, seconds)};
    }
  }
  for (auto& [file, made] : jobs) {
    if (wait(made.job, seconds) == 0) fs::rename(made.unfinished, file, error);
    fs::remove(made.unfinished, error);
  }
  if (!jobs.empty()) remove_oldest(*cache);
  for (CompileCommand* command : commands)
    if (!fs::exists(command->precompiled, error)) command->precompiled.clear();
}

}  // namespace heddle::tool
