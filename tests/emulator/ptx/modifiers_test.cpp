// Every modifier of an instruction changes what the instruction does, or makes it refused: a row
// for each instruction and modifier, with operands whose result depends on the modifier. Expected
// values follow the text of PTX ISA 9.0 by hand. Without the modifier the result is another one, so
// a simulator that reads a modifier and ignores it fails.
#include <bit>
#include <optional>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace modifiers_test {

/// Registers are %r (32 bits), %l (64), %h (16) and %p; inputs go to those of their letter in turn,
/// and the result is %o of a letter.
struct Witness {
  std::string instruction;
  std::string modifier;  // empty: of the instruction alone
  std::string letters;   // of the inputs
  std::vector<uint64_t> inputs;
  char result;
  uint64_t expected;
};

void PrintTo(const Witness& one, std::ostream* out) { *out << one.instruction; }

std::string body_of(const Witness& one, const std::string& instruction) {
  std::string body =
      ".reg .b32 %r<5>, %or;\n.reg .b64 %l<5>, %ol, %out;\n.reg .b16 %h<5>, %oh;\n"
      ".reg .pred %p<5>, %op, %oq;\nld.param.u64 %out, [out];\n"
      "mov.b32 %or, 0;\nmov.b64 %ol, 0;\nmov.b16 %oh, 0;\nsetp.ne.b32 %op, %or, 0;\n";
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    const std::string value = std::to_string(one.inputs[i]), number = std::to_string(i);
    switch (one.letters[i]) {
      case 'r':
        body += "mov.b32 %r" + number + ", " + value + ";\n";
        break;
      case 'l':
        body += "mov.b64 %l" + number + ", " + value + ";\n";
        break;
      case 'h':
        body += "mov.b16 %h" + number + ", " + value + ";\n";
        break;
      default:
        body += "mov.b32 %or, " + value + ";\nsetp.ne.b32 %p" + number + ", %or, 0;\n";
    }
  }
  body += instruction + "\n";
  if (one.result == 'r') body += "cvt.u64.u32 %ol, %or;\n";
  if (one.result == 'h') body += "cvt.u64.u16 %ol, %oh;\n";
  if (one.result == 'p') body += "selp.b64 %ol, 1, 0, %op;\n";
  return body + "st.global.b64 [%out], %ol;\nret;";
}

std::optional<uint64_t> result_of(const Witness& one, const std::string& instruction) {
  uint64_t out = 0;
  auto module =
      Module::parse(kernel_text(".param .u64 out", body_of(one, instruction), "", "sm_100a"));
  if (!module) return {};
  Launch launch;
  launch.arguments = {buffer(std::span(&out, 1), "out")};
  launch.workgroup = {1, 1, 1};
  if (!run(*module, launch)) return {};
  return out;
}

