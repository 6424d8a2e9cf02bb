// The instructions of AMD's GPUs that AMD's device library (ocml) calls, in C++ for NVIDIA's GPUs:
// retarget.cmake gives ocml's calls of llvm.amdgcn.X the name heddle_X. Source of each: "RDNA3
// Instruction Set Architecture", section 16, by the name of the instruction.

using U64 = unsigned long long;
using Half = _Float16;

#define INSTRUCTION(Result) extern "C" __attribute__((const, always_inline, weak)) Result

namespace {

template <class Float>
struct Bits;
template <>
struct Bits<double> {
  using Word = U64;
  static constexpr int fraction = 52, most = 2047;
};
template <>
struct Bits<float> {
  using Word = unsigned;
  static constexpr int fraction = 23, most = 255;
};
template <>
struct Bits<Half> {
  using Word = unsigned short;
  static constexpr int fraction = 10, most = 31;
};

template <class Float>
__attribute__((always_inline)) typename Bits<Float>::Word bits_of(Float x) {
  return __builtin_bit_cast(typename Bits<Float>::Word, x);
}

// x = mantissa * 2^exponent with 1/2 <= |mantissa| < 1. For 0, infinities and NaN, mantissa is x
// and exponent 0.
template <class Float>
struct Split {
  Float mantissa;
  int exponent;
};
template <class Float>
__attribute__((always_inline)) Split<Float> split(Float x) {
  using B = Bits<Float>;
  using Word = typename B::Word;
  constexpr int bias = B::most / 2;
  const bool tiny = (bits_of(x) >> B::fraction & B::most) == 0;
  const Word word = bits_of(tiny ? x * static_cast<Float>(U64(1) << (B::fraction + 1)) : x);
  const int field = static_cast<int>(word >> B::fraction & B::most);
  if (field == B::most || field == 0) return {x, 0};
  constexpr Word mask = static_cast<Word>(Word(B::most) << B::fraction);
  const Word half =
      static_cast<Word>((word & static_cast<Word>(~mask)) | Word(bias - 1) << B::fraction);
  return {__builtin_bit_cast(Float, half), field - (bias - 1) - (tiny ? B::fraction + 1 : 0)};
}

// True if x is in one of the classes whose bits are set. The bits are those of V_CMP_CLASS:
// signalling NaN, quiet NaN, -infinity, -normal, -subnormal, -0, +0, +subnormal, +normal,
// +infinity.
template <class Float>
__attribute__((always_inline)) bool is_class(Float x, int classes) {
  using B = Bits<Float>;
  using Word = typename B::Word;
  const Word word = bits_of(x);
  const int field = static_cast<int>(word >> B::fraction & B::most);
  const Word rest = static_cast<Word>(word & ((Word(1) << B::fraction) - 1));
  const bool minus = (word >> (8 * sizeof(Word) - 1) & 1) != 0;
  if (field == B::most && rest != 0) return (classes >> (rest >> (B::fraction - 1) & 1) & 1) != 0;
  const int size = field == B::most ? 0 : field != 0 ? 1 : rest != 0 ? 2 : 3;
  return (classes >> (minus ? 2 + size : 9 - size) & 1) != 0;
}

template <class Float>
__attribute__((always_inline)) Float fraction_of(Float x, Float floor, Float below_one) {
  const Float fraction = x - floor;
  return fraction >= Float(1) ? below_one : fraction;
}

// The first 1201 bits of 2 / pi.
constexpr U64 two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0};

}  // namespace

INSTRUCTION(double) heddle_rcp_f64(double x) { return 1.0 / x; }
INSTRUCTION(float) heddle_rcp_f32(float x) { return 1.0f / x; }
INSTRUCTION(Half) heddle_rcp_f16(Half x) { return static_cast<Half>(1.0f / static_cast<float>(x)); }
INSTRUCTION(double) heddle_rsq_f64(double x) { return 1.0 / __builtin_sqrt(x); }
INSTRUCTION(float) heddle_rsq_f32(float x) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}
INSTRUCTION(Half) heddle_rsq_f16(Half x) {
  return static_cast<Half>(1.0f / __builtin_sqrtf(static_cast<float>(x)));
}

