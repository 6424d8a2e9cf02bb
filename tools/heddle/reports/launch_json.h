// Describes how a compiled product is launched, for the program that launches it (docs/json.md).
#pragma once

#include <llvm/Support/JSON.h>

#include "compiler/compile.h"

namespace heddle::tool {

/// An object with the keys "kernel", "grid", "block", "dynamic_shared_bytes", "buffers" and
/// "arguments". The arguments are in the order of the kernel's parameters. Precondition: the
/// compilation has its plan.
llvm::json::Object launch_json(const compiler::Compilation& compilation);

/// The size of a loop that consists of several dynamic loops: the product of their sizes, as JSON.
llvm::json::Value product_json(const compiler::MatmulRequest& request, plan::Loop loop);

}  // namespace heddle::tool
