#include "modifier_exceptions.h"

namespace heddle::emulator::testing {
namespace {

constexpr LeftOut exceptions[] = {
    {"v_cmpx_", "", "writes EXEC; its relations are those of v_cmp_"},
    {"v_movrel", "", "M0 chooses its registers"},
    {"v_s_", "", "writes a scalar register (scalar_float_cases.cpp)"},
    {"v_wmma_", "", "a matrix instruction (matrix_test.cpp)"},
    {"v_swmmac_", "", "a matrix instruction (matrix_golden_test.cpp)"},
    {"v_dot4_i32_iu8", "", "neg_lo says which operand is signed (byte_cases.cpp)"},
    {"v_dot8_i32_iu4", "", "neg_lo says which operand is signed (byte_cases.cpp)"},
    {"v_cvt_f32_fp8", "", "op_sel and byte_sel choose a byte (byte_cases.cpp)", "VOP3"},
    {"v_cvt_f32_bf8", "", "op_sel and byte_sel choose a byte (byte_cases.cpp)", "VOP3"},
    {"v_cvt_pk_f32_", "", "op_sel chooses a pair of bytes (byte_cases.cpp)", "VOP3"},
    {"v_cvt_sr_", "", "byte_sel chooses the byte that it writes (byte_cases.cpp)"},
    {"v_mfma_", "", "a matrix instruction (mfma_test.cpp)"},
    {"v_smfmac_", "", "a matrix instruction (mfma_test.cpp)"},
    {"v_cvt_scale", "", "OPSEL chooses parts (float_conversions_test.cpp)"},
    {"v_pk_mov_b32", "", "OPSEL chooses words (cdna_test.cpp)"},
    {"v_screen_partition", "", "of graphics"},
    {"v_dot4_u32_u8", "", "LLVM prints neg_lo, which means nothing here (byte_cases.cpp)"},
    {"v_dot8_u32_u4", "", "LLVM prints neg_lo, which means nothing here (byte_cases.cpp)"},
    // Single forms.
    {"v_dot2_f16_f16", "neg", "no document says which half of a packed source it changes"},
    {"v_dot2_f16_f16", "abs", "no document says which half of a packed source it changes"},
    {"v_dot2_bf16_bf16", "neg", "no document says which half of a packed source it changes"},
    {"v_dot2_bf16_bf16", "abs", "no document says which half of a packed source it changes"},
    {"v_dot2c_f32_", "neg", "no document says which half of a packed source it changes"},
    {"v_dot2c_f32_", "abs", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_fp8_f16", "neg", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_fp8_f16", "abs", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_bf8_f16", "neg", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_bf8_f16", "abs", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_fp8_f", "clamp", "it chooses another format (gfx1250_test.cpp)"},
    {"v_pk_fmac_f16", "neg", "no document says which half of a packed source it changes"},
    {"v_pk_fmac_f16", "abs", "no document says which half of a packed source it changes"},
    {"v_cvt_pk_fp8_f16", "op_sel of source", "no document says what it means for two halves"},
    {"v_cvt_pk_bf8_f16", "op_sel of source", "no document says what it means for two halves"},
    {"v_dot4_i32_i8", "op_sel, op", "LLVM prints it, and it means nothing here"},
    {"v_dot8_i32_i4", "op_sel, op", "LLVM prints it, and it means nothing here"},
    {"v_cvt_pk_bf8_f16", "clamp", "no document gives it a meaning"},
    {"v_bitop3_", "neg", "its bits are some of the table"},
    {"v_bitop3_", "abs", "its bits are some of the table"},
    {"v_pk_add_f32", "constant", "no document says whether the upper word has it, too"},
    {"v_pk_mul_f32", "constant", "no document says whether the upper word has it, too"},
    {"v_pk_fma_f32", "constant", "no document says whether the upper word has it, too"},
    {"v_perm_pk16_", "constant", "no document says what its upper word is"},
    {"v_pk_min3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_max3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_fma_mix", "constant", "LLVM takes it for f16 whether the source is f16 or f32"},
    {"v_fmac_f16", "op_sel of the result", "it chooses the half of the addend, too"},
    {"v_cmp_class_f32", "flushed", "it tells denormals apart in every mode"},
    {"v_frexp_mant_f32", "flushed", "no document says whether MODE counts"},
    {"v_cvt_f32_ubyte", "flushed", "its source is an integer"},
    {"v_cvt_off_f32_i4", "flushed", "its source is an integer"},
    {"v_ldexp_f32", "flushed", "its second source is an integer"},
    {"v_div_scale_f32", "flushed", "it looks for denormals"},
    {"v_alignbit_b32", "clamp", "refused: no document gives it a meaning"},
    {"v_alignbyte_b32", "clamp", "refused: no document gives it a meaning"},
    {"v_mul_u32_u24", "clamp", "refused: no document says to what it saturates"},
    {"v_mul_i32_i24", "clamp", "refused: no document says to what it saturates"},
    {"v_pk_mul_lo_u16", "clamp", "refused: no document says to what it saturates"},
    {"v_min3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_max3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_med3_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_min_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_max_", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_lshlrev_b16", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_lshrrev_b16", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
    {"v_pk_ashrrev_i16", "clamp", "refused: nothing to clamp, and no compiler asks for it"},
};

}  // namespace

std::span<const LeftOut> modifier_exceptions() { return exceptions; }

const LeftOut* exception_of(std::string_view name, std::string_view encoding) {
  for (const LeftOut& entry : exceptions)
    if (entry.kind.empty() && name.starts_with(entry.prefix) &&
        (entry.encoding.empty() || entry.encoding == encoding))
      return &entry;
  return nullptr;
}

const LeftOut* exception_of_form(std::string_view name, std::string_view kind) {
  for (const LeftOut& entry : exceptions)
    if (!entry.kind.empty() && name.starts_with(entry.prefix) && kind.starts_with(entry.kind))
      return &entry;
  return nullptr;
}

}  // namespace heddle::emulator::testing
