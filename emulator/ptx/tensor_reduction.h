// The reduction of tcgen05.ld.red: the least or greatest of the columns that a lane loads.
// Source: PTX ISA 9.0, "tcgen05.ld".
#pragma once

#include <cstdint>
#include <string>

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

struct TensorReduction {
  uint32_t columns = 0;  // operands with the registers loaded; the next one gets the result
  bool is_minimum = false, keeps_nan = false, takes_magnitudes = false;
  Type type{};
};

TensorReduction decode_reduction(Decoder& d);
// The name of the tcgen05.ld that loads the same columns without a reduction.
std::string name_of_load(Decoder& d);

void reduce_lanes(Warp& w, const Record& in, const TensorReduction& reduction);

}  // namespace heddle::emulator::ptx
