#include "answers/instruction/row_text.h"

#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {

using instruction::Instruction;
using instruction::Kind;
using instruction::Operand;

std::string display_name(const Instruction& row) {
  std::string name(row.name);
  const std::size_t generic = name.find("nNk");
  if (generic != std::string::npos && row.n_sizes == 0)
    name.replace(generic, 2, formatted("n{}", row.n));
  return name;
}

std::string shape_text(const Instruction& row) {
  const std::string blocks = row.blocks > 1 ? formatted(" {}b", row.blocks) : "";
  return formatted("{}x{}x{}{}", row.m, row.n, row.k, blocks);
}

std::vector<std::string_view> family_names(const Instruction& row) {
  std::vector<std::string_view> names;
  for (const instruction::FamilyRow& family : instruction::family_rows)
    if (row.is_of(family.family)) names.push_back(family.name);
  return names;
}

std::string families_text(const Instruction& row) {
  const std::vector<std::string_view> names = family_names(row);
  const unsigned run = row.families.bits >> static_cast<unsigned>(row.family());
  const bool without_gap = (run & (run + 1)) == 0;
  if (names.size() > 2 && without_gap) return formatted("{} to {}", names.front(), names.back());
  return joined(names, " ");
}

std::vector<std::string_view> format_names(const Instruction& row) {
  std::vector<std::string_view> names;
  for (const instruction::FormatRow& format : row.formats)
    names.push_back(instruction::name(format.type));
  return names;
}

std::string computes_text(const Instruction& row) {
  const auto type = [&](Operand operand) { return instruction::name(row.type(operand)); };
  const std::string blocks = row.blocks > 1 ? formatted("{} blocks of ", row.blocks) : "";
  const std::string moved =
      formatted("{}{}x{} (m n), {}", blocks, row.m, row.n, instruction::name(row.a_type));
  const std::string held =
      row.a_type == row.d_type ? "" : formatted(", held as {}", type(Operand::d));
  const std::string_view memory = !row.has(Operand::address) ? "tensor memory"
                                  : row.address.bits == 64   ? "global memory"
                                                             : "shared memory";
  switch (row.kind) {
    case Kind::load:
      return formatted("D = matrix in {}, {}{}", memory, moved, held);
    case Kind::store:
      return formatted("matrix in {} = D, {}{}", memory, moved, held);
    case Kind::transpose:
      return formatted("D = A transposed, {}", moved);
    case Kind::multiply:
      break;
  }
  return formatted(
      "D = A x B + C, {}{}x{}x{} (m n k){}, {} x {} + {} -> {}{}", blocks, row.m, row.n, row.k,
      row.is_sparse() ? ", A sparse (half of its k) with index K" : "", type(Operand::a),
      type(Operand::b), type(Operand::c), type(Operand::d),
      row.has(Operand::scale_a) ? formatted(", A and B scaled by {}", type(Operand::scale_a)) : "");
}

std::string needs_text(const Instruction& row) {
  std::string text;
  for (const instruction::ConstraintRow& constraint : instruction::constraint_rows)
    if (row.has(constraint.constraint))
      text += formatted("{}{}", text.empty() ? "" : "; ", constraint.sentence);
  return text;
}

std::string compile_target(const Instruction& row, instruction::Target target) {
  using instruction::Family;
  const bool is_of_one_generation =
      instruction::is_nvidia(row.family()) &&
      (row.has(instruction::Constraint::warpgroup) || row.family() >= Family::sm100);
  if (!is_of_one_generation) return "";
  std::string name(instruction::name(target));
  if (!name.ends_with('a')) name += 'a';
  return name;
}

std::string compile_for_text(const Instruction& row, instruction::Target target) {
  const std::string name = compile_target(row, target);
  return name.empty() ? "" : name + ": ptxas takes it for no target without the a";
}

std::vector<std::string_view> witness_names(const Instruction& row, bool of_map) {
  std::vector<std::string_view> names;
  for (const instruction::WitnessRow& witness : instruction::witness_rows)
    if (witness.of_map == of_map && row.has(witness.witness)) names.push_back(witness.sentence);
  return names;
}

std::string witnesses_text(const Instruction& row) {
  const auto sentences = [&](bool of_map) {
    const std::vector<std::string_view> names = witness_names(row, of_map);
    return names.empty() ? std::string(of_map ? "NONE" : "none") : joined(names, "; ");
  };
  return formatted("of the places: {}{}; of registers and encoding: {}", sentences(true),
                   row.map_witnesses() == 1 ? " (the only one)" : "", sentences(false));
}

std::string register_words(const Instruction& row, Operand operand, int count) {
  const char letter = register_letter(row, operand);
  const std::string_view word = letter == 'v'   ? "VGPR"
                                : letter == 'a' ? "AGPR"
                                : letter == 'c' ? "column"
                                                : "register";
  return formatted("{}{}", word, count == 1 ? "" : "s");
}

char register_letter(const Instruction& row, Operand operand) {
  if (row.map(operand).storage == instruction::Storage::tensor_memory) return 'c';
  return is_nvidia(row.family()) ? 'r' : row.register_letter(operand);
}

std::string operand_words(const Instruction& row, Operand operand) {
  const bool accumulator = operand == Operand::c || operand == Operand::d;
  const bool shared = row.kind == instruction::Kind::multiply && !exists(row.c);
  return accumulator && shared ? "C and D" : std::string(instruction::name(operand));
}

std::string extents_text(Operand operand, const instruction::Places& places) {
  if (operand == Operand::address) return formatted("{} (m)", places.rows);
  const bool of_b = operand == Operand::b || operand == Operand::scale_b;
  const bool of_a =
      operand == Operand::a || operand == Operand::index || operand == Operand::scale_a;
  const std::string_view axes = of_a ? "m k" : of_b ? "k n" : "m n";
  return formatted("{}x{} ({})", places.rows, places.cols, axes);
}

std::string position_words(const Instruction& row, Operand operand) {
  const std::string_view type = instruction::name(row.type(operand));
  const int width = row.map(operand).bits;
  if (operand == Operand::address) return "addresses";
  if (operand == Operand::index)
    return width == 4 ? "pairs of 2-bit places" : formatted("places, {} bits", width);
  if (operand == Operand::scale_a || operand == Operand::scale_b)
    return formatted("{}, one for {} k", type,
                     instruction::k_per_group(row, instruction::isa_fragment(row, operand)));
  const bool pair =
      operand == Operand::a && row.is_sparse() && width == 2 * bits(row.type(operand));
  return formatted("{}{}", type, pair ? " pairs" : "");
}

std::string range_text(std::uint64_t first, std::uint64_t count) {
  return count == 1 ? formatted("{}", first) : formatted("{}-{}", first, first + count - 1);
}

std::string wave_words(const Instruction& row) {
  if (!is_nvidia(row.family())) return formatted("wave{}", row.wave);
  if (row.d.storage == instruction::Storage::tensor_memory)
    return formatted("{} lanes of tensor memory", row.wave);
  return row.wave == 128 ? "warpgroup" : "warp";
}

}  // namespace heddle::answers
