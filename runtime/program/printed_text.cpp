// Formats the text that kernels printed. The kernels' printf (without_rocm/print.h) stores only the
// format and the values in a variable.
#include "runtime/program/printed_text.h"

#include <algorithm>
#include <cstring>

#include "emulator/record/printed.h"

namespace heddle::program {
namespace {

/// Formats one call of printf. The first word is the address of the format; the others are the
/// values, a word each.
std::string text_of_call(const std::uint64_t* words, std::uint64_t count, const TextAt& text_at) {
  std::uint64_t next = 1;
  const auto take = [&] { return next < count ? words[next++] : 0; };
  return emulator::printf_text(text_at(words[0]), {.number = [&](unsigned) { return take(); },
                                                   .text = [&] { return text_at(take()); }});
}

}  // namespace

Printed take_printed(std::span<std::byte> variable, const TextAt& text_at) {
  Printed printed;
  if (variable.size() < 16) return printed;
  const std::size_t room = variable.size() - 8;
  std::uint32_t used = 0;
  std::memcpy(&used, variable.data(), sizeof used);
  const auto* word = reinterpret_cast<const std::uint64_t*>(variable.data() + 8);
  std::uint64_t left = std::min<std::uint64_t>(room / 8, used / 8);
  while (left >= 2 && word[0] >= 2 && word[0] <= left) {
    printed.text += text_of_call(word + 1, word[0] - 1, text_at);
    left -= word[0];
    word += word[0];
  }
  printed.is_cut = used > room;
  std::memset(variable.data(), 0, std::min<std::size_t>(variable.size(), 8 + std::size_t{used}));
  return printed;
}

}  // namespace heddle::program
