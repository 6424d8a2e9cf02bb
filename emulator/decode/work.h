// What the execution of an instruction counts for in a budget of instructions.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/handlers/row.h"

namespace heddle::emulator {

// Instructions that the host computes lane by lane with its own mathematics: measured, in tens of
// nanoseconds of a host of 2024.
struct SlowInstruction {
  std::string_view prefix;
  uint8_t work;
};
inline constexpr SlowInstruction slow_instructions[] = {
    {"v_trig_preop", 120}, {"v_div_scale", 50}, {"v_div_fixup", 50}, {"v_ldexp", 50},
    {"v_frexp", 50},       {"v_log", 35},       {"v_sin", 30},       {"v_cos", 30},
    {"v_exp", 15},         {"v_cmp_class", 12}, {"v_cmpx_class", 12}};

// 1 for plain arithmetic, else about how many times as long the host takes. An instruction of a
// wave of 64 counts twice.
constexpr uint8_t work_of(std::string_view name, Form form) {
  for (const SlowInstruction& slow : slow_instructions)
    if (name.starts_with(slow.prefix)) return slow.work;
  switch (form) {
    case Form::memory_load:
    case Form::memory_store:
    case Form::memory_atomic:
    case Form::lane_load:
    case Form::lane_store:
    case Form::buffer_load:
    case Form::buffer_store:
    case Form::buffer_atomic:
    case Form::memory_to_lds:
    case Form::buffer_to_lds:
      return 16;
    case Form::memory_async_load:
    case Form::memory_async_store:
      return 16;
    case Form::matrix:
    case Form::tensor_load:
    case Form::tensor_store:
      return 32;
    case Form::scalar_load:
    case Form::scalar_buffer_load:
    case Form::scalar_store:
    case Form::scalar_atomic:
    case Form::vector:
    case Form::vector_selecting:
    case Form::vector_accumulate:
      return 2;
    default:
      return is_lds(form) ? 8 : 1;
  }
}

}  // namespace heddle::emulator
