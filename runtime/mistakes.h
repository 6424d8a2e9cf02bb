// Mistakes in the indices of a tiled matrix product, as maps of indices.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/launch_text.h"

namespace heddle::runtime {

/// The tile in which mistakes are looked for: that of every WMMA instruction.
inline constexpr std::int64_t usual_tile = 16;

struct Position {
  std::int64_t row = 0, column = 0;
};
/// Which element stands where another one was meant; nothing when none does.
using IndexMap = std::function<std::optional<Position>(Position)>;

/// What is read instead of an element.
using ValueMap = double (*)(double);

/// With this mistake the element at p of the result is the sum over k, as far as `keeps` k, of
/// a_value(A[a(q.row, k)]) * b_value(B[b(k, q.column)]) for q = result(p), or for some q of
/// several.
struct Mistake {
  std::string name, message, fix;
  IndexMap a, b;                                  // empty: the identity
  std::vector<IndexMap> results;                  // empty: the identity; else one of them holds
  std::function<bool(std::int64_t k)> keeps;      // empty: all of them
  ValueMap a_value = nullptr, b_value = nullptr;  // null: the identity
};

/// Of a product m x k by k x n in tiles of 16, the most likely first.
std::vector<Mistake> mistakes(std::int64_t m, std::int64_t n, std::int64_t k);

/// Row x of every 16 of the result holds row order[x].
Mistake permuted_rows(const std::array<std::int64_t, 16>& order);

}  // namespace heddle::runtime
