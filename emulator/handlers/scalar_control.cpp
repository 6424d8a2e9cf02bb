// Scalar instructions that control a wave: EXEC, branches, calls, barriers, modes. Also
// instructions that have no effect in the emulator. Meanings: RDNA3 and RDNA4 ISA, chapters
// "Program flow control" and "Scalar ALU operations".
#include "emulator/handlers/scalar_row.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

constexpr auto combine_and = [](auto s, auto e) { return s & e; };
constexpr auto combine_or = [](auto s, auto e) { return s | e; };
constexpr auto combine_xor = [](auto s, auto e) { return s ^ e; };
constexpr auto combine_nand = [](auto s, auto e) { return ~(s & e); };
constexpr auto combine_nor = [](auto s, auto e) { return ~(s | e); };
constexpr auto combine_xnor = [](auto s, auto e) { return ~(s ^ e); };
constexpr auto combine_and_not_source = [](auto s, auto e) { return ~s & e; };
constexpr auto combine_or_not_source = [](auto s, auto e) { return ~s | e; };
constexpr auto combine_and_not_exec = [](auto s, auto e) { return s & ~e; };
constexpr auto combine_or_not_exec = [](auto s, auto e) { return s | ~e; };

// The same for wave64, whose EXEC has 64 bits.
HEDDLE_INLINE u64 exec64(const Wavefront& w) {
  return w.scalar[register_exec] | u64{w.scalar[register_exec + 1]} << 32;
}
template <auto combine, bool destination_gets_result>
const Instruction* combine_exec64(Wavefront& w, const Instruction* in) {
  const u64 source = read_scalar64(w, in->source[0]), old = exec64(w);
  const u64 result = combine(source, old);
  write_scalar64(w, in->destination, destination_gets_result ? result : old);
  write_scalar64(w, register_exec, result);
  set_scc(w, result != 0);
  return in + 1;
}

// s_and_saveexec and similar instructions: the destination gets the old EXEC, and EXEC becomes a
// combination of the old EXEC with the source.
template <auto combine>
const Instruction* save_exec(Wavefront& w, const Instruction* in) {
  const u32 source = read_scalar(w, in->source[0]), old = exec(w);
  const u32 result = combine(source, old);
  w.scalar[in->destination] = old;
  w.scalar[register_exec] = result;
  set_scc(w, result != 0);
  return in + 1;
}

// The same, but the destination gets the new EXEC.
template <auto combine>
const Instruction* write_exec(Wavefront& w, const Instruction* in) {
  const u32 result = combine(read_scalar(w, in->source[0]), exec(w));
  w.scalar[register_exec] = result;
  w.scalar[in->destination] = result;
  set_scc(w, result != 0);
  return in + 1;
}

template <auto combine>
constexpr Row exec_row(const char* name, Handler handler, Type type) {
  Row made = row(name, Form::scalar, handler, 1, type, type);
  for (const u32 exec : {u32{0}, ~u32{0}})
    if (combine(u32{0}, exec) != combine(~u32{0}, exec))
      made.decides_exec |= exec == 0 ? where_exec_is_0 : where_exec_is_1;
  return made;
}

template <auto combine>
constexpr Row saving64(const char* name) {
  return exec_row<combine>(name, &combine_exec64<combine, false>, Type::scalar64);
}
template <auto combine>
constexpr Row writing64(const char* name) {
  return exec_row<combine>(name, &combine_exec64<combine, true>, Type::scalar64);
}

template <auto combine>
constexpr Row saving(const char* name) {
  return exec_row<combine>(name, &save_exec<combine>, Type::scalar32);
}
template <auto combine>
constexpr Row writing(const char* name) {
  return exec_row<combine>(name, &write_exec<combine>, Type::scalar32);
}

enum class Condition { always, scc0, scc1, vccz, vccnz, execz, execnz };

