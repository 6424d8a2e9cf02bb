#include "compiler/reader/element.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "llvm/ADT/StringSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "runtime/numbers/interval.h"
#include "runtime/numbers/math_functions.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

std::string accepted_steps() {
  std::string text =
      "arith's constants, casts, add, sub, mul, divf, negf, maximum, minimum, maxnum, minnum, cmp, "
      "select";
  const auto add_all_of = [&](std::string_view dialect) {
    for (const runtime::MathFunction& function : runtime::math_functions())
      if (function.name.starts_with(dialect))
        text += ", " + std::string(function.name.substr(dialect.size()));
  };
  add_all_of("arith.");
  text += "; math's";
  const std::size_t first = text.size();
  add_all_of("math.");
  text.erase(first, 1);  // a comma
  return text + "; on " + std::string(accepted_element_types);
}

// True if kernels compute the function called `name` in `type`; in f64 only exact functions.
bool has_function(std::string_view name, ElementType type) {
  const int number = runtime::find_math_function(name);
  return number < 0 || type != ElementType::f64 ||
         runtime::is_exact(runtime::math_functions()[static_cast<std::size_t>(number)]);
}

// The step that replaces the MLIR operation called `name`, if a single step with the same operands
// in the same order does; null otherwise.
std::optional<Step> plain_step(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Step>>(name)
      .Cases({"arith.addf", "arith.addi"}, Step::add)
      .Cases({"arith.subf", "arith.subi"}, Step::subtract)
      .Cases({"arith.mulf", "arith.muli"}, Step::multiply)
      .Case("arith.divf", Step::divide)
      .Case("arith.maximumf", Step::maximum)
      .Case("arith.minimumf", Step::minimum)
      .Cases({"arith.maxnumf", "arith.maxsi"}, Step::maximum_number)
      .Cases({"arith.minnumf", "arith.minsi"}, Step::minimum_number)
      .Case("arith.maxui", Step::maximum_unsigned)
      .Case("arith.minui", Step::minimum_unsigned)
      .Case("arith.negf", Step::negate)
      .Case("arith.select", Step::select)
      .Cases({"arith.extf", "arith.truncf", "arith.extsi", "arith.trunci", "arith.sitofp",
              "arith.fptosi", "arith.index_cast"},
             Step::convert)
      .Cases({"arith.extui", "arith.uitofp", "arith.fptoui", "arith.index_castui"},
             Step::convert_unsigned)
      .Default(std::nullopt);
}

// An operation on two i1, x and y, expressed as one step. The step's operands are x and y, or one
// of them twice. Modulo 2, a sum is xor and a product is and. As a signed number, true is -1.
struct BitStep {
  Step step;
  std::array<int, 3> operands;
};

std::optional<BitStep> bit_step(llvm::StringRef name, std::array<int, 3> operands) {
  const auto [x, y, unused] = operands;
  const BitStep both{Step::select, {x, y, x}}, either{Step::select, {x, x, y}};
  const BitStep differ{Step::not_equal, {x, y}};
  return llvm::StringSwitch<std::optional<BitStep>>(name)
      .Cases({"arith.andi", "arith.muli", "arith.minui", "arith.maxsi"}, both)
      .Cases({"arith.ori", "arith.maxui", "arith.minsi"}, either)
      .Cases({"arith.xori", "arith.addi", "arith.subi"}, differ)
      .Default(std::nullopt);
}

// A comparison, expressed as one step. `exchanged`: the step takes the operands in opposite order.
// `inverted`: the comparison is true if the step's result is false. `is_unsigned`: the operands are
// unsigned, so half of their range is subtracted from both before a signed comparison.
struct Comparison {
  Step step;
  bool exchanged = false;
  bool inverted = false;
  bool is_unsigned = false;
};

// Returns null for the predicates ONE, UEQ, ORD, UNO and the two constant ones: compare_either_way
// composes these from several steps.
std::optional<Comparison> comparison(mlir::arith::CmpFPredicate predicate) {
  using P = mlir::arith::CmpFPredicate;
  switch (predicate) {
    case P::OLT:
      return Comparison{Step::less};
    case P::OGT:
      return Comparison{Step::less, true};
    case P::OLE:
      return Comparison{Step::less_equal};
    case P::OGE:
      return Comparison{Step::less_equal, true};
    case P::OEQ:
      return Comparison{Step::equal};
    case P::UNE:
      return Comparison{Step::not_equal};
    case P::ULT:
      return Comparison{Step::less_equal, true, true};
    case P::UGT:
      return Comparison{Step::less_equal, false, true};
    case P::ULE:
      return Comparison{Step::less, true, true};
    case P::UGE:
      return Comparison{Step::less, false, true};
    default:
      return std::nullopt;
  }
}

