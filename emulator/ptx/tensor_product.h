// Decodes a tcgen05.mma: its mnemonic, its instruction descriptor, and the row of the catalogue
// that says where its elements are in tensor memory.
//
// Sources: PTX ISA 9.0, "Instruction descriptor" and "tcgen05.mma"; CUTLASS's InstrDescriptor and
// InstrDescriptorBlockScaled, which agree with it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/ptx/tensor_instructions.h"
#include "heddle/instruction/instruction.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator::ptx {

// The facts in the mnemonic.
struct MultiplyForm {
  std::string name;       // up to the kind: tcgen05.mma.ws.sp.cta_group::1.kind::f16
  std::string_view kind;  // f16
  uint32_t blocks = 1;    // of a pair 2
  uint32_t k = 0;         // of dense A
  uint32_t scales = 0;    // that a row of A has
  bool weight_stationary = false, sparse = false, a_in_memory = false;
  AddressWord d, a, index, scale_a, scale_b;
  uint32_t a_word = 0, b_word = 0, shape_word = 0, enable_word = 0;
  uint32_t disabled_word = 0, disabled_words = 0;  // masks of lanes
  std::optional<uint32_t> mask_word;               // the zero-column mask of .ws
  uint32_t scale_input = 0;  // D is multiplied with 2 to the power of minus this
};

// The facts in the instruction descriptor.
struct Shape {
  uint32_t m = 0, n = 0;
  instruction::ElementType a_type{}, b_type{}, d_type{}, scale_type{};
  bool negates_a = false, negates_b = false, saturates = false;
  instruction::Major a_major = instruction::Major::k, b_major = instruction::Major::k;
  uint32_t scale_a = 0, scale_b = 0;  // which bytes of the scales' columns
};

// A place in tensor memory. In a pair of blocks, lanes from 128 on are those of the block with the
// odd rank.
struct TensorPlace {
  uint16_t column = 0;
  uint8_t lane = 0, bit = 0;
};

struct ProductTable {
  instruction::Instruction row;
  // By selector; row-major as in MatrixTable.
  std::array<std::vector<TensorPlace>, 4> d, a, scale_a, scale_b;
  std::vector<TensorPlace> index;
  std::vector<int> scale_copies;
  std::array<std::array<uint8_t, 2>, 4> groups{};  // of lanes that D fills, by block
  uint32_t selectors = 1;                          // of D
};

inline bool is_scaled(const MultiplyForm& form) { return form.scales > 0; }

// Decodes an instruction descriptor; nothing if the word is not valid for this kind of instruction.
std::optional<Shape> shape_of(const MultiplyForm& form, uint32_t word);

// The handler of tcgen05.mma.
void multiply_tensors(Warp& w, const Record& in, uint32_t lanes);

// The table for a shape, or null if the catalogue has no row for it. Each table is made only once.
std::shared_ptr<const ProductTable> table_of(const MultiplyForm& form, const Shape& shape);

}  // namespace heddle::emulator::ptx
