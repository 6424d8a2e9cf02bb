// The compiler's one entry: MLIR text with one linalg.matmul in, machine code for one GPU out.
//
//   auto compiled = compile(text, "matmul.mlir", {.target = Target::gfx1151}, Stage::object);
//   if (!compiled) std::cerr << compiled.error();      // matmul.mlir:3:8: error: …; accepted: …
//   else launch(compiled->object, compiled->kernel_name, compiled->grid, compiled->workgroup);
//
// Accepted: one func.func with one linalg.matmul over static row-major shapes, f16 or bf16 inputs,
// result f32 or the inputs' type, as tensors or memrefs. The result's initial value is a function
// argument (D = C + A*B) or a linalg.fill with a constant. Sums run in f32 whatever the result
// type; a 16-bit result is rounded once, to nearest even, when it is stored.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/matmul_request.h"
#include "heddle/instruction/target.h"
#include "heddle/plan/matmul_plan.h"

namespace heddle::compiler {

/// Where to stop. Each stage is the text or bytes that the next one reads.
enum class Stage : std::uint8_t { plan, mlir, llvm, assembly, object };

struct Options {
  instruction::Target target = instruction::Target::gfx1151;
};

/// One kernel argument: a 64-bit pointer to a row-major matrix of `bytes` bytes.
struct Parameter {
  std::string name;  // "A", "B", "C" or "D"
  Role role;
  std::array<std::int64_t, 2> shape;  // rows, columns
  instruction::ElementType element;
  std::size_t bytes;
  bool read;     // the kernel reads it
  bool written;  // the kernel writes every element of it
};

/// How long one step took.
struct Timing {
  std::string step;
  std::chrono::microseconds time;
};

struct Compilation {
  plan::MatmulPlan plan;
  std::vector<Parameter> parameters;  // in kernarg order: the function's arguments, then its result
  std::string kernel_name;
  std::array<std::uint32_t, 3> grid{};       // workgroups
  std::array<std::uint32_t, 3> workgroup{};  // threads
  std::optional<double> constant;            // initial value; absent: accumulate into C
  std::string text;                          // of stages mlir, llvm and assembly
  std::vector<std::uint8_t> object;          // of stage object
  std::vector<Timing> timings;
};

/// Compiles `text` (called `file_name` in messages) up to `stop_after`. The error is one or more
/// lines `file:line:column: error: what was found; accepted: what is`, ending in a newline. Never
/// prints and never ends the process. One call at a time runs the linker; others wait for it.
std::expected<Compilation, std::string> compile(std::string_view text, std::string_view file_name,
                                                const Options& options, Stage stop_after);

}  // namespace heddle::compiler
