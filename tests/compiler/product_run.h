// Runs products of every form, on the emulator with its checker silent or on the simulator of PTX,
// and says whether D is right: by a reference that shares no line with the compiler, to the last
// bit, and by the judge that `heddle run` uses.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "emulator/record/timeline.h"
#include "product_text.h"
#include "runtime/judge/matmul_check.h"

namespace heddle::compiler {

/// Exact: multiples of 1/8 in [-1, 1], whose sums are exact in every type that sums. Integers are
/// any. All: f32 of any bits, among them infinities and NaN, floats of 8 bits in the order of their
/// codes, one scale of fifteen NaN, and 0 of other types.
enum class Operands { exact, uniform, all };

using Buffers = std::vector<std::vector<std::byte>>;

struct Outcome {
  std::string error;  // empty when it ran
  Compilation kernel;
  plan::Problem problem;  // with the actual sizes
  Buffers before, after;
  std::optional<emulator::Timeline> timeline;  // on the emulator
};

std::vector<std::span<const std::byte>> views(const Buffers& buffers);

/// `sizes` gives the problem with numbers for its dynamic sizes.
Outcome run(const std::string& mlir, const Options& options, Operands operands, std::uint64_t seed,
            const std::function<plan::Problem(const Compilation&)>& sizes);
Outcome run(const ProductText& text, const Options& options, Operands operands, std::uint64_t seed);

/// The arguments before the run, as numbers.
std::vector<std::vector<double>> arguments(const Outcome& done);
/// Empty when D is `expected` to the last bit.
std::string difference(const Outcome& done, const std::vector<double>& expected);
/// Empty when D is what the text says, to the last bit.
std::string difference(const ProductText& text, const Options& options, std::uint64_t seed = 1);

runtime::MatmulCheck judged(const Outcome& done);

/// The floats of 8 bits as MLIR spells them.
inline const std::vector<std::string> small_floats{"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ",
                                                   "f8E5M2FNUZ"};

/// Empty when the product of each two of the 256 numbers of a type of `small_floats` is right to
/// the last bit; infinity and NaN are among them.
std::string difference_of_codes(const std::string& type, const Options& options);

/// A form, shape and types at random: for RapidCheck, which shrinks a failing one.
ProductText any_product();

}  // namespace heddle::compiler
