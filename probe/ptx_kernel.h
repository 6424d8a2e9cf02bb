// Makes the PTX of a kernel that runs one matrix instruction on given operands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heddle/instruction/shared_operand.h"

namespace heddle::probe {

/// Parameters of every kernel made here, in this order; sizes in bytes, all 64 bits wide.
///
/// - Thread block (x, y) of the grid reads one entry of each table. For A it begins x * a_by_x + y
/// * a_by_y bytes after the start of the table; for B and the index likewise.
/// - It writes entry y * gridDim.x + x of `out`.
/// - An entry holds registers as [register][lane] words, and shared memory as bytes.
struct KernelParameters {
  std::uint64_t a, b, index, out;  // addresses of the tables in global memory
  std::uint64_t a_by_x, a_by_y;    // stride of A's entries in x and in y
  std::uint64_t b_by_x, b_by_y;
  std::uint64_t index_by_x, index_by_y;
  std::uint64_t out_entry;                   // bytes of one entry of `out`
  std::uint64_t a_shared_bytes;              // of an A in shared memory, behind B; else 0
  std::uint64_t b_shared_bytes;              // of a B in shared memory; else 0
  std::uint64_t a_descriptor, b_descriptor;  // of operands in shared memory, without the address
};

/// The places from which a multiply reads its factors.
struct Variant {
  bool a_in_shared = false;  // of wgmma: A by a descriptor
  // The swizzle of operands in shared memory.
  instruction::Swizzle swizzle = instruction::Swizzle::none;
  instruction::Major a_major = instruction::Major::k, b_major = instruction::Major::k;
  int selector = 0;  // of a sparse one
};

/// The target that the driver of an H200 compiles for.
inline constexpr std::string_view hopper = "sm_90a";

/// The text of the kernel `probe` for D = A * B, with C zero. `processor` is a target in PTX's
/// spelling.
std::string multiply_kernel(const instruction::Instruction& row, const Variant& variant,
                            std::string_view processor = hopper);

/// The text of the kernel `probe` for a load, a store or a transposition. A load fills shared
/// memory with `b_shared_bytes` of B's table, takes each lane's address from A's table (one word a
/// lane) and writes D's registers. A store takes the addresses from A's table and the registers
/// from B's, and writes the `b_shared_bytes` of shared memory that it has stored. A transposition
/// takes A's registers.
std::string move_kernel(const instruction::Instruction& row, std::string_view processor = hopper);

}  // namespace heddle::probe
