#include "tools/heddle/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "answers/instruction/get.h"
#include "answers/instruction/info.h"
#include "answers/instruction/list.h"
#include "answers/instruction/show.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/commands/shared_options.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {

void add_list_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::ListQuestion>();
  CLI::App* command = program.add_subcommand("list", "List the matrix instructions");
  command
      ->add_option("name", arguments->filter.name,
                   "those with this in their name: wgmma, m16n8k16, bf16")
      ->type_name(instruction_type);
  command
      ->add_option("--arch,--target", arguments->filter.target, "those of a GPU; without it, all")
      ->type_name(gpu_type);
  command->add_option("--type", arguments->filter.type,
                      "those with A or B of a type: f16, bf16, s8, e4m3, tf32, ...");
  command->add_option("--shape", arguments->filter.shape,
                      "those of m, n and k: 16x16x16, or of any k: 16x16");
  command->add_flag("--count", arguments->counts, "how many there are, by family");
  command->add_flag("--processors", arguments->processors,
                    "the processors instead: what is shown, compiled, run and checked for each");
  command
      ->add_option("--format", arguments->format,
                   "text, json, csv, md; witnesses, sums: the tables of bench/records/witnesses.md "
                   "and sums.md")
      ->transform(one_of({"text", "json", "csv", "md", "witnesses", "sums"}))
      ->capture_default_str();
  command->callback(
      [arguments, &status] { status = answer(answers::list(*arguments), arguments->format); });
}

void add_show_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::ShowQuestion>();
  CLI::App* command =
      program.add_subcommand("show", "Show where an instruction's operands lie in a wave");
  add_selection(*command, arguments->selection);
  command->add_option("--format", arguments->format, "text, json, csv, md, svg or html")
      ->transform(one_of({"text", "json", "csv", "md", "svg", "html"}))
      ->capture_default_str();
  command->add_option("--color", arguments->colour, "colour lanes: auto, always or never")
      ->transform(one_of({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_option("--highlight,--at", arguments->highlight,
                      "show these elements alone: lane=5, reg=2, row=3, column=7, or several as "
                      "row=3,column=7");
  add_code_option(*command, arguments->code);
  command->callback(
      [arguments, &status] { status = answer(answers::show(*arguments), arguments->format); });
}

void add_get_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::GetQuestion>();
  CLI::App* command = program.add_subcommand(
      "get", "Say where one element lies, or what one register of one lane holds");
  add_selection(*command, arguments->selection);
  command->get_option("--operand")->required()->default_str("");
  command->add_option("--at", arguments->at, "row,column or row,column,block of the operand")
      ->delimiter(',')
      ->expected(2, 3)
      ->transform(whole_number(INT_MIN, INT_MAX));
  command->add_option("--reg", arguments->reg, "register of the operand's tuple")
      ->transform(whole_number(0, INT_MAX));
  command->add_option("--lane", arguments->lane, "lane of the wave")
      ->transform(whole_number(0, INT_MAX));
  command->add_option("--byte", arguments->byte, "byte of a tile in shared memory")
      ->transform(whole_number(0, INT_MAX));
  command->add_flag("--sources", arguments->sources,
                    "of an element of D: the lanes and registers that its row of A, its column of "
                    "B and C come from");
  command
      ->add_option("--format", arguments->format,
                   "text, or json: the list 'found', empty for nothing")
      ->transform(one_of({"text", "json"}))
      ->capture_default_str();
  command->callback(
      [arguments, &status] { status = answer(answers::get(*arguments), arguments->format); });
}

void add_info_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::InfoQuestion>();
  CLI::App* command = program.add_subcommand(
      "info", "Tell what an instruction computes, needs and takes, and how to call it");
  add_row_selection(*command, arguments->row);
  command
      ->add_option("--products", arguments->products,
                   "the products of a sum whose largest error is told")
      ->transform(whole_number(1, INT_MAX))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "text, json or md")
      ->transform(one_of({"text", "json", "md"}))
      ->capture_default_str();
  command->callback(
      [arguments, &status] { status = answer(answers::info(*arguments), arguments->format); });
}

}  // namespace heddle::tool
