// Writes what a program's kernels have printed; the text goes to the standard output of the
// program.
#include <cstdio>
#include <cstring>

#include "runtime/program/device.h"
#include "runtime/program/printed_text.h"

namespace heddle::program {

const std::byte* ProgramDevice::bytes_at(const ProgramModule& module, std::uint64_t address,
                                         std::uint64_t& left) const {
  if (const Allocation* in = find(address)) {
    left = in->bytes - (address - in->address);
    return memory_ + in->offset + (address - in->address);
  }
  if (module.variables.empty()) return nullptr;
  // The image also has constants without names. Any variable tells the address of the image.
  const std::uint64_t image = module.variables.front().address - module.variables.front().offset;
  if (address - image >= module.image_bytes) return nullptr;
  left = module.image_bytes - (address - image);
  return image_of(module) + (address - image);
}

std::string ProgramDevice::text_at(const ProgramModule& module, std::uint64_t address) const {
  std::uint64_t left = 0;
  const std::byte* first = bytes_at(module, address, left);
  if (!first) return address == 0 ? "(null)" : "(no text)";
  const auto* text = reinterpret_cast<const char*>(first);
  return {text, ::strnlen(text, left)};
}

void ProgramDevice::print(ProgramModule& module) {
  const Variable* variable = module.find_variable(printed_variable);
  const Printed printed =
      take_printed({image_of(module) + variable->offset, variable->bytes},
                   [&](std::uint64_t address) { return text_at(module, address); });
  std::fputs(printed.text.c_str(), stdout);
  std::fflush(stdout);
  if (printed.is_cut) tell("a kernel printed more than 1 MiB; the rest is lost");
}

}  // namespace heddle::program
