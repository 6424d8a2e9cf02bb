#include "emulator/decode/translate.h"

#include <algorithm>
#include <array>
#include <span>

#include "emulator/decode/constants.h"
#include "emulator/decode/dpp.h"
#include "emulator/decode/opcode_table.h"
#include "emulator/decode/operand_placement.h"
#include "emulator/decode/program.h"
#include "emulator/machine/halves.h"
#include "emulator/machine/mfma_form.h"
#include "emulator/machine/subwords.h"
#include "heddle/instruction/modifiers.h"
#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

class Translator : OperandPlacement {
 public:
  Translator(const TextInstruction& text, const Row& row, const Machine& machine,
             uint32_t first_word, Attachments& attachments)
      : OperandPlacement(text, row, machine, attachments), first_word_(first_word) {}

  std::expected<Translation, std::string> run() {
    in_.extra = row_.extra;
    if (row_.form != Form::ignored) {
      place_operands();
      apply_modifiers();
    }
    if (failure_) return std::unexpected(failure_.message());
    choose_handler();
    if (failure_) return std::unexpected(failure_.message());
    note_halves();
    note_float_mode();
    if (text_.mnemonic.ends_with("_sdwa")) wrap_subwords();
    if (machine_.indexed && row_.form <= Form::vector_compare_exec) wrap_indexed();
    if (failure_) return std::unexpected(failure_.message());
    return result_;
  }

 private:
  // Sets by_halves: whether a wave of 64 lanes executes this instruction as two instructions for 32
  // lanes each. If it does, and the upper half's instruction is wanted, rewrites the operands for
  // the upper half.
  void note_halves() {
    const bool vector = row_.form <= Form::vector_compare_exec;
    const bool memory = row_.form >= Form::memory_load && row_.form < Form::matrix;
    result_.by_halves = machine_.wave == 64 && row_.wave != 64 && (vector || memory);
    result_.mask_destination = row_.form == Form::vector_compare;
    result_.carry_out = row_.carry_out;
    result_.writes_exec = row_.form == Form::vector_compare_exec;
    if (!result_.by_halves || !machine_.upper_half) return;
    unsigned masks = 0;
    for (int i = 0; i < 4; ++i)
      if (vector && row_.sources[i] == Type::mask) masks |= 1u << i;
    move_to_upper_half(in_, masks, result_.mask_destination, result_.carry_out);
  }

  // MODE has one rounding and denormal mode for f32, and another one for f16 and f64 (RDNA3 ISA,
  // "MODE register"). Finds out whether the instruction uses the latter.
  void note_float_mode() {
    const auto other = [](Type t) {
      return t == Type::f16 || t == Type::f64 || t == Type::packed_f16;
    };
    const bool compares =
        row_.form == Form::vector_compare || row_.form == Form::vector_compare_exec;
    result_.in_other_mode = row_.form <= Form::scalar_compare &&
                            (other(row_.destination) || (compares && other(row_.sources[0])));
    result_.sets_float_mode = is("s_round_mode") || is("s_denorm_mode") ||
                              (is("s_setreg") && in_.offset == hardware_register_mode);
  }

  // --- modifiers -----------------------------------------------------------------------------

  // On gfx1250, packed f32 reads only one word of a scalar operand and uses it for both results
  // (LLVM, isLegalGFX12PlusPackedMathFP32Operand).
  void keep_scalars_single() {
    if (!machine_.target.has(Feature::gfx1250_code)) return;
    for (int i = 0; i < source_count(); ++i)
      if (row_.sources[i] == Type::packed_f32 && in_.source[i].kind == SourceKind::scalar)
        in_.source[i].flags &= static_cast<uint8_t>(~(source_high | source_high_for_high));
  }

  // `names` lists the possible values of a modifier. Returns the index of the value in the text; 0
  // if the text does not have the modifier. An unknown value is a failure.
  int name_of(std::string_view modifier, std::span<const std::string_view> names) {
    const TextModifier* found = text_.find(modifier);
    if (!found) return 0;
    const auto at = std::ranges::find(names, found->value);
    if (at == names.end())
      failure_("the modifier " + std::string(modifier) + ":" + std::string(found->value));
    return static_cast<int>(at - names.begin());
  }

  bool is_gfx1250_matrix() const {
    return row_.form == Form::matrix && machine_.target.has(Feature::gfx1250_code);
  }

