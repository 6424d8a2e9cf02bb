// Places the operands of an instruction: from its text into the sources, the destination and the
// immediate numbers of an Instruction, by the form of its row. translate.cpp reads the modifiers
// after them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/translate.h"

namespace heddle::emulator {

// Keeps the first problem; the message says which part of the text it lies in.
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
  // The operands from `first` on, for all sources of the row.
  void place_sources(std::size_t first, int count);
  // v_pk_fmac_f16: both halves have a small constant; only a negative integer is extended as
  // everywhere (LLVM's decoder for gfx11 and later).
  static void repeat_constant(Source& s, const TextOperand& o);
  void place_vector();
  // SOPK: a 16-bit immediate that extends its sign, except in unsigned comparisons.
  bool has_short_immediate() const;
  void extend_short_immediate(Source& s);
  void place_scalar();
  void place_hardware_register();
  void place_scalar_memory();
  bool is(std::string_view prefix) const;
  // vaddr and saddr of global, flat and scratch instructions. For global and flat, `extra` says
  // that the vector address is the whole 64-bit address.
  void place_address(std::size_t vector_at, std::size_t scalar_at);
  void place_atomic();
  void place_buffer();
  // CDNA3: SC0. gfx11 and CDNA2: GLC. gfx12: bit 0 of TH, which is in the name or, where LLVM has
  // none, a number (RDNA4 ISA, "Temporal hints": TH of atomics).
  bool atomic_returns() const;
  // Loads that write LDS have no place for data.
  void place_buffer_to_lds();
  void place_lds(bool returns, int data_count);
  // A part of a descriptor; null stands for zeros.
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
