// The products of one function in the order in which they run, and the memory that they pass to
// each other.
//
// product_cutter.h cuts the function into parts. Each part is then read as a separate function with
// one product and one result. If one part computes a value and another part reads it, the value is
// a buffer of the sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// Memory that a sequence reads or writes.
struct SequenceBuffer {
  /// - argument, result: memory that the caller of the function passes or gets back.
  /// - intermediate: one part writes it, a later part reads it, and the function does not return
  /// it.
  /// - constant: a constant tensor of several values, which are in the buffer's BufferRecord.
  enum class Kind : std::uint8_t { argument, result, intermediate, constant };
  Kind kind = Kind::intermediate;
  /// For an argument or a result: its index among the function's arguments or results; if the
  /// buffer is several of these, the first. For intermediates and constants: a number from 0.
  int number = 0;
  /// The numbers of the part that writes the buffer first and of the part that uses it last. Before
  /// the first and after the last, an intermediate's memory may be used for another buffer.
  int first = -1, last = -1;
  /// Where the type and the sizes of the buffer are recorded: in the request of part number `part`,
  /// as buffer number `buffer` of that request.
  int part = -1, buffer = -1;
  /// If an intermediate is too large for memory: the reason; otherwise null. The kernels that write
  /// and read such a buffer must be fused into one.
  std::optional<Refusal> too_large = {};
};

/// One product.
struct SequencePart {
  MatmulRequest request;
  std::vector<int> buffers;  // of the sequence, for each of request.buffers
};

struct ProductSequence {
  std::string function;
  std::vector<SequencePart> parts;      // each reads only what parts before it write
  std::vector<SequenceBuffer> buffers;  // arguments that some part reads, results, intermediates
  std::vector<int> results;             // the buffer of each value that the function returns
  int prints = 0;                       // vector.print that were left out

  /// True if there is one product with one result, which the function returns or stores to a
  /// memref.
  bool is_one_product() const { return parts.size() == 1 && results.size() <= 1; }
};

/// The BufferRecord of `buffer`, which has its type and sizes. It is in the request of one of the
/// parts.
inline const BufferRecord& record(const ProductSequence& sequence, const SequenceBuffer& buffer) {
  return sequence.parts[static_cast<std::size_t>(buffer.part)]
      .request.buffers[static_cast<std::size_t>(buffer.buffer)];
}

/// What happens to operations that compute with indices (linalg.index), but read no elements at
/// computed indices. without_places: each of them gets a separate kernel. with_places: they become
/// steps of an epilogue (MatmulRequest::places), which few backends support.
enum class Formulas : std::uint8_t { without_places, with_places };

/// Reads `text`, called `file_name` in messages. `function` is the name of the function to read; it
/// may be empty if there is only one. If the text is refused, returns null and sets `errors` to one
/// line for each mistake: `file:line:column: error: FOUND; accepted: ACCEPTED`.
std::optional<ProductSequence> read_products(std::string_view text, std::string_view file_name,
                                             std::string_view function, Formulas formulas,
                                             std::string& errors);

}  // namespace heddle::compiler
