#include "tools/heddle/compile/run_arrays.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>
#include <unordered_map>

#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "runtime/files/files.h"
#include "runtime/judge/product_check.h"
#include "runtime/numbers/matrix.h"

namespace heddle::tool {
namespace {

using compiler::BufferRecord;

/// The name at a place in the source text. If an argument such as %a stands there, its name; if an
/// operation stands there, the name of its result. Empty if there is neither.
std::string name_at(std::string_view source, const compiler::Place& place) {
  if (place.line == 0) return "";  // of the compiler's own memory
  for (unsigned line = 1; line < place.line; ++line) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return "";
    source.remove_prefix(end + 1);
  }
  if (place.column > source.size()) return "";
  std::string_view before = source.substr(0, place.column - 1);
  source.remove_prefix(place.column - 1);
  if (source[0] != '%') {  // an operation, before which its result stands: %c = linalg.matmul
    const std::size_t equal = before.find_last_not_of(' ');
    const std::size_t percent = before.rfind('%');
    if (equal == std::string_view::npos || before[equal] != '=' ||
        percent == std::string_view::npos || before.find('\n') != std::string_view::npos)
      return "";
    source = before.substr(percent);
  }
  const auto is_inside = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
           c == '-';
  };
  std::size_t length = 1;
  while (length < source.size() && is_inside(source[length])) ++length;
  return std::string(source.substr(0, length));
}

/// Finds the array with this name. An array has a list of names; if several arrays have the name,
/// the one that has it earliest in its list is found. Error: no array has the name.
std::expected<std::size_t, std::string> array_of(const std::string& name, const std::string& option,
                                                 const std::vector<NamedArray>& arrays) {
  std::size_t most = 0;
  for (const NamedArray& array : arrays) most = std::max(most, array.names.size());
  for (std::size_t rank = 0; rank < most; ++rank)
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (rank < arrays[i].names.size() && arrays[i].names[rank] == name) return i;
  std::string all;
  for (const NamedArray& array : arrays)
    all += formatted("{}{}", all.empty() ? "" : ", ", joined(array.names, " or "));
  return std::unexpected(
      formatted("{}: the kernel has no array '{}'; accepted: {}", option, name, all));
}

/// NAME=FILE.
std::expected<ArrayFile, std::string> written(const std::string& text, const std::string& option,
                                              const std::vector<NamedArray>& arrays) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    return std::unexpected(formatted("{} '{}'; accepted: NAME=FILE, such as {}=a.npy", option, text,
                                     arrays[0].names[0]));
  ArrayFile file;
  file.name = text.substr(0, equal);
  file.path = text.substr(equal + 1);
  const auto array = array_of(file.name, option, arrays);
  if (!array) return std::unexpected(array.error());
  file.array = *array;
  return file;
}

std::string type_words(const BufferRecord& buffer) {
  return std::string(buffer.is_i1 ? "i1" : instruction::name(buffer.element));
}

/// True if the type in the file fits the type of the buffer. For a signless integer the file may
/// have signed or unsigned numbers; for an i1 bools or bytes; for an i4 bytes.
bool has_type(const runtime::NpyArray& array, const BufferRecord& buffer) {
  if (buffer.is_i1 && array.type == "'|b1'") return true;
  const instruction::ElementType type = compiler::array_type(buffer.element);
  const std::string_view name = instruction::name(type);
  const auto* without_sign = runtime::find_number_type("u" + std::string(name.substr(1)));
  if (name[0] == 'i' && without_sign != nullptr && runtime::is_of_type(array, without_sign->type))
    return true;
  return runtime::is_of_type(array, runtime::number_type(type));
}

std::size_t element_bytes(const BufferRecord& buffer) {
  return static_cast<std::size_t>(instruction::bits(compiler::array_type(buffer.element))) / 8;
}

/// Calls `visit` for every element in row-major order, with the element's offset in memory (in
/// elements).
void for_each_place(const BufferRecord& buffer, const ArrayShape& shape,
                    const std::function<void(std::size_t place)>& visit) {
  const auto& [sizes, strides] = shape;
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  for (std::int64_t number = 0; number < count; ++number) {
    std::int64_t rest = number, place = buffer.offset;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      place += rest % sizes[i] * strides[i];
      rest /= sizes[i];
    }
    visit(static_cast<std::size_t>(place));
  }
}

/// True for an argument that is one number: a scalar, or an array of one element.
bool is_number(const BufferRecord& buffer) {
  return std::ranges::all_of(buffer.shape, [](std::int64_t size) { return size == 1; });
}

