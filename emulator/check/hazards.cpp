#include "emulator/check/hazards.h"

#include <algorithm>
#include <bit>

#include "emulator/decode/assembly_text.h"
#include "emulator/machine/halves.h"
#include "heddle/instruction/catalogue.h"

namespace heddle::emulator::check {
namespace {

namespace catalogue = instruction;

constexpr uint32_t any_vector = class_vector | class_matrix;
constexpr uint32_t no_matrix = class_vector | class_memory;

// The columns of a row:
// - models
// - the first instruction: its class, and how it uses the operand
// - the second instruction: its class, and how it uses the operand
// - the number of wait states, and whether the first instruction's passes are added to it
// - further conditions
// - the words of the ISA document; LLVM's function
//
// clang-format off
constexpr HazardRow hazard_table[] = {
    // scalar registers, EXEC and M0
    {all_models, any_vector, writes_scalar, class_vector_memory, reads_scalar, 5, false, 0,
     "VALU writes SGPR, VMEM reads that SGPR", "checkVMEMHazards"},
    {all_models, any_vector, writes_scalar, class_vector, selects_lane, 4, false, 0,
     "VALU writes SGPR or VCC, V_READLANE or V_WRITELANE uses it as lane select", "checkRWLaneHazards"},
    {all_models, any_vector, writes_scalar, class_vector, scales_by_vcc, 4, false, 0,
     "VALU writes VCC, V_DIV_FMAS", "checkDivFMasHazards"},
    {all_models, any_vector, writes_vector | writes_matrix, class_vector, reads_dpp, 2, false, 0,
     "VALU writes VGPR, VALU DPP reads that VGPR", "checkDPPHazards"},
    {all_models, any_vector, writes_scalar, class_vector, needs_exec, 5, false, 0,
     "VALU writes EXEC, VALU DPP op", "checkDPPHazards"},
    {all_models, class_scalar, sets_mode, class_scalar, gets_mode, 2, false, 0,
     "S_SETREG, S_GETREG or S_SETREG of the same register", "checkGetRegHazards, checkSetRegHazards"},
    {all_models, class_scalar, writes_scalar, 0, addresses_by_m0, 1, false, 0,
     "SALU writes M0, LDS add-TID, LDS-direct, buffer load to LDS, GDS, S_SENDMSG, S_MOVREL", "checkReadM0Hazards"},
    {since_cdna3, any_vector, writes_scalar, any_vector, reads_scalar, 2, false, 0,
     "VALU writes SGPR or VCC, VALU reads it", "checkVALUHazards"},
    {since_cdna3, any_vector, writes_vector | writes_matrix, class_vector, reads_lane, 1, false, 0,
     "VALU writes VGPR, V_READLANE reads it", "checkVALUHazards"},
    {since_cdna3, any_vector, writes_scalar, class_vector, needs_exec_of_lane, 4, false, 0,
     "VALU writes EXEC, V_READLANE, V_READFIRSTLANE, V_WRITELANE or V_PERMLANE*_SWAP",
     "checkVALUHazards, checkPermlaneHazards"},
    // vector registers
    {cdna2, class_vector_memory, stores_wide, any_vector, writes_vector | writes_matrix, 1, false, 0,
     "store of more than 64 bits, write VGPRs that hold its data", "checkVALUHazardsHelper"},
    {since_cdna3, class_vector_memory, stores_wide, any_vector, writes_vector | writes_matrix, 2, false, 0,
     "store of more than 64 bits, write VGPRs that hold its data", "checkVALUHazardsHelper"},
    {since_cdna3, class_transcendental, writes_vector, class_ordinary_vector, reads_vector, 1, false, 0,
     "VALU Trans op, non-trans VALU op consumes its result", "checkVALUHazards"},
    {since_cdna3, class_moved_result, writes_vector, class_vector, reads_vector | writes_vector, 1, false, 0,
     "VALU op with OPSEL or SDWA that moves its result, VALU op consumes it", "checkVALUHazards"},
    {since_cdna3, class_moved_result, writes_vector, class_matrix, writes_matrix, 1, false, 0,
     "VALU op with OPSEL or SDWA that moves its result, VALU op consumes it", "checkVALUHazards"},
    {cdna4, any_vector, writes_vector | writes_matrix, class_exchange, exchanges, 2, false, 0,
     "VALU writes VGPR, V_PERMLANE*_SWAP reads it", "checkPermlaneHazards"},
    // dot products
    {all_models, class_dot, writes_vector, class_dot, multiplies, 3, false, same_opcode,
     "DOT writes VGPR, the same DOT reads it as A or B", "checkMAIVALUHazards"},
    {all_models, class_dot, writes_vector, no_matrix, reads_vector, 3, false, other_opcode,
     "DOT writes VGPR, another instruction reads it", "checkMAIVALUHazards"},
    {all_models, class_dot, writes_vector, no_matrix, writes_vector, 3, false, other_opcode,
     "DOT writes VGPR, another instruction writes it", "checkMAIVALUHazards"},
    // into a matrix instruction
    {all_models, class_vector, writes_scalar, class_matrix, needs_exec, 4, false, 0,
     "VALU writes EXEC, MFMA", "checkMAIHazards90A"},
    {all_models, class_vector, writes_vector, class_matrix, multiplies | adds, 2, false, 0,
     "VALU writes VGPR, MFMA reads it", "checkMAIHazards90A"},
    // D that is C
    {all_models, class_f64_small, writes_matrix, class_f64_small, adds, 4, false, same_registers,
     "DGEMM 4x4x4 writes VGPR, DGEMM 4x4x4 reads it as C, same registers", "checkMAIHazards90A"},
    {since_cdna3, class_narrow | class_single, writes_matrix, class_matrix, adds, 2, false, same_registers | two_passes,
     "XDL or SGEMM of 2 passes writes VGPR, MFMA reads it as C, same registers", "checkMAIHazards90A"},
    {cdna2, class_f64_large, writes_matrix, class_f64, adds, 9, false, other_registers,
     "DGEMM 16x16x4 writes VGPR, MFMA reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna3, class_f64_large, writes_matrix, class_f64 | class_single, adds, 9, false, other_registers,
     "DGEMM 16x16x4 writes VGPR, MFMA reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna4, class_f64_large, writes_matrix, class_f64 | class_single, adds, 17, false, other_registers,
     "DGEMM 16x16x4 writes VGPR, MFMA reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna2, class_f64_small, writes_matrix, class_f64, adds, 4, false, other_registers,
     "DGEMM 4x4x4 writes VGPR, MFMA reads it as C, overlapped", "checkMAIHazards90A"},
    {since_cdna3, class_f64_small, writes_matrix, class_f64 | class_single, adds, 4, false, other_registers,
     "DGEMM 4x4x4 writes VGPR, MFMA reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna2, class_narrow, writes_matrix, class_narrow, adds, 0, true, other_registers,
     "MFMA writes VGPR, MFMA reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna2, class_narrow, writes_matrix, class_f64, adds, 1, true, other_registers,
     "MFMA writes VGPR, DGEMM reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna3, class_narrow, writes_matrix, class_matrix, adds, 1, true, other_registers,
     "XDL writes VGPR, MFMA reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna4, class_narrow, writes_matrix, class_narrow, adds, 2, true, other_registers,
     "XDL writes VGPR, XDL reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna4, class_narrow, writes_matrix, class_f64 | class_single, adds, 1, true, other_registers | two_passes,
     "XDL of 2 passes writes VGPR, SGEMM or DGEMM reads it as C, overlapped", "checkMAIHazards90A"},
    {cdna4, class_narrow, writes_matrix, class_f64 | class_single, adds, 2, true, other_registers | more_passes,
     "XDL writes VGPR, SGEMM or DGEMM reads it as C, overlapped", "checkMAIHazards90A"},
    {since_cdna3, class_single, writes_matrix, class_f64 | class_single, adds, 0, true, other_registers,
     "SGEMM writes VGPR, SGEMM or DGEMM reads it as C, overlapped", "checkMAIHazards90A"},
    // D that is A or B
    {cdna2 | cdna3, class_f64_large, writes_matrix, class_matrix, multiplies, 11, false, 0,
     "DGEMM 16x16x4 writes VGPR, MFMA reads it as A or B", "checkMAIHazards90A"},
    {cdna4, class_f64_large, writes_matrix, class_matrix, multiplies, 19, false, 0,
     "DGEMM 16x16x4 writes VGPR, MFMA reads it as A or B", "checkMAIHazards90A"},
    {all_models, class_f64_small, writes_matrix, class_matrix, multiplies, 6, false, 0,
     "DGEMM 4x4x4 writes VGPR, MFMA reads it as A or B", "checkMAIHazards90A"},
    {cdna2 | cdna3, class_narrow, writes_matrix, class_matrix, multiplies, 3, true, 0,
     "XDL writes VGPR, MFMA reads it as A or B", "checkMAIHazards90A"},
    {cdna4, class_narrow, writes_matrix, class_matrix, multiplies, 3, true, two_passes,
     "XDL of 2 passes writes VGPR, MFMA reads it as A or B", "checkMAIHazards90A"},
    {cdna4, class_narrow, writes_matrix, class_matrix, multiplies, 4, true, more_passes,
     "XDL writes VGPR, MFMA reads it as A or B", "checkMAIHazards90A"},
    {since_cdna3, class_single, writes_matrix, class_matrix, multiplies, 2, true, 0,
     "SGEMM writes VGPR, MFMA reads it as A or B", "checkMAIHazards90A"},
    // D that others read
    {all_models, class_f64_small, writes_matrix, class_memory, reads_vector, 9, false, 0,
     "DGEMM 4x4x4 writes VGPR, VMEM, LDS or FLAT reads it", "checkMAIVALUHazards"},
    {all_models, class_f64_small, writes_matrix, class_vector, reads_vector, 6, false, 0,
     "DGEMM 4x4x4 writes VGPR, VALU reads it", "checkMAIVALUHazards"},
    {all_models, class_f64_large, writes_matrix, class_memory, reads_vector, 18, false, 0,
     "DGEMM 16x16x4 writes VGPR, VMEM, LDS or FLAT reads it", "checkMAIVALUHazards"},
    {cdna2 | cdna3, class_f64_large, writes_matrix, class_vector, reads_vector, 11, false, 0,
     "DGEMM 16x16x4 writes VGPR, VALU reads it", "checkMAIVALUHazards"},
    {cdna4, class_f64_large, writes_matrix, class_vector, reads_vector, 19, false, 0,
     "DGEMM 16x16x4 writes VGPR, VALU reads it", "checkMAIVALUHazards"},
    {cdna2 | cdna3, class_narrow, writes_matrix, no_matrix, reads_vector, 3, true, 0,
     "XDL writes VGPR, VALU, VMEM, LDS or FLAT reads it", "checkMAIVALUHazards"},
    {cdna4, class_narrow, writes_matrix, no_matrix, reads_vector, 3, true, two_passes,
     "XDL of 2 passes writes VGPR, VALU, VMEM, LDS or FLAT reads it", "checkMAIVALUHazards"},
    {cdna4, class_narrow, writes_matrix, no_matrix, reads_vector, 4, true, more_passes,
     "XDL writes VGPR, VALU, VMEM, LDS or FLAT reads it", "checkMAIVALUHazards"},
    {since_cdna3, class_single, writes_matrix, no_matrix, reads_vector, 2, true, 0,
     "SGEMM writes VGPR, VALU, VMEM, LDS or FLAT reads it", "checkMAIVALUHazards"},
    // D that others write
    {all_models, class_f64_small, writes_matrix, no_matrix, writes_vector, 6, false, 0,
     "DGEMM 4x4x4 writes VGPR, VALU, VMEM, LDS or FLAT writes it", "checkMAIVALUHazards"},
    {all_models, class_f64_large, writes_matrix, no_matrix, writes_vector, 11, false, 0,
     "DGEMM 16x16x4 writes VGPR, VALU, VMEM, LDS or FLAT writes it", "checkMAIVALUHazards"},
    {cdna2 | cdna3, class_narrow, writes_matrix, no_matrix, writes_vector, 3, true, 0,
     "XDL writes VGPR, VALU, VMEM, LDS or FLAT writes it", "checkMAIVALUHazards"},
    {cdna4, class_narrow, writes_matrix, no_matrix, writes_vector, 3, true, two_passes,
     "XDL of 2 passes writes VGPR, VALU, VMEM, LDS or FLAT writes it", "checkMAIVALUHazards"},
    {cdna4, class_narrow, writes_matrix, no_matrix, writes_vector, 4, true, more_passes,
     "XDL writes VGPR, VALU, VMEM, LDS or FLAT writes it", "checkMAIVALUHazards"},
    {since_cdna3, class_single, writes_matrix, no_matrix, writes_vector, 2, true, 0,
     "SGEMM writes VGPR, VALU, VMEM, LDS or FLAT writes it", "checkMAIVALUHazards"},
    // C that others write
    {all_models, class_narrow, adds, no_matrix, writes_vector, -1, true, 0,
     "XDL reads VGPR as C, VALU, VMEM, LDS or FLAT writes it", "checkMAIVALUHazards"},
    // double precision
    {all_models, class_f64, uses_f64, class_vector, uses_f64, 2, false, 0,
     "DGEMM, V_FMA_F64 or V_FMAC_F64", "checkMAIVALUHazards"},
    {cdna2, class_vector, writes_vector, class_memory, reads_vector, 2, false, f64_between,
     "VALU writes VGPR, DGEMM, VMEM or LDS reads it", "checkMAIVALUHazards"},
};
// clang-format on
constexpr std::size_t row_count = std::size(hazard_table);
static_assert(row_count <= 64, "a row is a bit of Hazards::Info");

// How many passes matrix instructions take; a pass is four clocks. LLVM, SISchedule.td, has the
// same numbers.
struct Passes {
  enum class Of { dense, f64, sparse, f8f6f4, f8f6f4_of_8_bits };
  Families models;
  Of of;
  int side, least_k, passes;
};
constexpr Passes passes_table[] = {
    {cdna2, Passes::Of::dense, 4, 1, 2},
    {cdna2, Passes::Of::dense, 16, 1, 8},
    {cdna2, Passes::Of::dense, 32, 1, 16},
    {since_cdna3, Passes::Of::dense, 4, 1, 2},
    {since_cdna3, Passes::Of::dense, 16, 8, 4},
    {since_cdna3, Passes::Of::dense, 16, 1, 8},
    {since_cdna3, Passes::Of::dense, 32, 8, 8},
    {since_cdna3, Passes::Of::dense, 32, 1, 16},
    {all_models, Passes::Of::f64, 4, 1, 4},
    {cdna2 | cdna3, Passes::Of::f64, 16, 1, 8},
    {cdna4, Passes::Of::f64, 16, 1, 16},
    {since_cdna3, Passes::Of::sparse, 16, 1, 4},
    {since_cdna3, Passes::Of::sparse, 32, 1, 8},
    {cdna4, Passes::Of::f8f6f4, 16, 1, 4},
    {cdna4, Passes::Of::f8f6f4, 32, 1, 8},
    {cdna4, Passes::Of::f8f6f4_of_8_bits, 16, 1, 4},
    {cdna4, Passes::Of::f8f6f4_of_8_bits, 32, 1, 16},
};

enum class VectorMemory : uint8_t { none, load, store, atomic, to_lds };
VectorMemory vector_memory(Form form) {
  switch (form) {
    case Form::memory_load:
    case Form::lane_load:
    case Form::buffer_load:
      return VectorMemory::load;
    case Form::memory_store:
    case Form::lane_store:
    case Form::buffer_store:
      return VectorMemory::store;
    case Form::memory_atomic:
    case Form::buffer_atomic:
      return VectorMemory::atomic;
    case Form::memory_to_lds:
    case Form::buffer_to_lds:
      return VectorMemory::to_lds;
    default:
      return VectorMemory::none;
  }
}

constexpr RegisterRange exec = {true, register_exec, 2};
constexpr RegisterRange vcc = {true, register_vcc, 2};
constexpr RegisterRange m0 = {true, register_m0, 1};
constexpr RegisterRange f64_unit = {true, 0x8000, 1};

// True if the result does not fill its register, or is not in the register's lowest bits. That is
// so with SDWA, with OPSEL for the result (the last bit of OPSEL), and for instructions that write
// an upper half.
bool moves_result(const TextInstruction& text, const Row& row) {
  if (row.traits & trait_moves_result || row.half == 2) return true;
  const TextModifier* const place = text.find("dst_sel");
  if (place && place->value != "DWORD") return true;
  const TextModifier* const parts = text.find("op_sel");
  const std::vector<int64_t> selection = parse_list(parts ? parts->value : "");
  const auto sources = static_cast<std::size_t>(
      std::ranges::count_if(row.sources, [](Type type) { return type != Type::none; }));
  if (selection.size() <= sources) return false;
  return selection.back() != 0 ||
         (row.traits & trait_writes_byte && selection.size() > 3 && selection[2] != 0);
}

int64_t number_of(const TextInstruction& text, std::string_view name) {
  int64_t value = 0;
  bool hexadecimal = false;
  if (const TextModifier* modifier = text.find(name))
    parse_integer(modifier->value, value, hexadecimal);
  return value;
}

}  // namespace

std::span<const HazardRow> hazard_rows() { return hazard_table; }

int passes_of(const catalogue::Instruction& instruction, const Target& target, bool is_8_bit) {
  const Passes::Of of = !instruction.formats.empty()
                            ? (is_8_bit ? Passes::Of::f8f6f4_of_8_bits : Passes::Of::f8f6f4)
                        : instruction.is_sparse()                           ? Passes::Of::sparse
                        : instruction.d_type == catalogue::ElementType::f64 ? Passes::Of::f64
                                                                            : Passes::Of::dense;
  // Instructions of xf32 take as few passes as the rows with a large `least_k` say, even if their k
  // is smaller. So `least_k` is not tested for them.
  const bool is_deep = instruction.a_type == catalogue::ElementType::xf32;
  for (const Passes& row : passes_table)
    if (row.models.contains(target.family) && row.of == of && row.side == instruction.m &&
        (instruction.k >= row.least_k || is_deep))
      return row.passes;
  return 0;
}

struct Hazards::Reading {
  const Target* target;
  TextInstruction text;
  const Row* row;
  const Instruction* instruction;
  std::vector<std::string_view> modes;  // the names of registers of s_setreg
};

Hazards::Hazards(const Program& program, const EffectsTable& effects, const Target& target,
                 int branch_states)
    : program_(&program),
      branch_states_(branch_states),
      infos_(program.instructions().size()),
      wrong_in_order_(program.instructions().size()) {
  Reading reading{&target, {}, nullptr, nullptr, {}};
  for (uint32_t i = 0; i < infos_.size(); ++i)
    // An instruction without a row cannot be executed. Entries that are not read count as one wait
    // state.
    if (effects[i].row[0])
      read(reading, i, effects[i], (effects.kinds()[i] & EffectsTable::vector) != 0);
  Path path;
  for (uint32_t i = 0; i < infos_.size(); ++i) {
    path.take(i);
    wrong_in_order_[i] = check(path, i).has_value();
  }
}

void Hazards::add(Info& info, const RegisterRange& range, uint32_t role) {
  RegisterRange whole = range;
  whole.halves = RegisterRange{}.halves;  // half a register is all of it to a hazard
  operands_.push_back({whole, role});
  ++info.count;
}

void Hazards::read(Reading& reading, uint32_t index, const Effects& effects, bool is_vector) {
  Info& info = infos_[index];
  info.operands = static_cast<uint32_t>(operands_.size());
  reading.text = parse_instruction(program_->text(index));
  reading.row = effects.row[0];
  const Instruction& instruction = program_->instructions()[index];
  reading.instruction = runs_halves(instruction.handler) ? &instruction.target[0] : &instruction;
  if (effects.action == Action::matrix)
    read_matrix(reading, info);
  else if (is_vector)
    read_vector(reading, info);
  else if (is_lds(reading.row->form))
    info.classes = class_lds;
  else if (vector_memory(reading.row->form) != VectorMemory::none)
    read_memory(reading, info);
  else if (effects.action != Action::memory && effects.action != Action::cache_control)
    read_scalar(reading, effects, info);
  if (reading.row->traits & trait_addresses_by_m0) add(info, m0, addresses_by_m0);
  if (info.classes & (class_vector | class_memory)) {
    for (const RegisterRange& range : effects.reads)
      add(info, range, range.scalar ? reads_scalar : reads_vector);
    for (const RegisterRange& range : effects.writes)
      add(info, range, range.scalar ? writes_scalar : writes_vector);
  }
  uint32_t roles = 0;
  for (const Operand& operand : operands(info)) roles |= operand.role;
  for (std::size_t r = 0; r < row_count; ++r) {
    const HazardRow& row = hazard_table[r];
    if (!row.models.contains(reading.target->family)) continue;
    const uint64_t bit = uint64_t{1} << r;
    if ((row.first == 0 || row.first & info.classes) && row.first_role & roles) info.first |= bit;
    if ((row.second == 0 || row.second & info.classes) && row.second_role & roles)
      info.second |= bit;
  }
}

// The order of the operands in the text: D, A, B, C and scales. For a sparse product: D, which is
// also C, then A, B and the index.
void Hazards::read_matrix(const Reading& reading, Info& info) {
  const auto& text = reading.text;
  const catalogue::Instruction& row = catalogue::cdna_instructions[reading.row->extra];
  const bool is_8_bit = number_of(text, "cbsz") <= 1 || number_of(text, "blgp") <= 1;
  info.passes = static_cast<uint8_t>(passes_of(row, *reading.target, is_8_bit));
  const bool is_f64 = row.d_type == catalogue::ElementType::f64;
  const bool is_single =
      reading.target->has(Feature::gfx940_code) && row.a_type == catalogue::ElementType::f32;
  info.classes = is_f64      ? (row.m == 4 ? class_f64_small : class_f64_large)
                 : is_single ? class_single
                             : class_narrow;
  if (is_f64) add(info, f64_unit, uses_f64);
  add(info, exec, needs_exec);
  for (std::size_t i = 0; i < text.operands.size(); ++i) {
    if (text.operands[i].kind != OperandKind::vgpr) continue;
    const RegisterRange range = range_of(text.operands[i]);
    const bool is_c = row.is_sparse() ? i == 0 : i == 3;
    if (i == 0) add(info, range, writes_matrix);
    if (is_c) add(info, range, adds);
    if (i != 0 && !is_c) add(info, range, multiplies);
  }
}

void Hazards::read_vector(const Reading& reading, Info& info) {
  const TextInstruction& text = reading.text;
  const Row& row = *reading.row;
  const auto is = [&](HazardTrait trait) { return (row.traits & trait) != 0; };
  const auto add_vector_operands = [&](std::size_t first, std::size_t end, uint32_t role) {
    for (std::size_t i = first; i < end && i < text.operands.size(); ++i)
      if (text.operands[i].kind == OperandKind::vgpr) add(info, range_of(text.operands[i]), role);
  };
  const std::size_t count = text.operands.size();
  info.classes =
      class_vector | (is(trait_transcendental) ? class_transcendental : class_ordinary_vector);
  if (is(trait_dot_product)) {
    info.classes |= class_dot;
    add_vector_operands(1, 3, multiplies);
  }
  if (moves_result(text, row)) info.classes |= class_moved_result;
  if (reading.instruction->flags & flag_dpp) {
    // Without bound_ctrl, lanes that get no value keep the destination's old value: it is read too.
    add_vector_operands(text.find("bound_ctrl") == nullptr ? 0 : 1, count, reads_dpp);
    add(info, exec, needs_exec);
  }
  if (is(trait_names_lane)) {
    if (count > 2 && text.operands[2].kind == OperandKind::scalar)
      add(info, range_of(text.operands[2]), selects_lane);
    if (row.form == Form::vector_to_scalar) add_vector_operands(1, 2, reads_lane);
    add(info, exec, needs_exec_of_lane);
  }
  if (is(trait_scales_by_vcc)) add(info, vcc, scales_by_vcc);
  if (is(trait_f64_unit)) add(info, f64_unit, uses_f64);
  if (is(trait_swaps_rows)) {
    info.classes |= class_exchange;
    add_vector_operands(0, count, exchanges);
    add(info, exec, needs_exec_of_lane);
  }
  if (row.form == Form::vector_compare_exec) add(info, exec, writes_scalar);
}

void Hazards::read_memory(const Reading& reading, Info& info) {
  const Form form = reading.row->form;
  const VectorMemory what = vector_memory(form);
  info.classes = class_vector_memory;
  if (what == VectorMemory::to_lds) {
    add(info, m0, addresses_by_m0);
    add(info, m0, reads_scalar);
  }
  if (what != VectorMemory::store && what != VectorMemory::atomic) return;
  const auto& operands = reading.text.operands;
  // A buffer access with an offset in a register takes so long that there is no hazard.
  const bool is_buffer = form == Form::buffer_store || form == Form::buffer_atomic;
  if (is_buffer && !operands.empty() && operands.back().kind == OperandKind::scalar) return;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_result =
        i == 0 && form == Form::memory_atomic && (reading.instruction->flags & flag_return) != 0;
    if (operands[i].kind == OperandKind::vgpr && operands[i].count > 2 && !is_result)
      add(info, range_of(operands[i]), stores_wide);
  }
}

