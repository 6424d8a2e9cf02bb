#include "answers/instruction/info.h"

#include <expected>
#include <memory>
#include <vector>

#include "answers/instruction/call_source.h"
#include "answers/instruction/row_text.h"
#include "answers/instruction/selection.h"
#include "answers/instruction/sums_text.h"
#include "answers/text/json_text.h"
#include "answers/text/paragraph.h"
#include "heddle/instruction/encoding.h"
#include "heddle/instruction/modifiers.h"
#include "heddle/instruction/rates.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using instruction::Instruction;
using instruction::Kind;
using instruction::Operand;
using instruction::Storage;
using instruction::Target;

/// A paragraph of the answer: its subject, and its text.
struct Fact {
  std::string label;
  std::string words;
};

/// True if the operand has a map to show.
bool is_mapped(const Instruction& row, Operand operand) { return !row.map(operand).text.empty(); }

/// Words for where an operand lies whose elements cannot be shown, because the catalogue has no map
/// of it.
std::string_view where_unmapped(const Instruction& row, Operand operand) {
  return row.map(operand).storage == Storage::shared_memory
             ? "in shared memory, where its descriptor says"
             : "in tensor memory, no witness says where";
}

/// A sentence such as "A in 8 VGPRs: 16 elements a lane, each in 2 lanes" about where an operand
/// lies.
std::string operand_fact(const Instruction& row, Operand operand) {
  const std::string name = operand_words(row, operand);
  if (!is_mapped(row, operand)) return formatted("{} {}", name, where_unmapped(row, operand));
  const int registers = row.map(operand).registers;
  const int held = instruction::elements_per_lane(row, operand);
  const auto copies = instruction::lane_copies(instruction::isa_fragment(row, operand)).size();
  std::string text =
      formatted("{} in {} {}", name, registers, register_words(row, operand, registers));
  if (operand == Operand::address) return text;
  text += formatted(": {} {}{} a lane", held,
                    operand == Operand::index                  ? "place"
                    : row.is_sparse() && operand == Operand::a ? "group"
                                                               : "element",
                    held == 1 ? "" : "s");
  return copies > 1 ? text + formatted(", each in {} lanes", copies) : text;
}

std::string operands_text(const Instruction& row) {
  std::string text;
  for (const Operand operand : instruction::all_operands) {
    const bool told_with_d = operand == Operand::c && !exists(row.c);
    if (row.has(operand) && !told_with_d)
      text += formatted("{}{}", text.empty() ? "" : "; ", operand_fact(row, operand));
  }
  return text;
}

/// A processor that has an instruction of this name. `same`: true if that instruction is this row.
struct Place {
  Target target;
  int wave;
  bool same;
};

std::vector<Place> places_of_name(const Instruction& row) {
  std::vector<Place> places;
  for (const instruction::ProcessorRow& processor : instruction::processor_rows)
    for (const int wave : {32, 64, 128, 256})
      if (const Instruction* there = instruction::find(row.name, processor.target, wave);
          there != nullptr && instruction::exists_on(*there, processor.target))
        places.push_back(
            {processor.target, wave, there->families == row.families && there->wave == row.wave});
  return places;
}

std::string exists_text(const Instruction& row) {
  std::string text;
  const auto append = [&](std::string_view before, auto belongs) {
    std::string list;
    for (const Place& place : places_of_name(row))
      if (belongs(place))
        list += formatted("{}{}", list.empty() ? "" : ", ", instruction::name(place.target));
    if (!list.empty()) text += formatted("{}{}", before, list);
  };
  append("", [](const Place& place) { return place.same; });
  for (const int wave : {32, 64, 128, 256})
    append(is_nvidia(row.family()) ? "; with a row of its own on "
                                   : formatted("; with a row of its own in wave{} on ", wave),
           [&](const Place& place) { return !place.same && place.wave == wave; });
  return text;
}

std::string rate_text(const Instruction& row, Target target) {
  if (row.kind != Kind::multiply) return "";
  const auto published = instruction::rate(row, target);
  if (!published) return "no published figure for these types and this form";
  const double clocks =
      static_cast<double>(row.m) * row.n * row.k * row.blocks / published->multiply_adds;
  const auto cycles = instruction::matrix_cycles(row, target);
  const std::string of_one = cycles ? formatted(", {} cycles on one of {} SIMDs", *cycles,
                                                instruction::matrix_units(target))
                                    : std::string();
  return formatted("at most {} multiply-adds a clock and {}{}: one in {:g} clock{}{}. Source: {}",
                   published->multiply_adds, instruction::rate_unit(target),
                   row.is_sparse() ? ", those with the zeros of A counted" : "", clocks,
                   clocks == 1 ? "" : "s", of_one, published->source);
}

std::string latency_text(const Instruction& row, Target target) {
  const auto published = instruction::latency(row, target);
  if (!published) return "";
  return formatted("{} cycles{}, as LLVM's scheduler reckons. Source: {}", published->cycles,
                   published->of_fp4 == published->cycles
                       ? std::string()
                       : formatted(", {} where A and B are both fp4", published->of_fp4),
                   published->source);
}

