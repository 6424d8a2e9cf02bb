// Reads declarations of variables: space, alignment, type, names with sizes, and first values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/ptx/source.h"
#include "emulator/ptx/token_reader.h"

namespace heddle::emulator::ptx {

// The memory of an entry in a map, besides the name itself.
constexpr std::size_t entry_bytes = 96;

// Bits of a fundamental type, 0 when `word` is none; ".pred" is 1.
int type_bits(std::string_view word);

std::optional<Space> variable_space(std::string_view word);

class VariableReader : protected TokenReader {
 protected:
  using TokenReader::TokenReader;

  // After the space: .align, the type, names with sizes and values, up to the semicolon.
  std::vector<Variable> variables(bool is_extern);
  // Up to the type, whose bits it returns: also of parameters.
  int type_and_alignment(Variable& shape);
  // A name and its sizes.
  Variable declared(const Variable& shape, int);

 private:
  void initialise(Variable& variable, int bits);
  void value(Variable& variable, std::size_t element, std::size_t depth);

  uint64_t bytes_ = 0;
};

}  // namespace heddle::emulator::ptx