Comparison comparison(mlir::arith::CmpIPredicate predicate) {
  using P = mlir::arith::CmpIPredicate;
  switch (predicate) {
    case P::slt:
      return {Step::less};
    case P::sgt:
      return {Step::less, true};
    case P::sle:
      return {Step::less_equal};
    case P::sge:
      return {Step::less_equal, true};
    case P::eq:
      return {Step::equal};
    case P::ne:
      return {Step::not_equal};
    case P::ult:
      return {Step::less, false, false, true};
    case P::ugt:
      return {Step::less, true, false, true};
    case P::ule:
      return {Step::less_equal, false, false, true};
    case P::uge:
      return {Step::less_equal, true, false, true};
  }
  return {Step::equal};
}

std::optional<Comparison> comparison(mlir::Operation& operation) {
  if (auto floats = mlir::dyn_cast<mlir::arith::CmpFOp>(operation))
    return comparison(floats.getPredicate());
  if (auto integers = mlir::dyn_cast<mlir::arith::CmpIOp>(operation))
    return comparison(integers.getPredicate());
  return std::nullopt;
}

// Reads one body: maps each value in it to the number of the step that computes it.
class BodyReader {
 public:
  BodyReader(Element& into, Captured captured, Diagnostics& diagnostics)
      : into_(into), captured_(captured), diagnostics_(diagnostics) {}

  void bind(mlir::Value value, int step) { steps_[value.getAsOpaquePointer()] = step; }

  std::optional<int> step_of(mlir::Value value) {
    const auto known = steps_.find(value.getAsOpaquePointer());
    if (known != steps_.end()) return known->second;
    if (const int constant = add_constant(value, into_); constant >= 0) return constant;
    const Element* outside = captured_(value);
    if (outside == nullptr) return std::nullopt;
    return into_.add_all(*outside, std::vector<Index>{});
  }

