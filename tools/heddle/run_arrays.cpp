#include "tools/heddle/run_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <functional>

#include "compiler/request/actual_product.h"
#include "runtime/files.h"
#include "runtime/matrix.h"

namespace heddle::tool {
namespace {

using compiler::BufferRecord;
using compiler::Role;

constexpr std::array<const char*, 4> loop_names{"m", "n", "k", "the batch"};

/// The name of an argument, such as %a, where it stands in the text; empty where none does.
std::string name_at(std::string_view source, const compiler::Place& place) {
  for (unsigned line = 1; line < place.line; ++line) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return "";
    source.remove_prefix(end + 1);
  }
  if (place.column > source.size() || source[place.column - 1] != '%') return "";
  source.remove_prefix(place.column - 1);
  const auto is_inside = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
           c == '-';
  };
  std::size_t length = 1;
  while (length < source.size() && is_inside(source[length])) ++length;
  return std::string(source.substr(0, length));
}

/// Every name of each buffer; the first is for people.
std::vector<std::vector<std::string>> names_of(const compiler::MatmulRequest& request,
                                               std::string_view source) {
  std::vector<std::vector<std::string>> names;
  for (const BufferRecord& buffer : request.buffers) {
    std::vector<std::string>& own = names.emplace_back();
    if (buffer.argument >= 0) {
      const std::string name = name_at(source, buffer.place);
      if (!name.empty()) own = {name, name.substr(1)};
      own.push_back(std::to_string(buffer.argument));
    }
    const auto same = [&](const BufferRecord& other) { return other.role == buffer.role; };
    if (std::ranges::count_if(request.buffers, same) == 1)
      own.emplace_back(1, "ABCDE"[static_cast<std::size_t>(buffer.role)]);
  }
  return names;
}

/// The buffer of a name. One that is an argument's name is that argument's, whatever else it is.
std::expected<std::size_t, std::string> buffer_of(
    const std::string& name, const std::string& option,
    const std::vector<std::vector<std::string>>& names) {
  const std::size_t most = std::ranges::max(names, {}, &std::vector<std::string>::size).size();
  for (std::size_t rank = 0; rank < most; ++rank)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (rank < names[i].size() && names[i][rank] == name) return i;
  std::string all;
  for (const auto& own : names) {
    std::string words;
    for (const std::string& one : own) words += (words.empty() ? "" : " or ") + one;
    all += (all.empty() ? "" : ", ") + words;
  }
  return std::unexpected(
      fmt::format("{}: the kernel has no array '{}'; accepted: {}", option, name, all));
}

/// NAME=FILE.
std::expected<ArrayFile, std::string> written(const std::string& text, const std::string& option,
                                              const std::vector<std::vector<std::string>>& names) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    return std::unexpected(
        fmt::format("{} '{}'; accepted: NAME=FILE, such as {}=a.npy", option, text, names[0][0]));
  ArrayFile file;
  file.name = text.substr(0, equal);
  file.path = text.substr(equal + 1);
  const auto buffer = buffer_of(file.name, option, names);
  if (!buffer) return std::unexpected(buffer.error());
  file.buffer = *buffer;
  return file;
}

std::string type_words(const BufferRecord& buffer) {
  return std::string(buffer.is_i1 ? "i1" : instruction::name(buffer.element));
}

/// Signless integers are as NumPy's of both kinds; an i1 is a bool or a byte.
bool has_type(const runtime::NpyArray& array, const BufferRecord& buffer) {
  if (buffer.is_i1 && array.type == "'|b1'") return true;
  if (buffer.element == instruction::ElementType::i8 &&
      runtime::is_of_type(array, runtime::NumberType::u8))
    return true;
  if (buffer.element == instruction::ElementType::i32 &&
      runtime::is_of_type(array, runtime::NumberType::u32))
    return true;
  return runtime::is_of_type(array, runtime::number_type(buffer.element));
}

std::string shape_words(const BufferRecord& buffer) {
  std::string text;
  for (const std::int64_t size : buffer.shape)
    text += (text.empty() ? "" : ", ") + (size < 0 ? "?" : std::to_string(size));
  return "(" + text + (buffer.shape.size() == 1 ? ",)" : ")");
}

std::size_t element_bytes(const BufferRecord& buffer) {
  return static_cast<std::size_t>(instruction::bits(buffer.element)) / 8;
}

/// Calls `visit` with the place of each element in memory, in elements and in row-major order.
void for_each_place(const BufferRecord& buffer, const std::vector<std::int64_t>& sizes,
                    const std::function<void(std::size_t place)>& visit) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t step = 1, count = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = buffer.strides[i] >= 0 ? buffer.strides[i] : step;
    step *= sizes[i];
    count *= sizes[i];
  }
  for (std::int64_t number = 0; number < count; ++number) {
    std::int64_t rest = number, place = buffer.offset;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      place += rest % sizes[i] * strides[i];
      rest /= sizes[i];
    }
    visit(static_cast<std::size_t>(place));
  }
}

}  // namespace

