// A kind of kernel is described by a Backend: it makes a plan from a request, and kernels from
// plans. compile.cpp goes through the list of backends and takes the first that has a kernel for
// the request.
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

/// The names of the processors for which there is some kind of kernel.
std::string names_of_targets();

/// True for an NVIDIA processor that the compiler makes kernels for.
bool has_nvidia_kernels(instruction::Target target);

struct Backend {
  /// True if it makes kernels for the target.
  bool (*has_kernels)(instruction::Target target);
  /// True if its plans have all of these decisions.
  bool (*has_fields)(const PlanFields& fields);
  /// Plans a kernel for the request. Stores in the Compilation the plan and what follows from it
  /// (choices, grid, workgroup, dynamic_shared_bytes and, for some kinds, arguments and workspace);
  /// the caller has described the request there. Error: the part of the request or of the options
  /// that this kind of kernel does not support, and what it supports.
  Done (*plan)(const MatmulRequest& request, const Options& options, Compilation& compilation);
  /// This kind has better kernels if rows of A, B and D begin at multiples of so many bytes. 0:
  /// that makes no difference, or the kernels find it out themselves.
  int row_bytes = 0;
  /// If this kind cannot read an operand as it lies in memory, another kernel may first copy the
  /// operand to an order that this kind accepts (request/prepared_operands.h). The rows of the copy
  /// begin at multiples of so many bytes. 0: for this kind such copies would not help.
  int prepared_row_bytes = 0;
  /// True if this kind is only for elementwise requests: its kernels compute no product.
  bool is_elementwise = false;
  /// True if this kind is only for requests with a softmax: its kernels compute A, the softmax,
  /// themselves.
  bool is_attention = false;
  /// True if this kind is for requests with a program (MatmulRequest::program), and only for these.
  bool is_for_programs = false;
  /// From where on the kernels of this kind reach elements, and so what must not be too long.
  Reach reach = Reach::array;
  /// The sizes of small launches for which this kind makes separate kernels, the largest first;
  /// null: it makes none.
  std::span<const MostSizes> (*small_launches)(instruction::Target target) = nullptr;
};

/// If k is split among workgroups, adds a last argument to the kernel: the memory through which the
/// workgroups add up the sums of their parts of k.
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

/// For a kernel in which all warps do the same work: stores the plan in `compilation`, and what
/// follows from the plan (grid, workgroup, workspace, choices).
template <class Plan>
void keep_plan(Plan plan, Compilation& compilation) {
  compilation.grid = plan.grid();
  compilation.workgroup = {static_cast<std::uint32_t>(plan.tiles.threads()), 1, 1};
  add_workspace(plan.split_memory(), compilation);
  compilation.choices = plan.choices;
  compilation.plan = std::move(plan);
}

/// Every kind of kernel, the preferred kind first. Each kind is defined in the folder of its
/// kernels.
std::span<const Backend> backends();

extern const Backend attention_backend;
extern const Backend element_backend;
extern const Backend elementwise_backend;
extern const Backend amd_backend;
extern const Backend warpgroup_attention_backend;
extern const Backend warpgroup_backend;
extern const Backend mma_backend;

/// At most `most` sets of decisions for wgmma kernels that are worth a measurement
/// (plan::likely_plans). If the kernel may compute the transposed product instead, decisions for
/// that product are among them.
std::vector<PlanFields> likely_wgmma_plans(const MatmulRequest& request, std::size_t most);

}  // namespace heddle::compiler
