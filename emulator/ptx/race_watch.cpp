// The part of the race detector that follows the events of one cluster.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/races.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

using check::Clock;
using check::Past;
using check::Verdict;

}  // namespace

// --- cluster -------------------------------------------------------------------------------------

RaceWatch::RaceWatch(Races& races, Cluster& cluster)
    : races_(races),
      cluster_(cluster),
      defined_(cluster, races.written_ ? &*races.written_ : nullptr,
               [this](FindingKind kind, const Warp& w, const Record& in, uint32_t lanes,
                      const std::function<std::string()>& message, uint32_t origin) {
                 const uint32_t site = races_.dispatch_->program().number_of(in);
                 const auto kept = kept_loads_.find(origin - 1);
                 if (origin == 0)
                   races_.note(kind, site, number_of(w), lanes, message);
                 else if (kept != kept_loads_.end())
                   for (const Races::Race& race : kept->second) races_.add(race);
                 else
                   races_.note(FindingKind::lds_read_before_written, origin - 1, number_of(w),
                               lanes, message, nullptr, site);
               }),
      lanes_(cluster),
      tensor_(races, cluster, [this](const Warp& w) -> Clock& { return actor_of(w).known; }),
      // The shadow of shared memory may take up to 64 bytes for each byte. So much is needed only
      // if every byte has an entry of its own, or every word several readers.
      shared_(uint64_t{64} * cluster.blocks.size() * races.dispatch_->shared_end() + (1u << 20)),
      cluster_releases_(Races::most_releases) {}

void RaceWatch::note_part_of_warp(const Warp& w, const Record& in, uint32_t lanes) {
  races_.note(
      FindingKind::divergent_barrier, races_.dispatch_->program().number_of(in), number_of(w),
      lanes,
      [&] {
        return formatted("lanes {:#x} of the warp come to the barrier, and lanes {:#x} do not",
                         lanes, w.alive & ~lanes);
      },
      "Move the barrier out of the divergent code, or use barrier.sync without .aligned.");
}

void RaceWatch::note_early_use(const Warp& w, const Record& in) {
  races_.note(FindingKind::serialised_products, races_.dispatch_->program().number_of(in),
              number_of(w), w.alive, [] {
                return "uses a register that a wgmma under way still writes, before "
                       "wgmma.wait_group: ptxas inserts a wait here (C7517), so that the products "
                       "behind it begin later";
              });
}

void RaceWatch::begin(uint64_t cluster_number) {
  const Dispatch& dispatch = *races_.dispatch_;
  first_warp_ = cluster_number * dispatch.blocks_per_cluster() * dispatch.warps();
  actors_.assign(std::size_t{dispatch.blocks_per_cluster()} * dispatch.warps(), {});
  for (std::size_t i = 0; i < actors_.size(); ++i)
    races_.running_.insert(static_cast<uint32_t>(first_warp_ + i));
  shared_.clear();
  defined_.begin();
  kept_loads_.clear();
  lanes_.begin();
  tensor_.begin(first_warp_);
  block_releases_.assign(dispatch.blocks_per_cluster(), check::Releases(Races::most_releases));
  cluster_releases_ = check::Releases(Races::most_releases);
  barriers_.assign(dispatch.blocks_per_cluster(), {});
  cluster_barrier_ = {};
  memory_barriers_.clear();
  queues_.clear();
  barrier_uses_.clear();
  peer_uses_.assign(dispatch.blocks_per_cluster(), {});
  has_ended_.assign(dispatch.blocks_per_cluster(), false);
}

RaceWatch::Actor& RaceWatch::actor_of(const Warp& w) {
  return actors_[w.block->rank * w.block->warps.size() + w.number];
}

uint32_t RaceWatch::number_of(const Warp& w) const {
  return static_cast<uint32_t>(first_warp_ + w.block->rank * w.block->warps.size() + w.number);
}

// The knowledge that a release by this warp passes on: all that the warp knows, and its own
// accesses.
Clock RaceWatch::released(const Warp& w) {
  const Actor& actor = actor_of(w);
  Clock clock = actor.known;
  clock.raise(number_of(w), {actor.next, actor.next});
  return clock;
}

// The key of a byte of shared memory. Bit 63 distinguishes it from addresses of global memory,
// which are far smaller.
uint64_t RaceWatch::key_of(const Block& block, uint32_t offset) {
  return uint64_t{1} << 63 | uint64_t{block.rank} << rank_shift | offset;
}

