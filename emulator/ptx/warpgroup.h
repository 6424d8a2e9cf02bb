// Pending registers of wgmma and tcgen05.ld, and reads of matrix operands in shared memory.
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

// adds_to_sum(): true if the wgmma adds to D (scale-d). check_busy(): true if the instruction may
// use its registers although some are pending; false after a fault.
bool adds_to_sum(const Warp& w, const Record& in);
bool check_busy(Warp& w, const Record& in);

// The address in shared memory of a byte of an operand, according to its descriptor
// (instruction::matrix_descriptor defines the offsets). The byte has offset `along` on the axis
// that is contiguous in memory, and is in row or column `across`.
uint32_t operand_address(const instruction::MatrixDescriptor& descriptor, instruction::Major major,
                         uint32_t along, uint32_t across);

// Reads an operand according to its descriptor. It calculates an address only for each unit of 16
// bytes along the contiguous axis, because every layout keeps the bytes of a unit together.
class OperandReader {
 public:
  OperandReader(const instruction::MatrixDescriptor& descriptor, instruction::Major major,
                std::span<const std::byte> shared)
      : descriptor_(descriptor), major_(major), shared_(shared) {}

  // Reads at most four bytes, from `along` on, that are in one unit; false if they are outside of
  // shared memory. The upper bytes of `value` that were not asked for are arbitrary.
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

// If the launch has a trial, lets the trial change the descriptor of an operand. A `word` that is
// not a valid descriptor is left as it is.
void try_operand(const Warp& w, bool is_b, instruction::DescriptorForm form, int bits,
                 uint64_t& word, instruction::Major& major);

}  // namespace heddle::emulator::ptx
