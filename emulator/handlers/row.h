// One row of the opcode table: a mnemonic, the order and the types of its operands, and the
// function that executes it.
#pragma once

#include <cstdint>

#include "emulator/machine/instruction.h"
#include "emulator/machine/observation.h"
#include "emulator/machine/target.h"
#include "emulator/machine/undefined_bits.h"

namespace heddle::emulator {

// The type of an operand. It determines how the decoder reads a constant or a modifier of this
// operand.
enum class Type : uint8_t {
  none,
  u16,
  i16,
  f16,
  bf16,
  u32,
  i32,
  f32,
  u64,
  i64,
  f64,
  packed,  // two 16-bit integers
  packed_f16,
  packed_bf16,
  packed_f32,  // two f32 in two registers; halves are its registers
  mask,        // a bit per lane, in a scalar register
  scalar32,
  scalar64,
  scalar_i64,
  scalar_f32,
  mixed,  // f32 or half of a register as f16 (v_fma_mix)
  wide,   // a block of VGPRs, which the handler knows the size of
};

constexpr bool is_half(Type t) {
  return t == Type::u16 || t == Type::i16 || t == Type::f16 || t == Type::bf16;
}
constexpr bool is_packed(Type t) {
  return t == Type::packed || t == Type::packed_f16 || t == Type::packed_bf16 ||
         t == Type::packed_f32;
}
constexpr bool is_double_word(Type t) {
  return t == Type::u64 || t == Type::i64 || t == Type::f64 || t == Type::scalar64 ||
         t == Type::scalar_i64;
}
// The number of vector registers that an operand of this type takes in a lane; 0 for `wide`, an
// operand whose size only the handler knows.
constexpr unsigned registers_of(Type t) {
  if (t == Type::none || t == Type::wide) return 0;
  return is_double_word(t) || t == Type::packed_f32 ? 2 : 1;
}
constexpr bool is_float(Type t) {
  return t == Type::f16 || t == Type::f32 || t == Type::f64 || t == Type::packed_f16 ||
         t == Type::packed_f32 || t == Type::mixed;
}

// Which operands an instruction has in its text, in which order.
enum class Form : uint8_t {
  vector,               // vdst[, sdst], src0, src1, src2
  vector_selecting,     // the same, and OPSEL says which parts of registers
  vector_accumulate,    // the destination is also the last source
  vector_compare,       // sdst, src0, src1
  vector_compare_exec,  // src0, src1; writes EXEC
  vector_to_scalar,     // sdst, src...
  scalar,               // sdst, ssrc0, ssrc1
  scalar_accumulate,    // s_addk_i32: the destination is the first source
  scalar_compare,       // ssrc0, ssrc1
  scalar_no_operands,
  scalar_immediate,  // one number
  branch,            // [sdst,] where to
  message,           // sdst, message: s_sendmsg_rtn
  scalar_load,       // sdst, sbase, offset
  scalar_buffer_load,
  scalar_store,        // sdata, sbase, offset
  scalar_atomic,       // the same; with glc, sdata becomes what was there
  hardware_register,   // s_getreg, s_setreg
  memory_load,         // vdst, vaddr[, saddr]
  memory_store,        // vaddr, vdata[, saddr]
  memory_to_lds,       // vaddr[, saddr]: M0 says where in LDS
  memory_async_load,   // vlds, vaddr[, saddr]: each lane says where in LDS
  memory_async_store,  // vaddr, vlds[, saddr]
  memory_atomic,       // [vdst,] vaddr, vdata[, saddr]
  lane_load,           // vdst[, saddr]: the lane's number is the address
  lane_store,          // vdata[, saddr]
  buffer_load,         // vdata, vaddr, srsrc, soffset
  buffer_store,
  buffer_to_lds,  // vaddr, srsrc, soffset
  buffer_atomic,
  lds_load,           // vdst, addr
  lds_store,          // addr, data0[, data1]
  lds_atomic,         // addr, data0[, data1]
  lds_atomic_return,  // vdst, addr, data0[, data1]
  lds_counter,        // vdst: M0 is the address, with the lane's number or without
  lds_lane_store,     // data: the same
  tensor_load,        // two or four groups of scalar registers: a descriptor
  tensor_store,
  matrix,   // vdst, A, B, C
  ignored,  // nothing to do: waits, hints, caches
};

// True for loads, stores and atomics of LDS, which are executed in order for each wave.
constexpr bool is_lds(Form form) {
  switch (form) {
    case Form::lds_load:
    case Form::lds_store:
    case Form::lds_atomic:
    case Form::lds_atomic_return:
    case Form::lds_counter:
    case Form::lds_lane_store:
      return true;
    default:
      return false;
  }
}

// The counters by which a wave waits for its outstanding operations. In parentheses, the Counters
// for which each counter stands:
// - gfx11: vmcnt (load, sample, bvh), vscnt (store), lgkmcnt (lds, scalar) and expcnt (exports).
// - CDNA: as gfx11 without vscnt; vmcnt also counts stores.
// - gfx12: a separate counter for each.
// - gfx1250 has two more, the last two here: for asynchronous copies between memory and LDS, and
// for tensor transfers.
//
// On CDNA and gfx11, code uses `load` for vmcnt and `lds` for lgkmcnt.
enum class Counter : uint8_t {
  load,
  store,
  lds,
  scalar,
  sample,
  bvh,
  exports,
  async,
  tensor,
  none
};
constexpr int counter_count = 9;

// What the checker (emulator/check) must know of an instruction, if the instruction's form does not
// say it.
enum class Role : uint8_t {
  ordinary,
  wait,          // for its counters: bits 5..0 of its number say for the first, 13..8 the second
  wait_by_name,  // for the counters in its text: s_waitcnt
  wait_for_all,
  barrier,  // signals and waits
  barrier_signal,
  barrier_wait,
  barrier_init,
  barrier_join,
  barrier_arrive,               // at a barrier in LDS, after the LDS operations of its wave
  barrier_arrive_after_copies,  // and after its copies
  cache_control,                // counts in its first counter until it has ended
  jump,                         // to an address in registers
  select,                       // the first or the second source, by SCC
  conditional_move,             // nothing where SCC is 0
  set_bit,                      // the other bits of the destination stay
  exchange,                     // moves data between lanes, to or from scalar registers, or swaps
  pause,                        // for as many states as its number says, and one: s_nop
  end,
};

// Properties of an instruction that CDNA's wait states depend on (emulator/check/hazards.h) and
// that do not follow from its form and types.
enum HazardTrait : uint16_t {
  trait_transcendental = 1,    // of the unit for 1 / x, roots, exponentials, sine and their kin
  trait_dot_product = 2,       // v_dot2_f32_f16 and its kin
  trait_f64_unit = 4,          // takes the unit that matrix instructions of f64 take
  trait_names_lane = 8,        // reads or writes one lane of a register, by its number or the first
  trait_swaps_rows = 16,       // of lanes
  trait_scales_by_vcc = 32,    // v_div_fmas
  trait_addresses_by_m0 = 64,  // without a wait for the scalar unit
  trait_writes_byte = 128,     // OPSEL says which byte of its destination is its result
  trait_moves_result = 256,    // wherever OPSEL puts it
};

// What a cache control does to the caches between a wave and L2: a set of these bits.
enum CacheEffect : uint8_t {
  empties_l0 = 1,
  empties_l1 = 2,
  empties_scalar = 4,
  empties_by_scope = 8,
  writes_back_by_scope = 16,  // what a near cache has of stores, so that other workgroups see it
  writes_back_scalar = 32,    // what the scalar cache has of stores
};

// For an instruction that combines a source with EXEC: where the source's bit decides about the new
// bit of EXEC. where_exec_is_0: in lanes whose old bit is 0; where_exec_is_1: in lanes whose old
// bit is 1.
enum DecidesExec : uint8_t { where_exec_is_0 = 1, where_exec_is_1 = 2 };

constexpr int name_capacity = 40;

struct Row {
  char name[name_capacity];
  Form form;
  Type destination;
  Type sources[4];
  bool carry_out;     // a scalar destination follows the vector one
  Handler plain;      // no modifiers
  Handler general;    // negate, absolute, clamp, output multiplier, DPP; null: takes none
  uint16_t extra;     // goes to Instruction::extra
  Families families;  // the instruction sets that have it; none: all
  // The wave size for which the row is; 0: for 32 and 64 lanes. An instruction that moves data
  // between lanes 0..31 and 32..63 has a separate row for waves of 64. In such waves, all other
  // instructions run as two halves (machine/halves.h).
  uint8_t wave;
  // For the checker: computes which bits of the result are undefined from those of the sources.
  // Null if every bit of the result depends on every bit of the sources.
  UndefinedBits undefined;
  Role role;
  uint16_t traits;        // HazardTrait
  uint8_t cache_effects;  // CacheEffect
  Counter counters[2] = {Counter::none, Counter::none};
  bool reads_destination;  // beyond what the form says: a part of it stays
  bool swaps;              // its first two operands
  uint8_t half;            // of the vector register of data that it is about: 1 low, 2 high, 0 both
  bool extends_sign;       // of a load
  bool flag_is_nonzero;    // SCC becomes whether the result is not 0
  MemorySpace space;       // of memory
  uint8_t indexed;         // operands to whose registers M0 is added: IndexedOperand
  uint8_t decides_exec;    // of what combines a source with EXEC: DecidesExec
  bool equal_copies;  // of a matrix instruction: the upper half-waves of A and B repeat the lower
  // For a compare-and-swap: the number of the source that has the expected value of memory; 0 for
  // other instructions. The source's registers have the new value first and then the expected one;
  // only in LDS instructions the expected value is alone.
  uint8_t expected;
  bool whole_wave;  // where any lane is on, all take part
  // For an atomic on vector registers: computes the new value of memory from its old value and the
  // two operands (`compare` is the expected value of a compare-and-swap). Null for other
  // instructions.
  uint64_t (*updated)(uint64_t old, uint64_t data, uint64_t compare);
};

constexpr Row only_for(Families families, int wave, Row row) {
  row.families = families;
  row.wave = static_cast<uint8_t>(wave);
  return row;
}

constexpr Row acting(Role role, Row row) {
  row.role = role;
  return row;
}

constexpr Row tracking(UndefinedBits undefined, Row row) {
  row.undefined = undefined;
  return row;
}

constexpr Row having(unsigned traits, Row row) {
  row.traits = static_cast<uint16_t>(row.traits | traits);
  return row;
}

constexpr Row indexing(uint8_t operands, Row row) {
  row.indexed = operands;
  return row;
}

constexpr Row swapping(Row row) {
  row.swaps = true;
  return row;
}

constexpr Row keeping_destination(Row row) {
  row.reads_destination = true;
  return row;
}

constexpr Row of_whole_wave(Row row) {
  row.whole_wave = true;
  return row;
}

struct Rows {
  const Row* first;
  unsigned count;
};

}  // namespace heddle::emulator
