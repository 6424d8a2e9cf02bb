#include "runtime/launch_memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "runtime/random_stream.h"

namespace heddle::runtime {
namespace {

std::int64_t offset(const Tensor& tensor, std::int64_t element) {
  return element / tensor.columns() * tensor.pitch + element % tensor.columns();
}

/// Integers uniform in the type, but no wider than 8 bits: sums of products of wider ones overflow.
double random_integer(const NumberRow& type, std::uint64_t word) {
  const double byte = static_cast<double>(word % 256);
  return type.is_signed ? byte - 128 : byte;
}

double initial_value(const Tensor& tensor, const RandomStream& stream, std::int64_t i) {
  const auto place = static_cast<std::uint64_t>(i);
  switch (tensor.initial) {
    case InitialValue::number:
      return tensor.number;
    case InitialValue::iota:
      return static_cast<double>(i);
    case InitialValue::exact:
      return is_float(tensor.type) ? stream.eighths(place)
                                   : random_integer(row(tensor.type), stream.word(place));
    default:
      return is_float(tensor.type) ? stream.uniform(place)
                                   : random_integer(row(tensor.type), stream.word(place));
  }
}

/// What stands behind 'key': in the header of an .npy file.
std::string_view npy_value(std::string_view header, std::string_view key) {
  const std::size_t found = header.find("'" + std::string(key) + "'");
  if (found == std::string_view::npos) return {};
  std::string_view rest = header.substr(found + key.size() + 2);
  rest.remove_prefix(std::min(rest.find_first_not_of(": "), rest.size()));
  const std::size_t end = rest.starts_with('(') ? rest.find(')') + 1 : rest.find_first_of(",}");
  return rest.substr(0, std::min(end, rest.size()));
}

/// Whether '<f4' in quotes is f32. Types that NumPy lacks are stored as integers or void of their
/// size.
bool is_npy_type(std::string_view text, const NumberRow& type) {
  if (text.size() < 5 || text[1] == '>') return false;
  const char letter = text[2];
  if (text.substr(3, text.size() - 4) != std::to_string(type.bytes)) return false;
  if (type.type == NumberType::bf16 || type.type == NumberType::fp8 || type.type == NumberType::bf8)
    return letter == 'u' || letter == 'V';
  return letter == (is_float(type.type) ? 'f' : type.is_signed ? 'i' : 'u');
}

/// "(64, 128)" or "(64,)".
std::string npy_shape(const Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + (tensor.sizes.size() == 1 ? ",)" : ")");
}

/// The elements of an .npy file, or why it is not this array.
std::expected<std::string_view, std::string> npy_elements(std::string_view file,
                                                          const Tensor& tensor) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(file[i]));
  };
  if (file.size() < 12) return std::unexpected("it ends inside the header");
  const bool long_header = byte(6) >= 2;
  const std::size_t begin = long_header ? 12 : 10;
  const std::size_t length =
      byte(8) | byte(9) << 8 | (long_header ? byte(10) << 16 | byte(11) << 24 : std::size_t{0});
  if (length > file.size() - begin) return std::unexpected("it ends inside the header");
  const std::string_view header = file.substr(begin, length);
  const std::string_view type = npy_value(header, "descr");
  if (!is_npy_type(type, row(tensor.type)))
    return std::unexpected("it holds " + std::string(type) + ", and " + tensor.name + " is " +
                           std::string(name(tensor.type)));
  const std::string_view shape = npy_value(header, "shape");
  if (shape != npy_shape(tensor))
    return std::unexpected("its shape is " + std::string(shape) + ", and that of " + tensor.name +
                           " is " + npy_shape(tensor));
  if (npy_value(header, "fortran_order") != "False")
    return std::unexpected("its elements are in column-major order; save it row-major");
  return file.substr(begin + length);
}

