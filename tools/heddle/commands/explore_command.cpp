#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tools/heddle/commands/commands.h"
#include "tools/heddle/host/open_page.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {
namespace {

/// Bytes that may stand in an address as they are; the others are %XX.
std::string in_address(std::string_view text) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/";
  std::string result;
  for (const char byte : text)
    result += plain.contains(byte) ? std::string(1, byte)
                                   : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  return result;
}

/// Opens the page or says where it is; the exit status.
int explore(std::vector<std::string> words) {
  const bool only_print = std::erase(words, "--print") != 0;
  const auto page = page_file();
  if (!page) return refuse(page.error(), "text");
  // The page takes the words apart (explorer/source/page/words.ts).
  std::string question;
  for (const std::string& word : words)
    question += (question.empty() ? "#ask?w=" : "&w=") + in_address(word);
  const std::string address = "file://" + in_address(*page) + question;
  const bool opened = !only_print && open_in_browser(address);
  return answer(opened ? fmt::format("opened {}\n", address) : address + "\n", "text");
}

}  // namespace

void add_explore_command(CLI::App& program, int& status) {
  const auto only_print = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand(
      "explore", "Open the page that draws layouts, conflicts and conversions, in a browser");
  command->add_flag("--print", *only_print, "print the page's address, and open nothing");
  command->footer(
      "\nA layout, an operand or a command may follow, with its options, and is what the page "
      "shows:\n\n"
      "  heddle explore v_wmma_f32_16x16x16_f16.A\n"
      "  heddle explore '((4,8),(2,2)):((32,1),(16,8))' --shape 16x8\n"
      "  heddle explore place --arch gfx1151 --tile 64x32 --warps 4 --store rows:8 \\\n"
      "                       --load v_wmma_f32_16x16x16_f16.A\n");
  command->prefix_command();
  command->callback([command, only_print, &status] {
    std::vector<std::string> words = command->remaining();
    if (*only_print) words.emplace_back("--print");
    status = explore(std::move(words));
  });
}

}  // namespace heddle::tool
