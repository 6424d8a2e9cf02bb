// The output of kernels: the text of a launch, and printf's formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace heddle::emulator {

// The text of a launch, workgroup by workgroup, so that it does not depend on the threads of the
// host. Any thread may add to it.
class PrintedText {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;  // the rest is lost

  void add(uint64_t workgroup, std::string_view text);
  // Forgets the text, as before a run is repeated.
  void clear();
  // From now on nothing is added.
  void close();
  // The whole text. If some was lost, its last line says so.
  std::string text() const;
  // The last line that a workgroup has printed, as part of a message.
  std::string last_line(uint64_t workgroup) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, std::string> texts_;
  std::size_t bytes_ = 0;
  bool is_cut_ = false, is_closed_ = false;
};

// The line that ends a text of which some was lost.
inline constexpr std::string_view printed_was_cut =
    "\n(more than 1 MiB was printed; the rest is lost)\n";

// The values of a call of printf, in the order of the format. Numbers have 4 or 8 bytes, in the low
// bytes of the result.
struct PrintfValues {
  std::function<uint64_t(unsigned bytes)> number;
  std::function<std::string()> text;  // of %s
};

// The text that printf makes of a format and its values. Widths and precisions are cut at 1000, %n
// writes nothing, and a text of 1 MiB is long enough. `count`, if not null, gets the number of
// values that the format names.
std::string printf_text(std::string_view format, const PrintfValues& values,
                        unsigned* count = nullptr);

// A text of a kernel's as part of a message: one line of at most 500 printable bytes.
std::string quoted_text(std::string_view text);

}  // namespace heddle::emulator
