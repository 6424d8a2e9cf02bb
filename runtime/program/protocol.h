// The protocol between heddle and a program under `heddle run` (docs/programs.md).
//
// The program's host code is a process of its own. It keeps all memory of the device in one file
// that both processes have mapped. For everything else it asks heddle over a socket. A message is a
// Header and its bytes, and each request has one answer. heddle trusts nothing in a request,
// because a program may write anything into its socket.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::program {

/// The environment variable that starts the protocol in a program. Its value has, with commas
/// between them: the file descriptors of the socket and of the memory, 1 or 0 for --check, the
/// number of devices, and the processor, which is empty until heddle has chosen it.
inline constexpr char environment_variable[] = "HEDDLE_PROGRAM";

/// The size of a device's memory. After the memory of all devices, the file has marks: a byte for
/// each byte of memory, which is not 0 if that byte was written. The program keeps the marks up to
/// date only for --check.
inline constexpr std::uint64_t device_bytes = std::uint64_t{4} << 30;
inline constexpr unsigned most_devices = 16;
inline constexpr std::uint64_t page_bytes = 4096;

/// In the program's executable, this text and the number of a source take the place of the source's
/// code object. heddle has compiled the source already and knows the code object by the number.
inline constexpr std::string_view module_mark = "heddle module ";

/// The variable that holds the text printed by kernels (without_rocm/print.h).
inline constexpr std::string_view printed_variable = "heddle_printed";
/// The variable that holds the heap of kernels (without_rocm/memory_functions.h).
inline constexpr std::string_view heap_variable = "heddle_heap";

/// The variable that is the barrier of a grid (hip_cooperative_groups.h). Its first word is not 0
/// in a cooperative launch.
inline constexpr std::string_view grid_barrier_variable =
    "_ZN18cooperative_groups19heddle_grid_barrierE";

enum class Request : std::uint32_t {
  load,     // bytes of a code object, bundle or PTX, or a module_mark and a number
  unload,   // the number of a module
  launch,   // LaunchRequest; the answer to one that ran: a word, a newline, what was printed
  compile,  // a source text of HIP, its options, and the headers that come as texts, for hiprtc
  mistake,  // MistakeRequest, and a sentence
  choose,   // a bundle or nothing: the answer is the processor that heddle runs
};

enum class Status : std::uint32_t {
  done,
  refused,  // nothing ran
  fault,    // the kernel was ended
};

struct Header {
  std::uint32_t kind = 0;  // Request, or Status of the answer
  std::uint32_t bytes = 0;
};
inline constexpr std::uint32_t most_message_bytes = 1u << 28;

/// One of Launch::buffers.
struct BufferEntry {
  std::uint64_t offset = 0, bytes = 0;  // in the memory of the device; 0 bytes: no buffer
  std::uint32_t number = 0;             // the number of the allocation, counted from 1
  std::uint8_t is_initialised = 1, is_freed = 0, is_host = 0;
  std::uint8_t device = 0;  // counted from 1, if the launch is on another without access to it
};

/// The beginning of a launch request. A BufferEntry for each buffer follows, and then the bytes of
/// the arguments.
struct LaunchRequest {
  std::uint32_t module = 0, kernel = 0;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t lds_bytes = 0;
  // not 0: workgroups run one after the other
  std::uint32_t is_in_order = 0;
  std::uint64_t variables_offset = 0, variables_bytes = 0;  // place of the module's image
  std::uint32_t buffers = 0, argument_bytes = 0;
};

/// A mistake of the host code. `addresses` has an address for each call that led to the mistake,
/// the innermost call first. They are addresses of instructions, relative to the start of the
/// program. `is_launch`: the first call may be in code that CUDA's compiler writes for a launch.
/// Such code has the line of the kernel, and is inlined where the program launches it.
struct MistakeRequest {
  static constexpr std::uint32_t most_calls = 16;
  std::uint32_t calls = 0, is_launch = 0;
  std::array<std::uint64_t, most_calls> addresses{};
};

/// Builds the bytes of a message from numbers and texts, one after the other.
class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* first = reinterpret_cast<const char*>(&value);
    bytes_.append(first, sizeof value);
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads the numbers and texts of a message. Past the end it returns zeros, and is_good() is false
/// from then on.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T get() {
    T value{};
    if (const std::string_view bytes = take(sizeof value); bytes.size() == sizeof value)
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view get_text() { return take(get<std::uint64_t>()); }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) {
      good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  bool is_good() const { return good_; }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

/// send_message sends a whole message, and receive_message waits for one. They return false if the
/// other side has ended, or has sent too much. `ended` is a file descriptor that becomes readable
/// when the other side has ended, or -1.
bool send_message(int socket, std::uint32_t kind, std::string_view bytes, int ended = -1);
bool receive_message(int socket, Header& header, std::string& bytes, int ended = -1);

}  // namespace heddle::program
