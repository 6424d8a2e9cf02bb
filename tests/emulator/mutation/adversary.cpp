#include "adversary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <tuple>

#include "../kernels.h"
#include "emulator/decode/program.h"
#include "emulator/dispatch/dispatch.h"
#include "emulator/machine/float_mode.h"
#include "emulator/machine/halves.h"
#include "emulator/machine/wavefront.h"
#include "meaning.h"
#include "views.h"

namespace heddle::emulator::testing {
namespace {

// Instructions without a barrier after which a wave lets everything end, and what a sleep counts
// for.
constexpr uint64_t patience = 20'000, sleep_work = 500;

// What an operation loaded, twice: halves that are equal were loaded.
struct Results {
  static constexpr unsigned vectors = 4, words = 16;
  uint32_t vector[2][vectors][32], scalar[2][words];
  uint32_t upper_vector[2][vectors][32];  // of lanes 32 to 63
};

struct Operation {
  const Instruction* instruction;
  const Meaning* meaning;
  std::array<bool, counters> counts;  // those in which it is outstanding
  Reach reach;
  std::unique_ptr<Wavefront> issued;        // the wave as it was; null once it is carried out
  std::unique_ptr<Wavefront> issued_upper;  // its lanes 32 to 63
  std::unique_ptr<Results> results;
  std::vector<uint32_t> before;  // what its register held at the issue, where it may be restored
  std::vector<Piece> pieces;     // of buffers, which other waves see
  std::vector<std::byte> data;   // of a store to them that is not carried out

  bool changes_memory() const { return meaning->is_atomic || meaning->is_store; }
};

struct Workgroup {
  Workgroup(const Dispatch& dispatch, uint64_t pitch)
      : lds(dispatch.lds_bytes() + 64, std::byte{0xff}),
        scratch(
            pitch * static_cast<uint64_t>(dispatch.wave()) * dispatch.waves_per_workgroup() + 64,
            std::byte{0xff}),
        view(dispatch.memory()) {
    barrier.members = dispatch.waves_per_workgroup();
  }
  BarrierState barrier;
  std::vector<std::byte> lds, scratch;
  View view;
};

struct Wave {
  Wave(const Dispatch& dispatch, Workgroup& its_workgroup)
      : workgroup(&its_workgroup), view(dispatch.memory()), scalars(dispatch.memory()) {
    if (dispatch.wave() == 64) upper = std::make_unique<Wavefront>();
  }
  Workgroup* workgroup;
  std::unique_ptr<Wavefront> state = std::make_unique<Wavefront>();
  std::unique_ptr<Wavefront> upper;   // lanes 32 to 63 of a wave of 64
  std::deque<Operation> outstanding;  // in the order of issue
  View view, scalars;
  uint64_t without_barrier = 0;  // instructions
};

class Machine {
 public:
  Machine(const Dispatch& dispatch, const std::vector<Meaning>& meanings, const Schedule& schedule,
          uint64_t most_instructions, Execution& execution)
      : dispatch_(dispatch),
        meanings_(meanings),
        schedule_(schedule),
        most_instructions_(most_instructions),
        execution_(execution),
        random_(schedule.seed + 1),
        memory_(dispatch.memory().regions()),
        nowhere_(dispatch, pitch()) {
    for (uint64_t number = 0; number < dispatch.workgroups(); ++number) {
      Workgroup& workgroup = workgroups_.emplace_back(dispatch, pitch());
      for (uint32_t i = 0; i < dispatch.waves_per_workgroup(); ++i) start(workgroup, number, i);
    }
    if (schedule.reverse) std::ranges::reverse(order_);
  }

  void run() {
    while (!execution_.fault) {
      std::vector<Wave*> runnable;
      bool all_ended = true;
      for (Wave* wave : order_) {
        if (is_runnable(*wave)) runnable.push_back(wave);
        all_ended = all_ended && wave->state->event == Event::ended;
      }
      if (all_ended) return;
      if (runnable.empty()) return fail("no wave can go on");
      Wave& next = schedule_.turn ? *runnable[random_.bits() % runnable.size()] : *runnable.front();
      run_wave(next, schedule_.turn ? 1 + random_.bits() % (2 * schedule_.turn) : patience);
      // One that sleeps or goes on for ever is no reason for the others to wait.
      if (is_runnable(next)) {
        std::erase(order_, &next);
        order_.push_back(&next);
      }
    }
  }

