// The part of the checker that follows barriers: which waves arrive at which barrier, and what a
// wave learns about the others there. Also what a wave learns when it reads a word in LDS.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/check/checker_state.h"
#include "library/text/formatted.h"

namespace heddle::emulator::check {

void Checker::signal(WaveState& state, uint32_t instruction) {
  if (state.signals == barriers_so_far()) {
    barriers_.push_back({instruction, state.number});
    for (const auto& other : states_)
      if (other->ended && other->signals == state.signals) other->miss(barriers_.back());
  }
  ++state.signals;
  state.signalled_at = log_.time();
  if (barriers_.size() >= 64) forget_barriers();
  // Operations that are outstanding when the wave signals may end after the barrier, so their
  // accesses to LDS get a newer stamp.
  for (const Operation& operation : state.outstanding.operations()) {
    const LdsTrace* trace = state.trace_of(operation.lds_trace);
    for (int i = 0; trace != nullptr && i < trace->count; ++i) {
      const LdsTrace::Access& access = trace->accesses[i];
      lds_.restamp({state.number, state.signals, state.waits, operation.instruction}, access.kind,
                   access.offsets, access.lanes, access.bytes);
    }
  }
}

void Checker::end(WaveState& state, const Wavefront& wave, uint32_t instruction) {
  state.ended = true;
  state.end_instruction = instruction;
  report_guesses(state);
  if (state.signals < barriers_so_far()) state.miss(barrier(state.signals));
  arrive(state, {BarrierClocks::of_workgroup, wave.barrier->generation});
  if (state.outstanding.lacks_write_back())
    log_.add({FindingKind::scalar_store_not_written_back, instruction,
              static_cast<int>(state.number), 0},
             {}, [&] {
               return FindingLog::Words{
                   formatted("wave {} ends while the scalar cache may hold what it has stored",
                             state.number),
                   {}};
             });
  if (wave.barrier_signalled)
    log_.add({FindingKind::barrier_not_awaited, instruction, static_cast<int>(state.number), 0}, {},
             [&] {
               return FindingLog::Words{
                   formatted("wave {} has signalled the barrier and ends without a wait for it",
                             state.number),
                   {}};
             });
}

void Checker::forget_barriers() {
  uint32_t fewest = barriers_so_far();
  for (const auto& state : states_)
    if (!state->ended) fewest = std::min(fewest, state->signals);
  barriers_.erase(barriers_.begin(), barriers_.begin() + (fewest - first_barrier_));
  first_barrier_ = fewest;
}

// Collects the knowledge that a wave passes on to others. `arrival` describes the instruction if it
// arrives at a barrier in LDS; null for other barriers. An arrival in LDS is an LDS operation, so
// it comes after the wave's earlier LDS operations; some arrivals also come after the wave's copies
// between memory and LDS.
Told Checker::tell(WaveState& state, const Effects* arrival) {
  const bool after_copies = arrival && arrival->row[0]->role == Role::barrier_arrive_after_copies;
  Told told = tell_of_memory(state, after_copies, arrival == nullptr);
  if (lds_order_) {
    LdsOrder::Actor actor = lds_actor(state);
    if (arrival) actor.ended[static_cast<std::size_t>(Group::lds)] = actor.number;
    if (after_copies) actor.ended[static_cast<std::size_t>(Group::async)] = actor.number;
    lds_order_->tell(actor, told);
  }
  return told;
}

// `returned`: what has returned is known, too.
Told Checker::tell_of_memory(WaveState& state, bool after_copies, bool returned) {
  Told told;
  if (!shadow_.races) return told;
  const Progress own = state.outstanding.progress(state.clock.number, after_copies);
  if (returned) state.clock.returned(own.reads);
  state.clock.seen.raise(state.clock.actor, state.clock.told(own));
  told.seen = state.clock.seen;
  if (shadow_.races->machine().barrier_orders) {
    state.clock.near.raise(state.clock.actor, {state.clock.followed, state.clock.followed});
    told.near = state.clock.near;
  }
  return told;
}

void Checker::arrive(WaveState& state, BarrierClocks::Round round) {
  if (!shadow_.races && !lds_order_) return;
  const Told told = tell(state);
  barrier_clocks_.arrive(round, told);
  // Other workgroups do not share this LDS and these caches, so they only learn about global
  // memory.
  Told of_memory;
  of_memory.seen = told.seen;
  if (round.barrier == BarrierState::cluster) cluster_clocks_.arrive(round, of_memory);
}

void Checker::learn(WaveState& state, BarrierClocks::Round round) {
  if (!shadow_.races && !lds_order_) return;
  learn(state, barrier_clocks_.learn(round));
  if (round.barrier == BarrierState::cluster) learn(state, cluster_clocks_.learn(round));
}

void Checker::learn(WaveState& state, const Told& told) {
  state.clock.seen.join(told.seen);
  state.clock.near.join(told.near);
  if (lds_order_) lds_order_->learn(state.number, told);
}

// Handles an access to a barrier in LDS. A wave that arrives passes on its knowledge. A wave that
// reads the barrier's word learns the knowledge of all waves that arrived in complete phases.
void Checker::synchronise_in_lds(WaveState& state, const MemoryAccess& access,
                                 const uint32_t* offsets, uint32_t lanes) {
  const Effects& effects = shadow_.effects[access.instruction->index];
  if (!effects.arrives && (access.kind != AccessKind::load || !barrier_clocks_.has_any_in_lds()))
    return;
  Told told;
  if (effects.arrives) told = tell(state, &effects);
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint32_t address = offsets[std::countr_zero(rest)];
    const uint64_t barrier = BarrierClocks::in_lds(address);
    if (!effects.arrives && !barrier_clocks_.is_barrier(barrier)) continue;
    uint32_t word;
    std::memcpy(&word, observed_->lds + address, sizeof word);
    constexpr int phase_shift = 29;
    const BarrierClocks::Round round = {barrier, word >> phase_shift};
    if (effects.arrives)
      barrier_clocks_.arrive(round, told);
    else
      learn(state, round);
  }
}

