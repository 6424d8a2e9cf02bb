#include "compiler/tile/verbs.h"

#include <map>

#include "compiler/kernel/expression_code.h"
#include "compiler/warp/conversion_code.h"
#include "compiler/warp/multiplication_code.h"
#include "heddle/layout/algebra.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

using layout::LinearLayout;
using mlir::Value;

std::vector<Value> registers_of(ThreadCode& code, const Tile& tile) {
  std::vector<Value> all;
  for (const Value piece : tile.pieces)
    for (const Value element : code.elements(piece)) all.push_back(element);
  return all;
}

Pieces pieces_of(ThreadCode& code, llvm::ArrayRef<Value> registers, std::size_t each) {
  Pieces pieces;
  for (std::size_t first = 0; first < registers.size(); first += each)
    pieces.push_back(code.vector_of(registers.slice(first, each)));
  return pieces;
}

namespace {

// AMD's dialect requires vectors of 8-bit floats where the pieces are vectors of bytes. Converts
// the type of a piece accordingly; other pieces are returned as they are.
Value as_factor(ThreadCode& code, instruction::ElementType type, Value piece) {
  const auto bytes = mlir::cast<mlir::VectorType>(piece.getType());
  if (!is_small_float(type) ||
      instruction::is_nvidia(instruction::processor(code.options.target).family))
    return piece;
  return mlir::vector::BitCastOp::create(
      code.builder,
      mlir::VectorType::get(bytes.getShape(), number_type(code.builder.getContext(), type)), piece);
}

}  // namespace

void multiply(ThreadCode& code, const instruction::Instruction& row, MultiplyShape atoms,
              llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b, Pieces& d) {
  for (std::size_t m = 0; m < atoms.m; ++m)
    for (std::size_t n = 0; n < atoms.n; ++n) {
      Value& sum = d[m * atoms.n + n];
      sum = matrix_instruction(code, row, as_factor(code, row.a_type, a[m]),
                               as_factor(code, row.b_type, b[n]), sum);
    }
}

namespace {

// Where the lowest register bit leads.
std::uint64_t lowest_step(const LinearLayout& map) {
  return map.basis(map.inputs().offset(map.inputs().find("register")));
}

// The map without its lowest register bit.
LinearLayout of_pairs(const LinearLayout& map) {
  layout::AxisList inputs = map.inputs();
  const int at = inputs.find("register"), first = inputs.offset(at);
  layout::AxisList fewer;
  for (const layout::Axis& axis : inputs)
    fewer.push_back({axis.name, axis.bits - (axis.name == "register" ? 1 : 0)});
  LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (int bit = 0; bit < map.input_bits(); ++bit)
    if (bit != first) bases[next++] = map.basis(bit);
  return LinearLayout::from_words(fewer, map.outputs(), bases).value();
}

}  // namespace

Tile convert(ThreadCode& code, const Tile& tile, const LinearLayout& to, std::size_t each) {
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  const mlir::Type element =
      mlir::cast<mlir::VectorType>(tile.pieces.front().getType()).getElementType();
  // The planner knows axes by their order.
  LinearLayout from = tile.map,
               same_axes =
                   layout::transpose_outputs(to, layout::names_of(tile.map.outputs())).value();
  std::vector<Value> registers = registers_of(code, tile);
  // Elements that are neighbours before and after move as one.
  unsigned bits = element.getIntOrFloatBitWidth();
  while (bits < 32 && from.inputs().bits_of("register") != 0 &&
         same_axes.inputs().bits_of("register") != 0 &&
         lowest_step(from) == lowest_step(same_axes)) {
    from = of_pairs(from);
    same_axes = of_pairs(same_axes);
    bits *= 2;
  }
  const mlir::Type word = builder.getIntegerType(bits);
  const bool are_words = bits != element.getIntOrFloatBitWidth();
  const auto plan =
      plan_layout_conversion(from, same_axes, code.options.target, static_cast<int>(bits));
  if (plan->way != "nothing") {
    Value all = code.vector_of(registers);
    if (are_words)
      all = mlir::vector::BitCastOp::create(
          builder, mlir::VectorType::get({std::int64_t(from.input_size("register"))}, word), all);
    all = converted(code, all, *plan);
    if (are_words)
      all = mlir::vector::BitCastOp::create(
          builder, mlir::VectorType::get({std::int64_t(to.input_size("register"))}, element), all);
    const llvm::SmallVector<Value> elements = code.elements(all);
    registers.assign(elements.begin(), elements.end());
  }
  return {to, pieces_of(code, registers, each)};
}

Groups groups_along(const LinearLayout& map, const layout::AxisName& axis) {
  Groups groups;
  std::map<std::uint64_t, std::size_t> known;
  const int out = map.outputs().find(axis);
  for (std::uint64_t reg = 0; reg < map.input_size("register"); ++reg) {
    const std::uint64_t word = map.apply(map.inputs().pack({{"register", reg}}).value());
    const std::uint64_t others = word ^ map.outputs().coordinate(word, out)
                                            << map.outputs().offset(out);
    const auto [found, is_new] = known.try_emplace(others, groups.first.size());
    if (is_new) groups.first.push_back(reg);
    groups.of_register.push_back(found->second);
  }
  return groups;
}

std::vector<Value> reduce_registers(const std::vector<Value>& registers, const Groups& groups,
                                    Combine combine) {
  std::vector<std::vector<Value>> all(groups.count());
  for (std::size_t reg = 0; reg < registers.size(); ++reg)
    all[groups.of_register[reg]].push_back(registers[reg]);
  std::vector<Value> results;
  for (std::vector<Value>& group : all) {
    while (group.size() > 1) {
      std::vector<Value> half;
      for (std::size_t i = 0; i + 1 < group.size(); i += 2)
        half.push_back(combine(group[i], group[i + 1]));
      if (group.size() % 2 == 1) half.push_back(group.back());
      group = std::move(half);
    }
    results.push_back(group.front());
  }
  return results;
}

std::vector<Value> reduce_lanes(const Machine& machine, const LinearLayout& map,
                                const layout::AxisName& axis, std::vector<Value> values,
                                Combine combine) {
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit) {
    if (map.basis("lane", bit, axis) == 0) continue;
    for (Value& value : values) value = combine(value, machine.of_lane(value, 1 << bit));
  }
  return values;
}

}  // namespace heddle::compiler
