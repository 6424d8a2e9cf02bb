// What must not compile, by its message, beside a twin that does. Run with clang -Xclang -verify.
#include "heddle/instruction/catalogue.h"

using namespace heddle::instruction;

constexpr auto& right = get<"v_wmma_f32_16x16x16_f16", Target::gfx1151>();

// expected-error@heddle/instruction/catalogue.h:* {{gfx1151 has no instruction v_wmma_f32_16x16x16_f61 in waves of 32; nearest names there: v_wmma_f32_16x16x16_f16}}
// expected-note@heddle/instruction/catalogue.h:* 0+ {{}}
constexpr auto& typo = get<"v_wmma_f32_16x16x16_f61", Target::gfx1151>();  // expected-note {{in instantiation of function template}}

// expected-error@heddle/instruction/catalogue.h:* {{gfx1151 has no instruction v_wmma_f32_16x16x16_fp8_fp8 in waves of 32; it exists on gfx1200 (wave32)}}
constexpr auto& elsewhere = get<"v_wmma_f32_16x16x16_fp8_fp8", Target::gfx1151>();  // expected-note {{in instantiation of function template}}

// expected-error@heddle/instruction/catalogue.h:* {{sm_80 has no instruction mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f23}}
constexpr auto& long_typo = get<"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f23", Target::sm_80>();  // expected-note {{in instantiation of function template}}

// expected-error@heddle/instruction/catalogue.h:* {{sm_80 has no instruction mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64; it exists on sm_90, sm_90a, sm_100}}
constexpr auto& later = get<"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", Target::sm_80>();  // expected-note {{in instantiation of function template}}
