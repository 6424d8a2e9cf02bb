#include "opcode_space.h"

#include <array>
#include <cstring>

#include "emulator/decode/disassembler.h"
#include "emulator/decode/program.h"

namespace heddle::emulator::testing {
namespace {

// RDNA3 and RDNA4 Instruction Set Architecture, chapter "Microcode formats".
struct Encoding {
  const char* name;
  Families families;  // none: gfx11 and gfx12
  uint32_t pattern;
  int opcode_bit;
  uint32_t opcodes;
  // What stands in the operand fields: the first set that the disassembler takes.
  std::vector<std::array<uint32_t, 3>> operands;
};

constexpr uint32_t v = 256;  // VGPR 0 as a 9-bit source

constexpr std::array<uint32_t, 3> sources(uint32_t a, uint32_t b, uint32_t c) {
  return {0, a | b << 9 | c << 18, 0};
}

const std::vector<std::array<uint32_t, 3>>& vector_sources() {
  static const std::vector<std::array<uint32_t, 3>> all = {
      sources(v, v, v),
      sources(v, v, 0),
      sources(v, 0, 0),
      sources(0, 0, 0),
  };
  return all;
}

// The third source of these is a mask in a scalar register, and LLVM's disassembler takes a VGPR,
// too.
bool takes_vgpr_as_mask(std::string_view name, const std::array<uint32_t, 3>& operands) {
  return (name.starts_with("v_cndmask_") || name.contains("_co_ci_") ||
          name.starts_with("v_addc_co_") || name.starts_with("v_subb")) &&
         operands == sources(v, v, v);
}

// AMD Instinct MI300 ISA, the chapter of the same name. MFMA with scales has four words, of which
// opcodes of VOP3P stand in the first and the third.
std::vector<Encoding> encodings_of_cdna() {
  const std::vector<std::array<uint32_t, 3>> zeros = {{0, 0, 0}, {4, 0, 0}, {128, 0, 0}};
  return {
      {"SOP1", isa::gfx9, 0xbe800000u, 8, 256, zeros},
      {"SOP2", isa::gfx9, 0x80000000u, 23, 96, zeros},
      {"SOPC", isa::gfx9, 0xbf000000u, 16, 128, zeros},
      {"SOPK", isa::gfx9, 0xb0000000u, 23, 32, zeros},
      {"SOPP", isa::gfx9, 0xbf800000u, 16, 128, zeros},
      {"SMEM", isa::gfx9, 0xc0020000u, 18, 256, {{0, 0, 0}}},
      {"VOP1", isa::gfx9, 0x7e000000u, 9, 256, {{v, 0, 0}, {0, 0, 0}}},
      {"VOP2", isa::gfx9, 0x00000000u, 25, 62, {{v, 0, 0}}},
      {"VOPC", isa::gfx9, 0x7c000000u, 17, 256, {{v, 0, 0}}},
      {"VOP3", isa::gfx9, 0xd0000000u, 16, 896, vector_sources()},
      {"VOP3P",
       isa::gfx9,
       0xd3800000u,
       16,
       128,
       {{0x4000u, v | v << 9 | v << 18 | 3u << 27, 0}, {0, v | v << 9 | v << 18, 0}}},
      {"DS", isa::gfx9, 0xd8000000u, 17, 256, {{0, 0, 0}, {1u << 16, 0, 0}}},  // also GDS alone
      {"FLAT", isa::gfx9, 0xdc000000u, 18, 128, {{0, 0, 0}}},
      {"SCRATCH", isa::gfx9, 0xdc004000u, 18, 128, {{0, 0x007f0000u, 0}}},
      {"GLOBAL", isa::gfx9, 0xdc008000u, 18, 128, {{0, 0x007f0000u, 0}}},
      {"MUBUF",
       isa::gfx9,
       0xe0000000u,
       18,
       128,
       {{0, 0x80000000u, 0}, {0x00010000u, 0x80000000u, 0}}},
      {"MTBUF", isa::gfx9, 0xe8000000u, 15, 16, {{0, 0x80000000u, 0}}},
  };
}

std::vector<Encoding> encodings() {
  const std::vector<std::array<uint32_t, 3>> zeros = {{0, 0, 0}, {4, 0, 0}, {128, 0, 0}};
  return {
      {"SOP1", {}, 0xbe800000u, 8, 256, zeros},
      {"SOP2", {}, 0x80000000u, 23, 96, zeros},
      {"SOPC", {}, 0xbf000000u, 16, 128, zeros},
      {"SOPK", {}, 0xb0000000u, 23, 32, zeros},
      {"SOPP", {}, 0xbf800000u, 16, 128, zeros},
      {"SMEM", isa::gfx11, 0xf4000000u, 18, 256, {{0, 0xf8000000u, 0}}},
      {"SMEM", isa::gfx12, 0xf4000000u, 13, 64, {{0, 0xf8000000u, 0}}},
      {"VOP1", {}, 0x7e000000u, 9, 256, {{v, 0, 0}, {0, 0, 0}}},
      {"VOP2", {}, 0x00000000u, 25, 62, {{v, 0, 0}}},
      {"VOPC", {}, 0x7c000000u, 17, 256, {{v, 0, 0}}},
      {"VOP3", {}, 0xd4000000u, 16, 1024, vector_sources()},
      // op_sel_hi all ones, which is what an instruction without has.
      {"VOP3P",
       {},
       0xcc004000u,
       16,
       128,
       {{0, v | v << 9 | v << 18 | 3u << 27, 0}, {0, v | v << 9 | v << 18, 0}}},
      {"DS", isa::gfx11, 0xd8000000u, 18, 256, {{0, 0, 0}, {1u << 17, 0, 0}}},  // also GDS alone
      {"DS", isa::gfx12, 0xd8000000u, 18, 256, {{0, 0, 0}}},
      {"FLAT", isa::gfx11, 0xdc000000u, 18, 128, {{0, 0x007c0000u, 0}}},
      {"SCRATCH", isa::gfx11, 0xdc010000u, 18, 128, {{0, 0x00000000u, 0}}},
      {"GLOBAL", isa::gfx11, 0xdc020000u, 18, 128, {{0, 0x007c0000u, 0}}},
      {"MUBUF", isa::gfx11, 0xe0000000u, 18, 256, {{0, 0x80000000u, 0}}},
      {"MTBUF", isa::gfx11, 0xe8200000u, 15, 16, {{0, 0x80000000u, 0}}},
      {"VFLAT", isa::gfx12, 0xec00007cu, 14, 256, {{0, 0, 0}}},
      {"VSCRATCH", isa::gfx12, 0xed000000u, 14, 256, {{0, 0, 0}}},
      {"VGLOBAL", isa::gfx12, 0xee00007cu, 14, 256, {{0, 0, 0}}},
      {"VBUFFER", isa::gfx12, 0xc4000000u, 14, 256, {{0, 0x00800000u, 0}, {0, 0, 0}}},
  };
}

}  // namespace

std::vector<EncodedInstruction> opcode_space(const Target& target, int wave) {
  auto disassembler = Disassembler::create(target, wave);
  std::vector<EncodedInstruction> all;
  if (!disassembler) return all;
  for (const Encoding& encoding : is_cdna(target.family) ? encodings_of_cdna() : encodings()) {
    if (encoding.families != Families{} && !encoding.families.contains(target.family)) continue;
    for (uint32_t opcode = 0; opcode < encoding.opcodes; ++opcode) {
      for (const auto& operands : encoding.operands) {
        uint32_t words[5] = {encoding.pattern | opcode << encoding.opcode_bit | operands[0],
                             operands[1], operands[2], 0, 0};
        std::byte bytes[sizeof words];
        std::memcpy(bytes, words, sizeof words);
        std::string text;
        uint8_t implicit = 0;
        if (disassembler->decode(bytes, 0, text, implicit) == 0 || text.contains("Invalid"))
          continue;
        const std::string name(base_mnemonic(text.substr(0, text.find_first_of(" \t"))));
        if (takes_vgpr_as_mask(name, operands)) continue;
        // Of matrix instructions, op_sel_hi is another field, which most of them do not have.
        if (text.contains("abid:") || text.contains("matrix_b_fmt:7")) continue;
        all.push_back({encoding.name, name, text, words[0]});
        break;
      }
    }
  }
  return all;
}

}  // namespace heddle::emulator::testing