void Hazards::read_scalar(Reading& reading, const Effects& effects, Info& info) {
  const TextInstruction& text = reading.text;
  const Row& row = *reading.row;
  if (row.role == Role::pause) {
    info.states = static_cast<uint8_t>(
        text.operands.empty() ? 1 : (static_cast<uint64_t>(text.operands[0].integer) & 15) + 1);
    return;
  }
  info.classes = class_scalar;
  for (const RegisterRange& range : effects.writes)
    if (range.overlaps(m0)) add(info, m0, writes_scalar);
  if (row.indexed != 0) add(info, m0, addresses_by_m0);
  if (row.form != Form::hardware_register) return;
  for (const TextOperand& operand : text.operands) {
    if (!operand.text.starts_with("hwreg(")) continue;
    const std::string_view name = operand.text.substr(0, operand.text.find_first_of(",)"));
    auto at = std::ranges::find(reading.modes, name);
    if (at == reading.modes.end()) at = reading.modes.insert(at, name);
    const auto number = static_cast<uint16_t>(0x9000 + (at - reading.modes.begin()));
    const bool sets = row.destination == Type::none;
    add(info, {true, number, 1}, sets ? uint32_t{sets_mode | gets_mode} : uint32_t{gets_mode});
  }
}

bool Hazards::fits(const HazardRow& row, const Candidate& candidate, const Operand& operand,
                   uint32_t index) const {
  const Info& first = infos_[candidate.index];
  const auto lacks = [&](HazardCondition condition, bool holds) {
    return (row.conditions & condition) != 0 && !holds;
  };
  const bool alike = program_->mnemonic_number(candidate.index) == program_->mnemonic_number(index);
  if (lacks(same_opcode, alike) || lacks(other_opcode, !alike) ||
      lacks(two_passes, first.passes == 2) || lacks(more_passes, first.passes > 2) ||
      lacks(f64_between, candidate.f64_between))
    return false;
  return std::ranges::any_of(operands(first), [&](const Operand& written) {
    if ((written.role & row.first_role) == 0 || !written.range.overlaps(operand.range))
      return false;
    const bool same =
        written.range.first == operand.range.first && written.range.count == operand.range.count;
    return !lacks(same_registers, same) && !lacks(other_registers, !same);
  });
}

