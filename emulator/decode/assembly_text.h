// Takes a line of AMDGPU assembly apart.
//
// The emulator decodes with LLVM's disassembler and reads the text that it prints. The text is a
// public, documented form of an instruction ("AMDGPU Instructions Notation" and "AMDGPU Instruction
// Modifiers" in LLVM's documentation). LLVM's internal form, with the operand order of an MCInst
// and the opcode numbers, is private and changes with every release.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::emulator {

enum class OperandKind {
  vgpr,     // v5, v[0:3], v2.l; a5, an accumulation register
  scalar,   // s5, s[0:3], vcc_lo, exec, m0, ttmp9, src_scc, src_shared_base
  null,     // null
  integer,  // -16, 0x1234
  real,     // 1.0
  off,      // off
  other,    // anything else: hwreg(...), sendmsg(...)
};

struct TextOperand {
  OperandKind kind = OperandKind::other;
  std::string_view text;
  int first = 0;  // register number: as in Wavefront::vgpr, or as in ScalarRegister
  int count = 1;  // registers
  bool has_half = false, high_half = false;  // .l, .h
  bool negate = false, absolute = false;
  bool sign_extend = false;  // sext(...)
  int64_t integer = 0;
  bool hexadecimal = false;  // written as 0x...: a literal of 32 bits rather than a small constant
  double real = 0;

  bool is_register() const { return kind == OperandKind::vgpr || kind == OperandKind::scalar; }
};

struct TextModifier {
  std::string_view name;   // "op_sel", "offset", "clamp"
  std::string_view value;  // "[0,1]", "16", empty
};

struct TextInstruction {
  std::string_view mnemonic;  // "v_add_f32_e64"
  std::vector<TextOperand> operands;
  std::vector<TextModifier> modifiers;

  // Null when there is none of that name.
  const TextModifier* find(std::string_view name) const;
};

// Parses one line, which must outlive the result: the result has pointers into it. Never fails:
// unknown text becomes an operand of kind `other` or a modifier.
TextInstruction parse_instruction(std::string_view line);

// "16", "-0x10" as a number; false when it is none.
bool parse_integer(std::string_view text, int64_t& value, bool& hexadecimal);

// "[0,1,1]" as numbers; empty when it is no list of numbers.
std::vector<int64_t> parse_list(std::string_view text);

}  // namespace heddle::emulator
