// What `heddle run` reads into a product's arguments and writes of them: --input and --dump.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "runtime/npy.h"
#include "tools/heddle/compile_module.h"

namespace heddle::tool {

/// A file for one buffer of a request.
struct ArrayFile {
  std::size_t buffer = 0;
  std::string name;  // as the user wrote it
  std::string path;
  std::string bytes;        // of an input
  runtime::NpyArray array;  // of an input; looks at `bytes`
};

/// The files of a run.
class RunArrays {
 public:
  /// Reads the inputs. `source` is the text that was compiled. Names are those of the function's
  /// arguments (%a), their numbers from 0, or A, B, C, D and E of the product. Errors, which are
  /// sentences: no such name, with all there are; an argument that the kernel does not read or
  /// that was given twice; a file that cannot be read, or of another type, number of sizes or size.
  static std::expected<RunArrays, std::string> read(const RunArguments& arguments,
                                                    const std::string& source,
                                                    const compiler::MatmulRequest& request);

  /// Gives `problem` the dynamic sizes that the inputs' sizes say. `is_known`: a bit for each
  /// plan::Loop that has its size already; gets those that it learns. Error: sizes that disagree.
  std::expected<void, std::string> learn_sizes(const compiler::MatmulRequest& request,
                                               plan::Problem& problem, unsigned& is_known) const;

  bool has_inputs() const { return !inputs_.empty(); }
  bool is_input(std::size_t buffer) const;

  /// Copies the inputs into `buffers`. Error: a file of other sizes.
  std::expected<void, std::string> fill(const compiler::MatmulRequest& request,
                                        const plan::Problem& problem,
                                        std::vector<std::vector<std::byte>>& buffers) const;

  /// Writes what --dump asks for: each file whole, or as it was. The names of the files.
  std::expected<std::vector<std::string>, std::string> dump(
      const compiler::MatmulRequest& request, const plan::Problem& problem,
      const std::vector<std::vector<std::byte>>& buffers) const;

 private:
  std::vector<ArrayFile> inputs_, outputs_;
};

}  // namespace heddle::tool