 private:
  uint64_t pitch() const { return (dispatch_.scratch_bytes() + 127) / 64 * 64; }

  void start(Workgroup& workgroup, uint64_t number, uint32_t i) {
    Wave& wave = waves_.emplace_back(dispatch_, workgroup);
    order_.push_back(&wave);
    Wavefront& w = *wave.state;
    w = Wavefront{};
    w.upper = wave.upper.get();
    dispatch_.start(w, dispatch_.workgroup_id(number), i);
    share(w, workgroup, i * static_cast<uint64_t>(dispatch_.wave()));
    if (w.upper) share(*w.upper, workgroup, i * 64 + 32);
  }

  void share(Wavefront& half, Workgroup& workgroup, uint64_t first_lane) {
    half.lds = workgroup.lds.data();
    half.lds_bytes = dispatch_.lds_bytes();
    half.scratch = workgroup.scratch.data() + first_lane * pitch();
    half.scratch_bytes = dispatch_.scratch_bytes();
    half.scratch_pitch = pitch();
    half.barrier = &workgroup.barrier;
    half.numbers = &numbers_;
  }

  static bool is_runnable(const Wave& wave) {
    const Wavefront& w = *wave.state;
    if (w.event == Event::ended) return false;
    return !w.barrier_waiting || barrier_is_complete(w);
  }

  void run_wave(Wave& wave, uint64_t most) {
    Wavefront& w = *wave.state;
    install_float_mode(w.mode);
    w.event = Event::none;
    w.barrier_waiting = false;
    numbers_.next = nullptr;  // those of the wave whose turn it was
    const Instruction* in = w.resume;
    for (; in && most > 0 && !execution_.fault; --most) {
      if (++execution_.instructions > most_instructions_) return fail("too many instructions");
      ++wave.without_barrier;
      execution_.executed[in->index] = true;
      const Meaning& meaning = meanings_[in->index];
      if (meaning.is_memory) {
        issue(wave, in, meaning);
        in = in + 1;
        continue;
      }
      for (int counter = 0; counter < counters; ++counter)
        if (const int left = meaning.wait[static_cast<std::size_t>(counter)]; left >= 0)
          wait(wave, static_cast<std::size_t>(counter), static_cast<std::size_t>(left));
      renew(wave, meaning);
      in = in->handler(w, in);
    }
    if (in) w.resume = in;
    if (w.event == Event::fault) fail(std::string(fault_kind_name(w.fault)));
    if (w.event == Event::barrier) wave.without_barrier = 0;
    if (w.event == Event::yield) wave.without_barrier += sleep_work;
    if (w.event == Event::ended) end(wave);
    if (wave.without_barrier < patience) return;
    for (Wave* other : order_) end_all(*other);
    wave.without_barrier = 0;
  }

  void end_all(Wave& wave) {
    while (!wave.outstanding.empty() && !execution_.fault) complete(wave, 0);
  }

  void end(Wave& wave) {
    end_all(wave);
    Wavefront& w = *wave.state;
    w.event = Event::ended;
    BarrierState& barrier = wave.workgroup->barrier;
    --barrier.members;
    if (w.barrier_signalled && w.barrier_generation == barrier.generation) --barrier.signalled;
    if (barrier.members > 0 && barrier.signalled == barrier.members) {
      barrier.signalled = 0;
      ++barrier.generation;
    }
  }

  // --- operations that have been issued ---------------------------------------------------------

  bool draw(unsigned of_256) { return random_.bits() % 256 < of_256; }