const Block& RaceWatch::block_of(uint64_t key) const {
  return cluster_.blocks[(key & ~(uint64_t{1} << 63)) >> rank_shift];
}

bool RaceWatch::place(const Warp& w, Space space, uint64_t address, Run& run) const {
  const uint64_t region = address >> region_shift;
  if (space == Space::param || space == Space::constant || space == Space::local) return false;
  run.address = address;
  if (space == Space::shared || (space == Space::generic && region == shared_region)) {
    const auto low = static_cast<uint32_t>(address);
    const uint32_t offset = low & ((1u << rank_shift) - 1), tag = low >> rank_shift;
    const Block& block = tag == 0 ? *w.block : cluster_.blocks[tag - 1];
    run.key = key_of(block, offset);
    run.host = block.shared.data() + offset;
    run.is_shared = true;
    return true;
  }
  if (region == private_region || region == argument_region) return false;
  const AddressSpace& memory = races_.dispatch_->memory();
  const uint64_t number = memory.region_at(address);
  if (number >= memory.region_count()) return false;
  const Region& buffer = memory.regions()[number];
  run.key = address;
  // Calculated as an integer: the dword may begin before the buffer, which need not be aligned to
  // 4.
  run.host = reinterpret_cast<const std::byte*>(reinterpret_cast<uintptr_t>(buffer.host) +
                                                (address - buffer.base));
  run.is_shared = false;
  return true;
}

check::Releases* RaceWatch::releases_of(const Warp& w, std::size_t level, const Run& run) {
  if (level == 0) return &block_releases_[w.block->rank];
  if (level == 1) return &cluster_releases_;
  return run.is_shared ? nullptr : &races_.releases_;
}

// --- accesses ------------------------------------------------------------------------------------

void RaceWatch::load(const Warp& w, const Record& in, Space space, uint32_t lanes,
                     const uint64_t* addresses, uint32_t bytes, const Compared& compared) {
  observe(w, in, space, lanes, addresses, bytes, false, false, nullptr, compared);
  defined_.read(w, in, space, lanes, addresses, bytes, false);
}

uint32_t RaceWatch::load_to_registers(const Warp& w, const Record& in, uint32_t lanes,
                                      const uint64_t* addresses, uint32_t bytes,
                                      const Compared& compared) {
  uint32_t uncertain = 0;
  uncertain_ = &uncertain;
  load(w, in, in.space, lanes, addresses, bytes, compared);
  uncertain_ = nullptr;
  return uncertain;
}

void RaceWatch::store(const Warp& w, const Record& in, Space space, uint32_t lanes,
                      const uint64_t* addresses, uint32_t bytes, const std::byte* data) {
  compare_lanes(w, in, space, lanes, addresses, bytes, data);
  observe(w, in, space, lanes, addresses, bytes, true, false, data, {});
  defined_.write(w, space, lanes, addresses, bytes);
}

void RaceWatch::update(const Warp& w, const Record& in, uint32_t lanes, const uint64_t* addresses,
                       uint32_t bytes, const Compared& compared) {
  observe(w, in, in.space, lanes, addresses, bytes, true, true, nullptr, compared);
  defined_.read(w, in, in.space, lanes, addresses, bytes, true);
  defined_.write(w, in.space, lanes, addresses, bytes);
}

void RaceWatch::touch(const Warp& w, const Record& in, uint64_t address, bool initialises) {
  Run run;
  if (!place(w, Space::shared, address, run)) return;
  run.bytes = 8;
  if (initialises) {
    const std::array<uint64_t, 32> first_lane = {address};
    defined_.write(w, Space::shared, 1, first_lane.data(), 8);
  }
  Actor& actor = actor_of(w);
  Past now;
  now.actor = number_of(w);
  now.number = actor.next++;
  now.site = std::min(races_.dispatch_->program().number_of(in), Races::most_sites - 1);
  now.writes = true;
  now.update = now.atomic = !initialises;
  now.scope = static_cast<uint32_t>(initialises ? Scope::weak : Scope::cluster);
  look(w, in, run, now, actor.known);
  if (const Block& block = block_of(run.key); &block != w.block)
    use_of_peer(w, block, now, actor.known, 0);
  MemoryBarrierUse& use = barrier_uses_[run.key];
  if (initialises && use.is_used)
    races_.note(
        FindingKind::memory_barrier_misuse, now.site, now.actor, 0,
        [&] {
          return formatted(
              "initialises the mbarrier at {:#x} of shared memory, which has been used "
              "since it was initialised before and was not invalidated",
              static_cast<uint32_t>(run.key) & 0xffffff);
        },
        "Initialise it once, or put mbarrier.inval between, when nobody uses it any more.");
  if (initialises) use = {};
  if (initialises) use.initialised = now;
  compare_with_init(use, run, now, actor.known);
  use.site = now.site;
  use.warp = now.actor;
  use.is_used = !initialises;
}

