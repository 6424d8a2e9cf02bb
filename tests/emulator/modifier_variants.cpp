#include "modifier_variants.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "constant_witness.h"
#include "emulator/decode/assembly_text.h"
#include "emulator/decode/disassembler.h"
#include "emulator/decode/older_names.h"
#include "integer_reference.h"
#include "opcode_space.h"

namespace heddle::emulator::testing {
namespace {

// Instructions that the relations here do not describe, by the beginning of their names (CDNA's by
// those that RDNA3 has for them), and of one encoding where it is told.
struct LeftOut {
  std::string_view prefix, reason, encoding = {};
};
constexpr LeftOut without_model[] = {
    {"v_nop", "does nothing"},
    {"v_pipeflush", "does nothing"},
    {"v_cmpx_", "writes EXEC; its relations are those of v_cmp_"},
    {"v_read", "its sources are lanes"},
    {"v_writelane", "its sources are lanes"},
    {"v_permlane", "its sources are lanes; op_sel means something else (lane_cases.cpp)"},
    {"v_swap", "writes both its operands"},
    {"v_movrel", "M0 chooses its registers"},
    {"v_s_", "writes a scalar register (scalar_float_cases.cpp)"},
    {"v_wmma_", "a matrix instruction (matrix_test.cpp)"},
    {"v_swmmac_", "a matrix instruction (matrix_golden_test.cpp)"},
    {"v_dot4_i32_iu8", "neg_lo says which operand is signed (byte_cases.cpp)"},
    {"v_dot8_i32_iu4", "neg_lo says which operand is signed (byte_cases.cpp)"},
    {"v_cvt_f32_fp8", "op_sel and byte_sel choose a byte (byte_cases.cpp)", "VOP3"},
    {"v_cvt_f32_bf8", "op_sel and byte_sel choose a byte (byte_cases.cpp)", "VOP3"},
    {"v_cvt_pk_f32_", "op_sel chooses a pair of bytes (byte_cases.cpp)", "VOP3"},
    {"v_cvt_sr_", "byte_sel chooses the byte that it writes (byte_cases.cpp)"},
    {"v_mfma_", "a matrix instruction (mfma_test.cpp)"},
    {"v_smfmac_", "a matrix instruction (mfma_test.cpp)"},
    {"v_accvgpr_", "between a VGPR and an accumulation register (cdna_test.cpp)"},
    {"v_cvt_scale", "OPSEL chooses parts (float_conversions_test.cpp)"},
    {"v_pk_mov_b32", "OPSEL chooses words (cdna_test.cpp)"},
    {"v_screen_partition", "of graphics"},
    {"v_clrexcp", "of trap handlers"},
    {"v_dot4_u32_u8", "LLVM prints neg_lo, which means nothing here (byte_cases.cpp)"},
    {"v_dot8_u32_u4", "LLVM prints neg_lo, which means nothing here (byte_cases.cpp)"},
};

// Single forms, by the beginning of the instruction's name and of the form's.
struct FormLeftOut {
  std::string_view prefix, kind, reason;
};
constexpr FormLeftOut forms_without_model[] = {
    {"v_dot2_f16_f16", "neg", "no document says which half of a packed source it changes"},
    {"v_dot2_f16_f16", "abs", "no document says which half of a packed source it changes"},
    {"v_dot2_bf16_bf16", "neg", "no document says which half of a packed source it changes"},
    {"v_dot2_bf16_bf16", "abs", "no document says which half of a packed source it changes"},
    {"v_dot2c_f32_", "neg", "no document says which half of a packed source it changes"},
    {"v_dot2c_f32_", "abs", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_fp8_f16", "neg", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_fp8_f16", "abs", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_bf8_f16", "neg", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_bf8_f16", "abs", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_fp8_f", "clamp", "it chooses another format (gfx1250_test.cpp)"},
    {"v_pk_fmac_f16", "neg", "no document says which half of a packed source it changes"},
    {"v_pk_fmac_f16", "abs", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_fp8_f16", "op_sel of source", "no document says what it means for two halves"},
    {"v_cvt_pk_bf8_f16", "op_sel of source", "no document says what it means for two halves"},
    {"v_dot4_i32_i8", "op_sel, op", "LLVM prints it, and it means nothing here"},
    {"v_dot8_i32_i4", "op_sel, op", "LLVM prints it, and it means nothing here"},
    {"v_cvt_pk_bf8_f16", "clamp", "no document gives it a meaning"},
    {"v_bitop3_", "neg", "its bits are some of the table"},
    {"v_bitop3_", "abs", "its bits are some of the table"},
    {"v_bitop3_", "omod", "its bits are some of the table"},
    {"v_pk_add_f32", "constant", "no document says whether the upper word has it, too"},
    {"v_pk_mul_f32", "constant", "no document says whether the upper word has it, too"},
    {"v_pk_fma_f32", "constant", "no document says whether the upper word has it, too"},
    {"v_perm_pk16_", "constant", "no document says what its upper word is"},
    {"v_pk_min3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_max3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_fma_mix", "constant", "LLVM takes it for f16 whether the source is f16 or f32"},
    {"v_fmac_f16", "op_sel of the result", "it chooses the half of the addend, too"},
    {"v_cmp_class_f32", "flushed", "it tells denormals apart in every mode"},
    {"v_frexp_mant_f32", "flushed", "no document says whether MODE counts"},
    {"v_cvt_f32_ubyte", "flushed", "its source is an integer"},
    {"v_cvt_off_f32_i4", "flushed", "its source is an integer"},
    {"v_ldexp_f32", "flushed", "its second source is an integer"},
    {"v_div_scale_f32", "flushed", "it looks for denormals"},
    {"v_alignbit_b32", "clamp", "refused: no document gives it a meaning"},
    {"v_alignbyte_b32", "clamp", "refused: no document gives it a meaning"},
    {"v_mul_u32_u24", "clamp", "refused: no document says to what it saturates"},
    {"v_mul_i32_i24", "clamp", "refused: no document says to what it saturates"},
    {"v_pk_mul_lo_u16", "clamp", "refused: no document says to what it saturates"},
    {"v_pack_b32_f16", "clamp", "refused: no document gives it a meaning"},
    {"v_min3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_max3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_med3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_min_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_max_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_lshlrev_b16", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_lshrrev_b16", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_ashrrev_i16", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
};

constexpr uint32_t first_vgpr = 256, result_vgpr = 10, result_sgpr = 24, mask_sgpr = 20;

constexpr uint32_t source_vgpr(std::size_t i) {
  return static_cast<uint32_t>(first_source + 2 * i);
}

// --- one instruction as LLVM writes it ---------------------------------------------------------

// What an operand is, told by its text and by the types in the mnemonic.
enum class Width { half, single, twofold, wide };

struct Base {
  std::string mnemonic, encoding, text;
  std::string name;  // as RDNA3 calls it
  MachineCode code;
  bool writes_mask = false, carry_out = false, packed = false, mix = false;
  unsigned results = 1;  // VGPRs that it writes
  struct Operand {
    bool vgpr = false;
    Width width = Width::single;
  };
  std::vector<Operand> sources;
  std::vector<std::string> types;  // of the mnemonic: "f32", "i16"
};

bool is_vop3(const Base& base) { return base.encoding == "VOP3" || base.encoding == "VOP3P"; }

std::vector<std::string> types_of(std::string_view mnemonic) {
  static const std::set<std::string_view> known = {"f16", "f32", "f64", "bf16", "b16", "b32", "b64",
                                                   "u16", "u32", "u64", "i16",  "i32", "i64", "u8",
                                                   "i8",  "u24", "i24", "iu8",  "iu4", "u4"};
  std::vector<std::string> types;
  while (!mnemonic.empty()) {
    const std::size_t end = std::min(mnemonic.find('_'), mnemonic.size());
    if (known.contains(mnemonic.substr(0, end))) types.emplace_back(mnemonic.substr(0, end));
    mnemonic.remove_prefix(std::min(end + 1, mnemonic.size()));
  }
  return types;
}

// Whether a source is 16 bits: what gfx11's text says, and gfx12's, which names no halves, does
// not.
bool is_half_source(const Base& base, int source) {
  if (base.packed || base.types.empty() || !base.types.back().ends_with("16")) return false;
  const std::string& name = base.name;
  if (name.starts_with("v_mad_u32_") || name.starts_with("v_mad_i32_")) return source < 2;
  if (name.starts_with("v_dot2_")) return source == 2;
  return name != "v_sat_pk_u8_i16" && !name.starts_with("v_fma_mix");
}
bool is_half_result(const Base& base) {
  const std::string& name = base.name;
  if (name == "v_sat_pk_u8_i16" || name.starts_with("v_cvt_pk_fp8") ||
      name.starts_with("v_cvt_pk_bf8") || name.starts_with("v_ashr_pk_"))
    return true;
  return !base.types.empty() && base.types.front().ends_with("16") && !name.contains("_pk");
}

// What s20 holds, see modifiers_test.cpp.
constexpr uint32_t subword_scalar = 0x0d0c0a09;

bool is_float_result(const Base& base) {
  return !base.types.empty() && (base.types.front()[0] == 'f' || base.types.front() == "bf16");
}

class Generator {
 public:
  Generator(const Target& target, std::vector<std::string>& left_out)
      : target_(target),
        left_out_(left_out),
        disassembler_(std::move(*Disassembler::create(target, wave_of(target)))),
        witness_(target) {}

  std::vector<Variant> run() {
    for (const EncodedInstruction& instruction : opcode_space(target_, wave_of(target_))) {
      if (!instruction.encoding.starts_with("VOP")) continue;
      const std::string name = name_of(instruction.mnemonic);
      const auto* skip = std::ranges::find_if(without_model, [&](const LeftOut& entry) {
        return name.starts_with(entry.prefix) &&
               (entry.encoding.empty() || entry.encoding == instruction.encoding);
      });
      if (skip != std::end(without_model)) {
        left_out_.push_back(instruction.mnemonic + ": " + std::string(skip->reason));
        continue;
      }
      if (auto base = plain_form(instruction)) all_of(*base);
    }
    return std::move(variants_);
  }

 private:
  std::string decoded(const MachineCode& code) {
    std::byte bytes[sizeof code.words];
    std::memcpy(bytes, code.words.data(), sizeof bytes);
    std::string text;
    uint8_t implicit = 0;
    const uint32_t size = disassembler_.decode(bytes, 0, text, implicit);
    return size == 4 * static_cast<uint32_t>(code.count) && !text.contains("Invalid") &&
                   !text.contains("/*")
               ? text
               : "";
  }

  std::string name_of(const std::string& mnemonic) const {
    const std::string newer = target_.is_cdna() ? newer_name(mnemonic) : "";
    return newer.empty() ? mnemonic : newer;
  }

  // v2, v4 and v6 are the sources, v10 or s24 the destination.
  std::optional<Base> plain_form(const EncodedInstruction& instruction) {
    Base base;
    base.mnemonic = instruction.mnemonic;
    base.encoding = instruction.encoding;
    base.name = name_of(base.mnemonic);
    base.types = types_of(base.mnemonic);
    base.packed = base.encoding == "VOP3P" && !base.mnemonic.starts_with("v_fma_mix");
    base.mix = base.mnemonic.starts_with("v_fma_mix");
    uint32_t word = instruction.first_word;
    if (!is_vop3(base)) {
      word = (word & ~0x1ffu) | (first_vgpr + source_vgpr(0));
      if (base.encoding != "VOPC") word = (word & ~(0xffu << 17)) | result_vgpr << 17;
      if (base.encoding != "VOP1") word = (word & ~(0xffu << 9)) | source_vgpr(1) << 9;
      base.code = {{word}, 1};
      if (instruction.text.contains("ak_") || instruction.text.contains("mk_"))
        base.code = {{word, 0x40490fdbu}, 2};
    } else {
      const TextInstruction text = parse_instruction(instruction.text);
      base.writes_mask = text.operands.front().kind == OperandKind::scalar;
      base.carry_out = !base.writes_mask && text.operands.size() > 1 &&
                       text.operands[1].kind == OperandKind::scalar;
      word |= base.writes_mask ? result_sgpr : result_vgpr;
      if (base.carry_out) word |= result_sgpr << 8;
      uint32_t fields = base.encoding == "VOP3P" && !base.mix ? 3u << 27 : 0;
      if (base.mix) word &= ~0x4000u;
      for (std::size_t i = base.carry_out ? 2 : 1, at = 0; i < text.operands.size(); ++i, ++at)
        fields |=
            (text.operands[i].kind == OperandKind::vgpr ? first_vgpr + source_vgpr(at) : mask_sgpr)
            << 9 * at;
      base.code = {{word, fields}, 2};
    }
    base.text = decoded(base.code);
    if (!base.text.empty() && parse_instruction(base.text).operands[0].count > 4) {
      left_out_.push_back(base.mnemonic + ": it writes more registers than there are for it here");
      return std::nullopt;
    }
    if (base.text.empty()) {
      left_out_.push_back(base.mnemonic + ": these operands are not taken");
      return std::nullopt;
    }
    const TextInstruction text = parse_instruction(base.text);
    base.writes_mask = base.writes_mask || base.encoding == "VOPC";
    if (!base.writes_mask) base.results = static_cast<unsigned>(text.operands[0].count);
    for (std::size_t i = base.carry_out || text.operands[1].kind == OperandKind::scalar ? 2 : 1;
         i < text.operands.size(); ++i) {
      const TextOperand& operand = text.operands[i];
      Base::Operand source{.vgpr = operand.kind == OperandKind::vgpr};
      source.width = operand.count == 2                                            ? Width::twofold
                     : operand.count > 2                                           ? Width::wide
                     : is_half_source(base, static_cast<int>(base.sources.size())) ? Width::half
                                                                                   : Width::single;
      base.sources.push_back(source);
    }
    return base;
  }

  void add(const Base& base, std::string kind, const MachineCode& code,
           std::function<void(WaveState&)> before,
           std::function<void(const WaveState&, WaveState&)> after = {}, FloatMode mode = {}) {
    std::string text = decoded(code);
    if (text.empty() || text == base.text) return;
    for (const FormLeftOut& entry : forms_without_model)
      if (base.name.starts_with(entry.prefix) && kind.starts_with(entry.kind)) {
        left_out_.push_back(base.mnemonic + ", " + kind + ": " + std::string(entry.reason));
        return;
      }
    variants_.push_back({base.mnemonic, std::move(kind), std::move(text), code, base.code, mode,
                         mode, false, is_vop3(base), std::move(before), std::move(after)});
  }

  static MachineCode with(MachineCode code, int word, uint32_t bits) {
    code.words[static_cast<std::size_t>(word)] ^= bits;
    return code;
  }

  void all_of(const Base& base) {
    if (base.encoding == "VOP3P")
      packed_modifiers(base);
    else if (base.encoding == "VOP3")
      source_modifiers(base);
    if (is_vop3(base)) output_modifiers(base);
    constants(base);
    lanes(base);
    if (target_.is_cdna() && !is_vop3(base)) subwords(base);
    denormals(base);
  }

  // --- sources -------------------------------------------------------------------------------

  static std::function<void(WaveState&)> on_source(int i, Width width, bool absolute, bool negate) {
    return [=](WaveState& wave) {
      for (LaneState& lane : wave) {
        uint32_t& word = lane.word(static_cast<std::size_t>(i), width == Width::twofold);
        const uint32_t sign = width == Width::half ? 0x8000u : 0x80000000u;
        if (absolute) word &= ~sign;
        if (negate) word ^= sign;
      }
    };
  }

  void source_modifiers(const Base& base) {
    const int count = static_cast<int>(base.sources.size());
    for (int i = 0; i < count; ++i) {
      const uint32_t neg = 1u << (29 + i), abs = 1u << (8 + i), high = 1u << (11 + i);
      const Width width = base.sources[static_cast<std::size_t>(i)].width;
      const std::string at = " of source " + std::to_string(i);
      add(base, "neg" + at, with(base.code, 1, neg), on_source(i, width, false, true));
      if (base.carry_out) continue;
      add(base, "abs" + at, with(base.code, 0, abs), on_source(i, width, true, false));
      add(base, "neg and abs" + at, with(with(base.code, 0, abs), 1, neg),
          on_source(i, width, true, true));
      add(base, "op_sel" + at, with(base.code, 0, high), [i, width](WaveState& wave) {
        for (LaneState& lane : wave) {
          if (width != Width::half) break;
          uint32_t& word = lane.word(static_cast<std::size_t>(i));
          word = std::rotl(word, 16);
        }
      });
    }
    if (base.carry_out || base.writes_mask) return;
    add(base, "op_sel of the result", with(base.code, 0, 1u << 14), {},
        [half = is_half_result(base)](const WaveState& in, WaveState& result) {
          for (std::size_t l = 0; l < in.size() && half; ++l)
            result[l].result[0] = (in[l].result[0] & 0xffffu) | (result[l].result[0] & 0xffffu)
                                                                    << 16;
        });
  }

  // Each half of a packed source is a half of the register, its sign changed or not. Of v_fma_mix
  // op_sel_hi says that the source is f16, and op_sel which half.
  void packed_modifiers(const Base& base) {
    for (int i = 0; i < static_cast<int>(base.sources.size()); ++i)
      for (uint32_t bits = 1; bits < 16; ++bits) {
        const bool low_from_high = bits & 1, swap_high = bits & 2, neg_low = bits & 4,
                   neg_high = bits & 8;
        MachineCode code = base.code;
        if (low_from_high) code = with(code, 0, 1u << (11 + i));
        if (swap_high) code = i < 2 ? with(code, 1, 1u << (27 + i)) : with(code, 0, 1u << 14);
        if (neg_low) code = with(code, 1, 1u << (29 + i));
        if (neg_high) code = with(code, 0, 1u << (8 + i));
        // LLVM prints no sign that an instruction does not have.
        const std::string text = decoded(code);
        if ((neg_low && !text.contains("neg_lo:")) || (neg_high && !text.contains("neg_hi:")))
          continue;
        const bool packed = base.packed && !(i == 2 && base.name.starts_with("v_dot"));
        const bool pair = base.sources[static_cast<std::size_t>(i)].width == Width::twofold;
        add(base,
            "op_sel, op_sel_hi, neg_lo, neg_hi " + std::to_string(bits) + " of source " +
                std::to_string(i),
            code,
            [=, mix = base.mix, of_bf16 = base.name.ends_with("bf16"),
             of_integers = base.types.front()[0] != 'f'](WaveState& wave) {
              for (LaneState& lane : wave) {
                uint32_t& word = lane.word(static_cast<std::size_t>(i));
                const uint32_t low = word & 0xffffu, high = word >> 16;
                if (pair) {
                  // Halves are whole registers.
                  uint32_t& upper = lane.word(static_cast<std::size_t>(i), 1);
                  const uint32_t first = word, second = upper;
                  word = (low_from_high ? second : first) ^ (neg_low ? 0x80000000u : 0u);
                  upper = (swap_high ? first : second) ^ (neg_high ? 0x80000000u : 0u);
                } else if (mix && of_bf16) {
                  if (swap_high) word = low_from_high ? word & 0xffff0000u : word << 16;
                  if (neg_high) word &= 0x7fffffffu;
                  if (neg_low) word ^= 0x80000000u;
                } else if (mix) {
                  if (swap_high)
                    word = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<_Float16>(
                        static_cast<uint16_t>(low_from_high ? high : low))));
                  if (neg_high) word &= 0x7fffffffu;
                  if (neg_low) word ^= 0x80000000u;
                } else if (packed) {
                  word = ((low_from_high ? high : low) ^ (neg_low ? 0x8000u : 0u)) |
                         ((swap_high ? low : high) ^ (neg_high ? 0x8000u : 0u)) << 16;
                } else if (!of_integers) {
                  if (neg_high) word &= 0x7fffffffu;
                  if (neg_low) word ^= 0x80000000u;
                }
              }
            });
      }
  }

  // --- the result ----------------------------------------------------------------------------

  template <class F>
  static F clamped(F x) {
    return x > F(0) ? (x < F(1) ? x : F(1)) : F(0);
  }
  template <class F>
  static F multiplied(F x, int omod, F smallest_normal) {
    // Denormals of f16 are kept in every mode, and are multiplied.
    if (sizeof x > 2 && std::abs(static_cast<double>(x)) < static_cast<double>(smallest_normal))
      return F(0);
    const F y = omod == 3 ? x * F(0.5) : x * F(2 * omod);
    return std::abs(static_cast<double>(y)) < static_cast<double>(smallest_normal) ? F(0) : y;
  }

  // `change` on the numbers that a float result is.
  template <class Change>
  static std::function<void(const WaveState&, WaveState&)> on_result(const Base& base,
                                                                     Change change) {
    const std::string& type = base.types.front();
    const bool pair = base.name.contains("_pk"), high = base.name.contains("mixhi"),
               half = type == "f16" || type == "bf16", is_bfloat = type == "bf16";
    return [=](const WaveState&, WaveState& result) {
      for (LaneState& lane : result) {
        uint32_t* words = lane.result.data();
        const auto as_half = [&](int at) {
          if (is_bfloat) {
            const auto x = std::bit_cast<float>((words[0] >> at & 0xffffu) << 16);
            const uint32_t y = std::bit_cast<uint32_t>(change(x, 0x1p-126f));
            words[0] = (words[0] & ~(0xffffu << at)) | y >> 16 << at;
            return;
          }
          const auto x = std::bit_cast<_Float16>(static_cast<uint16_t>(words[0] >> at));
          const auto y = std::bit_cast<uint16_t>(change(x, static_cast<_Float16>(0x1p-14)));
          words[0] = (words[0] & ~(0xffffu << at)) | uint32_t{y} << at;
        };
        if (half) {
          if (!high) as_half(0);
          if (pair || high) as_half(16);
        } else if (type == "f32") {
          for (int i = 0; i < (pair ? 2 : 1); ++i)
            words[i] = std::bit_cast<uint32_t>(change(std::bit_cast<float>(words[i]), 0x1p-126f));
        } else {
          const uint64_t bits = words[0] | uint64_t{words[1]} << 32;
          const auto y = std::bit_cast<uint64_t>(change(std::bit_cast<double>(bits), 0x1p-1022));
          words[0] = static_cast<uint32_t>(y);
          words[1] = static_cast<uint32_t>(y >> 32);
        }
      }
    };
  }

  void output_modifiers(const Base& base) {
    const bool is_float = !base.writes_mask && is_float_result(base);
    const MachineCode clamp = with(base.code, 0, 1u << 15);
    if (is_float) {
      add(base, "clamp", clamp, {}, on_result(base, [](auto x, auto) { return clamped(x); }));
    } else if (const auto reference = integer_reference(base.name)) {
      add(base, "clamp", clamp, {}, [reference](const WaveState& in, WaveState& result) {
        for (std::size_t l = 0; l < in.size(); ++l) reference(in[l], result[l]);
      });
    } else {
      // Comparisons, and conversions that saturate without it.
      add(base, "clamp", clamp, {});
    }
    for (uint32_t omod = 1; omod < 4 && is_float && base.encoding == "VOP3"; ++omod) {
      const MachineCode code = with(base.code, 1, omod << 27);
      const std::string name = "omod " + std::to_string(omod);
      const FloatMode applied = {.keep_denormals = false, .ieee = false};
      add(base, name, code, {},
          on_result(
              base,
              [omod](auto x, auto least) { return multiplied(x, static_cast<int>(omod), least); }),
          applied);
      add(base, name + ", which denormals switch off", code, {}, {},
          {.keep_denormals = true, .ieee = false});
      if (target_.generation != 12)
        add(base, name + ", which IEEE mode switches off", code, {}, {},
            {.keep_denormals = false, .ieee = true});
    }
  }

  // --- constants -----------------------------------------------------------------------------

  // The bits of a constant are those in LLVM's MCInst, which knows the type of every operand.
  void constants(const Base& base) {
    constexpr uint32_t encodings[] = {128, 129, 192, 193, 208, 240, 241,
                                      242, 243, 244, 245, 246, 247, 248};
    for (std::size_t i = 0; i < base.sources.size(); ++i) {
      if (!base.sources[i].vgpr || base.sources[i].width == Width::wide) continue;
      if (i > 0 && !is_vop3(base)) continue;
      for (const uint32_t encoding : encodings) {
        MachineCode code = base.code;
        const uint32_t field = first_vgpr + source_vgpr(i);
        const int word = is_vop3(base) ? 1 : 0;
        code = with(code, word, (field ^ encoding) << (is_vop3(base) ? 9 * i : 0));
        const auto bits = witness_.constant(base.code, code);
        if (!bits) continue;
        add(base, "constant " + std::to_string(encoding) + " as source " + std::to_string(i), code,
            [i, bits = *bits, width = base.sources[i].width](WaveState& wave) {
              for (LaneState& lane : wave) {
                lane.word(i) = static_cast<uint32_t>(bits);
                if (width == Width::twofold) lane.word(i, 1) = static_cast<uint32_t>(bits >> 32);
              }
            });
      }
    }
  }

  // --- DPP -----------------------------------------------------------------------------------

  struct LaneControl {
    const char* name;
    uint32_t control;    // dpp_ctrl
    int (*from)(int l);  // lane that lane l reads; -1: none
  };

  void lanes(const Base& base) {
    if (base.sources.empty() || !base.sources[0].vgpr || base.code.count > (is_vop3(base) ? 2 : 1))
      return;
    static constexpr LaneControl of_rdna[] = {
        {"quad_perm", 0x8d, [](int l) { return (l & ~3) | (0x8d >> 2 * (l & 3) & 3); }},
        {"row_shl:3", 0x103, [](int l) { return l % 16 + 3 < 16 ? l + 3 : -1; }},
        {"row_shr:5", 0x115, [](int l) { return l % 16 >= 5 ? l - 5 : -1; }},
        {"row_ror:7", 0x127, [](int l) { return (l & ~15) | ((l - 7) & 15); }},
        {"row_mirror", 0x140, [](int l) { return l ^ 15; }},
        {"row_half_mirror", 0x141, [](int l) { return l ^ 7; }},
        {"row_bcast", 0x142, [](int l) { return l & ~15; }},
        {"row_share:9", 0x159, [](int l) { return (l & ~15) | 9; }},
        {"row_xmask:6", 0x166, [](int l) { return l ^ 6; }},
    };
    static constexpr LaneControl of_cdna[] = {
        {"quad_perm", 0x8d, [](int l) { return (l & ~3) | (0x8d >> 2 * (l & 3) & 3); }},
        {"row_shl:3", 0x103, [](int l) { return l % 16 + 3 < 16 ? l + 3 : -1; }},
        {"row_shr:5", 0x115, [](int l) { return l % 16 >= 5 ? l - 5 : -1; }},
        {"row_ror:7", 0x127, [](int l) { return (l & ~15) | ((l - 7) & 15); }},
        {"wave_shl", 0x130, [](int l) { return l < 63 ? l + 1 : -1; }},
        {"wave_rol", 0x134, [](int l) { return (l + 1) & 63; }},
        {"wave_shr", 0x138, [](int l) { return l - 1; }},
        {"wave_ror", 0x13c, [](int l) { return (l - 1) & 63; }},
        {"row_mirror", 0x140, [](int l) { return l ^ 15; }},
        {"row_half_mirror", 0x141, [](int l) { return l ^ 7; }},
        {"row_bcast:15", 0x142, [](int l) { return l < 16 ? -1 : (l & ~15) - 1; }},
        {"row_bcast:31", 0x143, [](int l) { return l < 32 ? -1 : 31; }},
        {"row_newbcast:9", 0x159, [](int l) { return (l & ~15) | 9; }},
    };
    const std::span<const LaneControl> controls =
        target_.is_cdna() ? std::span<const LaneControl>(of_cdna) : of_rdna;
    // All of them for two instructions, and for each of the others three that take turns.
    // Of 64 bits LLVM takes few.
    const bool all = base.mnemonic == "v_mov_b32" || base.mnemonic == "v_add_f32" ||
                     base.sources[0].width == Width::twofold;
    int number = 0;
    for (const LaneControl& control : controls)
      for (const uint32_t masks : {0xffu, 0x2fu, 0xf5u}) {
        for (const bool bound : {false, true}) {
          if (!all && (number++ + turn_) % 18 != 0) continue;
          // Which bits of a mask an unwritten lane leaves, no document says.
          if ((base.writes_mask || base.carry_out || base.name.contains("_co_")) &&
              !(bound && masks == 0xff))
            continue;
          const uint32_t word = control.control << 8 | (bound ? 1u << 19 : 0u) | masks << 24;
          lane_variant(base, 250, word, std::string("DPP ") + control.name, [=](int l) {
            const bool enabled = masks >> (4 + l / 16) & 1 && masks >> (l / 4 % 4) & 1;
            const int from = control.from(l);
            return !enabled || (from < 0 && !bound) ? lane_is_left
                   : from < 0                       ? lane_reads_zero
                                                    : from;
          });
        }
      }
    ++turn_;
    if (target_.is_cdna()) return;
    // Each lane of eight reads the lane that three bits name.
    constexpr uint32_t selectors = 0x53b6d1;
    lane_variant(base, 233, selectors << 8, "DPP8",
                 [](int l) { return (l & ~7) | static_cast<int>(selectors >> 3 * (l & 7) & 7); });
  }

  static constexpr int lane_is_left = -1, lane_reads_zero = -2;

  template <class From>
  void lane_variant(const Base& base, uint32_t source, uint32_t control, std::string name,
                    From from) {
    MachineCode code = base.code;
    code = with(code, is_vop3(base) ? 1 : 0, (first_vgpr + source_vgpr(0)) ^ source);
    code.words[static_cast<std::size_t>(code.count++)] = (control & ~0xffu) | source_vgpr(0);
    // The text tells DPP even where the lanes stay: its name has another suffix.
    add(
        base, std::move(name), code,
        [from](WaveState& wave) {
          WaveState old = wave;
          for (std::size_t l = 0; l < wave.size(); ++l) {
            const int lane = from(static_cast<int>(l));
            LaneState zeros;
            LaneState& source = lane < 0 ? zeros : old[static_cast<std::size_t>(lane)];
            for (std::size_t i = 0; i < 2; ++i) wave[l].word(0, i) = source.word(0, i);
          }
        },
        [from](const WaveState& in, WaveState& result) {
          for (std::size_t l = 0; l < in.size(); ++l)
            if (from(static_cast<int>(l)) == lane_is_left) result[l].result = in[l].result;
        });
  }

  // --- SDWA ----------------------------------------------------------------------------------

  // A part of a register, in the order of the numbers that name them (AMD Instinct MI300 ISA,
  // "SDWA").
  struct Part {
    std::string_view name;
    unsigned first, bits;
    uint32_t taken(uint32_t word, bool sign) const {
      const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1, low = word >> first & mask;
      return sign && low >> (bits - 1) & 1 ? low | ~mask : low;
    }
  };
  static constexpr Part parts[] = {{"BYTE_0", 0, 8},  {"BYTE_1", 8, 8},  {"BYTE_2", 16, 8},
                                   {"BYTE_3", 24, 8}, {"WORD_0", 0, 16}, {"WORD_1", 16, 16},
                                   {"DWORD", 0, 32}};
  static constexpr std::size_t whole = 6;

  struct Subwords {
    std::size_t source[2] = {whole, whole}, result = whole;
    bool sign[2] = {}, absolute[2] = {}, negate[2] = {}, scalar[2] = {};
    unsigned unused = 0, extra = 0;
  };

  // The instruction on parts that were taken out of their registers, and its result put into the
  // part of another.
  void subword_variant(const Base& base, const std::string& kind, const Subwords& form,
                       std::string_view expected_text,
                       std::function<void(const WaveState&, WaveState&)> after = {},
                       FloatMode mode = {}) {
    constexpr uint32_t names_sdwa = 249;
    MachineCode code = with(base.code, 0, (first_vgpr + source_vgpr(0)) ^ names_sdwa);
    uint32_t control = source_vgpr(0) | form.extra;
    if (!base.writes_mask) control |= static_cast<uint32_t>(form.result) << 8 | form.unused << 11;
    for (std::size_t i = 0; i < 2; ++i)
      control |= (static_cast<uint32_t>(form.source[i]) | uint32_t{form.sign[i]} << 3 |
                  uint32_t{form.negate[i]} << 4 | uint32_t{form.absolute[i]} << 5 |
                  uint32_t{form.scalar[i]} << 7)
                 << (16 + 8 * i);
    if (form.scalar[0]) control = (control & ~0xffu) | mask_sgpr;
    if (form.scalar[1]) code = with(code, 0, (source_vgpr(1) ^ mask_sgpr) << 9);
    code.words[static_cast<std::size_t>(code.count++)] = control;
    const std::string text = decoded(code);
    // LLVM prints no field that an instruction does not have.
    if (!text.contains(expected_text)) return;
    if (!form.scalar[0] && !form.scalar[1] && text.contains("s20")) return;
    const std::string& type = base.types.empty() ? base.name : base.types.back();
    const uint32_t sign_bit = type.ends_with("16") ? 0x8000u : 0x80000000u;
    add(
        base, "SDWA " + kind, code,
        [=, count = base.sources.size()](WaveState& wave) {
          for (LaneState& lane : wave)
            for (std::size_t i = 0; i < std::min<std::size_t>(count, 2); ++i) {
              uint32_t& word = lane.word(i);
              if (form.scalar[i]) word = subword_scalar;
              word = parts[form.source[i]].taken(word, form.sign[i]);
              if (form.absolute[i]) word &= ~sign_bit;
              if (form.negate[i]) word ^= sign_bit;
            }
        },
        [=, results = base.writes_mask ? 0 : base.results](const WaveState& in, WaveState& result) {
          if (after) after(in, result);
          const Part& part = parts[form.result];
          const uint32_t mask = part.taken(~0u, false);
          for (std::size_t l = 0; l < in.size(); ++l)
            for (std::size_t i = 0; i < results; ++i) {
              uint32_t& word = result[l].result[i];
              const uint32_t rest = form.unused == 2 ? in[l].result[i]
                                    : form.unused == 1 && word >> (part.bits - 1) & 1 ? ~0u
                                                                                      : 0u;
              const uint32_t below = form.unused == 1 ? ~((1u << part.first) - 1) : ~0u;
              word = (word & mask) << part.first | (rest & below & ~(mask << part.first));
            }
        },
        mode);
  }

  void subwords(const Base& base) {
    if (base.code.count != 1 || base.sources.empty() || !base.sources[0].vgpr) return;
    const std::size_t count = base.encoding == "VOP1" ? 1 : 2;
    const auto try_all = [&](const std::string& kind, const Subwords& form, std::string_view text) {
      subword_variant(base, kind, form, text);
    };
    for (std::size_t i = 0; i < count; ++i) {
      const std::string at = " of source " + std::to_string(i);
      for (std::size_t part = 0; part < std::size(parts); ++part) {
        Subwords form;
        form.source[i] = part;
        const std::string selected =
            "src" + std::to_string(i) + "_sel:" + std::string(parts[part].name);
        try_all(selected, form, selected);
        form.sign[i] = true;
        try_all(selected + " sext", form, "sext(");
        form.sign[i] = false;
        form.negate[i] = true;
        try_all(selected + " neg", form, "-v");
        form.absolute[i] = true;
        try_all(selected + " neg and abs", form, "|v");
        form.absolute[i] = form.negate[i] = false;
        form.scalar[i] = true;
        try_all(selected + " scalar", form, "s20");
      }
    }
    if (base.writes_mask) return;
    constexpr std::string_view rests[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    for (std::size_t part = 0; part < std::size(parts); ++part)
      for (unsigned unused = 0; unused < 3; ++unused) {
        Subwords form;
        form.result = part;
        form.unused = unused;
        form.source[0] = (part + unused) % std::size(parts);
        const std::string selected = "dst_sel:" + std::string(parts[part].name) +
                                     " dst_unused:" + std::string(rests[unused]);
        try_all(selected, form, selected);
      }
    if (!is_float_result(base)) return;
    Subwords form;
    form.source[0] = base.types.back().ends_with("16") ? 5 : whole;
    form.extra = 1u << 13;
    subword_variant(base, "clamp", form, "clamp",
                    on_result(base, [](auto x, auto) { return clamped(x); }));
    for (uint32_t omod = 1; omod < 4; ++omod) {
      form.extra = omod << 14;
      subword_variant(base, "omod " + std::to_string(omod), form, omod == 3 ? "div:2" : "mul:",
                      on_result(base,
                                [omod](auto x, auto least) {
                                  return multiplied(x, static_cast<int>(omod), least);
                                }),
                      {.keep_denormals = false, .ieee = false});
    }
  }

  // --- denormals -----------------------------------------------------------------------------

  // Where MODE flushes, an instruction on f32 gives what it gives elsewhere for sources without
  // denormals, and a denormal result is 0.
  void denormals(const Base& base) {
    if (base.encoding == "VOP3P" || base.types.empty()) return;
    if (base.encoding != "VOP3" || base.types.back() != "f32" || base.types.front() != "f32")
      return;
    for (const FormLeftOut& entry : forms_without_model)
      if (base.name.starts_with(entry.prefix) && entry.kind == "flushed") {
        left_out_.push_back(base.mnemonic + ", flushed denormals: " + std::string(entry.reason));
        return;
      }
    const auto flush = [](uint32_t& word) {
      if ((word & 0x7f800000u) == 0) word &= 0x80000000u;
    };
    Variant v{base.mnemonic,
              "flushed denormals",
              base.text,
              base.code,
              base.code,
              {.keep_denormals = false},
              {.keep_denormals = true},
              true,
              is_vop3(base),
              {},
              {}};
    v.before = [flush, count = base.sources.size()](WaveState& wave) {
      for (LaneState& lane : wave)
        for (std::size_t i = 0; i < count; ++i) flush(lane.word(i));
    };
    if (!base.writes_mask)
      v.after = [flush](const WaveState&, WaveState& result) {
        for (LaneState& lane : result) flush(lane.result[0]);
      };
    variants_.push_back(std::move(v));
  }

  const Target& target_;
  std::vector<std::string>& left_out_;
  Disassembler disassembler_;
  ConstantWitness witness_;
  std::vector<Variant> variants_;
  int turn_ = 0;
};

}  // namespace

int wave_of(const Target& target) { return target.is_cdna() ? 64 : 32; }

std::vector<Variant> modifier_variants(const Target& target, std::vector<std::string>& left_out) {
  return Generator(target, left_out).run();
}

}  // namespace heddle::emulator::testing
