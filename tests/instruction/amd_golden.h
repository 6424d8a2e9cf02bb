// One operand's table of AMD's matrix instruction calculator (tests/data/amd_*.json.gz).
#pragma once

#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "tests/data/golden.h"

namespace heddle::test {

/// A recorded table beside the row of the catalogue that has to reproduce it.
struct AmdTable {
  const instruction::Instruction* row;  // nullptr: the catalogue lacks the instruction
  std::string name;
  int wave;
  instruction::Operand operand;
  int rows, cols, blocks, bits;
  std::vector<int> reg, lane, bit, lane_copies;

  std::string what() const {
    return name + " wave" + std::to_string(wave) + " " + std::string(instruction::name(operand));
  }
};

/// All tables of `file`, matched with the rows for `target`. Operand C is recorded as "=D".
inline std::vector<AmdTable> amd_tables(std::string_view file, instruction::Target target) {
  using instruction::Operand;
  std::vector<AmdTable> tables;
  const llvm::json::Value golden = read_golden(file);
  for (const llvm::json::Value& entry : *golden.getAsObject()->getArray("instructions")) {
    const std::string name = entry.getAsObject()->getString("name")->str();
    for (const auto& [wave_text, operands] : *entry.getAsObject()->getObject("wave")) {
      const int wave = std::stoi(wave_text.str());
      for (Operand operand : instruction::all_operands) {
        const llvm::json::Object* table =
            operands.getAsObject()->getObject(std::string(instruction::name(operand)));
        if (table == nullptr) continue;
        const auto list = [&](const char* key, std::vector<int> absent) {
          const llvm::json::Array* array = table->getArray(key);
          return array == nullptr ? absent : numbers(*array);
        };
        const auto number = [&](const char* key) {
          return static_cast<int>(table->getInteger(key).value());
        };
        const std::vector<int> reg = list("reg", {});
        tables.push_back({instruction::find(name, target, wave), name, wave, operand,
                          number("rows"), number("cols"), number("blocks"), number("nbits"), reg,
                          list("lane", {}), list("bit", std::vector<int>(reg.size())),
                          list("lane_copies", {0})});
      }
    }
  }
  return tables;
}

}  // namespace heddle::test
