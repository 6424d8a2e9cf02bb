#include "answers/text/input_file.h"

#include <cstddef>

#include "runtime/files/files.h"

namespace heddle::answers {

std::expected<std::string, std::string> read_file(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  auto text = runtime::read_file(path, most_bytes, runtime::FileKind::any);
  if (!text && text.error().contains("has more than"))
    text.error() += "; it is no input of this program";
  return text;
}

}  // namespace heddle::answers
