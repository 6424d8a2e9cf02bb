// The common parts of the instructions of tcgen05.
#pragma once

#include <span>

#include "emulator/ptx/decoder.h"
#include "emulator/ptx/tensor_order.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator::ptx {

// A register and the offset behind it, of an instruction with several addresses.
struct AddressWord {
  uint32_t operand = 0;  // its position among the operands of the record
  int64_t offset = 0;
};

inline AddressWord address_word(Decoder& d, const Operand& operand, std::vector<uint32_t>& words) {
  AddressWord at;
  at.operand = static_cast<uint32_t>(words.size());
  words.push_back(d.address(operand));
  at.offset = d.record().immediate;
  d.record().immediate = 0;
  return at;
}

inline uint32_t address_of(const Warp& w, const Record& in, const AddressWord& at, unsigned lane) {
  return static_cast<uint32_t>(w.at(in.operand[at.operand])[lane] +
                               static_cast<uint64_t>(at.offset));
}

// An address of tensor memory has the lane in its upper half and the column in its lower.
constexpr uint32_t tensor_lane(uint32_t address) { return address >> 16; }
constexpr uint32_t tensor_column(uint32_t address) { return address & 0xffff; }

// True if these columns are allocated in the block; otherwise raises a fault.
bool tensor_access(Warp& w, const Record& in, unsigned lane, const Block& block, uint32_t column,
                   uint32_t count);

// The other block of a pair, or null after a fault.
Block* tensor_peer(Warp& w, const Record& in, unsigned lane);

// Marks the words that an operation writes, and keeps the marks until a tcgen05.commit completes.
// `reads`: the tensor memory that it reads. `group`: its .cta_group.
void begin_tensor_operation(Warp& w, const Record& in, PendingTensorOperation operation,
                            std::span<const TensorAccess> reads, uint32_t group);

// A checksum of the shared memory that a pending operation reads, or 0 after a fault.
uint64_t read_again(Warp& w, const PendingTensorOperation& operation);

// The same of a tcgen05.cp, whose records have this `detail`.
constexpr uint8_t tensor_copy_detail = 1;
uint64_t read_copy_again(Warp& w, const PendingTensorOperation& operation);

// Decodes an instruction that is not simulated: executed, it is a fault that says why.
bool refuse(Decoder& d, const char* why);

bool decode_tensor_multiply(Decoder& d);
bool decode_tensor_copy(Decoder& d);

}  // namespace heddle::emulator::ptx