// A branch. EXEC and VCC have one bit for each lane of the wave, so in wave64 they are two words,
// and a condition on them tests the two words.
template <Condition condition, int wave = 32>
const Instruction* branch(Wavefront& w, const Instruction* in) {
  const auto any = [&](unsigned index) {
    return (w.scalar[index] | (wave == 64 ? w.scalar[index + 1] : 0)) != 0;
  };
  bool taken = true;
  if constexpr (condition == Condition::scc0) taken = !scc(w);
  if constexpr (condition == Condition::scc1) taken = scc(w);
  if constexpr (condition == Condition::vccz) taken = !any(register_vcc);
  if constexpr (condition == Condition::vccnz) taken = any(register_vcc);
  if constexpr (condition == Condition::execz) taken = !any(register_exec);
  if constexpr (condition == Condition::execnz) taken = any(register_exec);
  if (!taken) return in + 1;
  // The target is null if the branch leads outside the code.
  return in->target ? in->target : raise(w, in, FaultKind::bad_jump);
}

HEDDLE_INLINE u64 address_after(const Wavefront& w, const Instruction* in) {
  return w.image_base + w.addresses[in->index] + 4;
}

HEDDLE_INLINE const Instruction* jump(Wavefront& w, const Instruction* in, u64 address) {
  const u64 slot = (address - w.image_base) / 4;
  if (address % 4 != 0 || slot >= w.instruction_slots || w.instruction_at[slot] < 0)
    return raise(w, in, FaultKind::bad_jump, -1, address);
  return w.instructions + w.instruction_at[slot];
}

const Instruction* get_program_counter(Wavefront& w, const Instruction* in) {
  write_scalar64(w, in->destination, address_after(w, in));
  return in + 1;
}
const Instruction* set_program_counter(Wavefront& w, const Instruction* in) {
  return jump(w, in, read_scalar64(w, in->source[0]));
}
const Instruction* add_program_counter(Wavefront& w, const Instruction* in) {
  const u64 next = w.image_base + w.addresses[in->index + 1];
  return jump(w, in, next + read_scalar64(w, in->source[0]));
}
const Instruction* swap_program_counter(Wavefront& w, const Instruction* in) {
  const u64 to = read_scalar64(w, in->source[0]);
  write_scalar64(w, in->destination, address_after(w, in));
  return jump(w, in, to);
}

const Instruction* call(Wavefront& w, const Instruction* in) {
  write_scalar64(w, in->destination, address_after(w, in));
  return in->target ? in->target : raise(w, in, FaultKind::bad_jump);
}

const Instruction* trap(Wavefront& w, const Instruction* in) {
  return raise(w, in, FaultKind::trap);
}

// For instructions that read the time, which the emulator does not model. Code that waits for time
// to pass must make progress, so each read returns a time that is later by this step.
constexpr u64 time_step = 1000;
const Instruction* ask_32(Wavefront& w, const Instruction* in) {
  w.scalar[in->destination] = static_cast<u32>(w.time += time_step);
  return in + 1;
}
const Instruction* ask_64(Wavefront& w, const Instruction* in) {
  write_scalar64(w, in->destination, w.time += time_step);
  return in + 1;
}

// s_set_gpr_idx_on: stores the index in M0. Which operands of the following instructions use M0 has
// been recorded by the decoder.
const Instruction* set_register_index(Wavefront& w, const Instruction* in) {
  w.scalar[register_m0] =
      (w.scalar[register_m0] & ~0xffu) | (read_scalar(w, in->source[0]) & 0xffu);
  return in + 1;
}

const Instruction* end_program(Wavefront& w, const Instruction* in) {
  w.event = Event::ended;
  w.resume = in;
  return nullptr;
}

// s_sleep: stops this wave so that the other waves of the workgroup run. So a loop that waits for
// another wave makes progress.
const Instruction* sleep(Wavefront& w, const Instruction* in) {
  w.event = Event::yield;
  w.resume = in + 1;
  return nullptr;
}

// Executes an instruction that has no effect here. Since it writes no register, the matrix
// instruction after it may use the converted operands that the one before it has kept.
const Instruction* ignore(Wavefront& w, const Instruction* in) {
  if (w.numbers->next == in) w.numbers->next = in + 1;
  return in + 1;
}

// A wave signals the workgroup's barrier. Returns true if that was the last signal for which the
// barrier waited.
HEDDLE_INLINE bool signal_barrier(Wavefront& w) {
  BarrierState& barrier = *w.barrier;
  ++w.counters.barriers;
  w.barrier_generation = barrier.generation;
  w.barrier_signalled = true;
  if (++barrier.signalled < barrier.members) return false;
  barrier.signalled = 0;
  ++barrier.generation;
  return true;
}

