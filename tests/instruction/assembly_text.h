// An AMD instruction as assembly text, with the registers its row says.
#pragma once

#include <string>
#include <vector>

#include "heddle/instruction/modifiers.h"

namespace heddle::test {

/// Registers of D, A, B, then C or, of a sparse A, the index, then the scales. A sparse product has
/// C in the registers of D, of which D may take fewer.
inline std::vector<int> register_counts(const instruction::Instruction& row) {
  using instruction::Operand;
  const int c = row.map(Operand::c).registers;
  std::vector<int> counts{row.is_sparse() ? c : row.d.registers, row.a.registers, row.b.registers,
                          row.is_sparse() ? row.index.registers : c};
  for (const Operand scale : {Operand::scale_a, Operand::scale_b})
    if (row.has(scale)) counts.push_back(row.map(scale).registers);
  return counts;
}

/// The assembler's name of `count` registers of file `file` (v: VGPRs, a: AGPRs) from `first` on.
inline std::string register_tuple(char file, int first, int count) {
  const std::string number = std::to_string(first);
  if (count == 1) return file + number;
  return std::string(1, file) + "[" + number + ":" + std::to_string(first + count - 1) + "]";
}

/// How the assembler is told which formats and which scales: of the latter `part` for A, 0 for B.
inline std::string modifier_text(const instruction::Instruction& row, int a, int b, int part) {
  constexpr const char* formats[] = {"FP8", "BF8", "FP6", "BF6", "FP4"};
  const bool cdna = instruction::is_cdna(row.family());
  std::string text;
  if (row.has(instruction::Operand::scale_a) && cdna)
    text += (part & 1) != 0 ? std::string(" op_sel:[1,0,0]") : "";
  if (row.has(instruction::Operand::scale_a) && cdna)
    text += (part & 2) != 0 ? " op_sel_hi:[1,0,0]" : " op_sel_hi:[0,0,0]";
  if (cdna && a != 0) text += " cbsz:" + std::to_string(a);
  if (cdna && b != 0) text += " blgp:" + std::to_string(b);
  if (!cdna && a != 0) text += std::string(" matrix_a_fmt:MATRIX_FMT_") + formats[a];
  if (!cdna && b != 0) text += std::string(" matrix_b_fmt:MATRIX_FMT_") + formats[b];
  if (!cdna && part != 0) text += " matrix_a_scale:MATRIX_SCALE_ROW1";
  return text;
}

/// The instruction with operands of `counts` registers in `files`, tuples beginning at multiples of
/// 32 and `shift` behind; a C that lies as D in its registers.
inline std::string assembly_text(const instruction::Instruction& row,
                                 const std::vector<int>& counts, const std::string& files,
                                 int shift = 0) {
  std::string result(row.name);
  const bool c_is_d = !row.is_sparse() && !instruction::exists(row.c);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const int first = i == 3 && c_is_d ? shift : static_cast<int>(32 * i) + shift;
    result += (i == 0 ? " " : ", ") + register_tuple(i < 4 ? files[i] : 'v', first, counts[i]);
  }
  return result;
}

/// The four register files, in the order of register_counts, of an instruction that has no choice.
inline std::string register_files(const instruction::Instruction& row) {
  return row.has(instruction::Constraint::accumulation_registers) ? "avva" : "vvvv";
}

/// A load that transposes, into the registers from `first` on, `count` of them.
inline std::string load_text(const instruction::Instruction& row, int first, int count) {
  const std::string address = register_tuple('v', 32, row.address.registers);
  return std::string(row.name) + " " + register_tuple('v', first, count) + ", " + address +
         (row.address.bits == 64 ? ", off" : "");
}

inline std::string assembly_text(const instruction::Instruction& row) {
  if (row.kind == instruction::Kind::load) return load_text(row, 0, row.d.registers);
  return assembly_text(row, register_counts(row), register_files(row));
}

}  // namespace heddle::test
