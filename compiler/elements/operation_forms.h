// Forms of operations that element kernels do not have, though they have the operation.
#pragma once

#include <optional>
#include <string_view>

#include "mlir/IR/Operation.h"

namespace heddle::compiler {

/// The words behind "the operation NAME" of a refusal, and what is accepted in its place.
struct UnsupportedForm {
  std::string_view found, accepted;
};

/// Nothing if the operation has a form that kernels and the reference compute.
std::optional<UnsupportedForm> unsupported_form(mlir::Operation& operation);

}  // namespace heddle::compiler
