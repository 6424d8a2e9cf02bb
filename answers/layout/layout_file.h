// The layouts that a file of Triton's intermediate language names: .ttgir, .ttir or .mlir.
//
//   heddle layout kernel.ttgir            lists them
//   heddle layout kernel.ttgir:blocked1   is one of them, as everywhere where a layout is read
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace heddle::answers {

/// A layout of the file: either a definition `#name = #ttg.…<…>`, or a layout that stands inside a
/// type and is here named after its kind (dot_op, slice2). `types` are the file's types with this
/// layout.
struct NamedLayout {
  std::string name;                // without the #
  std::string attribute;           // the text in the file
  std::vector<std::string> types;  // each once, in the file's order; at most 16
};

struct LayoutFile {
  std::string path;
  std::string wanted;  // the name after the path; empty: none
  std::vector<NamedLayout> layouts;
};

/// Reads the file that `text` names, as PATH or as PATH:NAME, where PATH ends in .ttgir, .ttir or
/// .mlir. Null if `text` has another form. Errors: the file cannot be read, or it has no layout or
/// too many.
std::expected<std::optional<LayoutFile>, std::string> find_layout_file(const std::string& text);

/// The text of the layout that is wanted (`file.wanted`), with all names of other layouts replaced
/// by their definitions. If all types of the file with this layout have one shape, the text is such
/// a type, so that it has the shape; otherwise it is the attribute alone. Errors: the file has no
/// layout of the wanted name; no name is wanted, and the file has several layouts.
std::expected<std::string, std::string> layout_text_of(const LayoutFile& file);

/// A shorter text from which find_layout_file reads the same layouts: the lines that define them,
/// and types that have them, as many as fit into 32 KiB together with the definitions.
std::string layouts_of(const LayoutFile& file);

/// The layouts of a file, for people and as JSON.
std::string layout_list(const LayoutFile& file);
std::string layout_list_json(const LayoutFile& file);

}  // namespace heddle::answers
