#include "compiler/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace heddle::compiler {
namespace {

// A matmul takes some hundred bytes.
constexpr std::size_t most_bytes = std::size_t{1} << 16;
// The parser calls itself for each open bracket and for each operator of an open expression.
constexpr std::size_t deepest_nesting = 64;
constexpr std::size_t most_operators = 256;

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

// Follows brackets and operators of a text, outside strings and comments, as MLIR's lexer sees
// them.
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
    if (!in_string_ && !in_comment_) mark(c);
    last_ = c;
  }
  std::size_t depth() const { return open_.size(); }
  std::size_t operators() const { return operators_; }

 private:
  // A bracket, and the operators since it was opened or since the last comma in it.
  struct Open {
    char bracket;
    std::size_t operators = 0;
  };

  void mark(char c) {
    word(c);
    if (c == '+' || c == '-' || c == '*') count(1);
    if (c == '>' && last_ == '-') return count(-1);  // the arrow of a function or map
    if (c == ',' && !open_.empty()) count(-static_cast<std::ptrdiff_t>(open_.back().operators));
    bracket(c);
  }

  void word(char c) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word_ += c;
      return;
    }
    if (word_ == "mod" || word_ == "floordiv" || word_ == "ceildiv") count(1);
    word_.clear();
  }

  // Braces hold statements, no expressions.
  void count(std::ptrdiff_t more) {
    if (open_.empty() || open_.back().bracket == '{') return;
    open_.back().operators += static_cast<std::size_t>(more);
    operators_ += static_cast<std::size_t>(more);
  }

  void bracket(char c) {
    if (c == '(' || c == '[' || c == '{' || c == '<') open_.push_back({c});
    if (open_.empty()) return;
    const char open = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : c == '>' ? '<' : 0;
    if (open_.back().bracket != open) return;
    operators_ -= open_.back().operators;
    open_.pop_back();
  }

  std::vector<Open> open_;
  std::size_t operators_ = 0;  // of all open brackets together
  std::string word_;
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
    if (nesting.operators() > most_operators) {
      error(line, column, "an expression of too many operators",
            "at most " + std::to_string(most_operators) + " operators in one expression");
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