void RaceWatch::acquire(const Warp& w, const Record& in, const Run& run) {
  Actor& actor = actor_of(w);
  for (std::size_t level = 0; level < levels && level < in.scope; ++level) {
    const check::Releases* releases = releases_of(w, level, run);
    const Clock* found = releases ? releases->find(run.key) : nullptr;
    if (found == nullptr) continue;
    if (in.acquires)
      actor.known.join(*found);
    else
      actor.seen[level].join(*found);
  }
}

void RaceWatch::release(const Warp& w, const Record& in, const Run& run, bool updates) {
  Actor& actor = actor_of(w);
  for (std::size_t level = 0; level < levels; ++level) {
    check::Releases* releases = releases_of(w, level, run);
    if (releases == nullptr) continue;
    // A plain store ends the release sequence of the store before it; an atomic update continues
    // it.
    if (!updates) releases->forget(run.key);
    if (level >= in.scope) continue;
    Clock clock = in.releases ? released(w) : actor.fenced[level];
    // A thread that reads the value also learns of this access itself, if the knowledge that this
    // access releases includes all earlier accesses of the warp.
    const uint32_t self = number_of(w);
    if (clock.of(self).writes == actor.next) clock.raise(self, {actor.next + 1, actor.next + 1});
    if (!clock.is_empty()) releases->update(run.key, {}, clock);
  }
}

// True if the earlier access, at record `site`, wrote no data but an mbarrier or a tensor map. A
// copy may overwrite these without a proxy fence: Triton 3.6 has no fence in such places.
bool RaceWatch::leaves_no_data(uint32_t site) const {
  const Program& program = races_.dispatch_->program();
  const std::string name = program.mnemonic_of(program.records[site]);
  return name.starts_with("mbarrier.") || name.starts_with("tensormap.");
}

void RaceWatch::look(const Warp& w, const Record& in, const Run& run, const Past& now,
                     const Clock& known) {
  // An asynchronous update of shared memory is the completion of a copy at its mbarrier, and no
  // access of the async proxy.
  const bool is_of_async_proxy =
      races_.is_of_async_proxy(now.actor) && !(run.is_shared && now.update);
  check::AccessShadow& shadow = run.is_shared ? shared_ : races_.memory_;
  shadow.access(run.key, run.bytes, now, [&](const Past& past, uint64_t key) {
    if (!run.is_shared && !races_.depend_on_blocks_) note_blocks(in, past, now);
    bool lacks_fence = false;
    if (check::happened(known, past)) {
      if (!is_of_async_proxy || !past.writes || races_.queue_of(past.actor) != nullptr)
        return Verdict::ordered;
      Past fenced = past;
      fenced.actor += run.is_shared ? Races::fenced_shared : Races::fenced_global;
      if (check::happened(known, fenced) || (now.writes && leaves_no_data(past.site)))
        return Verdict::ordered;
      lacks_fence = true;
    }
    const uint64_t at = key - run.key;
    const uint64_t size = std::min<uint64_t>(4 - key % 4, run.bytes - at);
    const bool is_same =
        run.data != nullptr && std::memcmp(run.host + at, run.data + at, size) == 0;
    // Two copies of the same bytes to one place do not race either, while they are pending.
    const auto offset = static_cast<uint32_t>(key) & ((1u << rank_shift) - 1);
    if (is_same || (run.is_shared && run.data != nullptr &&
                    is_on_its_way(w, block_of(key), offset, {run.data + at, size})))
      return Verdict::no_change;
    // Nothing is reported if another block read the bytes before this asynchronous write: it is not
    // recorded whether that block used the value.
    const bool is_read_of_another_block =
        !run.is_shared && now.writes && !past.writes && races_.queue_of(now.actor) != nullptr &&
        races_.queue_of(past.actor) == nullptr &&
        past.actor / races_.dispatch_->warps() != number_of(w) / races_.dispatch_->warps();
    if (is_read_of_another_block) return Verdict::no_race;
    const bool are_strong = past.atomic && now.atomic && includes(past, now);
    const bool is_lost = past.writes && !past.update && now.writes && !now.update;
    if (are_strong && !is_lost && !lacks_fence) return Verdict::no_race;
    const Races::Race race = {past.site,        run.lanes,     past,       now,
                              run.address + at, run.is_shared, are_strong, lacks_fence};
    const std::byte* const held = run.compared.before ? run.compared.before : run.host;
    if (!races_.is_guess(
            race, key,
            check::Guesses<Races::Race>::word_of(key & ~uint64_t{3}, run.key, run.bytes, held))) {
      if (uncertain_ == nullptr || run.is_shared || now.atomic) {
        races_.add(race);
      } else {
        *uncertain_ |= run.lanes;
        std::vector<Races::Race>& kept = kept_loads_[now.site];
        if (kept.size() < most_kept_loads) kept.push_back(race);
      }
    }
    return Verdict::race;
  });
}

