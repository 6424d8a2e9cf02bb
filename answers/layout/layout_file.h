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

/// `#name = #ttg.…<…>`, or a layout that is written out in a type and gets the name of its kind
/// (dot_op, slice2); and the types of the file that have it.
struct NamedLayout {
  std::string name;                // without the #
  std::string attribute;           // as it stands in the file
  std::vector<std::string> types;  // each once, in the file's order; at most 16
};

struct LayoutFile {
  std::string path;
  std::string wanted;  // the name behind the path; empty: none
  std::vector<NamedLayout> layouts;
};

/// The file that `text` names, PATH or PATH:NAME; nothing where it names none. Errors: a file that
/// cannot be read, or that defines no layout.
std::expected<std::optional<LayoutFile>, std::string> find_layout_file(const std::string& text);

/// The text of the layout that is wanted, which needs no other line of the file: a type where all
/// of the file's types that have it are of one shape, else the attribute. Errors: no such name, or
/// several and none wanted.
std::expected<std::string, std::string> layout_text_of(const LayoutFile& file);

/// The lines that define the layouts, and types that have them: what find_layout_file reads of the
/// file, in at most some 32 KiB.
std::string layouts_of(const LayoutFile& file);

/// The layouts of a file, for people and as JSON.
std::string layout_list(const LayoutFile& file);
std::string layout_list_json(const LayoutFile& file);

}  // namespace heddle::answers
