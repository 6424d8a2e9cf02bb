#include "tools/heddle/commands/manual.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace heddle::tool {
namespace {

/// Escapes text so that no character of it controls the formatter.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool begins_line = result.empty() || result.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// "heddle show", or "heddle-show" with another blank.
std::string full_name(const CLI::App& program, const CLI::App& command, char blank) {
  return &program == &command ? program.get_name()
                              : program.get_name() + blank + command.get_name();
}

/// The values of an option, as the manual shows them: "{text,json}" for the type
/// "TEXT:{text,json}", because listed values need no type, else the type.
std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::string type = option.get_type_name();
  const std::size_t values = type.find(":{");
  return values == std::string::npos ? type : type.substr(values + 1);
}

/// The conditions of an option, such as "required; default: text". The manual page has them after
/// the option's description.
std::string conditions_of(const CLI::Option& option) {
  std::vector<std::string> all;
  if (option.get_required()) all.emplace_back("required");
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size)
    all.emplace_back("several may follow");
  if (!option.get_default_str().empty()) all.push_back("default: " + option.get_default_str());
  for (const CLI::Option* other : option.get_excludes())
    all.push_back("not with " + other->get_name());
  return all.empty() ? "" : formatted(" ({})", joined(all, "; "));
}

std::string entry(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(bold("-" + name));
  for (const std::string& name : option.get_lnames()) names.push_back(bold("--" + name));
  if (option.get_positional()) names.push_back(italic(option.get_name(true)));
  const std::string value = option.get_positional() ? "" : value_of(option);
  return formatted(".TP\n{}{}\n{}{}\n", joined(names, ", "),
                   value.empty() ? "" : " " + italic(value), plain(option.get_description()),
                   plain(conditions_of(option)));
}

std::string synopsis(const CLI::App& program, const CLI::App& command) {
  std::string text = bold(full_name(program, command, ' '));
  if (&program == &command) return text + " " + italic("COMMAND") + " [" + italic("OPTIONS") + "]";
  text += " [" + italic("OPTIONS") + "]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = italic(option->get_name(true));
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string section(std::string_view title, const CLI::App& command, bool positional) {
  std::string entries;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() == positional) entries += entry(*option);
  return entries.empty() ? "" : formatted(".SH {}\n{}", title, entries);
}

}  // namespace

std::string manual_page(const CLI::App& program, const CLI::App& command) {
  const std::string name = full_name(program, command, '-');
  std::string page =
      formatted(".TH {} 1 \"\" \"{}\" \"Heddle\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
                plain(upper(name)), plain(program.version()), plain(name),
                plain(command.get_description()), synopsis(program, command));
  page += section("ARGUMENTS", command, true) + section("OPTIONS", command, false);
  const auto commands = program.get_subcommands(nullptr);
  if (&program == &command) {
    page += ".SH COMMANDS\n";
    for (const CLI::App* one : commands)
      page += formatted(".TP\n\\fB{}\\fR(1)\n{}\n", plain(full_name(program, *one, '-')),
                        plain(one->get_description()));
  }
  if (const std::string footer = command.get_footer(); !footer.empty())
    page += formatted(".SH NOTES\n.nf\n{}\n.fi\n",
                      plain(std::string_view(footer).substr(footer.find_first_not_of('\n'))));
  if (&program != &command) page += ".SH SEE ALSO\n" + bold(program.get_name()) + "(1)\n";
  return page;
}

}  // namespace heddle::tool
