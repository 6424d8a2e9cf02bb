// Checks when a block uses the shared memory of another block, and mbarriers in it (CUDA C++
// Programming Guide, "Distributed Shared Memory"):
// - not before a barrier of the cluster, since the blocks of a cluster begin at different times;
// - not after the other block has ended.
#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/ptx/memory_barrier.h"
#include "emulator/ptx/races.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {

void RaceWatch::note_peer(const Warp& w, uint32_t site, uint32_t lanes, uint32_t rank,
                          bool has_begun) {
  races_.note(
      FindingKind::peer_memory_lifetime, site, number_of(w), lanes,
      [&] {
        return has_begun ? formatted(
                               "uses shared memory of block {} of its cluster, and nothing orders "
                               "that before the end of the block",
                               rank)
                         : formatted(
                               "uses shared memory of block {} of its cluster, and nothing says "
                               "that the block has begun",
                               rank);
      },
      has_begun ? "Put barrier.cluster.arrive and .wait (in CUDA cluster.sync()) behind the last "
                  "use, in all blocks."
                : "Put barrier.cluster.arrive and .wait (in CUDA cluster.sync()) before the first "
                  "use, in all blocks.");
}

void RaceWatch::use_of_peer(const Warp& w, const Block& owner, const check::Past& now,
                            const check::Clock& known, uint32_t lanes) {
  std::map<uint32_t, PeerUse>& uses = peer_uses_[owner.rank];
  const auto [use, is_first] = uses.try_emplace(now.actor);
  use->second = {now, &w, lanes};
  use->second.past.writes = false;
  if (has_ended_[owner.rank]) return note_peer(w, now.site, lanes, owner.rank, true);
  const auto has_begun = [&](const Warp& other) { return known.of(number_of(other)).reads > 0; };
  if (is_first && std::ranges::none_of(owner.warps, has_begun))
    note_peer(w, now.site, lanes, owner.rank, false);
}

void RaceWatch::end(const Warp& w) {
  races_.end(number_of(w));
  const Block& block = *w.block;
  if (block.live_threads != 0) return;
  has_ended_[block.rank] = true;
  check::Clock known;
  for (const Warp& its : block.warps) known.join(actor_of(its).known);
  for (const auto& [actor, use] : peer_uses_[block.rank])
    if (!check::happened(known, use.past))
      note_peer(*use.warp, use.past.site, use.lanes, block.rank, true);
}

void RaceWatch::forget_barrier(const Warp& w, uint64_t address) {
  uint32_t offset = 0;
  if (const Block* block = shared_block(w, address, offset))
    barrier_uses_.erase(key_of(*block, offset));
}

// Compares a use of an mbarrier with its mbarrier.init. The shadow memory keeps only the last
// access, so it no longer shows the init if the thread that executed the init has used the mbarrier
// since.
void RaceWatch::compare_with_init(const MemoryBarrierUse& use, const Run& run,
                                  const check::Past& now, const check::Clock& known) {
  const check::Past& init = use.initialised;
  if (!init.exists() || init.actor == now.actor || check::happened(known, init)) return;
  races_.add({init.site, run.lanes, init, now, run.address, true, false});
}

void RaceWatch::add_to_phase(MemoryBarrierUse& use, uint32_t site, uint32_t warp,
                             const check::Clock& known) {
  use.arriving.join(known);
  use.arrival = site;
  use.arriver = warp;
}

void RaceWatch::add_to_phase(const Warp& w, const Record& in, uint64_t address) {
  uint32_t offset = 0;
  const Block* block = shared_block(w, address, offset);
  if (block == nullptr) return;
  MemoryBarrierUse& use = barrier_uses_[key_of(*block, offset)];
  use.arriving.join(actor_of(w).waited);
  add_to_phase(use, races_.dispatch_->program().number_of(in), number_of(w), released(w));
}

void RaceWatch::add_wait(const Warp& w, const Record& in, MemoryBarrierUse& use) const {
  check::Past wait;
  wait.actor = number_of(w);
  wait.number = actors_[w.block->rank * w.block->warps.size() + w.number].next - 1;
  wait.site = std::min(races_.dispatch_->program().number_of(in), Races::most_sites - 1);
  const auto earlier = std::ranges::find(use.waits, wait.actor, &check::Past::actor);
  if (earlier != use.waits.end())
    *earlier = wait;
  else
    use.waits.push_back(wait);
}

// Arrivals, copies and expected bytes are recorded when they are issued. So one of them may be
// recorded in the phase before the one to which it belongs. This does not matter: if it was issued
// before that earlier phase completed, it came before all waits for the earlier phase.
void RaceWatch::check_waits(const Block& block, uint32_t offset, MemoryBarrierUse& use) {
  const check::Clock arriving = std::exchange(use.arriving, {});
  for (const check::Past& wait : std::exchange(use.waits, {})) {
    if (check::happened(arriving, wait)) continue;
    races_.note_pair(FindingKind::memory_barrier_misuse, use.arrival, wait.site, use.arriver, [&] {
      return Races::Words{
          formatted("may end the next phase of the mbarrier at {:x} of shared memory of block {} "
                    "before warp {} of block {} has seen the end of the last one: then the warp "
                    "waits for a further phase of that parity",
                    offset, block.rank, wait.actor % races_.dispatch_->warps(),
                    (wait.actor - first_warp_) / races_.dispatch_->warps()),
          "Let the thread that arrives know of the wait first: by another mbarrier, by bar.sync, "
          "or "
          "by barrier.cluster.arrive and .wait between blocks.",
          "the wait"};
    });
  }
}

// Checks at the end of a cluster how many bytes each mbarrier still expects. Bytes of copies that
// are still pending, because nobody has waited for them, count as delivered.
void RaceWatch::end_cluster() {
  for (const auto& [key, use] : barrier_uses_) {
    const Block& block = block_of(key);
    const uint32_t offset = static_cast<uint32_t>(key) & ((1u << rank_shift) - 1);
    uint64_t bits = 0;
    std::memcpy(&bits, block.shared.data() + offset, 8);
    const check::Past* const last = shared_.last_write(key);
    const bool is_kept = last != nullptr && last->update;  // no store came over it
    if (!use.is_used || !is_kept || !MemoryBarrier::is_one(bits)) continue;
    int64_t owed = MemoryBarrier::of(bits).bytes;
    for (const PendingBulk& bulk : cluster_.bulk)
      if (bulk.barrier_block == &block && bulk.barrier == offset) owed -= bulk.bytes;
    if (owed == 0) continue;
    races_.note(
        FindingKind::memory_barrier_misuse, use.site, use.warp, 0,
        [&] {
          return formatted(
              "the mbarrier at {:#x} of shared memory has been told to expect {} bytes "
              "{} than copies have delivered when the block ends",
              offset, owed < 0 ? -owed : owed, owed < 0 ? "fewer" : "more");
        },
        "Let the bytes of mbarrier.arrive.expect_tx and .expect_tx be those of the copies.");
  }
}

}  // namespace heddle::emulator::ptx
