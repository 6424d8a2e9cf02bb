// What `heddle run` reads into the arrays of products and writes of them: --input and --dump.
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
  std::vector<std::string> names;  // the first is for people
  bool is_given = true;            // a part of the function reads it before any writes it
};

/// The buffers of a sequence. Names are those of the function's arguments (%a), their numbers from
/// 0, or A, B, C, D and E of the product. Of several products: values of the text (%h) and, of the
/// results, D, or D0, D1 … `source` is the text that was compiled.
std::vector<NamedArray> named_arrays(const compiler::ProductSequence& sequence,
                                     std::string_view source);

/// The name of each for people.
std::vector<std::string> first_names(const std::vector<NamedArray>& arrays);

/// A file for one array.
struct ArrayFile {
  std::size_t array = 0;
  std::string name;  // as the user wrote it
  std::string path;
  std::string bytes;         // of an input
  runtime::NpyArray header;  // of an input; looks at `bytes`
};

/// Of one array in memory: elements along each dimension, and elements from one to the next.
struct ArrayShape {
  std::vector<std::int64_t> sizes, strides;
};

/// The files of a run.
class RunArrays {
 public:
  /// Reads the inputs. Errors, which are sentences: no such name, with all there are; an array that
  /// no kernel reads first or that was given twice; a file that cannot be read, or of another type,
  /// number of sizes or size.
  static std::expected<RunArrays, std::string> read(const RunArguments& arguments,
                                                    std::vector<NamedArray> arrays);

  const std::vector<NamedArray>& arrays() const { return arrays_; }
  /// The file that gives the array; null where none does.
  const ArrayFile* input(std::size_t array) const;

  /// Copies the input into `bytes`, those of an array of this shape. Error: a file of another.
  std::expected<void, std::string> fill(const ArrayFile& input, const ArrayShape& shape,
                                        std::vector<std::byte>& bytes) const;

  /// Writes what --dump asks for, where `shapes` and `memory` are those of each array: each file
  /// whole, or as it was. The names of the files.
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