uint64_t f(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t d(double x) { return std::bit_cast<uint64_t>(x); }
constexpr uint64_t subnormal = 0x00400000, negative_subnormal = 0x80400000, nan = 0x7fc00000,
                   nvidia_nan = 0x7fffffff, infinity = 0x7f800000;
uint64_t negative(int x) { return static_cast<uint32_t>(-x); }

class Modifier : public ::testing::TestWithParam<Witness> {};

TEST_P(Modifier, ChangesTheResult) {
  const Witness& one = GetParam();
  const auto with = result_of(one, one.instruction);
  ASSERT_TRUE(with) << "refused";
  EXPECT_EQ(*with, one.expected) << std::hex << *with << ", expected " << one.expected;
  if (one.modifier.empty()) return;
  std::string without = one.instruction;
  const std::size_t at = without.find(one.modifier);
  ASSERT_NE(at, std::string::npos);
  without.erase(at, one.modifier.size());
  const auto plain = result_of(one, without);
  // Some modifiers must be there: without them the instruction is refused.
  if (plain) EXPECT_NE(*plain, one.expected) << "the modifier makes no difference here";
}

const Witness integers[] = {
    {"max.relu.s32 %or, %r0, %r1;", ".relu", "rr", {negative(3), negative(7)}, 'r', 0},
    {"min.s32.relu %or, %r0, %r1;", ".relu", "rr", {negative(3), 7}, 'r', 0},
    {"max.relu.s16x2 %or, %r0, %r1;", ".relu", "rr", {0xfffb0001, 0xfff00003}, 'r', 3},
    {"min.relu.s16x2 %or, %r0, %r1;", ".relu", "rr", {0xfffb0005, 0x00010003}, 'r', 3},
    {"add.sat.s32 %or, %r0, %r1;", ".sat", "rr", {0x7fffffff, 1}, 'r', 0x7fffffff},
    {"sub.sat.s32 %or, %r0, %r1;", ".sat", "rr", {0x80000000, 1}, 'r', 0x80000000},
    {"mad.hi.sat.s32 %or, %r0, %r1, %r2;",
     ".sat",
     "rrr",
     {0x40000000, 4, 0x7fffffff},
     'r',
     0x7fffffff},
    {"mul.hi.u32 %or, %r0, %r1;", ".hi", "rr", {0x80000000, 6}, 'r', 3},
    {"mul.lo.u32 %or, %r0, %r1;", ".lo", "rr", {0x10001, 0x10001}, 'r', 0x20001},
    {"mul.wide.u32 %ol, %r0, %r1;", ".wide", "rr", {0x80000000, 6}, 'l', 0x300000000},
    {"mul24.hi.u32 %or, %r0, %r1;", ".hi", "rr", {0xff800000, 0x20000}, 'r', 0x1000000},
    {"mul24.lo.s32 %or, %r0, %r1;", ".lo", "rr", {0x00ffffff, 5}, 'r', negative(5)},
    {"mad24.lo.u32 %or, %r0, %r1, %r2;", ".lo", "rrr", {0xff000003, 5, 7}, 'r', 22},
    {"mad24.hi.sat.s32 %or, %r0, %r1, %r2;",
     ".sat",
     "rrr",
     {0x7fffff, 0x7fffff, 0x7fffffff},
     'r',
     0x7fffffff},
    {"shf.l.wrap.b32 %or, %r0, %r1, %r2;",
     ".wrap",
     "rrr",
     {0x12345678, 0x9abcdef0, 36},
     'r',
     0xabcdef01},
    {"shf.l.clamp.b32 %or, %r0, %r1, %r2;",
     ".clamp",
     "rrr",
     {0x12345678, 0x9abcdef0, 36},
     'r',
     0x12345678},
    {"shf.r.clamp.b32 %or, %r0, %r1, %r2;",
     ".clamp",
     "rrr",
     {0x12345678, 0x9abcdef0, 36},
     'r',
     0x9abcdef0},
    {"bmsk.wrap.b32 %or, %r0, %r1;", ".wrap", "rr", {34, 3}, 'r', 0x1c},
    {"bmsk.clamp.b32 %or, %r0, %r1;", ".clamp", "rr", {34, 3}, 'r', 0},
    {"szext.clamp.s32 %or, %r0, %r1;", ".clamp", "rr", {0x80000005, 35}, 'r', 0x80000005},
    {"szext.wrap.s32 %or, %r0, %r1;", ".wrap", "rr", {0x80000005, 35}, 'r', negative(3)},
    {"bfind.shiftamt.u32 %or, %r0;", ".shiftamt", "r", {0x00010000}, 'r', 15},
    {"prmt.b32.f4e %or, %r0, %r1, %r2;",
     ".f4e",
     "rrr",
     {0x33221100, 0x77665544, 2},
     'r',
     0x55443322},
    {"prmt.b32.b4e %or, %r0, %r1, %r2;",
     ".b4e",
     "rrr",
     {0x33221100, 0x77665544, 1},
     'r',
     0x66770011},
    {"prmt.b32.rc8 %or, %r0, %r1, %r2;",
     ".rc8",
     "rrr",
     {0x33221100, 0x77665544, 2},
     'r',
     0x22222222},
    {"prmt.b32.ecl %or, %r0, %r1, %r2;",
     ".ecl",
     "rrr",
     {0x33221100, 0x77665544, 2},
     'r',
     0x33222222},
    {"prmt.b32.ecr %or, %r0, %r1, %r2;",
     ".ecr",
     "rrr",
     {0x33221100, 0x77665544, 1},
     'r',
     0x11111100},
    {"prmt.b32.rc16 %or, %r0, %r1, %r2;",
     ".rc16",
     "rrr",
     {0x33221100, 0x77665544, 1},
     'r',
     0x33223322},
    {"lop3.b32 %or, %r0, %r1, %r2, 0x80;", "", "rrr", {0xff, 0x3c, 0x18}, 'r', 0x18},
    {"lop3.or.b32 %or|%op, %r0, %r1, %r2, 0x80, %p3;", ".or", "rrrp", {1, 2, 4, 1}, 'p', 1},
    {"lop3.and.b32 %or|%op, %r0, %r1, %r2, 0xfe, %p3;", ".and", "rrrp", {1, 2, 4, 1}, 'p', 1},
    {"dp2a.hi.u32.u32 %or, %r0, %r1, %r2;", ".hi", "rrr", {0x00020003, 0x07050100, 9}, 'r', 38},
    {"dp2a.lo.s32.u32 %or, %r0, %r1, %r2;", ".lo", "rrr", {0xffff0003, 0x00000502, 9}, 'r', 10},
    {"setp.lt.and.s32 %op, %r0, %r1, %p2;", ".and", "rrp", {1, 2, 0}, 'p', 0},
    {"setp.lt.or.s32 %op, %r0, %r1, %p2;", ".or", "rrp", {3, 2, 1}, 'p', 1},
    {"setp.lt.xor.s32 %op, %r0, %r1, %p2;", ".xor", "rrp", {1, 2, 1}, 'p', 0},
    {"set.lt.u32.s32 %or, %r0, %r1;", "", "rr", {negative(1), 2}, 'r', 0xffffffff},
    {"set.lt.f32.s32 %or, %r0, %r1;", "", "rr", {negative(1), 2}, 'r', f(1)},
    {"set.hi.u32.u32 %or, %r0, %r1;", "", "rr", {negative(1), 2}, 'r', 0xffffffff},
    {"set.lt.and.u32.s32 %or, %r0, %r1, %p2;", ".and", "rrp", {1, 2, 0}, 'r', 0},
    {"set.lt.xor.u32.s32 %or, %r0, %r1, %p2;", "", "rrp", {1, 2, 1}, 'r', 0},
};

const Witness floats[] = {
    {"add.rz.f32 %or, %r0, %r1;", ".rz", "rr", {f(1), f(0x1.8p-24f)}, 'r', f(1)},
    {"add.rm.f32 %or, %r0, %r1;", ".rm", "rr", {f(-1), f(-0x1p-26f)}, 'r', f(-0x1.000002p0f)},
    {"mul.rp.f32 %or, %r0, %r1;",
     ".rp",
     "rr",
     {f(0x1.000002p0f), f(0x1.000002p0f)},
     'r',
     f(0x1.000006p0f)},
    {"add.ftz.f32 %or, %r0, %r1;", ".ftz", "rr", {subnormal, f(0x1p-126f)}, 'r', f(0x1p-126f)},
    {"add.sat.f32 %or, %r0, %r1;", ".sat", "rr", {f(1), f(2)}, 'r', f(1)},
    {"fma.rn.relu.f16 %oh, %h0, %h1, %h2;", ".relu", "hhh", {0x3c00, 0xbc00, 0}, 'h', 0},
    {"fma.rn.sat.f16 %oh, %h0, %h1, %h2;", ".sat", "hhh", {0x4000, 0x4000, 0}, 'h', 0x3c00},
    {"max.NaN.f32 %or, %r0, %r1;", ".NaN", "rr", {nan, f(1)}, 'r', nvidia_nan},
    {"min.ftz.f32 %or, %r0, %r1;", ".ftz", "rr", {subnormal, f(1)}, 'r', 0},
    {"max.xorsign.abs.f32 %or, %r0, %r1;", ".xorsign.abs", "rr", {f(-3), f(2)}, 'r', f(-3)},
    {"min.xorsign.abs.f32 %or, %r0, %r1;", ".xorsign.abs", "rr", {f(-3), f(-2)}, 'r', f(2)},
    {"max.xorsign.abs.f16x2 %or, %r0, %r1;",
     ".xorsign.abs",
     "rr",
     {0x3c00c200, 0xc0004000},
     'r',
     0xc000c200},
    {"max.NaN.xorsign.abs.f32 %or, %r0, %r1;", ".NaN", "rr", {nan, f(-1)}, 'r', nvidia_nan},
    {"max.f32 %or, %r0, %r1, %r2;", "", "rrr", {f(1), f(3), f(2)}, 'r', f(3)},
    {"min.f32 %or, %r0, %r1, %r2;", "", "rrr", {f(1), nan, f(-2)}, 'r', f(-2)},
    {"max.abs.f32 %or, %r0, %r1, %r2;", ".abs", "rrr", {f(1), f(-5), f(2)}, 'r', f(5)},
    {"add.rn.f32.f16 %or, %h0, %r1;", "", "hr", {0x3c00, f(2.5f)}, 'r', f(3.5f)},
    {"add.rz.f32.bf16 %or, %h0, %r1;", ".rz", "hr", {0x3f80, f(0x1.8p-24f)}, 'r', f(1)},
    {"sub.sat.f32.f16 %or, %h0, %r1;", ".sat", "hr", {0x3c00, f(2.5f)}, 'r', 0},
    {"fma.rn.f32.f16 %or, %h0, %h1, %r2;", "", "hhr", {0x4000, 0x4200, f(0.5f)}, 'r', f(6.5f)},
    {"max.NaN.f32 %or, %r0, %r1, %r2;", ".NaN", "rrr", {f(1), f(3), nan}, 'r', nvidia_nan},
    {"max.ftz.f32 %or, %r0, %r1, %r2;",
     ".ftz",
     "rrr",
     {negative_subnormal, subnormal, f(-1)},
     'r',
     0},
    {"div.approx.f32 %or, %r0, %r1;", ".approx", "rr", {f(1e30f), f(1.7e38f)}, 'r', 0},
    {"div.approx.f32 %or, %r0, %r1;", ".approx", "rr", {infinity, f(1.7e38f)}, 'r', nvidia_nan},
    {"div.full.f32 %or, %r0, %r1;", "", "rr", {f(1.7e38f), f(1.7e38f)}, 'r', f(1)},
    {"div.rz.f32 %or, %r0, %r1;", ".rz", "rr", {f(2), f(3)}, 'r', f(0x1.555554p-1f)},
    {"rcp.approx.ftz.f64 %ol, %l0;", "", "l", {d(3)}, 'l', 0x3fd5555500000000},
    {"rcp.approx.ftz.f64 %ol, %l0;", "", "l", {1}, 'l', 0x7ff0000000000000},
    {"rsqrt.approx.ftz.f64 %ol, %l0;", "", "l", {d(3)}, 'l', 0x3fe279a700000000},
    {"sqrt.rz.f32 %or, %r0;", ".rz", "r", {f(5)}, 'r', 0x400f1bbc},
    {"slct.ftz.u32.f32 %or, 5, 6, %r0;", ".ftz", "r", {0x80000001}, 'r', 5},
    {"setp.gt.ftz.f32 %op, %r0, 0f00000000;", ".ftz", "r", {subnormal}, 'p', 0},
    {"set.gt.ftz.u32.f32 %or, %r0, 0f00000000;", ".ftz", "r", {subnormal}, 'r', 0},
    {"set.leu.f32.f32 %or, %r0, %r1;", "", "rr", {nan, f(1)}, 'r', f(1)},
    {"set.gt.f16x2.f16x2 %or, %r0, %r1;", "", "rr", {0x40003c00, 0x3c003c00}, 'r', 0x3c000000},
    {"set.gt.u32.f16x2 %or, %r0, %r1;", "", "rr", {0x40003c00, 0x3c003c00}, 'r', 0xffff0000},
    {"set.neu.bf16x2.bf16x2 %or, %r0, %r1;", "", "rr", {0x3f807fc0, 0x3f803f80}, 'r', 0x3f80},
    {"set.eq.f16.f16 %oh, %h0, %h1;", "", "hh", {0x3c00, 0x3c00}, 'h', 0x3c00},
    {"setp.gt.and.f16x2 %op|%oq, %r0, %r1, %p2;",
     ".and",
     "rrp",
     {0x40004000, 0x3c003c00, 0},
     'p',
     0},
    {"testp.subnormal.f32 %op, %r0;", ".subnormal", "r", {subnormal}, 'p', 1},
    {"abs.ftz.f32 %or, %r0;", ".ftz", "r", {negative_subnormal}, 'r', 0},
    {"ex2.approx.ftz.f32 %or, %r0;", ".ftz", "r", {f(-127)}, 'r', 0},
};

const Witness conversions[] = {
    {"cvt.rzi.s32.f32 %or, %r0;", "", "r", {f(2.75f)}, 'r', 2},
    {"cvt.rpi.s32.f32 %or, %r0;", "", "r", {f(2.25f)}, 'r', 3},
    {"cvt.rmi.f32.f32 %or, %r0;", ".rmi", "r", {f(2.75f)}, 'r', f(2)},
    {"cvt.rz.f32.f64 %or, %l0;", "", "l", {d(1 + 0x1.8p-24)}, 'r', f(1)},
    {"cvt.sat.u8.s32 %or, %r0;", ".sat", "r", {300}, 'r', 255},
    {"cvt.sat.f32.f32 %or, %r0;", ".sat", "r", {f(2)}, 'r', f(1)},
    {"cvt.rn.sat.f32.s32 %or, %r0;", ".sat", "r", {7}, 'r', f(1)},
    {"cvt.rn.sat.f32.s32 %or, %r0;", ".sat", "r", {negative(7)}, 'r', 0},
    {"cvt.sat.f64.f64 %ol, %l0;", ".sat", "l", {0x7ff8000000000000}, 'l', 0},
    {"cvt.ftz.f64.f32 %ol, %r0;", ".ftz", "r", {subnormal}, 'l', 0},
    {"cvt.rn.relu.f16.f32 %oh, %r0;", ".relu", "r", {f(-2)}, 'h', 0},
    {"cvt.rn.satfinite.e4m3x2.f32 %oh, %r0, %r1;", "", "rr", {f(1000), f(1)}, 'h', 0x7e38},
    {"cvt.rna.tf32.f32 %or, %r0;", "", "r", {f(0x1.001p0f)}, 'r', f(0x1.004p0f) - 0x4000 + 0x2000},
    {"cvt.pack.sat.u8.s32.b32 %or, %r0, %r1, %r2;", "", "rrr", {300, 5, 0xabcd}, 'r', 0xabcdff05},
};

const Witness video[] = {
    {"vabsdiff4.u32.u32.u32 %or, %r0, %r1, %r2;",
     "",
     "rrr",
     {0x01ff0510, 0x02ff1001, 0},
     'r',
     0x01000b0f},
    {"vabsdiff4.u32.u32.u32.add %or, %r0, %r1, %r2;",
     ".add",
     "rrr",
     {0x01ff0510, 0x02ff1001, 5},
     'r',
     32},
    {"vadd2.s32.s32.s32.sat %or, %r0, %r1, %r2;",
     ".sat",
     "rrr",
     {0x7fff8000, 0x0001ffff, 0},
     'r',
     0x7fff8000},
    {"vavrg4.u32.u32.u32 %or, %r0, %r1, %r2;",
     "",
     "rrr",
     {0x01ff0510, 0x02ff0001, 0},
     'r',
     0x02ff0309},
    {"vset4.u32.u32.gt %or, %r0, %r1, %r2;",
     "",
     "rrr",
     {0x01ff0510, 0x02fe0001, 0},
     'r',
     0x00010101},
    {"vmax2.s32.s32.s32 %or.h1, %r0, %r1, %r2;",
     ".h1",
     "rrr",
     {0xfff00005, 0x00030004, 0x0000abcd},
     'r',
     0x0003abcd},
    {"vmin4.u32.u32.u32 %or, %r0.b0123, %r1, %r2;",
     ".b0123",
     "rrr",
     {0x01020304, 0x03030303, 0},
     'r',
     0x03030201},
    {"vadd.u32.u32.u32 %or, %r0.b1, %r1.h1;", ".b1", "rr", {0x1234, 0x00070000}, 'r', 0x19},
    {"vadd.s32.s32.s32.sat %or, %r0, %r1;", ".sat", "rr", {0x7fffffff, 1}, 'r', 0x7fffffff},
    {"vsub.s32.u32.u32 %or.b2, %r0, %r1, %r2;", ".b2", "rrr", {9, 4, 0x11223344}, 'r', 0x11053344},
    {"vadd.u32.u32.u32.max %or, %r0, %r1, %r2;", ".max", "rrr", {1, 2, 9}, 'r', 9},
    {"vshl.u32.u32.u32.wrap %or, %r0, %r1;", ".wrap", "rr", {1, 33}, 'r', 2},
    {"vshr.s32.s32.u32.clamp %or, %r0, %r1;", ".clamp", "rr", {0x80000000, 40}, 'r', 0xffffffff},
    {"vset.s32.s32.lt %or, %r0.b0, %r1;", ".b0", "rr", {0x00ff, 0}, 'r', 1},
    {"vmad.s32.s32.s32.shr7 %or, %r0, %r1, %r2;", ".shr7", "rrr", {1000, 3, 72}, 'r', 24},
    {"vmad.u32.u32.u32.po %or, %r0, %r1, %r2;", ".po", "rrr", {2, 3, 4}, 'r', 11},
    {"vmad.u32.u32.u32.sat %or, %r0, %r1, %r2;",
     ".sat",
     "rrr",
     {0x10000, 0x10000, 0},
     'r',
     0xffffffff},
};

INSTANTIATE_TEST_SUITE_P(Integers, Modifier, ::testing::ValuesIn(integers));
INSTANTIATE_TEST_SUITE_P(Floats, Modifier, ::testing::ValuesIn(floats));
INSTANTIATE_TEST_SUITE_P(Conversions, Modifier, ::testing::ValuesIn(conversions));
INSTANTIATE_TEST_SUITE_P(Video, Modifier, ::testing::ValuesIn(video));

/// A modifier that an instruction does not have, or not of this type, is refused and never passed
/// over.
TEST(Modifiers, OthersAreRefused) {
  for (const char* instruction : {"max.relu.u32 %r0, %r1, %r2;",
                                  "add.sat.u32 %r0, %r1, %r2;",
                                  "mul.lo.sat.u32 %r0, %r1, %r2;",
                                  "neg.sat.s32 %r0, %r1;",
                                  "add.rz.f16 %h0, %h1, %h2;",
                                  "max.relu.f32 %r0, %r1, %r2;",
                                  "add.ftz.f64 %l0, %l1, %l2;",
                                  "fma.rn.oob.f16 %h0, %h1, %h2, %h3;",
                                  "slct.ftz.u32.s32 %r0, %r1, %r2, %r3;",
                                  "shl.wrap.b32 %r0, %r1, %r2;",
                                  "ld.global.async.b32 %r0, [%l0];",
                                  "st.global.bulk.b32 [%l0], %r0;",
                                  "atom.global.add.sat.u32 %r0, [%l0], %r1;",
                                  "shfl.sync.idx.rz.b32 %r0, %r1, 0, 31, -1;",
                                  "mbarrier.init.shared.multicast.b64 [%r0], 1;",
                                  "cvt.rs.f16x2.f32 %r0, %r1, %r2;",
                                  "bar.sync.popc 0;",
                                  "fence.relu;",
                                  "mov.ftz.b32 %r0, %r1;",
                                  "selp.sat.b32 %r0, %r1, %r2, %p0;",
                                  "vadd4.sat.wrap.u32.u32.u32 %r0, %r1, %r2, %r3;",
                                  "min.abs.f32 %r0, %r1, %r2;"}) {
    auto module = Module::parse(
        kernel_text(".param .u64 out",
                    ".reg .b32 %r<5>;\n.reg .b64 %l<5>;\n.reg .b16 %h<5>;\n.reg .pred %p<2>;\n" +
                        std::string(instruction) + "\nret;"));
    ASSERT_TRUE(module) << instruction << module.error();
    EXPECT_EQ(module->unknown_instructions().size(), 1u) << instruction;
  }
}

}  // namespace modifiers_test
}  // namespace heddle::emulator::ptx::testing
