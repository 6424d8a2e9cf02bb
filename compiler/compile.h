// The compiler's two entries. `compile` takes MLIR text with one linalg.matmul and returns machine
// code for one GPU. `compile_sequence` takes text with several products; each product becomes a
// kernel, and all kernels are in one object.
//
//   auto compiled = compile(text, "matmul.mlir", {.target = Target::gfx1151}, Stage::object);
//   if (!compiled) std::cerr << compiled.error();      // matmul.mlir:3:8: error: …; accepted: …
//   else launch(compiled->object, compiled->kernel_name, blocks(compiled->grid, problem), …);
//
//   auto all = compile_sequence(text, "mlp.mlir", {.target = Target::sm_90a}, Stage::object);
//   for (std::size_t i = 0; i < all->kernels.size(); ++i)
//     launch(all->object, all->kernels[i].kernel_name, …);  // on all->sequence.parts[i].buffers
//
// Both accept one func.func with contractions (linalg.matmul, batch_matmul, or a generic that has
// the same form; operands transposed or not) and elementwise operations before and after the
// contractions. Values are tensors, or memrefs if there is only one contraction, of static or
// dynamic sizes (docs/matmul.md). `compile` accepts only one contraction and one result. Sums are
// computed in f32, sums of integers in i32, whatever the type of the result; a narrower result is
// rounded once, to nearest even.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/codegen/stage.h"
#include "compiler/plan/attention_plan.h"
#include "compiler/plan/element_plan.h"
#include "compiler/plan/elementwise_plan.h"
#include "compiler/plan/matmul_plan.h"
#include "compiler/plan/mma_plan.h"
#include "compiler/plan/warpgroup_attention.h"
#include "compiler/plan/warpgroup_plan.h"
#include "compiler/plan_file.h"
#include "compiler/request/matmul_request.h"
#include "compiler/request/product_sequence.h"
#include "heddle/instruction/target.h"

namespace heddle::compiler {

/// When separate kernels may write operands, or D, in another order in memory, because the best
/// kind of kernel for the product needs that order (request/prepared_operands.h).
enum class Prepare : std::uint8_t { never, where_faster, always };

struct Options {
  instruction::Target target = instruction::Target::gfx1151;
  std::string function = {};                 // of the text; empty if there is one alone
  plan::F32Path f32 = plan::F32Path::exact;  // how f32 inputs are multiplied
  plan::F8Sums f8 = plan::F8Sums::promoted;  // how products of 8-bit floats are summed
  Prepare prepare = Prepare::where_faster;
  bool fuses_attention = true;           // or each of its steps is a kernel
  PlanFields plan{};                     // what the planner is not to decide
  std::vector<PlanPlace> plan_places{};  // of it, where a file says so
};

/// One parameter of a kernel: a 64-bit pointer to a row-major array of `bytes` bytes, or a 32-bit
/// size. If sizes are dynamic, `shape` and `bytes` are what the plan assumes;
/// compiler/request/actual_product.h computes those of a launch.
struct Parameter {
  std::string name;  // "A", "B", "C" or "D"
  Role role;
  std::vector<std::int64_t> shape;
  instruction::ElementType element;
  std::size_t bytes;
  bool read;     // the kernel reads it
  bool written;  // the kernel writes every element of it
};

/// How to make, for a launch, a tensor map of NVIDIA's tensor memory accelerator over a buffer. It
/// has the fields of emulator::TensorMap, but a size or a stride may depend on sizes that are known
/// only at launch (launch.h).
struct TensorMapForm {
  instruction::ElementType element{};
  std::uint64_t offset = 0;        // bytes before its first element
  std::vector<Stride> sizes;       // elements, the innermost first
  std::vector<Stride> strides;     // bytes, of the dimensions after the first
  std::vector<std::uint32_t> box;  // elements that one copy moves
  std::uint32_t swizzle_bytes = 0;
};

/// An argument of the kernel: a pointer to the memory of a parameter, or a tensor map over it.
struct KernelArgument {
  int parameter = 0;
  std::optional<TensorMapForm> map;
};

/// The plan of a kernel, in the type of its kind. It has more details than `choices`.
using KernelPlan = std::variant<std::monostate, plan::MatmulPlan, plan::MmaPlan,
                                plan::WarpgroupPlan, plan::ElementwisePlan, plan::AttentionPlan,
                                plan::WarpgroupAttentionPlan, plan::ElementPlan>;

struct Compilation {
  MatmulRequest request;
  plan::Problem problem;  // of the request
  instruction::Target target{};
  std::vector<plan::Choice> choices;  // the decisions of the plan, for people
  KernelPlan plan;
  std::vector<Parameter> parameters;  // in kernarg order: the function's arguments, then its result
  /// The arguments of the kernel in their order. Dynamic sizes and a workspace follow them and are
  /// not listed. If the list is empty, the arguments are pointers to the parameters.
  std::vector<KernelArgument> arguments;
  std::string kernel_name;
  plan::LaunchGrid grid{};                   // workgroups
  std::array<std::uint32_t, 3> workgroup{};  // threads
  std::uint32_t dynamic_shared_bytes = 0;    // of a workgroup, besides the code's declarations
  plan::SplitMemory split_memory = {};       // of the workspace, where there is one
  std::optional<double> constant;            // initial value; absent: accumulate into C
  std::string text;                          // of stages mlir, llvm and assembly
  std::vector<std::uint8_t> object;          // of stage object: a code object; of NVIDIA the PTX
  std::vector<Timing> timings;
  /// Faster kernels in the same object. Each is for launches whose dynamic sizes fulfil the
  /// assumptions of its request (request/special_launches.h). The preferred kernel comes first. The
  /// kernel of this Compilation itself takes all sizes, and arrays that begin at any address if
  /// their offset is open.
  std::vector<Compilation> variants = {};
};

/// The kernel to use for a launch with the sizes of `problem`, whose arrays begin at multiples of
/// 16 bytes: one of the variants, or `compilation` itself.
const Compilation& kernel_for(const Compilation& compilation, const plan::Problem& problem);

/// The kernels of a function, one for each product, and the buffers that they share.
struct SequenceCompilation {
  ProductSequence sequence;
  std::vector<Compilation> kernels;  // of each part, without text and object: those are here
  std::string text;                  // of stages mlir (one module each), llvm and assembly
  std::vector<std::uint8_t> object;  // of stage object: one that has all kernels
  std::vector<Timing> timings;       // of what is done once
};

/// At most `most` sets of decisions for the kernel that are worth a measurement, the likeliest to
/// be fast first. Empty if kernels of this kind have no decisions to vary.
std::vector<PlanFields> likely_plans(const Compilation& kernel, std::size_t most);

/// Compiles each product of `text` to a kernel, as `compile` does for a single product. The kernels
/// must be launched in the order of the list.
std::expected<SequenceCompilation, std::string> compile_sequence(std::string_view text,
                                                                 std::string_view file_name,
                                                                 const Options& options,
                                                                 Stage stop_after);

/// The only kernel of `all`, with its text and object.
Compilation as_one_kernel(SequenceCompilation all);

/// Compiles `text`, which messages call `file_name`, up to the stage `stop_after`.
/// - Errors: one or more lines `file:line:column: error: what was found; accepted: what is`, each
/// ending in a newline. Several products or results are an error; compile_sequence takes them.
/// - Never prints and never ends the process. Only one call at a time runs the linker; other calls
/// wait for it.
/// - Does not add kernels that copy operands to another order (Prepare).
std::expected<Compilation, std::string> compile(std::string_view text, std::string_view file_name,
                                                const Options& options, Stage stop_after);

}  // namespace heddle::compiler