  // Applies those modifiers of gfx1250's matrix instructions that select formats and scales. The
  // other modifiers are the same as on RDNA.
  void apply_gfx1250_matrix_modifiers() {
    constexpr std::array<std::string_view, 5> formats = {
        "MATRIX_FMT_FP8", "MATRIX_FMT_BF8", "MATRIX_FMT_FP6", "MATRIX_FMT_BF6", "MATRIX_FMT_FP4"};
    constexpr std::array<std::string_view, 2> rows = {"MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1"};
    constexpr std::array<std::string_view, 3> scales = {
        "MATRIX_SCALE_FMT_E8", "MATRIX_SCALE_FMT_E5M3", "MATRIX_SCALE_FMT_E4M3"};
    const WmmaModifiers modifiers{.a_format = name_of("matrix_a_fmt", formats),
                                  .b_format = name_of("matrix_b_fmt", formats),
                                  .a_row = name_of("matrix_a_scale", rows),
                                  .b_row = name_of("matrix_b_scale", rows),
                                  .a_scale_format = name_of("matrix_a_scale_fmt", scales),
                                  .b_scale_format = name_of("matrix_b_scale_fmt", scales)};
    if (number("index_key", 0) != 0) failure_("the modifier index_key");
    in_.offset = modifiers.packed();
    if (mfma_row(row_.extra).has(instruction::Operand::scale_a)) {
      in_.source[3] = vgpr_source(operand(4));
      in_.destination2 = vgpr_source(operand(5)).index;
    }
    for (std::size_t i = 1; i < 3; ++i) vgpr_source(operand(i));
  }

  bool is_cdna_matrix() const {
    return row_.form == Form::matrix && machine_.target.has(Feature::mfma);
  }

  bool is_vector_form() const {
    return row_.form <= Form::vector_to_scalar || row_.form == Form::matrix;
  }

  // Applies op_sel, which selects the upper or lower half of registers. A register that is written
  // as v1.h names its half too; LLVM prints the half in both ways.
  void apply_half_selection() {
    const std::vector<int64_t> select = list("op_sel"), select_high = list("op_sel_hi"),
                               negate = list("neg_lo"), negate_high = list("neg_hi");
    const auto count = static_cast<std::size_t>(source_count());
    const auto set = [](const std::vector<int64_t>& bits, std::size_t i) {
      return i < bits.size() && bits[i] != 0;
    };
    for (std::size_t i = 0; i < count; ++i) {
      Source& s = in_.source[i];
      const std::size_t at = first_source_ + i;
      const bool named_half = has_operand(at) && text_.operands[at].has_half;
      if (set(select, i) && !named_half) s.flags |= source_high;
      const bool high_by_default = is_packed(row_.sources[i]) && select_high.empty();
      if (high_by_default || set(select_high, i)) s.flags |= source_high_for_high;
      if (set(negate, i)) s.flags |= source_negate;
      if (set(negate_high, i))
        s.flags |= is_packed(row_.sources[i]) || row_.form == Form::matrix ? source_negate_high
                                                                           : source_absolute;
    }
    const bool names_half = has_operand(0) && text_.operands[0].has_half;
    if (select.size() == count + 1 && set(select, count) && !names_half &&
        is_half(row_.destination))
      in_.flags |= flag_destination_high;
  }

  // For conversions of small floats, which read a part of a register. OPSEL, or SCALE_SEL on
  // gfx1250, selects the part, and is stored in `offset`. If the result has 16 bits, the upper bit
  // of OPSEL selects the half of the register to which it goes.
  void apply_part_selection() {
    in_.offset = static_cast<int32_t>(first_word_ >> 11 & 15u);
    if (is_half(row_.destination) && in_.offset & 8) in_.flags |= flag_destination_high;
    for (int i = 0; i < source_count(); ++i)
      if ((is_packed(row_.sources[i]) || row_.sources[i] == Type::wide) &&
          in_.source[i].flags & (source_negate | source_absolute))
        failure_("signs of packed numbers");
  }

