#include "emulator/machine/matrix_form.h"

#include <array>

namespace heddle::emulator {
namespace {

namespace catalogue = instruction;
using catalogue::Operand;

MatrixForm form_of(const catalogue::Instruction& from) {
  MatrixForm form{};
  form.a_type = from.a_type;
  form.b_type = from.b_type;
  form.d_type = from.d_type;
  form.wave = from.wave;
  form.k = from.k;
  form.a_registers = from.a.registers;
  form.b_registers = from.b.registers;
  form.sparse = from.is_sparse();
  form.equal_copies = from.has(catalogue::Constraint::equal_copies);
  const auto map = [&](Operand operand) { return catalogue::isa_fragment(from, operand); };
  form.half_unpacked = from.d.bits == 16 && map(Operand::d).input_size("element") == 1;
  bool found = true;
  if (form.sparse) {
    found &= find_slices(form.a, from.k / 4, map(Operand::a), "group", "m");
    found &= find_slices(form.index, from.k / 4, map(Operand::index), "group", "m");
    form.index_bits = 4 * static_cast<int>(map(Operand::index).input_size("element"));
  } else {
    found &= find_slices(form.a, from.k, map(Operand::a), "k", "m");
  }
  found &= find_slices(form.b, from.k, map(Operand::b), "k", "n");
  found &= find_slices(form.d, 16, map(Operand::d), "m", "n");
  if (!found) __builtin_trap();  // of no row: each is run by tests/emulator/matrix_golden_test.cpp
  return form;
}

}  // namespace

const MatrixForm& matrix_form(std::size_t row) {
  static const auto forms = [] {
    std::array<MatrixForm, catalogue::rdna_instructions.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = form_of(catalogue::rdna_instructions[i]);
    return all;
  }();
  return forms[row];
}

}  // namespace heddle::emulator
