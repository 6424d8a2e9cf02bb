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
// Floating point: f32, f64 and f16 as IEEE with the rounding and denormal mode that the kernel
// descriptor has for f32; its mode of f16 and f64 (MODE bits 3..2 and 7..6) is ignored. v_exp,
// v_log, v_rcp, v_rsq, v_sqrt, v_sin, v_cos give the host's rounding of the exact value where the
// hardware promises 1 ulp. WMMA multiplies exactly and adds in f32, k in rising order, one rounding
// per element of k; the hardware's own order is not documented.
//
// Alignment: AMD's HSA systems run with unaligned access enabled (LLVM "unaligned-access-mode" is
// set for amdhsa), so loads and stores may have any address; atomics must be naturally aligned,
// scalar loads ignore the low two bits of their address (RDNA3 ISA, "Scalar Memory").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "emulator/code_object.h"
#include "emulator/fault.h"
#include "emulator/report.h"

namespace heddle::emulator {

// Memory of the caller that the kernel reads and writes in place.
struct Buffer {
  std::span<std::byte> bytes;
  std::string name;  // for messages
};

// The bytes of an argument passed by value.
using Value = std::vector<std::byte>;

template <class T>
Value value(const T& x) {
  const auto* first = reinterpret_cast<const std::byte*>(&x);
  return Value(first, first + sizeof(T));
}

template <class T>
Buffer buffer(std::span<T> elements, std::string name) {
  return {std::as_writable_bytes(elements), std::move(name)};
}

// A pointer to a byte of a buffer that is another argument, or in Launch::buffers.
struct BufferAddress {
  std::string buffer;   // name of a buffer in `arguments` or `buffers`
  uint64_t offset = 0;  // bytes
};

using Argument = std::variant<Buffer, Value, BufferAddress>;

enum class Profile { none, first_workgroup, all };

struct Launch {
  std::string kernel;               // may be empty when the code object has one kernel
  std::vector<Argument> arguments;  // in the order of the kernel's own, without the hidden ones
  std::vector<Buffer> buffers;      // further ones, reached through BufferAddress only
  std::array<uint32_t, 3> grid = {1, 1, 1};        // workgroups
  std::array<uint32_t, 3> workgroup = {32, 1, 1};  // threads
  uint32_t dynamic_lds_bytes = 0;
  unsigned threads = 0;  // of the host; 0: all cores
  // Wavefront instructions one workgroup may execute.
  uint64_t instruction_limit = 10'000'000'000;
  Profile profile = Profile::first_workgroup;  // which workgroups go through the bank model
  // Called now and then from one host thread with workgroups done and to do; may be empty.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

// The order of faults is deterministic: of all workgroups that fault, the lowest is reported.
// Buffers may be partly written when the run ends in a fault.
std::expected<RunReport, Fault> run(const CodeObject& object, const Launch& launch);

// "x86-64-v4", "x86-64-v3" or "portable": what run() uses on this host, the best it has or what the
// environment variable HEDDLE_EMULATOR_SIMD names. CodeObject::load refuses other values of it.
std::string_view simd_level();

}  // namespace heddle::emulator
