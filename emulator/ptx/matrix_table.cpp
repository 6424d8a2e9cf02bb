#include "emulator/ptx/matrix_table.h"

#include <mutex>
#include <unordered_map>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/ptx_name.h"

namespace heddle::emulator::ptx {

using instruction::ElementType;

namespace {

std::vector<ElementPlace> places_of(const instruction::Instruction& row,
                                    instruction::Operand operand, int selector = 0) {
  const instruction::Places places =
      instruction::places(row, operand, instruction::KOrder::isa, selector);
  std::vector<ElementPlace> all(places.reg.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {static_cast<uint16_t>(places.bits == 64 ? places.reg[i] / 2 : places.reg[i]),
              static_cast<uint8_t>(places.lane[i]), static_cast<uint8_t>(places.bit[i])};
  return all;
}

bool in_registers(const instruction::OperandMap& map) {
  return map.registers > 0 && map.storage == instruction::Storage::registers;
}

int registers_of(const instruction::OperandMap& map) {
  return map.bits == 64 ? map.registers / 2 : map.registers;
}

std::shared_ptr<const MatrixTable> made(const std::string& name) {
  for (const instruction::Instruction& row : instruction::all_instructions()) {
    if (!instruction::is_nvidia(row.family()) || row.scale_a.registers > 0 ||
        (row.is_sparse() && row.wave != 32))
      continue;
    const auto found = instruction::match_ptx_name(row, name);
    if (!found) continue;
    using instruction::Operand;
    auto table = std::make_shared<MatrixTable>();
    table->row = *found;
    table->saturates = instruction::has_part(name, "satfinite");
    const instruction::Instruction& chosen = table->row;
    const auto fill = [&](std::vector<ElementPlace>& places, int& registers, Operand operand) {
      if (!in_registers(chosen.map(operand))) return;
      places = places_of(chosen, operand);
      registers = registers_of(chosen.map(operand));
    };
    int unused = 0;
    fill(table->a, table->a_registers, Operand::a);
    fill(table->b, table->b_registers, Operand::b);
    fill(table->d, table->d_registers, Operand::d);
    if (chosen.kind == instruction::Kind::multiply) fill(table->c, table->c_registers, Operand::c);
    fill(table->address, unused, Operand::address);
    if (chosen.is_sparse()) {
      const auto selectors =
          static_cast<int>(instruction::fragment(chosen, Operand::index).output_size("selector"));
      for (int selector = 0; selector < selectors; ++selector)
        table->index.push_back(places_of(chosen, Operand::index, selector));
    }
    return table;
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const MatrixTable> matrix_table(const std::string& name) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<const MatrixTable>> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  auto table = made(name);
  if (table != nullptr) known.emplace(name, table);
  return table;
}

ProductForm product_form(const instruction::Instruction& row, instruction::Target target) {
  const bool is_warpgroup = row.wave == 128;
  const int depth = row.is_sparse() ? row.k / 2 : row.k;
  ProductForm form;
  form.rule = instruction::tensor_sum_rule(instruction::processor(target).family, is_warpgroup,
                                           row.a_type, depth);
  form.a_type = row.a_type;
  form.b_type = row.b_type;
  form.c_type = row.type(instruction::Operand::c);
  form.d_type = row.d_type;
  form.m = static_cast<uint32_t>(is_warpgroup ? row.m / 4 : row.m);
  form.n = static_cast<uint32_t>(row.n);
  form.k = static_cast<uint32_t>(depth);
  return form;
}

int64_t integer_element(ElementType type, uint64_t bits) {
  switch (type) {
    case ElementType::i32:
      return static_cast<int32_t>(bits);
    case ElementType::i8:
      return static_cast<int8_t>(bits);
    case ElementType::u8:
      return static_cast<uint8_t>(bits);
    case ElementType::i4:
      return static_cast<int64_t>((bits & 15) ^ 8) - 8;
    case ElementType::u4:
      return static_cast<int64_t>(bits & 15);
    default:
      return static_cast<int64_t>(bits & 1);
  }
}

}  // namespace heddle::emulator::ptx
