// Attention problems: their texts, in several spellings, and what they are in plain loops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sequence_run.h"

namespace heddle::compiler {

/// softmax(formula of Q K^T) V of `heads` x `group` heads, of which a group shares K and V.
struct DrawnAttention {
  enum class Spelling : std::uint8_t { selected, bits, added };  // of a mask by places
  enum class Operand : std::uint8_t { none, floats, bits };

  std::int64_t heads = 1, group = 1, queries = 20, keys = 30, depth = 16, columns = 16;
  std::string type = "f16", result = "f32";
  double scale = 0.25;
  bool tokens_first = false;                // Q, K, V and O are tokens x heads x depth
  bool is_causal = false, is_last = false;  // the last query sees the last key; else the first
  std::int64_t window = 0;                  // keys that a query sees at most; 0: all
  double slope = 0;                         // times the distance of key and query (ALiBi)
  double cap = 0;                           // cap * tanh(score / cap)
  std::string lowest = "0xFF800000";        // what masked scores are: -infinity, or a number
  Spelling spelling = Spelling::selected;
  std::string places = "index";  // the type in which places are compared: index, i32 or i64
  bool is_unsigned = false;      // where no difference is negative
  bool has_position = false;     // the first query's is the last argument, of the type `places`
  Operand operand = Operand::none;

  bool has_mask() const { return is_causal || window != 0; }
  std::int64_t offset() const { return is_last ? keys - queries : 0; }
  bool has_position_of_launch() const { return has_position && has_mask(); }
  std::string mlir() const;
  /// In float64, of the arguments in the order of the text.
  std::vector<double> expected(const std::vector<Numbers>& in) const;
};

DrawnAttention drawn_attention(std::uint64_t number);
/// Few queries and many keys.
DrawnAttention drawn_decode(std::uint64_t number);

}  // namespace heddle::compiler
