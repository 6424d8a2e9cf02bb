
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "answers/layout/layout_argument.h"
#include "answers/layout/layout_file.h"
#include "answers/tile/place.h"
#include "library/text/formatted.h"
#include "tools/heddle/commands/commands.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/host/open_page.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {
namespace {

/// Encodes a text for a URL: plain characters stay, other bytes become %XX.
std::string in_address(std::string_view text) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/";
  std::string result;
  for (const char byte : text)
    result += plain.contains(byte) ? std::string(1, byte)
                                   : formatted("%{:02X}", static_cast<unsigned char>(byte));
  return result;
}

/// Finds the words of a command line that are layouts: values of options for layouts, and the
/// positional arguments of some commands.
class LayoutWords {
 public:
  LayoutWords(const CLI::App& program, const std::vector<std::string>& words) {
    for (const CLI::App* command : program.get_subcommands(nullptr))
      if (!words.empty() && command->get_name() == words[0]) commands_ = {command};
    first_ = commands_.empty() ? 0 : 1;
    if (commands_.empty()) commands_ = program.get_subcommands(nullptr);
    for (std::size_t i = first_; i < words.size(); ++i) {
      const bool is_option = words[i].starts_with("--");
      const std::string before = i == first_ ? "" : words[i - 1];
      const CLI::Option* const option = before.starts_with("--") ? option_of(before) : nullptr;
      const bool is_value = option != nullptr && option->get_items_expected_max() > 0;
      const std::string name = is_value ? before : "layout";  // of the position
      if (!is_option && is_layout(name)) places_.push_back(i);
    }
  }

  const std::vector<std::size_t>& places() const { return places_; }

 private:
  const CLI::Option* option_of(const std::string& name) const {
    for (const CLI::App* command : commands_)
      if (const CLI::Option* option = command->get_option_no_throw(name)) return option;
    return nullptr;
  }
  bool is_layout(const std::string& name) const {
    return std::ranges::any_of(commands_, [&](const CLI::App* command) {
      const CLI::Option* const option = command->get_option_no_throw(name);
      return option != nullptr && option->get_type_name() == layout_type;
    });
  }

  std::vector<const CLI::App*> commands_;
  std::size_t first_ = 0;
  std::vector<std::size_t> places_;
};

/// The layout as a text for the page. If the word names a file, it is the file's text, because the
/// page cannot read files.
std::expected<std::string, std::string> for_page(const std::string& word) {
  answers::MovedLayout moved = answers::split_move(word);
  const std::string move = word.substr(0, word.size() - moved.layout.size());
  const auto file = answers::find_layout_file(moved.layout);
  const bool has_several = file && *file && (*file)->wanted.empty() && (*file)->layouts.size() > 1;
  if (has_several) return move + answers::layouts_of(**file);
  const auto layout = answers::layout_without_files(moved.layout);
  if (!layout) return layout;
  return move + *layout;
}

/// Opens the page or prints its address. Returns the exit status.
int explore(const CLI::App& program, std::vector<std::string> words) {
  const bool only_print = std::erase(words, "--print") != 0;
  const auto page = page_file();
  if (!page) return refuse(page.error(), "text");
  for (const std::size_t place : LayoutWords(program, words).places()) {
    const auto layout = for_page(words[place]);
    if (!layout) return refuse("explore: " + layout.error(), "text");
    words[place] = *layout;
  }
  // The page splits the words again (explorer/source/page/words.ts).
  std::string question;
  for (const std::string& word : words)
    question += (question.empty() ? "#ask?w=" : "&w=") + in_address(word);
  const std::string address = "file://" + in_address(*page) + question;
  const bool opened = !only_print && open_in_browser(address);
  return answer(opened ? formatted("opened {}\n", address) : address + "\n", "text");
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
  command->callback([command, only_print, &program, &status] {
    std::vector<std::string> words = command->remaining();
    if (*only_print) words.emplace_back("--print");
    status = explore(program, std::move(words));
  });
}

}  // namespace heddle::tool
