#include "emulator/ptx/definedness.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "emulator/check/memory_shadow.h"
#include "emulator/ptx/warpgroup.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// The value that run number `trial` of an instruction assumes for an undefined word of a lane. The
// value is the same at every read.
uint64_t guess(unsigned trial, uint32_t word, unsigned lane) {
  if (trial < 2) return trial == 0 ? 0 : ~uint64_t{0};
  uint64_t x = (uint64_t{word} << 32 | lane << 8 | trial) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
  return x ^ x >> 32;
}
constexpr unsigned trials = 8;

bool writes(const Use& use) {
  return use.role == Use::Role::destination || use.role == Use::Role::sum;
}

}  // namespace

Definedness::Definedness(Cluster& cluster, check::GlobalShadow* memory, Report report)
    : cluster_(cluster), memory_(memory), report_(std::move(report)) {
  const Program& program = cluster.dispatch->program();
  for (const Block& block : cluster.blocks) {
    shared_.emplace_back(cluster.dispatch->shared_end());
    for (std::size_t i = 0; i < block.warps.size(); ++i) {
      registers_.push_back({std::vector<uint32_t>(program.frame_words),
                            std::vector<uint64_t>(program.frame_words),
                            std::vector<uint32_t>(program.frame_words)});
      local_.emplace_back(std::size_t{32} * program.local_bytes);
    }
  }
}

uint64_t Definedness::bytes(const Dispatch& dispatch) {
  const Program& program = dispatch.program();
  const uint64_t warps = uint64_t{dispatch.blocks_per_cluster()} * dispatch.warps();
  return warps * (uint64_t{program.frame_words} * 16 + uint64_t{32} * program.local_bytes) +
         uint64_t{dispatch.blocks_per_cluster()} * dispatch.shared_end();
}

void Definedness::begin() {
  const Program& program = cluster_.dispatch->program();
  for (auto& shared : shared_) std::ranges::fill(shared, unwritten);
  for (auto& local : local_) std::ranges::fill(local, undefined);
  for (Registers& r : registers_) {
    std::ranges::fill(r.lanes, ~uint32_t{0});
    std::ranges::fill(r.bits, ~uint64_t{0});
    std::ranges::fill(r.origin, 0);
    for (const Program::Constant& constant : program.constants) r.lanes[constant.word] = 0;
    for (const Program::SpecialPlace& special : program.specials) r.lanes[special.word] = 0;
  }
}

// --- registers -----------------------------------------------------------------------------------

void Definedness::set(Registers& r, uint32_t word, unsigned lane, uint64_t bits) {
  r.bits[word + lane] = bits;
  r.lanes[word] = (r.lanes[word] & ~(1u << lane)) | uint32_t{bits != 0} << lane;
}

uint32_t Definedness::undefined_lanes(const Registers& r, const Use& use, uint32_t lanes) const {
  const uint32_t some = r.lanes[use.word] & lanes;
  if (some == 0 || use.is_predicate) return some;
  const uint64_t mask = mask_of(use.bits);
  uint32_t result = 0;
  for_lanes(some, [&](unsigned l) {
    if ((r.bits[use.word + l] & mask) != 0) result |= 1u << l;
  });
  return result;
}

void Definedness::prepare(Registers& r, const std::vector<PreparedSource>& sources,
                          uint32_t lanes) {
  for (const PreparedSource& source : sources) {
    const uint32_t from = source.time ? 0 : r.lanes[source.from];
    if (source.negates)
      r.lanes[source.to] = from;
    else
      for_lanes(lanes, [&](unsigned l) { set(r, source.to, l, from >> l & 1 ? ~uint64_t{0} : 0); });
  }
}

void Definedness::check_condition(const Warp& w, const Record& in, uint32_t word, uint32_t lanes) {
  const Registers& r = of(w);
  const uint32_t wrong = r.lanes[word] & lanes;
  if (wrong == 0) return;
  const uint32_t origin = r.origin[word];
  report_(
      FindingKind::undefined_condition, w, in, wrong,
      [&] {
        const char* what =
            in.control == Control::none ? "whether an instruction is executed" : "a branch";
        return origin != 0
                   ? formatted("reads shared memory that nobody has written, and {} depends on it",
                               what)
                   : formatted("{} depends on a value that was not written", what);
      },
      origin);
}

// Lanes whose comparison outcome does not matter, because the predicate that setp combines with it
// already decides the result.
uint32_t Definedness::decided(const Warp& w, const Record& in) {
  if (in.immediate == 0) return 0;
  const auto c = static_cast<uint32_t>(*w.at(in.operand[4]));
  return in.immediate == 1 ? ~c : in.immediate == 2 ? c : 0;
}

