// Finds operations that element kernels support in general, but not in the form in which the text
// uses them.
#pragma once

#include <optional>
#include <string_view>

#include "mlir/IR/Operation.h"

namespace heddle::compiler {

/// Why a form is refused: `found` are the words that follow "the operation NAME" in the message,
/// `accepted` says what is accepted instead.
struct UnsupportedForm {
  std::string_view found, accepted;
};

/// Null if the kernels, and the reference that checks them, can compute this form of the operation.
std::optional<UnsupportedForm> unsupported_form(mlir::Operation& operation);

}  // namespace heddle::compiler
