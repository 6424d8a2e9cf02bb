// The text that the kernels of a launch print, and the formatting of printf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace heddle::emulator {

// The text that a launch prints. The text is ordered by workgroup, so that it does not depend on
// the timing of host threads. Any thread may call add().
class PrintedText {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;  // the rest is lost

  void add(uint64_t workgroup, std::string_view text);
  // Forgets the text, as before a run is repeated.
  void clear();
  // From now on nothing is added.
  void close();
  // The whole text. If text was lost because of the limit, the last line says so.
  std::string text() const;
  // The last line that a workgroup has printed, in a form for messages.
  std::string last_line(uint64_t workgroup) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, std::string> texts_;
  std::size_t bytes_ = 0;
  bool is_cut_ = false, is_closed_ = false;
};

// The last line of the text if some text was lost.
inline constexpr std::string_view printed_was_cut =
    "\n(more than 1 MiB was printed; the rest is lost)\n";

// Reads the arguments of a printf call, in the order of the format. A number has 4 or 8 bytes,
// which are returned in the low bytes of the result.
struct PrintfValues {
  std::function<uint64_t(unsigned bytes)> number;
  std::function<std::string()> text;  // of %s
};

// The text that printf makes of a format and arguments. Widths and precisions are limited to 1000,
// %n writes nothing, and the text ends after 1 MiB. If `count` is not null, it receives the number
// of arguments that the format uses.
std::string printf_text(std::string_view format, const PrintfValues& values,
                        unsigned* count = nullptr);

// Text of a kernel in a form for messages: one line of at most 500 printable bytes.
std::string quoted_text(std::string_view text);

}  // namespace heddle::emulator