  bool read(mlir::Operation& operation, const std::vector<Index>& loops = {}) {
    if (mlir::isa<mlir::arith::ConstantOp>(operation)) return true;
    if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(operation);
        index && index.getDim() < loops.size()) {
      const Leaf place{Leaf::place, {loops[index.getDim()]}};
      bind(index.getResult(), into_.add_leaf(place, ElementType::i64));
      return true;
    }
    const auto mode = operation.getAttrOfType<mlir::arith::RoundingModeAttr>("roundingmode");
    if (mode && mode.getValue() != mlir::arith::RoundingMode::to_nearest_even)
      return refuse(operation, " " + mlir::arith::stringifyRoundingMode(mode.getValue()).str(),
                    "to_nearest_even, which is what it does without a word");
    std::array<int, 3> operands{};
    if (!check_types(operation) || !read_operands(operation, operands)) return false;
    const auto step = step_of(operation, operands);
    if (!step) return refuse(operation, " for each element", accepted_steps());
    bind(operation.getResult(0), *step);
    return true;
  }

 private:
  bool refuse(mlir::Operation& operation, const std::string& more, std::string_view accepted) {
    diagnostics_.error(operation.getLoc(), operation.getName().getStringRef().str() + more,
                       accepted);
    return false;
  }

  bool check_types(mlir::Operation& operation) {
    if (operation.getNumResults() != 1 || operation.getNumOperands() > 3)
      return refuse(operation, " for each element", accepted_steps());
    llvm::SmallVector<mlir::Type> types(operation.getOperandTypes());
    types.push_back(operation.getResult(0).getType());
    for (const mlir::Type type : types)
      if (!computed_type(type))
        return refuse(operation, " on " + printed(type),
                      "operations on " + std::string(accepted_element_types));
    if (mlir::isa<mlir::arith::ScalingExtFOp>(operation) &&
        element_type(mlir::getElementTypeOrSelf(types[1])) != ElementType::e8m0)
      return refuse(operation, " by scales of " + printed(mlir::getElementTypeOrSelf(types[1])),
                    "scales of f8E8M0FNU; others by arith.extf and arith.mulf");
    const mlir::Type result = mlir::getElementTypeOrSelf(types.back());
    if (has_function(operation.getName().getStringRef(), *computed_type(result))) return true;
    return refuse(operation, " on " + printed(result),
                  "f32, or a function without an error of its own, such as math.floor or math.fma");
  }

  bool read_operands(mlir::Operation& operation, std::array<int, 3>& operands) {
    for (unsigned i = 0; i < operation.getNumOperands(); ++i) {
      const mlir::Value operand = operation.getOperand(i);
      const auto step = step_of(operand);
      if (!step) {
        mlir::Operation* defined = operand.getDefiningOp();
        const std::string source =
            defined == nullptr ? "a scalar function argument of " + printed(operand.getType())
                               : "what " + defined->getName().getStringRef().str() + " gives";
        return refuse(operation, " of " + source,
                      "elements of tensors and memrefs, and arith.constant (of i64 what float64 "
                      "holds)");
      }
      operands[i] = *step;
    }
    return true;
  }

  std::optional<int> step_of(mlir::Operation& operation, std::array<int, 3> operands) {
    const llvm::StringRef name = operation.getName().getStringRef();
    const ElementType type = *computed_type(operation.getResult(0).getType());
    const auto keeps_type = [&] {
      return into_.nodes[static_cast<std::size_t>(operands[0])].type == type;
    };
    if (mlir::isa<mlir::arith::IndexCastOp, mlir::arith::IndexCastUIOp>(operation) && keeps_type())
      return operands[0];
    if (const auto found = comparison(operation)) return compare(*found, operands);
    if (auto floats = mlir::dyn_cast<mlir::arith::CmpFOp>(operation))
      return compare_either_way(floats.getPredicate(), operands);
    if (type == ElementType::b1) {
      if (const auto bits = bit_step(name, operands))
        return into_.add({bits->step, type, bits->operands});
      // Other arithmetic on i1 is refused: its numbers are only 0 and 1, or, signed, 0 and -1.
      if (name != "arith.select" && name != "arith.trunci") return std::nullopt;
    }
    if (const auto step = plain_step(name)) return into_.add({*step, type, operands});
    if (mlir::isa<mlir::arith::ScalingExtFOp>(operation)) {
      const auto [x, scale, unused] = operands;
      const int number = into_.add({Step::convert, type, {x}});
      return into_.add({Step::multiply, type, {number, into_.add({Step::convert, type, {scale}})}});
    }
    const int function = runtime::find_math_function(name);
    if (function < 0) return std::nullopt;
    constexpr std::array steps{Step::function1, Step::function2, Step::function3};
    return into_.add({steps[operation.getNumOperands() - 1], type, operands, function});
  }

  int add_bit(bool value) {
    return into_.add({Step::constant, ElementType::b1, {}, 0, value ? 1.0 : 0.0});
  }

  int compare(const Comparison& found, std::array<int, 3> operands) {
    if (found.exchanged) std::swap(operands[0], operands[1]);
    if (found.is_unsigned) make_signed(operands);
    const auto [x, y, unused] = operands;
    const bool orders = found.step == Step::less || found.step == Step::less_equal;
    if (orders && into_.nodes[static_cast<std::size_t>(x)].type == ElementType::b1) {
      // Signed, true is -1 and false is 0: so x < y holds only if x is true and y is false.
      const bool less = found.step == Step::less;
      return into_.add({Step::select, ElementType::b1,
                        less ? std::array{y, add_bit(false), x} : std::array{y, x, add_bit(true)}});
    }
    const int holds = into_.add({found.step, ElementType::b1, operands});
    if (!found.inverted) return holds;
    return into_.add({Step::equal, ElementType::b1, {holds, add_bit(false)}});
  }

  // Changes the first two operands so that a signed comparison orders them like unsigned numbers:
  // subtracts half the type's range from both. For i1 it exchanges the operands instead.
  void make_signed(std::array<int, 3>& operands) {
    const ElementType type = into_.nodes[static_cast<std::size_t>(operands[0])].type;
    if (type == ElementType::b1) return std::swap(operands[0], operands[1]);
    const double lowest = -std::ldexp(1.0, instruction::bits(type) - 1);
    const int half = into_.add({Step::constant, type, {}, 0, lowest});
    for (int i = 0; i < 2; ++i) {
      int& operand = operands[static_cast<std::size_t>(i)];
      operand = into_.add({Step::add, type, {operand, half}});
    }
  }

  // ord, uno, one, ueq, true and false.
  std::optional<int> compare_either_way(mlir::arith::CmpFPredicate predicate,
                                        std::array<int, 3> operands) {
    using P = mlir::arith::CmpFPredicate;
    const auto [x, y, unused] = operands;
    const auto both = [&](Step step, std::array<int, 2> first, std::array<int, 2> second,
                          bool all) {
      const int a = into_.add({step, ElementType::b1, {first[0], first[1]}});
      const int b = into_.add({step, ElementType::b1, {second[0], second[1]}});
      return into_.add(
          {Step::select, ElementType::b1, all ? std::array{a, b, a} : std::array{a, a, b}});
    };
    const auto inverse = [&](int bit) {
      return into_.add({Step::equal, ElementType::b1, {bit, add_bit(false)}});
    };
    switch (predicate) {
      case P::AlwaysFalse:
        return add_bit(false);
      case P::AlwaysTrue:
        return add_bit(true);
      case P::ORD:
        return both(Step::equal, {x, x}, {y, y}, true);
      case P::UNO:
        return both(Step::not_equal, {x, x}, {y, y}, false);
      case P::ONE:
        return both(Step::less, {x, y}, {y, x}, false);
      case P::UEQ:
        return inverse(both(Step::less, {x, y}, {y, x}, false));
      default:
        return std::nullopt;
    }
  }

  Element& into_;
  Captured captured_;
  Diagnostics& diagnostics_;
  std::map<const void*, int> steps_;
};

}  // namespace

