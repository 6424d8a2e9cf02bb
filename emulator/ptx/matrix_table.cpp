#include "emulator/ptx/matrix_table.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/ptx_name.h"
#include "library/text/formatted.h"

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

// For a sparse A: of the places of A, keeps only those of the elements that A stores, and adds the
// places of the index of A.
void add_sparse_places(MatrixTable& table) {
  const instruction::Instruction& row = table.row;
  const int width = instruction::bits(row.a_type), each = row.a.bits / width;
  const auto step = static_cast<std::size_t>(2 * each);
  table.group = step;
  std::vector<ElementPlace> kept;
  for (std::size_t i = 0; i < table.a.size(); i += step)
    for (int part = 0; part < each; ++part) {
      kept.push_back(table.a[i]);
      kept.back().bit = static_cast<uint8_t>(kept.back().bit + part * width);
    }
  table.a = std::move(kept);
  const instruction::Operand index = instruction::Operand::index;
  const auto selectors =
      static_cast<int>(instruction::fragment(row, index).output_size("selector"));
  for (int selector = 0; selector < selectors; ++selector) {
    std::vector<ElementPlace>& groups = table.index.emplace_back();
    const std::vector<ElementPlace> all = places_of(row, index, selector);
    for (std::size_t i = 0; i < all.size(); i += step) groups.push_back(all[i]);
  }
}

std::shared_ptr<const MatrixTable> made(const std::string& name) {
  for (const instruction::Instruction& row : instruction::all_instructions()) {
    if (!instruction::is_nvidia(row.family())) continue;
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
    if (chosen.is_sparse() && in_registers(chosen.index)) add_sparse_places(*table);
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

ProductForm product_form(const MatrixTable& table, instruction::Target target) {
  const instruction::Instruction& row = table.row;
  const bool is_warpgroup = row.wave == 128;
  const int depth = row.is_sparse() ? row.k / 2 : row.k;
  ProductForm form;
  form.rule = instruction::tensor_sum_rule(row, instruction::processor(target).family);
  form.a_type = row.a_type;
  form.b_type = row.b_type;
  form.c_type = row.type(instruction::Operand::c);
  form.d_type = row.d_type;
  form.m = static_cast<uint32_t>(is_warpgroup ? row.m / 4 : row.m);
  form.n = static_cast<uint32_t>(row.n);
  form.k = static_cast<uint32_t>(depth);
  form.bits = row.name.ends_with("and.popc")   ? BitProduct::both
              : row.name.ends_with("xor.popc") ? BitProduct::exclusive
                                               : BitProduct::none;
  form.saturates = table.saturates;
  return form;
}

std::vector<uint32_t> kept_k(const Warp& w, const MatrixTable& table, std::size_t selector,
                             const uint32_t* index, std::size_t rows) {
  const std::size_t step = table.group, groups = static_cast<std::size_t>(table.row.k) / step;
  const std::size_t run = std::max<std::size_t>(step / 4, 1);  // k that a number names
  std::vector<uint32_t> all;
  for (std::size_t i = 0; i < rows * groups; ++i) {
    const uint64_t places = bits_at(w, index, table.index[selector][i]);
    for (std::size_t kept = 0; kept < step / 2; ++kept) {
      const std::size_t number = places >> (2 * (kept / run)) & 3;
      const std::size_t k = step == 2 ? number / 2 : number * run + kept % run;
      all.push_back(static_cast<uint32_t>(i % groups * step + k));
    }
  }
  return all;
}

std::size_t index_selector(Decoder& d, std::size_t operand, const MatrixTable& table) {
  const Operand& selector = d.operand(operand);
  if (selector.kind != Operand::Kind::number || selector.bits >= table.index.size())
    d.bad(selector,
          formatted("the selector of the index is a number below {} here", table.index.size()));
  return selector.bits;
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
