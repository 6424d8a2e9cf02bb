#include "compiler/diagnostics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <vector>

#include "compiler/alias_length.h"
#include "compiler/memory_type.h"
#include "heddle/instruction/nearest.h"
#include "library/text/formatted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace heddle::compiler {
namespace {

// The largest text that is accepted. A matmul takes some hundred bytes, constants and modules of
// many functions take more.
constexpr std::size_t most_bytes = std::size_t{1} << 20;
// How deeply brackets may be nested, and how many operators an expression may have: the parser
// calls itself for each bracket that is open and for each operator of an expression, and has a
// limited stack.
constexpr std::size_t deepest_nesting = 64;
constexpr std::size_t most_operators = 256;

// At most so many bytes of the user's text appear in a message.
constexpr std::size_t longest_value = 200;
constexpr std::size_t longest_message = 400;
// Every part prints at least one character.
constexpr std::size_t most_printed_parts = longest_value;

// At most `most` bytes of the text, followed by "..." if that is not all. A character of UTF-8 is
// never cut in two.
std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "...";
}

// Counts the parts of an attribute or a type, and stops as soon as there are more than `most`. So
// the depth of its recursion is limited, too.
class PartCounter {
 public:
  explicit PartCounter(std::size_t most) : left_(most) {}
  bool holds() const { return !exceeded_; }

  template <class Value>
  void count(Value value) {
    if (!value || exceeded_) return;
    if (left_ == 0) {
      exceeded_ = true;
      return;
    }
    --left_;
    // A distinct attribute refers to another attribute, which MLIR does not visit as a part of it.
    if constexpr (std::is_same_v<Value, mlir::Attribute>) {
      if (const auto distinct = mlir::dyn_cast<mlir::DistinctAttr>(value))
        count(distinct.getReferencedAttr());
    }
    value.walkImmediateSubElements([this](mlir::Attribute part) { count(part); },
                                   [this](mlir::Type part) { count(part); });
  }

 private:
  std::size_t left_;
  bool exceeded_ = false;
};

template <class Value>
bool counts_at_most(Value value, std::size_t most_parts) {
  PartCounter counter(most_parts);
  counter.count(value);
  return counter.holds();
}

template <class Value>
std::string printed_shortened(Value value, std::string_view kind) {
  if (!is_bounded(value, most_printed_parts))
    return "(" + std::string(kind) + " too large to print)";
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return shortened(text, longest_value);
}

// One argument of MLIR's message, with its quotes.
std::string argument_text(const mlir::DiagnosticArgument& argument) {
  using Kind = mlir::DiagnosticArgument::DiagnosticArgumentKind;
  if (argument.getKind() == Kind::Attribute)
    return printed_shortened(argument.getAsAttribute(), "an attribute");
  if (argument.getKind() == Kind::Type) return "'" + printed(argument.getAsType()) + "'";
  std::string text;
  llvm::raw_string_ostream stream(text);
  argument.print(stream);
  return text;
}

// The first line of MLIR's message, shortened. Further lines are a dump of operations. Sometimes
// the first line ends with words that announce the dump; they are removed.
std::string first_line(const mlir::Diagnostic& diagnostic) {
  std::string text;
  for (const mlir::DiagnosticArgument& argument : diagnostic.getArguments())
    text += argument_text(argument);
  llvm::StringRef line = llvm::StringRef(text).split('\n').first.rtrim();
  if (line.size() < text.size()) line.consume_back(", has");
  return shortened(line, longest_message);
}

// If MLIR says "custom op 'linalg.matmull' is unknown" and an operation has nearly this name, ";
// did you mean 'linalg.matmul'?". Empty for other messages.
std::string near_operation(std::string_view message, mlir::MLIRContext& context) {
  constexpr std::string_view before = "custom op '";
  const std::size_t at = message.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view behind = message.substr(at + before.size());
  const std::string_view name = behind.substr(0, behind.find('\''));
  context.loadAllAvailableDialects();  // the name may be of one that nothing before it needed
  instruction::NearestNames nearest(name);
  for (const mlir::RegisteredOperationName known : context.getRegisteredOperations())
    nearest.consider(known.getStringRef());
  const std::string_view guess = nearest.names()[0];
  const std::size_t length = name.size() - std::min(name.find('.') + 1, name.size());
  const std::size_t most_edits = std::min<std::size_t>(length / 3, 2);
  const auto edits = static_cast<std::size_t>(instruction::edit_distance(name, guess));
  return edits > 0 && edits <= most_edits ? formatted("; did you mean '{}'?", guess) : "";
}

