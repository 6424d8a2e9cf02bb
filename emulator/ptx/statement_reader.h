// Reads the parts of a function's body other than variables: registers, labels, and instructions
// with their operands.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/ptx/source.h"
#include "emulator/ptx/variable_reader.h"

namespace heddle::emulator::ptx {

class StatementReader : protected VariableReader {
 protected:
  StatementReader(std::string_view text, Meter& meter) : VariableReader(text, meter), text_(text) {}

  void registers(Function& made, uint32_t scope);
  void instruction(Function& made, uint32_t scope);

 private:
  // The register with this name that is visible in a scope; -1 if there is none. A special register
  // is added to the function when it is first used.
  static int32_t find_register(Function& made, uint32_t scope, std::string_view name);
  void label(Function& made, uint32_t scope, const Token& name);
  void operands(Function& made, Statement& statement);
  Operand operand(Function& made, uint32_t scope, int depth);
  Operand named(Function& made, uint32_t scope);
  void offset(Operand& operand);
  Operand address(Function& made, uint32_t scope);

  std::string_view text_;
};

}  // namespace heddle::emulator::ptx
