// Launch files: what they mean, and for each mistake where it is and what would be right.
#include "runtime/launch/text.h"

#include <gtest/gtest.h>

namespace heddle::runtime {
namespace launch_text_test {

constexpr const char* example = R"(# one wave makes one tile
kernel wmma_naive
grid   4 2          # workgroups
block  32
lds    256
A = f16[32x48] random
B = f16[48x64] random seed 7
bias = f32[64] iota
C = f32[32x64] pitch 80
part = f32[16x16] inside C at 16
alpha = f32 0.5
sizes = i32 32 64 48
arguments A B C sizes alpha 1.5
expect C = relu(alpha * (A @ B) + bias) tolerance 1e-3
expect part = kernel plain in plain.hip grid 1 block 64 arguments part A
)";

TEST(LaunchText, Example) {
  const auto launch = parse_launch(example);
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->launches[0].kernel, "wmma_naive");
  EXPECT_EQ(launch->launches[0].grid, (std::array<std::uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(launch->launches[0].block, (std::array<std::uint32_t, 3>{32, 1, 1}));
  EXPECT_EQ(launch->launches[0].lds_bytes, 256u);
  const Tensor& a = *launch->find_tensor("A");
  EXPECT_EQ(a.type, NumberType::f16);
  EXPECT_EQ(a.sizes, (std::vector<std::int64_t>{32, 48}));
  EXPECT_EQ(a.initial, InitialValue::random);
  EXPECT_EQ(a.span(), 32 * 48);
  EXPECT_NE(a.seed, launch->find_tensor("B")->seed);
  EXPECT_EQ(launch->find_tensor("B")->seed, 7u);
  const Tensor& c = *launch->find_tensor("C");
  EXPECT_EQ(c.initial, InitialValue::none);
  EXPECT_EQ(c.span(), 31 * 80 + 64);
  const Tensor& part = *launch->find_tensor("part");
  EXPECT_EQ(part.pitch, 80) << "a window has the pitch of what it is a window of";
  EXPECT_EQ(part.first, 16);
  EXPECT_EQ(launch->find_scalar("sizes")->values.size(), 3u);
  ASSERT_EQ(launch->launches[0].arguments.size(), 6u);
  EXPECT_FALSE(launch->launches[0].arguments[5].number.is_integer);
  ASSERT_EQ(launch->launches[0].expectations.size(), 2u);
  EXPECT_EQ(launch->launches[0].expectations[0].tolerance, 1e-3);
  const auto& reference = std::get<ReferenceKernel>(launch->launches[0].expectations[1].reference);
  EXPECT_EQ(reference.file, "plain.hip");
  EXPECT_EQ(reference.block[0], 64u);
  EXPECT_EQ(reference.arguments.size(), 2u);
}

TEST(LaunchText, ALineKernelBehindArgumentsBeginsTheNextLaunch) {
  const auto launch = parse_launch(
      "A = f32[2x2] random\nH = f32[2x2]\nexpect H = A\ngrid 3\nkernel first\nblock 64\n"
      "arguments A H\nB = f32[2x2]\nkernel second\narguments H B\nexpect B = H sums f16\n"
      "expect H = H tolerance 1 sums bf16\n");
  ASSERT_TRUE(launch) << launch.error().message;
  ASSERT_EQ(launch->launches.size(), 2u);
  const KernelLaunch &first = launch->launches[0], &second = launch->launches[1];
  EXPECT_EQ(first.kernel, "first");
  EXPECT_EQ(first.grid[0], 3u);
  EXPECT_EQ(first.block[0], 64u);
  ASSERT_EQ(first.expectations.size(), 1u) << "those above its line 'kernel' too";
  EXPECT_FALSE(first.expectations[0].sums);
  EXPECT_EQ(second.kernel, "second");
  EXPECT_EQ(second.grid[0], 1u) << "each launch has its own";
  EXPECT_EQ(second.block[0], 32u);
  ASSERT_EQ(second.expectations.size(), 2u);
  EXPECT_EQ(second.expectations[0].sums, NumberType::f16);
  EXPECT_EQ(second.expectations[1].sums, NumberType::bf16);
  EXPECT_EQ(second.expectations[1].tolerance, 1.0);
}

TEST(LaunchText, ArraysOfPointers) {
  const auto launch = parse_launch(
      "A = f16[4x8] random\nw = f16[8] inside A at 8\nP = pointer[4] A 0 A at 31 w at 2\n"
      "S = pointer[3] A at 1 step 8\narguments P S\n");
  ASSERT_TRUE(launch) << launch.error().message;
  const Tensor& p = *launch->find_tensor("P");
  EXPECT_EQ(p.type, NumberType::u64);
  ASSERT_EQ(p.addresses.size(), 4u);
  EXPECT_EQ(p.addresses[0].tensor, "A");
  EXPECT_EQ(p.addresses[1].tensor, "");
  EXPECT_EQ(p.addresses[2].first, 31);
  EXPECT_EQ(p.addresses[3].tensor, "w");
  const Tensor& s = *launch->find_tensor("S");
  ASSERT_EQ(s.addresses.size(), 3u);
  EXPECT_EQ(s.addresses[2].first, 17);
}

struct Refusal {
  const char* text;
  const char* message;  // "line:column: …"
};

const Refusal refusals[] = {
    {"",
     "1:1: there is no line 'arguments'; it names what the kernel takes, in order (nothing "
     "behind it for a kernel that takes nothing)"},
    {"kernl x\n",
     "1:1: no statement 'kernl'; did you mean kernel? there are kernel, grid, block, lds, "
     "arguments, expect and 'NAME = TYPE…'"},
    {"frobnicate\n",
     "1:1: no statement 'frobnicate'; there are kernel, grid, block, lds, "
     "arguments, expect and 'NAME = TYPE…'"},
    {"= f16[2]\n", "1:1: expected a name before '='"},
    {"+\n",
     "1:1: a line begins with a name and '=', or with kernel, grid, block, lds, arguments "
     "or expect"},
    {"grid 1\ngrid 2\n",
     "2:1: a second line 'grid'; a launch has one of each, and the next launch begins with its "
     "line 'kernel'"},
    {"grid\n", "1:5: expected a number of workgroups, found the end of the text"},
    {"grid 0\n", "1:6: a number of workgroups is from 1 to 2147483647"},
    {"grid 1 2 3 4\n", "1:12: expected the end of the line after this, found '4'"},
    {"block 64 32\n", "1:7: a block has at most 1024 threads in all"},
    {"block 2048\n", "1:7: a number of threads is from 1 to 1024"},
    {"lds 340000\n", "1:5: the bytes of dynamic LDS is from 0 to 327680"},
    {"A = half[2]\n", "1:5: no type 'half'; it is f16 here"},
    {"A = f17[2]\n",
     "1:5: no type 'f17'; did you mean f16? the types are f16 f32 f64 bf16 fp8 "
     "bf8 fp8_fnuz bf8_fnuz i8 i16 i32 i64 u8 u16 u32 u64"},
    {"A = f16\n", "1:8: expected the value, or [sizes] of an array, found the end of the text"},
    {"A = f16[0]\n", "1:9: a size is from 1 to 268435456"},
    {"A = f16[2 3]\n",
     "1:11: expected ']' behind the sizes, which an x divides, as in "
     "f16[64x128], found '3'"},
    {"A = f16[1x1x1x1x1]\n", "1:17: expected at most 4 sizes, found '1'"},
    {"A = f16[2] rnadom\n",
     "1:12: no word 'rnadom' for an array; did you mean random? there are "
     "random [seed N], exact [seed N], zero, iota, a number, file NAME, "
     "pitch N and inside NAME at N"},
    {"A = f16[2] zero iota\n", "1:17: 'A' has an initial value already"},
    {"A = f16[4x8] pitch 7\n", "1:20: the pitch, elements from row to row, is from 8 to 268435456"},
    {"A = f16[2] file\n", "1:16: expected the name of a file, found the end of the text"},
    {"kernel\n", "1:7: expected the name of a kernel, found the end of the text"},
    {"A = f16[2] file \"x\n", "1:17: expected a closing \", found '\"'"},
    {"A = f32[16384x16384] zero\nB = f32[1]\n", "2:1: the arrays have more than 1 GiB in all"},
    {"A = f32[268435456x268435456]\n", "1:1: the arrays have more than 1 GiB in all"},
    {"A = f32[2]\nA = f32[2]\n", "2:1: 'A' is declared twice"},
    {"expect = f32[2]\n",
     "1:1: 'expect' begins a statement and is no name: write it without '=', "
     "or choose another name"},
    {"A = f32[4]\nB = f32[4] inside A at 1\n", "2:1: 'B' ends at element 5 of 'A', which has 4"},
    {"A = f32[4]\nB = f16[4] inside A\n", "2:19: 'A' has elements of f32; a window has the same"},
    {"A = f32[4]\nB = f32[2] inside A zero\n", "2:1: 'B' is a window: 'A' holds the initial value"},
    {"B = f32[2] inside A\n", "1:19: nothing is named 'A' above this line"},
    {"A = f32[4]\nB = f32[2] inside A\nC = f32[1] inside B\n",
     "3:19: 'B' is a window itself; give 'A', whose memory it is"},
    {"Alpha = f32[2]\narguments Alhpa\n", "2:11: nothing is named 'Alhpa'; did you mean Alpha?"},
    {"P = pointer[2] A A\n", "1:16: nothing is named 'A' above this line"},
    {"P = pointer[2x2] 0\n", "1:1: an array of pointers has one size"},
    {"P = pointer[65537] 0\n", "1:1: a launch file has at most 65536 pointers in arrays"},
    {"P = pointer[1] 1\n", "1:16: a pointer is the name of an array, or 0, the null pointer"},
    {"A = f16[8]\nP = pointer[3] A step 4\n", "2:16: element 8 of 'A', which has 8"},
    {"A = f16[8]\nP = pointer[2] A 0 step 4\n", "2:20: nothing is named 'step' above this line"},
    {"P = pointer[1] 0\nexpect P = 1\n",
     "2:8: 'P' holds pointers, which differ from device to device; judge what they point to"},
    {"A = f32[1]\nexpect A = A sums i8\n", "2:19: sums are in f16, bf16, f32 or f64"},
    {"A = f32[1]\nexpect A = A tolerance\n",
     "2:23: expected the tolerance, found the end of the text"},
    {"A = f32[2x3]\nexpect A = A @ A\narguments\n",
     "2:14: @ of 2x3 and 2x3: the inner sizes differ; ' transposes, as in A @ B'"},
    {"A = f32[2x3]\nB = f32[2x3]\nexpect A = A @ B.T\narguments\n",
     "3:17: expected an operator; ' transposes, as in A @ B'"},
    {"A = f32[2x3]\nB = f32[3x2]\nexpect A = B\narguments\n",
     "3:12: the formula gives 3x2, and 'A' is 2x3"},
    {"A = f32[2x3]\nB = f32[3x2]\nexpect A = A * B\narguments\n",
     "3:14: 2x3 and 3x2 do not go together element by element: sizes are equal or 1; @ is the "
     "matrix product"},
    {"A = f32[2]\nexpect A = rleu(A)\narguments\n",
     "2:12: no function 'rleu'; did you mean relu? there are relu, gelu, silu, sigmoid, tanh, "
     "exp, "
     "sqrt, abs and softmax"},
    {"A = f32[2]\nexpect A = (A\narguments\n", "2:14: expected ')', found the end of the text"},
    {"A = f32[2]\nexpect A A\narguments\n",
     "2:10: expected '=' between the result and what it must be, found 'A'"},
    {"A = f32[2]\nexpect B = A\narguments\n",
     "2:8: nothing is named 'B' above this line; did you mean A?"},
    {"A = f32[2]\nexpect A = A tolerance -1\narguments\n", "2:24: a tolerance is not negative"},
    {"A = f32[2]\nexpect A = A tolerence 1\narguments\n",
     "2:14: expected sums TYPE, tolerance NUMBER or the end of the line after the formula, found "
     "'t'"},
    {"A = f32[2]\nexpect A = kernel k on\narguments\n",
     "2:21: expected in FILE, grid, block, tolerance or arguments"},
    {"x = i32 1e999\n",
     "1:9: the value, or [sizes] of an array is too large or too small for "
     "float64"},
    {"A = f32[65536]\nexpect A = softmax(A' @ A)\narguments\n",
     "2:23: a formula has results of at most 2^26 elements, and this has 65536x65536"},
    {"A = f32[6144x6144]\nexpect A = A @ A\narguments\n",
     "2:14: a formula takes at most 2 GiB of memory while it is evaluated, 24 bytes for each "
     "element of each value, and 40 where it is made of other results, and this takes more"},
    {"A = i32[4096x4096]\nexpect A = A @ A\narguments\n",
     "2:12: the formulas of a launch file take at most 2^38 multiplications in all, and these take "
     "more; judge with a reference kernel"},
    {"A = i8[16384x8192]\nexpect A = 0\narguments\n",
     "2:8: a launch file has at most 64 lines 'expect', which judge at most 2^26 elements in all"},
};

TEST(LaunchText, RefusalsNameThePlaceAndTheCure) {
  for (const auto& [text, message] : refusals) {
    const auto launch = parse_launch(text);
    ASSERT_FALSE(launch) << text;
    const LaunchError& error = launch.error();
    EXPECT_EQ(std::to_string(error.place.line) + ":" + std::to_string(error.place.column) + ": " +
                  error.message,
              message)
        << text;
  }
}

TEST(LaunchText, DeepAndLongFormulasEnd) {
  for (const char* piece : {"(", "-", "relu("}) {
    std::string text = "A = f32[2]\nexpect A = ";
    for (int i = 0; i < 100000; ++i) text += piece;
    EXPECT_FALSE(parse_launch(text + "A\narguments\n"));
  }
  std::string sum = "A";
  for (int i = 0; i < 300; ++i) sum += " + A";
  EXPECT_FALSE(parse_launch("A = f32[2]\nexpect A = " + sum + "\narguments\n"));
}

TEST(LaunchText, RepeatedLinesEnd) {
  std::string text = "A = f32[2]\n", numbers;
  for (int i = 0; i < 65; ++i) text += "expect A = A\n";
  EXPECT_FALSE(parse_launch(text + "arguments\n"));
  for (int i = 0; i < 1025; ++i) numbers += "n" + std::to_string(i) + " = i32 1\n";
  EXPECT_FALSE(parse_launch(numbers + "arguments\n"));
}

/// A value that its type does not hold is refused at its place, with the range.
TEST(LaunchText, ValuesOutsideOfTheirType) {
  const auto refusal = [](const std::string& value) {
    const auto launch = parse_launch("A = " + value + "\narguments A\n");
    return launch ? "" : launch.error().message;
  };
  EXPECT_EQ(refusal("u8[4] 300"), "u8 holds integers from 0 to 255");
  EXPECT_EQ(refusal("i8[4] -200"), "i8 holds integers from -128 to 127");
  EXPECT_EQ(refusal("i32[4] 1.5"), "i32 holds integers from -2147483648 to 2147483647");
  EXPECT_EQ(refusal("i32[4] 3000000000"), "i32 holds integers from -2147483648 to 2147483647");
  EXPECT_EQ(refusal("u64[4] -1"), "u64 holds integers from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("u64[4] 1.5"), "u64 holds integers from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("i64[4] 9223372036854775808"),
            "i64 holds integers from -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(refusal("f16[4] 1e9"), "f16 holds numbers from -65504 to 65504");
  EXPECT_EQ(refusal("fp8[4] 449"), "fp8 holds numbers from -448 to 448");
  for (const char* value : {"u8[4] 255", "i8[4] -128", "i32[4] 1e6", "f16[4] 65504", "fp8[4] 448",
                            "u64[4] 18446744073709551615", "i64[4] -9223372036854775808"})
    EXPECT_EQ(refusal(value), "") << value;
  EXPECT_EQ(parse_launch("A = u64[4] 18446744073709551615\narguments A\n")->tensors[0].integer, -1);
}

}  // namespace launch_text_test
}  // namespace heddle::runtime
