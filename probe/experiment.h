// What is fed to an instruction so that its answers say where everything lies.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "probe/device.h"
#include "probe/relation.h"

namespace heddle::probe {

/// What a device said of one instruction.
struct Finding {
  Labels first_half;   // of a dense instruction: of all k
  Labels second_half;  // of a sparse one, with its index set to the other half; else empty
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// Whether the probe can run the row: a multiply with A, B and D in registers of a warp.
bool can_probe_multiply(const instruction::Instruction& row);

/// Runs a one at each place of A against all ones and each bit of the numbers of B's places, and
/// gathers what D shows. Of a sparse instruction also each part of the index by itself.
/// Precondition: can_probe_multiply(row).
std::expected<Finding, std::string> probe_multiply(Device& device,
                                                   const instruction::Instruction& row);

/// What the catalogue says a probe will find.
Finding catalogue_finding(const instruction::Instruction& row);

/// For each 16 bits of the registers (register, lane, half): which lane's row in memory they came
/// from or went to, times the elements of a row, plus the element in it. Of a transposition: the
/// place of A's register that came there.
std::expected<std::vector<int>, std::string> probe_move(Device& device,
                                                        const instruction::Instruction& row);
std::vector<int> catalogue_move(const instruction::Instruction& row);

}  // namespace heddle::probe
