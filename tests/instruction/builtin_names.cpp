// Prints C that compiles if clang has the builtin that names.h takes for each row of a processor.
//
//   builtin_names gfx1100 32
//
// The rows of the processor in waves of so many lanes. Exits 1 when there are none.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "heddle/instruction/names.h"

int main(int count, char** arguments) {
  using namespace heddle::instruction;
  const ProcessorRow* processor = count == 3 ? find_processor(arguments[1]) : nullptr;
  if (processor == nullptr) return 2;
  const int wave = std::atoi(arguments[2]);
  int rows = 0;
  for (const Instruction& row : all_instructions()) {
    if (!row.is_of(processor->family) || row.wave != wave || row.intrinsic.empty()) continue;
    std::string name = "__builtin_amdgcn_" + std::string(row.intrinsic.substr(12));
    for (char& c : name)
      if (c == '.') c = '_';
    if (row.kind == Kind::load) {
      if (row.is_of(Family::gfx1250)) name = "__builtin_amdgcn_" + std::string(row.name);
      const bool halves = bits(row.a_type) == 16;
      const std::string registers = std::to_string(row.d.registers * (halves ? 2 : 1));
      name += row.d.registers == 1 ? "_i32" : "_v" + registers + (halves ? "i16" : "i32");
    } else if (is_rdna(row.family()))
      name += "_w" + std::to_string(wave);
    if (has_builtin_of_gfx12(row)) name += "_gfx12";
    if (!is_builtin(row, name)) return 1;
    std::printf("#if !__has_builtin(%s)\n#error %s\n#endif\n", name.c_str(), name.c_str());
    ++rows;
  }
  return rows == 0;
}
