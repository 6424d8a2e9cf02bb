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

/// True if `value` has at most `most_parts` parts (attributes and types inside it, at any depth). A
/// part that is used several times counts each time, because it is printed each time: with aliases,
/// a few lines may stand for gigabytes of print.
bool is_bounded(mlir::Attribute value, std::size_t most_parts);
bool is_bounded(mlir::Type value, std::size_t most_parts);

/// `type` as MLIR prints it, shortened to what fits a message.
std::string printed(mlir::Type type);

/// Collects messages instead of printing them. One for each compilation.
class Diagnostics {
 public:
  explicit Diagnostics(std::string_view file_name) : file_name_(file_name) {}

  /// Refuses a text that is too large, is not text, or would exhaust the parser's stack. Must be
  /// called before a parser sees the text. False if it is refused.
  bool check_text(std::string_view text);

  /// Refuses a text that would exhaust the parser's stack: the parser calls itself for each open
  /// bracket and for each operator of an expression. Also refuses iterator types that are booleans,
  /// on which the parser crashes.
  bool check_nesting(std::string_view text);

  /// Refuses a text with aliases that would take too long to print. Like check_text, it can be
  /// called before a parser has seen the text.
  bool check_aliases(std::string_view text);

  /// Refuses operations at and below `root` that have attributes or types too large to print.
  /// Without this, MLIR's verifier would print them in full before its message can be shortened.
  bool check_sizes(mlir::Operation* root);

  /// Collects the diagnostics of `context` as long as the returned handler lives; this object must
  /// outlive the handler. Of each diagnostic it keeps the first line, shortened. Warnings are
  /// dropped: in the dialects that are read here they are about guesses of MLIR, and an error
  /// follows each.
  [[nodiscard]] std::unique_ptr<mlir::ScopedDiagnosticHandler> attach(mlir::MLIRContext& context);

  /// Adds `file:line:column: error: FOUND; accepted: ACCEPTED`, a long FOUND shortened.
  void error(mlir::Location where, std::string_view found, std::string_view accepted);
  /// Adds the same line for a line and column of the text, both counted from 1.
  void error(unsigned line, unsigned column, std::string_view found, std::string_view accepted);
  /// The same at the character `at` of `text`, from 0.
  void error(std::string_view text, std::size_t at, std::string_view found,
             std::string_view accepted);

  /// Adds a line that has no place in the text.
  void note(std::string_view message);

  /// If MLIR has reported unknown operations of certain dialects, adds a note with the passes that
  /// turn these operations into accepted ones. For operations that sort, the note says instead what
  /// is accepted in their place.
  void note_lowering();

  /// All errors and notes, each in a line. If there are none, an error that says that the text was
  /// not understood.
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
