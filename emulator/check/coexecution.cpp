#include "emulator/check/coexecution.h"

#include <algorithm>

#include "emulator/decode/assembly_text.h"
#include "heddle/instruction/catalogue.h"

namespace heddle::emulator::check {
namespace {

namespace catalogue = instruction;
using catalogue::ElementType;

// For a matrix instruction with several formats: true if the elements of A or of B have 8 bits.
// That is so if one of the two formats is not given, since 8 bits is the default.
bool has_8_bits(const TextInstruction& text) {
  const auto is_short = [&](std::string_view name) {
    const TextModifier* const format = text.find(name);
    return format && (format->value.ends_with('4') || format->value.ends_with('6'));
  };
  return !is_short("matrix_a_fmt") || !is_short("matrix_b_fmt");
}

bool is_transcendental(const Effects& effects) {
  for (const Row* row : effects.row)
    if (row && row->traits & trait_transcendental) return true;
  return false;
}

// A, B and the index of a matrix instruction.
std::vector<RegisterRange> factors(const Effects& effects) {
  std::vector<RegisterRange> all = {effects.matrix[0], effects.matrix[1]};
  const bool is_sparse = effects.row[0]->reads_destination;
  if (is_sparse && !effects.reads.empty()) all.push_back(effects.reads.back());
  return all;
}

// The first of `ranges` that overlaps one of `others`; null if no range does.
std::optional<RegisterRange> shared(const std::vector<RegisterRange>& ranges,
                                    const std::vector<RegisterRange>& others) {
  for (RegisterRange range : ranges) {
    range.halves = RegisterRange{}.halves;
    for (const RegisterRange& other : others)
      if (range.overlaps(other)) return range;
  }
  return std::nullopt;
}

}  // namespace

Coexecution::Coexecution(const Program& program, const EffectsTable& effects, const Target& target)
    : effects_(effects), states_(program.instructions().size()) {
  for (uint32_t i = 0; i < states_.size(); ++i) {
    if (effects[i].action != Action::matrix) continue;
    const catalogue::Instruction* const row =
        catalogue::find(effects[i].mnemonic[0], target.target);
    if (!row || row->a_type == ElementType::f32) {
      states_[i] = {0, 1};  // of the vector ALU
      continue;
    }
    const bool is_slow = row->formats.empty() ? catalogue::is_integer(row->a_type)
                                              : has_8_bits(parse_instruction(program.text(i)));
    states_[i] = row->is_sparse() ? (is_slow ? States{4, 5} : States{2, 3})
                                  : (is_slow ? States{8, 9} : States{4, 5});
  }
}

std::optional<Coexecution::Found> Coexecution::check(const std::vector<Product>& products,
                                                     uint32_t instruction, uint32_t vectors) const {
  const Effects& second = effects_[instruction];
  const bool is_matrix = second.action == Action::matrix;
  if (!(effects_.kinds()[instruction] & EffectsTable::vector) || is_transcendental(second))
    return std::nullopt;
  std::optional<Found> worst;
  for (const Product& product : products) {
    const Effects& first = effects_[product.instruction];
    const States& states = states_[product.instruction];
    const int needed = is_matrix ? states.before_matrix : states.before_vector;
    const int between = static_cast<int>(vectors - product.vectors) - 1;
    if (between >= needed || first.writes.empty()) continue;
    if (worst && worst->needed - worst->states >= needed - between) continue;
    const std::vector<RegisterRange> d = {first.writes.front()};
    // Allowed: a WMMA that reads D of the previous WMMA as its C (a sparse one: as its D).
    auto range = shared(is_matrix ? factors(second) : second.reads, d);
    std::string_view what = is_matrix ? "WMMA writes VGPR, WMMA reads it as A, B or index"
                                      : "WMMA writes VGPR, VALU reads it";
    if (!range && !is_matrix) {
      what = "WMMA writes VGPR, VALU writes it";
      range = shared(second.writes, d);
    }
    if (!range && !is_matrix) {
      what = "WMMA reads VGPR as A, B or index, VALU writes it";
      range = shared(second.writes, factors(first));
    }
    if (range) worst = Found{product.instruction, between, needed, *range, what};
  }
  return worst;
}

}  // namespace heddle::emulator::check
