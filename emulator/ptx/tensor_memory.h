// Tensor memory of sm_100: 128 lanes x 512 columns of 32 bits for each block.
//
// An instruction computes its result when it is executed. Words whose results are still pending are
// marked, and a marked word reads as all ones (NaN) until a wait. Results of tcgen05.mma, .cp and
// .shift need a wait for the mbarrier of a tcgen05.commit by the same thread; those of tcgen05.st
// need a tcgen05.wait::st by the same warp.
//
// Source: PTX ISA 9.0, "TensorCore 5th Generation Family Instructions".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::emulator::ptx {

struct Record;

// Columns of some groups of 16 lanes.
struct TensorRegion {
  uint16_t column = 0, columns = 0;
  uint8_t groups = 0;  // a bit for each of the 8
};

struct TensorMemory {
  static constexpr uint32_t lanes = 128, columns = 512, group_lanes = 16;
  static constexpr uint32_t unit = 32;  // columns that can be allocated
  static constexpr uint32_t undefined = 0xffffffff;
  static constexpr uint64_t bytes = uint64_t{lanes} * columns * 4 + uint64_t{8} * columns * 8;

  enum class Mark : uint8_t { product, store };

  std::vector<uint32_t> words;                 // by lane, then column
  std::array<std::vector<uint32_t>, 2> marks;  // by kind: counts by group of lanes, then column
  std::array<uint16_t, columns / unit> allocated{};   // 1 + the first column of the allocation
  std::array<const Record*, columns / unit> freed{};  // the last tcgen05.dealloc
  bool gave_up_permit = false;

  void reset();
  bool is_allocated(uint32_t column, uint32_t count) const;
  // Allocates `count` contiguous columns. Returns the first, or `columns` if too few are free.
  uint32_t allocate(uint32_t count);
  // Frees an allocation. False if there is no allocation of exactly these columns. `by`: the
  // instruction that frees them.
  bool release(uint32_t column, uint32_t count, const Record& by);
  void mark(Mark kind, const TensorRegion& region, bool begins);
  bool is_marked(Mark kind, const TensorRegion& region) const;
  bool is_marked(Mark kind, uint32_t lane, uint32_t column) const {
    return marks[static_cast<std::size_t>(kind)][lane / group_lanes * columns + column] != 0;
  }
  uint32_t& at(uint32_t lane, uint32_t column) { return words[lane * columns + column]; }
};

}  // namespace heddle::emulator::ptx
