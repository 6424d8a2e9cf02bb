// Numbers in blocks along k with scales, in every type, order and size: by the instruction that
// reads scales where a target has one, as bf16 or f32 elsewhere; against a formula in float64 and
// by the judge of `heddle run`.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sequence_run.h"

namespace heddle::compiler {
namespace block_scales_test {

using instruction::Target;

// D[m, n] = C[m, n] + the sum over (g, k) of A * B, for each of `batch`.
struct Form {
  std::string a, b;  // types
  int m, n, groups;
  int block = 32;
  bool a_scaled = true, b_scaled = true;
  bool a_transposed = false, b_transposed = false;  // k is not the innermost dimension
  int batch = 1;
  std::string dynamic{};  // of "m", "n", "g"

  int k() const { return groups * block; }
};

std::string size(const Form& form, char loop) {
  if (form.dynamic.find(loop) != std::string::npos) return "?";
  return std::to_string(loop == 'm'   ? form.m
                        : loop == 'n' ? form.n
                        : loop == 'g' ? form.groups
                        : loop == 'z' ? form.batch
                                      : form.block);
}

std::string type(const Form& form, const std::string& loops, const std::string& element) {
  std::string text = "tensor<";
  for (const char loop : loops) text += size(form, loop) + "x";
  return text + element + ">";
}

std::string map(const std::string& loops) {
  std::string text;
  for (const char loop : loops) text += (text.empty() ? "" : ", ") + std::string(1, loop);
  return "affine_map<(z, m, n, g, k) -> (" + text + ")>";
}

std::string mlir(const Form& form) {
  struct Argument {
    std::string loops, element, name, inner;
  };
  std::vector<Argument> all{{form.a_transposed ? "zgkm" : "zmgk", form.a, "%a", "%x"},
                            {form.b_transposed ? "zgkn" : "zngk", form.b, "%b", "%y"}};
  if (form.a_scaled) all.push_back({"zmg", "f8E8M0FNU", "%s", "%xs"});
  if (form.b_scaled) all.push_back({"zng", "f8E8M0FNU", "%t", "%ys"});
  const std::string d = type(form, "zmn", "f32");
  std::string arguments, maps, names, types, inner;
  for (const Argument& one : all) {
    const std::string of = type(form, one.loops, one.element);
    arguments += one.name + ": " + of + ", ";
    maps += map(one.loops) + ", ";
    names += (names.empty() ? "" : ", ") + one.name;
    types += (types.empty() ? "" : ", ") + of;
    inner += one.inner + ": " + one.element + ", ";
  }
  const auto wide = [](const std::string& element, bool scaled, const std::string& name) {
    return scaled ? "arith.scaling_extf " + name + ", " + name + "s : " + element +
                        ", f8E8M0FNU to f32\n"
                  : "arith.extf " + name + " : " + element + " to f32\n";
  };
  return "func.func @f(" + arguments + "%c: " + d + ") -> " + d +
         " {\n  %d = linalg.generic {indexing_maps = [" + maps + map("zmn") +
         "], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
         "\"reduction\"]} ins(" +
         names + " : " + types + ") outs(%c : " + d + ") {\n  ^bb0(" + inner +
         "%sum: f32):\n    %left = " + wide(form.a, form.a_scaled, "%x") +
         "    %right = " + wide(form.b, form.b_scaled, "%y") +
         "    %p = arith.mulf %left, %right : f32\n    %next = arith.addf %sum, %p : f32\n"
         "    linalg.yield %next : f32\n  } -> " +
         d + "\n  return %d : " + d + "\n}\n";
}

// Row-major over (z, m, n).
std::vector<double> expected(const Form& form, const std::vector<std::vector<double>>& in) {
  std::vector<double> all;
  const auto at = [](const std::vector<double>& values, std::int64_t i) {
    return values[static_cast<std::size_t>(i)];
  };
  const std::vector<double> none;
  const std::vector<double>& of_a = form.a_scaled ? in[2] : none;
  const std::vector<double>& of_b = form.b_scaled ? in[form.a_scaled ? 3 : 2] : none;
  const std::int64_t depth = form.k();
  for (std::int64_t z = 0; z < form.batch; ++z)
    for (std::int64_t m = 0; m < form.m; ++m)
      for (std::int64_t n = 0; n < form.n; ++n) {
        double sum = at(in.back(), (z * form.m + m) * form.n + n);
        for (std::int64_t k = 0; k < depth; ++k) {
          const std::int64_t row = z * form.m + m, column = z * form.n + n;
          const std::int64_t g = k / form.block;
          double product =
              at(in[0], form.a_transposed ? (z * depth + k) * form.m + m : row * depth + k) *
              at(in[1], form.b_transposed ? (z * depth + k) * form.n + n : column * depth + k);
          if (form.a_scaled) product *= at(of_a, row * form.groups + g);
          if (form.b_scaled) product *= at(of_b, column * form.groups + g);
          sum += product;
        }
        all.push_back(sum);
      }
  return all;
}

// The instruction that multiplies, in the words of the plan.
std::string instruction_of(const Compilation& kernel) {
  for (const plan::Choice& choice : kernel.choices)
    if (choice.what == "instruction") return choice.value;
  return "";
}

void expect_right(const Form& form, Target target, const std::string& instruction,
                  Operands operands = Operands::exact, const PlanFields& plan = {}) {
  const std::string text = mlir(form);
  const Options options{.target = target, .plan = plan};
  const Outcome done = run(text, options, operands, 1, [&](const Compilation& kernel) {
    plan::Problem problem = kernel.problem;
    const bool swapped = kernel.request.a.parameter == 1;
    problem.m = swapped ? form.n : form.m;
    problem.n = swapped ? form.m : form.n;
    problem.k = form.k();
    for (std::int64_t& further : problem.further)
      if (further != 0) further = form.groups;
    return problem;
  });
  const std::string where = std::string(instruction::name(target)) + "\n" + text;
  ASSERT_EQ(done.error, "") << where;
  EXPECT_EQ(difference(done, expected(form, arguments(done))), "") << where;
  EXPECT_TRUE(judged(done).right()) << where;
  EXPECT_NE(instruction_of(done.kernel).find(instruction), std::string::npos)
      << instruction_of(done.kernel) << " " << where;
}

// By an instruction with scales where the target has one.
void expect_scaled(const Form& form) {
  for (const Target target : {Target::gfx950, Target::gfx1250})
    expect_right(form, target, "_scale_");
}

TEST(BlockScales, PairsOfFourBitsStayBytes) {
  for (const int groups : {1, 2, 4, 9}) expect_scaled({"f4E2M1FN", "f4E2M1FN", 70, 90, groups});
  expect_scaled({.a = "f4E2M1FN", .b = "f4E2M1FN", .m = 40, .n = 40, .groups = 3, .batch = 3});
  expect_scaled({"f4E2M1FN", "f4E2M1FN", 33, 130, 5, 64});
  // Parts of k, which begin inside.
  expect_scaled({"f4E2M1FN", "f4E2M1FN", 16, 24, 130});
}

/// A tile of gfx1250's ends behind the first scale of the next row, which is NaN in every fifth.
TEST(BlockScales, ScalesBehindTheLastOfARow) {
  for (const Target target : {Target::gfx950, Target::gfx1250})
    for (const char* dynamic : {"", "g"})
      expect_right(
          {.a = "f4E2M1FN", .b = "f4E2M1FN", .m = 42, .n = 64, .groups = 3, .dynamic = dynamic},
          target, "_scale_", Operands::all);
}

TEST(BlockScales, FloatsOfEightBits) {
  for (const char* a : {"f8E4M3FN", "f8E5M2"})
    for (const char* b : {"f8E4M3FN", "f8E5M2"}) expect_scaled({a, b, 50, 70, 5});
}

TEST(BlockScales, MixedTypesAndOrders) {
  expect_scaled({"f4E2M1FN", "f8E4M3FN", 50, 70, 3});
  expect_scaled({"f8E5M2", "f4E2M1FN", 50, 70, 3});
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      for (const char* type : {"f4E2M1FN", "f8E4M3FN"})
        expect_scaled({.a = type,
                       .b = type,
                       .m = 34,
                       .n = 66,
                       .groups = 3,
                       .a_transposed = a,
                       .b_transposed = b});
}

// Scales are loaded as many tiles ahead as A and B, while the other half of the waves multiplies.
TEST(BlockScales, InPingPong) {
  for (const char* type : {"f4E2M1FN", "f8E4M3FN"})
    for (const int stages : {2, 3, 4})
      for (const char* dynamic : {"", "g", "mng"})
        for (const int groups : {1, 4, 9, 20}) {
          const Form form{
              .a = type, .b = type, .m = 70, .n = 130, .groups = groups, .dynamic = dynamic};
          const PlanFields turns{
              .block_m = 64, .block_n = 128, .stages = stages, .schedule = "ping-pong"};
          if (std::string(dynamic).find('g') != std::string::npos && stages > 2) continue;
          expect_right(form, Target::gfx950, "_scale_", Operands::exact, turns);
        }
}

TEST(BlockScales, OfOneSide) {
  expect_scaled({.a = "f8E4M3FN", .b = "f8E5M2", .m = 40, .n = 50, .groups = 3, .b_scaled = false});
  expect_scaled(
      {.a = "f4E2M1FN", .b = "f4E2M1FN", .m = 40, .n = 50, .groups = 3, .a_scaled = false});
}

TEST(BlockScales, SizesThatTheKernelIsTold) {
  for (const char* type : {"f4E2M1FN", "f8E4M3FN"})
    for (const char* dynamic : {"m", "mn", "g", "mng"})
      expect_scaled({.a = type, .b = type, .m = 70, .n = 50, .groups = 5, .dynamic = dynamic});
}

// Rows of A and B are whole blocks in any case, although the k of the kernel is a product of sizes;
// so launches with a multiple of four columns store four elements of D at once.
TEST(BlockScales, WholeRowsOfDHaveAKernel) {
  const Form form{
      .a = "f8E4M3FN", .b = "f8E4M3FN", .m = 70, .n = 52, .groups = 5, .dynamic = "mng"};
  for (const Target target : {Target::gfx950, Target::gfx1250}) {
    const auto kernel = compile(mlir(form), "test.mlir", {.target = target}, Stage::plan);
    ASSERT_TRUE(kernel.has_value()) << kernel.error();
    plan::Problem sizes = kernel->problem;
    sizes.m = form.m, sizes.n = form.n, sizes.k = form.k();
    EXPECT_EQ(kernel_for(*kernel, sizes).kernel_name,
              target == Target::gfx950 ? "f_whole_rows_m256_n256" : "f_whole_rows");
  }
  expect_scaled(form);
}

TEST(BlockScales, BlocksThatNoInstructionHas) {
  for (const Target target : {Target::gfx950, Target::gfx1250}) {
    expect_right({"f4E2M1FN", "f4E2M1FN", 40, 50, 5, 16}, target, "bf16");
    expect_right({"f8E4M3FN", "f8E4M3FN", 40, 50, 5, 16}, target, "f32");
  }
}

TEST(BlockScales, WhereNoInstructionReadsThem) {
  for (const Target target :
       {Target::gfx90a, Target::gfx942, Target::gfx1151, Target::gfx1201, Target::sm_90a}) {
    expect_right({"f4E2M1FN", "f4E2M1FN", 40, 50, 3}, target, "bf16");
    expect_right({"f8E4M3FN", "f4E2M1FN", 40, 50, 3}, target, "f");
  }
}

// Weights of four bits for activations of 16, as language models have them.
TEST(BlockScales, WeightsBesideBf16) {
  for (const Target target : {Target::gfx942, Target::gfx950, Target::gfx1151, Target::gfx1250,
                              Target::sm_80, Target::sm_90a})
    expect_right({.a = "bf16", .b = "f4E2M1FN", .m = 40, .n = 70, .groups = 3, .a_scaled = false},
                 target, "bf16");
}

// 8-bit floats with an f32 for 128 elements along k of each row of A, and for as many along k times
// `columns` of B, as indexing maps divide the loops by those.
struct Scaled {
  int m, n, k, columns = 128;
  std::string type = "f8E4M3FN", result = "f32";
  std::string body = "(x * u) * (y * v)";
  bool b_scaled = true;
  bool by_columns = false;  // the scales of A lie k first
};

std::string mlir(const Scaled& form) {
  const auto tensor = [](const std::vector<int>& sizes, const std::string& element) {
    std::string text = "tensor<";
    for (const int size : sizes) text += std::to_string(size) + "x";
    return text + element + ">";
  };
  const std::string a = tensor({form.m, form.k}, form.type);
  const std::string b = tensor({form.n, form.k}, form.type);
  const std::string u = form.by_columns ? tensor({form.k / 128, form.m}, "f32")
                                        : tensor({form.m, form.k / 128}, "f32");
  const std::string v = tensor({form.n / form.columns, form.k / 128}, "f32");
  const std::string d = tensor({form.m, form.n}, "f32");
  const auto map = [](const std::string& places) {
    return "affine_map<(m, n, k) -> (" + places + ")>, ";
  };
  const std::string of_v = map("n floordiv " + std::to_string(form.columns) + ", k floordiv 128");
  std::string product;
  if (!form.b_scaled) {
    product = "%q = arith.mulf %xw, %u : f32\n %p = arith.mulf %q, %yw : f32\n";
  } else if (form.body == "(x * u) * (y * v)") {
    product =
        "%q = arith.mulf %xw, %u : f32\n %r = arith.mulf %v, %yw : f32\n"
        " %p = arith.mulf %q, %r : f32\n";
  } else {  // (x * y) * (v * u)
    product =
        "%q = arith.mulf %xw, %yw : f32\n %r = arith.mulf %v, %u : f32\n"
        " %p = arith.mulf %q, %r : f32\n";
  }
  return "func.func @f(%a: " + a + ", %b: " + b + ", %u0: " + u + ", %v0: " + v + ") -> " + d +
         " {\n %zero = arith.constant 0.0 : f32\n %e = tensor.empty() : " + d +
         "\n %c = linalg.fill ins(%zero : f32) outs(%e : " + d + ") -> " + d +
         "\n %d = linalg.generic {indexing_maps = [" + map("m, k") + map("n, k") +
         map(form.by_columns ? "k floordiv 128, m" : "m, k floordiv 128") +
         (form.b_scaled ? of_v : "") +
         "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", "
         "\"reduction\"]} ins(%a, %b, %u0" +
         (form.b_scaled ? ", %v0" : "") + " : " + a + ", " + b + ", " + u +
         (form.b_scaled ? ", " + v : "") + ") outs(%c : " + d + ") {\n ^bb0(%x: " + form.type +
         ", %y: " + form.type + ", %u: f32, " + (form.b_scaled ? "%v: f32, " : "") +
         "%sum: f32):\n %xw = arith.extf %x : " + form.type +
         " to f32\n %yw = arith.extf %y : " + form.type + " to f32\n " + product +
         " %next = arith.addf %sum, %p : f32\n linalg.yield %next : f32\n } -> " + d +
         "\n return %d : " + d + "\n}\n";
}

std::vector<double> expected(const Scaled& form, const std::vector<std::vector<double>>& in) {
  const auto at = [](const std::vector<double>& values, int i) {
    return values[static_cast<std::size_t>(i)];
  };
  std::vector<double> all;
  const int groups = form.k / 128;
  for (int m = 0; m < form.m; ++m) {
    for (int n = 0; n < form.n; ++n) {
      double sum = 0;
      for (int k = 0; k < form.k; ++k) {
        const int of_u = form.by_columns ? k / 128 * form.m + m : m * groups + k / 128;
        double product = at(in[0], m * form.k + k) * at(in[1], n * form.k + k) * at(in[2], of_u);
        if (form.b_scaled) product *= at(in[3], n / form.columns * groups + k / 128);
        sum += product;
      }
      all.push_back(sum);
    }
  }
  return all;
}

void expect_scaled_sums(const Scaled& form, const std::string& instruction,
                        const Options& asked = {.target = Target::sm_90a}) {
  const std::string text = mlir(form);
  const Outcome done = run(text, asked, Operands::exact, 1,
                           [](const Compilation& kernel) { return kernel.problem; });
  ASSERT_EQ(done.error, "") << text;
  EXPECT_EQ(difference(done, expected(form, arguments(done))), "") << text;
  EXPECT_TRUE(judged(done).right()) << text;
  EXPECT_NE(instruction_of(done.kernel).find(instruction), std::string::npos)
      << instruction_of(done.kernel) << " " << text;
}

TEST(ScaledSums, BlocksOfColumnsAndRows) {
  for (const char* type : {"f8E4M3FN", "f8E5M2"}) {
    expect_scaled_sums({.m = 70, .n = 128, .k = 256, .type = type}, "wgmma");
    expect_scaled_sums({.m = 130, .n = 384, .k = 384, .type = type}, "wgmma");
  }
  for (const int columns : {32, 64, 128, 256})
    expect_scaled_sums({.m = 33, .n = 256, .k = 512, .columns = columns}, "wgmma");
  expect_scaled_sums({.m = 33, .n = 96, .k = 256, .columns = 32, .b_scaled = false}, "wgmma");
}

// Then one copy brings those of a tile, where rows are fours, and of the last tile fewer.
TEST(ScaledSums, ScalesThatLieByColumns) {
  for (const int m : {132, 33, 130})
    expect_scaled_sums({.m = m, .n = 128, .k = 384, .by_columns = true}, "wgmma");
  for (const int block_m : {64, 128, 192})
    expect_scaled_sums({.m = 324, .n = 256, .k = 256, .columns = 64, .by_columns = true}, "wgmma",
                       {.target = Target::sm_90a, .plan = {.block_m = block_m, .block_n = 128}});
  for (const int m : {256, 300, 384})  // of three rows of tiles the last cluster has one beyond D
    expect_scaled_sums({.m = m, .n = 128, .k = 256, .by_columns = true}, "wgmma",
                       {.target = Target::sm_90a,
                        .plan = {.block_m = 128, .block_n = 128, .cluster_m = 2, .cluster_n = 1}});
  expect_scaled_sums(
      {.m = 132, .n = 96, .k = 256, .columns = 32, .b_scaled = false, .by_columns = true}, "wgmma");
}

// Scales by rows are brought into columns by a kernel of their own, where that pays or has to be:
// then one copy brings those of a tile.
TEST(ScaledSums, ScalesOfRowsArePrepared) {
  for (const int m : {132, 324}) {
    const Scaled form{.m = m, .n = 128, .k = 384};
    const SequenceOutcome done =
        run_sequence(mlir(form), {.target = Target::sm_90a, .prepare = Prepare::always});
    ASSERT_EQ(done.error, "");
    ASSERT_EQ(done.all.kernels.size(), 2u);
    EXPECT_EQ(done.all.kernels[0].kernel_name, "f_a_scales");
    EXPECT_TRUE(
        std::get<plan::WarpgroupPlan>(done.all.kernels[1].plan).problem.a_scales_contiguous);
    for (const runtime::MatmulCheck& check : done.checks) EXPECT_TRUE(check.right());
    std::vector<std::vector<double>> in;
    for (const Numbers& argument : done.arguments) in.push_back(argument.values);
    EXPECT_EQ(done.results[0].values, expected(form, in));
  }
  const auto kernels = [](const Scaled& form, Prepare prepare) {
    return compile_sequence(mlir(form), "a.mlir", {.target = Target::sm_90a, .prepare = prepare},
                            Stage::plan)
        .value()
        .kernels.size();
  };
  EXPECT_EQ(kernels({.m = 130, .n = 128, .k = 384}, Prepare::always), 1u) << "no fours of rows";
  EXPECT_EQ(kernels({.m = 132, .n = 128, .k = 384}, Prepare::where_faster), 1u);
  EXPECT_EQ(kernels({.m = 8192, .n = 8192, .k = 8192}, Prepare::where_faster), 2u);
  EXPECT_EQ(kernels({.m = 8192, .n = 8192, .k = 8192, .by_columns = true}, Prepare::always), 1u);
}

TEST(ScaledSums, InWhateverOrderTheTextMultiplies) {
  expect_scaled_sums({.m = 40, .n = 128, .k = 256, .body = "(x * y) * (v * u)"}, "wgmma");
}

TEST(ScaledSums, OfEveryBlockAndPartsOfK) {
  for (const int block_n : {64, 128})
    for (const int block_m : {64, 128, 192})
      for (const int split : {1, 2})
        expect_scaled_sums({.m = 130, .n = 128, .k = 256}, "wgmma",
                           {.target = Target::sm_90a,
                            .plan = {.block_m = block_m, .block_n = block_n, .split_k = split}});
  expect_scaled_sums({.m = 256, .n = 256, .k = 256}, "wgmma",
                     {.target = Target::sm_90a,
                      .plan = {.block_m = 128, .block_n = 128, .cluster_m = 2, .cluster_n = 1}});
}

// What wgmma's sums cannot be scaled for goes by f32.
TEST(ScaledSums, WhereSumsAreNotScaled) {
  expect_scaled_sums({.m = 33, .n = 32, .k = 128, .columns = 1}, "fma");
  expect_scaled_sums({.m = 33, .n = 64, .k = 128, .columns = 16}, "fma");
  expect_scaled_sums({.m = 33, .n = 128, .k = 256}, "fma",
                     {.target = Target::sm_90a, .f8 = plan::F8Sums::exact});
  expect_scaled_sums({.m = 33, .n = 128, .k = 256}, "fma", {.target = Target::sm_80});
  expect_scaled_sums({.m = 33, .n = 128, .k = 256}, "", {.target = Target::gfx1201});
}

}  // namespace block_scales_test
}  // namespace heddle::compiler
