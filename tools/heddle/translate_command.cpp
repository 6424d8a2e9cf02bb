#include "tools/heddle/translate_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "tools/heddle/json_text.h"
#include "tools/heddle/layout_view.h"
#include "tools/heddle/option_values.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

template <class T>
using Answer = std::expected<T, std::string>;

struct Arguments : LayoutArguments {
  std::string dialect;
  std::string format = "text";
};

/// The layout in one dialect, or why that cannot say it.
struct Translation {
  interop::Dialect dialect;
  Answer<std::string> text;
  std::vector<std::uint64_t> tile;  // goes beside the text; empty: the text says it
};

Translation translation(const LayoutView& view, interop::Dialect dialect) {
  Translation result{dialect, interop::write_layout(view.argument.meaning, dialect), {}};
  const bool is_thread_value =
      dialect == interop::Dialect::cute && view.kind == LayoutKind::held && result.text;
  if (is_thread_value) result.tile = view.sizes;
  return result;
}

std::string translation_json(const Translation& translation) {
  if (!translation.text)
    return fmt::format(R"({{"error":{}}})", json_string(translation.text.error()));
  return fmt::format(R"({{"text":{},"tile":{}}})", json_string(*translation.text),
                     translation.tile.empty() ? "null" : fmt::format("{}", translation.tile));
}

std::string json_of(const LayoutView& view, const std::vector<Translation>& translations) {
  std::string list;
  for (const Translation& one : translations)
    list += fmt::format("{}\n {}:{}", list.empty() ? "" : ",",
                        json_string(interop::row(one.dialect).key), translation_json(one));
  return fmt::format("{{\"read_as\":{},\"kind\":{},{}}}\n", json_string(view.argument.what),
                     json_string(name(view.kind)), list);
}

/// A line for each dialect, never wrapped: texts are there to be copied.
std::string all_text(const std::vector<Translation>& translations) {
  std::string text;
  for (const Translation& one : translations) {
    text += fmt::format("{:<10}{}\n", interop::row(one.dialect).key,
                        one.text ? *one.text : "not said: " + one.text.error());
    if (!one.tile.empty())
      text += fmt::format("{:<10}a thread-value layout; its tile is {}\n", "",
                          fmt::join(one.tile, "x"));
  }
  return text;
}

Answer<std::string> translate(const Arguments& arguments) {
  auto argument = read_layout_arguments(arguments);
  if (!argument) return std::unexpected(argument.error());
  const LayoutView view = layout_view(*std::move(argument), !arguments.shape.empty());
  std::vector<Translation> translations;
  for (const interop::DialectRow& row : interop::dialect_rows)
    if (arguments.dialect == "all" || arguments.dialect == row.key)
      translations.push_back(translation(view, row.dialect));
  const bool is_one = translations.size() == 1;
  if (is_one && !translations[0].text)
    return std::unexpected(fmt::format("{} cannot say this: {}",
                                       interop::row(translations[0].dialect).name,
                                       translations[0].text.error()));
  if (arguments.format == "json") return json_of(view, translations);
  return is_one ? *translations[0].text + "\n" : all_text(translations);
}

}  // namespace

void add_translate_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("translate", "Write a layout in another dialect, or say why not");
  add_layout_arguments(*command, *arguments);
  std::vector<std::string> dialects{"all"};
  for (const interop::DialectRow& row : interop::dialect_rows) dialects.emplace_back(row.key);
  command
      ->add_option("--to", arguments->dialect,
                   fmt::format("{}: linear is Heddle's own", fmt::join(dialects, ", ")))
      ->required()
      ->transform(one_of(dialects));
  command->add_option("--format", arguments->format, "text or json")
      ->transform(one_of({"text", "json"}))
      ->capture_default_str();
  command->callback(
      [arguments, &status] { status = answer(translate(*arguments), arguments->format); });
}

}  // namespace heddle::tool
