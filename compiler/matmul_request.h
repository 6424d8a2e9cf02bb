// What the user asked for: one linalg.matmul, read from MLIR text and checked.
//
// This is the only place that looks at the user's MLIR. Everything after it works from the plain
// record below, so a text that passes here cannot make a later stage fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/plan/matmul_plan.h"

namespace heddle::compiler {

/// The matrix a kernel argument holds. A memref matmul updates C in place; a tensor matmul that
/// accumulates reads C and writes D; one that starts from a constant has no C.
enum class Role : std::uint8_t { a, b, c, d };

/// A linalg.matmul that can be compiled.
struct MatmulRequest {
  std::string function;  // symbol of the function; the kernel takes its name
  plan::Problem problem;
  bool in_place = false;           // memref form: C (or D, when filled) is updated where it is
  std::optional<double> constant;  // initial value of every element; absent: accumulate into C
  std::vector<Role> arguments;     // roles of the function's arguments in their order
};

/// What the kernel's arguments are: those of the function, then D unless it is an argument already.
std::vector<Role> parameter_roles(const MatmulRequest& request);

/// Reads `text` (named `file_name` in messages). Without a result, `errors` has one line a mistake:
/// `file:line:column: error: what was found; accepted: what is`.
std::optional<MatmulRequest> read_matmul(std::string_view text, std::string_view file_name,
                                         std::string& errors);

}  // namespace heddle::compiler
