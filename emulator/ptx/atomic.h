// The operations of atom and red, and reductions in memory by asynchronous operations
// (cp.reduce.async.bulk, red.async), which return nothing to a lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

// The operations of atom and red. They are stored as numbers in `detail` of a record. Reductions by
// asynchronous operations use the same numbers.
enum Operation : uint8_t {
  add_operation,
  minimum_operation,
  maximum_operation,
  and_operation,
  or_operation,
  xor_operation,
  exchange_operation,
  compare_operation,
  increment_operation,
  decrement_operation
};

bool can_reduce(Type type, uint8_t operation);
// Sets *place to operation(*place, *value) for one element of the type. A lock keeps other threads
// of the host out.
void reduce_in_memory(Type type, uint8_t operation, std::byte* place, const std::byte* value);

}  // namespace heddle::emulator::ptx