Place line_of(mlir::Location location) {
  if (const auto line = location->findInstanceOf<mlir::FileLineColLoc>())
    return {std::max(line.getLine(), 1u), std::max(line.getColumn(), 1u)};
  return {};
}

std::optional<ElementType> element_type(mlir::Type type) {
  if (type.isF64()) return ElementType::f64;
  if (type.isF32()) return ElementType::f32;
  if (type.isF16()) return ElementType::f16;
  if (type.isBF16()) return ElementType::bf16;
  if (mlir::isa<mlir::Float8E4M3FNType>(type)) return ElementType::fp8;
  if (mlir::isa<mlir::Float8E5M2Type>(type)) return ElementType::bf8;
  if (mlir::isa<mlir::Float8E4M3FNUZType>(type)) return ElementType::fp8_fnuz;
  if (mlir::isa<mlir::Float8E5M2FNUZType>(type)) return ElementType::bf8_fnuz;
  if (mlir::isa<mlir::Float4E2M1FNType>(type)) return ElementType::fp4;
  if (mlir::isa<mlir::Float8E8M0FNUType>(type)) return ElementType::e8m0;
  if (type.isSignlessInteger(64)) return ElementType::i64;
  if (type.isSignlessInteger(32)) return ElementType::i32;
  if (type.isSignlessInteger(16)) return ElementType::i16;
  if (type.isSignlessInteger(8)) return ElementType::i8;
  if (type.isSignlessInteger(4)) return ElementType::i4;
  if (type.isSignlessInteger(1)) return ElementType::b1;
  return std::nullopt;
}

std::optional<ElementType> computed_type(mlir::Type type) {
  const mlir::Type element = mlir::getElementTypeOrSelf(type);
  return element.isIndex() ? ElementType::i64 : element_type(element);
}

std::string accepted_elements(mlir::Type type) {
  if (mlir::isa<mlir::ComplexType>(type))
    return "complex<f32> or complex<f64>, the same for the inputs and the result";
  return "elements of " + std::string(accepted_element_types);
}

ElementType stored_type(ElementType type) {
  return type == ElementType::b1 ? ElementType::i8 : type;
}

bool keeps_zero(const Element& element) {
  if (element.leaves.size() != 1) return false;
  const runtime::Interval made = runtime::evaluate(Expression{element.nodes}, {{0, 0}});
  return made.low == 0 && made.high == 0;
}

Element element_of(const Leaf& leaf, ElementType type) {
  Element element;
  const int stored = element.add_leaf(leaf, stored_type(type));
  if (type != ElementType::b1) return element;
  const int zero = element.add({Step::constant, ElementType::i8});
  element.add({Step::not_equal, ElementType::b1, {stored, zero}});
  return element;
}

namespace {

// Returns x * y + added, limited to the range from -2^62 to 2^62. No array has an index near these
// limits.
std::int64_t multiplied(std::int64_t x, std::int64_t y, std::int64_t added) {
  constexpr __int128 most = std::int64_t{1} << 62;
  return static_cast<std::int64_t>(std::clamp(static_cast<__int128>(x) * y + added, -most, most));
}

}  // namespace

