// The places of the elements of a PTX matrix instruction in the registers of the lanes, from its
// row of the catalogue.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "emulator/ptx/decoder.h"
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
  // Row-major over blocks, rows and columns: A m x k, B k x n, C and D m x n. A sparse A has the
  // elements that it keeps: m x k / 2.
  std::vector<ElementPlace> a, b, c, d, address;
  // The index of a sparse A, by selector; m x groups of k.
  std::vector<std::vector<ElementPlace>> index;
  std::size_t group = 1;  // k of a group of a sparse A, of which half are kept
  int a_registers = 0, b_registers = 0, c_registers = 0, d_registers = 0;
  bool saturates = false;  // .satfinite
};

// The table of an instruction by its name with qualifiers. It is made once for each name. Null if
// the catalogue has no such instruction for NVIDIA.
std::shared_ptr<const MatrixTable> matrix_table(const std::string& name);

// How a product is summed. It is the product of a whole warp, or with wgmma that of each warp. Its
// k counts the elements that a sparse A keeps.
ProductForm product_form(const MatrixTable& table, instruction::Target target);

inline uint64_t bits_at(const Warp& w, const uint32_t* registers, const ElementPlace& at) {
  return w.at(registers[at.reg])[at.lane] >> at.bit;
}
inline void set_bits(Warp& w, const uint32_t* registers, const ElementPlace& at, int width,
                     uint64_t bits) {
  uint64_t& word = w.at(registers[at.reg])[at.lane];
  const uint64_t mask = (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1) << at.bit;
  word = (word & ~mask) | (bits << at.bit & mask);
}

// The k of the elements that a sparse A keeps: `rows` x k / 2, in rising order of groups. A group
// of four k keeps two, which two numbers of two bits in its index name; of eight k of 4 bits these
// name pairs. A group of two k of tf32 keeps one, and its index is 0b0100 or 0b1110 (PTX ISA 9.0,
// "Sparse matrix storage").
std::vector<uint32_t> kept_k(const Warp& w, const MatrixTable& table, std::size_t selector,
                             const uint32_t* index, std::size_t rows);

// The operand that selects a part of the index.
std::size_t index_selector(Decoder& d, std::size_t operand, const MatrixTable& table);

int64_t integer_element(instruction::ElementType type, uint64_t bits);

// An element as sum_products takes it, from a word that it begins.
template <class Word>
Word element_of(instruction::ElementType type, uint64_t bits) {
  if constexpr (std::is_same_v<Word, int64_t>)
    return integer_element(type, bits);
  else
    return static_cast<Word>(bits & ~uint64_t{0} >> (64 - instruction::bits(type)));
}

}  // namespace heddle::emulator::ptx
