#include "adversary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>

#include "../kernels.h"
#include "emulator/decode/program.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/float_mode.h"
#include "emulator/machine/wavefront.h"

namespace heddle::emulator::testing {
namespace {

// --- what the text of an instruction says ------------------------------------------------------

enum Counter { loads, lds, scalars, counters };
// Operations of one queue end in order.
enum Queue { vector_queue, lds_queue, scalar_queue };

struct Meaning {
  bool is_memory = false;
  bool changes_memory = false;
  bool is_flat = false;
  Queue queue = vector_queue;
  std::array<bool, counters> counts = {};
  std::array<int, counters> wait = {-1, -1, -1};
};

int number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + name.size()), nullptr, 0);
}

Meaning meaning_of(const std::string& text, bool gfx12) {
  Meaning meaning;
  const Counter of_scalars = gfx12 ? scalars : lds;
  const auto starts = [&](const char* prefix) { return text.starts_with(prefix); };
  if (starts("s_wait_loadcnt_dscnt ")) {
    const int both = number_after(text, "dscnt ");
    meaning.wait[lds] = both & 63;
    meaning.wait[loads] = both >> 8 & 63;
  } else if (starts("s_wait_storecnt_dscnt ")) {
    meaning.wait[lds] = number_after(text, "dscnt ") & 63;
  } else if (starts("s_wait_loadcnt ")) {
    meaning.wait[loads] = number_after(text, "cnt ");
  } else if (starts("s_wait_dscnt ")) {
    meaning.wait[lds] = number_after(text, "cnt ");
  } else if (starts("s_wait_kmcnt ")) {
    meaning.wait[scalars] = number_after(text, "cnt ");
  } else if (starts("s_waitcnt ")) {
    meaning.wait[loads] = number_after(text, "vmcnt(");
    meaning.wait[lds] = number_after(text, "lgkmcnt(");
  } else if (starts("ds_")) {
    meaning.is_memory = meaning.counts[lds] = true;
    meaning.changes_memory =
        !starts("ds_load") && !starts("ds_bpermute") && !starts("ds_permute") && !starts("ds_swiz");
    meaning.queue = lds_queue;
  } else if (starts("s_load_") || starts("s_buffer_load_")) {
    meaning.is_memory = meaning.counts[of_scalars] = true;
    meaning.queue = scalar_queue;
  } else if (starts("global_load") || starts("buffer_load") || starts("scratch_load") ||
             starts("flat_load")) {
    meaning.is_memory = meaning.counts[loads] = true;
    meaning.counts[lds] = starts("flat_load");
  }
  meaning.is_flat = starts("flat_");
  // Stores count too where LDS does.
  if (starts("flat_store")) meaning.is_memory = meaning.changes_memory = meaning.counts[lds] = true;
  return meaning;
}

// --- a wave with operations on their way -------------------------------------------------------

struct Operation {
  const Instruction* instruction;
  Queue queue;
  std::array<bool, counters> counts;
  std::unique_ptr<Wavefront> issued;  // the wave as it was; null once it is carried out
  // What it loaded, twice: halves that are equal were loaded.
  std::unique_ptr<struct Results> results;
};

struct Results {
  static constexpr unsigned vectors = 4, words = 16;
  uint32_t vector[2][vectors][32], scalar[2][words];
};

struct Wave {
  std::unique_ptr<Wavefront> state = std::make_unique<Wavefront>();
  std::deque<Operation> outstanding;  // in the order of issue
};

class Workgroup {
 public:
  Workgroup(const Dispatch& dispatch, const std::vector<Meaning>& meanings,
            const Schedule& schedule, Execution& execution)
      : dispatch_(dispatch),
        meanings_(meanings),
        schedule_(schedule),
        execution_(execution),
        random_(schedule.seed + 1),
        waves_(dispatch.waves_per_workgroup()),
        lds_(dispatch.lds_bytes() + 64),
        pitch_((dispatch.scratch_bytes() + 127) / 64 * 64),
        scratch_(pitch_ * 32 * waves_.size() + 64) {}

  void run(uint64_t number) {
    std::ranges::fill(lds_, std::byte{0xff});
    std::ranges::fill(scratch_, std::byte{0xff});
    barrier_ = {.members = static_cast<uint32_t>(waves_.size()), .signalled = 0, .generation = 0};
    for (uint32_t i = 0; i < waves_.size(); ++i) {
      Wavefront& w = *waves_[i].state;
      w = Wavefront{};
      dispatch_.start(w, dispatch_.workgroup_id(number), i);
      w.lds = lds_.data();
      w.lds_bytes = dispatch_.lds_bytes();
      w.scratch = scratch_.data() + i * 32 * pitch_;
      w.scratch_bytes = dispatch_.scratch_bytes();
      w.scratch_pitch = pitch_;
      w.barrier = &barrier_;
    }
    run_waves();
  }

