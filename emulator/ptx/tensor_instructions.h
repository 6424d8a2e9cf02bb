// What the tcgen05 instructions have in common.
#pragma once

#include <span>

#include "emulator/ptx/decoder.h"
#include "emulator/ptx/tensor_order.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator::ptx {

// An address [register + offset], for instructions with more than one address.
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

// An address of tensor memory: the upper 16 bits are the lane, the lower 16 bits the column.
constexpr uint32_t tensor_lane(uint32_t address) { return address >> 16; }
constexpr uint32_t tensor_column(uint32_t address) { return address & 0xffff; }

// True if the `count` columns from `column` on are allocated in the block; otherwise raises a
// fault.
bool tensor_access(Warp& w, const Record& in, unsigned lane, const Block& block, uint32_t column,
                   uint32_t count);

// The other block of the pair of blocks that execute the instruction; null after a fault.
Block* tensor_peer(Warp& w, const Record& in, unsigned lane);

// Begins an asynchronous operation: the words of tensor memory that it writes are marked as pending
// until a tcgen05.commit completes. `reads`: the tensor memory that it reads. `group`: its
// .cta_group.
void begin_tensor_operation(Warp& w, const Record& in, PendingTensorOperation operation,
                            std::span<const TensorAccess> reads, uint32_t group);

// A checksum of the shared memory that a pending operation reads; 0 after a fault. It shows whether
// that memory has changed since the operation was issued.
uint64_t read_again(Warp& w, const PendingTensorOperation& operation);

// read_again() for a tcgen05.cp. Its records have this `detail`.
constexpr uint8_t tensor_copy_detail = 1;
uint64_t read_copy_again(Warp& w, const PendingTensorOperation& operation);

// Decodes an instruction that is not simulated. Executing it is a fault with the reason `why`.
bool refuse(Decoder& d, const char* why);

bool decode_tensor_multiply(Decoder& d);
bool decode_tensor_copy(Decoder& d);

}  // namespace heddle::emulator::ptx
