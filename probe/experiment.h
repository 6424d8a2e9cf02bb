// The inputs of an instruction that make its results show where every element lies.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "probe/device.h"
#include "probe/relation.h"

namespace heddle::probe {

/// The answer of a device about one instruction.
struct Finding {
  Labels first_half;   // of a dense instruction: of all k
  Labels second_half;  // of a sparse one, with its index set to the other half; else empty
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// True if the probe can run the row: a multiply with D in registers, without scales.
bool can_probe_multiply(const instruction::Instruction& row);

/// One way to run a row.
struct Trial {
  instruction::Instruction row;  // for one n
  Variant variant;
  std::string note;         // what is not in the name: "n 24, B swizzle 128"; empty if nothing
  bool with_index = false;  // of a sparse one: also each part of the index by itself
};

/// The trials that are worth running. An instruction of a warp has one. wgmma has A in registers
/// and in shared memory, every swizzle and majorness, and several n (two rows have all n).
std::vector<Trial> trials_of(const instruction::Instruction& row);

/// Multiplies a one at each place of A by all ones, and by each bit of the numbers of B's places,
/// and gathers the results in D. Precondition: can_probe_multiply(trial.row).
std::expected<Finding, std::string> probe_multiply(Device& device, const Trial& trial);

/// The answer that the catalogue predicts.
Finding catalogue_finding(const Trial& trial);

/// 16 hexadecimal digits for all labels of a finding together: equal findings have equal ones, and
/// others practically never (FNV-1a of the labels as 32-bit words).
std::string digest(const Finding& finding);

/// True if the probe can run the row: a load, store or transposition of 8x8 matrices of 16 bits.
bool can_probe_move(const instruction::Instruction& row);

/// For each 16 bits of the registers (register, lane, half): the lane whose row in memory they came
/// from or went to, times the elements of a row, plus the element in the row. For a transposition:
/// the place in A's register from which they came.
std::expected<std::vector<int>, std::string> probe_move(Device& device,
                                                        const instruction::Instruction& row);
std::vector<int> catalogue_move(const instruction::Instruction& row);

}  // namespace heddle::probe