HEDDLE_INLINE const Instruction* wait_at_barrier(Wavefront& w, const Instruction* in) {
  if (w.barrier_signalled && w.barrier->generation != w.barrier_generation) {
    w.barrier_signalled = false;
    return in + 1;
  }
  w.waits_for = Wavefront::WaitsFor::workgroup;
  w.event = Event::barrier;
  w.barrier_waiting = true;
  w.resume = in;
  return nullptr;
}

// --- numbered barriers ---------------------------------------------------------------------------
//
// RDNA4 ISA, S_BARRIER_SIGNAL, S_BARRIER_WAIT and S_GET_BARRIER_STATE. M0 has the number of the
// barrier in bits 4 to 0 and its number of members (waves that it waits for) in bits 22 to 16
// (LLVM, lowering of llvm.amdgcn.s.barrier.init). If a signal comes with a number of members, that
// becomes the barrier's. A wave that leaves decreases the number by one (LLVM, "AMDGPU Execution
// Synchronization", "GFX12"). How leaving changes SCC is assumed.

constexpr u32 cluster_barrier = static_cast<u32>(-3);

// The number of the numbered barrier that the operand selects. For -3 that is 0, the cluster's; an
// operand of 0 gives the same number, which s_barrier_join and signals take as "none".
HEDDLE_INLINE u32 named_barrier(const Wavefront& w, const Source& s) {
  const u32 number = read_scalar(w, s);
  return number == cluster_barrier ? u32{BarrierState::cluster}
                                   : number % BarrierState::numbered_count;
}
HEDDLE_INLINE u32 members_in_m0(const Wavefront& w) { return w.scalar[register_m0] >> 16 & 127u; }

const Instruction* barrier_init(Wavefront& w, const Instruction* in) {
  NumberedBarrier& barrier = w.barrier->numbered(named_barrier(w, in->source[0]));
  barrier.members = members_in_m0(w);
  barrier.signalled = 0;
  return in + 1;
}

const Instruction* barrier_join(Wavefront& w, const Instruction* in) {
  const u32 number = named_barrier(w, in->source[0]);
  w.joined_barrier = static_cast<uint8_t>(number);
  w.joined_generation = w.barrier->numbered(number).generation;
  return in + 1;
}

const Instruction* barrier_leave(Wavefront& w, const Instruction* in) {
  NumberedBarrier& barrier = w.barrier->numbered(w.joined_barrier);
  if (w.joined_barrier != 0 && barrier.members > 0) --barrier.members;
  if (w.joined_barrier != 0) barrier.complete_if_due();
  w.joined_barrier = 0;
  set_scc(w, false);
  return in + 1;
}

const Instruction* barrier_state(Wavefront& w, const Instruction* in) {
  const u32 operand = read_scalar(w, in->source[0]);
  u32 signalled = w.barrier->signalled, members = w.barrier->members;
  if (operand != 0xffffffffu) {
    const NumberedBarrier& barrier = w.barrier->numbered(named_barrier(w, in->source[0]));
    signalled = barrier.signalled;
    members = barrier.members;
  }
  w.scalar[in->destination] = signalled << 16 | members << 4 | (members != 0 ? 1u : 0u);
  return in + 1;
}

// A wave signals a numbered barrier. Returns true if that was the first signal of the barrier's
// current round.
HEDDLE_INLINE bool signal_numbered(Wavefront& w, u32 number, u32 members) {
  NumberedBarrier& barrier = w.barrier->numbered(number);
  if (members != 0) barrier.members = members;
  const bool first = barrier.signalled == 0;
  ++w.counters.barriers;
  ++barrier.signalled;
  barrier.complete_if_due();
  return first;
}

const Instruction* wait_at_numbered(Wavefront& w, const Instruction* in, Wavefront::WaitsFor what) {
  w.waits_for = what;
  if (barrier_is_complete(w)) {
    const u32 now = w.barrier->numbered(numbered_barrier(w)).generation;
    (what == Wavefront::WaitsFor::joined ? w.joined_generation : w.cluster_generation) = now;
    return in + 1;
  }
  w.event = Event::barrier;
  w.barrier_waiting = true;
  w.resume = in;
  return nullptr;
}