std::string co_execution_text(const Instruction& row, Target target) {
  const auto published = instruction::co_execution(row, target);
  if (!published) return "";
  if (published->first_cycle == 0)
    return formatted("none: vector instructions wait until the matrix unit is free. Source: {}",
                     published->source);
  return formatted(
      "the next vector instruction can issue after {} cycles{}. Source: {}", published->first_cycle,
      published->cycles ? formatted(", {} of the {} are left to such", *published->cycles,
                                    *published->cycles + published->first_cycle)
                        : std::string(),
      published->source);
}

std::string encoding_text(const Instruction& row) {
  const auto encoded = instruction::encoding(row);
  if (!encoded) return "";
  return formatted("{}, opcode 0x{:02x}, {} bytes{}. Source: LLVM 22", encoded->format,
                   encoded->opcode, encoded->bytes,
                   encoded->scale_load
                       ? formatted(", of which the first 8 are {}, opcode 0x{:02x}",
                                   encoded->scale_load->name, encoded->scale_load->opcode)
                       : std::string());
}

std::string modifiers_text(const Instruction& row) {
  if (is_nvidia(row.family())) return "";
  const instruction::Modifiers most = instruction::largest_modifiers(row, 0);
  std::string text;
  const auto add = [&](std::string_view name, int value) {
    if (value > 0) text += formatted("{}{} up to {}", text.empty() ? "" : ", ", name, value);
  };
  add("cbsz", most.cbsz);
  const instruction::Modifiers with_cbsz = instruction::largest_modifiers(row, most.cbsz);
  add("abid", std::max(most.abid, with_cbsz.abid));
  add("blgp", most.blgp);
  add("opsel", most.opsel);
  add("matrix_a_fmt", most.a_format);
  add("matrix_b_fmt", most.b_format);
  if (!row.formats.empty())
    text += formatted(" (A and B each of {})", joined(format_names(row), ", "));
  return text.empty() ? text : text + "; `heddle show` draws what each moves";
}

std::string or_none(std::string_view text) { return text.empty() ? "none" : std::string(text); }

/// The facts about a row of the catalogue. Facts with an empty text are left out.
std::vector<Fact> facts(const RowSelection& selection, std::int64_t products) {
  const Instruction& row = selection.row;
  const instruction::Family family = instruction::processor(selection.target).family;
  std::vector<Fact> all{{"computes", computes_text(row)},
                        {"operands", operands_text(row)},
                        {"exists on", exists_text(row)},
                        {"compile for", compile_for_text(row, selection.target)},
                        {"needs", needs_text(row)},
                        {"modifiers", modifiers_text(row)},
                        {"throughput", rate_text(row, selection.target)},
                        {"latency", latency_text(row, selection.target)},
                        {"beside it", co_execution_text(row, selection.target)},
                        {"encoding", encoding_text(row)},
                        {"sums", sums_text(row, family)},
                        {"error", sum_error_text(row, family, products)},
                        {"LLVM", or_none(row.intrinsic)},
                        {"clang", builtin_name(row)},
                        {"CUTLASS", std::string(instruction::cutlass_name(row).view())},
                        {"witnesses", witnesses_text(row)},
                        {"in doubt", std::string(row.doubt)}};
  std::erase_if(all, [](const Fact& fact) { return fact.words.empty(); });
  return all;
}

std::string heading(const RowSelection& selection) {
  return formatted("{} on {} ({}), {}", display_name(selection.row),
                   instruction::name(selection.target),
                   instruction::processor(selection.target).product, wave_words(selection.row));
}

/// A remark after the call in the answer. If the instruction exists for several n, the call that is
/// shown has the smallest n.
std::string_view for_one_n(const Instruction& row) {
  return row.n_sizes == 0 ? "" : ", of the smallest n";
}

