// The one way in which Heddle reads and writes files.
//
//   read_file("a.mlir", 16 << 20, FileKind::any)       what the user named: pipes are read too
//   FileFolders({"."}).read("kernel.hip", 16 << 20)     what a text named that nobody vouches for
//   write_file("kernel.co", bytes)                      the whole file, or none
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

/// The file's bytes, at most `most_bytes`. Errors are sentences: no such file, not of that kind,
/// longer than that.
std::expected<std::string, std::string> read_file(const std::string& path, std::size_t most_bytes,
                                                  FileKind kind);

/// The same of standard input, to its end.
std::expected<std::string, std::string> read_standard_input(std::size_t most_bytes);

/// Folders and files that a text may name. Whatever else it names is not even opened: debug
/// information and launch files come from anywhere, and what they name ends up in reports.
class FileFolders {
 public:
  /// Folders, with all that lies below them, and single files. Of the root of the file system only
  /// what lies directly in it. Those that do not exist are passed over.
  explicit FileFolders(const std::vector<std::filesystem::path>& roots);

  /// Where a regular file lies, with symbolic links followed; or a sentence that says that there is
  /// none or that it lies elsewhere.
  std::expected<std::filesystem::path, std::string> find(const std::string& path) const;

  /// The bytes of a regular file. Errors: those of find and of read_file.
  std::expected<std::string, std::string> read(const std::string& path,
                                               std::size_t most_bytes) const;

 private:
  std::vector<std::filesystem::path> roots_;
};

enum class Existing {
  is_no_input,  // replaced, unless this program has read it: nothing that is read is overwritten
  is_updated,   // replaced
};

/// Writes the file whole or not at all: into a temporary file beside it, which then takes its name.
/// After an error, which is a sentence, the file is what it was before. A device or a pipe is
/// written as it is; a symbolic link stays, and what it points to is written. An existing file
/// keeps its permissions.
std::expected<void, std::string> write_file(const std::string& path, std::string_view bytes,
                                            Existing existing = Existing::is_no_input);

}  // namespace heddle::runtime
