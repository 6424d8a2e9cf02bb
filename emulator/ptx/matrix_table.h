// Where the elements of a PTX matrix instruction are in the registers of the lanes, according to
// its row of the catalogue.
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

// Where an element is: register, lane and lowest bit, in a warp or warpgroup. 64-bit elements are
// in 64-bit PTX registers.
struct ElementPlace {
  uint16_t reg = 0;
  uint8_t lane = 0, bit = 0;
};

struct MatrixTable {
  instruction::Instruction row;
  // The places of the elements in row-major order. A is m x k, B is k x n, C and D are m x n. A
  // sparse A has only the elements that it stores: m x k / 2. An instruction that multiplies
  // several matrices (m8n8k4 has four products) has all elements of the first product, then those
  // of the second, and so on.
  std::vector<ElementPlace> a, b, c, d, address;
  // The index of a sparse A: for each value of the sparsity selector, the places of its entries,
  // one for each row and each group of k.
  std::vector<std::vector<ElementPlace>> index;
  std::size_t group = 1;  // k of a group of a sparse A, of which half are kept
  int a_registers = 0, b_registers = 0, c_registers = 0, d_registers = 0;
  bool saturates = false;  // .satfinite
};

// The table of the instruction with this full name, or null if the catalogue has no such
// instruction of NVIDIA. Each table is made only once.
std::shared_ptr<const MatrixTable> matrix_table(const std::string& name);

// The size, types and rule of the sums of a warp's product (with wgmma: of each warp of the
// warpgroup). For a sparse A, k counts only the elements that it stores.
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

// The k of each element that a sparse A stores: `rows` x k / 2 numbers, with the groups of a row in
// order of rising k. The index says which elements of a group are stored (PTX ISA 9.0, "Sparse
// matrix storage"):
// - usually a group of four k stores two elements, and two 2-bit numbers of the index give their
// positions;
// - with elements of 4 bits, a group has eight k, and the two numbers give the positions of pairs
// of elements;
// - with tf32, a group of two k stores one element, and its index is 0b0100 or 0b1110.
std::vector<uint32_t> kept_k(const Warp& w, const MatrixTable& table, std::size_t selector,
                             const uint32_t* index, std::size_t rows);

// Reads the operand that selects which lanes' index is used (the sparsity selector).
std::size_t index_selector(Decoder& d, std::size_t operand, const MatrixTable& table);

int64_t integer_element(instruction::ElementType type, uint64_t bits);

// Extracts the element in the lowest bits of `bits`, in the form that sum_products() takes.
template <class Word>
Word element_of(instruction::ElementType type, uint64_t bits) {
  if constexpr (std::is_same_v<Word, int64_t>)
    return integer_element(type, bits);
  else
    return static_cast<Word>(bits & ~uint64_t{0} >> (64 - instruction::bits(type)));
}

}  // namespace heddle::emulator::ptx