void Index::add(const Index& other, std::int64_t factor) {
  if (factor == 0) return;
  constant = multiplied(factor, other.constant, constant);
  for (const Term& term : other.terms) {
    const auto at = std::ranges::lower_bound(terms, term.coordinate, {}, &Term::coordinate);
    if (at == terms.end() || at->coordinate != term.coordinate) {
      terms.insert(at, {term.coordinate, multiplied(factor, term.factor, 0)});
    } else {
      at->factor = multiplied(factor, term.factor, at->factor);
      if (at->factor == 0) terms.erase(at);
    }
  }
}

Index Index::at(const std::vector<Index>& places) const {
  Index moved{constant, {}};
  for (const Term& term : terms) {
    const bool stays = term.coordinate >= first_counter;
    moved.add(stays ? of(term.coordinate) : places[static_cast<std::size_t>(term.coordinate)],
              term.factor);
  }
  return moved;
}

Index Index::with(int coordinate, const Index& place) const {
  Index moved{constant, {}};
  for (const Term& term : terms)
    moved.add(term.coordinate == coordinate ? place : of(term.coordinate), term.factor);
  return moved;
}

std::int64_t Index::factor_of(int coordinate) const {
  const auto at = std::ranges::find(terms, coordinate, &Term::coordinate);
  return at == terms.end() ? 0 : at->factor;
}

std::vector<Index> identity(std::size_t count) {
  std::vector<Index> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(Index::of(static_cast<int>(i)));
  return places;
}

Leaf Leaf::moved(llvm::function_ref<Index(const Index&)> change) const {
  Leaf leaf = *this;
  for (Index& dim : leaf.dims) dim = change(dim);
  for (Bound& bound : leaf.bounds) bound.place = change(bound.place);
  return leaf;
}

int add_constant(mlir::Value value, Element& into) {
  auto defined = value.getDefiningOp<mlir::arith::ConstantOp>();
  if (!defined) return -1;
  mlir::Attribute number = defined.getValue();
  if (const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(number)) {
    if (!dense.isSplat()) return -1;
    number = dense.getSplatValue<mlir::Attribute>();
  }
  const auto type = computed_type(defined.getType());
  if (!type) return -1;
  Node node{Step::constant, *type};
  if (const auto real = mlir::dyn_cast<mlir::FloatAttr>(number)) {
    node.constant = real.getValueAsDouble();
  } else if (const auto integer = mlir::dyn_cast<mlir::IntegerAttr>(number)) {
    const bool is_bit = *type == ElementType::b1;
    const std::int64_t whole = is_bit ? static_cast<std::int64_t>(integer.getValue().getZExtValue())
                                      : integer.getValue().getSExtValue();
    node.constant = static_cast<double>(whole);
    if (plan::integer_of(node.constant) != whole) return -1;
  } else {
    return -1;
  }
  return into.add(node);
}

std::optional<int> evaluate(mlir::Operation& operation, const std::vector<int>& bound,
                            Element& into, Diagnostics& diagnostics) {
  const auto none = [](mlir::Value) -> const Element* { return nullptr; };
  BodyReader reader(into, none, diagnostics);
  for (unsigned i = 0; i < operation.getNumOperands(); ++i)
    reader.bind(operation.getOperand(i), bound[i]);
  if (!reader.read(operation)) return std::nullopt;
  return reader.step_of(operation.getResult(0));
}

std::optional<int> evaluate(mlir::Block& body, const std::vector<int>& bound,
                            const std::vector<Index>& loops, Element& into, Captured captured,
                            Diagnostics& diagnostics) {
  BodyReader reader(into, captured, diagnostics);
  for (unsigned i = 0; i < body.getNumArguments(); ++i)
    if (bound[i] >= 0) reader.bind(body.getArgument(i), bound[i]);
  for (mlir::Operation& operation : body.without_terminator())
    if (!reader.read(operation, loops)) return std::nullopt;
  mlir::Operation* end = body.getTerminator();
  const auto yielded =
      end->getNumOperands() == 1 ? reader.step_of(end->getOperand(0)) : std::nullopt;
  if (!yielded) {
    diagnostics.error(end->getLoc(), "a body that yields what is not computed from its arguments",
                      accepted_steps());
  }
  return yielded;
}

}  // namespace heddle::compiler
