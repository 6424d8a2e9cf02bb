// Launches in a file, so that a machine with a GPU and nothing else can run them, and the answers.
//
// Little-endian; a string or block of bytes is its length, u64, then itself; all numbers are u64. A
// file of launches is their number and then each. A file of answers is the device's name and its
// driver in one string, then answers until the file ends: the number of the launch, an error
// (empty: it ran), and the launch's results in their order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/numbers/number.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::recorded {

/// What a buffer begins with. Exact numbers are multiples of 1/8 in [-1, 1], uniform ones in
/// [-1, 1), positive ones in [0, 1); integers have their whole range, of i32 a million and of i64
/// 2^52 either way.
enum class Numbers : std::uint8_t { all_ones, exact, uniform, positive, zeros };

struct Buffer {
  std::string bytes = {};  // as they are; or, when empty,
  Numbers numbers{};       // drawn where they are needed,
  runtime::NumberType element{};
  std::uint64_t seed = 0, count = 0;  // so many elements
  bool is_result = true;              // else the kernel must leave it as it is

  std::string content() const;
};

enum class Kind : std::uint8_t { value, address, tensor_map };

struct Argument {
  Kind kind{};
  std::string value = {};                        // of a value
  std::uint64_t buffer = 0;                      // its number
  std::uint64_t offset = 0;                      // bytes before the tensor of a tensor map
  std::uint64_t element = 0, swizzle_bytes = 0;  // of a tensor map: see emulator/record/launch.h
  std::vector<std::uint64_t> sizes = {}, strides = {}, box = {};
};

struct Launch {
  std::string name, ptx, kernel;
  std::array<std::uint64_t, 3> grid{1, 1, 1}, block{32, 1, 1};
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
};

inline std::string Buffer::content() const {
  if (count == 0) return bytes;
  const auto step = static_cast<std::size_t>(runtime::row(element).bytes);
  if (numbers == Numbers::zeros) return std::string(count * step, '\0');
  std::vector<std::byte> drawn(count * step, std::byte{0xff});
  const runtime::RandomStream stream(seed);
  for (std::uint64_t i = 0; i < count && numbers != Numbers::all_ones; ++i) {
    using runtime::NumberType;
    const double number =
        element == NumberType::i8    ? static_cast<double>(stream.word(i) % 256) - 128
        : element == NumberType::i32 ? static_cast<double>(stream.word(i) % 2'000'000) - 1'000'000
        : element == NumberType::i64
            ? static_cast<double>(static_cast<std::int64_t>(stream.word(i)) >> 11)
        : numbers == Numbers::exact   ? stream.eighths(i)
        : numbers == Numbers::uniform ? stream.uniform(i)
                                      : std::abs(stream.uniform(i));
    runtime::store_number(element, drawn.data() + i * step, number);
  }
  return {reinterpret_cast<const char*>(drawn.data()), drawn.size()};
}

struct Answer {
  std::uint64_t launch = 0;  // its number
  std::string error;
  std::vector<std::string> buffers;
};

/// The error of launches of which no file has an answer.
inline constexpr const char* no_answer = "no answer";

struct Answers {
  std::string device;  // and its driver
  std::vector<Answer> answers;
};

class Writer {
 public:
  explicit Writer(const std::string& path) : file_(path, std::ios::binary) {}
  void number(std::uint64_t value) {
    file_.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& bytes) {
    number(bytes.size());
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  bool good() { return file_.flush().good(); }

 private:
  std::ofstream file_;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path, std::ios::binary) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    file_.read(reinterpret_cast<char*>(&value), sizeof value);
    return file_ ? value : 0;
  }
  std::string text() {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;
    std::string bytes(std::min(number(), most_bytes), '\0');
    file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }
  bool good() const { return file_.good(); }

 private:
  std::ifstream file_;
};

inline void write(Writer& file, const std::vector<std::uint64_t>& numbers) {
  file.number(numbers.size());
  for (const std::uint64_t number : numbers) file.number(number);
}

