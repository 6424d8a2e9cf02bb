// Reductions in memory that no lane waits for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

// The operations of atom and red, as `update` and what else reduces number them.
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
// place = operation(place, value), for an element of the type; other threads of the host wait.
void reduce_in_memory(Type type, uint8_t operation, std::byte* place, const std::byte* value);

}  // namespace heddle::emulator::ptx
