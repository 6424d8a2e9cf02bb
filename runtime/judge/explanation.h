// Explains why a matrix product is wrong. It makes the usual mistakes with the operands, one after
// the other, until a mistake gives exactly the kernel's numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/judge/judgement.h"
#include "runtime/judge/mistakes.h"

namespace heddle::runtime {

struct Explanation {
  std::string name;     // "a-fragments-transposed", for programs; docs/run.md lists them
  std::string message;  // the product that the result equals
  std::string fix;      // the cure
};

/// The explanations found, and whether the search was cut before the last mistake.
struct Explanations {
  std::vector<Explanation> found;
  bool was_cut = false;
};

/// The search for mistakes is cut after so many multiplications.
inline constexpr std::int64_t most_multiplications_of_search = std::int64_t{1} << 28;

/// The mistakes that explain a wrong result, the most likely first. A mistake, in an operand or in
/// the store, explains the result if a kernel with it would give all written elements of the tiles
/// that have wrong elements. Nothing is found if no mistake does so, if the formula has no matrix
/// product or several, or if these tiles have more missing than written elements. For results of
/// more than 2^26 multiplications a sample of 4096 elements decides.
Explanations explain(const LaunchText& launch, const Expectation& expectation,
                     const TensorValues& values, const Judgement& judgement, const MatrixTile& tile,
                     std::int64_t most_multiplications = most_multiplications_of_search);

/// True if the formula has exactly one matrix product, so that explain() can work.
bool has_one_product(const Expectation& expectation);

/// Every mistake that explain() can name, for the documentation and its test.
std::vector<std::string> explanation_names();

/// Describes which elements have this verdict, such as "rows 8 to 15 of every 16". Empty if no
/// element has it.
std::string where(const Judgement& judgement, Verdict verdict);

/// The 16x16 tiles of the result as characters, a line for each row of tiles: '.' right, '#' all
/// wrong, '+' some wrong, '-' none written, '_' some not written. At most 32 lines of 64 tiles.
std::string tile_map(const Judgement& judgement);

}  // namespace heddle::runtime
