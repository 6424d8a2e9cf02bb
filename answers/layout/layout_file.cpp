#include "answers/layout/layout_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "answers/text/json_text.h"
#include "answers/text/paragraph.h"
#include "heddle/instruction/nearest.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "runtime/files/files.h"

namespace heddle::answers {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;
constexpr std::size_t most_layouts = 64;  // which the reader of definitions takes too
constexpr std::size_t most_types = 16;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

constexpr std::array<std::string_view, 3> dialects{"#ttg.", "#ttng.", "#triton_gpu."};

bool is_of_triton(std::string_view attribute) {
  return std::ranges::any_of(dialects, [&](auto start) { return attribute.starts_with(start); });
}

/// Reads the definition of a layout, a line such as "#blocked = #ttg.blocked<…>". Null for other
/// lines.
std::optional<NamedLayout> definition(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const std::size_t equals = line.find(" = #");
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = line.substr(1, equals - 1);
  std::string_view attribute = line.substr(equals + 3);
  while (attribute.ends_with('\r') || attribute.ends_with(' ')) attribute.remove_suffix(1);
  const bool is_layout =
      is_of_triton(attribute) && attribute.ends_with('>');  // memory has no fields
  if (!is_layout || name.empty() || !std::ranges::all_of(name, is_word)) return std::nullopt;
  return NamedLayout{std::string(name), std::string(attribute), {}};
}

/// The type in `text` that begins at position `begin`, up to its closing bracket. Empty if the
/// bracket does not close on the same line, if the type is longer than 1024 bytes, or if its
/// brackets are nested more than 6 deep.
std::string_view type_at(std::string_view text, std::size_t begin) {
  constexpr std::size_t most = 1024;
  constexpr int deepest = 6;
  int depth = 0;
  const std::size_t end = std::min(text.size(), begin + most);
  for (std::size_t at = begin; at < end && text[at] != '\n'; ++at) {
    if (text[at] == '<' && ++depth > deepest) return {};
    if (text[at] == '>' && text[at - 1] != '-' && --depth == 0)
      return text.substr(begin, at + 1 - begin);
  }
  return {};
}

/// The name of the layout to which a type refers: "blocked" in tensor<64xf32, #blocked>. Empty if
/// the type refers to no layout by name.
std::string_view layout_name(std::string_view type) {
  const std::size_t at = type.find(", #");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = type.substr(at + 3);
  const auto end = std::ranges::find_if_not(rest, is_word);
  const bool is_whole = end != rest.end() && (*end == '>' || *end == ',');
  return is_whole ? rest.substr(0, static_cast<std::size_t>(end - rest.begin())) : "";
}

/// The layout that a type does not name but contains: #ttg.slice<{…}> in tensor<64xi32,
/// #ttg.slice<{…}>>. Empty if it contains none.
std::string_view inline_layout(std::string_view type) {
  const std::size_t at = type.find(", #");
  if (at == std::string_view::npos || !is_of_triton(type.substr(at + 2))) return {};
  const std::string_view attribute = type_at(type, at + 2);
  return attribute.find('<') == std::string_view::npos ? "" : attribute;
}

/// The layout of a type. The type either names a layout that the file defines, or contains a
/// layout; a contained layout is added to `file` and is named after its kind, with a number from
/// the second of its kind on. Null if the type has no layout, or the file has too many.
NamedLayout* layout_of(LayoutFile& file, std::string_view type) {
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::find(file.layouts, name, &NamedLayout::name);
    return found == file.layouts.end() ? nullptr : &*found;
  };
  const std::string_view attribute = inline_layout(type);
  if (attribute.empty()) return find(layout_name(type));
  for (NamedLayout& layout : file.layouts)
    if (layout.attribute == attribute) return &layout;
  if (file.layouts.size() == most_layouts) return nullptr;
  const std::size_t dot = attribute.find('.') + 1;
  const std::string kind(attribute.substr(dot, attribute.find('<') - dot));
  std::string name = kind;
  for (int number = 2; find(name) != nullptr; ++number) name = formatted("{}{}", kind, number);
  return &file.layouts.emplace_back(std::move(name), std::string(attribute));
}

void add_types(LayoutFile& file, std::string_view text) {
  for (const std::string_view start : {"tensor<", "!ttg.memdesc<", "!triton_gpu.memdesc<"}) {
    for (std::size_t at = text.find(start); at != std::string_view::npos;
         at = text.find(start, at + 1)) {
      const std::string_view type = type_at(text, at);
      NamedLayout* layout = layout_of(file, type);
      if (layout == nullptr || layout->types.size() == most_types ||
          std::ranges::find(layout->types, type) != layout->types.end())
        continue;
      layout->types.push_back(std::string(type));
    }
  }
}

/// "64x32" of tensor<64x32xf16, …>.
std::string shape_of(std::string_view type) {
  const std::string_view inside = type.substr(type.find('<') + 1);
  const std::size_t end = inside.find_first_not_of("0123456789x");
  std::string_view shape = inside.substr(0, end);
  if (shape.ends_with('x')) shape.remove_suffix(1);
  return std::string(shape);
}

std::set<std::string> shapes_of(const NamedLayout& layout) {
  std::set<std::string> shapes;
  for (const std::string& type : layout.types) shapes.insert(shape_of(type));
  return shapes;
}

std::string definitions_of(const LayoutFile& file) {
  std::string text;
  for (const NamedLayout& layout : file.layouts)
    text += formatted("#{} = {}\n", layout.name, layout.attribute);
  return text;
}

