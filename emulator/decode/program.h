// The instructions of a code object, decoded once.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/code_object.h"
#include "emulator/decode/translate.h"
#include "emulator/machine/instruction.h"

namespace heddle::emulator {

class Program {
 public:
  // A range of executable bytes in the image of a code object: from `first` up to, but not
  // including, `last`.
  struct Range {
    uint64_t first, last;
  };
  // Decodes the executable ranges of `image`. `wave` is the size of the waves that will execute the
  // program: 32 or 64 lanes. `two_float_modes` must be true if a kernel starts with another
  // rounding or denormal mode for f16 and f64 than for f32.
  static std::expected<std::shared_ptr<const Program>, std::string> decode(
      const Target& target, int wave, bool two_float_modes, std::span<const std::byte> image,
      std::span<const Range> ranges);

  // Index of the instruction at an address of the image, or -1.
  int32_t find(uint64_t address) const {
    return address % 4 == 0 && address / 4 < instruction_at_.size() ? instruction_at_[address / 4]
                                                                    : -1;
  }

  std::span<const Instruction> instructions() const { return instructions_; }
  std::span<const int32_t> instruction_at() const { return instruction_at_; }
  std::span<const uint32_t> addresses() const { return addresses_; }
  const std::string& text(uint32_t index) const { return texts_[index]; }
  // The mnemonic without encoding suffix, such as "v_add_f32". For a dual-issue pair, the two
  // mnemonics with " :: " between them.
  std::string_view mnemonic(uint32_t index) const { return mnemonics_[mnemonic_of_[index]]; }
  uint32_t mnemonic_number(uint32_t index) const { return mnemonic_of_[index]; }
  uint32_t mnemonic_count() const { return static_cast<uint32_t>(mnemonics_.size()); }
  // By instruction: its class among amd_classes (record/instruction_class.h).
  std::span<const uint8_t> classes() const { return classes_; }
  // Returns something that a user of the program computes from it. It is computed by make() on the
  // first call and kept for all later launches. There is only one such thing for each program, so
  // all users must request the same type.
  template <class T, class Make>
  const T& kept(const Make& make) const {
    const std::lock_guard lock(kept_->mutex);
    if (!kept_->made) kept_->made = std::shared_ptr<const T>(make());
    return *static_cast<const T*>(kept_->made.get());
  }
  // Why an instruction cannot be executed; empty when it can.
  std::string_view obstacle(uint32_t index) const;
  int wave() const { return wave_; }
  // For each instruction, the handler that run_in_other_mode() calls; null if the instruction does
  // not run in the other float mode. Empty if the program has the same mode for all float types.
  std::span<const Handler> inner_handlers() const { return inner_handlers_; }
  std::span<const uint64_t> literals() const { return attachments_.literals; }
  // For each instruction, by how much one execution reduces the launch's budget (decode/work.h).
  std::span<const uint16_t> work() const { return work_; }
  // The most host memory that a decoded instruction takes, in bytes.
  static constexpr uint64_t bytes_per_instruction = 512;
  bool is_matrix(uint32_t index) const { return is_matrix_[index]; }
  // How many vector registers and how many accumulation registers the code may use: up to the
  // highest number that its text names; all of them if the code computes register numbers.
  struct VectorRegisters {
    uint16_t vectors = 0, accumulators = 0;
  };
  VectorRegisters vector_registers_used() const { return used_; }
  // ImplicitRegisters of decode/disassembler.h.
  uint8_t implicit(uint32_t index) const { return implicit_[index]; }

 private:
  friend class ProgramBuilder;
  struct Kept {
    std::mutex mutex;
    std::shared_ptr<const void> made;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::vector<Instruction> instructions_;  // and one more, which catches running off the end
  std::vector<uint32_t> addresses_;
  std::vector<std::string> texts_;
  std::vector<uint32_t> mnemonic_of_;
  std::vector<std::string> mnemonics_;
  std::vector<uint8_t> classes_;
  std::vector<uint16_t> work_;
  std::vector<bool> is_matrix_;
  std::vector<uint8_t> implicit_;
  std::vector<int32_t> instruction_at_;  // by address / 4
  std::vector<std::pair<uint32_t, std::string>> obstacles_;
  Attachments attachments_;
  VectorRegisters used_;
  int wave_ = 32;
  std::vector<Handler> inner_handlers_;
  struct Dual {
    Instruction part[2];
  };
  std::deque<Dual> pairs_;  // of dual-issue pairs, and of the halves of wave64
};

// Raises the counts in `used` to include the registers in `text`, an instruction as LLVM prints it:
// "v_mov_b32 v1, v[2:3]".
void add_named_registers(Program::VectorRegisters& used, std::string_view text);

// "v_add_f32_e64_dpp" -> "v_add_f32".
std::string_view base_mnemonic(std::string_view mnemonic);
// The plain mnemonic of an instruction in a dual-issue pair: "v_mov_b32" for "v_dual_mov_b32".
// Other mnemonics are not changed.
std::string single_mnemonic(std::string_view mnemonic);

}  // namespace heddle::emulator