  void apply_output_modifiers() {
    if (row_.form == Form::vector_selecting) return apply_part_selection();
    if (text_.find("index_key")) in_.offset = static_cast<int32_t>(number("index_key", 0));
    if (text_.find("bitop3")) in_.offset = static_cast<int32_t>(number("bitop3", 0));
    if (text_.find("byte_sel")) in_.offset = static_cast<int32_t>(number("byte_sel", 0));
    // GFX9's code has OPSEL for it.
    if (machine_.target.has(Feature::gfx9_code) && is("v_cvt_sr_"))
      in_.offset = static_cast<int32_t>(first_word_ >> 13 & 3u);
    if (text_.find("clamp")) in_.flags |= flag_clamp;
    if (text_.find("mul")) in_.flags |= number("mul", 2) == 4 ? flag_multiply_4 : flag_multiply_2;
    if (text_.find("div")) in_.flags |= flag_divide_2;
  }

  void apply_lane_selection() {
    auto selection = lane_selection(text_, machine_.upper_half ? 2 : 0);
    if (!selection) return failure_(selection.error());
    if (!*selection) return;
    attachments_.selections.push_back(**selection);
    in_.lanes = &attachments_.selections.back();
    in_.flags |= flag_dpp;
    // The lanes of the two halves may read each other's source: it is copied before either half
    // writes.
    if (machine_.wave == 64 && crosses_halves() && in_.source[0].kind == SourceKind::vgpr) {
      result_.shared_source = in_.source[0].index;
      in_.source[0].index = first_spare_register + 1;
    }
  }

  bool crosses_halves() const {
    return std::ranges::any_of(text_.modifiers, [](const TextModifier& modifier) {
      return modifier.name.starts_with("wave_") || modifier.name == "row_bcast";
    });
  }

  // --- SDWA ----------------------------------------------------------------------------------

  Subword subword(std::string_view modifier) {
    struct Name {
      std::string_view name;
      Subword part;
    };
    constexpr Name names[] = {{"DWORD", {0, 32}}, {"WORD_0", {0, 16}}, {"WORD_1", {16, 16}},
                              {"BYTE_0", {0, 8}}, {"BYTE_1", {8, 8}},  {"BYTE_2", {16, 8}},
                              {"BYTE_3", {24, 8}}};
    const TextModifier* found = text_.find(modifier);
    if (!found) return {};
    for (const Name& name : names)
      if (name.name == found->value) return name.part;
    failure_("the modifier " + std::string(modifier) + ":" + std::string(found->value));
    return {};
  }

  void wrap_indexed() {
    attachments_.indexed.push_back({in_, machine_.indexed});
    in_.indexed = &attachments_.indexed.back();
    in_.handler = &run_indexed;
  }

  void wrap_subwords() {
    SubwordInstruction subwords;
    subwords.operation = in_;
    for (std::size_t i = 0; i < 2; ++i) {
      subwords.source[i] = subword(i == 0 ? "src0_sel" : "src1_sel");
      const std::size_t at = first_source_ + i;
      subwords.source[i].sign_extend = has_operand(at) && text_.operands[at].sign_extend;
    }
    subwords.destination = subword("dst_sel");
    const bool writes_vector = row_.form == Form::vector || row_.form == Form::vector_accumulate;
    subwords.results = static_cast<uint8_t>(writes_vector ? registers_of(row_.destination) : 0);
    // SDWA can select a part only of an operand that is a single register (AMD Instinct MI300 ISA,
    // "SDWA"). v_cvt_pk_f32_fp8 and v_cvt_pk_f32_bf8 have a result of two whole registers.
    for (int i = 0; i < source_count(); ++i)
      if (registers_of(row_.sources[i]) != 1) failure_("parts of a source of several registers");
    if (subwords.results > 1 && subwords.destination.count != 32)
      failure_("parts of a result of several registers");
    if (const TextModifier* unused = text_.find("dst_unused"))
      subwords.unused = unused->value == "UNUSED_PAD"    ? SubwordInstruction::Unused::zero
                        : unused->value == "UNUSED_SEXT" ? SubwordInstruction::Unused::sign
                                                         : SubwordInstruction::Unused::preserve;
    attachments_.subwords.push_back(subwords);
    in_.subwords = &attachments_.subwords.back();
    in_.handler = &run_subwords;
  }

