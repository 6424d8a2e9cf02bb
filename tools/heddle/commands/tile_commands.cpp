#include "tools/heddle/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "answers/tile/banks.h"
#include "answers/tile/convert.h"
#include "answers/tile/place.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/commands/shared_options.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {

void add_banks_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::BanksQuestion>();
  CLI::App* command = program.add_subcommand(
      "banks", "Count the bank conflicts of an access to shared memory, and say why");
  add_tile_options(*command, *arguments);
  command
      ->add_option("--memory", arguments->memories,
                   "where the tile lies in shared memory, in any dialect, as 'offset: (0,1) (1,0) "
                   "-> m: 2, k: 2 padding 2:+1'; several are compared")
      ->required()
      ->type_name(layout_type);
  command
      ->add_option("--access", arguments->access,
                   "who holds the tile: " + std::string(answers::layout_forms))
      ->required()
      ->type_name(layout_type);
  command->add_flag("--store", arguments->store, "from registers to memory");
  command
      ->add_option("--with", arguments->with,
                   "NVIDIA's moves of 8x8 matrices, ldmatrix, ldmatrix.trans, stmatrix and "
                   "stmatrix.trans, or a load of AMD that transposes, as ds_read_b64_tr_b16")
      ->type_name(instruction_type);
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
      [arguments, &status] { status = answer(answers::banks(*arguments), arguments->format); });
}

void add_place_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::PlaceQuestion>();
  CLI::App* command = program.add_subcommand(
      "place", "Find the layout of a tile in shared memory with the fewest passes, and prove it");
  add_tile_options(*command, *arguments);
  command
      ->add_option("--store", arguments->stores,
                   "who writes the tile: " + std::string(answers::layout_forms) +
                       "; stmatrix: or stmatrix.trans: before it names the instruction; dma:16 for "
                       "CDNA's copies to LDS, which write 16 bytes of each lane in order")
      ->type_name(layout_type);
  command
      ->add_option("--load", arguments->loads,
                   "who reads it, likewise; ldmatrix: or ldmatrix.trans: before it, or a load of "
                   "AMD that transposes, as ds_read_b64_tr_b16:")
      ->type_name(layout_type);
  auto* swizzle =
      command->add_flag("--swizzle-only", arguments->swizzle_only, "leave nothing free");
  command->add_flag("--padding-only", arguments->padding_only, "keep rows or columns in order")
      ->excludes(swizzle);
  command
      ->add_flag("--descriptor", arguments->descriptor,
                 "of the swizzles that wgmma, tcgen05.mma and bulk tensor copies know")
      ->excludes("--swizzle-only", "--padding-only");
  command->add_option("--bytes", arguments->most_bytes, "shared memory there is")
      ->transform(whole_number(1, 1 << 30))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "text or json")
      ->transform(one_of({"text", "json"}))
      ->capture_default_str();
  add_placed_as_option(*command, arguments->placed_as);
  command->callback(
      [arguments, &status] { status = answer(answers::place(*arguments), arguments->format); });
}

void add_convert_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<answers::ConvertQuestion>();
  CLI::App* command = program.add_subcommand(
      "convert", "Plan the way from one layout of registers and lanes to another");
  add_tile_options(*command, *arguments);
  command
      ->add_option("--from", arguments->from,
                   "who holds the tile: " + std::string(answers::layout_forms))
      ->required()
      ->type_name(layout_type);
  command->add_option("--to", arguments->to, "who shall hold it")
      ->required()
      ->type_name(layout_type);
  command->add_option("--format", arguments->format, "text or json")
      ->transform(one_of({"text", "json"}))
      ->capture_default_str();
  add_code_option(*command, arguments->code, "--code");  // --to is a layout here
  command->callback(
      [arguments, &status] { status = answer(answers::convert(*arguments), arguments->format); });
}

}  // namespace heddle::tool
