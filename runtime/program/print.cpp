// What kernels printed: without_rocm/print.h keeps it in a variable, here it becomes text.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/program/device.h"

namespace heddle::program {

const std::byte* ProgramDevice::bytes_at(const ProgramModule& module, std::uint64_t address,
                                         std::uint64_t& left) const {
  if (const Allocation* in = find(address)) {
    left = in->bytes - (address - in->address);
    return memory_ + in->offset + (address - in->address);
  }
  if (module.variables.empty()) return nullptr;
  // Constants without a name lie in the image too, whose address follows from any variable's.
  const std::uint64_t image = module.variables.front().address - module.variables.front().offset;
  if (address - image >= module.image_bytes) return nullptr;
  left = module.image_bytes - (address - image);
  return memory_ + module.image_offset + (address - image);
}

std::string ProgramDevice::text_at(const ProgramModule& module, std::uint64_t address) const {
  std::uint64_t left = 0;
  const std::byte* first = bytes_at(module, address, left);
  if (!first) return address == 0 ? "(null)" : "(no text)";
  const auto* text = reinterpret_cast<const char*>(first);
  return {text, ::strnlen(text, left)};
}

/// One conversion, such as "%-8.3f", with its value in a word. The length is that of the word.
std::string ProgramDevice::formatted(const ProgramModule& module, const std::uint64_t* words,
                                     std::uint64_t count) const {
  const std::string format = text_at(module, words[0]);
  std::string text;
  std::uint64_t next = 1;
  const auto take = [&] { return next < count ? words[next++] : 0; };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      text += format[i];
      continue;
    }
    if (format[i + 1] == '%') {
      text += format[++i];
      continue;
    }
    std::string one = "%";
    std::string length;
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      if (c == '*')
        one += std::to_string(static_cast<int>(take()));
      else if (std::strchr("hlLqjzt", c))
        length += c;
      else if (std::strchr("-+ #0123456789.", c))
        one += c;
      else
        break;
    }
    const char conversion = i < format.size() ? format[i] : 'd';
    const std::uint64_t word = take();
    char buffer[512];
    if (conversion == 's') {
      const std::string value = text_at(module, word);
      std::snprintf(buffer, sizeof buffer, (one + "s").c_str(), value.c_str());
    } else if (conversion == 'p') {
      std::snprintf(buffer, sizeof buffer, (one + "p").c_str(), reinterpret_cast<void*>(word));
    } else if (std::strchr("fFeEgGaA", conversion)) {
      double value;
      std::memcpy(&value, &word, sizeof value);
      std::snprintf(buffer, sizeof buffer, (one + conversion).c_str(), value);
    } else if (conversion == 'c') {
      std::snprintf(buffer, sizeof buffer, (one + "c").c_str(), static_cast<int>(word));
    } else if (std::strchr("di", conversion)) {
      const auto value = length.empty() || length[0] == 'h' ? static_cast<int>(word)
                                                            : static_cast<long long>(word);
      std::snprintf(buffer, sizeof buffer, (one + "lld").c_str(), static_cast<long long>(value));
    } else if (std::strchr("ouxX", conversion)) {
      const unsigned long long value =
          length.empty() || length[0] == 'h' ? static_cast<unsigned>(word) : word;
      std::snprintf(buffer, sizeof buffer, (one + "ll" + conversion).c_str(), value);
    } else {
      std::snprintf(buffer, sizeof buffer, "%%%c", conversion);
    }
    text += buffer;
  }
  return text;
}

void ProgramDevice::print(ProgramModule& module) {
  const Variable* variable = module.find_variable(printed_variable);
  if (variable->bytes < 16) return;
  std::byte* const first = memory_ + module.image_offset + variable->offset;
  std::uint32_t used = 0;
  std::memcpy(&used, first, sizeof used);
  std::uint64_t room = (variable->bytes - 8) / 8;
  const auto* word = reinterpret_cast<const std::uint64_t*>(first + 8);
  room = std::min<std::uint64_t>(room, used / 8);
  while (room >= 2 && word[0] >= 2 && word[0] <= room) {
    std::fputs(formatted(module, word + 1, word[0] - 1).c_str(), stdout);
    room -= word[0];
    word += word[0];
  }
  std::fflush(stdout);
  if (used > variable->bytes - 8) tell("a kernel printed more than 1 MiB; the rest is lost");
  std::memset(first, 0, std::min<std::uint64_t>(variable->bytes, 8 + std::uint64_t{used}));
}

}  // namespace heddle::program
