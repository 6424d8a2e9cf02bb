// The parts that reading and writing files share.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::runtime {

/// An open file; the destructor closes it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  /// Takes a file descriptor. Precondition: none is open here.
  void open(int number) { number_ = number; }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Closes the file. Returns false if the last bytes did not arrive.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// True if read_file has read this regular file, under any name, in its present state.
bool was_read(const struct stat& file);

/// "cannot WHAT 'PATH': WHY".
inline std::unexpected<std::string> failed(std::string_view what, const std::string& path,
                                           const std::string& why) {
  return std::unexpected("cannot " + std::string(what) + " '" + path + "': " + why);
}

inline std::unexpected<std::string> failed(std::string_view what, const std::string& path) {
  return failed(what, path, std::strerror(errno));
}

}  // namespace heddle::runtime