// Finds the undefined result bits of an instruction: executes it several times, each time with
// other values in place of the undefined bits of the sources, and marks the result bits that
// differ.
void Definedness::probe(Warp& w, const Record& in, uint32_t lanes, std::span<const Use> uses) {
  const Registers& r = of(w);
  const uint32_t absent = in.flow == Flow::exchange ? ~lanes : 0;
  struct Saved {
    uint32_t word, words;
    std::array<uint64_t, 32> values;
  };
  std::vector<Saved> saved;
  for (const Use& use : uses) {
    Saved& one = saved.emplace_back(use.word, use.is_predicate ? 1 : 32);
    std::copy_n(w.at(use.word), one.words, one.values.begin());
  }
  const auto restore = [&] {
    for (const Saved& one : saved) std::copy_n(one.values.begin(), one.words, w.at(one.word));
  };
  const Event event = w.event;
  const bool has_fault = cluster_.fault.has_value();
  result_.exact = true;
  cluster_.extra_work += trials;
  result_.bits.assign(uses.size(), {});
  std::vector<std::array<uint64_t, 32>> first(uses.size());
  for (unsigned trial = 0; trial < trials && w.event == event; ++trial) {
    for (const Use& use : uses) {
      const uint32_t unknown_lanes = r.lanes[use.word] | absent;
      if (use.role != Use::Role::source || unknown_lanes == 0) continue;
      if (use.is_predicate) {
        const uint64_t unknown = unknown_lanes;
        *w.at(use.word) = (*w.at(use.word) & ~unknown) | (guess(trial, use.word, 0) & unknown);
        continue;
      }
      for_lanes(unknown_lanes, [&](unsigned l) {
        const uint64_t unknown = absent >> l & 1 ? ~uint64_t{0} : r.bits[use.word + l];
        uint64_t& value = w.at(use.word)[l];
        value = (value & ~unknown) | (guess(trial, use.word, l) & unknown);
      });
    }
    in.handler(w, in, lanes);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (!writes(uses[i])) continue;
      for (unsigned l = 0; l < (uses[i].is_predicate ? 1u : 32u); ++l) {
        const uint64_t value = w.at(uses[i].word)[l];
        if (trial == 0) first[i][l] = value;
        result_.bits[i][l] |= value ^ first[i][l];
      }
    }
    restore();
  }
  w.event = event;
  if (!has_fault) cluster_.fault.reset();
}

void Definedness::before(Warp& w, const Record& in, uint32_t lanes) {
  Registers& r = of(w);
  if (in.prepared != nullptr) prepare(r, *in.prepared, lanes);
  const std::span<const Use> uses = uses_ = cluster_.dispatch->program().uses_of(in);
  result_.lanes = 0;
  result_.exact = false;
  result_.origin = 0;
  misuses_.clear();
  uint32_t some = 0, read = in.flow == Flow::exchange ? ~0u : lanes;
  for (const Use& use : uses) {
    if (use.role == Use::Role::destination || (r.lanes[use.word] & read) == 0) continue;
    const uint32_t found = undefined_lanes(r, use, read);
    if (found == 0) continue;
    if (use.role == Use::Role::address) {
      misuses_.push_back({FindingKind::undefined_address, found, &use, r.origin[use.word]});
    } else if (in.flow == Flow::matrix) {
      if (use.role == Use::Role::source || adds_to_sum(w, in))
        misuses_.push_back(
            {FindingKind::undefined_matrix_operand, found, &use, r.origin[use.word]});
    } else if (in.flow != Flow::memory) {
      some |= found;
      if (r.origin[use.word] != 0) result_.origin = r.origin[use.word];
    }
  }
  // A lane that takes part in an exchange may not rely on values of lanes that do not (~lanes).
  if (in.flow == Flow::exchange) some |= ~lanes;
  if (some == 0) return;
  switch (in.flow) {
    case Flow::exact:
    case Flow::exchange:
      return probe(w, in, lanes, uses);
    case Flow::across:
      result_.lanes = lanes;
      return;
    case Flow::comparison:
      if (in.immediate != 0 && (r.lanes[in.operand[4]] & lanes) != 0)
        return probe(w, in, lanes, uses);
      result_.lanes = some & lanes & ~decided(w, in);
      return;
    default:
      result_.lanes = some & lanes;
  }
}

void Definedness::after(Warp& w, const Record& in, uint32_t lanes) {
  for (const Misuse& misuse : misuses_)
    say(misuse.kind, w, in, misuse.lanes, *misuse.use, misuse.origin);
  if (in.flow == Flow::memory || w.event == Event::fault) return;
  Registers& r = of(w);
  if (!result_.exact && result_.lanes == 0) {
    for (const Use& use : uses_)
      if (writes(use)) r.lanes[use.word] &= ~lanes;
    return;
  }
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const Use& use = uses_[i];
    if (!writes(use)) continue;
    uint32_t& marks = r.lanes[use.word];
    r.origin[use.word] = result_.origin;
    if (!result_.exact) {
      marks = (marks & ~lanes) | result_.lanes;
      if (!use.is_predicate)
        for_lanes(result_.lanes, [&](unsigned l) { r.bits[use.word + l] = ~uint64_t{0}; });
    } else if (use.is_predicate) {
      marks = (marks & ~lanes) | (static_cast<uint32_t>(result_.bits[i][0]) & lanes);
    } else {
      for_lanes(lanes, [&](unsigned l) { set(r, use.word, l, result_.bits[i][l]); });
    }
  }
}

