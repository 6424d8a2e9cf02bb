#include "tools/heddle/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "answers/layout/layout.h"
#include "answers/layout/layout_code.h"
#include "answers/layout/translate.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/commands/shared_options.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {

void add_layout_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::LayoutQuestion>();
  CLI::App* command =
      program.add_subcommand("layout", "Read a layout in any dialect, say what it is and draw it");
  add_layout_arguments(*command, *arguments);
  command->add_option("--type", arguments->type,
                      "of an element in memory; without it as wide as the text says, or 16 bits");
  command
      ->add_option("--view", arguments->view,
                   "table, tensor or hardware as Triton prints them, or bases")
      ->transform(one_of({"table", "tensor", "hardware", "bases"}))
      ->capture_default_str();
  command->add_option(
      "--at", arguments->at,
      "list these points alone: as lane=5,register=2 or m=3,k=7, by the names of the map");
  command->add_flag("--all", arguments->all, "the whole table, however large");
  command->add_option("--format", arguments->format, "text, json or svg")
      ->transform(one_of({"text", "json", "svg"}))
      ->capture_default_str();
  add_code_option(*command, arguments->code);
  command->add_option("--color", arguments->colour, "colours: auto, always or never")
      ->transform(one_of({"auto", "always", "never"}))
      ->capture_default_str();
  command->callback(
      [arguments, &status] { status = answer(answers::layout(*arguments), arguments->format); });
}

void add_translate_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::TranslateQuestion>();
  CLI::App* command = program.add_subcommand(
      "translate", "Write a layout in another dialect or as code, or say why not");
  add_layout_arguments(*command, *arguments);
  std::vector<std::string> dialects{"all"};
  for (const interop::DialectRow& row : interop::dialect_rows) dialects.emplace_back(row.key);
  const std::string names = joined(dialects, ", ");
  for (const std::string_view language : answers::code_languages) dialects.emplace_back(language);
  dialects.emplace_back("triton");
  command
      ->add_option(
          "--to", arguments->dialect,
          formatted("{}: linear is Heddle's own, ttg (or triton) Triton's attribute; or code: {}",
                    names, joined(answers::code_languages, ", ")))
      ->required()
      ->transform(one_of(dialects));
  command->add_option("--format", arguments->format, "text or json")
      ->transform(one_of({"text", "json"}))
      ->capture_default_str();
  command->callback([arguments, &status] {
    status = answer(answers::translate(*arguments), arguments->format);
    const std::string note = status == 0 ? answers::note_on_translation(*arguments) : "";
    if (!note.empty()) print_error(note);
  });
}

}  // namespace heddle::tool