/// If `word` is a number and the argument is a single number, returns the file that numpy.save
/// would write for it. Otherwise nothing. Error: the argument's type does not have this number.
std::optional<std::expected<std::string, std::string>> file_of_number(const std::string& word,
                                                                      const BufferRecord& buffer) {
  const runtime::NumberType type = runtime::number_type(compiler::array_type(buffer.element));
  const char* const end = word.data() + word.size();
  double value = 0;
  const auto read = std::from_chars(word.data(), end, value);
  if (!is_number(buffer) || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  std::vector<std::byte> element(static_cast<std::size_t>(runtime::row(type).bytes));
  runtime::store_number(type, element.data(), value);
  if (!runtime::is_float(type) && !buffer.is_i1) {
    // Reads the word again as an integer, because a double does not hold all of its bits.
    std::int64_t whole = 0;
    const auto integer = std::from_chars(word.data(), end, whole);
    const int bits = instruction::bits(buffer.element);
    if (integer.ec != std::errc() || integer.ptr != end ||
        (bits < 64 && (whole >> bits != 0 && whole >> (bits - 1) != -1)))
      return std::unexpected(formatted("'{}' is no number of {}", word, type_words(buffer)));
    std::memcpy(element.data(), &whole, element.size());
  }
  return runtime::npy_file(type, buffer.shape, element);
}

/// Gives different names to arrays with the same name. Such arrays occur if one operation becomes
/// several steps that each write an array, such as the maxima and sums of a softmax: `%0` becomes
/// `%0.1`, `%0.2` and so on. A result of the function keeps its name.
void tell_apart(const compiler::ProductSequence& sequence, std::vector<NamedArray>& arrays) {
  std::unordered_map<std::string, int> uses, number;
  for (const NamedArray& array : arrays) ++uses[array.names[0]];
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    std::vector<std::string>& names = arrays[i].names;
    const std::string name = names[0];
    if (uses[name] == 1 || sequence.buffers[i].kind != compiler::SequenceBuffer::Kind::intermediate)
      continue;
    std::string other;
    do other = formatted("{}.{}", name, ++number[name]);
    while (uses.contains(other));
    names = {other, other.substr(1)};
  }
}

}  // namespace

std::string shape_words(const BufferRecord& buffer) {
  std::string text;
  for (const std::int64_t size : buffer.shape)
    text += (text.empty() ? "" : ", ") + (size < 0 ? "?" : formatted("{}", size));
  return "(" + text + (buffer.shape.size() == 1 ? ",)" : ")");
}

std::vector<NamedArray> named_arrays(const compiler::ProductSequence& sequence,
                                     std::string_view source) {
  using compiler::SequenceBuffer;
  std::vector<NamedArray> arrays;
  for (const SequenceBuffer& buffer : sequence.buffers) {
    NamedArray array{.record = record(sequence, buffer), .names = {}};
    const BufferRecord& known = array.record;
    if (buffer.kind == SequenceBuffer::Kind::argument ||
        buffer.kind == SequenceBuffer::Kind::constant || !sequence.is_one_product()) {
      const std::string name = name_at(source, known.place);
      if (!name.empty()) array.names = {name, name.substr(1)};
    }
    if (buffer.kind == SequenceBuffer::Kind::argument) {
      array.names.push_back(formatted("{}", buffer.number));
    } else {
      array.is_given = false;
    }
    if (sequence.is_one_product()) {
      const auto same = [&](const BufferRecord& other) { return other.role == known.role; };
      if (std::ranges::count_if(sequence.parts[0].request.buffers, same) == 1)
        array.names.emplace_back(1, "ABCDE"[static_cast<std::size_t>(known.role)]);
    } else if (buffer.kind == SequenceBuffer::Kind::result) {
      array.names.push_back(sequence.results.size() == 1 ? "D" : formatted("D{}", buffer.number));
    }
    if (array.names.empty())
      array.names = {
          formatted("{}{}", known.constant.empty() ? "intermediate" : "constant", buffer.number)};
    arrays.push_back(std::move(array));
  }
  tell_apart(sequence, arrays);
  return arrays;
}

std::vector<std::string> first_names(const std::vector<NamedArray>& arrays) {
  std::vector<std::string> names;
  for (const NamedArray& array : arrays) names.push_back(array.names[0]);
  return names;
}

