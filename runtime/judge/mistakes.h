// Mistakes that are common in kernels of tiled matrix products. A mistake is described by maps of
// indices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/instruction/instruction.h"
#include "runtime/launch/text.h"

namespace heddle::runtime {

/// The tile of the matrix instruction with which the kernel multiplies. Mistakes are searched in
/// such tiles, and the advice against a mistake (Mistake::fix) names the operands of this
/// instruction.
struct MatrixTile {
  std::int64_t side = 16;   // rows and columns: 16 or 32
  std::int64_t depth = 16;  // the number of k that may be permuted: 16 or 32
  bool is_of_rdna = true;   // gfx11 or gfx12, whose layouts have their own mistakes and cures
  std::string drawing = "heddle show v_wmma_f32_16x16x16_f16";  // the command that draws it
  const instruction::Instruction* instruction = nullptr;        // null where it is not known
  bool has_blocks = false;  // operands consist of 8x8 blocks, as for ldmatrix and descriptors
};

/// The tile of the first mnemonic that is a matrix instruction of this processor. If there is none:
/// MatrixTile{} for RDNA and for unknown processors; for others, a tile whose `drawing` is the
/// command that lists the processor's instructions.
MatrixTile tile_of(std::string_view processor, std::span<const std::string> mnemonics);

struct Position {
  std::int64_t row = 0, column = 0;
};
/// Maps the position of a wanted element to the position of the element that is used; nothing if
/// none is used.
using IndexMap = std::function<std::optional<Position>(Position)>;

/// Maps the value of an element to the value that is read instead.
using ValueMap = double (*)(double);

/// With this mistake, the element at p of the result is the sum of a_value(A[a(q.row, k)]) *
/// b_value(B[b(k, q.column)]) over all k that `keeps` accepts, where q = result(p). `results` lists
/// the maps that `result` may be: each element of the result must fit one of them.
struct Mistake {
  std::string name, message, fix;
  IndexMap a, b;                                  // empty: the identity
  std::vector<IndexMap> results;                  // empty: the identity; else one of them holds
  std::function<bool(std::int64_t k)> keeps;      // empty: all of them
  ValueMap a_value = nullptr, b_value = nullptr;  // null: the identity
};

/// The mistakes of a product m x k by k x n in these tiles, the most likely first.
std::vector<Mistake> mistakes(std::int64_t m, std::int64_t n, std::int64_t k,
                              const MatrixTile& tile);

/// The mistake that row x of every order.size() rows of the result holds row order[x].
Mistake permuted_rows(std::span<const std::int64_t> order, const MatrixTile& tile);

}  // namespace heddle::runtime
