// Which lanes collide in which bank: one access of shared memory, phase by phase and word by word.
//
// The function cost() of banks.h only counts the conflicts; this header lists them, for people and
// drawings. For host code; it allocates.
//
// The example of banks.h, rows 64 bytes apart, in its first phase, lanes 0 to 3 and 20 to 23:
//
//     passes 4, bank 0 the fullest (bank 16 has as many); words_of(0):
//
//     address    lanes      which is
//     0          lane 0     row 0
//     128        lane 2     row 2
//     256        lane 20    row 4
//     384        lane 22    row 6
//
// Four words of one bank are four passes, one of which would be needed anyway: extra_passes() is 3.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "heddle/memory/banks.h"

namespace heddle::memory {

/// A word that the lanes of a phase want from a bank, and the lanes that want the word.
struct WantedWord {
  int bank = 0;
  std::uint32_t address = 0;  // of its first byte
  std::uint64_t lanes = 0;    // several share it: a broadcast
  friend bool operator==(const WantedWord&, const WantedWord&) = default;
};

/// One phase that has active lanes.
struct PhaseReport {
  int number = 0;  // among the phases of the model; those without active lanes are left out
  std::uint64_t lanes = 0;        // the active ones
  int passes = 0;                 // at least 1
  int bank = 0;                   // the fullest, the first of several
  int banks = 0;                  // as many as the phase goes through
  std::vector<WantedWord> words;  // ascending by bank, then by address

  int extra_passes() const { return passes - 1; }

  /// The words that this phase wants of the bank `wanted_bank`. The fullest bank has `passes`
  /// words. Each word after the first costs an extra pass.
  std::vector<WantedWord> words_of(int wanted_bank) const {
    std::vector<WantedWord> found;
    for (const WantedWord& word : words)
      if (word.bank == wanted_bank) found.push_back(word);
    return found;
  }
};

/// The report of all phases of an access. `evidence` says how reliable the phases themselves are.
struct AccessReport {
  std::vector<PhaseReport> phases;
  bool is_merged = false;  // two phases at a time, because lanes agree in pairs (is_merged)
  Evidence evidence = Evidence::assumed;

  /// Law: the report costs what cost says: explain(model, access).cost() == cost(model, access).
  Cost cost() const {
    Cost total;
    for (const PhaseReport& phase : phases) {
      ++total.phases;
      total.extra_passes += phase.extra_passes();
    }
    return total;
  }
};

/// The report of one phase: every word that its lanes want, listed once, with the lanes that want
/// it.
inline PhaseReport explain_phase(const BankModel& model, const Access& access, int number,
                                 std::uint64_t lanes, int banks) {
  std::map<std::pair<int, std::uint32_t>, std::uint64_t> words;  // by bank and number
  const auto word_bytes = static_cast<std::uint32_t>(model.bank_bytes);
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint32_t first = access.address[static_cast<std::size_t>(lane)];
    const std::uint32_t last = first + static_cast<std::uint32_t>(access.bytes) - 1;
    for (std::uint32_t word = first / word_bytes; word <= last / word_bytes; ++word) {
      const int bank = static_cast<int>(word % static_cast<std::uint32_t>(banks));
      words[{bank, word}] |= std::uint64_t{1} << lane;
    }
  }
  PhaseReport phase{number, lanes, 0, 0, banks, {}};
  int in_bank = 0;
  for (const auto& [place, wanting] : words) {
    const auto& [bank, word] = place;
    in_bank = phase.words.empty() || phase.words.back().bank != bank ? 1 : in_bank + 1;
    phase.words.push_back({bank, word * word_bytes, wanting});
    if (in_bank <= phase.passes) continue;
    phase.passes = in_bank;
    phase.bank = bank;
  }
  return phase;
}

/// Reports which lanes collide. Precondition: why_not(model, access) is empty.
inline AccessReport explain(const BankModel& model, const Access& access) {
  AccessReport report;
  report.is_merged = is_merged(model, access);
  report.evidence = model.evidence(access.kind, access.bytes);
  const std::uint64_t active = detail::taking_part(model, access);
  const Phases& phases = phases_of(model, access);
  for (int i = 0; i < phases.count; ++i) {
    const std::uint64_t lanes = phases.lanes[static_cast<std::size_t>(i)] & active;
    if (lanes != 0) report.phases.push_back(explain_phase(model, access, i, lanes, phases.banks));
  }
  return report;
}

}  // namespace heddle::memory