inline std::vector<std::uint64_t> read_numbers(Reader& file) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t left = file.number(); left > 0 && file.good(); --left)
    numbers.push_back(file.number());
  return numbers;
}

inline void write(Writer& file, const Launch& launch) {
  file.text(launch.name);
  file.text(launch.ptx);
  file.text(launch.kernel);
  for (const std::uint64_t size : launch.grid) file.number(size);
  for (const std::uint64_t size : launch.block) file.number(size);
  file.number(launch.dynamic_shared_bytes);
  file.number(launch.buffers.size());
  for (const Buffer& buffer : launch.buffers) {
    file.text(buffer.bytes);
    file.number(static_cast<std::uint64_t>(buffer.numbers));
    file.number(static_cast<std::uint64_t>(buffer.element));
    file.number(buffer.seed);
    file.number(buffer.count);
    file.number(buffer.is_result);
  }
  file.number(launch.arguments.size());
  for (const Argument& argument : launch.arguments) {
    file.number(static_cast<std::uint64_t>(argument.kind));
    file.text(argument.value);
    file.number(argument.buffer);
    file.number(argument.offset);
    file.number(argument.element);
    file.number(argument.swizzle_bytes);
    write(file, argument.sizes);
    write(file, argument.strides);
    write(file, argument.box);
  }
}

inline Launch read_launch(Reader& file) {
  Launch launch;
  launch.name = file.text();
  launch.ptx = file.text();
  launch.kernel = file.text();
  for (std::uint64_t& size : launch.grid) size = file.number();
  for (std::uint64_t& size : launch.block) size = file.number();
  launch.dynamic_shared_bytes = file.number();
  for (std::uint64_t left = file.number(); left > 0 && file.good(); --left) {
    Buffer& buffer = launch.buffers.emplace_back();
    buffer.bytes = file.text();
    buffer.numbers = static_cast<Numbers>(file.number());
    buffer.element = static_cast<runtime::NumberType>(file.number());
    buffer.seed = file.number();
    buffer.count = file.number();
    buffer.is_result = file.number() != 0;
  }
  for (std::uint64_t left = file.number(); left > 0 && file.good(); --left) {
    Argument& argument = launch.arguments.emplace_back();
    argument.kind = static_cast<Kind>(file.number());
    argument.value = file.text();
    argument.buffer = file.number();
    argument.offset = file.number();
    argument.element = file.number();
    argument.swizzle_bytes = file.number();
    argument.sizes = read_numbers(file);
    argument.strides = read_numbers(file);
    argument.box = read_numbers(file);
  }
  return launch;
}

inline bool write(const std::string& path, const std::vector<Launch>& launches) {
  Writer file(path);
  file.number(launches.size());
  for (const Launch& launch : launches) write(file, launch);
  return file.good();
}

/// What could be read: a file cut short gives fewer.
inline std::vector<Launch> read_launches(const std::string& path) {
  Reader file(path);
  std::vector<Launch> launches;
  for (std::uint64_t left = file.number(); left > 0 && file.good(); --left)
    launches.push_back(read_launch(file));
  return launches;
}

inline void write(Writer& file, const Answer& answer) {
  file.number(answer.launch);
  file.text(answer.error);
  file.number(answer.buffers.size());
  for (const std::string& buffer : answer.buffers) file.text(buffer);
}

/// Of all files, each answer at the number of its launch; what none answers has an error.
inline Answers read_answers(const std::vector<std::string>& paths, std::size_t launches) {
  Answers all;
  Answer missing;
  missing.error = no_answer;
  all.answers.assign(launches, missing);
  for (const std::string& path : paths) {
    Reader file(path);
    all.device = file.text();
    while (file.good()) {
      Answer answer;
      answer.launch = file.number();
      answer.error = file.text();
      for (std::uint64_t left = file.number(); left > 0 && file.good(); --left)
        answer.buffers.push_back(file.text());
      if (file.good() && answer.launch < launches) all.answers[answer.launch] = answer;
    }
  }
  return all;
}

}  // namespace heddle::recorded
