// Experiments on matrix instructions: inputs from whose results one can tell where each element
// lies.
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

/// True if the probe can run this instruction: it multiplies, has D in registers and takes no
/// scales.
bool can_probe_multiply(const instruction::Instruction& row);

/// One way to run a row.
struct Trial {
  instruction::Instruction row;  // for one n
  Variant variant;
  std::string note;         // what is not in the name: "n 24, B swizzle 128"; empty if nothing
  bool with_index = false;  // of a sparse one: also each part of the index by itself
};

/// The trials that are worth running. An instruction of a warp has one trial. For wgmma they cover
/// A in registers and in shared memory, every swizzle, K-major and MN-major operands, and several n
/// (two instructions have trials for all n).
std::vector<Trial> trials_of(const instruction::Instruction& row);

/// Runs a trial. For each place of A, the instruction multiplies an A with a 1 at that place and
/// zeros elsewhere by a B of all ones, and by one B for each bit of the numbers of B's places. The
/// elements of D then show which places of A and B are multiplied with each other. Precondition:
/// can_probe_multiply(trial.row).
std::expected<Finding, std::string> probe_multiply(Device& device, const Trial& trial);

/// The answer that the catalogue predicts.
Finding catalogue_finding(const Trial& trial);

/// A hash of all labels of a finding (the numbers of row, column and k of each place), as 16
/// hexadecimal digits: FNV-1a of the labels as 32-bit words. Equal findings have equal digits, and
/// different findings practically never.
std::string digest(const Finding& finding);

/// True if the probe can run this instruction: it loads, stores or transposes 8x8 matrices of
/// 16-bit elements.
bool can_probe_move(const instruction::Instruction& row);

/// A number for each 16 bits of the registers (register, lane, half). It is the lane that gave the
/// address of the row in memory from which (or to which) these bits moved, times the number of
/// elements of a row, plus the number of the element in the row. For a transposition it is the
/// place in A's registers from which the bits came.
std::expected<std::vector<int>, std::string> probe_move(Device& device,
                                                        const instruction::Instruction& row);
std::vector<int> catalogue_move(const instruction::Instruction& row);

}  // namespace heddle::probe
