// The products of the test matrix: every form, type, shape and plan that the kernels of NVIDIA GPUs
// take.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "recorded_launch.h"

namespace heddle::compiler {

struct ProductCase {
  std::string name;   // one of its kind
  std::string text;   // MLIR
  std::string type;   // "f16", "f32 as tf32", …
  std::string group;  // what is varied: "shapes and transposes", "plans", …
  Options options;
  recorded::Numbers numbers = recorded::Numbers::exact;
  bool measures_error = false;          // how exact the sums of a GPU are, for the table of that
  std::int64_t k = 0;                   // of those
  std::array<std::int64_t, 4> sizes{};  // m, n, k and batch, where they are dynamic
};

/// The same on every host. What a target refuses is left out, and of sm_90a what is not multiplied
/// by wgmma: that is the code of sm_90.
std::vector<ProductCase> product_cases();

}  // namespace heddle::compiler