  void apply_memory_modifiers() {
    if (text_.find("offen")) in_.flags |= flag_offen;
    if (text_.find("idxen")) in_.flags |= flag_idxen;
    if (machine_.target.has(Feature::gfx9_code)) in_.flags |= flag_cdna_resource;
    if (machine_.target.has(Feature::wide_buffer_resource)) in_.flags |= flag_gfx1250_memory;
    if (text_.find("scale_offset")) in_.flags |= flag_scale_offset;
    const bool to_lds = row_.form == Form::memory_to_lds || row_.form == Form::buffer_to_lds;
    for (std::string_view refused : {"gds", "lds", "tfe"})
      if (text_.find(refused) && !(refused == "lds" && to_lds))
        failure_("the modifier " + std::string(refused));
    if (is("ds_swizzle")) {
      // LLVM prints some swizzle patterns as names, so the pattern is taken from the encoding.
      in_.offset = static_cast<int32_t>(first_word_ & 0xffffu);
      in_.source[0] = vgpr_source(operand(1));
      return;
    }
    if (is("ds_") && row_.extra != 0) {
      const int64_t unit = row_.extra, element = unit % 8 == 0 && unit != 256 ? 8 : 4;
      in_.offset = static_cast<int32_t>(number("offset0", 0) * unit);
      in_.extra = static_cast<uint16_t>(number("offset1", 0) * (unit / element));
      return;
    }
    if (text_.find("offset")) in_.offset = static_cast<int32_t>(number("offset", 0));
  }

  // Applies CDNA's modifiers of matrix instructions: CBSZ, ABID and BLGP, the selection of bytes of
  // scales, and signs of f64. The catalogue says which of them an instruction accepts.
  void apply_cdna_matrix_modifiers() {
    const instruction::Instruction& row = instruction::cdna_instructions[row_.extra];
    const auto select = [&](std::size_t i) {
      const std::vector<int64_t> low = list("op_sel"), high = list("op_sel_hi");
      return (i < low.size() && low[i] != 0 ? 1 : 0) | (i < high.size() && high[i] != 0 ? 2 : 0);
    };
    MfmaModifiers modifiers;
    modifiers.cbsz = static_cast<int>(number("cbsz", 0));
    modifiers.abid = static_cast<int>(number("abid", 0));
    modifiers.blgp = static_cast<int>(number("blgp", 0));
    if (const auto refused = instruction::why_refused(
            row, {.cbsz = modifiers.cbsz, .abid = modifiers.abid, .blgp = modifiers.blgp});
        !refused.view().empty())
      return failure_(std::string(refused.view()));
    if (row.has(instruction::Operand::scale_a)) {
      modifiers.scale_a = select(0);
      modifiers.scale_b = select(1);
      in_.destination2 = vgpr_source(operand(5)).index;
    }
    in_.offset = modifiers.packed();
    const std::vector<int64_t> signs = list("neg");
    for (std::size_t i = 0; i < signs.size() && i < 3; ++i)
      if (signs[i] != 0) in_.source[i].flags |= source_negate;
  }

  void apply_modifiers() {
    check_modifiers();
    if (is_cdna_matrix()) return apply_cdna_matrix_modifiers();
    if (is_vector_form()) {
      apply_half_selection();
      keep_scalars_single();
      apply_output_modifiers();
      apply_lane_selection();
      if (is_gfx1250_matrix()) apply_gfx1250_matrix_modifiers();
    } else if (row_.form >= Form::scalar_load) {
      apply_memory_modifiers();
    }
  }

  // Refuses unknown modifiers, because a modifier may change what the instruction computes.
  void check_modifiers() {
    // clang-format off
    constexpr std::array<std::string_view, 68> known = {
        "op_sel", "byte_sel", "scale_sel", "index_key", "op_sel_hi", "neg_lo", "neg_hi", "clamp", "mul", "div",
        "quad_perm", "row_shl", "row_shr", "row_ror", "row_mirror", "row_half_mirror",
        "row_share", "row_xmask", "dpp8", "row_mask", "bank_mask", "bound_ctrl", "fi", "offset",
        "offset0", "offset1", "offen", "idxen", "gds", "lds", "tfe", "glc", "slc", "dlc", "scc",
        "nt", "th", "scope", "nv", "wait_exp", "wait_va_vdst", "wait_vm_vsrc", "sc0", "sc1",
        "cbsz", "abid", "blgp", "wave_shl", "wave_shr", "wave_rol", "wave_ror", "row_bcast",
        "row_newbcast", "src0_sel", "src1_sel", "dst_sel", "dst_unused", "bitop3", "scale_offset",
        "matrix_a_fmt", "matrix_b_fmt", "matrix_a_scale", "matrix_b_scale", "matrix_a_scale_fmt",
        "matrix_b_scale_fmt", "matrix_a_reuse", "matrix_b_reuse", ""};
    // clang-format on
    for (const TextModifier& modifier : text_.modifiers)
      if (std::ranges::find(known, modifier.name) == known.end() &&
          !(modifier.name == "neg" && is_cdna_matrix()))
        failure_("the modifier " + std::string(modifier.name));
  }

