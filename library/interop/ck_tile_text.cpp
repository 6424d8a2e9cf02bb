#include "heddle/interop/ck_tile_text.h"

namespace heddle::interop::ck_tile {
namespace detail {
namespace {

std::string sequence_text(const Numbers& numbers) {
  std::string text = "sequence<";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + ">";
}

std::string tuple_text(const std::vector<Numbers>& parts) {
  std::string text = "tuple<";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i > 0 ? ", " : "") + sequence_text(parts[i]);
  return text + ">";
}

}  // namespace
}  // namespace detail

std::string text(const Encoding& encoding) {
  using detail::sequence_text;
  using detail::tuple_text;
  return "tile_distribution_encoding<" + sequence_text(encoding.rs) + ", " +
         tuple_text(encoding.hs) + ", " + tuple_text(encoding.ps_major) + ", " +
         tuple_text(encoding.ps_minor) + ", " + sequence_text(encoding.ys_major) + ", " +
         sequence_text(encoding.ys_minor) + ">";
}

std::expected<Encoding, TextError> read(std::string_view text) {
  // Sources have calls around it, as make_static_tile_distribution(…{}), and words before these.
  constexpr std::string_view call = "make_static_tile_distribution(";
  const std::size_t begin = text.find(call);
  const std::size_t end = text.find_last_not_of(" \t\r\n;)");
  if (begin == std::string_view::npos || end == std::string_view::npos)
    return detail::TextReader(text).read();
  const std::size_t skipped = begin + call.size();
  auto encoding = detail::TextReader(text.substr(skipped, end + 1 - skipped)).read();
  if (!encoding) encoding.error().column += skipped;
  return encoding;
}

}  // namespace heddle::interop::ck_tile
