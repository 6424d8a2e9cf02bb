// Reads and writes all of Heddle's files.
//
//   read_file("a.mlir", 16 << 20, FileKind::any)     a file that the user named, or a pipe
//   FileFolders({"."}).read("kernel.hip", 16 << 20)  a file that an untrusted text named
//   write_file("kernel.co", bytes)                   the whole file, or none
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

enum class FileKind {
  any,      // also a pipe or a device, which may keep the reader waiting
  regular,  // nothing that could keep the reader waiting
};

/// Reads the file, at most `most_bytes`. Errors are sentences: there is no such file, the file is
/// not of kind `kind`, or it is longer than `most_bytes`.
std::expected<std::string, std::string> read_file(const std::string& path, std::size_t most_bytes,
                                                  FileKind kind);

/// Reads standard input to its end, at most `most_bytes`. Errors: as for read_file.
std::expected<std::string, std::string> read_standard_input(std::size_t most_bytes);

/// Folders and files that a text may name. Any other file is not even opened, because debug
/// information and launch files may come from anybody, and the files that they name appear in
/// reports.
class FileFolders {
 public:
  /// Allows folders, with everything below them, and single files. The root of the file system
  /// allows only what lies directly in it. Roots that do not exist are ignored.
  explicit FileFolders(const std::vector<std::filesystem::path>& roots);

  /// The path of a regular file with symbolic links resolved. Error: a sentence that the file does
  /// not exist or is not allowed.
  std::expected<std::filesystem::path, std::string> find(const std::string& path) const;

  /// The bytes of a regular file. Errors: as for find and read_file.
  std::expected<std::string, std::string> read(const std::string& path,
                                               std::size_t most_bytes) const;

 private:
  std::vector<std::filesystem::path> roots_;
};

enum class Existing {
  is_no_input,  // replaced, but not if this program has read it
  is_updated,   // replaced
};

/// Writes the file whole or not at all: into a temporary file in the same folder, which is then
/// renamed.
///
/// - After an error, which is a sentence, the file has not changed.
/// - A device or a pipe is written directly.
/// - If `path` is a symbolic link, the link stays and the file to which it leads is written.
/// - An existing file keeps its permissions.
std::expected<void, std::string> write_file(const std::string& path, std::string_view bytes,
                                            Existing existing = Existing::is_no_input);

}  // namespace heddle::runtime
