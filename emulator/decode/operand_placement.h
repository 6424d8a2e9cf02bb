// Moves the operands from the text of an instruction into an Instruction: into its sources, its
// destination and its immediate numbers. Which operand goes where follows from the form in its row
// of the opcode table. translate.cpp reads the modifiers afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/translate.h"

namespace heddle::emulator {

// Collects problems: keeps the message of the first one. The message says which part of the
// instruction is not accepted.
class Failure {
 public:
  explicit operator bool() const { return failed_; }
  void operator()(std::string message) {
    if (!failed_) message_ = std::move(message);
    failed_ = true;
  }
  const std::string& message() const { return message_; }

 private:
  bool failed_ = false;
  std::string message_;
};

class OperandPlacement {
 protected:
  OperandPlacement(const TextInstruction& text, const Row& row, const Machine& machine,
                   Attachments& attachments)
      : text_(text), row_(row), machine_(machine), attachments_(attachments) {}

  const TextOperand& operand(std::size_t i);
  bool has_operand(std::size_t i) const;
  int source_count() const;
  uint16_t vgpr_destination(const TextOperand& o);
  uint16_t scalar_destination(const TextOperand& o);
  Source register_source(const TextOperand& o);
  Source source(const TextOperand& o, Type type);
  Source vgpr_source(const TextOperand& o);
  Source scalar_source(const TextOperand& o);
  // Makes `count` operands of the text, from number `first` on, the first `count` sources.
  void place_sources(std::size_t first, int count);
  // For v_pk_fmac_f16: an inline constant is used for both halves of the register; a negative
  // integer instead is sign-extended, as in other instructions (LLVM's decoder for gfx11 and
  // later).
  static void repeat_constant(Source& s, const TextOperand& o);
  void place_vector();
  // True for instructions with a 16-bit immediate (encoding SOPK). The immediate is sign-extended,
  // except in unsigned comparisons.
  bool has_short_immediate() const;
  void extend_short_immediate(Source& s);
  void place_scalar();
  void place_hardware_register();
  void place_scalar_memory();
  bool is(std::string_view prefix) const;
  // Places the operands vaddr (number `vector_at`) and saddr (`scalar_at`) of a global, flat or
  // scratch instruction. For global and flat instructions, also sets `extra` if the vector address
  // is the whole 64-bit address.
  void place_address(std::size_t vector_at, std::size_t scalar_at);
  void place_atomic();
  void place_buffer();
  // True if an atomic returns the old value. A modifier says so: SC0 on CDNA3, GLC on gfx11 and
  // CDNA2, and bit 0 of TH on gfx12. The text of TH is a name, or a number if LLVM has no name for
  // it (RDNA4 ISA, "Temporal hints": TH of atomics).
  bool atomic_returns() const;
  // Places the operands of a load that writes to LDS, which has no operand for data.
  void place_buffer_to_lds();
  void place_lds(bool returns, int data_count);
  // A source for one of the groups of registers of a tensor descriptor. If the operand is null, the
  // group consists of zeros.
  Source tensor_group(const TextOperand& o, int registers);
  void place_branch();
  void place_operands();
  std::vector<int64_t> list(std::string_view name) const;
  int64_t number(std::string_view name, int64_t otherwise);

  const TextInstruction& text_;
  const Row& row_;
  const Machine machine_;
  Attachments& attachments_;
  Failure failure_;
  Translation result_;
  Instruction& in_ = result_.instruction;
  std::size_t first_source_ = 1;
};

}  // namespace heddle::emulator
