// The modifiers of which lane, and which part of a register, an operand is taken from: DPP and
// SDWA.
#include <algorithm>
#include <span>
#include <string_view>

#include "modifier_generator.h"

namespace heddle::emulator::testing {
namespace {

// What s20 holds, see modifiers_test.cpp.
constexpr uint32_t subword_scalar = 0x0d0c0a09;

struct LaneControl {
  const char* name;
  uint32_t control;    // dpp_ctrl
  int (*from)(int l);  // lane that lane l reads; -1: none
};

constexpr int lane_is_left = -1, lane_reads_zero = -2;

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
constexpr Part parts[] = {{"BYTE_0", 0, 8},  {"BYTE_1", 8, 8},  {"BYTE_2", 16, 8},
                          {"BYTE_3", 24, 8}, {"WORD_0", 0, 16}, {"WORD_1", 16, 16},
                          {"DWORD", 0, 32}};
constexpr std::size_t whole = 6;

}  // namespace

// --- DPP -----------------------------------------------------------------------------------

template <class From>
void ModifierGenerator::lane_variant(const Base& base, uint32_t source, uint32_t control,
                                     std::string name, From from) {
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

void ModifierGenerator::lanes(const Base& base) {
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
      is_cdna(target_.family) ? std::span<const LaneControl>(of_cdna) : of_rdna;
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
  if (is_cdna(target_.family)) return;
  // Each lane of eight reads the lane that three bits name.
  constexpr uint32_t selectors = 0x53b6d1;
  lane_variant(base, 233, selectors << 8, "DPP8",
               [](int l) { return (l & ~7) | static_cast<int>(selectors >> 3 * (l & 7) & 7); });
}

// --- SDWA ----------------------------------------------------------------------------------

struct ModifierGenerator::Subwords {
  std::size_t source[2] = {whole, whole}, result = whole;
  bool sign[2] = {}, absolute[2] = {}, negate[2] = {}, scalar[2] = {};
  unsigned unused = 0, extra = 0;
};

// The instruction on parts that were taken out of their registers, and its result put into the
// part of another.
void ModifierGenerator::subword_variant(const Base& base, const std::string& kind,
                                        const Subwords& form, std::string_view expected_text,
                                        std::function<void(const WaveState&, WaveState&)> after,
                                        FloatMode mode) {
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

void ModifierGenerator::subwords(const Base& base) {
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
      const std::string selected =
          "dst_sel:" + std::string(parts[part].name) + " dst_unused:" + std::string(rests[unused]);
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

}  // namespace heddle::emulator::testing
