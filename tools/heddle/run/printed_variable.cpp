#include "tools/heddle/run/printed_variable.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "emulator/record/printed.h"
#include "runtime/files/printable.h"
#include "runtime/program/printed_text.h"
#include "runtime/program/protocol.h"

namespace heddle::tool {

const emulator::DeviceVariable* find_printed(const runtime::Module& module,
                                             std::span<const std::byte> image) {
  const auto all = module.variables();
  const auto found =
      std::ranges::find(all, program::printed_variable, &emulator::DeviceVariable::name);
  return found != all.end() && found->offset + found->size <= image.size() ? &*found : nullptr;
}

std::string take_printed(std::span<std::byte> image, const emulator::DeviceVariable& variable) {
  // Texts are constants of the same image.
  const std::uint64_t first = variable.address - variable.offset;
  const auto text_at = [&](std::uint64_t address) -> std::string {
    if (address - first >= image.size()) return address == 0 ? "(null)" : "(no text)";
    const auto* text = reinterpret_cast<const char*>(image.data() + (address - first));
    return {text, ::strnlen(text, image.size() - (address - first))};
  };
  program::Printed printed =
      program::take_printed(image.subspan(variable.offset, variable.size), text_at);
  if (printed.is_cut) printed.text += emulator::printed_was_cut;
  return runtime::printable(printed.text);
}

}  // namespace heddle::tool
