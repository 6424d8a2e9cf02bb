// The registers of pending wgmma and tcgen05.ld, and operands of products in shared memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "emulator/ptx/machine.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator::ptx {

// True if the instruction may use its registers while a wgmma is pending; otherwise raises a fault.
bool adds_to_sum(const Warp& w, const Record& in);
bool check_busy(Warp& w, const Record& in);

// The address of a byte of an operand by its descriptor (instruction::matrix_descriptor defines its
// offsets): `along` bytes on the axis that is contiguous in memory, and row or column `across`.
uint32_t operand_address(const instruction::MatrixDescriptor& descriptor, instruction::Major major,
                         uint32_t along, uint32_t across);

// Reads an operand by its descriptor. Bytes along the contiguous axis follow each other within
// units of 16, which every layout moves as a whole, so that addresses are computed for units alone.
class OperandReader {
 public:
  OperandReader(const instruction::MatrixDescriptor& descriptor, instruction::Major major,
                std::span<const std::byte> shared)
      : descriptor_(descriptor), major_(major), shared_(shared) {}

  // The bytes from `along` on, at most four of which are in one unit; false if they are outside of
  // shared memory. `value` has more than these bytes.
  bool read(uint32_t along, uint32_t across, uint32_t bytes, uint32_t& value) {
    if (along / 16 != unit_ || across != across_) load(along / 16, across);
    if (along % 16 + bytes > available_) return false;
    std::memcpy(&value, bytes_.data() + along % 16, sizeof value);
    return true;
  }

 private:
  void load(uint32_t unit, uint32_t across) {
    unit_ = unit;
    across_ = across;
    const std::size_t begin = operand_address(descriptor_, major_, unit * 16, across);
    available_ = begin < shared_begin || begin >= shared_.size()
                     ? 0
                     : std::min<std::size_t>(16, shared_.size() - begin);
    if (available_ == 16) [[likely]]
      std::memcpy(bytes_.data(), shared_.data() + begin, 16);
    else if (available_ > 0)
      std::copy_n(shared_.data() + begin, available_, bytes_.data());
  }

  const instruction::MatrixDescriptor& descriptor_;
  instruction::Major major_;
  std::span<const std::byte> shared_;
  uint32_t unit_ = ~0u, across_ = ~0u;
  std::size_t available_ = 0;
  std::array<std::byte, 20> bytes_{};  // of a unit, and what is read beyond it
};

// Lets the trial of this launch change an operand's descriptor for an instruction. `word` may be no
// descriptor at all; then it is not changed.
void try_operand(const Warp& w, bool is_b, instruction::DescriptorForm form, int bits,
                 uint64_t& word, instruction::Major& major);

}  // namespace heddle::emulator::ptx
