#include "coverage.h"

#include <algorithm>
#include <cstring>

#include "emulator/decode/assembly_text.h"
#include "emulator/decode/disassembler.h"
#include "emulator/decode/program.h"
#include "emulator/decode/translate.h"
#include "opcode_space.h"

namespace heddle::emulator::testing {
namespace {

struct Absence {
  std::string_view prefix;  // of the mnemonic
  std::string_view reason;
  Families families = {};  // none: all
  int wave = 0;            // 0: all
};

constexpr Absence absences[] = {
    {"buffer_load_format_", "typed buffers: images by another name"},
    {"buffer_store_format_", "typed buffers: images by another name"},
    {"buffer_load_d16_format_", "typed buffers: images by another name"},
    {"buffer_store_d16_format_", "typed buffers: images by another name"},
    {"buffer_load_d16_hi_format_", "typed buffers: images by another name"},
    {"buffer_store_d16_hi_format_", "typed buffers: images by another name"},
    {"tbuffer_", "typed buffers: images by another name"},
    {"ds_bvh_stack_", "ray tracing"},
    // What has an encoding that opcode_space() leaves out.
    {"exp", "of graphics"},  // RDNA3's "exp" is "export" from RDNA4 on
    {"v_interp_", "of graphics"},
    {"ds_param_load", "of graphics"},
    {"ds_direct_load", "of graphics"},
    {"lds_param_load", "of graphics"},
    {"lds_direct_load", "of graphics"},
    {"image_", "images"},
    {"ds_gws_", "global wave sync: counters of the device, which no launch here has"},
    {"ds_add_gs_reg_rtn", "of graphics", isa::gfx11},
    {"ds_sub_gs_reg_rtn", "of graphics", isa::gfx11},
    {"ds_ordered_count", "its order is that of the wave launcher"},
    {"buffer_store_lds_dword", "a store of LDS to memory, which no compiler emits", isa::gfx9},
    {"scratch_load_lds_", "scratch to LDS, which no compiler emits", isa::gfx9},
    {"s_cbranch_g_fork", "a branch with a stack of its own, which no compiler emits", isa::gfx9},
    {"s_cbranch_i_fork", "a branch with a stack of its own, which no compiler emits", isa::gfx9},
    {"s_cbranch_join", "a branch with a stack of its own, which no compiler emits", isa::gfx9},
    {"s_setvskip", "no compiler emits it", isa::gfx9},
    {"s_set_gpr_idx_mode", "registers by M0 are followed in the code, which it changes", isa::gfx9},
    {"s_rfe_restore_b64", "of trap handlers", isa::gfx9},
    {"v_clrexcp", "of trap handlers", isa::gfx9},
    {"s_endpgm_ordered_ps_done", "of graphics", isa::gfx9},
    {"v_screen_partition_4se_b32", "of graphics", isa::gfx9},
    {"v_mfma_ld_scale_b32", "the first half of v_mfma_scale_*, which is executed as one",
     isa::gfx9},
    {"s_rfe_b64", "of trap handlers"},
    {"s_rfe_i64", "of trap handlers", isa::gfx1250},
    {"tensor_save", "of trap handlers", isa::gfx1250},
    {"tensor_stop", "of trap handlers", isa::gfx1250},
    {"v_wmma_ld_scale", "the first half of v_wmma_scale_*, which is executed as one", isa::gfx1250},
    {"v_permlane_idx_gen_b32", "no document here says which numbers it makes", isa::gfx1250},
    {"s_sendmsghalt", "of graphics"},
    {"s_endpgm_ordered_ps_done", "of graphics", isa::gfx11},
    {"s_subvector_loop_", "no compiler emits it", isa::gfx11},
    {"s_code_end", "padding after the last instruction, never executed"},
    {"s_alloc_vgpr", "dynamic VGPRs, a mode that no launch here has", isa::gfx12},
    {"global_atomic_ordered_add_b64", "its order is that of the wave launcher", isa::gfx12},
    {"ds_permute_b32", "no document says how far it reaches in wave64", isa::gfx12, 64},
};

}  // namespace

std::string_view reason_for_absence(std::string_view mnemonic, const Target& target, int wave) {
  for (const Absence& absence : absences)
    if (mnemonic.starts_with(absence.prefix) &&
        (absence.families == Families{} || absence.families.contains(target.family)) &&
        (absence.wave == 0 || absence.wave == wave))
      return absence.reason;
  return {};
}

Coverage coverage(const Target& target, int wave) {
  Coverage result;
  Attachments attachments;
  std::map<std::string, std::map<std::string, bool>> names;  // encoding -> mnemonic -> covered
  std::map<std::string, bool> all;
  for (const EncodedInstruction& instruction : opcode_space(target, wave)) {
    const auto translated = translate(parse_instruction(instruction.text), {target, wave},
                                      instruction.first_word, attachments);
    if (!translated)
      result.missing[instruction.mnemonic] = instruction.text + ": " + translated.error();
    for (auto* known : {&names[instruction.encoding], &all}) {
      bool& covered = known->try_emplace(instruction.mnemonic, true).first->second;
      covered = covered && translated.has_value();
    }
  }
  const auto count = [](const std::map<std::string, bool>& known) {
    Coverage::Count c;
    for (const auto& [name, covered] : known) {
      ++c.all;
      c.covered += covered;
    }
    return c;
  };
  for (const auto& [encoding, known] : names) result.by_encoding[encoding] = count(known);
  result.total = count(all);
  return result;
}

std::map<std::string, std::string> refused(std::span<const std::byte> code, const Target& target,
                                           int wave, std::set<std::string>& emitted) {
  std::map<std::string, std::string> result;
  auto disassembler = Disassembler::create(target, wave);
  Attachments attachments;
  std::string text;
  for (std::size_t at = 0; disassembler && at + 4 <= code.size();) {
    uint8_t implicit = 0;
    const uint32_t size = disassembler->decode(code.subspan(at), at, text, implicit);
    uint32_t word = 0;
    std::memcpy(&word, code.data() + at, sizeof word);
    at += size == 0 ? 4 : size;
    if (size == 0) continue;
    // Two in one have a mnemonic each.
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find("::"), rest.size());
      TextInstruction parsed = parse_instruction(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 2, rest.size()));
      const std::string single = single_mnemonic(parsed.mnemonic);
      parsed.mnemonic = single;
      const std::string name(base_mnemonic(single));
      emitted.insert(name);
      if (const auto translated = translate(parsed, {target, wave}, word, attachments); !translated)
        result.try_emplace(name, text + ": " + translated.error());
    }
  }
  return result;
}

}  // namespace heddle::emulator::testing
