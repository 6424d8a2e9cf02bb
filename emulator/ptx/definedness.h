// For a checked launch: follows values that no instruction wrote through the registers and through
// the shared and local memory of a cluster. The rules are in docs/checker.md, "Values that nobody
// wrote": it is no mistake to copy undefined values or to calculate with them; it is a mistake to
// use them as addresses, conditions or operands of matrix instructions, or to store them to global
// memory.
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
  // Reports a mistake of some lanes of a warp. The function that makes the message is called only
  // if the finding is new. If the value comes from shared memory that nobody had written, `origin`
  // is 1 + the number of the record that read it; otherwise it is 0.
  using Report = std::function<void(FindingKind, const Warp&, const Record&, uint32_t lanes,
                                    const std::function<std::string()>&, uint32_t origin)>;

  // `memory`: the state of the buffers that the launch does not initialise, or null.
  Definedness(Cluster& cluster, check::GlobalShadow* memory, Report report);
  // Host memory for one cluster.
  static uint64_t bytes(const Dispatch& dispatch);

  // Starts a new cluster, in which only constants and special registers are defined.
  void begin();

  // Called before and after each instruction: before() finds which results will be undefined, and
  // after() marks them.
  void before(Warp& w, const Record& in, uint32_t lanes);
  void after(Warp& w, const Record& in, uint32_t lanes);
  // Reports an undefined guard predicate or an undefined index of an indexed branch.
  void check_condition(const Warp& w, const Record& in, uint32_t word, uint32_t lanes);

  // Called for accesses to memory. read() reports reads of bytes that nobody wrote; write() marks
  // bytes as defined. If an instruction only loads undefined bytes of shared memory into registers,
  // read() does not report them unless `uses` is set: the later use of the value is reported.
  void read(const Warp& w, const Record& in, Space space, uint32_t lanes, const uint64_t* addresses,
            uint32_t bytes, bool uses);
  void write(const Warp& w, Space space, uint32_t lanes, const uint64_t* addresses, uint32_t bytes);
  void write_shared(const Block& block, uint32_t offset, uint32_t bytes);
  // The offset of the first byte in a range of shared memory that nobody wrote; 0 if there is none.
  uint32_t first_undefined(const Block& block, uint32_t offset, uint32_t bytes) const;

  // load() is called after read(), and copies the definedness of memory to the registers that the
  // instruction fills. store() is called after write(), and copies the definedness of the registers
  // to the memory that the instruction writes. The registers (`words`) hold elements of `element`
  // bytes each, which are contiguous in memory from the lane's address on.
  void load(const Warp& w, const Record& in, Space space, uint32_t lanes, const uint64_t* addresses,
            std::span<const uint32_t> words, uint32_t element, bool extends_sign);
  void store(const Warp& w, const Record& in, Space space, uint32_t lanes,
             const uint64_t* addresses, std::span<const uint32_t> words, uint32_t element);
  // Marks the values that lanes have loaded into these registers as uncertain, because of a race.
  void doubt(const Warp& w, const Record& in, uint32_t lanes, std::span<const uint32_t> words,
             uint32_t element);
  // Copies the definedness of one element of `width` bits from shared memory to the bits from `bit`
  // on of a lane's register (load_element), or from these bits to shared memory (store_element).
  void load_element(const Warp& w, const Record& in, uint64_t address, uint32_t word, unsigned lane,
                    unsigned bit, unsigned width);
  void store_element(const Warp& w, const Record& in, uint64_t address, uint32_t word,
                     unsigned lane, unsigned bit, unsigned width);
  // Copies the definedness of a call's parameters in local memory.
  void copy_local(const Warp& w, uint32_t from, uint32_t to, uint32_t bytes, uint32_t lanes);

 private:
  enum State : uint8_t { defined = 0, undefined = 1, unwritten = 2 };
  struct Registers {
    // For each word of the frame, a mask of the lanes in which any bit is undefined.
    std::vector<uint32_t> lanes;
    // For each word and lane, the undefined bits. Valid only if `lanes` has the lane's bit.
    std::vector<uint64_t> bits;
    std::vector<uint32_t> origin;  // for each word, as in Report
  };
  // Which results of an instruction are undefined.
  struct Result {
    uint32_t lanes = 0;  // lanes whose results are all undefined
    uint32_t origin = 0;
    bool exact = false;  // then `bits` has the undefined bits of each result
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