std::expected<RunArrays, std::string> RunArrays::read(const RunArguments& arguments,
                                                      std::vector<NamedArray> named) {
  RunArrays arrays;
  arrays.arrays_ = std::move(named);
  arrays.inputs_.reserve(arguments.array_inputs.size());  // their bytes stay where they are
  for (const std::string& text : arguments.array_inputs) {
    auto file = written(text, "--input", arrays.arrays_);
    if (!file) return std::unexpected(file.error());
    const NamedArray& array = arrays.arrays_[file->array];
    const BufferRecord& buffer = array.record;
    if (!array.is_given)
      return std::unexpected("--input " + file->name + ": " +
                             (buffer.constant.empty() ? "the kernel writes it and does not read it"
                                                      : "the text says its values") +
                             "; accepted: the function's arguments");
    if (arrays.input(file->array) != nullptr)
      return std::unexpected("--input " + file->name + ": given twice; accepted: once for each");
    auto bytes = file_of_number(file->path, buffer);
    if (!bytes)
      bytes = runtime::read_file(file->path, std::size_t{INT32_MAX} + runtime::most_npy_header,
                                 runtime::FileKind::any);
    if (!*bytes)
      return std::unexpected("--input " + file->name + ": " + bytes->error() +
                             (is_number(buffer) ? "; accepted: a number, or a file" : ""));
    file->bytes = **std::move(bytes);
    const std::string start = "--input " + file->name + ": '" + file->path + "': ";
    arrays.inputs_.push_back(*std::move(file));
    ArrayFile& input = arrays.inputs_.back();
    const auto header = runtime::read_npy(input.bytes);
    if (!header)
      return std::unexpected(start + header.error() + "; accepted: what numpy.save writes");
    input.header = *header;
    if (!has_type(*header, buffer))
      return std::unexpected(formatted("{}it holds {}; accepted: {}", start,
                                       header->type.substr(0, 80), type_words(buffer)));
    if (header->sizes.size() != buffer.shape.size())
      return std::unexpected(formatted("{}its shape is {}; accepted: {}", start,
                                       runtime::npy_shape(header->sizes), shape_words(buffer)));
  }
  for (const std::string& text : arguments.dumps) {
    const auto file = written(text, "--dump", arrays.arrays_);
    if (!file) return std::unexpected(file.error());
    arrays.outputs_.push_back(*file);
  }
  return arrays;
}

const ArrayFile* RunArrays::input(std::size_t array) const {
  const auto found = std::ranges::find(inputs_, array, &ArrayFile::array);
  return found == inputs_.end() ? nullptr : &*found;
}

std::expected<void, std::string> RunArrays::fill(const ArrayFile& input, const ArrayShape& shape,
                                                 std::vector<std::byte>& bytes) const {
  const std::vector<std::int64_t>& sizes = shape.sizes;
  const BufferRecord& buffer = arrays_[input.array].record;
  const std::string start = "--input " + input.name + ": '" + input.path + "': ";
  if (input.header.sizes != sizes)
    return std::unexpected(formatted("{}its shape is {}; accepted: {}", start,
                                     runtime::npy_shape(input.header.sizes),
                                     runtime::npy_shape(sizes)));
  const std::size_t step = element_bytes(buffer);
  std::size_t wanted = step;
  for (const std::int64_t size : sizes) wanted *= static_cast<std::size_t>(size);
  if (input.header.elements.size() != wanted)
    return std::unexpected(formatted("{}it has {} bytes of elements; accepted: {}", start,
                                     input.header.elements.size(), wanted));
  const char* from = input.header.elements.data();
  for_each_place(buffer, shape, [&](std::size_t place) {
    if (compiler::shares_bytes(buffer.element))
      runtime::store_nibble(bytes, place, *from);
    else
      std::memcpy(bytes.data() + place * step, from, step);
    from += step;
  });
  return {};
}

std::expected<std::vector<std::string>, std::string> RunArrays::dump(
    const std::vector<ArrayShape>& shapes,
    const std::vector<std::vector<std::byte>>& memory) const {
  std::vector<std::string> paths;
  for (const ArrayFile& file : outputs_) {
    const BufferRecord& buffer = arrays_[file.array].record;
    const std::size_t step = element_bytes(buffer);
    std::vector<std::byte> elements;
    for_each_place(buffer, shapes[file.array], [&](std::size_t place) {
      if (compiler::shares_bytes(buffer.element)) {
        const int number = static_cast<int>(runtime::nibble(memory[file.array], place));
        const bool is_bits = compiler::is_only_read(buffer.element);
        elements.push_back(static_cast<std::byte>(is_bits ? number & 15 : number));
        return;
      }
      const auto first = memory[file.array].begin() + static_cast<std::ptrdiff_t>(place * step);
      elements.insert(elements.end(), first, first + static_cast<std::ptrdiff_t>(step));
    });
    const auto done = runtime::write_file(
        file.path, runtime::npy_file(runtime::number_type(compiler::array_type(buffer.element)),
                                     shapes[file.array].sizes, elements));
    if (!done) return std::unexpected("--dump " + file.name + ": " + done.error());
    paths.push_back(file.path);
  }
  return paths;
}

}  // namespace heddle::tool