// Decides about possible races that were kept for these bytes (check/guesses.h). A Run joins
// contiguous bytes of several lanes, so all lanes of a warp count as one reader.
void RaceWatch::settle_guesses(const Run& run, const Past& now) {
  std::vector<check::Guesses<Races::Race>::Guess> races;
  races_.guesses_.settle(now.actor, now.number, run.key, run.bytes, run.compared.expected, races);
  for (const auto& guess : races) races_.add(guess.race);
}

void RaceWatch::observe(const Warp& w, const Record& in, Space space, uint32_t lanes,
                        const uint64_t* addresses, uint32_t bytes, bool writes, bool updates,
                        const std::byte* data, const Compared& compared) {
  Actor& actor = actor_of(w);
  lanes_.next_instruction();
  Past now;
  now.actor = number_of(w);
  now.number = actor.next;
  now.site = std::min(races_.dispatch_->program().number_of(in), Races::most_sites - 1);
  now.writes = writes;
  now.update = updates;
  now.atomic = in.scope != static_cast<uint8_t>(Scope::weak);
  now.scope = in.scope;
  std::array<std::byte, 1024> gathered;  // of a run, where the lanes' data have gaps
  Run run;
  const auto finish = [&] {
    if (run.bytes == 0) return;
    if (!races_.guesses_.is_empty()) settle_guesses(run, now);
    if (now.atomic && (!writes || updates)) acquire(w, in, run);
    look(w, in, run, now, actor.known);
    if (writes) release(w, in, run, updates);
  };
  for_lanes(lanes, [&](unsigned l) {
    Run next;
    if (!place(w, space, addresses[l], next)) return;
    next.bytes = bytes;
    next.lanes = 1u << l;
    const std::byte* const its_data = data != nullptr ? data + std::size_t{32} * l : nullptr;
    if (next.is_shared && &block_of(next.key) != w.block)
      use_of_peer(w, block_of(next.key), now, actor.known, lanes);
    if (next.is_shared && (its_data == nullptr || std::memcmp(next.host, its_data, bytes) != 0))
      compare_with_lanes({w, l, block_of(next.key), static_cast<uint32_t>(next.key) & 0xffffff,
                          bytes, now.site, writes, now.atomic != 0});
    const bool follows = run.bytes != 0 && next.is_shared == run.is_shared && !now.atomic &&
                         compared.before == nullptr && next.key == run.key + run.bytes &&
                         next.host == run.host + run.bytes;
    if (!follows) {
      finish();
      run = next;
      if (data != nullptr) run.data = gathered.data();
      const std::size_t at = Compared::pitch * l;
      if (compared.before != nullptr) run.compared.before = compared.before + at;
      if (compared.expected != nullptr) run.compared.expected = compared.expected + at;
    } else {
      run.bytes += bytes;
      run.lanes |= next.lanes;
    }
    if (data != nullptr)
      std::memcpy(gathered.data() + run.bytes - bytes, data + std::size_t{32} * l, bytes);
  });
  finish();
  if (now.atomic && (!writes || updates)) lanes_.read_strongly(w);
  if (in.acquires && (!writes || updates)) lanes_.synchronise(w, ~0u);
  ++actor.next;
}