/// Appends `text` to `whole`, with each name of a layout replaced by its definition in the file,
/// also inside definitions (`depth`: how deep). False if definitions are nested more than 16 deep,
/// or `whole` becomes longer than any layout is.
bool append_whole(std::string& whole, const LayoutFile& file, std::string_view text, int depth) {
  constexpr std::size_t longest = std::size_t{1} << 15;
  constexpr int deepest = 16;
  if (depth > deepest) return false;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('#'), text.size());
    whole += text.substr(0, at);
    text.remove_prefix(at);
    if (whole.size() > longest) return false;
    if (text.empty()) break;
    const auto end = std::ranges::find_if_not(text.substr(1), is_word);
    const std::string_view name =
        text.substr(1, static_cast<std::size_t>(end - text.substr(1).begin()));
    text.remove_prefix(1 + name.size());
    const auto found = std::ranges::find(file.layouts, name, &NamedLayout::name);
    const bool is_reference = !text.starts_with('.') && !text.starts_with('<');
    if (found == file.layouts.end() || !is_reference)
      whole += formatted("#{}", name);
    else if (!append_whole(whole, file, found->attribute, depth + 1))
      return false;
  }
  return true;
}

}  // namespace

std::expected<std::optional<LayoutFile>, std::string> find_layout_file(const std::string& text) {
  LayoutFile file;
  for (const std::string_view extension : {".ttgir", ".ttir", ".mlir"}) {
    const std::size_t at = text.rfind(extension);
    if (at == std::string::npos) continue;
    const std::size_t end = at + extension.size();
    if (end != text.size() && text[end] != ':') continue;
    file.path = text.substr(0, end);
    file.wanted = end == text.size() ? "" : text.substr(end + 1);
  }
  if (file.path.empty() || text.find('\n') != std::string::npos) return std::nullopt;
  const auto contents = runtime::read_file(file.path, most_bytes, runtime::FileKind::regular);
  if (!contents) return std::unexpected(contents.error());
  std::string_view rest = *contents;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (auto found = definition(rest.substr(0, end))) file.layouts.push_back(*std::move(found));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (file.layouts.size() > most_layouts)
    return std::unexpected(formatted("'{}' has {} layouts; at most {} are read", file.path,
                                     file.layouts.size(), most_layouts));
  add_types(file, *contents);
  if (file.layouts.empty())
    return std::unexpected(formatted(
        "'{}' has no layout of Triton's; a line that defines one is #blocked = #ttg.blocked<…>",
        file.path));
  return file;
}

std::expected<std::string, std::string> layout_text_of(const LayoutFile& file) {
  std::string wanted = file.wanted;
  if (wanted.starts_with('#')) wanted.erase(0, 1);
  if (wanted.empty() && file.layouts.size() == 1) wanted = file.layouts[0].name;
  std::string names;
  std::string_view guess;
  for (const NamedLayout& layout : file.layouts) {
    names += formatted("{}{}", names.empty() ? "" : ", ", layout.name);
    if (guess.empty() && instruction::edit_distance(wanted, layout.name) <= 2) guess = layout.name;
  }
  if (wanted.empty())
    return std::unexpected(formatted("'{}' has {} layouts; name one, as {}:{}; there are {}",
                                     file.path, file.layouts.size(), file.path,
                                     file.layouts[0].name, names));
  const auto layout = std::ranges::find(file.layouts, wanted, &NamedLayout::name);
  if (layout == file.layouts.end())
    return std::unexpected(formatted("'{}' has no layout {}; {}there are {}", file.path, wanted,
                                     guess.empty() ? "" : formatted("did you mean {}? ", guess),
                                     names));
  const bool has_shape = shapes_of(*layout).size() == 1;
  const std::string text = has_shape ? layout->types[0] : "#" + wanted;
  std::string whole;
  return append_whole(whole, file, text, 0) ? whole : definitions_of(file) + text;
}

std::string layouts_of(const LayoutFile& file) {
  constexpr std::size_t most = std::size_t{1} << 15;
  std::string text = definitions_of(file);
  for (const NamedLayout& layout : file.layouts)
    for (const std::string& type : layout.types)
      if (text.size() + type.size() < most) text += type + '\n';
  return text;
}

std::string layout_list(const LayoutFile& file) {
  std::string text =
      formatted("{}: {} layouts; a colon and a name behind the file is one of them\n\n", file.path,
                file.layouts.size());
  std::size_t width = 0;
  for (const NamedLayout& layout : file.layouts) width = std::max(width, layout.name.size());
  for (const NamedLayout& layout : file.layouts) {
    text +=
        paragraph("#" + layout.name, layout.attribute, static_cast<int>(width) + 3, output_width());
    const auto shapes = shapes_of(layout);
    text += paragraph("",
                      shapes.empty() ? std::string("no type has it by this name")
                                     : formatted("of tiles of {}", joined(shapes, ", ")),
                      static_cast<int>(width) + 3, output_width());
  }
  return text;
}

std::string layout_list_json(const LayoutFile& file) {
  std::string rows;
  for (const NamedLayout& layout : file.layouts) {
    std::string types;
    for (const std::string& type : layout.types)
      types += formatted("{}{}", types.empty() ? "" : ",", json_string(type));
    rows += formatted(R"({}{{"name":{},"text":{},"types":[{}]}})", rows.empty() ? "" : ",\n ",
                      json_string(layout.name), json_string(layout.attribute), types);
  }
  return formatted("{{\"file\":{},\"layouts\":[\n {}]}}\n", json_string(file.path), rows);
}

}  // namespace heddle::answers
