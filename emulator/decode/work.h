// How much each instruction counts in a launch's budget of instructions. The unit is called work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "emulator/handlers/row.h"

namespace heddle::emulator {

// Instructions that cost the host more than others of the same form. A row gives the beginning and
// the end of the instruction's name; the first row that fits a name is used. The costs were
// measured by `./dev bench work` on a host of 2024, with the slowest operands, such as subnormals.
// One unit of work took 10 to 30 nanoseconds there.
struct SlowInstruction {
  std::string_view prefix, suffix;
  uint16_t work;
};
inline constexpr SlowInstruction slow_instructions[] = {
    // Functions that the host computes lane by lane with its own mathematics.
    {"v_trig_preop", "", 120},
    {"v_div_fmas", "", 75},
    {"v_div_", "", 50},
    {"v_ldexp", "", 50},
    {"v_frexp", "_f64", 75},
    {"v_frexp", "", 50},
    {"v_log", "", 35},
    {"v_s_log", "", 12},
    {"v_sin", "", 35},
    {"v_cos", "", 35},
    {"v_tanh", "", 75},
    {"v_exp", "", 15},
    {"v_s_exp", "", 12},
    {"v_cmp_class", "", 12},
    {"v_cmpx_class", "", 12},
    {"v_cube", "", 12},
    // Lane by lane, too, or bit by bit.
    {"v_perm_pk16", "", 350},
    {"v_cvt_scale", "", 42},
    {"v_mbcnt", "", 18},
    {"v_cls", "", 8},
    {"v_clz", "", 8},
    {"v_ctz", "", 8},
    {"v_ffb", "", 8},
    {"v_permlane", "", 5},
    {"v_mqsad", "", 5},
    {"v_qsad", "", 5},
    {"v_cvt_i16_f16", "", 4},
    {"v_cvt_u16_f16", "", 4},
    {"ds_load_tr6", "", 170},
    {"ds_read_b96_tr_b6", "", 170},
    {"ds_load_tr4", "", 80},
    {"ds_read_b64_tr_b4", "", 80},
    {"global_load_tr6", "", 150},
    {"global_load_tr4", "", 90},
    {"global_load_tr", "", 24},
    // Subnormals and NaN.
    {"v_med3", "_f32", 22},
    {"v_max3", "_f32", 22},
    {"v_min3", "_f32", 22},
    {"v_maxmin", "_f32", 22},
    {"v_minmax", "_f32", 22},
    {"v_maximum", "_f32", 22},
    {"v_minimum", "_f32", 22},
    {"v_max", "_f32", 10},
    {"v_min", "_f32", 10},
    {"v_mac_f32", "", 12},
    {"v_mad_f32", "", 12},
    {"v_mad", "k_f32", 12},
    {"v_fma", "_f64", 12},
    {"v_fma", "_f32", 4},
    {"v_pk_fma_f32", "", 7},
    {"v_pk_fmac_f16", "", 4},
    {"v_dot2_bf16", "", 4},
    {"v_dot2_f32", "", 4},
    {"v_dot4_f32", "", 6},
    {"s_fmac_f32", "", 2},
};

// The number of multiplications that a matrix instruction does, found from its name; for some names
// of CDNA2 up to four times as many. Sparse instructions count as if they were dense. Examples of
// names: v_mfma_f32_32x32x4_2b_f16, v_mfma_f32_4x4x4f16, v_wmma_f32_16x16x128_f8f6f4.
constexpr unsigned multiplications_of(std::string_view name) {
  unsigned sizes[3] = {}, digits_at = 0;
  while (digits_at < name.size() && !(name[digits_at] == 'x' && sizes[0] > 1)) {
    const char c = name[digits_at++];
    sizes[0] = c >= '0' && c <= '9' ? 10 * sizes[0] + static_cast<unsigned>(c - '0') : 0;
  }
  for (unsigned i = 1; i < 3; ++i)
    for (++digits_at; digits_at < name.size() && name[digits_at] >= '0' && name[digits_at] <= '9';
         ++digits_at)
      sizes[i] = 10 * sizes[i] + static_cast<unsigned>(name[digits_at] - '0');
  // The names of CDNA2 do not have the number of blocks. It is taken to be as many as fill the
  // lanes, which is too many for the larger k: v_mfma_f32_32x32x8f16 has one block.
  unsigned blocks = 1;
  if (const auto mark = name.find("b_", digits_at); mark <= digits_at + 3 && mark > digits_at) {
    blocks = 0;
    for (std::size_t i = digits_at + 1; i < mark; ++i)
      blocks = 10 * blocks + static_cast<unsigned>(name[i] - '0');
  } else if (sizes[0] == 4) {
    blocks = 16;
  } else if (name.starts_with("v_mfma") && digits_at < name.size() && name[digits_at] != '_') {
    blocks = 64 / sizes[0];
  }
  return sizes[0] * sizes[1] * sizes[2] * blocks;
}

// 64 multiplications count as one unit of work, except for slower ones:
// - Multiplications of f32, f64 and bfloat16 take the host longer with subnormals.
// - CDNA's 16-bit multiplications take longer, because they are rounded as CDNA's adders round.
constexpr uint16_t matrix_work(std::string_view name) {
  const unsigned all = multiplications_of(name);
  const bool is_cdna_half =
      (name.starts_with("v_mfma") || name.starts_with("v_smfmac")) && name.ends_with("f16");
  const unsigned of_unit = name.ends_with("f64")                    ? 6
                           : name.ends_with("f32")                  ? 9
                           : name.ends_with("bf16") || is_cdna_half ? 12
                           : name.ends_with("bf16_1k")              ? 12
                                                                    : 64;
  return static_cast<uint16_t>(std::max(32u, all / of_unit));
}

// The work of an instruction: 1 for plain arithmetic; for others about how many times longer the
// host takes. In a wave of 64 lanes an instruction counts twice; that is not included here.
constexpr uint16_t work_of(std::string_view name, Form form) {
  for (const SlowInstruction& slow : slow_instructions)
    if (name.starts_with(slow.prefix) && name.ends_with(slow.suffix)) return slow.work;
  switch (form) {
    case Form::memory_load:
    case Form::memory_store:
    case Form::lane_load:
    case Form::lane_store:
    case Form::buffer_load:
    case Form::buffer_store:
    case Form::memory_to_lds:
    case Form::buffer_to_lds:
      return 16;
    case Form::memory_async_load:
    case Form::memory_async_store:
      return 24;
    case Form::memory_atomic:
    case Form::buffer_atomic:
    case Form::lds_atomic:
    case Form::lds_atomic_return:
      return 32;
    case Form::matrix:
      return matrix_work(name);
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