 private:
  bool is_runnable(const Wavefront& w) const {
    if (w.event == Event::ended) return false;
    return !w.barrier_waiting ||
           (w.barrier_signalled && barrier_.generation != w.barrier_generation);
  }

  void run_waves() {
    uint64_t budget = 3'000'000;
    while (!execution_.fault) {
      std::vector<Wave*> runnable;
      bool all_ended = true;
      for (Wave& wave : waves_) {
        if (is_runnable(*wave.state)) runnable.push_back(&wave);
        all_ended = all_ended && wave.state->event == Event::ended;
      }
      if (all_ended) return;
      if (runnable.empty()) return fail("no wave can go on");
      if (schedule_.reverse) std::ranges::reverse(runnable);
      Wave& next = schedule_.turn ? *runnable[random_.bits() % runnable.size()] : *runnable.front();
      const uint64_t most = schedule_.turn ? 1 + random_.bits() % (2 * schedule_.turn) : budget;
      run_wave(next, std::min(most, budget), budget);
      if (budget == 0) return fail("too many instructions");
    }
  }

  void run_wave(Wave& wave, uint64_t most, uint64_t& budget) {
    Wavefront& w = *wave.state;
    install_float_mode(w.mode);
    w.event = Event::none;
    w.barrier_waiting = false;
    const Instruction* in = w.resume;
    for (; in && most > 0 && !execution_.fault; --most, --budget) {
      execution_.executed[in->index] = true;
      const Meaning& meaning = meanings_[in->index];
      // Flat operations that go to LDS do so in order with the others there.
      if (meaning.is_flat) carry_out_lds(wave);
      if (meaning.is_memory) {
        issue(wave, in, meaning);
        in = in + 1;
        continue;
      }
      for (int counter = 0; counter < counters; ++counter)
        if (meaning.wait[static_cast<std::size_t>(counter)] >= 0)
          wait(wave, counter,
               static_cast<std::size_t>(meaning.wait[static_cast<std::size_t>(counter)]));
      in = in->handler(w, in);
    }
    if (in) w.resume = in;
    if (w.event == Event::fault) fail(std::string(fault_kind_name(w.fault)));
    if (w.event == Event::ended) end(wave);
  }

  void end(Wave& wave) {
    while (!wave.outstanding.empty() && !execution_.fault) complete(wave, 0);
    Wavefront& w = *wave.state;
    w.event = Event::ended;
    --barrier_.members;
    if (w.barrier_signalled && w.barrier_generation == barrier_.generation) --barrier_.signalled;
    if (barrier_.members > 0 && barrier_.signalled == barrier_.members) {
      barrier_.signalled = 0;
      ++barrier_.generation;
    }
  }

  void issue(Wave& wave, const Instruction* in, const Meaning& meaning) {
    wave.outstanding.push_back(
        {in, meaning.queue, meaning.counts, std::make_unique<Wavefront>(*wave.state), nullptr});
    // Global memory and scratch are read and written in the order of the wave, and the kernels here
    // do not talk through them: only the registers of a load wait. LDS is another matter.
    if (meaning.queue != lds_queue) carry_out(wave.outstanding.back());
    if (random_.bits() % 256 < schedule_.early) complete(wave, wave.outstanding.size() - 1);
  }

  // Ends operations until at most `left` count, each time one that may end next: of a queue in
  // order the oldest, of scalar loads any.
  void wait(Wave& wave, int counter, std::size_t left) {
    for (;;) {
      std::vector<std::size_t> next;
      std::size_t count = 0;
      bool seen = false;
      for (std::size_t i = 0; i < wave.outstanding.size(); ++i) {
        const Operation& operation = wave.outstanding[i];
        if (!operation.counts[static_cast<std::size_t>(counter)]) continue;
        ++count;
        if (operation.queue == scalar_queue || !seen) next.push_back(i);
        seen = seen || operation.queue != scalar_queue;
      }
      if (count <= left || execution_.fault) return;
      const std::size_t chosen = next[random_.bits() % next.size()];
      Operation& operation = wave.outstanding[chosen];
      operation.counts[static_cast<std::size_t>(counter)] = false;
      if (std::ranges::find(operation.counts, true) == operation.counts.end())
        complete(wave, chosen);
    }
  }

  // Carries out an operation, and before it those of its queue that are older.
  void complete(Wave& wave, std::size_t chosen) {
    const Queue queue = wave.outstanding[chosen].queue;
    for (std::size_t i = 0; i <= chosen && !execution_.fault;) {
      const bool is_older = wave.outstanding[i].queue == queue && queue != scalar_queue;
      if (i != chosen && !is_older) {
        ++i;
        continue;
      }
      perform(wave, wave.outstanding[i]);
      wave.outstanding.erase(wave.outstanding.begin() + static_cast<std::ptrdiff_t>(i));
      if (i == chosen) return;
      --chosen;
    }
  }

