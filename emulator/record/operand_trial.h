// A trial, which helps to find the cause of a wrong result: a launch in which matrix instructions
// use other descriptors or selectors for their operands than the kernel gives. Only the simulator
// of PTX supports trials. It calls OperandTrial::change() before each matrix instruction.
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

// The scales of one operand: `rows` rows of A or columns of B, times `blocks` along k.
struct ScaleOperand {
  bool is_b = false;
  uint32_t rows = 0, blocks = 0;
  // Selects the bytes that hold the scales: the number in the instruction descriptor of tcgen05, or
  // byte-id of mma.
  uint32_t number = 0;
  uint32_t thread = 0, threads = 0;  // thread-id of mma, which is below `threads`
  bool is_in_tensor_memory = false;  // of tcgen05
  int columns = 0;                   // how many columns further on the scales lie there
  // A permutation: where scale i is used (row by row), scale order[i] is read. If empty, scale i.
  std::vector<uint32_t> order;
};

// The interface of a trial. A launch with a trial runs on one thread of the host.
class OperandTrial {
 public:
  virtual ~OperandTrial() = default;
  // Called before a matrix instruction; may change how the instruction finds the operand.
  virtual void change(DescribedOperand& operand) = 0;
  virtual void change(ScaleOperand& operand) = 0;
};

}  // namespace heddle::emulator
