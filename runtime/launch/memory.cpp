#include "runtime/launch/memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "library/text/formatted.h"
#include "runtime/numbers/npy.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::runtime {
namespace {

std::int64_t offset(const Tensor& tensor, std::int64_t element) {
  return element / tensor.columns() * tensor.pitch + element % tensor.columns();
}

/// A random integer, uniform in the type but with at most 8 bits: sums of products of larger
/// numbers would overflow.
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

std::optional<std::string> fill_from_file(const Tensor& tensor, const FileFolders& folders,
                                          const std::string& path, std::span<std::byte> memory) {
  const auto element = static_cast<std::size_t>(row(tensor.type).bytes);
  const std::size_t wanted = static_cast<std::size_t>(tensor.elements()) * element;
  const auto file = folders.read(path, wanted + 65536 + 12);
  if (!file) return file.error();
  std::string_view bytes = *file;
  if (is_npy(bytes)) {
    const auto array = read_npy(bytes);
    if (!array) return "'" + path + "': " + array.error();
    if (const std::string other = not_that_array(*array, tensor.type, tensor.sizes, tensor.name);
        !other.empty())
      return "'" + path + "': " + other;
    bytes = array->elements;
  }
  if (bytes.size() != wanted)
    return formatted("'{}' has {} bytes of elements, and {} has {}", path, bytes.size(),
                     tensor.name, wanted);
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
    // Addresses are in this memory only during a launch. Between launches, pointer i holds the
    // number i, counted from 1, so that a pointer which a kernel has changed can be recognised.
    if (tensor.initial == InitialValue::addresses) {
      for (std::uint64_t i = 0; i < tensor.addresses.size(); ++i) {
        const std::uint64_t number = i + 1;
        std::memcpy(memory.data() + i * step, &number, step);
      }
      continue;
    }
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

std::uint8_t* LaunchMemory::written(const std::string& tensor) {
  std::vector<std::uint8_t>& marks = written_[tensor];
  marks.resize(memory_.at(tensor).size());
  return marks.data();
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

std::vector<std::byte> LaunchMemory::elements(const Tensor& tensor) const {
  std::vector<std::byte> all;
  const auto bytes = static_cast<std::size_t>(row(tensor.type).bytes);
  all.reserve(static_cast<std::size_t>(tensor.elements()) * bytes);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const std::byte* first = place(tensor, i);
    all.insert(all.end(), first, first + bytes);
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
