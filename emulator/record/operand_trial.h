// A trial that looks for the cause of a wrong result: a launch that gives matrix instructions other
// descriptors or selectors of their operands. Only the simulator of PTX calls it, before each
// matrix instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator {

// An operand that a matrix descriptor names.
struct DescribedOperand {
  uint64_t warp = 0;  // that issues the instruction: one number in the launch
  bool is_b = false;
  instruction::DescriptorForm form{};
  instruction::MatrixDescriptor descriptor;
  instruction::Major major = instruction::Major::k;
  int bits = 16;  // of an element
};

// The scales of one operand: `rows` of A or columns of B times `blocks` along k.
struct ScaleOperand {
  bool is_b = false;
  uint32_t rows = 0, blocks = 0;
  // Which bytes: the number in the instruction descriptor of tcgen05, or byte-id of mma.
  uint32_t number = 0;
  uint32_t thread = 0, threads = 0;  // thread-id of mma, which is below `threads`
  bool is_in_tensor_memory = false;  // of tcgen05
  int columns = 0;                   // how many columns further on the scales lie there
  // Scale i, counted row by row, is read where scale order[i] lies. Empty: where it lies itself.
  std::vector<uint32_t> order;
};

// One thread of the host runs a launch with a trial.
class OperandTrial {
 public:
  virtual ~OperandTrial() = default;
  // Changes what the instruction is told of its operand.
  virtual void change(DescribedOperand& operand) = 0;
  virtual void change(ScaleOperand& operand) = 0;
};

}  // namespace heddle::emulator