  void issue(Wave& wave, const Instruction* in, const Meaning& meaning) {
    // Flat operations that go to LDS do so in order with the others there.
    if (meaning.is_flat) carry_out_lds(wave);
    wave.outstanding.push_back(
        {in, &meaning, meaning.counts, meaning.reach, nullptr, nullptr, nullptr, {}, {}, {}});
    Operation& operation = wave.outstanding.back();
    if (meaning.is_cache_control) {
      renew(wave, meaning);
    } else {
      operation.issued = std::make_unique<Wavefront>(*wave.state);
      if (wave.upper) {
        operation.issued_upper = std::make_unique<Wavefront>(*wave.upper);
        operation.issued->upper = operation.issued->other = operation.issued_upper.get();
        operation.issued_upper->other = operation.issued.get();
      }
      if (meaning.restores_half)
        operation.before.assign(wave.state->vgpr[in->destination],
                                wave.state->vgpr[in->destination] + 32);
      if (meaning.queue != lds_queue) issue_to_memory(wave, operation);
    }
    if (!draw(schedule_.early) || execution_.fault) return;
    if (meaning.queue == store_queue)
      carry_out(wave, operation);
    else
      complete(wave, wave.outstanding.size() - 1);
  }

  void issue_to_memory(Wave& wave, Operation& operation) {
    const Meaning& meaning = *operation.meaning;
    if (!meaning.is_private) find_pieces(operation);
    // What no other wave sees may happen at once. Neither do scalar loads wait for anything: their
    // cache shows what it shows.
    if (operation.pieces.empty() || meaning.queue == scalar_queue) {
      if (draw(schedule_.fresh)) operation.reach = Reach::device;
      return carry_out(wave, operation);
    }
    if (!operation.changes_memory() && draw(schedule_.fresh)) operation.reach = Reach::device;
    keep_order(wave, operation);
    // One from LDS reads there when it is carried out.
    if (meaning.is_store && !meaning.is_copy)
      hold_back(wave, operation);
    else if (!meaning.is_store && draw(schedule_.captured))
      carry_out(wave, operation);
  }

  // Runs the instruction where it does no harm, to learn the addresses of its lanes.
  void find_pieces(Operation& operation) {
    const auto note = [](Wavefront& wave, const MemoryAccess& access) {
      // A flat access to scratch is none of a buffer.
      if (!access.addresses || access.space == MemorySpace::scratch) return;
      auto& pieces = *static_cast<std::vector<Piece>*>(wave.observer);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const uint64_t address = access.addresses[access.space == MemorySpace::scalar ? 0 : lane];
        const uint64_t region = address >> region_shift;
        if (!(access.lanes >> lane & 1) || region < first_buffer_region ||
            region >= wave.region_count)
          continue;
        if (!pieces.empty() && pieces.back().address + pieces.back().bytes == address)
          pieces.back().bytes += access.bytes;
        else
          pieces.push_back({address, access.bytes});
      }
    };
    const auto halves = {operation.issued.get(), operation.issued_upper.get()};
    std::vector<std::pair<std::byte*, std::byte*>> places;
    for (Wavefront* half : halves) {
      if (!half) continue;
      places.emplace_back(half->lds, half->scratch);
      half->observe = note;
      half->observer = &operation.pieces;
      half->lds = nowhere_.lds.data();
      half->scratch = nowhere_.scratch.data();
    }
    run(operation, *operation.issued, nowhere_.view.regions());
    auto place = places.begin();
    for (Wavefront* half : halves) {
      if (!half) continue;
      half->observe = nullptr;
      std::tie(half->lds, half->scratch) = *place++;
    }
  }

  // Operations of one wave on one address are carried out in the order of their issue. A load
  // through the wave's own cache finds there what the wave has stored.
  void keep_order(Wave& wave, const Operation& operation) {
    const bool reads_own_view = !operation.changes_memory() && operation.reach == Reach::wave;
    for (Operation& older : wave.outstanding) {
      if (&older == &operation) return;
      if (!older.changes_memory() && !operation.changes_memory()) continue;
      if (reads_own_view && older.meaning->is_store) continue;
      if (overlap(older.pieces, operation.pieces)) carry_out(wave, older);
    }
  }

