#include "runtime/numbers/matrix.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace heddle::runtime {
namespace matrix_test {

using instruction::ElementType;
constexpr std::array types{ElementType::f32, ElementType::f16, ElementType::bf16};

TEST(Matrix, SameSeedSameMatrixOtherSeedOther) {
  for (ElementType type : types) {
    EXPECT_EQ(Matrix::random(type, 7, 5, 3).bytes, Matrix::random(type, 7, 5, 3).bytes);
    EXPECT_NE(Matrix::random(type, 7, 5, 3).bytes, Matrix::random(type, 7, 5, 4).bytes);
  }
}

TEST(Matrix, RandomIsUniformInMinusOneToOne) {
  for (ElementType type : types) {
    double sum = 0, square = 0;
    for (double value : Matrix::random(type, 200, 200, 1).values()) {
      ASSERT_LE(std::abs(value), 1.0);
      sum += value;
      square += value * value;
    }
    EXPECT_NEAR(sum / 40000, 0, 0.02);
    EXPECT_NEAR(square / 40000, 1.0 / 3, 0.01);
  }
}

RC_GTEST_PROP(Matrix, SetThenAtRoundsToTheType, ()) {
  const ElementType type = *rc::gen::elementOf(types);
  const double value = *rc::gen::inRange(-60000, 60000) / 8.0;
  Matrix matrix = Matrix::zeros(type, 3, 4);
  matrix.set(2, 1, value);
  const double unit = type == ElementType::f32   ? 0x1p-23
                      : type == ElementType::f16 ? 0x1p-10
                                                 : 0x1p-7;
  RC_ASSERT(std::abs(matrix.at(2, 1) - value) <= std::abs(value) * unit / 2);
  RC_ASSERT(matrix.values()[2 * 4 + 1] == matrix.at(2, 1));
  matrix.set(2, 1, 0);
  RC_ASSERT(matrix.bytes == Matrix::zeros(type, 3, 4).bytes);
}

}  // namespace matrix_test
}  // namespace heddle::runtime
