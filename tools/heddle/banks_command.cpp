#include "tools/heddle/banks_command.h"

#include <CLI/CLI.hpp>
#include <expected>
#include <memory>
#include <string>

#include "tools/heddle/banks_picture.h"
#include "tools/heddle/banks_text.h"
#include "tools/heddle/banks_view.h"
#include "tools/heddle/layout_argument.h"
#include "tools/heddle/option_values.h"
#include "tools/heddle/paragraph.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

struct Arguments : BanksArguments {
  std::string format = "text";
};

std::expected<std::string, std::string> banks(const Arguments& arguments) {
  const auto view = banks_view(arguments);
  if (!view) return std::unexpected(view.error());
  if (arguments.format == "json") return banks_json(*view);
  if (arguments.format == "svg") return banks_svg(*view);
  return banks_text(*view, output_width());
}

}  // namespace

void add_banks_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "banks", "Count the bank conflicts of an access to shared memory, and say why");
  add_tile_options(*command, *arguments);
  command
      ->add_option("--memory", arguments->memories,
                   "where the tile lies in shared memory, in any dialect, as 'offset: (0,1) (1,0) "
                   "-> m: 2, k: 2 padding 2:+1'; several are compared")
      ->required();
  command
      ->add_option("--access", arguments->access,
                   "who holds the tile: " + std::string(layout_forms))
      ->required();
  command->add_flag("--store", arguments->store, "from registers to memory");
  command->add_option("--with", arguments->with, "NVIDIA's moves of 8x8 matrices")
      ->transform(one_of({"ldmatrix", "ldmatrix.trans", "stmatrix", "stmatrix.trans"}));
  command
      ->add_option("--width", arguments->bytes,
                   "bytes a lane moves at once; without it the most that the layouts allow")
      ->transform(one_of({"1", "2", "4", "8", "16"}));
  command->add_option("--active", arguments->active, "lanes that take part, as 0xffff");
  command
      ->add_option("--format", arguments->format,
                   "text, json with every instruction, or svg: the banks of one instruction")
      ->transform(one_of({"text", "json", "svg"}))
      ->capture_default_str();
  command->callback(
      [arguments, &status] { status = answer(banks(*arguments), arguments->format); });
}

}  // namespace heddle::tool
