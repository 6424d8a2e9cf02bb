#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {

constinit decltype(instructions) compiled_instructions = instructions;

}  // namespace heddle::instruction
