// Products in loops over tiles whose number only the launch tells, drawn at random: loops over m, n
// and k in any order, whose tiles are as long as a step, or shorter at the end. D is the whole
// product, whatever the steps are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "product_run.h"

namespace heddle::compiler {
namespace whole_tiles_test {

using instruction::Target;

constexpr std::array<const char*, 3> size_names{"%m", "%n", "%k"};

struct DynamicTiles {
  std::array<std::int64_t, 3> sizes{};  // of m, n and k, for the launch
  std::array<std::int64_t, 3> steps{};  // 0: an argument of the function says it
  std::array<bool, 3> cuts{};           // the last tile may be shorter
  std::array<int, 3> order{0, 1, 2};    // of the loops, the outermost first
  bool has_forall = false;              // over m and n, around a loop over k

  std::string mlir() const {
    std::string text =
        "#rest = affine_map<(at)[size, step] -> (step, size - at)>\n"
        "func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>, "
        "%step: index) -> tensor<?x?xf32> {\n"
        "%zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n"
        "%m = tensor.dim %a, %zero : tensor<?x?xf16>\n%n = tensor.dim %b, %one : tensor<?x?xf16>\n"
        "%k = tensor.dim %a, %one : tensor<?x?xf16>\n";
    for (std::size_t i = 0; i < 3; ++i)
      if (steps[i] != 0)
        text += step(i) + " = arith.constant " + std::to_string(steps[i]) + " : index\n";
    return text + (has_forall ? forall() : loops(0, "%c")) + "return %d0 : tensor<?x?xf32>\n}\n";
  }

 private:
  std::string step(std::size_t of) const {
    return steps[of] == 0 ? "%step" : "%step" + std::to_string(of);
  }
  std::string tile(std::size_t of) const { return cuts[of] ? "%t" + std::to_string(of) : step(of); }
  // The length of a tile of which the last may be shorter.
  std::string rest(std::size_t of) const {
    const std::string number = std::to_string(of);
    return cuts[of] ? "%t" + number + " = affine.min #rest(%i" + number + ")[" + size_names[of] +
                          ", " + step(of) + "]\n"
                    : "";
  }
  std::string place(std::size_t row, std::size_t column) const {
    return "[%i" + std::to_string(row) + ", %i" + std::to_string(column) + "] [" + tile(row) +
           ", " + tile(column) + "] [1, 1]";
  }
  std::string cut(const std::string& name, const std::string& from, std::size_t row,
                  std::size_t column, const std::string& element) const {
    return name + " = tensor.extract_slice " + from + place(row, column) + " : tensor<?x?x" +
           element + "> to tensor<?x?x" + element + ">\n";
  }
  static std::string product(const std::string& name, const std::string& c) {
    return name + " = linalg.matmul ins(%at, %bt : tensor<?x?xf16>, tensor<?x?xf16>) outs(" + c +
           " : tensor<?x?xf32>) -> tensor<?x?xf32>\n";
  }
  std::string loop(std::size_t of, const std::string& result, const std::string& inside,
                   const std::string& before) const {
    return result + " = scf.for %i" + std::to_string(of) + " = %zero to " + size_names[of] +
           " step " + step(of) + " iter_args(" + inside + " = " + before +
           ") -> (tensor<?x?xf32>) {\n" + rest(of);
  }

  std::string loops(std::size_t depth, const std::string& c) const {
    if (depth == 3)
      return cut("%at", "%a", 0, 2, "f16") + cut("%bt", "%b", 2, 1, "f16") +
             cut("%ct", c, 0, 1, "f32") + product("%dt", "%ct") +
             "%d3 = tensor.insert_slice %dt into " + c + place(0, 1) +
             " : tensor<?x?xf32> into tensor<?x?xf32>\n";
    const std::string number = std::to_string(depth), inside = "%c" + number;
    return loop(static_cast<std::size_t>(order[depth]), "%d" + number, inside, c) +
           loops(depth + 1, inside) + "scf.yield %d" + std::to_string(depth + 1) +
           " : tensor<?x?xf32>\n}\n";
  }

  std::string forall() const {
    return "%d0 = scf.forall (%i0, %i1) = (%zero, %zero) to (%m, %n) step (" + step(0) + ", " +
           step(1) + ") shared_outs(%c0 = %c) -> (tensor<?x?xf32>) {\n" + rest(0) + rest(1) +
           cut("%ct", "%c0", 0, 1, "f32") + loop(2, "%d1", "%c1", "%ct") +
           cut("%at", "%a", 0, 2, "f16") + cut("%bt", "%b", 2, 1, "f16") + product("%d2", "%c1") +
           "scf.yield %d2 : tensor<?x?xf32>\n}\n" +
           "scf.forall.in_parallel {\ntensor.parallel_insert_slice %d1 into %c0" + place(0, 1) +
           " : tensor<?x?xf32> into tensor<?x?xf32>\n}\n}\n";
  }
};

DynamicTiles any_tiles() {
  DynamicTiles tiles;
  for (std::size_t i = 0; i < 3; ++i) {
    tiles.steps[i] = *rc::gen::element<std::int64_t>(0, 1, 2, 3, 8, 16);
    tiles.sizes[i] = *rc::gen::inRange<std::int64_t>(1, 50);
    tiles.cuts[i] = *rc::gen::arbitrary<bool>();
    // A text whose tiles reach beyond the end means nothing.
    if (!tiles.cuts[i] && tiles.steps[i] > 1) tiles.sizes[i] *= tiles.steps[i];
    tiles.sizes[i] = std::min<std::int64_t>(tiles.sizes[i], 48);
  }
  std::ranges::copy(*rc::gen::element(std::array{0, 1, 2}, std::array{2, 1, 0}, std::array{1, 2, 0},
                                      std::array{2, 0, 1}),
                    tiles.order.begin());
  tiles.has_forall = *rc::gen::arbitrary<bool>();
  return tiles;
}

std::string difference(const DynamicTiles& tiles, Target target) {
  const std::int64_t m = tiles.sizes[0], n = tiles.sizes[1], k = tiles.sizes[2];
  const Outcome done =
      run(tiles.mlir(), {.target = target}, Operands::exact, 1, [&](const Compilation& kernel) {
        plan::Problem problem = kernel.problem;
        const bool swapped = kernel.request.a.parameter == 1;  // B's columns are D's rows
        problem.m = swapped ? n : m;
        problem.n = swapped ? m : n;
        problem.k = k;
        return problem;
      });
  if (!done.error.empty()) return done.error;
  const auto inputs = arguments(done);
  const auto at = [](std::int64_t row, std::int64_t columns, std::int64_t column) {
    return static_cast<std::size_t>(row * columns + column);
  };
  std::vector<double> expected = inputs[2];
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t step = 0; step < k; ++step)
      for (std::int64_t column = 0; column < n; ++column)
        expected[at(row, n, column)] +=
            inputs[0][at(row, k, step)] * inputs[1][at(step, n, column)];
  return difference(done, expected);
}

RC_GTEST_PROP(WholeTiles, AreTheWholeProduct, ()) {
  const DynamicTiles tiles = any_tiles();
  const Target target = *rc::gen::element(Target::gfx942, Target::sm_80);
  const std::string found = difference(tiles, target);
  if (!found.empty()) RC_FAIL(found + "\n" + tiles.mlir());
}

}  // namespace whole_tiles_test
}  // namespace heddle::compiler
