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
  return detail::TextReader(text).read();
}

}  // namespace heddle::interop::ck_tile
