#include "tools/heddle/commands/commands.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "answers/instruction/processor_argument.h"
#include "answers/text/json_text.h"
#include "heddle/instruction/catalogue.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "probe/experiment.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {
namespace {

using instruction::Instruction;
using instruction::Kind;

struct Arguments {
  std::vector<std::string> names;
  std::string format = "text";
  std::string target = std::string(probe::hopper);
};

/// The answer of the GPU about one instruction.
struct Answer {
  std::string name;
  std::string note;     // Trial::note
  bool whole = true;    // its labels are recorded, not only their digest
  std::string refusal;  // the reason why there is no answer; else empty
  bool agrees = false;
  probe::Finding finding;  // of a multiply
  std::vector<int> moved;  // of a load, store or transposition
};

Answer ask(probe::Device& device, const probe::Trial& trial) {
  Answer answer;
  answer.name = trial.row.name;
  answer.note = trial.note;
  auto found = probe::probe_multiply(device, trial);
  if (found) {
    answer.agrees = *found == probe::catalogue_finding(trial);
    answer.finding = std::move(*found);
  } else {
    answer.refusal = found.error();
  }
  return answer;
}

Answer ask_move(probe::Device& device, const Instruction& row) {
  Answer answer;
  answer.name = row.name;
  auto found = probe::probe_move(device, row);
  if (found) {
    answer.agrees = *found == probe::catalogue_move(row);
    answer.moved = std::move(*found);
  } else {
    answer.refusal = found.error();
  }
  return answer;
}

bool can_probe(const Instruction& row) {
  return row.kind == Kind::multiply ? probe::can_probe_multiply(row) : probe::can_probe_move(row);
}

/// The instructions of the processor's family that can be probed.
std::vector<const Instruction*> rows_to_ask(instruction::Target target) {
  std::vector<const Instruction*> rows;
  for (const Instruction& row : instruction::all_instructions()) {
    if (!row.is_of(instruction::processor(target).family)) continue;
    if (can_probe(row)) rows.push_back(&row);
  }
  return rows;
}

std::string verdict(const Answer& answer) {
  if (!answer.refusal.empty()) return "no answer: " + answer.refusal;
  return answer.agrees ? "agrees" : "DISAGREES";
}

std::string labels_json(const probe::Labels& labels) {
  const auto list = [](const auto& numbers) { return formatted("[{}]", joined(numbers, ", ")); };
  std::string text = formatted(
      R"({{"a_m": {}, "a_k": {}, "b_k": {}, "b_n": {}, "d_m": {}, "d_n": {})", list(labels.a_m),
      list(labels.a_k), list(labels.b_k), list(labels.b_n), list(labels.d_m), list(labels.d_n));
  if (!labels.index_m.empty())
    text +=
        formatted(R"(, "index_m": {}, "index_k": {})", list(labels.index_m), list(labels.index_k));
  return text + "}";
}

std::string row_json(const Answer& answer) {
  std::string text = formatted(R"({{"name": {}, )", answers::json_string(answer.name));
  if (!answer.note.empty()) text += formatted(R"("note": {}, )", answers::json_string(answer.note));
  if (!answer.refusal.empty())
    return text + formatted(R"("refusal": {}}})", answers::json_string(answer.refusal));
  text += formatted(R"("agrees": {})", answer.agrees);
  if (!answer.moved.empty())
    return text + formatted(R"(, "moved": [{}]}})", joined(answer.moved, ", "));
  text += formatted(R"(, "digest": "{}")", probe::digest(answer.finding));
  if (!answer.whole) return text + "}";
  text += R"(, "first_half": )" + labels_json(answer.finding.first_half);
  if (!answer.finding.second_half.a_m.empty())
    text += R"(, "second_half": )" + labels_json(answer.finding.second_half);
  return text + "}";
}

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  return formatted("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string report(const probe::Device& device, const std::vector<Answer>& answers,
                   std::string_view format) {
  if (format == "json") {
    std::string text = formatted("{{\"gpu\": {}, \"driver\": {}, \"date\": \"{}\", \"rows\": [\n",
                                 answers::json_string(device.name()),
                                 answers::json_string(device.driver()), today());
    for (std::size_t i = 0; i < answers.size(); ++i)
      text += row_json(answers[i]) + (i + 1 < answers.size() ? ",\n" : "\n");
    return text + "]}\n";
  }
  std::string text = formatted("{}, {}, {}\n", device.name(), device.driver(), today());
  int agree = 0, disagree = 0;
  for (const Answer& answer : answers) {
    text += formatted("{} {}: {}\n", answer.name, answer.note, verdict(answer));
    agree += answer.agrees;
    disagree += !answer.agrees && answer.refusal.empty();
  }
  return text + formatted("{} agree, {} disagree, {} without an answer\n", agree, disagree,
                          static_cast<int>(answers.size()) - agree - disagree);
}

/// The PTX of the kernels that probe the named instructions, one after the other.
std::expected<std::string, std::string> kernels(const Arguments& arguments) {
  if (arguments.names.empty()) return std::unexpected("--format ptx needs an instruction");
  const auto target = answers::read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  std::string text;
  for (const std::string& name : arguments.names) {
    const Instruction* row = instruction::find(name, *target);
    if (row == nullptr)
      return std::unexpected(std::string(instruction::why_missing(name, *target, 32).view()));
    if (!instruction::is_nvidia(row->family()))
      return std::unexpected(formatted("{} is no instruction of PTX", name));
    text += row->kind == Kind::multiply
                ? probe::multiply_kernel(probe::trials_of(*row).front().row, {}, arguments.target)
                : probe::move_kernel(*row, arguments.target);
  }
  return text;
}

int probe_command(const Arguments& arguments) {
  if (arguments.format == "ptx") return answer(kernels(arguments), arguments.format);
  const auto device = probe::open_device();
  if (!device) return refuse(device.error(), arguments.format);
  const auto* processor = instruction::find_processor((*device)->processor());
  if (processor == nullptr)
    return refuse(formatted("{} is {}, which the catalogue does not know", (*device)->name(),
                            (*device)->processor()),
                  arguments.format);
  std::vector<const Instruction*> rows;
  for (const std::string& name : arguments.names) {
    const Instruction* row = instruction::find(name, processor->target);
    if (row == nullptr)
      return refuse(instruction::why_missing(name, processor->target, 32).view(), arguments.format);
    if (!can_probe(*row))
      return refuse(formatted("{} cannot be probed: scales, tensor memory, or a move of other "
                              "than 8x8 matrices of 16 bits",
                              name),
                    arguments.format);
    rows.push_back(row);
  }
  if (rows.empty()) rows = rows_to_ask(processor->target);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::vector<Answer> answers;
  for (const Instruction* row : rows) {
    if (terminal) std::fputs(formatted("\r\x1b[K{}", row->name).c_str(), stderr);
    if (row->kind != Kind::multiply) {
      answers.push_back(ask_move(**device, *row));
      continue;
    }
    bool first = true;
    for (const probe::Trial& trial : probe::trials_of(*row)) {
      answers.push_back(ask(**device, trial));
      answers.back().whole = first;
      first = false;
    }
  }
  const bool contradicted = std::any_of(answers.begin(), answers.end(), [](const Answer& answer) {
    return !answer.agrees && answer.refusal.empty();
  });
  if (terminal) std::fputs("\r\x1b[K", stderr);
  const int status = answer(report(**device, answers, arguments.format), arguments.format);
  return status == 0 && contradicted ? 1 : status;
}

}  // namespace

void add_probe_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "probe",
      "Ask the NVIDIA GPU of this machine where an instruction's elements lie, and compare with "
      "the catalogue");
  command
      ->add_option("instruction", arguments->names,
                   "mnemonics of the catalogue; without any, all that the GPU has")
      ->type_name(instruction_type);
  command
      ->add_option("--format", arguments->format,
                   "text for people, json for programs; ptx: the kernel that would run, without "
                   "running it")
      ->transform(one_of({"text", "json", "ptx"}))
      ->capture_default_str();
  command->add_option("--arch,--target", arguments->target, "of ptx: the processor to write it for")
      ->type_name(gpu_type)
      ->capture_default_str();
  command->callback([arguments, &status] { status = probe_command(*arguments); });
}

}  // namespace heddle::tool
