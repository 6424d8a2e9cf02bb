#include "modifier_variants.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include "emulator/decode/assembly_text.h"
#include "emulator/decode/older_names.h"
#include "integer_reference.h"
#include "modifier_generator.h"

namespace heddle::emulator::testing {
namespace {

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

std::function<void(WaveState&)> on_source(int i, Width width, bool absolute, bool negate) {
  return [=](WaveState& wave) {
    for (LaneState& lane : wave) {
      uint32_t& word = lane.word(static_cast<std::size_t>(i), width == Width::twofold);
      const uint32_t sign = width == Width::half ? 0x8000u : 0x80000000u;
      if (absolute) word &= ~sign;
      if (negate) word ^= sign;
    }
  };
}

}  // namespace

std::vector<Variant> ModifierGenerator::run() {
  for (const EncodedInstruction& instruction : opcode_space(target_, wave_of(target_))) {
    if (!instruction.encoding.starts_with("VOP")) continue;
    exception_ = exception_of(name_of(instruction.mnemonic), instruction.encoding);
    if (exception_ != nullptr) {
      left_out_.push_back(instruction.mnemonic + ": " + std::string(exception_->reason));
      if (excepted_ == nullptr || but_->contains(exception_)) continue;
    }
    if (auto base = plain_form(instruction)) all_of(*base);
  }
  return std::move(variants_);
}

std::string ModifierGenerator::decoded(const MachineCode& code) {
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

std::string ModifierGenerator::name_of(const std::string& mnemonic) const {
  const std::string newer = is_cdna(target_.family) ? newer_name(mnemonic) : "";
  return newer.empty() ? mnemonic : newer;
}

// v2, v4 and v6 are the sources, v10 or s24 the destination.
std::optional<Base> ModifierGenerator::plain_form(const EncodedInstruction& instruction) {
  if (parse_instruction(instruction.text).operands.size() < 2) {
    left_out_.push_back(instruction.mnemonic + ": it has no source");
    return std::nullopt;
  }
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
  if (!base.writes_mask && (text.operands[0].kind != OperandKind::vgpr ||
                            text.operands[0].first != static_cast<int>(result_vgpr))) {
    left_out_.push_back(base.mnemonic + ": its result is not in a VGPR");
    return std::nullopt;
  }
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

void ModifierGenerator::add(const Base& base, std::string kind, const MachineCode& code,
                            std::function<void(WaveState&)> before,
                            std::function<void(const WaveState&, WaveState&)> after,
                            FloatMode mode) {
  std::string text = decoded(code);
  if (text.empty() || text == base.text) return;
  add(base, {base.mnemonic, std::move(kind), std::move(text), code, base.code, mode, mode, false,
             is_vop3(base), std::move(before), std::move(after)});
}

void ModifierGenerator::add(const Base& base, Variant variant) {
  const LeftOut* exception = exception_;
  if (exception == nullptr) {
    exception = exception_of_form(base.name, variant.kind);
    if (exception != nullptr)
      left_out_.push_back(base.mnemonic + ", " + variant.kind + ": " +
                          std::string(exception->reason));
  }
  if (exception == nullptr)
    variants_.push_back(std::move(variant));
  else if (excepted_ != nullptr && !but_->contains(exception))
    excepted_->push_back({exception, std::move(variant)});
}

void ModifierGenerator::all_of(const Base& base) {
  if (base.encoding == "VOP3P")
    packed_modifiers(base);
  else if (base.encoding == "VOP3")
    source_modifiers(base);
  if (is_vop3(base)) output_modifiers(base);
  constants(base);
  lanes(base);
  if (is_cdna(target_.family) && !is_vop3(base)) subwords(base);
  denormals(base);
}

// --- sources -------------------------------------------------------------------------------

void ModifierGenerator::source_modifiers(const Base& base) {
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
          result[l].result[0] = (in[l].result[0] & 0xffffu) | (result[l].result[0] & 0xffffu) << 16;
      });
}

// Each half of a packed source is a half of the register, its sign changed or not. Of v_fma_mix
// op_sel_hi says that the source is f16, and op_sel which half.
void ModifierGenerator::packed_modifiers(const Base& base) {
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
                  word = std::bit_cast<uint32_t>(static_cast<float>(
                      std::bit_cast<_Float16>(static_cast<uint16_t>(low_from_high ? high : low))));
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

void ModifierGenerator::output_modifiers(const Base& base) {
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
    if (target_.has(Feature::ieee_mode))
      add(base, name + ", which IEEE mode switches off", code, {}, {},
          {.keep_denormals = false, .ieee = true});
  }
}

// --- constants -----------------------------------------------------------------------------

// The bits of a constant are those in LLVM's MCInst, which knows the type of every operand.
void ModifierGenerator::constants(const Base& base) {
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

// --- denormals -----------------------------------------------------------------------------

// Where MODE flushes, an instruction on f32 gives what it gives elsewhere for sources without
// denormals, and a denormal result is 0.
void ModifierGenerator::denormals(const Base& base) {
  if (base.encoding == "VOP3P" || base.types.empty()) return;
  if (base.encoding != "VOP3" || base.types.back() != "f32" || base.types.front() != "f32") return;
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
  add(base, std::move(v));
}

int wave_of(const Target& target) { return is_cdna(target.family) ? 64 : 32; }

std::vector<Variant> modifier_variants(const Target& target, std::vector<std::string>& left_out) {
  return ModifierGenerator(target, left_out).run();
}

std::vector<ExceptedVariant> excepted_variants(const Target& target,
                                               const std::set<const LeftOut*>& but) {
  std::vector<std::string> left_out;
  std::vector<ExceptedVariant> excepted;
  ModifierGenerator(target, left_out, &excepted, &but).run();
  return excepted;
}

}  // namespace heddle::emulator::testing
