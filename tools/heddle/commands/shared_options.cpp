#include "tools/heddle/commands/shared_options.h"

#include <algorithm>

#include "answers/layout/layout_code.h"
#include "answers/tile/place.h"
#include "emulator/record/most_host_threads.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "runtime/program/protocol.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/host/memory_ceiling.h"
#include "tools/heddle/modules/load_module.h"

namespace heddle::tool {

void add_row_selection(CLI::App& command, answers::RowArguments& arguments) {
  command
      .add_option("instruction", arguments.name,
                  "mnemonic (`heddle list` has them all), or its name in CUTLASS, LLVM or clang")
      ->required()
      ->type_name(instruction_type);
  command
      .add_option("--arch,--target", arguments.target,
                  "GPU; without it gfx1151, or the first that has the instruction")
      ->type_name(gpu_type);
  command.add_option("--wave", arguments.wave, "lanes of a wave; without it 32, on CDNA 64")
      ->transform(one_of({"32", "64"}));
  command.add_option("--n", arguments.n, "columns of B, where the instruction has several sizes")
      ->transform(whole_number(1, INT_MAX));
}

void add_selection(CLI::App& command, answers::SelectionArguments& arguments) {
  add_row_selection(command, arguments);
  command
      .add_option("--operand", arguments.operand,
                  "A, B, C, D, K (index of a sparse A), SA, SB (scales), P (addresses), all")
      ->transform(one_of({"A", "B", "C", "D", "K", "SA", "SB", "P", "all"}))
      ->capture_default_str();
  command.add_option("--k-order", arguments.k_order, "numbering of k: isa or contiguous")
      ->transform(one_of({"isa", "contiguous"}))
      ->capture_default_str();
  command
      .add_option("--swizzle", arguments.swizzle,
                  "of A or B in shared memory: none, 32, 64, 128 bytes; 128-atom32 on sm_100")
      ->transform(one_of({"none", "32", "64", "128", "128-atom32"}));
  command
      .add_option("--major", arguments.major,
                  "of A or B in shared memory, what is contiguous: k, or mn (m of A, n of B)")
      ->transform(one_of({"k", "mn"}))
      ->capture_default_str();
  command
      .add_option("--cbsz", arguments.modifiers.cbsz,
                  "CDNA: 2^N blocks of A read one; of f8f6f4 the format of A")
      ->transform(whole_number(0, INT_MAX));
  command.add_option("--abid", arguments.modifiers.abid, "CDNA: which block, or part of the index")
      ->transform(whole_number(0, INT_MAX));
  command
      .add_option("--blgp", arguments.modifiers.blgp,
                  "CDNA: the lanes that B is read from; of f8f6f4 the format of B")
      ->transform(whole_number(0, INT_MAX));
  command
      .add_option("--opsel", arguments.modifiers.opsel,
                  "RDNA: the part of the index, or 4: the upper half of 16-bit C and D; of "
                  "scales the byte or the half of the lanes")
      ->transform(whole_number(0, INT_MAX));
  command.add_option("--a-format", arguments.a_format,
                     "of f8f6f4: fp8, bf8, fp6, bf6 or fp4; on CDNA4 another name of --cbsz");
  command.add_option("--b-format", arguments.b_format, "the same of B; another name of --blgp");
  command
      .add_option("--selector", arguments.selector,
                  "NVIDIA: the sparsity selector, or the part of the scales that is read")
      ->transform(whole_number(0, INT_MAX));
}

void add_tile_options(CLI::App& command, answers::TileOptions& options) {
  command.add_option("--arch,--target", options.target, "GPU")->required()->type_name(gpu_type);
  command.add_option("--tile", options.tile,
                     "rows and columns, over which operands and copies are spread, as 128x32");
  command.add_option("--warps", options.warps,
                     "warps that share the tile, as 4, or 4x2 along rows and columns");
  command.add_option("--type", options.type,
                     "of an element; without it that of the operand, or f16");
  command.add_option("--wave", options.wave, "lanes of a wave; without it 32, on CDNA 64")
      ->transform(one_of({"32", "64"}));
  command.add_option("--k-order", options.k_order, "numbering of k: isa or contiguous")
      ->transform(one_of({"isa", "contiguous"}))
      ->capture_default_str();
}

void add_code_option(CLI::App& command, std::string& language, const std::string& option) {
  std::vector<std::string> languages(answers::code_languages.begin(),
                                     answers::code_languages.end());
  command
      .add_option(option, language,
                  formatted("functions to paste instead: {}", joined(languages, ", ")))
      ->transform(one_of(languages));
}

void add_placed_as_option(CLI::App& command, std::string& dialect_or_language) {
  std::vector<std::string> all(answers::dialects_of_memory.begin(),
                               answers::dialects_of_memory.end());
  const std::string dialects = joined(all, ", ");
  all.insert(all.end(), answers::code_languages.begin(), answers::code_languages.end());
  all.emplace_back("triton");
  command
      .add_option("--to", dialect_or_language,
                  formatted("only the layout, to paste: {}; or functions: {}", dialects,
                            joined(answers::code_languages, ", ")))
      ->transform(one_of(all));
}

void add_layout_arguments(CLI::App& command, answers::LayoutArguments& arguments) {
  command
      .add_option(
          "layout", arguments.text,
          "of Triton, CuTe, IREE, TileLang, Composable Kernel or Heddle: "
          "#ttg.blocked<{…}>, ((4,8),2):((2,8),1), 'lane: (0,1) … -> m: 16, k: 16'; an "
          "operand, as v_wmma_f32_16x16x16_f16.A; a file that holds one, or of Triton's many, as "
          "a.ttgir:blocked; or -, standard input")
      ->required()
      ->type_name(layout_type);
  command.add_option("--shape,--tile", arguments.shape,
                     "sizes of the tile, where the text leaves them open: as 128x32");
  command.add_option("--warps", arguments.warps,
                     "warps over which an operand is spread, as 4, or 4x2 along rows and columns");
  command.add_option("--lanes", arguments.lanes, "of a warp; without it 32, or those of --arch")
      ->transform(one_of({"32", "64"}));
  command
      .add_option("--arch,--target", arguments.target,
                  "GPU that has the operand; without it gfx1151, or the first that has it")
      ->type_name(gpu_type);
}

void add_compile_limit(CLI::App& command, std::uint64_t& seconds) {
  constexpr std::uint64_t most = 86'400;
  command.add_option("--limit-compile", seconds, "seconds of a processor that compiling may take")
      ->capture_default_str()
      ->transform(whole_number(1, most));
}

void add_devices_option(CLI::App& command, unsigned& devices) {
  command
      .add_option("--devices", devices,
                  "how many GPUs a program finds, each with its own memory of 4 GiB")
      ->transform(whole_number(1, program::most_devices))
      ->capture_default_str();
}

void add_report_option(CLI::App& command, std::string& report) {
  command
      .add_option("--report", report,
                  "text for people, json for programs, sarif for editors and code review, html: "
                  "the source with its figures and findings")
      ->transform(one_of({"text", "json", "sarif", "html"}))
      ->capture_default_str();
}

void add_run_limits(CLI::App& command, RunArguments& arguments) {
  command.add_option("--threads", arguments.threads, "host threads; 0: all cores")
      ->transform(whole_number(0, emulator::most_host_threads))
      ->capture_default_str();
  for (const emulator::ResourceRow& row : emulator::resource_rows) {
    std::string help = formatted("a run ends when it needs more {}", row.what);
    if (row.resource == emulator::Resource::instructions_per_workgroup)
      help += "; of a warp's function, also where its reference takes more steps";
    CLI::Option* option =
        command.add_option(std::string(row.option), arguments.budget.*row.limit, help)
            ->capture_default_str();
    option->transform(row.what.contains("bytes") ? number_of_bytes() : whole_number(1, UINT64_MAX));
  }
  add_compile_limit(command, arguments.compile_seconds);
  command.add_flag("--profile-all", arguments.profile_all,
                   "count LDS passes of every workgroup, not of the first alone (slower)");
}

void set_run_ceiling(const emulator::Budget& budget) {
  const std::uint64_t room = UINT64_MAX - memory_ceiling;
  set_memory_ceiling(memory_ceiling + std::min(budget.memory_bytes, room),
                     "; --limit-memory raises it");
}

std::expected<std::vector<std::uint8_t>, std::string> link_by_module(std::string_view object) {
  const auto compiler = load_compile_module();
  return compiler ? (*compiler)->link(object) : std::unexpected(compiler.error());
}

}  // namespace heddle::tool