std::optional<std::string> fill_from_file(const Tensor& tensor, const FileFolders& folders,
                                          const std::string& path, std::span<std::byte> memory) {
  const auto element = static_cast<std::size_t>(row(tensor.type).bytes);
  const std::size_t wanted = static_cast<std::size_t>(tensor.elements()) * element;
  const auto file = folders.read(path, wanted + 65536 + 12);
  if (!file) return file.error();
  std::string_view bytes = *file;
  if (bytes.starts_with("\x93NUMPY")) {
    const auto elements = npy_elements(bytes, tensor);
    if (!elements) return "'" + path + "': " + elements.error();
    bytes = *elements;
  }
  if (bytes.size() != wanted)
    return "'" + path + "' has " + std::to_string(bytes.size()) + " bytes of elements, and " +
           tensor.name + " has " + std::to_string(wanted);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    std::memcpy(memory.data() + static_cast<std::size_t>(offset(tensor, i)) * element,
                bytes.data() + static_cast<std::size_t>(i) * element, element);
  return {};
}

std::string path_in(const std::string& folder, const std::string& file) {
  return (std::filesystem::path(folder) / file).string();
}

}  // namespace

FileFolders launch_files(const std::string& folder) {
  return FileFolders({".", folder.empty() ? "." : folder});
}

std::expected<LaunchMemory, LaunchError> LaunchMemory::fill(const LaunchText& launch,
                                                            const std::string& folder,
                                                            std::byte empty) {
  LaunchMemory filled;
  filled.empty_ = empty;
  const FileFolders files = launch_files(folder);
  for (const Tensor& tensor : launch.tensors) {
    if (!tensor.inside.empty()) continue;
    const auto step = static_cast<std::size_t>(row(tensor.type).bytes);
    std::vector<std::byte>& memory = filled.memory_[tensor.name];
    memory.assign(static_cast<std::size_t>(tensor.span()) * step, empty);
    if (tensor.initial == InitialValue::none) continue;
    if (tensor.initial == InitialValue::file) {
      if (const auto error = fill_from_file(tensor, files, path_in(folder, tensor.file), memory))
        return std::unexpected(LaunchError{tensor.file_place, *error});
      continue;
    }
    if (tensor.initial == InitialValue::number && !is_float(tensor.type)) {
      const auto integer = static_cast<std::uint64_t>(tensor.integer);  // the low bytes come first
      for (std::int64_t i = 0; i < tensor.elements(); ++i)
        std::memcpy(memory.data() + static_cast<std::size_t>(offset(tensor, i)) * step, &integer,
                    step);
      continue;
    }
    const RandomStream stream(tensor.seed);
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
      store_number(tensor.type, memory.data() + static_cast<std::size_t>(offset(tensor, i)) * step,
                   initial_value(tensor, stream, i));
  }
  return filled;
}

const std::byte* LaunchMemory::place(const Tensor& tensor, std::int64_t element) const {
  const auto& memory = memory_.at(tensor.inside.empty() ? tensor.name : tensor.inside);
  return memory.data() + static_cast<std::size_t>((tensor.first + offset(tensor, element)) *
                                                  row(tensor.type).bytes);
}

ElementValues LaunchMemory::values(const Tensor& tensor) const {
  const auto count = static_cast<std::size_t>(tensor.elements());
  ElementValues all{std::vector<double>(count)};
  if (!is_float(tensor.type)) all.integers.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* at = place(tensor, static_cast<std::int64_t>(i));
    all.values[i] = load_number(tensor.type, at);
    if (!is_float(tensor.type)) all.integers[i] = load_integer(tensor.type, at);
  }
  return all;
}

std::vector<bool> LaunchMemory::unwritten(const Tensor& tensor) const {
  std::vector<bool> all(static_cast<std::size_t>(tensor.elements()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::byte* first = place(tensor, static_cast<std::int64_t>(i));
    all[i] = std::all_of(first, first + row(tensor.type).bytes,
                         [this](std::byte byte) { return byte == empty_; });
  }
  return all;
}

}  // namespace heddle::runtime
