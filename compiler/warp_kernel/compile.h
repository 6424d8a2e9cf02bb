// Compiles warp-level MLIR functions (is_warp_level) to kernels. All other functions are compiled
// by compiler/compile.h.
//
//   auto compiled = compile_warp_function(text, "tile.mlir", {.target = Target::sm_80},
//                                         Stage::assembly);
//   if (!compiled) std::cerr << compiled.error();   // tile.mlir:3:8: error: …; accepted: …
//
// The kernel runs in one thread block of one warp. compiler/warp_kernel/wrapper.h describes its
// parameters.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile.h"
#include "compiler/warp_kernel/argument.h"
#include "compiler/warp_kernel/kernel_module.h"

namespace heddle::compiler {

struct WarpCompilation {
  std::string kernel_name;
  int threads = 0;                      // of its block, which is one warp
  std::vector<WarpArgument> arguments;  // of the function; open values are kernel parameters
  std::string text;                     // of stages mlir, llvm and assembly
  std::vector<std::uint8_t> object;     // of stage object: a code object, or PTX
  std::string remarks;                  // lines file:line:column: remark: …
  std::vector<Timing> timings;
};

/// True if `text` is MLIR and contains an operation of the vector dialect other than vector.vscale,
/// and if its functions neither take vectors or tensors nor return values. "vector" in names of
/// values, functions or types does not count. False if the text cannot be parsed.
bool is_warp_level(std::string_view text);

/// Compiles `text` up to and including the stage `stop_after`. Errors have the same form as those
/// of compile(). Stage::plan is refused, since there is no plan: a warp-level function itself says
/// what each instruction multiplies.
std::expected<WarpCompilation, std::string> compile_warp_function(std::string_view text,
                                                                  std::string_view file_name,
                                                                  const WarpKernelOptions& options,
                                                                  Stage stop_after);

}  // namespace heddle::compiler
