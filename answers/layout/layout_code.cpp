#include "answers/layout/layout_code.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "answers/text/json_text.h"
#include "heddle/layout/index.h"
#include "heddle/layout/solve.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

namespace cute = interop::cute;

/// What a term of a formula is: a variable, a constant, or an operation on two other terms.
enum class Operation : std::uint8_t {
  variable,
  constant,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  add,
  multiply,
  divide,
  remainder,
};

struct OperationRow {
  Operation operation;
  std::string_view c, python, mlir;
};
/// How each operation is written in each language. The operands of divisions and shifts are never
/// negative here, so the operations give the same results in every language.
constexpr std::array<OperationRow, 9> operation_rows{{
    {Operation::bit_and, "&", "&", "arith.andi"},
    {Operation::bit_or, "|", "|", "arith.ori"},
    {Operation::bit_xor, "^", "^", "arith.xori"},
    {Operation::shift_left, "<<", "<<", "arith.shli"},
    {Operation::shift_right, ">>", ">>", "arith.shrui"},
    {Operation::add, "+", "+", "arith.addi"},
    {Operation::multiply, "*", "*", "arith.muli"},
    {Operation::divide, "/", "//", "arith.divui"},
    {Operation::remainder, "%", "%", "arith.remui"},
}};

const OperationRow& row_of(Operation operation) {
  return *std::ranges::find(operation_rows, operation, &OperationRow::operation);
}

struct Term {
  Operation operation = Operation::constant;
  std::string name;         // of a variable
  std::int64_t number = 0;  // of a constant
  std::shared_ptr<const Term> left, right;
};

Term variable(std::string name) { return {Operation::variable, std::move(name), 0, {}, {}}; }
Term constant(std::int64_t number) { return {Operation::constant, "", number, {}, {}}; }
bool is_constant(const Term& term, std::int64_t number) {
  return term.operation == Operation::constant && term.number == number;
}

/// Joins two terms; leaves out operations that change nothing.
Term combined(Operation operation, const Term& left, const Term& right) {
  const bool is_sum = operation == Operation::add || operation == Operation::bit_or ||
                      operation == Operation::bit_xor;
  if (is_sum && is_constant(left, 0)) return right;
  const bool takes_zero =
      is_sum || operation == Operation::shift_left || operation == Operation::shift_right;
  if (takes_zero && is_constant(right, 0)) return left;
  const bool takes_one = operation == Operation::multiply || operation == Operation::divide;
  if (takes_one && is_constant(right, 1)) return left;
  return {operation, "", 0, std::make_shared<Term>(left), std::make_shared<Term>(right)};
}

Term combined(Operation operation, const Term& left, std::int64_t right) {
  return combined(operation, left, constant(right));
}

/// The term as text of C or of Python.
std::string infix(const Term& term, bool is_python) {
  if (term.operation == Operation::variable) return term.name;
  if (term.operation == Operation::constant) return formatted("{}", term.number);
  const auto side = [&](const Term& of) {
    const bool is_leaf = of.operation == Operation::variable ||
                         (of.operation == Operation::constant && of.number >= 0);
    const bool same = of.operation == term.operation &&
                      (term.operation == Operation::add || term.operation == Operation::bit_or ||
                       term.operation == Operation::bit_xor);
    return is_leaf || same ? infix(of, is_python) : "(" + infix(of, is_python) + ")";
  };
  const OperationRow& row = row_of(term.operation);
  return formatted("{} {} {}", side(*term.left), is_python ? row.python : row.c, side(*term.right));
}

/// A term for each output of a map. Its variables are the map's inputs, with these names.
std::vector<Term> terms_of(const layout::LinearLayout& map, const std::vector<std::string>& names) {
  std::vector<Term> terms;
  for (int output = 0; output < map.outputs().size(); ++output) {
    const bool disjoint = layout::fields_are_disjoint(map, output);
    Term sum = constant(0);
    layout::for_each_field(map, output, [&](const layout::BitField& field) {
      Term part = variable(names[field.input]);
      const auto mask = static_cast<std::int64_t>((std::uint64_t{1} << field.count) - 1);
      // A right shift to bit 0 drops the lower bits by itself, so they need no mask then.
      const bool cuts_low = field.from > 0 && field.to > 0;
      if (cuts_low || !field.reaches_top)
        part = combined(Operation::bit_and, part, mask << field.from);
      if (field.to > field.from)
        part = combined(Operation::shift_left, part, field.to - field.from);
      else
        part = combined(Operation::shift_right, part, field.from - field.to);
      sum = combined(disjoint ? Operation::bit_or : Operation::bit_xor, sum, part);
    });
    terms.push_back(std::move(sum));
  }
  return terms;
}

