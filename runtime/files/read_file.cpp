#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <compare>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>

#include "heddle/instruction/nearest.h"
#include "library/text/formatted.h"
#include "runtime/files/file_descriptor.h"
#include "runtime/files/files.h"
#include "runtime/files/whole_file.h"

namespace heddle::runtime {
namespace {

/// Identifies a file, whatever its name. The system may give a new file the number of a deleted
/// one. So the time of the last change is kept, too: it tells the new file from a temporary file
/// that was read and deleted.
struct FileIdentity {
  dev_t device;
  ino_t number;
  time_t seconds;
  long nanoseconds;  // of the last change

  explicit FileIdentity(const struct stat& file)
      : device(file.st_dev),
        number(file.st_ino),
        seconds(file.st_mtim.tv_sec),
        nanoseconds(file.st_mtim.tv_nsec) {}
  auto operator<=>(const FileIdentity&) const = default;
};

#ifdef __wasi__
/// An empty replacement for std::mutex, which the library of WASI lacks. There is only one thread.
struct Mutex {
  void lock() {}
  void unlock() {}
};
#else
using Mutex = std::mutex;
#endif

struct FilesRead {
  Mutex mutex;
  std::set<FileIdentity> all;
};
FilesRead& files_read() {
  static FilesRead files;
  return files;
}

std::expected<std::string, std::string> contents(int file, const std::string& name,
                                                 std::size_t most_bytes) {
  std::string text;
  std::array<char, 65536> piece;
  while (true) {
    const ssize_t count = ::read(file, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("read", name);  // a directory opens, and fails to be read
    if (count == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > most_bytes)
      return std::unexpected("'" + name + "' has more than " +
                             (most_bytes % (1 << 20) == 0 ? formatted("{} MiB", most_bytes >> 20)
                                                          : formatted("{} bytes", most_bytes)));
  }
}

/// "; did you mean 'x.mlir'?" with the file name in the folder of `path` that is most similar to
/// that of `path`; at most a third of the name may differ. Empty if there is no such file, no such
/// folder, or if the folder has too many files.
#ifdef __wasi__
// The page's engine sees no folders.
std::string near_file(const std::string&) { return ""; }
#else
std::string near_file(const std::string& path) {
  constexpr int most_names = 4096;
  const std::filesystem::path wanted(path), folder = wanted.parent_path();
  const std::string name = wanted.filename().string();
  DIR* const directory = ::opendir(folder.empty() ? "." : folder.c_str());
  if (directory == nullptr) return "";
  std::string best;
  int slips = static_cast<int>(name.size()) / 3 + 1, count = 0;
  for (const dirent* entry = ::readdir(directory); entry != nullptr && count <= most_names;
       entry = ::readdir(directory), ++count) {
    const std::string other = static_cast<const char*>(entry->d_name);
    const int distance = instruction::edit_distance(name, other);
    if (distance > slips || (distance == slips && (best.empty() || other > best))) continue;
    best = other;
    slips = distance;
  }
  ::closedir(directory);
  if (count > most_names) return "";
  return best.empty() ? "" : "; did you mean '" + (folder / best).string() + "'?";
}
#endif

}  // namespace

bool was_read(const struct stat& file) {
  FilesRead& files = files_read();
  const std::lock_guard lock(files.mutex);
  return files.all.contains(FileIdentity(file));
}

// Reads the open descriptor. Opening /dev/stdin instead fails if standard input is a socket.
std::expected<std::string, std::string> read_standard_input(std::size_t most_bytes) {
  return contents(STDIN_FILENO, "standard input", most_bytes);
}

std::expected<std::string, std::string> read_file(const std::string& path, std::size_t most_bytes,
                                                  FileKind kind) {
  // For FileKind::regular: O_NONBLOCK, since opening a pipe would wait for a writer. A device is
  // not opened, because opening some devices has effects.
  struct stat status;
  const bool wants_regular = kind == FileKind::regular;
  if (wants_regular && ::stat(path.c_str(), &status) != 0) return failed("read", path);
  const auto is_regular = [&] { return S_ISREG(status.st_mode); };
  const auto not_regular = [&] {
    return failed("read", path,
                  S_ISDIR(status.st_mode) ? "Is a directory" : "it is no regular file");
  };
  if (wants_regular && !is_regular()) return not_regular();
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (wants_regular ? O_NONBLOCK : 0)));
  if (!file.is_open())
    return errno == ENOENT ? failed("read", path, std::strerror(ENOENT) + near_file(path))
                           : failed("read", path);
  if (::fstat(file.number(), &status) != 0) return failed("read", path);
  if (wants_regular && !is_regular()) return not_regular();
  if (is_regular()) {
    FilesRead& files = files_read();
    const std::lock_guard lock(files.mutex);
    files.all.emplace(status);
  }
  return contents(file.number(), path, most_bytes);
}

std::string why_not_read(const std::string& path, std::size_t most_bytes, std::string& text) {
  auto found = read_file(path, most_bytes, FileKind::any);
  if (!found) return found.error();
  text = *std::move(found);
  return "";
}

}  // namespace heddle::runtime