  // A store: the wave's own cache has it at once, the others when it is carried out.
  void hold_back(Wave& wave, Operation& operation) {
    run(operation, *operation.issued, wave.view.regions());
    operation.issued.reset();
    for (const Piece& piece : operation.pieces) {
      const std::byte* from = host_of(wave.view.regions(), piece);
      operation.data.insert(operation.data.end(), from, from + piece.bytes);
    }
    for_cache_of(wave, [&](Wave& other) {
      if (&other != &wave) write(other.view.regions(), operation);
    });
  }

  static void write(const Region* to, const Operation& operation) {
    const std::byte* from = operation.data.data();
    for (const Piece& piece : operation.pieces) {
      std::memcpy(host_of(to, piece), from, piece.bytes);
      from += piece.bytes;
    }
  }

  void renew(Wave& wave, const Meaning& meaning) {
    if (meaning.renews_workgroup) wave.workgroup->view.renew(memory_);
    if (meaning.renews_scalars) wave.scalars.renew(memory_);
    if (!meaning.renews_wave) return;
    for_cache_of(wave, [&](Wave& other) {
      other.view.renew(wave.workgroup->view.regions());
      for_cache_of(wave, [&](Wave& writer) {
        for (const Operation& operation : writer.outstanding)
          if (!operation.data.empty()) write(other.view.regions(), operation);
      });
    });
  }

  // The waves that read through the same first cache: where it is the only one before L2 those of a
  // workgroup, which see each other's stores there at once (LLVM, SIMemoryLegalizer, whose code
  // relies on it).
  template <class F>
  void for_cache_of(Wave& wave, F f) {
    const Target& target = dispatch_.object().target();
    const bool shared = target.has(Feature::one_near_cache);
    for (Wave& other : waves_)
      if (&other == &wave || (shared && other.workgroup == wave.workgroup)) f(other);
  }

  void carry_out_lds(Wave& wave) {
    for (Operation& operation : wave.outstanding)
      if (operation.meaning->queue == lds_queue) carry_out(wave, operation);
  }

  // What the operation reads and writes: the memory that all waves share, or a cache.
  const Region* place_of(Wave& wave, const Operation& operation) {
    if (operation.pieces.empty()) return memory_;
    if (operation.meaning->queue == scalar_queue)
      return operation.reach == Reach::device ? memory_ : wave.scalars.regions();
    if (operation.meaning->is_atomic)
      return operation.reach == Reach::device      ? memory_
             : operation.reach == Reach::workgroup ? wave.workgroup->view.regions()
                                                   : wave.view.regions();
    if (operation.reach == Reach::device) wave.workgroup->view.renew(memory_, operation.pieces);
    if (operation.reach != Reach::wave)
      wave.view.renew(wave.workgroup->view.regions(), operation.pieces);
    return wave.view.regions();
  }

  // Runs the instruction on the wave as it was, with results that go to spare registers. What it
  // loads comes out the same whatever they held; what changes memory runs once only, over a value
  // that no kernel here computes.
  void carry_out(Wave& wave, Operation& operation) {
    if (execution_.fault) return;
    if (!operation.data.empty()) {
      write(memory_, operation);
      write(wave.workgroup->view.regions(), operation);
      operation.data.clear();
    }
    if (!operation.issued) return;
    operation.results = std::make_unique<Results>();
    Results& results = *operation.results;
    const Region* const place = place_of(wave, operation);
    const bool once = operation.changes_memory();
    Wavefront& then = *operation.issued;
    std::memset(&results, untouched, sizeof results);
    for (int i = 0; i < (once ? 1 : 2); ++i) {
      const int fill = once ? untouched : i * 0xff;
      std::memset(then.vgpr[spare_vector], fill, sizeof results.vector[i]);
      if (then.upper)
        std::memset(then.upper->vgpr[spare_vector], fill, sizeof results.upper_vector[i]);
      std::memset(&then.scalar[spare_scalar], fill, sizeof results.scalar[i]);
      run(operation, then, place);
      std::memcpy(results.vector[i], then.vgpr[spare_vector], sizeof results.vector[i]);
      if (then.upper)
        std::memcpy(results.upper_vector[i], then.upper->vgpr[spare_vector],
                    sizeof results.upper_vector[i]);
      std::memcpy(results.scalar[i], &then.scalar[spare_scalar], sizeof results.scalar[i]);
    }
    operation.issued.reset();
    if (!operation.changes_memory() || operation.pieces.empty()) return;
    View& shared = wave.workgroup->view;
    if (operation.reach != Reach::device) copy(place, memory_, operation.pieces);
    if (place != shared.regions()) shared.renew(place, operation.pieces);
    if (place != wave.view.regions()) wave.view.renew(place, operation.pieces);
  }

