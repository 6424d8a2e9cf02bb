// The positions of the elements of RDNA's matrix operands, as lists of slices of 16 lanes.
//
// The lists are not made in the handlers. Handlers are compiled several times, for different
// instruction sets of the host; the linker could replace a function that several of these share by
// the code for another instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/instruction/fragment.h"
#include "heddle/instruction/rdna_table.h"

namespace heddle::emulator {

// The elements at one position of one register, in sixteen lanes: a row of D, a row of B or a
// column of A. `half` says which sixteen lanes of the wave.
struct Slice {
  uint8_t reg, position, half;
};

// Finds, for each of the first `count` coordinates along `axis`, the slice that has the elements
// with this coordinate. Returns false if there is no such slice, or if the 16 lanes of a slice are
// not in ascending order along the other axis, `lane_axis`.
constexpr bool find_slices(Slice* slices, int count, const layout::LinearLayout& map,
                           const char* axis, const char* lane_axis) {
  const auto& inputs = map.inputs();
  const auto& outputs = map.outputs();
  const int along = outputs.find(layout::AxisName(axis));
  const int across = outputs.find(layout::AxisName(lane_axis));
  const int element_bits = inputs.bits_of("element"), register_bits = inputs.bits_of("register");
  const int lane_offset = inputs.offset(inputs.find("lane"));
  std::uint64_t found = 0;
  // Of copies the lowest lanes count.
  for (int half = (1 << (inputs.bits_of("lane") - 4)) - 1; half >= 0; --half) {
    for (int reg = 0; reg < 1 << register_bits; ++reg) {
      for (int position = 0; position < 1 << element_bits; ++position) {
        const std::uint64_t base = inputs
                                       .pack({{"element", static_cast<uint64_t>(position)},
                                              {"register", static_cast<uint64_t>(reg)},
                                              {"lane", static_cast<uint64_t>(16 * half)}})
                                       .value();
        const std::uint64_t at = outputs.coordinate(map.apply(base), along);
        slices[at] = {static_cast<uint8_t>(reg), static_cast<uint8_t>(position),
                      static_cast<uint8_t>(half)};
        found |= std::uint64_t{1} << at;
        for (std::uint64_t lane = 0; lane < 16; ++lane) {
          const std::uint64_t point = map.apply(base ^ lane << lane_offset);
          if (outputs.coordinate(point, across) != lane || outputs.coordinate(point, along) != at)
            return false;
        }
      }
    }
  }
  return found == layout::low_bits(count);
}

/// A row of RDNA's catalogue, with the map of each operand replaced by a list of slices.
struct MatrixForm {
  static constexpr int most_k = 64, most_groups = 16;

  instruction::ElementType a_type, b_type, d_type;
  int wave = 32, k = 0, a_registers = 0, b_registers = 0;
  bool sparse = false, equal_copies = false, half_unpacked = false;
  int index_bits = 0;               // of the index register that one index key stands for
  Slice a[most_k], b[most_k];       // along k; a sparse A along its groups of four k
  Slice d[16], index[most_groups];  // along m; along the groups
};

/// The form of row number `row` of rdna_instructions. All forms are made, in a millisecond, when
/// the first one is requested. If they were constants, they would cost the compiler seconds for
/// each instruction set of the host.
const MatrixForm& matrix_form(std::size_t row);

}  // namespace heddle::emulator
