#include "emulator/decode/older_names.h"

namespace heddle::emulator {
namespace {

struct Renamed {
  std::string_view older, newer;
};

// Instructions whose whole name was replaced: CDNA's older name and RDNA's newer one. Source: RDNA3
// ISA compared with AMD Instinct MI300 ISA, instruction by instruction. LLVM's assembler accepts
// most of the older names for gfx1100 too, and prints the newer ones
// (tests/emulator/older_names_test.cpp).
constexpr Renamed whole_names[] = {
    // vector arithmetic
    {"v_add_u32", "v_add_nc_u32"},
    {"v_sub_u32", "v_sub_nc_u32"},
    {"v_subrev_u32", "v_subrev_nc_u32"},
    {"v_add_i32", "v_add_nc_i32"},
    {"v_sub_i32", "v_sub_nc_i32"},
    {"v_add_u16", "v_add_nc_u16"},
    {"v_sub_u16", "v_sub_nc_u16"},
    {"v_add_i16", "v_add_nc_i16"},
    {"v_sub_i16", "v_sub_nc_i16"},
    {"v_addc_co_u32", "v_add_co_ci_u32"},
    {"v_subb_co_u32", "v_sub_co_ci_u32"},
    {"v_subbrev_co_u32", "v_subrev_co_ci_u32"},
    {"v_ffbh_u32", "v_clz_i32_u32"},
    {"v_ffbl_b32", "v_ctz_i32_b32"},
    {"v_ffbh_i32", "v_cls_i32"},
    {"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"},
    {"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"},
    {"v_mul_legacy_f32", "v_mul_dx9_zero_f32"},
    {"v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32"},
    {"v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32"},
    {"v_cvt_pknorm_i16_f16", "v_cvt_pk_norm_i16_f16"},
    {"v_cvt_pknorm_u16_f16", "v_cvt_pk_norm_u16_f16"},
    {"v_cmp_tru_f16", "v_cmp_t_f16"},
    {"v_cmp_tru_f32", "v_cmp_t_f32"},
    {"v_cmp_tru_f64", "v_cmp_t_f64"},
    {"v_cmpx_tru_f16", "v_cmpx_t_f16"},
    {"v_cmpx_tru_f32", "v_cmpx_t_f32"},
    {"v_cmpx_tru_f64", "v_cmpx_t_f64"},
    // Legacy instructions with 16-bit results clear the upper half of the destination register, as
    // on GFX8 (see translate.cpp). How exact the results of the others are is not documented.
    {"v_mad_legacy_f16", "v_mad_f16"},
    {"v_mad_legacy_u16", "v_mad_u16"},
    {"v_mad_legacy_i16", "v_mad_i16"},
    {"v_fma_legacy_f16", "v_fma_f16"},
    {"v_div_fixup_legacy_f16", "v_div_fixup_f16"},
    {"v_exp_legacy_f32", "v_exp_f32"},
    {"v_log_legacy_f32", "v_log_f32"},
    {"v_accvgpr_read_b32", "v_mov_b32"},
    {"v_accvgpr_write_b32", "v_mov_b32"},
    {"v_accvgpr_mov_b32", "v_mov_b32"},
    // scalar arithmetic
    {"s_andn2_b32", "s_and_not1_b32"},
    {"s_andn2_b64", "s_and_not1_b64"},
    {"s_orn2_b32", "s_or_not1_b32"},
    {"s_orn2_b64", "s_or_not1_b64"},
    {"s_ff1_i32_b32", "s_ctz_i32_b32"},
    {"s_ff1_i32_b64", "s_ctz_i32_b64"},
    {"s_flbit_i32_b32", "s_clz_i32_u32"},
    {"s_flbit_i32_b64", "s_clz_i32_u64"},
    {"s_flbit_i32", "s_cls_i32"},
    {"s_flbit_i32_i64", "s_cls_i32_i64"},
    {"s_andn1_saveexec_b64", "s_and_not0_saveexec_b64"},
    {"s_andn2_saveexec_b64", "s_and_not1_saveexec_b64"},
    {"s_orn1_saveexec_b64", "s_or_not0_saveexec_b64"},
    {"s_orn2_saveexec_b64", "s_or_not1_saveexec_b64"},
    {"s_andn1_wrexec_b64", "s_and_not0_wrexec_b64"},
    {"s_andn2_wrexec_b64", "s_and_not1_wrexec_b64"},
    {"s_load_dword", "s_load_b32"},
    {"s_load_dwordx2", "s_load_b64"},
    {"s_load_dwordx4", "s_load_b128"},
    {"s_load_dwordx8", "s_load_b256"},
    {"s_load_dwordx16", "s_load_b512"},
    {"s_buffer_load_dword", "s_buffer_load_b32"},
    {"s_buffer_load_dwordx2", "s_buffer_load_b64"},
    {"s_buffer_load_dwordx4", "s_buffer_load_b128"},
    {"s_buffer_load_dwordx8", "s_buffer_load_b256"},
    {"s_buffer_load_dwordx16", "s_buffer_load_b512"},
    // LDS
    {"ds_read2_b32", "ds_load_2addr_b32"},
    {"ds_read2_b64", "ds_load_2addr_b64"},
    {"ds_read2st64_b32", "ds_load_2addr_stride64_b32"},
    {"ds_read2st64_b64", "ds_load_2addr_stride64_b64"},
    {"ds_read_addtid_b32", "ds_load_addtid_b32"},
    {"ds_write2_b32", "ds_store_2addr_b32"},
    {"ds_write2_b64", "ds_store_2addr_b64"},
    {"ds_write2st64_b32", "ds_store_2addr_stride64_b32"},
    {"ds_write2st64_b64", "ds_store_2addr_stride64_b64"},
    {"ds_write_addtid_b32", "ds_store_addtid_b32"},
    {"ds_wrxchg_rtn_b32", "ds_storexchg_rtn_b32"},
    {"ds_wrxchg_rtn_b64", "ds_storexchg_rtn_b64"},
    {"ds_wrxchg2_rtn_b32", "ds_storexchg_2addr_rtn_b32"},
    {"ds_wrxchg2_rtn_b64", "ds_storexchg_2addr_rtn_b64"},
    {"ds_wrxchg2st64_rtn_b32", "ds_storexchg_2addr_stride64_rtn_b32"},
    {"ds_wrxchg2st64_rtn_b64", "ds_storexchg_2addr_stride64_rtn_b64"},
};

// Replacements for the part of a name after global_, flat_, scratch_ or buffer_.
constexpr Renamed memory_operations[] = {
    {"load_ubyte", "load_u8"},
    {"load_sbyte", "load_i8"},
    {"load_ushort", "load_u16"},
    {"load_sshort", "load_i16"},
    {"load_dword", "load_b32"},
    {"load_dwordx2", "load_b64"},
    {"load_dwordx3", "load_b96"},
    {"load_dwordx4", "load_b128"},
    {"load_ubyte_d16", "load_d16_u8"},
    {"load_sbyte_d16", "load_d16_i8"},
    {"load_short_d16", "load_d16_b16"},
    {"load_ubyte_d16_hi", "load_d16_hi_u8"},
    {"load_sbyte_d16_hi", "load_d16_hi_i8"},
    {"load_short_d16_hi", "load_d16_hi_b16"},
    {"load_lds_ubyte", "load_lds_u8"},
    {"load_lds_sbyte", "load_lds_i8"},
    {"load_lds_ushort", "load_lds_u16"},
    {"load_lds_sshort", "load_lds_i16"},
    {"load_lds_dword", "load_lds_b32"},
    {"load_lds_dwordx3", "load_lds_b96"},
    {"load_lds_dwordx4", "load_lds_b128"},
    {"store_byte", "store_b8"},
    {"store_short", "store_b16"},
    {"store_dword", "store_b32"},
    {"store_dwordx2", "store_b64"},
    {"store_dwordx3", "store_b96"},
    {"store_dwordx4", "store_b128"},
    {"store_byte_d16_hi", "store_d16_hi_b8"},
    {"store_short_d16_hi", "store_d16_hi_b16"},
    {"atomic_add", "atomic_add_u32"},
    {"atomic_sub", "atomic_sub_u32"},
    {"atomic_swap", "atomic_swap_b32"},
    {"atomic_cmpswap", "atomic_cmpswap_b32"},
    {"atomic_smin", "atomic_min_i32"},
    {"atomic_umin", "atomic_min_u32"},
    {"atomic_smax", "atomic_max_i32"},
    {"atomic_umax", "atomic_max_u32"},
    {"atomic_and", "atomic_and_b32"},
    {"atomic_or", "atomic_or_b32"},
    {"atomic_xor", "atomic_xor_b32"},
    {"atomic_inc", "atomic_inc_u32"},
    {"atomic_dec", "atomic_dec_u32"},
    {"atomic_add_x2", "atomic_add_u64"},
    {"atomic_sub_x2", "atomic_sub_u64"},
    {"atomic_swap_x2", "atomic_swap_b64"},
    {"atomic_cmpswap_x2", "atomic_cmpswap_b64"},
    {"atomic_smin_x2", "atomic_min_i64"},
    {"atomic_umin_x2", "atomic_min_u64"},
    {"atomic_smax_x2", "atomic_max_i64"},
    {"atomic_umax_x2", "atomic_max_u64"},
    {"atomic_and_x2", "atomic_and_b64"},
    {"atomic_or_x2", "atomic_or_b64"},
    {"atomic_xor_x2", "atomic_xor_b64"},
    {"atomic_inc_x2", "atomic_inc_u64"},
    {"atomic_dec_x2", "atomic_dec_u64"},
};

// Replacements for the beginning of a name. ds_cmpst is missing, because its operands are in
// another order.
constexpr Renamed prefixes[] = {{"ds_read_", "ds_load_"}, {"ds_write_", "ds_store_"}};

}  // namespace

std::string newer_name(std::string_view mnemonic) {
  for (const Renamed& name : whole_names)
    if (name.older == mnemonic) return std::string(name.newer);
  for (std::string_view space : {"global_", "flat_", "scratch_", "buffer_"}) {
    if (!mnemonic.starts_with(space)) continue;
    for (const Renamed& operation : memory_operations)
      if (operation.older == mnemonic.substr(space.size()))
        return std::string(space) + std::string(operation.newer);
  }
  for (const Renamed& prefix : prefixes)
    if (mnemonic.starts_with(prefix.older))
      return std::string(prefix.newer) + std::string(mnemonic.substr(prefix.older.size()));
  return {};
}

}  // namespace heddle::emulator