void RaceWatch::compare_with_lanes(const LaneOrder::Access& access) {
  const auto found = lanes_.access(access);
  if (!found) return;
  Past past, now;
  past.actor = now.actor = number_of(access.warp);
  past.number = now.number = actor_of(access.warp).next;
  past.site = found->site & 0xffffffu;
  past.writes = found->writes;
  now.site = access.site & 0xffffffu;
  now.writes = access.writes;
  races_.add({past.site, 1u << access.lane, past, now, access.offset, true, false, false,
              static_cast<int>(found->lane)});
}

void RaceWatch::land(const Warp& w, const Record& in, unsigned lane, const Block& block,
                     uint32_t offset, uint32_t bytes) {
  compare_with_lanes({w, lane, block, offset, bytes,
                      std::min(races_.dispatch_->program().number_of(in), Races::most_sites - 1),
                      true, false});
}

void RaceWatch::compare_lanes(const Warp& w, const Record& in, Space space, uint32_t lanes,
                              const uint64_t* addresses, uint32_t bytes, const std::byte* data) {
  bool rises = true;
  uint64_t end = 0;
  for_lanes(lanes, [&](unsigned l) {
    rises = rises && addresses[l] >= end;
    end = addresses[l] + bytes;
  });
  Run run;
  if (rises || !place(w, space, addresses[std::countr_zero(lanes)], run)) return;
  std::array<unsigned, 32> order{};
  std::size_t count = 0;
  for_lanes(lanes, [&](unsigned l) { order[count++] = l; });
  std::ranges::sort(order.begin(), order.begin() + count, {},
                    [&](unsigned lane) { return std::pair(addresses[lane], lane); });
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const unsigned a = order[i], b = order[i + 1];
    const uint64_t apart = addresses[b] - addresses[a];
    if (apart >= bytes || std::memcmp(data + std::size_t{32} * a + apart,
                                      data + std::size_t{32} * b, bytes - apart) == 0)
      continue;
    Past none, now;
    none.site = Races::most_sites - 1;
    now.actor = number_of(w);
    now.site = std::min(races_.dispatch_->program().number_of(in), Races::most_sites - 1);
    now.writes = true;
    return races_.add(
        {none.site, 1u << a | 1u << b, none, now, addresses[b], run.is_shared, false});
  }
}

void RaceWatch::note_blocks(const Record& in, const Past& past, const Past& now) {
  const Dispatch& dispatch = *races_.dispatch_;
  if (races_.warp_of(past.actor) / dispatch.warps() == races_.warp_of(now.actor) / dispatch.warps())
    return;
  const Record& other = dispatch.program().records[past.site];
  races_.depend_on_blocks_ =
      !in.commutes || !other.commutes || in.detail != other.detail || in.handler != other.handler;
}

// True if the scope of each of two strong accesses includes the thread of the other one.
bool RaceWatch::includes(const Past& past, const Past& now) const {
  const Dispatch& dispatch = *races_.dispatch_;
  const uint32_t reach = std::min(past.scope, now.scope);
  if (reach >= static_cast<uint32_t>(Scope::device)) return true;
  const uint32_t a = races_.warp_of(past.actor) / dispatch.warps();
  const uint32_t b = races_.warp_of(now.actor) / dispatch.warps();
  if (a == b) return reach >= static_cast<uint32_t>(Scope::block);
  const uint32_t blocks = dispatch.blocks_per_cluster();
  return a / blocks == b / blocks && reach >= static_cast<uint32_t>(Scope::cluster);
}

// --- what orders accesses ------------------------------------------------------------------------

void RaceWatch::fence(const Warp& w, Scope scope, bool is_sequential) {
  lanes_.fence(w);
  Actor& actor = actor_of(w);
  const std::size_t reach = std::min(static_cast<std::size_t>(scope), levels);
  for (std::size_t level = 0; level < reach; ++level) {
    actor.known.join(std::exchange(actor.seen[level], {}));
    if (is_sequential) actor.known.join(std::exchange(actor.seen_by_block[level], {}));
  }
  const Clock clock = released(w);
  for (std::size_t level = 0; level < reach; ++level) {
    actor.fenced[level] = clock;
    if (is_sequential) actor.sequential[level] = clock;
  }
}