std::optional<Hazards::Found> Hazards::check(const Path& path, uint32_t index) const {
  const Info& second = infos_[index];
  if (second.second == 0) return std::nullopt;
  std::array<Candidate, Path::most_states + 1> candidates;
  std::size_t count = 0;
  int between = 0;
  bool f64_between = false;
  path.back([&](uint32_t i, bool jumped) {
    const Info& first = infos_[i];
    if (first.first & second.second) candidates[count++] = {i, between, f64_between};
    f64_between = f64_between || (first.classes & class_f64) != 0;
    between += jumped ? branch_states_ : first.states;
    return between < static_cast<int>(Path::most_states);
  });
  std::optional<Found> worst;
  for (const Operand& operand : operands(second)) {
    // Only the latest matrix instruction that writes the operand or adds to it counts: earlier ones
    // have ended when it begins. The same holds for the latest v_dot.
    uint32_t hidden = 0;
    for (std::size_t c = 0; c < count; ++c) {
      const Candidate& candidate = candidates[c];
      const Info& first = infos_[candidate.index];
      for (uint64_t left = first.first & second.second; left != 0; left &= left - 1) {
        const HazardRow& row = hazard_table[std::countr_zero(left)];
        if ((operand.role & row.second_role) == 0 || (row.first_role & hidden) != 0) continue;
        if (row.first == class_dot && hidden & multiplies) continue;
        const int needed = row.states + (row.add_passes ? first.passes : 0);
        if (needed <= candidate.between || !fits(row, candidate, operand, index)) continue;
        if (worst && worst->needed - worst->states >= needed - candidate.between) continue;
        worst = Found{&row,
                      candidate.index,
                      operand.range,
                      operand.role & row.second_role,
                      candidate.between,
                      needed};
      }
      for (const Operand& earlier : operands(first)) {
        if (!earlier.range.overlaps(operand.range)) continue;
        if (first.classes & class_matrix) hidden |= earlier.role & (writes_matrix | adds);
        if (first.classes & class_dot && earlier.role & writes_vector) hidden |= multiplies;
      }
    }
  }
  return worst;
}

}  // namespace heddle::emulator::check