// True for a note that helps people who build tools with MLIR, but not the users of this tool.
bool is_about_mlir(std::string_view note) { return note.starts_with("Available dialects:"); }

// Reads a text character by character, and follows its brackets and operators. It skips strings and
// comments in the way MLIR's lexer does.
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
  bool in_comment() const { return in_comment_; }

 private:
  // An open bracket, with the number of operators since the bracket or since the last comma inside
  // it.
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

// MLIR 22's parser of vector.contract crashes if an iterator type is true or false instead of a
// name. Finds such iterator types in one pass over the characters that are not in comments.
class IteratorTypes {
 public:
  // To be called for each character of a text in order: `rest` is the text from this character on.
  // True if an iterator type that is true or false begins here.
  bool is_boolean(std::string_view rest) {
    constexpr std::string_view name = "iterator_types", blanks = " \t\r\n,=[/";
    if (rest.starts_with(name)) left_of_name_ = name.size();
    if (left_of_name_ > 0) {
      --left_of_name_;
      in_list_ = is_start_ = true;
      return false;
    }
    if (rest[0] == ']' || rest[0] == '}') in_list_ = false;
    if (rest[0] == ',') is_start_ = true;
    if (!in_list_ || !is_start_ || blanks.find(rest[0]) != std::string_view::npos) return false;
    is_start_ = false;
    return rest.starts_with("true") || rest.starts_with("false");
  }

 private:
  std::size_t left_of_name_ = 0;  // characters of the name
  bool in_list_ = false;          // behind a name, before the end of its list
  bool is_start_ = false;         // no word has begun since the name or a comma
};

// If MLIR's messages say that an operation that sorts is unknown: a note that says what is accepted
// instead of this operation. Null for other messages.
std::optional<std::string> note_of_sort(std::string_view text) {
  struct Sort {
    std::string_view operation, passes;
  };
  constexpr std::string_view of_iree = "iree-opt --iree-linalg-ext-to-loops",
                             of_torch = "torch-mlir-opt --tm-tensor-bufferize --tm-tensor-to-loops";
  constexpr std::array<Sort, 4> all{{{"iree_linalg_ext.sort", of_iree},
                                     {"iree_linalg_ext.topk", of_iree},
                                     {"tm_tensor.sort", of_torch},
                                     {"tm_tensor.topk", of_torch}}};
  for (const auto& [operation, passes] : all)
    if (text.find(formatted("custom op '{}'", operation)) != std::string_view::npos)
      return formatted(
          "{} lowers {} to loops that exchange elements in memory, which have no kernel; accepted "
          "for each of the largest elements: a linalg.generic of the element and its place, and "
          "one that leaves it out",
          passes, operation);
  return std::nullopt;
}

}  // namespace

bool is_bounded(mlir::Attribute value, std::size_t most_parts) {
  return counts_at_most(value, most_parts);
}

bool is_bounded(mlir::Type value, std::size_t most_parts) {
  return counts_at_most(value, most_parts);
}

std::string printed(mlir::Type type) {
  const mlir::MemRefType memory = memory_type(type);
  return printed_shortened(memory ? mlir::Type(memory) : type, "a type");
}

bool Diagnostics::check_text(std::string_view text) {
  if (text.size() > most_bytes) {
    error(1, 1, formatted("a text of {} bytes", text.size()),
          formatted("at most {} bytes", most_bytes));
    return false;
  }
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return check_nesting(text);
  error(text, zero, "a zero byte", "MLIR text");
  return false;
}

bool Diagnostics::check_nesting(std::string_view text) {
  unsigned line = 1;
  unsigned column = 0;
  Nesting nesting;
  IteratorTypes iterators;
  for (std::size_t at = 0; at < text.size(); ++at) {
    ++column;
    nesting.next(text[at]);
    if (!nesting.in_comment() && iterators.is_boolean(text.substr(at))) {
      error(line, column, "an iterator type that is a boolean", "\"parallel\" and \"reduction\"");
      return false;
    }
    if (nesting.depth() > deepest_nesting) {
      error(line, column, "brackets nested too deeply",
            formatted("at most {} open brackets", deepest_nesting));
      return false;
    }
    if (nesting.operators() > most_operators) {
      error(line, column, "an expression of too many operators",
            formatted("at most {} operators in one expression", most_operators));
      return false;
    }
    if (text[at] == '\n') {
      ++line;
      column = 0;
    }
  }
  return true;
}

bool Diagnostics::check_aliases(std::string_view text) {
  constexpr std::size_t most = std::size_t{1} << 16;
  const auto at = alias_longer_than(text, most);
  if (!at) return true;
  error(text, *at, "an alias that is too long with those in it written out",
        formatted("at most {} characters", most));
  return false;
}