const Instruction* barrier_signal(Wavefront& w, const Instruction* in) {
  const Source& operand = in->source[0];
  const bool is_constant = operand.kind == SourceKind::constant;
  if (is_constant && operand.constant == cluster_barrier) {
    signal_numbered(w, BarrierState::cluster, 0);
    return in + 1;
  }
  if (!is_constant || operand.constant < BarrierState::numbered_count) {
    const u32 number = named_barrier(w, operand);
    if (number != 0) signal_numbered(w, number, is_constant ? 0 : members_in_m0(w));
    return in + 1;
  }
  // -1 is the workgroup's barrier. Barriers of trap handlers are not supported.
  if (operand.constant != 0xffffffffu) return raise(w, in, FaultKind::unsupported);
  if (w.barrier_signalled && w.barrier->generation == w.barrier_generation)
    return raise(w, in, FaultKind::barrier_never_completes);
  signal_barrier(w);
  return in + 1;
}

// s_barrier_signal_isfirst: signals a barrier, and sets SCC to whether this wave is the first to
// signal.
const Instruction* barrier_signal_first(Wavefront& w, const Instruction* in) {
  const Source& operand = in->source[0];
  const bool workgroup = operand.kind == SourceKind::constant && operand.constant == 0xffffffffu;
  const bool first = workgroup ? w.barrier->signalled == 0
                               : w.barrier->numbered(named_barrier(w, operand)).signalled == 0;
  const Instruction* next = barrier_signal(w, in);
  set_scc(w, first);
  return next;
}

const Instruction* barrier_wait(Wavefront& w, const Instruction* in) {
  const auto number = static_cast<int16_t>(in->offset);
  if (number >= 0) return wait_at_numbered(w, in, Wavefront::WaitsFor::joined);
  if (number == -3) return wait_at_numbered(w, in, Wavefront::WaitsFor::cluster);
  if (number != -1) return raise(w, in, FaultKind::unsupported);
  return wait_at_barrier(w, in);
}

// gfx11's s_barrier signals the barrier and waits for it. If the barrier is not complete, the wave
// stops here; when the barrier is complete, this instruction is executed again and does not stop.
const Instruction* barrier_both(Wavefront& w, const Instruction* in) {
  if (!w.barrier_signalled) signal_barrier(w);
  return wait_at_barrier(w, in);
}

// The upper 16 bits of the address ranges (apertures) by which flat instructions access scratch and
// LDS: scratch's in the lower half of this word, LDS's in the upper half (LLVM 15,
// SITargetLowering::getSegmentAperture).
constexpr u64 memory_bases =
    region_start(shared_region) >> 48 << 16 | region_start(private_region) >> 48;

// Those bits of the hardware register IB_STS2 that concern clusters: bits 24..21 are the
// workgroup's number in its cluster; bits 9..6 are not 0 if there is a cluster. They are computed
// from TTMP6, which has, with four bits for each axis, the workgroup's position in the cluster
// (from bit 0 on) and the last position (from bit 12 on) (LLVM 22, lowering of
// llvm.amdgcn.cluster.workgroup.flat.id and .id.x).
HEDDLE_INLINE u64 place_in_cluster(const Wavefront& w) {
  const u32 places = w.scalar[register_ttmp0 + 6];
  const auto field = [&](int number) { return places >> (4 * number) & 15u; };
  const u32 flat = field(0) + (field(3) + 1) * (field(1) + (field(4) + 1) * field(2));
  return flat << 21 | (places != 0 ? 1u : 0u) << 6;
}

// s_getreg reads a field of a hardware register. MODE (register 1) has its value; the base
// addresses of apertures are constants; the place in the cluster comes from TTMP6; the time
// (register 29) advances with each read. All other registers read as zero. Instruction::extra is
// the field's offset | (size - 1) << 5.
const Instruction* get_register(Wavefront& w, const Instruction* in) {
  const unsigned offset = in->extra & 31u, size = (in->extra >> 5 & 31u) + 1;
  const u64 value = in->offset == hardware_register_mode      ? w.mode
                    : in->offset == hardware_register_bases   ? memory_bases
                    : in->offset == hardware_register_cluster ? place_in_cluster(w)
                    : in->offset == hardware_register_time    ? w.time += time_step
                                                              : 0;
  w.scalar[in->destination] = static_cast<u32>(value >> offset & ((u64{1} << size) - 1));
  return in + 1;
}