void RaceWatch::arrive(const Warp& w, uint32_t barrier) {
  Handover& handover = barriers_[w.block->rank][barrier];
  handover.arriving.join(released(w));
  Actor& actor = actor_of(w);
  for (std::size_t level = 0; level < levels; ++level) {
    handover.sequential[level].join(actor.sequential[level]);
    handover.seen[level].join(actor.seen[level]);
    handover.seen[level].join(actor.seen_by_block[level]);
  }
  ++actor.next;
}

void RaceWatch::complete(const Block& block, uint32_t barrier) {
  Handover& handover = barriers_[block.rank][barrier];
  for (const Warp& w : block.warps)
    for (uint32_t i = 0; i < w.group_count; ++i)
      if (w.groups[i].state == Group::State::at_barrier && w.groups[i].barrier == barrier) {
        Actor& actor = actor_of(w);
        actor.known.join(handover.arriving);
        lanes_.synchronise(w, ~0u);
        for (std::size_t level = 0; level < levels; ++level) {
          actor.sequential[level].join(handover.sequential[level]);
          actor.fenced[level].join(handover.sequential[level]);
          actor.seen_by_block[level].join(handover.seen[level]);
        }
      }
  handover = {};
}

void RaceWatch::arrive_at_cluster(const Warp& w, bool releases) {
  cluster_barrier_.arriving.join(
      releases ? released(w) : actor_of(w).fenced[static_cast<std::size_t>(Scope::cluster) - 1]);
  tensor_.arrive(w, releases, cluster_barrier_.tensor_arriving);
  ++actor_of(w).next;
}

void RaceWatch::complete_cluster() {
  cluster_barrier_.complete = std::exchange(cluster_barrier_.arriving, {});
  cluster_barrier_.tensor_complete = std::exchange(cluster_barrier_.tensor_arriving, {});
}

void RaceWatch::leave_cluster(const Warp& w) {
  actor_of(w).known.join(cluster_barrier_.complete);
  lanes_.synchronise(w, ~0u);
  tensor_.leave(w, cluster_barrier_.tensor_complete);
}

void RaceWatch::arrive_at(const Warp& w, const Record& in, uint64_t address, bool releases) {
  uint32_t offset = 0;
  const Block* block = shared_block(w, address, offset);
  if (block == nullptr) return;
  Handover& handover = memory_barriers_[key_of(*block, offset)];
  handover.arriving.join(releases ? released(w) : actor_of(w).fenced[0]);
  tensor_.arrive(w, releases, handover.tensor_arriving);
  add_to_phase(w, in, address);
  ++actor_of(w).next;
}

bool RaceWatch::knows(const Warp& w, const Block& block, uint32_t offset) const {
  const auto found = memory_barriers_.find(key_of(block, offset));
  if (found == memory_barriers_.end()) return true;
  const Clock& known = actors_[w.block->rank * w.block->warps.size() + w.number].known;
  Clock both = known;
  both.join(found->second.complete);
  return both == known;
}

void RaceWatch::arrive_commit(const Warp& w, uint64_t number, const Block& block, uint32_t offset) {
  Handover& handover = memory_barriers_[key_of(block, offset)];
  const Clock clock = tensor_.complete(w, number);
  handover.arriving.join(clock);
  handover.tensor_arriving.join({clock, clock});
}

void RaceWatch::end_phase(const Block& block, uint32_t offset) {
  const uint64_t key = key_of(block, offset);
  Handover& handover = memory_barriers_[key];
  handover.complete.join(handover.arriving);
  handover.tensor_complete.join(handover.tensor_arriving);
  check_waits(block, offset, barrier_uses_[key]);
}

void RaceWatch::leave(const Warp& w, const Record& in, uint64_t address, bool acquires) {
  uint32_t offset = 0;
  const Block* block = shared_block(w, address, offset);
  if (block == nullptr) return;
  const uint64_t key = key_of(*block, offset);
  MemoryBarrierUse& use = barrier_uses_[key];
  add_wait(w, in, use);
  actor_of(w).waited.join(use.issued);
  const auto found = memory_barriers_.find(key);
  if (found == memory_barriers_.end()) return;
  Actor& actor = actor_of(w);
  lanes_.synchronise(w, ~0u);
  tensor_.leave(w, found->second.tensor_complete);
  if (acquires)
    actor.known.join(found->second.complete);
  else
    actor.seen[0].join(found->second.complete);
}

}  // namespace heddle::emulator::ptx
