// The files that `heddle run` reads into the arrays of products and writes from them: --input and
// --dump.
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

/// The named buffers of a sequence. Names are those of the function's arguments (%a), their numbers
/// from 0, or A, B, C, D and E of the product. With several products they are values of the text
/// (%h), and D, or D0, D1 …, for the results. `source` is the text that was compiled.
std::vector<NamedArray> named_arrays(const compiler::ProductSequence& sequence,
                                     std::string_view source);

/// The name of each array that is shown to people.
std::vector<std::string> first_names(const std::vector<NamedArray>& arrays);

/// A file for one array.
struct ArrayFile {
  std::size_t array = 0;
  std::string name;  // as the user wrote it
  std::string path;
  std::string bytes;         // of an input
  runtime::NpyArray header;  // of an input; refers to `bytes`
};

/// The shape of an array in memory: elements along each dimension, and the distance of neighbours
/// in elements.
struct ArrayShape {
  std::vector<std::int64_t> sizes, strides;
};

/// The files of a run.
class RunArrays {
 public:
  /// Reads the inputs. Errors are sentences: an unknown name (with all names); an array that no
  /// kernel reads first or that was given twice; a file that cannot be read, or has another type,
  /// number of sizes or size.
  static std::expected<RunArrays, std::string> read(const RunArguments& arguments,
                                                    std::vector<NamedArray> arrays);

  const std::vector<NamedArray>& arrays() const { return arrays_; }
  /// The input file of an array; null if it has none.
  const ArrayFile* input(std::size_t array) const;

  /// Copies the input into `bytes` of an array of this shape. Error: the file has another shape.
  std::expected<void, std::string> fill(const ArrayFile& input, const ArrayShape& shape,
                                        std::vector<std::byte>& bytes) const;

  /// Writes the files of --dump. `shapes` and `memory` are those of each array. A file is written
  /// whole or not at all. Returns the names of the files.
  std::expected<std::vector<std::string>, std::string> dump(
      const std::vector<ArrayShape>& shapes,
      const std::vector<std::vector<std::byte>>& memory) const;

 private:
  std::vector<NamedArray> arrays_;
  std::vector<ArrayFile> inputs_, outputs_;
};

/// The words for an array's sizes: "(?, 32)".
std::string shape_words(const compiler::BufferRecord& buffer);

}  // namespace heddle::tool
