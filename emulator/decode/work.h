// What the execution of an instruction counts for in a budget of instructions.
#pragma once

#include <cstdint>

#include "emulator/handlers/row.h"

namespace heddle::emulator {

// 1 for plain arithmetic, else about how many times as long the host takes, on the slowest level of
// handlers that a host has (bench/emulator_work prints the times). An instruction of a wave of 64
// counts twice.
constexpr uint8_t work_of(Form form) {
  switch (form) {
    case Form::memory_load:
    case Form::memory_store:
    case Form::memory_atomic:
    case Form::lane_load:
    case Form::lane_store:
    case Form::buffer_load:
    case Form::buffer_store:
    case Form::buffer_atomic:
      return 16;
    case Form::lds_load:
    case Form::lds_store:
    case Form::lds_atomic:
    case Form::lds_atomic_return:
    case Form::lds_counter:
    case Form::lds_lane_store:
      return 8;
    case Form::matrix:
      return 32;
    case Form::scalar_load:
    case Form::scalar_buffer_load:
    case Form::vector:
    case Form::vector_accumulate:
      return 2;
    default:
      return 1;
  }
}

}  // namespace heddle::emulator
