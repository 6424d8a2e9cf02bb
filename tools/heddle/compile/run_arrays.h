// The files of the options --input and --dump of `heddle run`: the contents of arrays before and
// after the run.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "compiler/request/product_sequence.h"
#include "runtime/numbers/npy.h"
#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// An array that the user can name.
struct NamedArray {
  compiler::BufferRecord record;
  std::vector<std::string> names;  // the first one is shown to people
  bool is_given = true;            // a part of the function reads it before any part writes it
};

/// The named buffers of a sequence. `source` is the text that was compiled. A buffer may have
/// several names:
///
/// - its name in the text, such as %a for an argument of the function, with or without %
/// - the number of the argument, from 0
/// - with one product in the sequence: A, B, C, D or E of the product
/// - with several products: D for the result, or D0, D1 … for several results
std::vector<NamedArray> named_arrays(const compiler::ProductSequence& sequence,
                                     std::string_view source);

/// The first name of each array, the one that messages show.
std::vector<std::string> first_names(const std::vector<NamedArray>& arrays);

/// A file for one array.
struct ArrayFile {
  std::size_t array = 0;
  std::string name;  // as the user wrote it
  std::string path;
  std::string bytes;         // of an input
  runtime::NpyArray header;  // of an input; refers to `bytes`
};

/// The shape of an array in memory: the number of elements along each dimension, and the strides in
/// elements.
struct ArrayShape {
  std::vector<std::int64_t> sizes, strides;
};

/// The files of a run.
class RunArrays {
 public:
  /// Reads the inputs. Errors are sentences: an unknown name (with all names); an array that is no
  /// input, because no kernel reads it before a kernel writes it; an array that was given twice; a
  /// file that cannot be read, or has another type, number of sizes or size.
  static std::expected<RunArrays, std::string> read(const RunArguments& arguments,
                                                    std::vector<NamedArray> arrays);

  const std::vector<NamedArray>& arrays() const { return arrays_; }
  /// The input file of an array; null if it has none.
  const ArrayFile* input(std::size_t array) const;

  /// Copies an input into `bytes`, the memory of its array, which has the shape `shape`. Error: the
  /// file has another shape.
  std::expected<void, std::string> fill(const ArrayFile& input, const ArrayShape& shape,
                                        std::vector<std::byte>& bytes) const;

  /// Writes the files of --dump, each whole or not at all. `shapes` and `memory` are the shape and
  /// the bytes of each array. Returns the names of the files.
  std::expected<std::vector<std::string>, std::string> dump(
      const std::vector<ArrayShape>& shapes,
      const std::vector<std::vector<std::byte>>& memory) const;

 private:
  std::vector<NamedArray> arrays_;
  std::vector<ArrayFile> inputs_, outputs_;
};

/// The sizes of an array as a text: "(?, 32)", with ? for a dynamic size.
std::string shape_words(const compiler::BufferRecord& buffer);

}  // namespace heddle::tool
