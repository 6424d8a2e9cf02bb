#include "compiler/tile/verbs.h"

#include <map>

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

void multiply(ThreadCode& code, const instruction::Instruction& row, MultiplyShape atoms,
              llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b, Pieces& d) {
  for (std::size_t m = 0; m < atoms.m; ++m)
    for (std::size_t n = 0; n < atoms.n; ++n) {
      Value& sum = d[m * atoms.n + n];
      sum = matrix_instruction(code, row, a[m], b[n], sum);
    }
}

Tile convert(ThreadCode& code, const Tile& tile, const LinearLayout& to, std::size_t each) {
  const mlir::Type element =
      mlir::cast<mlir::VectorType>(tile.pieces.front().getType()).getElementType();
  // The planner knows axes by their order.
  const LinearLayout same_axes =
      layout::transpose_outputs(to, layout::names_of(tile.map.outputs())).value();
  const auto plan = plan_layout_conversion(tile.map, same_axes, code.options.target,
                                           static_cast<int>(element.getIntOrFloatBitWidth()));
  std::vector<Value> registers = registers_of(code, tile);
  if (plan->way != "nothing") {
    const Value moved = converted(code, code.vector_of(registers), *plan);
    const llvm::SmallVector<Value> elements = code.elements(moved);
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