bool Diagnostics::check_sizes(mlir::Operation* root) {
  constexpr std::size_t most_parts = 1000;
  const auto fits = [](mlir::Value value) { return is_bounded(value.getType(), most_parts); };
  const auto check = [&](mlir::Operation* operation) {
    bool holds = is_bounded(operation->getAttrDictionary(), most_parts) &&
                 llvm::all_of(operation->getOperands(), fits) &&
                 llvm::all_of(operation->getResults(), fits);
    for (mlir::Region& region : operation->getRegions())
      for (mlir::Block& block : region) holds = holds && llvm::all_of(block.getArguments(), fits);
    if (holds) return mlir::WalkResult::advance();
    error(operation->getLoc(), "an attribute or type that is too large",
          formatted("at most {} parts, with aliases written out", most_parts));
    return mlir::WalkResult::interrupt();
  };
  return !root->walk<mlir::WalkOrder::PreOrder>(check).wasInterrupted();
}

std::unique_ptr<mlir::ScopedDiagnosticHandler> Diagnostics::attach(mlir::MLIRContext& context) {
  return std::make_unique<mlir::ScopedDiagnosticHandler>(
      &context, [this, &context](mlir::Diagnostic& diagnostic) {
        const std::string at = place(diagnostic.getLocation());
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
          remarks_ += line(at, "remark", first_line(diagnostic));
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::success();
        const std::string message = first_line(diagnostic);
        text_ += line(at, "error", message + near_operation(message, context));
        for (const mlir::Diagnostic& note : diagnostic.getNotes()) {
          const std::string words = first_line(note);
          if (!is_about_mlir(words)) text_ += line(place(note.getLocation()), "note", words);
        }
        return mlir::success();
      });
}

void Diagnostics::error(mlir::Location where, std::string_view found, std::string_view accepted) {
  text_ += line(place(where), "error",
                shortened(found, longest_message) + "; accepted: " + std::string(accepted));
}

void Diagnostics::error(unsigned line, unsigned column, std::string_view found,
                        std::string_view accepted) {
  text_ += this->line(place(file_name_, line, column), "error",
                      shortened(found, longest_message) + "; accepted: " + std::string(accepted));
}

void Diagnostics::error(std::string_view text, std::size_t at, std::string_view found,
                        std::string_view accepted) {
  const std::string_view before = text.substr(0, at);
  error(static_cast<unsigned>(std::ranges::count(before, '\n')) + 1,
        static_cast<unsigned>(at - (before.rfind('\n') + 1)) + 1, found, accepted);
}

void Diagnostics::note(std::string_view message) { text_ += line(file_name_, "note", message); }

void Diagnostics::note_lowering() {
  if (const auto sort = note_of_sort(text_)) return note(*sort);
  struct Lowering {
    std::string_view dialect, passes;
  };
  constexpr std::array<Lowering, 5> all{
      {{"onnx", "onnx-mlir-opt --convert-onnx-to-tosa, then mlir-opt --tosa-to-linalg-pipeline"},
       {"stablehlo", "stablehlo-opt --stablehlo-legalize-to-linalg"},
       {"tm_tensor", "torch-mlir-opt --tm-tensor-bufferize --tm-tensor-to-loops"},
       {"torch", "torch-mlir-opt --torch-backend-to-linalg-on-tensors-backend-pipeline"},
       {"tosa", "mlir-opt --tosa-to-linalg-pipeline --tosa-to-arith --tosa-to-tensor"}}};
  for (const auto& [dialect, passes] : all) {
    if (text_.find("Dialect `" + std::string(dialect) + "'") == std::string::npos) continue;
    note("operations of " + std::string(dialect) + " are accepted after " + std::string(passes));
    return;
  }
}

std::string Diagnostics::text() const {
  if (!text_.empty()) return text_;
  return place(file_name_, 1, 1) +
         ": error: the text was not understood; accepted: MLIR with one func.func and one "
         "linalg.matmul\n";
}

std::string Diagnostics::line(const std::string& place, std::string_view severity,
                              std::string_view message) {
  return place + ": " + std::string(severity) + ": " + std::string(message) + "\n";
}

std::string Diagnostics::place(mlir::Location where) const {
  if (const auto line = where->findInstanceOf<mlir::FileLineColLoc>())
    return place(line.getFilename().str(), std::max(line.getLine(), 1u),
                 std::max(line.getColumn(), 1u));
  return place(file_name_, 1, 1);
}

std::string Diagnostics::place(std::string_view file_name, unsigned line, unsigned column) {
  return formatted("{}:{}:{}", file_name, line, column);
}

}  // namespace heddle::compiler
