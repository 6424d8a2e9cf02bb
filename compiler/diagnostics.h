// Messages for the user: MLIR's diagnostics and our own, as `file:line:column: error: …` lines.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace heddle::compiler {

/// Collects messages instead of printing them. One for each compilation.
class Diagnostics {
 public:
  explicit Diagnostics(std::string_view file_name) : file_name_(file_name) {}

  /// Refuses, before any parser sees it, a text that is no text or would exhaust the parser's
  /// stack: it recurses once for each open bracket and for each operator of an expression.
  bool check_text(std::string_view text);

  /// Takes over the diagnostics of `context` while the returned handler lives.
  [[nodiscard]] std::unique_ptr<mlir::ScopedDiagnosticHandler> attach(mlir::MLIRContext& context);

  /// Adds `file:line:column: error: FOUND; accepted: ACCEPTED`.
  void error(mlir::Location where, std::string_view found, std::string_view accepted);
  /// The same at a line and column of the text, both from 1.
  void error(unsigned line, unsigned column, std::string_view found, std::string_view accepted);

  /// Adds a line that has no place in the text.
  void note(std::string_view message);

  /// All messages, one a line. Never empty: a failure without a message says so.
  std::string text() const;

 private:
  void add(const std::string& place, std::string_view severity, std::string_view message);
  std::string place(mlir::Location where) const;
  static std::string place(std::string_view file_name, unsigned line, unsigned column);

  std::string file_name_;
  std::string text_;
};

}  // namespace heddle::compiler
