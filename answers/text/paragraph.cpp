#include "answers/text/paragraph.h"

#ifndef __wasi__
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdlib>

namespace heddle::answers {
namespace {

/// The number of columns that UTF-8 `text` takes: its bytes without those that continue a
/// character.
int columns(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
  }));
}

constexpr int narrowest = 60, widest = 100;

}  // namespace

int terminal_width() {
#ifdef __wasi__  // which has no such call: the host of the module says it
  const char* columns = std::getenv("COLUMNS");
  return columns == nullptr ? 0 : std::atoi(columns);
#else
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
#endif
}

int output_width() { return std::clamp(table_width(), narrowest, widest); }

int table_width() {
  const int width = terminal_width();
  return width == 0 ? widest : width;
}

std::string paragraph(std::string_view label, std::string_view words, int indent, int width) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string text(label);
  const int label_columns = columns(label);
  text += label_columns < indent || label.empty()
              ? margin.substr(static_cast<std::size_t>(label_columns))
              : '\n' + margin;
  int column = indent;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const bool first = column == indent;
    if (!first && column + 1 + columns(word) > width) {
      text += '\n' + margin;
      column = indent;
    } else if (!first) {
      text += ' ';
      ++column;
    }
    text += word;
    column += columns(word);
  }
  return text + '\n';
}

}  // namespace heddle::answers
