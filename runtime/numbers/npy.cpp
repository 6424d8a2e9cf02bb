#include "runtime/numbers/npy.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "library/text/formatted.h"

namespace heddle::runtime {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t most_size = std::int64_t{1} << 40;

/// The text after 'key': in the header.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t found = header.find("'" + std::string(key) + "'");
  if (found == std::string_view::npos) return {};
  std::string_view rest = header.substr(found + key.size() + 2);
  rest.remove_prefix(std::min(rest.find_first_not_of(": "), rest.size()));
  const std::size_t end = rest.starts_with('(') ? rest.find(')') + 1 : rest.find_first_of(",}");
  return rest.substr(0, std::min(end, rest.size()));
}

/// "(64, 128)", "(64,)" or "()"; nothing for any other text.
std::optional<std::vector<std::int64_t>> sizes_of(std::string_view text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::int64_t> sizes;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) break;
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0 || size > most_size || sizes.size() == 32)
      return std::nullopt;
    sizes.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != ',') return std::nullopt;
    text.remove_prefix(std::min<std::size_t>(1, text.size()));
  }
  return sizes;
}

/// The letter that NumPy has for a type, without the number of bytes.
char letter(NumberType type) {
  const bool is_unknown = type == NumberType::bf16 || (is_float(type) && row(type).bytes == 1);
  return is_unknown ? 'u' : is_float(type) ? 'f' : row(type).is_signed ? 'i' : 'u';
}

}  // namespace

bool is_npy(std::string_view file) { return file.starts_with(magic); }

std::expected<NpyArray, std::string> read_npy(std::string_view file) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(file[i]));
  };
  if (!is_npy(file)) return std::unexpected("it is no .npy file");
  if (file.size() < 12) return std::unexpected("it ends inside the header");
  const bool long_header = byte(6) >= 2;
  const std::size_t begin = long_header ? 12 : 10;
  const std::size_t length =
      byte(8) | byte(9) << 8 | (long_header ? byte(10) << 16 | byte(11) << 24 : std::size_t{0});
  if (length > file.size() - begin) return std::unexpected("it ends inside the header");
  const std::string_view header = file.substr(begin, length);
  const std::string_view shape = value_of(header, "shape");
  auto sizes = sizes_of(shape);
  if (!sizes) return std::unexpected("its shape is '" + std::string(shape.substr(0, 80)) + "'");
  if (value_of(header, "fortran_order") != "False")
    return std::unexpected("its elements are in column-major order; save it row-major");
  return NpyArray{value_of(header, "descr"), *std::move(sizes), file.substr(begin + length)};
}

bool is_of_type(const NpyArray& array, NumberType type) {
  const std::string_view text = array.type;
  if (text.size() < 5 || text[1] == '>') return false;
  if (text.substr(3, text.size() - 4) != formatted("{}", row(type).bytes)) return false;
  return text[2] == letter(type) || (letter(type) == 'u' && is_float(type) && text[2] == 'V');
}

std::string npy_shape(std::span<const std::int64_t> sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += formatted("{}{}", text.empty() ? "" : ", ", size);
  return "(" + text + (sizes.size() == 1 ? ",)" : ")");
}

std::string not_that_array(const NpyArray& array, NumberType type,
                           std::span<const std::int64_t> sizes, std::string_view name) {
  if (!is_of_type(array, type))
    return "it holds " + std::string(array.type.substr(0, 80)) + ", and " + std::string(name) +
           " is " + std::string(row(type).name);
  if (std::ranges::equal(array.sizes, sizes)) return "";
  return "its shape is " + npy_shape(array.sizes) + ", and that of " + std::string(name) + " is " +
         npy_shape(sizes);
}

std::string npy_file(NumberType type, std::span<const std::int64_t> sizes,
                     std::span<const std::byte> elements) {
  const int bytes = row(type).bytes;
  std::string header = formatted("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': {}, }}",
                                 bytes == 1 ? '|' : '<', letter(type), bytes, npy_shape(sizes));
  // The header is padded so that the elements begin at a multiple of 64 bytes.
  constexpr std::size_t before = 10;
  header.resize((before + header.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  header += '\n';
  std::string file(magic);
  file +=
      {'\x01', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  file += header;
  file.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  return file;
}

}  // namespace heddle::runtime