  static void copy(const Region* from, const Region* to, const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces)
      std::memcpy(host_of(to, piece), host_of(from, piece), piece.bytes);
  }

  void run(const Operation& operation, Wavefront& then, const Region* place) {
    Instruction redirected = *operation.instruction;
    const uint16_t to = operation.meaning->queue == scalar_queue ? spare_scalar : spare_vector;
    std::array<Instruction, 2> parts;
    if (runs_halves(redirected.handler)) {
      parts = {redirected.target[0], redirected.target[1]};
      for (Instruction& part : parts) part.destination = to;
      redirected.target = parts.data();
    } else {
      redirected.destination = to;
    }
    then.regions = place;
    if (then.upper) then.upper->regions = place;
    then.event = Event::none;
    redirected.handler(then, &redirected);
    if (then.event == Event::fault) fail(std::string(fault_kind_name(then.fault)));
  }

  // --- operations that end -----------------------------------------------------------------------

  // Ends operations until at most `left` count, each time one that may end next: of a queue in
  // order the oldest, of scalar loads any.
  void wait(Wave& wave, std::size_t counter, std::size_t left) {
    for (;;) {
      std::vector<std::size_t> next;
      std::size_t count = 0;
      bool seen = false;
      for (std::size_t i = 0; i < wave.outstanding.size(); ++i) {
        const Operation& operation = wave.outstanding[i];
        if (!operation.counts[counter]) continue;
        ++count;
        const bool is_scalar = operation.meaning->queue == scalar_queue;
        if (is_scalar || !seen) next.push_back(i);
        seen = seen || !is_scalar;
      }
      if (count <= left || execution_.fault) return;
      const std::size_t chosen = next[random_.bits() % next.size()];
      Operation& operation = wave.outstanding[chosen];
      operation.counts[counter] = false;
      if (std::ranges::find(operation.counts, true) == operation.counts.end())
        complete(wave, chosen);
    }
  }

  // Ends an operation, and before it those of its queue that are older.
  void complete(Wave& wave, std::size_t chosen) {
    const Queue queue = wave.outstanding[chosen].meaning->queue;
    for (std::size_t i = 0; i <= chosen && !execution_.fault;) {
      const bool is_older = wave.outstanding[i].meaning->queue == queue && queue != scalar_queue;
      if (i != chosen && !is_older) {
        ++i;
        continue;
      }
      finish(wave, wave.outstanding[i]);
      wave.outstanding.erase(wave.outstanding.begin() + static_cast<std::ptrdiff_t>(i));
      if (i == chosen) return;
      --chosen;
    }
  }