void Definedness::say(FindingKind kind, const Warp& w, const Record& in, uint32_t lanes,
                      const Use& use, uint32_t origin) {
  report_(
      kind, w, in, lanes,
      [&] {
        const std::string name = cluster_.dispatch->program().name_of(in, use);
        if (origin != 0)
          return formatted("reads shared memory that nobody has written, and {}",
                           kind == FindingKind::undefined_address ? "the value becomes an address"
                           : kind == FindingKind::undefined_store ? "the value is stored"
                                                                  : "the value is multiplied");
        switch (kind) {
          case FindingKind::undefined_address:
            return formatted("the address comes from {}, which was not written", name);
          case FindingKind::undefined_store:
            return formatted("stores {} of lane {}, which was not written", name,
                             std::countr_zero(lanes));
          default:
            return formatted("{} is multiplied or added, and was not written in all lanes", name);
        }
      },
      origin);
}

// --- memory --------------------------------------------------------------------------------------

uint8_t* Definedness::state_of(const Warp& w, Space space, uint64_t address, unsigned lane) {
  if (is_shared(space, address)) {
    uint32_t offset = 0;
    const Block* block = shared_block(w, address, offset);
    return block == nullptr || offset >= shared_[block->rank].size()
               ? nullptr
               : shared_[block->rank].data() + offset;
  }
  const bool is_local = space == Space::local ||
                        (space == Space::generic && address >> region_shift == private_region);
  if (!is_local) return nullptr;
  auto& local = local_[w.block->rank * w.block->warps.size() + w.number];
  const std::size_t at = std::size_t{lane} * w.local_bytes + static_cast<uint32_t>(address);
  return at < local.size() ? local.data() + at : nullptr;
}

void Definedness::read(const Warp& w, const Record& in, Space space, uint32_t lanes,
                       const uint64_t* addresses, uint32_t bytes, bool uses) {
  if (!uses && memory_ == nullptr) return;
  uint32_t in_shared = 0, in_global = 0;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t address = addresses[l];
    if (const uint8_t* state = state_of(w, space, address, l)) {
      if (uses && is_shared(space, address) &&
          std::all_of(state, state + bytes, [](uint8_t one) { return one == unwritten; }))
        in_shared |= 1u << l;
    } else if (memory_ != nullptr && space != Space::param && space != Space::constant) {
      for (uint32_t at = 0; at < bytes; at += 64)
        if (memory_->load(address + at, std::min<uint32_t>(64, bytes - at)) != 0)
          in_global |= 1u << l;
    }
  });
  if (in_shared != 0)
    report_(
        FindingKind::lds_read_before_written, w, in, in_shared,
        [&] {
          const uint64_t address = addresses[std::countr_zero(in_shared)];
          return formatted("reads address {:#x} of shared memory, which nobody has written",
                           static_cast<uint32_t>(address) & ((1u << rank_shift) - 1));
        },
        0);
  if (in_global != 0)
    report_(
        FindingKind::global_read_before_written, w, in, in_global,
        [&] {
          return formatted(
              "reads {}, which is declared as output and not yet written",
              cluster_.dispatch->memory().describe(addresses[std::countr_zero(in_global)], bytes));
        },
        0);
}

void Definedness::write(const Warp& w, Space space, uint32_t lanes, const uint64_t* addresses,
                        uint32_t bytes) {
  for_lanes(lanes, [&](unsigned l) {
    if (uint8_t* state = state_of(w, space, addresses[l], l))
      std::fill_n(state, bytes, defined);
    else if (memory_ != nullptr && space != Space::param && space != Space::constant)
      memory_->store(addresses[l], bytes);
  });
}

void Definedness::write_shared(const Block& block, uint32_t offset, uint32_t bytes) {
  std::vector<uint8_t>& shared = shared_[block.rank];
  if (offset < shared.size())
    std::fill_n(shared.begin() + offset, std::min<std::size_t>(bytes, shared.size() - offset),
                defined);
}

uint32_t Definedness::first_undefined(const Block& block, uint32_t offset, uint32_t bytes) const {
  const std::vector<uint8_t>& shared = shared_[block.rank];
  const auto begin = shared.begin() + offset, end = begin + bytes;
  const auto found = std::find_if(begin, end, [](uint8_t one) { return one != defined; });
  return found == end ? 0 : static_cast<uint32_t>(found - shared.begin());
}

