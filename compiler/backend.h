// One kind of kernel: how a request becomes a plan, and the plan a kernel. compile.cpp goes through
// the list of them and takes the first that has kernels for the request.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "compiler/compile.h"
#include "compiler/decisions/special_launches.h"
#include "compiler/request/matmul_request.h"
#include "compiler/request/reach.h"

namespace heddle::compiler {

/// The processors that some kind of kernel is for.
std::string names_of_targets();

/// True for an NVIDIA processor that the compiler makes kernels for.
bool has_nvidia_kernels(instruction::Target target);

struct Backend {
  /// True if it makes kernels for the target.
  bool (*has_kernels)(instruction::Target target);
  /// True if its plans have all of these decisions.
  bool (*has_fields)(const PlanFields& fields);
  /// Fills plan, choices, grid, workgroup and dynamic shared memory; all else of the Compilation is
  /// there. Error: the part of the request or the options that it does not support, and what it
  /// supports.
  Done (*plan)(const MatmulRequest& request, const Options& options, Compilation& compilation);
  /// Better kernels take rows of A, B and D that begin at multiples of this number of bytes. 0: it
  /// does not matter, or the kernels find it out themselves.
  int row_bytes = 0;
  /// Operands whose place in memory it does not accept may be prepared for it
  /// (request/prepared_operands.h). Prepared rows begin at multiples of this number of bytes. 0:
  /// preparing would not help it.
  int prepared_row_bytes = 0;
  /// True if its kernels have no product, and so are for elementwise requests only.
  bool is_elementwise = false;
  /// True if its kernels make A themselves, and so are for requests with a softmax only.
  bool is_attention = false;
  /// True if it is for requests with a program, and for no others.
  bool is_for_programs = false;
  /// How far into arrays its kernels find elements.
  Reach reach = Reach::array;
  /// Launches on the target for which kernels are planned by themselves; the largest first.
  std::span<const MostSizes> (*small_launches)(instruction::Target target) = nullptr;
};

/// Adds the memory in which the parts of k meet as the last argument. Without a split k there is
/// none.
inline void add_workspace(const plan::SplitMemory& memory, Compilation& compilation) {
  if (memory.splits == 1) return;
  compilation.split_memory = memory;
  compilation.parameters.push_back({"workspace",
                                    Role::workspace,
                                    {},
                                    instruction::ElementType::i32,
                                    static_cast<std::size_t>(memory.bytes()),
                                    true,
                                    true});
}

/// Keeps a plan of blocks that multiply in step, and what follows from it.
template <class Plan>
void keep_plan(Plan plan, Compilation& compilation) {
  compilation.grid = plan.grid();
  compilation.workgroup = {static_cast<std::uint32_t>(plan.tiles.threads()), 1, 1};
  add_workspace(plan.split_memory(), compilation);
  compilation.choices = plan.choices;
  compilation.plan = std::move(plan);
}

/// Every kind of kernel, in order of preference. Each is defined next to its kernels.
std::span<const Backend> backends();

extern const Backend attention_backend;
extern const Backend element_backend;
extern const Backend elementwise_backend;
extern const Backend amd_backend;
extern const Backend warpgroup_attention_backend;
extern const Backend warpgroup_backend;
extern const Backend mma_backend;

/// Decisions for kernels of wgmma that are worth a measurement (plan::likely_plans). Those of the
/// transposed product are included if it may be computed.
std::vector<PlanFields> likely_wgmma_plans(const MatmulRequest& request, std::size_t most);

}  // namespace heddle::compiler
