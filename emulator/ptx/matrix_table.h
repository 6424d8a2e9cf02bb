// What a matrix instruction of PTX does, from its row of the catalogue: where its elements lie in
// the registers of the lanes.
#pragma once

#include <memory>
#include <string>

#include "emulator/ptx/machine.h"
#include "heddle/instruction/places.h"

namespace heddle::emulator::ptx {

// One element in the registers of a warp or warpgroup: PTX registers, which are of 64 bits for
// elements of 64.
struct ElementPlace {
  uint16_t reg = 0;
  uint8_t lane = 0, bit = 0;
};

struct MatrixTable {
  instruction::Instruction row;
  // Row-major over blocks, rows and columns: A m x k, B k x n, C and D m x n.
  std::vector<ElementPlace> a, b, c, d, address;
  int a_registers = 0, b_registers = 0, c_registers = 0, d_registers = 0;
  bool saturates = false;  // .satfinite
};

// Of the name with its qualifiers; null when the catalogue has no such dense instruction for
// NVIDIA. Found once for each name.
std::shared_ptr<const MatrixTable> matrix_table(const std::string& name);

// How wide the numbers are in which a product is summed: float64, or integers of 64 bits.
// D = A * B + C with k in rising order and C last; floats are rounded once, to the type of D.
// What a tensor core rounds in between is not documented (docs/emulator.md).

// Numbers of one type as the product takes them.
double float_element(instruction::ElementType type, uint64_t bits);
int64_t integer_element(instruction::ElementType type, uint64_t bits);

// A float of D by its bits.
uint64_t rounded_element(instruction::ElementType type, double value);

}  // namespace heddle::emulator::ptx