/// What one mode of a CuTe layout adds to the index for a coordinate of this mode. The coordinate
/// is a number with one digit for each leaf of the mode, the first leaf's digit lowest, where the
/// radix of a digit is the leaf's shape. `before` is the product of the shapes of the leaves that
/// came before; the function multiplies it by the shapes of its leaves. `all` is the product of the
/// shapes of all leaves of the mode.
Term index_of(const cute::Layout& mode, const Term& coordinate, cute::Number& before,
              cute::Number all) {
  if (!mode.is_leaf()) {
    Term sum = constant(0);
    for (std::size_t i = 0; i < mode.rank(); ++i)
      sum = combined(Operation::add, sum, index_of(mode[i], coordinate, before, all));
    return sum;
  }
  const cute::Mode& leaf = mode.leaf();
  const bool is_last = before * leaf.shape == all;
  Term part = combined(Operation::divide, coordinate, before);
  if (!is_last) part = combined(Operation::remainder, part, leaf.shape);
  before *= leaf.shape;
  if (leaf.shape == 1 || leaf.stride == 0) return constant(0);
  return combined(Operation::multiply, part, leaf.stride);
}

Term index_of(const cute::AnyLayout& any, const std::vector<std::string>& names) {
  const auto* composed = std::get_if<cute::ComposedLayout>(&any);
  const cute::Layout& layout = composed != nullptr ? composed->layout : std::get<cute::Layout>(any);
  Term sum = constant(composed != nullptr ? composed->offset : 0);
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    cute::Number before = 1;
    sum = combined(Operation::add, sum,
                   index_of(layout[i], variable(names[i]), before, cute::size(layout[i])));
  }
  if (composed == nullptr) return sum;
  const cute::Swizzle& swizzle = composed->swizzle;
  const int lowest = swizzle.base + std::max(0, swizzle.shift);
  const std::int64_t mask = ((std::int64_t{1} << swizzle.bits) - 1) << lowest;
  const Term taken = combined(Operation::bit_and, sum, mask);
  return combined(Operation::bit_xor, sum,
                  swizzle.shift >= 0 ? combined(Operation::shift_right, taken, swizzle.shift)
                                     : combined(Operation::shift_left, taken, -swizzle.shift));
}

/// A function to write: its inputs and its outputs, by name.
struct WrittenFunction {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::pair<std::string, Term>> outputs;
  std::string says;  // a sentence
  bool is_wide = false;
};

/// A name that is valid in every language. "mode 0" becomes mode0, and `register`, a keyword of C,
/// becomes reg.
std::string variable_name(std::string_view axis) {
  if (axis == "register") return "reg";
  constexpr std::array words{"and",    "as",     "case",   "char",   "def",   "do",
                             "double", "else",   "float",  "for",    "if",    "in",
                             "int",    "is",     "long",   "not",    "or",    "return",
                             "short",  "signed", "static", "struct", "while", "with"};
  std::string name(axis);
  std::erase(name, ' ');
  return std::ranges::find(words, axis) == words.end() ? name : name + "_";
}

/// The function to write that computes the map. `output_name` returns the name for each output.
std::expected<WrittenFunction, std::string> function_of(const layout::LinearLayout& map,
                                                        auto output_name) {
  if (map.inputs().bits() > 62 || map.outputs().bits() > 62)
    return std::unexpected("a coordinate has more than 62 bits");
  WrittenFunction function;
  std::vector<std::string> names;
  for (const layout::Axis& axis : map.inputs()) {
    names.push_back(variable_name(axis.name.text()));
    if (axis.bits > 0) function.inputs.push_back(names.back());  // else it is 0
  }
  std::vector<Term> terms = terms_of(map, names);
  for (int i = 0; i < map.outputs().size(); ++i)
    function.outputs.emplace_back(variable_name(output_name(i)),
                                  std::move(terms[static_cast<std::size_t>(i)]));
  function.is_wide = map.inputs().bits() > 30 || map.outputs().bits() > 30;
  return function;
}

std::expected<WrittenFunction, std::string> function_of(const LayoutView& view) {
  WrittenFunction function;
  if (const auto* any = view.cute()) {
    function.name = "offset";
    for (const std::string& axis : view.axes) function.inputs.push_back(variable_name(axis));
    function.outputs = {{"offset", index_of(*any, function.inputs)}};
    function.says = formatted("The index of each of {} coordinates.", sizes_text(view));
    const auto* composed = std::get_if<cute::ComposedLayout>(any);
    function.is_wide = cute::cosize(composed != nullptr ? composed->layout
                                                        : std::get<cute::Layout>(*any)) > 1 << 30;
    return function;
  }
  const layout::LinearLayout& own = *view.map();
  const bool is_held = view.kind == LayoutKind::held;
  const layout::LinearLayout map = is_held ? own : layout::pseudo_inverse(own);
  auto found = function_of(map, [&](int i) {
    return is_held ? view.axes[static_cast<std::size_t>(i)]
                   : std::string(map.outputs()[i].name.text());
  });
  if (!found) return found;
  function = *std::move(found);
  if (is_held) {
    function.name = "element";
    function.says = formatted("Which element of a tile of {} a register holds.", sizes_text(view));
    return function;
  }
  function.name = "offset";
  function.says = formatted(
      "Where an element of a tile of {} lies in shared memory: its place in an array of {} "
      "elements.",
      sizes_text(view), view.shared().size());
  Term place = function.outputs[0].second;
  const Term offset = place;
  std::uint64_t largest = view.shared().size();
  for (const memory::Padding& pad : view.shared().padding)
    place = combined(
        Operation::add, place,
        combined(Operation::multiply,
                 combined(Operation::divide, offset, static_cast<std::int64_t>(pad.interval)),
                 static_cast<std::int64_t>(pad.amount)));
  function.outputs[0].second = place;
  function.is_wide |= largest > std::uint64_t{1} << 30;
  return function;
}

