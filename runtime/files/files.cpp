#include "runtime/files/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "library/text/formatted.h"
#include "runtime/files/file_descriptor.h"
#include "runtime/files/whole_file.h"

namespace heddle::runtime {
namespace {

namespace fs = std::filesystem;

/// Writes all bytes. Returns false on failure; errno has the reason.
bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// Opens a new file in the folder of `path` for writing. On failure errno has the reason.
std::pair<int, std::string> open_beside(const std::string& path, mode_t mode) {
  static std::atomic<unsigned> count = 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = formatted("{}.new-{}-{}", path, ::getpid(), count++);
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file >= 0 || errno != EEXIST) return {file, std::move(name)};
  }
  return {-1, ""};
}

/// Writes into an existing device or pipe, for which no temporary file can be renamed.
std::expected<void, std::string> write_in_place(const std::string& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open() || !write_all(file.number(), bytes) || !file.close())
    return failed("write", path);
  return {};
}

bool lies_in(const fs::path& file, const fs::path& root) {
  if (root == root.root_path()) return file.parent_path() == root;
  const auto [at_root, at_file] = std::ranges::mismatch(root, file);
  return at_root == root.end();
}

}  // namespace

FileFolders::FileFolders(const std::vector<fs::path>& roots) {
  for (const fs::path& root : roots) {
    std::error_code error;
    fs::path found = fs::canonical(root, error);
    if (!error && std::ranges::count(roots_, found) == 0) roots_.push_back(std::move(found));
  }
}

std::expected<fs::path, std::string> FileFolders::find(const std::string& path) const {
  std::error_code error;
  fs::path file = fs::canonical(path, error);
  if (error) return failed("read", path, error.message());
  if (std::ranges::any_of(roots_, [&](const fs::path& root) { return lies_in(file, root); })) {
    if (fs::is_regular_file(file, error)) return file;
    return failed("read", path,
                  fs::is_directory(file, error) ? "Is a directory" : "it is no regular file");
  }
  std::string names;
  for (const fs::path& root : roots_) names += (names.empty() ? "'" : ", '") + root.string() + "'";
  return failed("read", path, "it lies outside of " + (names.empty() ? "every folder" : names));
}

std::expected<std::string, std::string> FileFolders::read(const std::string& path,
                                                          std::size_t most_bytes) const {
  const auto file = find(path);
  if (!file) return std::unexpected(file.error());
  return read_file(file->string(), most_bytes, FileKind::regular);
}

std::expected<void, std::string> write_file(const std::string& path, std::string_view bytes,
                                            Existing existing) {
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return failed("write", path, "Is a directory");
  if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, bytes);
  if (exists && existing == Existing::is_no_input && was_read(status))
    return failed("write", path, "it is what was read; name another file");
  if (exists && ::access(path.c_str(), W_OK) != 0) return failed("write", path);
  std::error_code error;
  if (!exists && fs::is_symlink(path, error))
    return failed("write", path, "it is a symbolic link to a file that does not exist");
  // Follows symbolic links, which stay.
  const std::string target = exists ? fs::canonical(path, error).string() : path;
  if (exists && error) return failed("write", path, error.message());
  auto [number, temporary] = open_beside(target, exists ? status.st_mode & 0777 : 0666);
  if (number < 0) return failed("write", path);
  Descriptor file(number);
  // fsync is called because some file systems report only at this call that there is no room.
  const bool written = write_all(number, bytes) &&
                       (!exists || ::fchmod(number, status.st_mode & 07777) == 0) &&
                       (::fsync(number) == 0 || errno == EINVAL) && file.close() &&
                       std::rename(temporary.c_str(), target.c_str()) == 0;
  if (written) return {};
  const int reason = errno;
  ::unlink(temporary.c_str());
  return failed("write", path, std::strerror(reason));
}

std::string why_not_written(const std::string& path, std::string_view bytes) {
  const auto written = write_file(path, bytes);
  return written ? "" : written.error();
}

}  // namespace heddle::runtime
