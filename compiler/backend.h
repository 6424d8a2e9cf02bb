// One kind of kernel: how a request becomes a plan, and the plan a kernel. compile.cpp goes through
// the list of them and takes the first that has kernels for the request.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>

#include "compiler/compile.h"
#include "compiler/kernel/kernel_module.h"
#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

struct Backend {
  /// Whether it makes kernels for the target at all.
  bool (*has_kernels)(instruction::Target target);
  /// Whether its plans have all of these decisions.
  bool (*has_fields)(const PlanFields& fields);
  /// Fills plan, choices, grid, workgroup and dynamic shared memory; all else of the Compilation is
  /// there. Error: what of the request or the options it does not take, and what it does.
  std::expected<void, std::string> (*plan)(const MatmulRequest& request, const Options& options,
                                           Compilation& compilation);
  /// The kernel of the plan that `plan` made.
  std::unique_ptr<KernelModule> (*build)(const MatmulRequest& request,
                                         const Compilation& compilation);
};

/// The argument behind all others in which the parts of a split k meet.
inline Parameter workspace_parameter(std::int64_t bytes) {
  return {"workspace",
          Role::workspace,
          {},
          instruction::ElementType::i32,
          static_cast<std::size_t>(bytes),
          true,
          true};
}

/// Every kind, the one to be preferred first. Each is defined beside its kernels.
std::span<const Backend> backends();

extern const Backend rdna_backend;
extern const Backend warpgroup_backend;
extern const Backend mma_backend;

}  // namespace heddle::compiler
