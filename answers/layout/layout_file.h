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

/// A layout of the file: `#name = #ttg.…<…>`, or a layout that is written out in a type and gets
/// the name of its kind (dot_op, slice2). `types` are the types of the file that have it.
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

/// The file that `text` names, as PATH or PATH:NAME; nothing if it names no file. Errors: a file
/// that cannot be read, or that defines no layout.
std::expected<std::optional<LayoutFile>, std::string> find_layout_file(const std::string& text);

/// The text of the wanted layout, without references to other lines of the file. If all types of
/// the file with this layout have one shape, it is such a type, else the attribute. Errors: there
/// is no such name, or there are several layouts and none is wanted.
std::expected<std::string, std::string> layout_text_of(const LayoutFile& file);

/// The lines that define the layouts, and types that have them: the part of the file that
/// find_layout_file reads, at most about 32 KiB.
std::string layouts_of(const LayoutFile& file);

/// The layouts of a file, for people and as JSON.
std::string layout_list(const LayoutFile& file);
std::string layout_list_json(const LayoutFile& file);

}  // namespace heddle::answers
