// How modifier_variants() makes its variants: the plain form of an instruction, and what adds a
// modifier to it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "constant_witness.h"
#include "emulator/decode/disassembler.h"
#include "modifier_variants.h"
#include "opcode_space.h"

namespace heddle::emulator::testing {

inline constexpr uint32_t first_vgpr = 256, result_vgpr = 10, result_sgpr = 24, mask_sgpr = 20;

constexpr uint32_t source_vgpr(std::size_t i) {
  return static_cast<uint32_t>(first_source + 2 * i);
}

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

inline bool is_vop3(const Base& base) {
  return base.encoding == "VOP3" || base.encoding == "VOP3P";
}

inline bool is_float_result(const Base& base) {
  return !base.types.empty() && (base.types.front()[0] == 'f' || base.types.front() == "bf16");
}

class ModifierGenerator {
 public:
  // `excepted` gets the variants that an exception leaves out, but those of `but`.
  ModifierGenerator(const Target& target, std::vector<std::string>& left_out,
                    std::vector<ExceptedVariant>* excepted = nullptr,
                    const std::set<const LeftOut*>* but = nullptr)
      : target_(target),
        left_out_(left_out),
        excepted_(excepted),
        but_(but),
        disassembler_(std::move(*Disassembler::create(target, wave_of(target)))),
        witness_(target) {}

  std::vector<Variant> run();

 private:
  std::string decoded(const MachineCode& code);
  std::string name_of(const std::string& mnemonic) const;
  std::optional<Base> plain_form(const EncodedInstruction& instruction);
  void add(const Base& base, std::string kind, const MachineCode& code,
           std::function<void(WaveState&)> before,
           std::function<void(const WaveState&, WaveState&)> after = {}, FloatMode mode = {});
  void add(const Base& base, Variant variant);

  static MachineCode with(MachineCode code, int word, uint32_t bits) {
    code.words[static_cast<std::size_t>(word)] ^= bits;
    return code;
  }

  void all_of(const Base& base);
  void source_modifiers(const Base& base);
  void packed_modifiers(const Base& base);
  void output_modifiers(const Base& base);
  void constants(const Base& base);
  void denormals(const Base& base);

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

  // modifier_lanes.cpp
  struct Subwords;
  void lanes(const Base& base);
  template <class From>
  void lane_variant(const Base& base, uint32_t source, uint32_t control, std::string name,
                    From from);
  void subwords(const Base& base);
  void subword_variant(const Base& base, const std::string& kind, const Subwords& form,
                       std::string_view expected_text,
                       std::function<void(const WaveState&, WaveState&)> after = {},
                       FloatMode mode = {});

  const Target& target_;
  std::vector<std::string>& left_out_;
  std::vector<ExceptedVariant>* excepted_;
  const std::set<const LeftOut*>* but_;
  const LeftOut* exception_ = nullptr;  // of the instruction whose forms are made
  Disassembler disassembler_;
  ConstantWitness witness_;
  std::vector<Variant> variants_;
  int turn_ = 0;
};

}  // namespace heddle::emulator::testing
