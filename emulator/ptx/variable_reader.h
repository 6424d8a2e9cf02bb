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

// The estimated memory of an entry in a map, without the text of its name.
constexpr std::size_t entry_bytes = 96;

// The size of a fundamental type in bits; 1 for ".pred", 0 if `word` is not a type.
int type_bits(std::string_view word);

std::optional<Space> variable_space(std::string_view word);

class VariableReader : protected TokenReader {
 protected:
  using TokenReader::TokenReader;

  // Reads what follows the state space in a declaration, up to the semicolon: .align, the type,
  // names with sizes and initial values.
  std::vector<Variable> variables(bool is_extern);
  // Reads the attributes and the type of a variable or parameter. Returns the type's size in bits.
  int type_and_alignment(Variable& shape);
  // A name and its sizes.
  Variable declared(const Variable& shape, int);

 private:
  void initialise(Variable& variable, int bits);
  void value(Variable& variable, std::size_t element, std::size_t depth);

  uint64_t bytes_ = 0;
};

}  // namespace heddle::emulator::ptx