// Handles locks, flags and counters in LDS. A wave that reads such a word learns what the waves
// that wrote the word had done before.
void Checker::synchronise_by_words(WaveState& state, const MemoryAccess& access,
                                   const uint32_t* offsets, uint32_t lanes) {
  const Effects& effects = shadow_.effects[access.instruction->index];
  if (effects.copies || effects.arrives) return;
  const bool updates = access.kind == AccessKind::atomic;
  if (effects.polls) lds_order_->note_seen(state.number, access.instruction->index, offsets, lanes);
  if (updates ? returns(*effects.row[0], access) : effects.polls)
    learn(state, lds_order_->told_at(state.number, offsets, lanes));
  if (access.kind != AccessKind::load && access.bytes <= 8)
    lds_order_->release(lds_actor(state), effects.group, updates, offsets, lanes,
                        tell_of_memory(state, false, false));
}

void Checker::use_barrier(WaveState& state, uint32_t instruction, uint32_t barrier) {
  if (!lds_order_ || barrier == BarrierState::cluster) return;
  const bool sets_up = shadow_.effects[instruction].action == Action::named_init;
  const auto races = lds_order_->use_barrier(lds_actor(state), instruction, barrier, sets_up);
  ++state.clock.number;
  for (const LdsShadow::Race& race : races)
    log_.add({FindingKind::barrier_before_init, instruction, static_cast<int>(state.number), 0},
             {{formatted("{} by wave {} here", sets_up ? "used" : "set up", race.wave),
               race.instruction}},
             [&] {
               return FindingLog::Words{
                   formatted("{} barrier {}, which wave {} {}, and nothing orders the two",
                             sets_up ? "sets up" : "uses", barrier, race.wave,
                             sets_up ? "uses" : "sets up"),
                   {}};
             });
}

LdsOrder::Actor Checker::lds_actor(const WaveState& state) const {
  return {state.number, state.clock.number, state.outstanding.ended(state.clock.number)};
}

// Reports waves that ended before a barrier that other waves reached. The other waves do not wait
// for an ended wave. The hardware allows that, but it may be a mistake in the program. The report
// names the last barrier in which the ended wave took part.
void Checker::finish() {
  for (const auto& state : states_) {
    if (!state->missed) continue;
    log_.next_instruction();
    log_.add({FindingKind::divergent_barrier, state->missed_instruction,
              static_cast<int>(state->missed_wave), 0, state->signalled_at},
             {{"another wave ended here", state->end_instruction}}, [&] {
               return FindingLog::Words{
                   formatted("wave {} is at a barrier that wave {} never reaches: it ended after "
                             "{} barriers",
                             state->missed_wave, state->number, state->signals),
                   {}};
             });
  }
}

}  // namespace heddle::emulator::check