const Instruction* set_register(Wavefront& w, const Instruction* in) {
  if (in->offset != 1) return in + 1;
  const unsigned offset = in->extra & 31u, size = (in->extra >> 5 & 31u) + 1;
  const u32 mask = static_cast<u32>(((u64{1} << size) - 1) << offset);
  w.mode = (w.mode & ~mask) | (read_scalar(w, in->source[0]) << offset & mask);
  w.event = Event::yield;  // the runner installs the new floating-point mode
  w.resume = in + 1;
  return nullptr;
}

// s_round_mode and s_denorm_mode: bits 3..0 and 7..4 of MODE.
template <unsigned shift>
const Instruction* set_mode(Wavefront& w, const Instruction* in) {
  w.mode = (w.mode & ~(15u << shift)) | (static_cast<u32>(in->offset) & 15u) << shift;
  w.event = Event::yield;
  w.resume = in + 1;
  return nullptr;
}

// Nothing to do.
constexpr Row hint(const char* name) { return row(name, Form::ignored, &ignore); }

constexpr Row wait(const char* name, Counter first, Counter second = Counter::none) {
  Row row = acting(Role::wait, hint(name));
  row.counters[0] = first;
  row.counters[1] = second;
  return row;
}

constexpr Row cache_control(const char* name, uint8_t effects, Counter counter = Counter::none) {
  Row row = acting(Role::cache_control, hint(name));
  row.cache_effects = effects;
  row.counters[0] = counter;
  return row;
}

