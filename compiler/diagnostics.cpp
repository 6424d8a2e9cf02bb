#include "compiler/diagnostics.h"

#include <algorithm>
#include <vector>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace heddle::compiler {
namespace {

// A matmul takes some hundred bytes. The parser recurses on long chains of operators too, so the
// length is what bounds its stack.
constexpr std::size_t most_bytes = std::size_t{1} << 16;
constexpr std::size_t deepest_nesting = 64;

std::string_view severity_name(mlir::DiagnosticSeverity severity) {
  switch (severity) {
    case mlir::DiagnosticSeverity::Error:
      return "error";
    case mlir::DiagnosticSeverity::Warning:
      return "warning";
    default:
      return "note";
  }
}

// Advice to people who build MLIR tools, not to users of this one.
bool is_about_mlir(std::string_view note) { return note.starts_with("Available dialects:"); }

// Follows the brackets of a text, outside strings and comments, as MLIR's lexer sees them.
class Nesting {
 public:
  void next(char c) {
    if (c == '\n') in_comment_ = in_string_ = false;
    if (in_string_ && last_ == '\\') {
      last_ = 0;
      return;
    }
    if (!in_comment_ && c == '"') in_string_ = !in_string_;
    if (!in_string_ && c == '/' && last_ == '/') in_comment_ = true;
    if (!in_string_ && !in_comment_) bracket(c);
    last_ = c;
  }
  std::size_t depth() const { return open_.size(); }

 private:
  void bracket(char c) {
    if (c == '(' || c == '[' || c == '{' || c == '<') open_.push_back(c);
    if (open_.empty() || (c == '>' && last_ == '-')) return;
    const char open = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : c == '>' ? '<' : '\0';
    if (open_.back() == open) open_.pop_back();
  }

  std::vector<char> open_;
  char last_ = 0;
  bool in_string_ = false;
  bool in_comment_ = false;
};

}  // namespace

bool Diagnostics::check_text(std::string_view text) {
  if (text.size() > most_bytes) {
    error(1, 1, "a text of " + std::to_string(text.size()) + " bytes",
          "at most " + std::to_string(most_bytes) + " bytes");
    return false;
  }
  unsigned line = 1;
  unsigned column = 0;
  Nesting nesting;
  for (const char c : text) {
    ++column;
    if (c == 0) {
      error(line, column, "a zero byte", "MLIR text");
      return false;
    }
    nesting.next(c);
    if (nesting.depth() > deepest_nesting) {
      error(line, column, "brackets nested too deeply",
            "at most " + std::to_string(deepest_nesting) + " open brackets");
      return false;
    }
    if (c == '\n') {
      ++line;
      column = 0;
    }
  }
  return true;
}

std::unique_ptr<mlir::ScopedDiagnosticHandler> Diagnostics::attach(mlir::MLIRContext& context) {
  return std::make_unique<mlir::ScopedDiagnosticHandler>(
      &context, [this](mlir::Diagnostic& diagnostic) {
        add(place(diagnostic.getLocation()), severity_name(diagnostic.getSeverity()),
            diagnostic.str());
        for (mlir::Diagnostic& note : diagnostic.getNotes()) {
          if (!is_about_mlir(note.str())) add(place(note.getLocation()), "note", note.str());
        }
        return mlir::success();
      });
}

void Diagnostics::error(mlir::Location where, std::string_view found, std::string_view accepted) {
  add(place(where), "error", std::string(found) + "; accepted: " + std::string(accepted));
}

void Diagnostics::error(unsigned line, unsigned column, std::string_view found,
                        std::string_view accepted) {
  add(place(file_name_, line, column), "error",
      std::string(found) + "; accepted: " + std::string(accepted));
}

void Diagnostics::note(std::string_view message) { add(file_name_, "note", message); }

std::string Diagnostics::text() const {
  if (!text_.empty()) return text_;
  return place(file_name_, 1, 1) +
         ": error: the text was not understood; accepted: MLIR with one func.func and one "
         "linalg.matmul\n";
}

void Diagnostics::add(const std::string& place, std::string_view severity,
                      std::string_view message) {
  text_ += place + ": " + std::string(severity) + ": " + std::string(message) + "\n";
}

std::string Diagnostics::place(mlir::Location where) const {
  if (const auto line = where->findInstanceOf<mlir::FileLineColLoc>())
    return place(line.getFilename().str(), std::max(line.getLine(), 1u),
                 std::max(line.getColumn(), 1u));
  return place(file_name_, 1, 1);
}

std::string Diagnostics::place(std::string_view file_name, unsigned line, unsigned column) {
  return std::string(file_name) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace heddle::compiler