std::expected<RunArrays, std::string> RunArrays::read(const RunArguments& arguments,
                                                      const std::string& source,
                                                      const compiler::MatmulRequest& request) {
  RunArrays arrays;
  arrays.inputs_.reserve(arguments.array_inputs.size());  // their bytes stay where they are
  const auto names = names_of(request, source);
  for (const std::string& text : arguments.array_inputs) {
    auto file = written(text, "--input", names);
    if (!file) return std::unexpected(file.error());
    const BufferRecord& buffer = request.buffers[file->buffer];
    if (buffer.role == Role::d && !request.in_place)
      return std::unexpected("--input " + file->name +
                             ": the kernel writes it and does not read "
                             "it; accepted: the function's arguments");
    if (arrays.is_input(file->buffer))
      return std::unexpected("--input " + file->name + ": given twice; accepted: once for each");
    auto bytes = runtime::read_file(file->path, std::size_t{INT32_MAX} + runtime::most_npy_header,
                                    runtime::FileKind::any);
    if (!bytes) return std::unexpected("--input " + file->name + ": " + bytes.error());
    file->bytes = *std::move(bytes);
    const std::string start = "--input " + file->name + ": '" + file->path + "': ";
    arrays.inputs_.push_back(*std::move(file));
    ArrayFile& input = arrays.inputs_.back();
    const auto array = runtime::read_npy(input.bytes);
    if (!array)
      return std::unexpected(start + array.error() + "; accepted: what numpy.save writes");
    input.array = *array;
    if (!has_type(*array, buffer))
      return std::unexpected(fmt::format("{}it holds {}; accepted: {}", start,
                                         array->type.substr(0, 80), type_words(buffer)));
    if (array->sizes.size() != buffer.shape.size())
      return std::unexpected(fmt::format("{}its shape is {}; accepted: {}", start,
                                         runtime::npy_shape(array->sizes), shape_words(buffer)));
  }
  for (const std::string& text : arguments.dumps) {
    const auto file = written(text, "--dump", names);
    if (!file) return std::unexpected(file.error());
    arrays.outputs_.push_back(*file);
  }
  return arrays;
}

bool RunArrays::is_input(std::size_t buffer) const {
  return std::ranges::any_of(inputs_, [&](const ArrayFile& file) { return file.buffer == buffer; });
}

std::expected<void, std::string> RunArrays::learn_sizes(const compiler::MatmulRequest& request,
                                                        plan::Problem& problem,
                                                        unsigned& is_known) const {
  const std::array<std::int64_t*, 4> sizes{&problem.m, &problem.n, &problem.k, &problem.batch};
  for (const ArrayFile& file : inputs_) {
    const BufferRecord& buffer = request.buffers[file.buffer];
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
      if (buffer.shape[i] >= 0) continue;
      const compiler::DynamicSize& dynamic = buffer.dynamic_sizes[i];
      const auto loop = static_cast<std::size_t>(dynamic.loop);
      const std::int64_t size = file.array.sizes[i] / dynamic.times * dynamic.over;
      const bool agrees = (is_known >> loop & 1u) == 0 || *sizes[loop] == size;
      if (!agrees || size < 1 || size > 65535 || file.array.sizes[i] % dynamic.times != 0)
        return std::unexpected(fmt::format(
            "--input {}: '{}': its shape is {}; accepted: {}, {} in dimension {}", file.name,
            file.path, runtime::npy_shape(file.array.sizes), shape_words(buffer),
            agrees ? fmt::format("a multiple of {} up to 65535", dynamic.times)
                   : fmt::format("{} as {} is {}", *sizes[loop] / dynamic.over * dynamic.times,
                                 loop_names[loop], *sizes[loop]),
            i));
      *sizes[loop] = size;
      is_known |= 1u << loop;
    }
  }
  return {};
}

std::expected<void, std::string> RunArrays::fill(
    const compiler::MatmulRequest& request, const plan::Problem& problem,
    std::vector<std::vector<std::byte>>& buffers) const {
  for (const ArrayFile& file : inputs_) {
    const BufferRecord& buffer = request.buffers[file.buffer];
    const std::vector<std::int64_t> sizes = compiler::shape(buffer, problem);
    const std::string start = "--input " + file.name + ": '" + file.path + "': ";
    if (file.array.sizes != sizes)
      return std::unexpected(fmt::format("{}its shape is {}; accepted: {}", start,
                                         runtime::npy_shape(file.array.sizes),
                                         runtime::npy_shape(sizes)));
    const std::size_t step = element_bytes(buffer);
    std::size_t wanted = step;
    for (const std::int64_t size : sizes) wanted *= static_cast<std::size_t>(size);
    if (file.array.elements.size() != wanted)
      return std::unexpected(fmt::format("{}it has {} bytes of elements; accepted: {}", start,
                                         file.array.elements.size(), wanted));
    const char* from = file.array.elements.data();
    for_each_place(buffer, sizes, [&](std::size_t place) {
      std::memcpy(buffers[file.buffer].data() + place * step, from, step);
      from += step;
    });
  }
  return {};
}

std::expected<std::vector<std::string>, std::string> RunArrays::dump(
    const compiler::MatmulRequest& request, const plan::Problem& problem,
    const std::vector<std::vector<std::byte>>& buffers) const {
  std::vector<std::string> paths;
  for (const ArrayFile& file : outputs_) {
    const BufferRecord& buffer = request.buffers[file.buffer];
    const std::vector<std::int64_t> sizes = compiler::shape(buffer, problem);
    const std::size_t step = element_bytes(buffer);
    std::vector<std::byte> elements;
    for_each_place(buffer, sizes, [&](std::size_t place) {
      const auto first = buffers[file.buffer].begin() + static_cast<std::ptrdiff_t>(place * step);
      elements.insert(elements.end(), first, first + static_cast<std::ptrdiff_t>(step));
    });
    const auto done = runtime::write_file(
        file.path, runtime::npy_file(runtime::number_type(buffer.element), sizes, elements));
    if (!done) return std::unexpected("--dump " + file.name + ": " + done.error());
    paths.push_back(file.path);
  }
  return paths;
}

}  // namespace heddle::tool
