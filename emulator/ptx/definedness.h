// Follows values that nobody wrote through the registers, shared and local memory of a cluster, for
// a checked launch. docs/checker.md, "Values that nobody wrote", has the rules: copies and
// arithmetic of undefined values are no mistake; addresses, stores to global memory, conditions and
// operands of matrix instructions are.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "emulator/ptx/dispatch.h"
#include "emulator/record/finding.h"

namespace heddle::emulator::check {
class GlobalShadow;
}

namespace heddle::emulator::ptx {

class Definedness {
 public:
  // Says what is wrong with lanes of a warp; the message is made when it is new. `origin`: not 0
  // where the value comes from shared memory that nobody had written: the number of the record that
  // read it, and 1.
  using Report = std::function<void(FindingKind, const Warp&, const Record&, uint32_t lanes,
                                    const std::function<std::string()>&, uint32_t origin)>;

  // `memory`: the buffers that the launch does not initialise, or null.
  Definedness(Cluster& cluster, check::GlobalShadow* memory, Report report);
  // Bytes of the host for a cluster.
  static uint64_t bytes(const Dispatch& dispatch);

  // A cluster starts: nothing is written but constants and special registers.
  void begin();

  // Around an instruction: what its results will be, and that they are.
  void before(Warp& w, const Record& in, uint32_t lanes);
  void after(Warp& w, const Record& in, uint32_t lanes);
  // Of a guard or the index of a branch.
  void check_condition(const Warp& w, const Record& in, uint32_t word, uint32_t lanes);

  // Accesses of memory: reads of what nobody wrote are found, and what is written is defined. What
  // is loaded of shared memory may be read too early, if it is not used: `uses`.
  void read(const Warp& w, const Record& in, Space space, uint32_t lanes, const uint64_t* addresses,
            uint32_t bytes, bool uses);
  void write(const Warp& w, Space space, uint32_t lanes, const uint64_t* addresses, uint32_t bytes);
  void write_shared(const Block& block, uint32_t offset, uint32_t bytes);

  // The registers that a load fills, or a store empties: words of `element` bytes each, one behind
  // the other from the lane's address on. To be told behind read() and write().
  void load(const Warp& w, const Record& in, Space space, uint32_t lanes, const uint64_t* addresses,
            std::span<const uint32_t> words, uint32_t element, bool extends_sign);
  void store(const Warp& w, const Record& in, Space space, uint32_t lanes,
             const uint64_t* addresses, std::span<const uint32_t> words, uint32_t element);
  // Bits of the register of one lane: their definedness from and to memory.
  void load_element(const Warp& w, const Record& in, uint64_t address, uint32_t word, unsigned lane,
                    unsigned bit, unsigned width);
  void store_element(const Warp& w, const Record& in, uint64_t address, uint32_t word,
                     unsigned lane, unsigned bit, unsigned width);
  // Parameters of a call.
  void copy_local(const Warp& w, uint32_t from, uint32_t to, uint32_t bytes, uint32_t lanes);

 private:
  enum State : uint8_t { defined = 0, undefined = 1, unwritten = 2 };
  struct Registers {
    std::vector<uint32_t> lanes;   // by word: those with an undefined bit; of a predicate its value
    std::vector<uint64_t> bits;    // by word and lane, where `lanes` names the lane
    std::vector<uint32_t> origin;  // by word: as of Report
  };
  // What an instruction makes of its results.
  struct Result {
    uint32_t lanes = 0;  // that are undefined in all results
    uint32_t origin = 0;
    bool exact = false;  // `bits` of each result instead
    std::vector<std::array<uint64_t, 32>> bits;
  };

  Registers& of(const Warp& w) {
    return registers_[w.block->rank * w.block->warps.size() + w.number];
  }
  uint32_t undefined_lanes(const Registers& r, const Use& use, uint32_t lanes) const;
  void prepare(Registers& r, const std::vector<PreparedSource>& sources, uint32_t lanes);
  void probe(Warp& w, const Record& in, uint32_t lanes, std::span<const Use> uses);
  static uint32_t decided(const Warp& w, const Record& in);
  uint8_t* state_of(const Warp& w, Space space, uint64_t address, unsigned lane);
  void set(Registers& r, uint32_t word, unsigned lane, uint64_t bits);
  void say(FindingKind kind, const Warp& w, const Record& in, uint32_t lanes, const Use& use,
           uint32_t origin);

  Cluster& cluster_;
  check::GlobalShadow* memory_;
  Report report_;
  std::vector<Registers> registers_;          // of each warp
  std::vector<std::vector<uint8_t>> shared_;  // a State for each byte, of each block
  std::vector<std::vector<uint8_t>> local_;   // of each warp, lane after lane
  std::span<const Use> uses_;                 // of the instruction
  Result result_;
  struct Misuse {
    FindingKind kind;
    uint32_t lanes;
    const Use* use;
    uint32_t origin;
  };
  std::vector<Misuse> misuses_;  // of the instruction, said when it has been carried out
};

}  // namespace heddle::emulator::ptx
