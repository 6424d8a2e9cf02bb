#include "heddle/plan/problem.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace problem_test {

using instruction::ElementType;

constexpr Problem plain{42, 64, 32};
static_assert(plain.batch == 1 && plain.dynamic == 0);
static_assert(plain.b_input() == ElementType::f16 && plain.sum_type() == ElementType::f32);
static_assert(plain.a_row() == 32 && plain.b_row() == 64);
static_assert(plain.a_divisor() == 32 && plain.b_divisor() == 64);

constexpr Problem transposed{
    .m = 42, .n = 64, .k = 32, .a = {.transposed = true}, .b = {.transposed = true, .divisor = 4}};
static_assert(transposed.a_row() == 42 && transposed.b_row() == 32);
static_assert(transposed.a_divisor() == 42 && transposed.b_divisor() == 4);

constexpr Problem bytes{
    .input = ElementType::i8, .result = ElementType::i32, .input_b = ElementType::u8};
static_assert(bytes.sum_type() == ElementType::i32 && bytes.element_bytes() == 1);
static_assert(bytes.b_input() == ElementType::u8 && bytes.b_stored() == ElementType::u8);

constexpr Problem stored{.input = ElementType::f16, .a = {.stored = ElementType::i8}};
static_assert(stored.a_stored() == ElementType::i8 && stored.b_stored() == ElementType::f16);

constexpr Problem split{.input = ElementType::f32, .f32 = F32Path::bf16x3};
static_assert(split.is_split() && split.element_bytes() == 2);
static_assert(!Problem{.input = ElementType::f32}.is_split());

constexpr Problem dynamic{.m = 7, .dynamic = 1u << static_cast<unsigned>(Loop::k)};
static_assert(dynamic.is_dynamic(Loop::k) && !dynamic.is_dynamic(Loop::m));
static_assert(dynamic.size(Loop::m) == 7 && dynamic.size(Loop::batch) == 1);

// The assertions above are the test; this one says that they were compiled.
TEST(Problem, KnowsItsTypesAndRows) { EXPECT_EQ(plain.size(Loop::n), 64); }

}  // namespace problem_test
}  // namespace heddle::plan