std::string c_code(const WrittenFunction& function, std::string_view prefix) {
  const std::string_view type = function.is_wide ? "long long" : "int";
  std::string parameters;
  for (const std::string& input : function.inputs)
    parameters += formatted("{}{} {}", parameters.empty() ? "" : ", ", type, input);
  std::string text = formatted("// {}\n", function.says);
  for (const auto& [output, term] : function.outputs)
    text +=
        formatted("{} {} {}{}({}) {{\n  return {};\n}}\n", prefix, type, function.name,
                  function.outputs.size() == 1 ? "" : "_" + output, parameters, infix(term, false));
  return text;
}

std::string python_code(const WrittenFunction& function) {
  std::vector<std::string> values;
  for (const auto& [output, term] : function.outputs) values.push_back(infix(term, true));
  return formatted("def {}({}):\n    \"\"\"{}\"\"\"\n    return {}\n", function.name,
                   joined(function.inputs, ", "), function.says, joined(values, ", "));
}

/// Appends to `body` the MLIR operations that compute the term, and returns the name of the SSA
/// value with the result. `count` is the number of values that are named so far.
std::string append_mlir(std::string& body, int& count, const Term& term, std::string_view type) {
  if (term.operation == Operation::variable) return "%" + term.name;
  std::string line;
  if (term.operation == Operation::constant) {
    line = formatted("arith.constant {} : {}", term.number, type);
  } else {
    const std::string left = append_mlir(body, count, *term.left, type);
    const std::string right = append_mlir(body, count, *term.right, type);
    line = formatted("{} {}, {} : {}", row_of(term.operation).mlir, left, right, type);
  }
  const std::string name = formatted("%{}", count++);
  body += formatted("  {} = {}\n", name, line);
  return name;
}

std::string mlir_code(const WrittenFunction& function) {
  const std::string_view type = function.is_wide ? "i64" : "i32";
  std::string parameters, body, values, types;
  for (const std::string& input : function.inputs)
    parameters += formatted("{}%{}: {}", parameters.empty() ? "" : ", ", input, type);
  int count = 0;
  for (const auto& [output, term] : function.outputs) {
    values += (values.empty() ? "" : ", ") + append_mlir(body, count, term, type);
    types += formatted("{}{}", types.empty() ? "" : ", ", type);
  }
  const bool is_one = function.outputs.size() == 1;
  return formatted("// {}\nfunc.func @{}({}) -> {} {{\n{}  return {} : {}\n}}\n", function.says,
                   function.name, parameters, is_one ? types : "(" + types + ")", body, values,
                   types);
}

std::string code_of(const WrittenFunction& function, std::string_view language) {
  if (language == "python") return python_code(function);
  if (language == "mlir") return mlir_code(function);
  return c_code(function, language == "c" ? "static inline" : "__host__ __device__ inline");
}

}  // namespace

std::expected<std::string, std::string> layout_code(const LayoutView& view,
                                                    std::string_view language) {
  const auto function = function_of(view);
  if (!function) return std::unexpected(function.error());
  return code_of(*function, language);
}

std::expected<std::string, std::string> map_code(const layout::LinearLayout& map,
                                                 std::string_view name, std::string_view says,
                                                 std::string_view language) {
  auto function =
      function_of(map, [&](int i) { return std::string(map.outputs()[i].name.text()); });
  if (!function) return std::unexpected(function.error());
  function->name = name;
  function->says = says;
  return code_of(*function, language);
}

std::expected<std::string, std::string> code_answer(const LayoutView& view,
                                                    std::string_view language,
                                                    std::string_view format) {
  if (format != "text" && format != "json")
    return std::unexpected(
        formatted("--to writes functions, as text or in JSON; --format {} has none", format));
  const auto code = layout_code(view, language);
  if (!code || format == "text") return code;
  return formatted("{{\"read_as\":{},\"kind\":{},\"{}\":{{\"code\":{}}}}}\n",
                   json_string(view.argument.what), json_string(name(view.kind)), language,
                   json_string(*code));
}

}  // namespace heddle::answers
