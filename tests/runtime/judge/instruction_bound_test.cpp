// The judge's bound of a product is that of its instruction, on every machine: sums that the
// instruction makes are right, and the next number outside the bound is wrong.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "emulator/ptx/instruction_sum.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/sum_standing.h"
#include "runtime/judge/product_check.h"
#include "runtime/numbers/matrix.h"

namespace heddle::runtime {
namespace instruction_bound_test {

using instruction::ElementType;
using instruction::Family;
using instruction::Instruction;

MatrixView view(const Matrix& matrix) {
  return {.element = matrix.type,
          .bytes = matrix.bytes,
          .batch = {},
          .row = {.step = matrix.columns},
          .column = {.step = 1}};
}

// Calls use(row, family, error) for each way to sum of each family, to f32.
int for_each_way(auto use) {
  std::set<std::tuple<Family, ElementType, double, double, int>> known;
  for (const Instruction& row : instruction::all_instructions())
    for (const instruction::FamilyRow& family : instruction::family_rows) {
      if (row.kind != instruction::Kind::multiply || !row.is_of(family.family) || row.is_sparse() ||
          row.has(instruction::Operand::scale_a) || row.d_type != ElementType::f32 ||
          row.a_type != row.b_type)
        continue;
      if (row.a_type != ElementType::f16 && row.a_type != ElementType::bf16 &&
          row.a_type != ElementType::fp8)
        continue;
      const instruction::SumStanding standing = instruction::sum_standing(row, family.family);
      if (standing.evidence == instruction::Evidence::unknown) continue;
      const instruction::SumError& error = standing.error;
      if (known.insert({family.family, row.a_type, error.per_product, error.per_group, error.group})
              .second)
        use(row, family.family, error);
    }
  return static_cast<int>(known.size());
}

struct Sums {
  Matrix a, b, d;
  Product product;
};

void make(Sums& made, const Instruction& row, Family family, std::int64_t depth,
          const instruction::SumError& error, std::int64_t rows = 9, std::int64_t columns = 7) {
  made.a = Matrix::random(row.a_type, rows, depth, 1);
  made.b = Matrix::random(row.a_type, depth, columns, 2);
  made.d = Matrix::zeros(ElementType::f32, rows, columns);
  for (std::int64_t m = 0; m < rows; ++m)
    for (std::int64_t n = 0; n < columns; ++n) {
      std::vector<double> x, y;
      for (std::int64_t k = 0; k < depth; ++k) {
        x.push_back(made.a.at(m, k));
        y.push_back(made.b.at(k, n));
      }
      made.d.set(m, n, emulator::instruction_sum(row, family, x, y));
    }
  Product& product = made.product;
  product.problem = {rows, columns, depth, row.a_type, ElementType::f32};
  product.problem.sums = error;
  product.a = view(made.a);
  product.b = view(made.b);
  product.d = view(made.d);
  product.sum_result = ElementType::f32;
}

TEST(InstructionBound, SumsOfEveryInstructionAreRight) {
  const int ways = for_each_way([](const Instruction& row, Family family,
                                   const instruction::SumError& error) {
    for (const std::int64_t depth : {std::int64_t{row.k}, std::int64_t{96}, std::int64_t{512}}) {
      Sums made;
      make(made, row, family, depth, error);
      const MatmulCheck check = check_product(made.product);
      EXPECT_EQ(check.wrong, 0) << row.name << " " << name(family) << " k " << depth;
      EXPECT_TRUE(check.right()) << row.name << " " << name(family) << " k " << depth;
      // An element of the largest error, moved past its bound.
      const double allowed = check.worst_allowed;
      if (check.exact == check.elements || allowed == 0) continue;
      made.d.set(4, 3, made.d.at(4, 3) + 40 * allowed);
      EXPECT_EQ(check_product(made.product).wrong, 1) << row.name << " k " << depth;
    }
  });
  EXPECT_GT(ways, 15);
}

// Sums with 13 bits are beyond the bound of f32's, which judged them before.
TEST(InstructionBound, ShortSumsAreWrongByAnyOtherBound) {
  int wrong = 0;
  for_each_way([&](const Instruction& row, Family family, const instruction::SumError& error) {
    if (error.per_product < 0x1p-20) return;
    Sums made;
    make(made, row, family, 512, error, 64, 64);
    made.product.problem.sums = {};
    wrong += check_product(made.product).wrong > 0;
  });
  EXPECT_GE(wrong, 2);  // sm_89 and wgmma
}

}  // namespace instruction_bound_test
}  // namespace heddle::runtime
