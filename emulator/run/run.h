// Runs a kernel of a code object on the CPU.
//
//   auto object = CodeObject::load(bytes);
//   Launch launch;
//   launch.kernel = "softmax";
//   launch.arguments = {Buffer{as_bytes_of(in), "in"}, Buffer{..., "out"}, value(rows), ...};
//   launch.grid = {rows / 2, 1, 1};
//   launch.workgroup = {64, 1, 1};
//   std::expected<RunReport, Fault> report = run(*object, launch);
//
// Memory: every buffer gets an address range of its own with unmapped gigabytes on both sides, so
// any access outside it is a fault that names the buffer and the distance. A buffer lies across a
// multiple of 4 GiB when it has more than 256 bytes (a smaller one ends there), so that address
// arithmetic which loses the carry into the high word is found.
// Registers, LDS and scratch hold all ones at the start (NaN as f16 and f32), as the hardware
// clears none of them.
//
// Floating point: f32, f64 and f16 as IEEE with the rounding and denormal modes that the kernel
// descriptor has for f32 and for f16 and f64 (but f16 denormals are kept in any mode). v_exp,
// v_log, v_rcp, v_rsq, v_sqrt, v_sin, v_cos give the host's rounding of the exact value where the
// hardware promises 1 ulp. WMMA multiplies exactly and adds in f32, k in rising order, one rounding
// per element of k; in which order hardware adds is not published (docs/emulator.md).
//
// Alignment: AMD's HSA systems run with unaligned access enabled (LLVM "unaligned-access-mode" is
// set for amdhsa), so loads and stores may have any address; atomics must be naturally aligned,
// scalar loads ignore the low two bits of their address (RDNA3 ISA, "Scalar Memory").
#pragma once

#include <expected>
#include <optional>

#include "emulator/decode/code_object.h"
#include "emulator/record/fault.h"
#include "emulator/record/launch.h"
#include "emulator/record/report.h"

namespace heddle::emulator {

// The order of faults is deterministic: of all workgroups that fault, the lowest is reported.
// Buffers may be partly written when the run ends in a fault.
std::expected<RunReport, Fault> run(const CodeObject& object, const Launch& launch);

// What run() would refuse before any instruction: the kernel's name, number and sizes of arguments,
// grid, workgroup, LDS, scratch.
std::optional<Fault> check_launch(const CodeObject& object, const Launch& launch);

}  // namespace heddle::emulator