INSTRUCTION(double) heddle_frexp_mant_f64(double x) { return split(x).mantissa; }
INSTRUCTION(float) heddle_frexp_mant_f32(float x) { return split(x).mantissa; }
INSTRUCTION(Half) heddle_frexp_mant_f16(Half x) { return split(x).mantissa; }
INSTRUCTION(int) heddle_frexp_exp_i32_f64(double x) { return split(x).exponent; }
INSTRUCTION(int) heddle_frexp_exp_i32_f32(float x) { return split(x).exponent; }
INSTRUCTION(short) heddle_frexp_exp_i16_f16(Half x) {
  return static_cast<short>(split(x).exponent);
}

INSTRUCTION(bool) heddle_class_f64(double x, int classes) { return is_class(x, classes); }
INSTRUCTION(bool) heddle_class_f32(float x, int classes) { return is_class(x, classes); }
INSTRUCTION(bool) heddle_class_f16(Half x, int classes) { return is_class(x, classes); }

INSTRUCTION(double) heddle_fract_f64(double x) {
  return fraction_of(x, __builtin_floor(x), 0x1.fffffffffffffp-1);
}
INSTRUCTION(float) heddle_fract_f32(float x) {
  return fraction_of(x, __builtin_floorf(x), 0x1.fffffep-1f);
}
INSTRUCTION(Half) heddle_fract_f16(Half x) {
  return fraction_of(x, static_cast<Half>(__builtin_floorf(static_cast<float>(x))),
                     static_cast<Half>(0x1.ffcp-1f));
}

INSTRUCTION(float) heddle_fmed3_f32(float a, float b, float c) {
  const float low = __builtin_fminf(a, b), high = __builtin_fmaxf(a, b);
  return __builtin_fmaxf(low, __builtin_fminf(high, c));
}

// V_TRIG_PREOP_F64: the 53 bits of 2 / pi that belong to a segment; for larger x the segments begin
// later in 2 / pi. The asm hides from LLVM that x is an absolute value: PTX's abs.f64 leaves a NaN
// its sign, so the exponent has to be masked.
INSTRUCTION(double) heddle_trig_preop_f64(double x, int segment) {
  U64 bits = bits_of(x);
  asm("" : "+l"(bits));
  const int exponent = static_cast<int>(bits >> 52 & 2047);
  const int shift = (segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  const int word = shift / 64, bit = shift % 64;
  const U64 high = word < 19 ? two_over_pi[word] << bit : 0;
  const U64 low = word < 19 && bit != 0 ? two_over_pi[word + 1] >> (64 - bit) : 0;
  const auto digits = static_cast<double>((high | low) >> 11);
  return __builtin_ldexp(digits, -53 - shift + (exponent >= 1968 ? 128 : 0));
}

// log2 is computed in f64, because PTX's lg2.approx.f32 has an absolute error of 2^-22. For x near
// 1 the result of log2 is itself that small, and would have no correct digit.
extern "C" double __ocml_log2_f64(double x);
INSTRUCTION(float) heddle_log2_f32(float x) {
  return static_cast<float>(__ocml_log2_f64(static_cast<double>(x)));
}
INSTRUCTION(Half) heddle_log2_f16(Half x) {
  return static_cast<Half>(__ocml_log2_f64(static_cast<double>(x)));
}
INSTRUCTION(Half) heddle_exp2_f16(Half x) {
  return static_cast<Half>(__builtin_exp2f(static_cast<float>(x)));
}

// The functions behind __sinf, __expf and so on: "CUDA C++ Programming Guide" 12.8, "Intrinsic
// Functions".
INSTRUCTION(float) heddle_sin_f32(float x) { return __nvvm_sin_approx_f(x); }
INSTRUCTION(float) heddle_cos_f32(float x) { return __nvvm_cos_approx_f(x); }
INSTRUCTION(float) heddle_exp_f32(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
INSTRUCTION(float) heddle_log_f32(float x) { return __nvvm_lg2_approx_f(x) * 0x1.62e430p-1f; }
INSTRUCTION(float) heddle_log10_f32(float x) { return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f; }