  // The registers get what the operation loaded.
  void finish(Wave& wave, Operation& operation) {
    carry_out(wave, operation);
    if (execution_.fault || !operation.results || !operation.meaning->returns) return;
    const bool once = operation.changes_memory();
    Wavefront& now = *wave.state;
    now.numbers->next = nullptr;  // A and B of the next instruction may be what is loaded
    const auto take = [&](uint32_t& to, uint32_t result, uint32_t other) {
      const uint32_t difference = result ^ other;
      uint32_t mask = (difference & 0xffffu ? 0 : 0xffffu) | (difference >> 16 ? 0 : 0xffff0000u);
      if (once) mask = difference ? ~0u : 0;
      to = (to & ~mask) | (result & mask);
    };
    const Results& results = *operation.results;
    const Instruction& in = *operation.instruction;
    const uint16_t to = runs_halves(in.handler) ? in.target[0].destination : in.destination;
    if (operation.meaning->queue == scalar_queue) {
      for (unsigned i = 0; i < Results::words && to + i < scalar_registers; ++i)
        take(now.scalar[to + i], results.scalar[0][i], results.scalar[1][i]);
      return;
    }
    for (unsigned l = 0; l < 32 && !operation.before.empty(); ++l)
      if (results.vector[0][0][l] != ~results.vector[1][0][l])  // the lane was on
        now.vgpr[to][l] = operation.before[l];
    for (unsigned r = 0; r < Results::vectors && to + r < first_spare_register; ++r)
      for (unsigned l = 0; l < 32; ++l)
        take(now.vgpr[to + r][l], results.vector[0][r][l], results.vector[1][r][l]);
    for (unsigned r = 0; wave.upper && r < Results::vectors && to + r < first_spare_register; ++r)
      for (unsigned l = 0; l < 32; ++l)
        take(wave.upper->vgpr[to + r][l], results.upper_vector[0][r][l],
             results.upper_vector[1][r][l]);
  }

  static constexpr uint16_t spare_vector = first_spare_register, spare_scalar = 140;
  static constexpr int untouched = 0x5b;

  void fail(std::string why) {
    if (!execution_.fault) execution_.fault = std::move(why);
  }

  const Dispatch& dispatch_;
  const std::vector<Meaning>& meanings_;
  const Schedule& schedule_;
  uint64_t most_instructions_;
  Execution& execution_;
  Random random_;
  MatrixNumbers numbers_;  // of the wave whose turn it is
  const Region* memory_;   // that all waves share
  Workgroup nowhere_;      // what runs here changes nothing
  std::deque<Workgroup> workgroups_;
  std::deque<Wave> waves_;
  std::vector<Wave*> order_;
};

}  // namespace

std::vector<Schedule> schedules() {
  constexpr unsigned always = 256, never = 0;
  std::vector<Schedule> all = {
      {.seed = 1, .early = never, .captured = always, .fresh = never, .turn = 0, .reverse = false},
      {.seed = 2, .early = never, .captured = never, .fresh = always, .turn = 0, .reverse = true},
      {.seed = 3, .early = always, .captured = never, .fresh = always, .turn = 0, .reverse = true},
      {.seed = 4, .early = never, .captured = always, .fresh = never, .turn = 1, .reverse = false},
      {.seed = 5, .early = never, .captured = never, .fresh = always, .turn = 40, .reverse = false},
      {.seed = 6, .early = always, .captured = never, .fresh = never, .turn = 7, .reverse = false},
      {.seed = 7, .early = 128, .captured = 128, .fresh = 128, .turn = 7, .reverse = false},
      {.seed = 8, .early = 200, .captured = 128, .fresh = 128, .turn = 300, .reverse = false},
      {.seed = 9, .early = never, .captured = always, .fresh = never, .turn = 0, .reverse = true},
      {.seed = 10, .early = never, .captured = never, .fresh = 128, .turn = 3, .reverse = false}};
  // Some wave is far ahead of the others, or far behind.
  for (uint64_t seed = 11; seed < 17; ++seed)
    all.push_back({.seed = seed,
                   .early = never,
                   .captured = 128,
                   .fresh = 128,
                   .turn = 300,
                   .reverse = false});
  return all;
}

Execution execute(const CodeObject& object, const Launch& launch, const Schedule& schedule,
                  uint64_t most_instructions) {
  Execution execution;
  const auto dispatch = Dispatch::prepare(object, launch);
  if (!dispatch) {
    execution.fault = dispatch.error().message;
    return execution;
  }
  const Program& program = object.program();
  std::vector<Meaning> meanings;
  for (uint32_t i = 0; i < program.instructions().size(); ++i)
    meanings.push_back(meaning_of(program.text(i), object.target()));
  execution.executed.resize(meanings.size());
  const FloatModeScope scope;
  Machine(**dispatch, meanings, schedule, most_instructions, execution).run();
  return execution;
}

}  // namespace heddle::emulator::testing
