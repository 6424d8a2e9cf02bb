#include "answers/text/input_file.h"

#include <cstddef>

#include "runtime/files/files.h"

namespace heddle::answers {

namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;

// The text is kept, because a command may ask for its file twice and standard input can be read
// only once.
const std::expected<std::string, std::string>& standard_input() {
  static const auto text = runtime::read_standard_input(most_bytes);
  return text;
}

}  // namespace

std::expected<std::string, std::string> read_file(const std::string& path) {
  auto text =
      path == "-" ? standard_input() : runtime::read_file(path, most_bytes, runtime::FileKind::any);
  if (!text && text.error().contains("has more than"))
    text.error() += "; it is no input of this program";
  return text;
}

}  // namespace heddle::answers