std::string text_of(const RowSelection& selection, std::int64_t products) {
  constexpr int label_columns = 14;
  std::string text = heading(selection) + '\n';
  for (const Fact& fact : facts(selection, products))
    text += paragraph("  " + fact.label, fact.words, label_columns, output_width());
  const CallSource call = call_source(selection.row);
  text += formatted("\n  in {}{}:\n\n", call.language, for_one_n(selection.row));
  for (std::string_view rest = call.text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
    text += formatted("    {}\n", rest.substr(0, rest.find('\n')));
  return text;
}

std::string markdown_of(const RowSelection& selection, std::int64_t products) {
  std::string text = formatted("# {}\n\n", heading(selection));
  for (const Fact& fact : facts(selection, products))
    text += formatted("- {}: {}\n", fact.label, fact.words);
  const CallSource call = call_source(selection.row);
  return text + formatted("\n{}{}:\n\n```cpp\n{}```\n", call.language, for_one_n(selection.row),
                          call.text);
}

std::string operands_json(const Instruction& row) {
  std::string list;
  for (const Operand operand : instruction::all_operands) {
    if (!row.has(operand)) continue;
    const instruction::OperandMap& map = row.map(operand);
    list += formatted(R"({}"{}": {{"type": "{}", "registers": {}, "bits": {}, "in": "{}")",
                      list.empty() ? "" : ", ", instruction::name(operand),
                      instruction::name(row.type(operand)), map.registers, map.bits,
                      map.storage == Storage::registers       ? "registers"
                      : map.storage == Storage::tensor_memory ? "tensor memory"
                                                              : "shared memory");
    if (is_mapped(row, operand))
      list += formatted(R"(, "elements_per_lane": {}, "map": {})",
                        instruction::elements_per_lane(row, operand), json_string(map.text));
    list += "}";
  }
  return "{" + list + "}";
}

std::string rate_json(const Instruction& row, Target target) {
  const auto published = instruction::rate(row, target);
  if (!published) return "null";
  const auto cycles = instruction::matrix_cycles(row, target);
  return formatted(
      R"({{"multiply_adds_per_clock": {}, "of": "{}", "cycles_of_simd": {}, "source": {}}})",
      published->multiply_adds, instruction::rate_unit(target),
      cycles ? formatted("{}", *cycles) : "null", json_string(published->source));
}

std::string latency_json(const Instruction& row, Target target) {
  const auto published = instruction::latency(row, target);
  if (!published) return "null";
  return formatted(R"({{"cycles": {}, "cycles_of_fp4": {}, "source": {}}})", published->cycles,
                   published->of_fp4, json_string(published->source));
}

std::string co_execution_json(const Instruction& row, Target target) {
  const auto published = instruction::co_execution(row, target);
  if (!published) return "null";
  return formatted(R"({{"first_cycle": {}, "cycles": {}, "source": {}}})", published->first_cycle,
                   published->cycles ? formatted("{}", *published->cycles) : "null",
                   json_string(published->source));
}

std::string encoding_json(const Instruction& row) {
  const auto encoded = instruction::encoding(row);
  if (!encoded) return "null";
  return formatted(R"({{"format": "{}", "opcode": {}, "bytes": {}, "scale_load": {}}})",
                   encoded->format, encoded->opcode, encoded->bytes,
                   encoded->scale_load
                       ? formatted(R"({{"name": "{}", "opcode": {}}})", encoded->scale_load->name,
                                   encoded->scale_load->opcode)
                       : "null");
}

std::string json_of(const RowSelection& selection, std::int64_t products) {
  const Instruction& row = selection.row;
  std::string exists;
  for (const Place& place : places_of_name(row))
    exists +=
        formatted(R"({}{{"arch": "{}", "wave": {}, "same_row": {}}})", exists.empty() ? "" : ", ",
                  instruction::name(place.target), place.wave, place.same);
  std::vector<std::string_view> needs;
  for (const instruction::ConstraintRow& constraint : instruction::constraint_rows)
    if (row.has(constraint.constraint)) needs.push_back(constraint.sentence);
  const CallSource call = call_source(row);
  return formatted(
      "{{\"name\": {}, \"arch\": \"{}\", \"product\": {}, \"wave\": {}, \"families\": {},\n"
      " \"computes\": {}, \"m\": {}, \"n\": {}, \"k\": {}, \"blocks\": {}, \"sparse\": {},\n"
      " \"operands\": {},\n \"exists_on\": [{}],\n \"compile_for\": {}, \"needs\": {},\n \"rate\": "
      "{},\n \"latency\": {},\n \"co_execution\": {},\n \"encoding\": {},\n \"sums\": {},\n"
      " \"intrinsic\": {}, \"builtin\": {}, \"cutlass\": {},\n \"call\": {},\n"
      " \"witnesses\": {{\"places\": {}, \"registers_and_encoding\": {}}}, \"doubt\": {}}}\n",
      json_string(row.name), instruction::name(selection.target),
      json_string(instruction::processor(selection.target).product), row.wave,
      json_strings(family_names(row)), json_string(computes_text(row)), row.m, row.n, row.k,
      row.blocks, row.is_sparse(), operands_json(row), exists,
      json_string(compile_for_text(row, selection.target)), json_strings(needs),
      rate_json(row, selection.target), latency_json(row, selection.target),
      co_execution_json(row, selection.target), encoding_json(row),
      sums_json(row, instruction::processor(selection.target).family, products),
      json_string(row.intrinsic), json_string(builtin_name(row)),
      json_string(instruction::cutlass_name(row)),
      formatted(R"({{"language": "{}", "source": {}}})", call.language, json_string(call.text)),
      json_strings(witness_names(row, true)), json_strings(witness_names(row, false)),
      json_string(row.doubt));
}

}  // namespace

std::expected<std::string, std::string> info(const InfoQuestion& question) {
  const auto selection = select_row(question.row);
  if (!selection) return std::unexpected(selection.error());
  if (question.format == "json") return json_of(*selection, question.products);
  return question.format == "md" ? markdown_of(*selection, question.products)
                                 : text_of(*selection, question.products);
}

}  // namespace heddle::answers
