// One decoded machine instruction, ready to be executed. It has 64 bytes, one cache line of the
// host.
#pragma once

#include <cstdint>

namespace heddle::emulator {

struct Instruction;
struct Wavefront;

// Executes one instruction and returns the next one. Returns null if the wave stops here: it has
// ended, waits at a barrier, has a fault, or lets others run. Wavefront::event then says which.
using Handler = const Instruction* (*)(Wavefront&, const Instruction*);

enum class SourceKind : uint8_t { vgpr, scalar, constant };

// Modifiers of a source. For a packed instruction, negation and the selection of a half exist
// twice: for its low and for its high result.
enum SourceFlag : uint8_t {
  source_negate = 1,
  source_absolute = 2,
  source_high = 4,             // the upper 16 bits of the register (op_sel, or v0.h)
  source_negate_high = 8,      // packed: negate for the high result (neg_hi)
  source_high_for_high = 16,   // packed: the upper half for the high result (op_sel_hi)
  constant_in_high_word = 32,  // 64-bit: the constant is the upper word (f64)
  constant_sign_extended = 64,
  // constant_in_high_word and constant_sign_extended together: the constant is an index into
  // Wavefront::literals (gfx1250).
  constant_literal = constant_in_high_word | constant_sign_extended,
  constant_inverse_two_pi = 128,  // 64-bit: 1 / (2 pi) as an f64
};

struct Source {
  SourceKind kind = SourceKind::constant;
  uint8_t flags = 0;
  uint16_t index = 0;  // of the first register
  uint32_t constant = 0;
};

// The lanes that an instruction with DPP reads: lane l reads lane[l] of the source.
struct LaneSelection {
  uint8_t lane[32];        // 32 and up: of the other half of a wave of 64
  bool crosses = false;    // some are
  uint32_t in_range;       // lanes whose source lane exists
  uint32_t enabled;        // by row_mask and bank_mask
  bool zero_when_invalid;  // bound_ctrl: else the lane is not written
  bool fetch_inactive;     // fi
};

enum InstructionFlag : uint16_t {
  flag_clamp = 1,
  flag_multiply_2 = 2,  // output modifiers
  flag_multiply_4 = 4,
  flag_divide_2 = 8,
  flag_destination_high = 16,  // writes bits 31..16 only
  flag_return = 32,            // an atomic that returns the old value
  flag_idxen = 64,
  flag_offen = 128,
  flag_dpp = 256,
  flag_clears_upper_half = 512,  // CDNA: a 16-bit result leaves 0 in bits 31..16
  flag_cdna_resource = 1024,     // a buffer resource as CDNA reads it
  flag_to_lds = 2048,            // a load writes LDS instead of registers
  flag_scale_offset = 4096,      // gfx1250: an offset in a register counts accesses, not bytes
  // Set for memory instructions of gfx1250. There, the offset to a scalar base is signed, buffer
  // resources are wider, and a flat address of scratch contains the lane's number.
  flag_gfx1250_memory = 8192,
};
constexpr uint16_t flags_output_multiplier = flag_multiply_2 | flag_multiply_4 | flag_divide_2;

// Which bits of its register an operand of SDWA uses: `count` bits from bit `first` on.
struct Subword {
  uint8_t first = 0, count = 32;
  bool sign_extend = false;
};
struct SubwordInstruction;
struct IndexedInstruction;

struct Instruction {
  Handler handler = nullptr;
  Source source[4];
  uint16_t destination = 0;   // VGPR, or scalar register
  uint16_t destination2 = 0;  // scalar register of a carry; of a scaled MFMA the VGPR of B's scales
  int32_t offset = 0;         // of memory, bytes; or an immediate
  uint16_t flags = 0;
  uint16_t extra = 0;  // by handler: second offset, width, ...
  uint32_t index = 0;  // in Program
  union {
    const Instruction* target = nullptr;  // branch: where to; pair: its two instructions
    const LaneSelection* lanes;           // DPP
    const SubwordInstruction* subwords;   // SDWA
    const IndexedInstruction* indexed;    // registers by M0
  };
};
static_assert(sizeof(Instruction) == 72 || sizeof(Instruction) == 64);

// SDWA of CDNA: an operation on bytes or halves of registers.
struct SubwordInstruction {
  enum class Unused : uint8_t { zero, sign, preserve };
  Instruction operation;  // on whole registers
  Subword source[2], destination;
  Unused unused = Unused::preserve;  // what the other bits of the destination become
  uint8_t results = 1;               // vector registers that it writes; 0: a mask
};

// An instruction of CDNA between s_set_gpr_idx_on and s_set_gpr_idx_off: M0 is added to the numbers
// of some of its VGPRs.
enum IndexedOperand : uint8_t {
  indexes_source = 1,  // 1, 2, 4: by number
  indexes_destination = 8,
  indexes_apart = 16,  // bits 9..0 of M0 for the source, 25..16 for the destination
};
struct IndexedInstruction {
  Instruction operation;
  uint8_t operands = 0;
};

// The numbers of vector registers, as in Wavefront::vgpr. First come the VGPRs: 256 of RDNA and
// CDNA, or 1024 of gfx1250. CDNA's accumulation registers use numbers of gfx1250's upper VGPRs;
// after v255 there is a gap, for operands that extend beyond it. At the end are a few spare
// registers for temporary results.
constexpr uint16_t first_accumulator = 272, first_spare_register = 1024;
constexpr unsigned vector_registers = first_spare_register + 16;

// The numbers of scalar registers, as in Wavefront::scalar. 0 to 127 are the hardware's encoding
// (RDNA3 ISA, "Scalar operands"); larger numbers exist only in the emulator.
enum ScalarRegister : uint16_t {
  register_flat_scratch = 102,  // CDNA alone
  register_xnack_mask = 104,
  register_vcc = 106,
  register_ttmp0 = 108,
  register_null = 124,  // reads as 0; a write goes to register_discard
  register_m0 = 125,
  register_exec = 126,
  register_scc = 128,
  register_discard = 130,  // two words
  register_shared_base = 132,
  register_shared_limit = 134,
  register_private_base = 136,
  register_private_limit = 138,
  register_whole_exec = 140,  // wave64, upper half: EXEC and VCC as code reads them
  register_whole_vcc = 142,
  register_flat_scratch_base = 144,  // gfx1250
  scalar_registers = 160,            // room for a 16-word load at the highest legal register
};

// The hardware registers that s_getreg implements, by their number in Instruction::offset.
constexpr int32_t hardware_register_mode = 1;
constexpr int32_t hardware_register_bases = 15;    // SH_MEM_BASES of gfx9 and gfx10
constexpr int32_t hardware_register_cluster = 28;  // IB_STS2 of gfx1250
constexpr int32_t hardware_register_time = 29;     // SHADER_CYCLES

}  // namespace heddle::emulator
