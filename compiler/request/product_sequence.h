// The products of one function in the order in which they run, and the memory between them.
//
// product_cutter.h cuts the function; each part is then read as a function of its own, with one
// product and one result. A value that one part computes and another reads is a buffer.
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
  /// Memory that one part writes and a later one reads is intermediate, unless the function returns
  /// it. A constant has several values, which its BufferRecord holds.
  enum class Kind : std::uint8_t { argument, result, intermediate, constant };
  Kind kind = Kind::intermediate;
  /// The number among the function's arguments or results, the first of several; for others, from
  /// 0.
  int number = 0;
  /// The part that writes it first, and the part that uses it last. Before `first` and after `last`
  /// the memory of an intermediate may hold something else.
  int first = -1, last = -1;
  /// A part that uses it, and its number among that request's buffers, which has type and sizes.
  int part = -1, buffer = -1;
  /// Why an intermediate cannot be memory: the kernels that use it have to become one.
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

  /// True if there is one product with one result, which the function returns or leaves in a
  /// memref.
  bool is_one_product() const { return parts.size() == 1 && results.size() <= 1; }
};

/// The buffer in the form of the part that has its type and sizes.
inline const BufferRecord& record(const ProductSequence& sequence, const SequenceBuffer& buffer) {
  return sequence.parts[static_cast<std::size_t>(buffer.part)]
      .request.buffers[static_cast<std::size_t>(buffer.buffer)];
}

/// Operations that compute with places (linalg.index) and read no elements there: they have kernels
/// of their own, or an epilogue has them (MatmulRequest::places), which few backends take.
enum class Formulas : std::uint8_t { without_places, with_places };

/// Reads `text` (named `file_name` in messages). If it fails, `errors` has one line for each
/// mistake: `file:line:column: error: what was found; accepted: what is`.
/// `function`: which one; empty if there is one alone.
std::optional<ProductSequence> read_products(std::string_view text, std::string_view file_name,
                                             std::string_view function, Formulas formulas,
                                             std::string& errors);

}  // namespace heddle::compiler