  void carry_out_lds(Wave& wave) {
    for (Operation& operation : wave.outstanding)
      if (operation.queue == lds_queue) carry_out(operation);
  }

  // Runs the instruction on the wave as it was, with results that go to spare registers. What it
  // loads comes out the same whatever they held; what changes memory runs once only, over a value
  // that no kernel here computes.
  void carry_out(Operation& operation) {
    if (!operation.issued || execution_.fault) return;
    operation.results = std::make_unique<Results>();
    Results& results = *operation.results;
    const bool once = meanings_[operation.instruction->index].changes_memory;
    const bool is_scalar = operation.queue == scalar_queue;
    Instruction redirected = *operation.instruction;
    redirected.destination = is_scalar ? spare_scalar : spare_vector;
    Wavefront& then = *operation.issued;
    std::memset(&results, untouched, sizeof results);
    for (int run = 0; run < (once ? 1 : 2); ++run) {
      const int fill = once ? untouched : run * 0xff;
      std::memset(then.vgpr[spare_vector], fill, sizeof results.vector[run]);
      std::memset(&then.scalar[spare_scalar], fill, sizeof results.scalar[run]);
      then.event = Event::none;
      redirected.handler(then, &redirected);
      if (then.event == Event::fault) return fail(std::string(fault_kind_name(then.fault)));
      std::memcpy(results.vector[run], then.vgpr[spare_vector], sizeof results.vector[run]);
      std::memcpy(results.scalar[run], &then.scalar[spare_scalar], sizeof results.scalar[run]);
    }
    operation.issued.reset();
  }

  // Ends the operation: its registers get what it loaded.
  void perform(Wave& wave, Operation& operation) {
    carry_out(operation);
    if (execution_.fault) return;
    const bool once = meanings_[operation.instruction->index].changes_memory;
    Wavefront& now = *wave.state;
    const auto take = [&](uint32_t& to, uint32_t result, uint32_t other) {
      const uint32_t difference = result ^ other;
      uint32_t mask = (difference & 0xffffu ? 0 : 0xffffu) | (difference >> 16 ? 0 : 0xffff0000u);
      if (once) mask = difference ? ~0u : 0;
      to = (to & ~mask) | (result & mask);
    };
    const Results& results = *operation.results;
    const uint16_t to = operation.instruction->destination;
    if (operation.queue == scalar_queue) {
      for (unsigned i = 0; i < Results::words && to + i < scalar_registers; ++i)
        take(now.scalar[to + i], results.scalar[0][i], results.scalar[1][i]);
      return;
    }
    for (unsigned r = 0; r < Results::vectors && to + r < 256; ++r)
      for (unsigned l = 0; l < 32; ++l)
        take(now.vgpr[to + r][l], results.vector[0][r][l], results.vector[1][r][l]);
  }

  static constexpr uint16_t spare_vector = 256, spare_scalar = 140;
  static constexpr int untouched = 0x5b;

  void fail(std::string why) {
    if (!execution_.fault) execution_.fault = std::move(why);
  }

  const Dispatch& dispatch_;
  const std::vector<Meaning>& meanings_;
  const Schedule& schedule_;
  Execution& execution_;
  Random random_;
  std::vector<Wave> waves_;
  std::vector<std::byte> lds_;
  uint64_t pitch_;
  std::vector<std::byte> scratch_;
  BarrierState barrier_;
};

}  // namespace

std::vector<Schedule> schedules() {
  return {{.seed = 1, .early = 0, .turn = 0, .reverse = false},
          {.seed = 2, .early = 0, .turn = 0, .reverse = true},
          {.seed = 3, .early = 256, .turn = 0, .reverse = true},
          {.seed = 4, .early = 0, .turn = 1, .reverse = false},
          {.seed = 5, .early = 0, .turn = 40, .reverse = false},
          {.seed = 6, .early = 256, .turn = 7, .reverse = false},
          {.seed = 7, .early = 128, .turn = 7, .reverse = false},
          {.seed = 8, .early = 200, .turn = 300, .reverse = true}};
}

Execution execute(const CodeObject& object, const Launch& launch, const Schedule& schedule) {
  Execution execution;
  const auto dispatch = Dispatch::prepare(object, launch);
  if (!dispatch) {
    execution.fault = dispatch.error().message;
    return execution;
  }
  const Program& program = object.program();
  const bool gfx12 = object.target().generation == 12;
  std::vector<Meaning> meanings;
  for (uint32_t i = 0; i < program.instructions().size(); ++i)
    meanings.push_back(meaning_of(program.text(i), gfx12));
  execution.executed.resize(meanings.size());
  const FloatModeScope scope;
  Workgroup workgroup(**dispatch, meanings, schedule, execution);
  for (uint64_t i = 0; i < (*dispatch)->workgroups() && !execution.fault; ++i) workgroup.run(i);
  return execution;
}

}  // namespace heddle::emulator::testing
