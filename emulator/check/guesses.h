// Loads that race with an atomic update but do no harm, because their wave (in PTX, their warp)
// checks afterwards whether the loaded value was out of date.
//
// If the hardware lacks an atomic operation, LLVM replaces it by an ordinary load and a loop around
// a compare-and-swap, which fails if the loaded value was out of date. People write such loops too.
// So a race between a load and an atomic update is kept here as a guess, until the load's wave
// accesses the same word again:
// - If it is a compare-and-swap that expects the loaded value, the guess is confirmed: no finding.
// - After any other access, or when the wave ends, the race becomes a finding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace heddle::emulator::check {

// `Race` must describe a race from the side of the wave that loads (the reader): `instruction` is
// the other access's, `lanes` are the reader's.
template <class Race>
class Guesses {
 public:
  struct Guess {
    uint32_t instruction;  // of the reader
    uint32_t number;       // of the load among the operations of its wave
    uint32_t loaded;       // the aligned word that the race is in
    Race race;
    uint32_t known = ~0u;  // its bits that were loaded
  };

  void clear() { guesses_.clear(); }
  bool is_empty() const { return guesses_.empty(); }

  // False where there is no more room.
  bool add(uint32_t reader, uint64_t address, const Guess& guess) {
    constexpr std::size_t most_guesses = 1 << 16;
    const Place place = {reader, address & ~uint64_t{3}};
    const auto [first, last] = guesses_.equal_range(place);
    Guess added = guess;
    for (auto known = first; known != last; ++known) {
      if (known->second.instruction != guess.instruction) continue;
      if (known->second.race.instruction == guess.race.instruction) {
        known->second.race.lanes |= guess.race.lanes;
        return true;
      }
      added.loaded = known->second.loaded;  // an update has changed the word since
    }
    if (guesses_.size() >= most_guesses) return false;
    guesses_.emplace_hint(last, place, added);
    return true;
  }

  // Call for each access of a reader: operation number `number` accesses `bytes` bytes at
  // `address`. For a compare-and-swap, `expected` points to the bytes that it expects, which
  // include all loaded bytes; null for other accesses. Adds to `races` the guesses that turn out to
  // be races. Returns true if the compare-and-swap confirmed a guess.
  bool settle(uint32_t reader, uint32_t number, uint64_t address, uint32_t bytes,
              const void* expected, std::vector<Guess>& races) {
    const uint64_t start = address & ~uint64_t{3};
    const auto first = guesses_.lower_bound({reader, start}),
               last = guesses_.lower_bound({reader, address + bytes});
    bool confirmed = false;
    for (auto at = first; at != last;) {
      const Guess& guess = at->second;
      const Word accessed = word_of(at->first.second, address, bytes, expected);
      if (guess.number == number || (guess.known & accessed.known) == 0) {
        ++at;
        continue;
      }
      if (expected && (guess.known & ~accessed.known) == 0 &&
          ((accessed.bits ^ guess.loaded) & guess.known) == 0)
        confirmed = true;
      else
        add_merged(races, guess);
      at = guesses_.erase(at);
    }
    return confirmed;
  }

  // The reader ends.
  std::vector<Guess> end(uint32_t reader) {
    std::vector<Guess> races;
    const auto first = guesses_.lower_bound({reader, 0}),
               last = guesses_.lower_bound({reader, ~uint64_t{0}});
    for (auto at = first; at != last; ++at) add_merged(races, at->second);
    guesses_.erase(first, last);
    return races;
  }

  // The part of an access that is in one aligned 32-bit word. `known` is the mask of its bits in
  // the word, `bits` has their values. In word_of(), `data` are the bytes of the access, or null;
  // with null, `bits` stays 0.
  struct Word {
    uint32_t bits = 0, known = 0;
  };
  static Word word_of(uint64_t word, uint64_t address, uint64_t bytes, const void* data) {
    Word result;
    const uint64_t from = std::max(word, address), end = std::min(word + 4, address + bytes);
    if (from >= end) return result;
    const auto put = [&](uint32_t& to, const void* source) {
      std::memcpy(reinterpret_cast<char*>(&to) + (from - word), source, end - from);
    };
    constexpr uint32_t all = ~0u;
    put(result.known, &all);
    if (data) put(result.bits, static_cast<const char*>(data) + (from - address));
    return result;
  }

 private:
  // The number of the reader, and the address of the aligned word that it loaded.
  using Place = std::pair<uint32_t, uint64_t>;

  static void add_merged(std::vector<Guess>& races, const Guess& guess) {
    for (Guess& other : races)
      if (other.instruction == guess.instruction &&
          other.race.instruction == guess.race.instruction) {
        other.race.lanes |= guess.race.lanes;
        return;
      }
    races.push_back(guess);
  }

  std::multimap<Place, Guess> guesses_;
};

}  // namespace heddle::emulator::check