  // --- the handler ---------------------------------------------------------------------------

  void choose_handler() {
    bool general =
        (in_.flags & (flag_multiply_2 | flag_multiply_4 | flag_divide_2 | flag_dpp | flag_clamp)) !=
        0;
    if (is_vector_form() && row_.form != Form::matrix)
      for (int i = 0; i < source_count(); ++i)
        if (!is_packed(row_.sources[i]) && row_.sources[i] != Type::mixed &&
            in_.source[i].flags & (source_negate | source_absolute))
          general = true;
    // Comparisons have nothing to clamp; conversions to integers saturate even without the
    // modifier.
    const bool compares =
        row_.form == Form::vector_compare || row_.form == Form::vector_compare_exec;
    const bool takes_clamp = is_float(row_.destination) || row_.form == Form::matrix ||
                             row_.extra == 1 || compares || is_float(row_.sources[0]);
    if (in_.flags & flag_clamp && !takes_clamp) failure_("the modifier clamp");
    if (general && !row_.general) failure_("modifiers");
    in_.handler = general ? row_.general : row_.plain;
    if (machine_.target.has(Feature::clears_upper_halves) && row_.form <= Form::vector &&
        is_half(row_.destination) && clears_upper_half())
      in_.flags |= flag_clears_upper_half;
  }

  // True if the instruction clears the upper half of its destination register. CDNA's 16-bit
  // instructions do that (LLVM, GCNSubtarget::zeroesHigh16BitsOfDest), except those that came with
  // GFX9 and exist only in the encoding VOP3. Of the VOP3 instructions, those called "legacy" are
  // GFX8's and do clear it. Accumulating instructions are handled elsewhere.
  bool clears_upper_half() const {
    if (text_.mnemonic.contains("_legacy_")) return true;
    for (std::string_view prefix :
         {"v_mad_", "v_fma_", "v_div_fixup_", "v_min3_", "v_max3_", "v_med3_", "v_bitop3_",
          "v_add_i16", "v_sub_i16", "v_fmaak_", "v_fmamk_", "v_madak_", "v_madmk_", "v_cvt_pk_fp8_",
          "v_cvt_pk_bf8_", "v_cvt_sr_", "v_ashr_pk_"})
      if (is(prefix)) return false;
    return true;
  }

  const uint32_t first_word_;
};

}  // namespace

uint8_t indexed_operands(const TextInstruction& text) {
  if (text.operands.size() < 2) return 0;
  const std::string_view names = text.operands[1].text;
  unsigned operands = 0;
  for (unsigned i = 0; i < 3; ++i)
    if (names.contains(formatted("SRC{}", i))) operands |= unsigned{indexes_source} << i;
  if (names.contains("DST")) operands |= indexes_destination;
  return static_cast<uint8_t>(operands);
}

const Row* find_row(const TextInstruction& text, const Target& target, int wave) {
  const std::string_view name = base_mnemonic(text.mnemonic);
  constexpr std::string_view buffer_load = "buffer_load_";
  if (name.starts_with(buffer_load) && text.find("lds"))
    return find_row("buffer_load_lds_" + std::string(name.substr(buffer_load.size())), target,
                    wave);
  return find_row(name, target, wave);
}

std::expected<Translation, std::string> translate(const TextInstruction& text,
                                                  const Machine& machine, uint32_t first_word,
                                                  Attachments& attachments) {
  const Row* row = find_row(text, machine.target, machine.wave);
  if (!row) return std::unexpected("the opcode " + std::string(base_mnemonic(text.mnemonic)));
  return Translator(text, *row, machine, first_word, attachments).run();
}

}  // namespace heddle::emulator