constexpr Row rows[] = {
    saving<combine_and>("s_and_saveexec_b32"),
    saving<combine_or>("s_or_saveexec_b32"),
    saving<combine_xor>("s_xor_saveexec_b32"),
    saving<combine_nand>("s_nand_saveexec_b32"),
    saving<combine_nor>("s_nor_saveexec_b32"),
    saving<combine_xnor>("s_xnor_saveexec_b32"),
    saving<combine_and_not_source>("s_and_not0_saveexec_b32"),
    saving<combine_or_not_source>("s_or_not0_saveexec_b32"),
    saving<combine_and_not_exec>("s_and_not1_saveexec_b32"),
    saving<combine_or_not_exec>("s_or_not1_saveexec_b32"),
    writing<combine_and_not_source>("s_and_not0_wrexec_b32"),
    writing<combine_and_not_exec>("s_and_not1_wrexec_b32"),
    saving64<combine_and>("s_and_saveexec_b64"),
    saving64<combine_or>("s_or_saveexec_b64"),
    saving64<combine_xor>("s_xor_saveexec_b64"),
    saving64<combine_nand>("s_nand_saveexec_b64"),
    saving64<combine_nor>("s_nor_saveexec_b64"),
    saving64<combine_xnor>("s_xnor_saveexec_b64"),
    saving64<combine_and_not_source>("s_and_not0_saveexec_b64"),
    saving64<combine_or_not_source>("s_or_not0_saveexec_b64"),
    saving64<combine_and_not_exec>("s_and_not1_saveexec_b64"),
    saving64<combine_or_not_exec>("s_or_not1_saveexec_b64"),
    writing64<combine_and_not_source>("s_and_not0_wrexec_b64"),
    writing64<combine_and_not_exec>("s_and_not1_wrexec_b64"),

    row("s_branch", Form::branch, &branch<Condition::always>),
    row("s_cbranch_scc0", Form::branch, &branch<Condition::scc0>),
    row("s_cbranch_scc1", Form::branch, &branch<Condition::scc1>),
    row("s_cbranch_vccz", Form::branch, &branch<Condition::vccz>),
    row("s_cbranch_vccnz", Form::branch, &branch<Condition::vccnz>),
    row("s_cbranch_execz", Form::branch, &branch<Condition::execz>),
    row("s_cbranch_execnz", Form::branch, &branch<Condition::execnz>),
    only_for({}, 64, row("s_cbranch_vccz", Form::branch, &branch<Condition::vccz, 64>)),
    only_for({}, 64, row("s_cbranch_vccnz", Form::branch, &branch<Condition::vccnz, 64>)),
    only_for({}, 64, row("s_cbranch_execz", Form::branch, &branch<Condition::execz, 64>)),
    only_for({}, 64, row("s_cbranch_execnz", Form::branch, &branch<Condition::execnz, 64>)),
    row("s_call_b64", Form::branch, &call, 0, Type::scalar64),
    row("s_getpc_b64", Form::scalar, &get_program_counter, 0, Type::scalar64),
    acting(Role::jump, row("s_setpc_b64", Form::scalar_compare, &set_program_counter, 1, Type::none,
                           Type::scalar64)),
    acting(Role::jump, row("s_swappc_b64", Form::scalar, &swap_program_counter, 1, Type::scalar64,
                           Type::scalar64)),
    row("s_get_pc_i64", Form::scalar, &get_program_counter, 0, Type::scalar64),
    acting(Role::jump, row("s_set_pc_i64", Form::scalar_compare, &set_program_counter, 1,
                           Type::none, Type::scalar64)),
    acting(Role::jump, row("s_swap_pc_i64", Form::scalar, &swap_program_counter, 1, Type::scalar64,
                           Type::scalar64)),
    row("s_call_i64", Form::branch, &call, 0, Type::scalar64),
    acting(Role::end, row("s_endpgm", Form::scalar_no_operands, &end_program)),
    acting(Role::end, row("s_endpgm_saved", Form::scalar_no_operands, &end_program)),
    row("s_trap", Form::scalar_immediate, &trap),
    row("s_sendmsg_rtn_b32", Form::message, &ask_32, 0, Type::scalar32),
    row("s_get_shader_cycles_u64", Form::scalar, &ask_64, 0, Type::scalar64),
    row("s_sendmsg_rtn_b64", Form::message, &ask_64, 0, Type::scalar64),
    only_for(isa::gfx9, 64,
             row("s_set_gpr_idx_on", Form::scalar_compare, &set_register_index, 1, Type::none,
                 Type::scalar32)),
    only_for(isa::gfx9, 64,
             row("s_set_gpr_idx_idx", Form::scalar_compare, &set_register_index, 1, Type::none,
                 Type::scalar32)),
    only_for(isa::gfx9, 64, hint("s_set_gpr_idx_off")),
    only_for(isa::gfx9, 64, row("s_memtime", Form::message, &ask_64, 0, Type::scalar64)),
    only_for(isa::gfx9, 64, row("s_memrealtime", Form::message, &ask_64, 0, Type::scalar64)),
    row("s_sleep", Form::ignored, &sleep),
    row("s_sleep_var", Form::ignored, &sleep),
    row("s_monitor_sleep", Form::ignored, &sleep),
    acting(Role::barrier, row("s_barrier", Form::scalar_no_operands, &barrier_both)),
    acting(Role::barrier_signal, row("s_barrier_signal", Form::scalar_compare, &barrier_signal, 1,
                                     Type::none, Type::scalar32)),
    acting(Role::barrier_signal, row("s_barrier_signal_isfirst", Form::scalar_compare,
                                     &barrier_signal_first, 1, Type::none, Type::scalar32)),
    acting(Role::barrier_wait, row("s_barrier_wait", Form::scalar_immediate, &barrier_wait)),
    acting(Role::barrier_init, row("s_barrier_init", Form::scalar_compare, &barrier_init, 1,
                                   Type::none, Type::scalar32)),
    acting(Role::barrier_join, row("s_barrier_join", Form::scalar_compare, &barrier_join, 1,
                                   Type::none, Type::scalar32)),
    row("s_barrier_leave", Form::scalar_no_operands, &barrier_leave),
    row("s_get_barrier_state", Form::message, &barrier_state, 0, Type::scalar32),
    // s_wakeup_barrier wakes waves that sleep. In the emulator, waves continue after a sleep
    // anyway.
    hint("s_wakeup_barrier"),
    // s_add_pc_i64 jumps by a distance in bytes from the next instruction (LLVM, expansion of long
    // branches).
    acting(Role::jump, row("s_add_pc_i64", Form::scalar_compare, &add_program_counter, 1,
                           Type::none, Type::scalar_i64)),
    row("s_getreg_b32", Form::hardware_register, &get_register, 0, Type::scalar32),
    row("s_setreg_b32", Form::hardware_register, &set_register),
    row("s_setreg_imm32_b32", Form::hardware_register, &set_register),
    row("s_round_mode", Form::scalar_immediate, &set_mode<0>),
    row("s_denorm_mode", Form::scalar_immediate, &set_mode<4>),

    // Instructions for timing, caches and messages have no effect: memory is always up to date
    // here.
    acting(Role::pause, hint("s_nop")),
    hint("s_clause"),
    hint("s_delay_alu"),
    acting(Role::wait_by_name, hint("s_waitcnt")),
    hint("s_waitcnt_depctr"),
    wait("s_waitcnt_vscnt", Counter::store),
    wait("s_waitcnt_vmcnt", Counter::load),
    wait("s_waitcnt_lgkmcnt", Counter::lds),
    wait("s_waitcnt_expcnt", Counter::exports),
    hint("s_wait_alu"),
    acting(Role::wait_for_all, hint("s_wait_idle")),
    hint("s_wait_event"),
    wait("s_wait_loadcnt", Counter::load),
    wait("s_wait_storecnt", Counter::store),
    wait("s_wait_dscnt", Counter::lds),
    wait("s_wait_kmcnt", Counter::scalar),
    wait("s_wait_expcnt", Counter::exports),
    wait("s_wait_samplecnt", Counter::sample),
    wait("s_wait_bvhcnt", Counter::bvh),
    wait("s_wait_asynccnt", Counter::async),
    wait("s_wait_tensorcnt", Counter::tensor),
    hint("s_wait_xcnt"),
    wait("s_wait_loadcnt_dscnt", Counter::lds, Counter::load),
    wait("s_wait_storecnt_dscnt", Counter::lds, Counter::store),
    hint("s_set_inst_prefetch_distance"),
    hint("s_setprio"),
    hint("s_setprio_inc_wg"),
    hint("s_set_vgpr_msb"),  // the decoder knows it
    hint("s_sethalt"),
    having(trait_addresses_by_m0, hint("s_sendmsg")),
    hint("s_icache_inv"),
    cache_control("s_dcache_inv", empties_scalar),
    hint("s_gl1_inv"),
    hint("s_prefetch_inst"),
    hint("s_prefetch_inst_pc_rel"),
    hint("s_prefetch_data"),
    hint("s_prefetch_data_pc_rel"),
    hint("s_buffer_prefetch_data"),
    having(trait_addresses_by_m0, hint("s_ttracedata")),
    having(trait_addresses_by_m0, hint("s_ttracedata_imm")),
    cache_control("buffer_gl0_inv", empties_l0),
    cache_control("buffer_gl1_inv", empties_l1),
    cache_control("buffer_inv", empties_by_scope, Counter::load),
    cache_control("buffer_wbl2", writes_back_by_scope, Counter::load),
    hint("buffer_invl2"),
    cache_control("buffer_wbinvl1", empties_l0 | empties_l1),
    cache_control("buffer_wbinvl1_vol", empties_l0 | empties_l1),
    hint("s_dcache_inv_vol"),
    // Stores go straight to memory, so there is nothing in the cache to discard.
    hint("s_dcache_discard"),
    hint("s_dcache_discard_x2"),
    cache_control("s_dcache_wb", writes_back_scalar, Counter::lds),
    cache_control("s_dcache_wb_vol", writes_back_scalar, Counter::lds),
    hint("flat_prefetch_b8"),
    hint("global_prefetch_b8"),
    cache_control("global_inv", empties_by_scope, Counter::load),
    cache_control("global_wb", writes_back_by_scope, Counter::store),
    cache_control("global_wbinv", empties_by_scope | writes_back_by_scope, Counter::store),
    hint("v_nop"),
    // No debugger is attached, so its branches are not taken.
    hint("s_setkill"),
    hint("s_wakeup"),
    hint("s_incperflevel"),
    hint("s_decperflevel"),
    hint("s_cbranch_cdbgsys"),
    hint("s_cbranch_cdbguser"),
    hint("s_cbranch_cdbgsys_or_user"),
    hint("s_cbranch_cdbgsys_and_user"),
    hint("s_version"),
    hint("s_atc_probe"),
    hint("s_atc_probe_buffer"),
    hint("v_pipeflush"),
};

}  // namespace

Rows scalar_control_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