void Definedness::load(const Warp& w, const Record& in, Space space, uint32_t lanes,
                       const uint64_t* addresses, std::span<const uint32_t> words, uint32_t element,
                       bool extends_sign) {
  Registers& r = of(w);
  const uint32_t origin = cluster_.dispatch->program().number_of(in) + 1;
  const auto bytes = static_cast<std::size_t>(element) * words.size();
  for (const uint32_t word : words) r.lanes[word] &= ~lanes;
  for_lanes(lanes, [&](unsigned l) {
    const uint8_t* state = state_of(w, space, addresses[l], l);
    if (state == nullptr ||
        std::all_of(state, state + bytes, [](uint8_t one) { return one == defined; }))
      return;
    const bool is_first =
        is_shared(space, addresses[l]) &&
        std::all_of(state, state + bytes, [](uint8_t one) { return one == unwritten; });
    for (std::size_t i = 0; i < words.size(); ++i) {
      uint64_t bits = 0;
      for (uint32_t at = 0; at < element; ++at)
        if (state[i * element + at] != defined) bits |= uint64_t{0xff} << (8 * at);
      if (extends_sign && element < 8 && bits >> (8 * element - 1) != 0)
        bits |= ~mask_of(8 * element);
      set(r, words[i], l, bits);
      r.origin[words[i]] = is_first ? origin : 0;
    }
  });
}

void Definedness::doubt(const Warp& w, const Record& in, uint32_t lanes,
                        std::span<const uint32_t> words, uint32_t element) {
  Registers& r = of(w);
  for (const uint32_t word : words) {
    for_lanes(lanes, [&](unsigned l) { set(r, word, l, mask_of(8 * element)); });
    r.origin[word] = cluster_.dispatch->program().number_of(in) + 1;
  }
}

void Definedness::store(const Warp& w, const Record& in, Space space, uint32_t lanes,
                        const uint64_t* addresses, std::span<const uint32_t> words,
                        uint32_t element) {
  const Registers& r = of(w);
  const uint64_t mask = mask_of(8 * element);
  for (std::size_t i = 0; i < words.size(); ++i) {
    uint32_t outside = 0;
    for_lanes(r.lanes[words[i]] & lanes, [&](unsigned l) {
      const uint64_t bits = r.bits[words[i] + l] & mask;
      if (bits == 0) return;
      uint8_t* state = state_of(w, space, addresses[l], l);
      if (state == nullptr) {
        outside |= 1u << l;
        return;
      }
      for (uint32_t at = 0; at < element; ++at)
        if ((bits >> (8 * at) & 0xff) != 0) state[i * element + at] = undefined;
    });
    if (outside == 0) continue;
    for (const Use& use : cluster_.dispatch->program().uses_of(in))
      if (use.word == words[i] && use.role == Use::Role::source) {
        say(FindingKind::undefined_store, w, in, outside, use, r.origin[use.word]);
        break;
      }
  }
}

void Definedness::load_element(const Warp& w, const Record& in, uint64_t address, uint32_t word,
                               unsigned lane, unsigned bit, unsigned width) {
  Registers& r = of(w);
  const uint8_t* state = state_of(w, Space::shared, address, lane);
  const bool is_undefined =
      state != nullptr &&
      std::any_of(state, state + width / 8, [](uint8_t one) { return one != defined; });
  if ((r.lanes[word] >> lane & 1) == 0) {
    if (!is_undefined) return;
    r.bits[word + lane] = 0;
  }
  const uint64_t mask = mask_of(width) << bit;
  const uint64_t bits = r.bits[word + lane] & mask_of(width > 32 ? 64 : 32);
  set(r, word, lane, is_undefined ? bits | mask : bits & ~mask);
  if (is_undefined)
    r.origin[word] = *state == unwritten ? cluster_.dispatch->program().number_of(in) + 1 : 0;
}

void Definedness::store_element(const Warp& w, const Record&, uint64_t address, uint32_t word,
                                unsigned lane, unsigned bit, unsigned width) {
  const Registers& r = of(w);
  if ((r.lanes[word] >> lane & 1) == 0 || (r.bits[word + lane] >> bit & mask_of(width)) == 0)
    return;
  if (uint8_t* state = state_of(w, Space::shared, address, lane))
    std::fill_n(state, width / 8, undefined);
}

void Definedness::copy_local(const Warp& w, uint32_t from, uint32_t to, uint32_t bytes,
                             uint32_t lanes) {
  auto& local = local_[w.block->rank * w.block->warps.size() + w.number];
  for_lanes(lanes, [&](unsigned l) {
    uint8_t* first = local.data() + std::size_t{l} * w.local_bytes;
    std::memmove(first + to, first + from, bytes);
  });
}

}  // namespace heddle::emulator::ptx
