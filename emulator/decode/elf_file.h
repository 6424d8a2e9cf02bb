// The ELF file of a code object, read with every offset checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "emulator/decode/code_object.h"
#include "emulator/decode/program.h"
#include "emulator/decode/source_lines.h"

namespace heddle::emulator {

struct ElfSymbol {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;       // bytes; 0: not said
  bool is_object = false;  // a variable, and no function
};

struct ElfFile {
  unsigned machine = 0;  // EF_AMDGPU_MACH
  std::vector<std::byte> image;
  std::vector<Program::Range> code;  // executable ranges of the image: rising, without overlap
  std::vector<ElfSymbol> symbols;    // defined ones
  std::string metadata;              // MessagePack, empty when there is none
  DebugSections debug;               // .debug_line and the others, uncompressed ones only

  // Reads the file and applies its relocations. Error: it is not a 64-bit little-endian AMDGPU
  // shared object.
  static std::expected<ElfFile, std::string> read(std::span<const std::byte> bytes);
};

// The debug information of any 64-bit ELF file, for example of a program of the host. Empty if
// `bytes` is no such file.
DebugSections debug_sections(std::span<const std::byte> bytes);

}  // namespace heddle::emulator
