// Messages for the user: MLIR's diagnostics and our own, as `file:line:column: error: …` lines.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"

namespace heddle::compiler {

/// True if `value` has at most `most_parts` parts. Shared parts count each time, because with
/// aliases a few lines may stand for gigabytes of print.
bool is_bounded(mlir::Attribute value, std::size_t most_parts);
bool is_bounded(mlir::Type value, std::size_t most_parts);

/// `type` as MLIR prints it, shortened to what fits a message.
std::string printed(mlir::Type type);

/// Collects messages instead of printing them. One for each compilation.
class Diagnostics {
 public:
  explicit Diagnostics(std::string_view file_name) : file_name_(file_name) {}

  /// Refuses, before any parser sees it, a text that is too large, is no text or would exhaust the
  /// parser's stack.
  bool check_text(std::string_view text);

  /// Checks only the last of these: the parser recurses once for each open bracket and for each
  /// operator of an expression. Also refuses iterator types that are booleans, on which the parser
  /// crashes.
  bool check_nesting(std::string_view text);

  /// Refuses aliases that take too long to print, where no parser has seen the text either.
  bool check_aliases(std::string_view text);

  /// Refuses attributes, types and locations below `root` that are too large to print, which MLIR's
  /// verifier does before its message can be shortened.
  bool check_sizes(mlir::Operation* root);

  /// Takes over the diagnostics of `context` while the returned handler lives, and keeps the first
  /// line of each, shortened. Warnings are dropped: in these dialects they are about MLIR's own
  /// guesses, and an error follows them.
  [[nodiscard]] std::unique_ptr<mlir::ScopedDiagnosticHandler> attach(mlir::MLIRContext& context);

  /// Adds `file:line:column: error: FOUND; accepted: ACCEPTED`, a long FOUND shortened.
  void error(mlir::Location where, std::string_view found, std::string_view accepted);
  /// The same at a line and column of the text, both from 1.
  void error(unsigned line, unsigned column, std::string_view found, std::string_view accepted);
  /// The same at the character `at` of `text`, from 0.
  void error(std::string_view text, std::size_t at, std::string_view found,
             std::string_view accepted);

  /// Adds a line that has no place in the text.
  void note(std::string_view message);

  /// Adds the passes that make accepted operations of those of a dialect which MLIR did not find.
  void note_lowering();

  /// All errors and notes, one a line. Never empty: a failure without a message says so.
  std::string text() const;

  /// The remarks, one line each: file:line:column: remark: …
  const std::string& remarks() const { return remarks_; }

 private:
  static std::string line(const std::string& place, std::string_view severity,
                          std::string_view message);
  std::string place(mlir::Location where) const;
  static std::string place(std::string_view file_name, unsigned line, unsigned column);

  std::string file_name_;
  std::string text_, remarks_;
};

}  // namespace heddle::compiler
