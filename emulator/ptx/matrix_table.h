// The places of the elements of a PTX matrix instruction in the registers of the lanes, from its
// row of the catalogue.
#pragma once

#include <memory>
#include <string>

#include "emulator/ptx/machine.h"
#include "emulator/ptx/sum_products.h"
#include "heddle/instruction/places.h"

namespace heddle::emulator::ptx {

// The place of one element in the registers of a warp or warpgroup. Elements of 64 bits lie in PTX
// registers of 64 bits.
struct ElementPlace {
  uint16_t reg = 0;
  uint8_t lane = 0, bit = 0;
};

struct MatrixTable {
  instruction::Instruction row;
  // Row-major over blocks, rows and columns: A m x k, B k x n, C and D m x n.
  std::vector<ElementPlace> a, b, c, d, address;
  // The index of a sparse A, by selector; m x k, as A: all k of a group have one place.
  std::vector<std::vector<ElementPlace>> index;
  int a_registers = 0, b_registers = 0, c_registers = 0, d_registers = 0;
  bool saturates = false;  // .satfinite
};

// The table of an instruction by its name with qualifiers. It is made once for each name. Null if
// the catalogue has no such instruction for NVIDIA, or it is sparse and of a warpgroup.
std::shared_ptr<const MatrixTable> matrix_table(const std::string& name);

// How a product of floats is summed: one of a whole warp, or by wgmma of each warp. Its k counts
// the elements that a sparse A keeps.
ProductForm product_form(const instruction::Instruction& row, instruction::Target target);

int64_t integer_element(instruction::ElementType type, uint64_t bits);

}  // namespace heddle::emulator::ptx
