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
// Memory: every buffer has its own address range, with gigabytes of unmapped addresses on both
// sides. So any access outside a buffer is a fault, which names the buffer and the distance. A
// buffer of more than 256 bytes contains a multiple of 4 GiB in its address range, and a smaller
// one ends at such a multiple. So address arithmetic that loses the carry into the high 32 bits is
// detected. Registers, LDS and scratch are all ones at the start (NaN as f16 and f32), because the
// hardware clears none of them.
//
// Floating point: f32, f64 and f16 follow IEEE 754, with the rounding and denormal modes of the
// kernel descriptor; f16 denormals are kept in any mode. v_exp, v_log, v_rcp, v_rsq, v_sqrt, v_sin,
// v_cos give the host's rounding of the exact value; the hardware promises 1 ulp. WMMA multiplies
// exactly and adds in f32, in the order of rising k, with one rounding for each k. The order in
// which the hardware adds is not published (docs/emulator.md).
//
// Alignment: AMD's HSA systems enable unaligned access (LLVM sets "unaligned-access-mode" for
// amdhsa), so loads and stores may have any address. Atomics must be naturally aligned. Scalar
// loads ignore the low two bits of their address (RDNA3 ISA, "Scalar Memory").
#pragma once

#include <expected>
#include <optional>

#include "emulator/decode/code_object.h"
#include "emulator/record/fault.h"
#include "emulator/record/launch.h"
#include "emulator/record/report.h"

namespace heddle::emulator {

// Faults are deterministic: if several workgroups fault, the lowest one is reported. Buffers may be
// partly written when the run ends in a fault.
std::expected<RunReport, Fault> run(const CodeObject& object, const Launch& launch);

// The fault with which run() would refuse the launch before any instruction: a wrong kernel name,
// wrong number or sizes of arguments, or a bad grid, workgroup, LDS or scratch.
std::optional<Fault> check_launch(const CodeObject& object, const Launch& launch);

}  // namespace heddle::emulator
