// Attention in one kernel: drawn problems on every machine, judged with the bound of its roundings
// and compared with a formula in plain C++; and what stays four kernels, with the reason.
#include <tuple>

#include "compiler/plan/attention_planner.h"
#include "sequence_run.h"

namespace heddle::compiler {
namespace attention_test {

constexpr std::array machines{Target::gfx1100, Target::gfx1151, Target::gfx1201, Target::gfx90a,
                              Target::gfx942,  Target::gfx950,  Target::sm_80,   Target::sm_90,
                              Target::sm_90a,  Target::sm_120,  Target::gfx1250};

enum class Mask { none, floats, bits };

struct Attention {
  std::int64_t batch = 1, queries = 20, keys = 30, depth = 16, columns = 16;
  std::string type = "f16", result = "f32";
  double scale = 0.25;
  Mask mask = Mask::none;
  bool has_narrow_shares = true;  // of `type`, or f32
  std::string values = "";        // the type of V where it is another
  double share_factor = 1;        // times the shares before they are narrow; over it, the result
  bool has_scales = false;        // numbers that multiply the scores and the result

  std::string shaped(std::int64_t rows, std::int64_t columns_of, const std::string& element) const {
    return "tensor<" + std::to_string(batch) + "x" + std::to_string(rows) + "x" +
           std::to_string(columns_of) + "x" + element + ">";
  }
  std::string value_type() const { return values.empty() ? type : values; }

  std::string mlir() const {
    const std::string s = shaped(queries, keys, "f32"), p = shaped(queries, keys, type),
                      o = shaped(queries, columns, "f32"), d = shaped(queries, columns, result),
                      q = shaped(queries, depth, type), k = shaped(keys, depth, type),
                      v = shaped(keys, columns, value_type());
    const std::string m = shaped(queries, keys, mask == Mask::bits ? "i1" : "f32");
    std::string text =
        "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + v +
        (mask == Mask::none ? "" : ", %m: " + m) +
        (has_scales ? ", %qk_scale: f32, %v_scale: f32" : "") + ") -> " + d +
        " {\n  %zero = arith.constant 0.0 : f32\n  %scale = arith.constant dense<" +
        std::to_string(scale) + "> : " + s + "\n  %low = arith.constant dense<0xFF800000> : " + s +
        "\n  %se = tensor.empty() : " + s +
        "\n  %sz = linalg.fill ins(%zero : f32) outs(%se : " + s + ") -> " + s +
        "\n  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, "
        "affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%q, %k "
        ": " +
        q + ", " + k + ") outs(%sz : " + s + ") -> " + s + "\n  %t = arith.mulf %s, %scale : " + s +
        "\n";
    std::string scores = "%t";
    if (has_scales) {
      text +=
          "  %qk = tensor.splat %qk_scale : " + s + "\n  %ts = arith.mulf %t, %qk : " + s + "\n";
      scores = "%ts";
    }
    if (mask == Mask::floats) text += "  %u = arith.addf " + scores + ", %m : " + s + "\n";
    if (mask == Mask::bits)
      text += "  %u = arith.select %m, " + scores + ", %low : " + m + ", " + s + "\n";
    if (mask != Mask::none) scores = "%u";
    text += "  %p = linalg.softmax dimension(2) ins(" + scores + " : " + s + ") outs(%se : " + s +
            ") -> " + s + "\n";
    if (share_factor != 1)
      text += "  %factor = arith.constant dense<" + std::to_string(share_factor) + "> : " + s +
              "\n  %pf = arith.mulf %p, %factor : " + s + "\n";
    const std::string shares = share_factor != 1 ? "%pf" : "%p";
    if (has_narrow_shares) text += "  %n = arith.truncf " + shares + " : " + s + " to " + p + "\n";
    text += "  %oe = tensor.empty() : " + o +
            "\n  %oz = linalg.fill ins(%zero : f32) outs(%oe : " + o + ") -> " + o +
            "\n  %o = linalg.batch_matmul ins(" +
            (has_narrow_shares ? "%n, %v : " + p : shares + ", %v : " + s) + ", " + v +
            ") outs(%oz : " + o + ") -> " + o + "\n";
    std::string last = "%o";
    const auto times = [&](const std::string& name, const std::string& made) {
      text +=
          "  " + made + "  %" + name + "_o = arith.mulf " + last + ", %" + name + " : " + o + "\n";
      last = "%" + name + "_o";
    };
    if (share_factor != 1)
      times("over",
            "%over = arith.constant dense<" + std::to_string(1 / share_factor) + "> : " + o + "\n");
    if (has_scales) times("vs", "%vs = tensor.splat %v_scale : " + o + "\n");
    if (result == "f32") return text + "  return " + last + " : " + d + "\n}\n";
    return text + "  %r = arith.truncf " + last + " : " + o + " to " + d + "\n  return %r : " + d +
           "\n}\n";
  }

  // In float64, of the arguments in the order of the text.
  std::vector<double> expected(const std::vector<Numbers>& in) const {
    std::vector<double> all;
    const std::size_t first_scale = mask == Mask::none ? 3 : 4;
    const double of_scores = has_scales ? in[first_scale].values[0] : 1,
                 of_result = has_scales ? in[first_scale + 1].values[0] : 1;
    const auto at = [&](std::size_t argument, std::int64_t b, std::int64_t row, std::int64_t column,
                        std::int64_t rows, std::int64_t row_length) {
      return in[argument].values[static_cast<std::size_t>((b * rows + row) * row_length + column)];
    };
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t i = 0; i < queries; ++i) {
        std::vector<double> weights;
        double sum = 0;
        for (std::int64_t j = 0; j < keys; ++j) {
          double score = 0;
          for (std::int64_t c = 0; c < depth; ++c)
            score += at(0, b, i, c, queries, depth) * at(1, b, j, c, keys, depth);
          score *= scale * of_scores;
          if (mask == Mask::floats) score += at(3, b, i, j, queries, keys);
          const bool is_masked = mask == Mask::bits && at(3, b, i, j, queries, keys) == 0;
          weights.push_back(is_masked ? 0 : std::exp(score));
          sum += weights.back();
        }
        for (std::int64_t c = 0; c < columns; ++c) {
          double value = 0;
          for (std::int64_t j = 0; j < keys; ++j)
            value += weights[static_cast<std::size_t>(j)] * at(2, b, j, c, keys, columns);
          all.push_back(value / sum * of_result);
        }
      }
    return all;
  }
};

bool is_of_bytes(const Attention& attention) { return attention.type.starts_with("f8"); }

void expect_one_kernel(const Attention& attention, Target target, const PlanFields& asked = {}) {
  SCOPED_TRACE(std::string(instruction::name(target)) + "\n" + attention.mlir());
  const SequenceOutcome done = run_sequence(attention.mlir(), {.target = target, .plan = asked});
  ASSERT_EQ(done.error, "");
  ASSERT_EQ(done.all.kernels.size(), 1u) << done.all.kernels[0].choices.back().why;
  ASSERT_EQ(done.checks.size(), 1u);
  // Where the rounding of P to 8 bits may move results by as much as they differ, the plain formula
  // alone, and the sum of all errors, say that they are right.
  EXPECT_TRUE(is_of_bytes(attention) ? done.checks[0].wrong == 0 : done.checks[0].right())
      << done.checks[0].wrong << " of " << done.checks[0].elements << ", row "
      << done.checks[0].worst_row << ", column " << done.checks[0].worst_column << ": "
      << done.checks[0].worst_value << " for " << done.checks[0].worst_reference;
  if (!is_of_bytes(attention)) EXPECT_LT(done.checks[0].widest_limit, 0.1);
  const std::vector<double> wanted = attention.expected(done.arguments);
  ASSERT_EQ(done.results[0].values.size(), wanted.size());
  const double tolerance = is_of_bytes(attention)    ? 0x1p-3
                           : attention.type == "f16" ? 0x1p-9
                                                     : 0x1p-6;
  double errors = 0, results = 0;  // sums of squares
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double found = done.results[0].values[i];
    if (std::isnan(wanted[i])) {
      ASSERT_TRUE(std::isnan(found)) << i;
      continue;
    }
    ASSERT_NEAR(found, wanted[i], tolerance) << i;
    errors += (found - wanted[i]) * (found - wanted[i]);
    results += wanted[i] * wanted[i];
  }
  // Each share is rounded by itself, so that the errors of a row are to its result as the error of
  // one share is to it: uniform in half a unit of the last place, its square is a third of that's.
  if (is_of_bytes(attention)) {
    const double half_unit = attention.type.starts_with("f8E5M2") ? 0x1p-3 : 0x1p-4;
    EXPECT_LE(std::sqrt(errors), half_unit * std::sqrt(results));
  }
}

TEST(Attention, IsOneKernelOnEveryMachine) {
  for (const Target target : machines) expect_one_kernel({}, target);
}

// Sizes that are no multiples of blocks, types, scales and masks.
TEST(Attention, DrawnProblems) {
  const runtime::RandomStream stream(45);
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + stream.word(drawn++) % (most - least + 1));
  };
  constexpr std::array scales{0.125, 0.5, 1.0};
  for (std::size_t i = 0; i < 30; ++i) {
    Attention attention;
    attention.batch = draw(1, 3);
    attention.queries = draw(1, 90);
    attention.keys = draw(1, 150);
    attention.depth = 8 * draw(1, 9);
    attention.columns = 8 * draw(1, 9);
    attention.type = draw(0, 1) == 0 ? "f16" : "bf16";
    attention.result = draw(0, 1) == 0 ? "f32" : attention.type;
    attention.scale = scales[static_cast<std::size_t>(draw(0, 2))];
    attention.mask = static_cast<Mask>(draw(0, 2));
    expect_one_kernel(attention, machines[i % machines.size()]);
  }
}

// Floats of 8 bits, P's too, on all targets that multiply them, with scales of tensors and without.
TEST(Attention, DrawnProblemsOfBytes) {
  constexpr std::array of_ocp{Target::gfx1201, Target::sm_89,  Target::gfx950,
                              Target::sm_90a,  Target::sm_120, Target::gfx1250};
  const runtime::RandomStream stream(4508);
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + stream.word(drawn++) % (most - least + 1));
  };
  for (std::size_t i = 0; i < 24; ++i) {
    const bool is_fnuz = i % 4 == 3;
    Attention attention;
    attention.batch = draw(1, 3);
    attention.queries = draw(1, 90);
    attention.keys = draw(1, 150);
    attention.depth = 16 * draw(1, 8);
    attention.columns = 16 * draw(1, 8);
    attention.type = draw(0, 2) == 0 ? "f8E5M2" : "f8E4M3FN";
    if (is_fnuz) attention.type += attention.type == "f8E5M2" ? "FNUZ" : "UZ";
    attention.result = std::array{"f32", "f16", "bf16"}[static_cast<std::size_t>(draw(0, 2))];
    attention.mask = static_cast<Mask>(draw(0, 2));
    attention.has_scales = draw(0, 1) == 0;
    attention.share_factor = draw(0, 1) == 0 ? 1 : 256;
    expect_one_kernel(attention, is_fnuz ? Target::gfx942 : of_ocp[i % of_ocp.size()]);
  }
}

// The largest heads, of which shared memory holds fewer keys.
TEST(Attention, LargeHeads) {
  Attention attention{.queries = 17, .keys = 70, .depth = 256, .columns = 192};
  for (const Target target :
       {Target::gfx1151, Target::gfx1201, Target::gfx942, Target::sm_80, Target::sm_90a})
    expect_one_kernel(attention, target);
}

// Heads whose result registers of one warp do not hold, on every machine: warps divide the depth
// and the columns. Sizes that fill tiles of shared memory and others, and parts of the keys.
TEST(Attention, WarpsDivideWideHeads) {
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 6> sizes{
      {{512, 512}, {576, 512}, {320, 320}, {264, 16}, {64, 264}, {328, 576}}};
  const runtime::RandomStream stream(4512);
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + stream.word(drawn++) % (most - least + 1));
  };
  for (std::size_t i = 0; i < 2 * machines.size(); ++i) {
    Attention attention;
    std::tie(attention.depth, attention.columns) = sizes[i % sizes.size()];
    attention.batch = draw(1, 2);
    attention.queries = i % 4 == 3 ? draw(1, 8) : draw(9, 90);
    attention.keys = i % 4 == 3 ? draw(500, 700) : draw(1, 150);
    attention.type = draw(0, 1) == 0 ? "f16" : "bf16";
    attention.result = draw(0, 1) == 0 ? "f32" : attention.type;
    attention.mask = static_cast<Mask>(draw(0, 2));
    const PlanFields asked{.split_k = i % 4 == 3 ? static_cast<int>(draw(1, 4)) : 0};
    expect_one_kernel(attention, machines[i % machines.size()], asked);
  }
  for (const Target target : {Target::gfx1201, Target::gfx950, Target::sm_89, Target::sm_120})
    expect_one_kernel({.queries = 20, .keys = 60, .depth = 576, .columns = 512, .type = "f8E4M3FN"},
                      target);
}

// Parts of the keys and warps that divide them, as a plan file asks: parts without a key, columns
// that warps cannot divide evenly, and heads whose sums fill shared memory.
TEST(Attention, KeysAreDividedAsAsked) {
  struct Asked {
    int parts, warps, key_warps;
  };
  for (const auto& [parts, warps, key_warps] :
       {Asked{3, 1, 2}, Asked{7, 2, 1}, Asked{1, 1, 4}, Asked{5, 2, 4}, Asked{40, 1, 1}})
    for (const Target target :
         {Target::gfx1151, Target::gfx1201, Target::gfx942, Target::sm_80, Target::sm_90a}) {
      SCOPED_TRACE(std::to_string(parts) + " " + std::to_string(key_warps));
      const PlanFields asked{.warps_m = warps, .warps_n = key_warps, .split_k = parts};
      expect_one_kernel({.batch = 2, .queries = 30, .keys = 700, .depth = 24, .columns = 40},
                        target, asked);
    }
  for (const Target target : {Target::gfx1201, Target::gfx942, Target::sm_80})
    expect_one_kernel({.queries = 3, .keys = 1000, .depth = 256, .columns = 256}, target);
  // Warps and blocks that divide keys of 8 bits.
  for (const Target target : {Target::gfx1201, Target::gfx950, Target::sm_90a, Target::sm_120})
    for (const int parts : {1, 3})
      expect_one_kernel(
          {.queries = 30, .keys = 300, .depth = 32, .columns = 48, .type = "f8E4M3FN"}, target,
          {.warps_m = 1, .warps_n = 2, .split_k = parts});
}

// Many rows, of which a warp of mma.sync takes twice as many; the queries are then in shared
// memory.
TEST(Attention, ManyQueries) {
  expect_one_kernel({.batch = 2, .queries = 8200, .keys = 70, .depth = 16, .columns = 24},
                    Target::sm_80);
  // Blocks that share the keys.
  expect_one_kernel({.batch = 2, .queries = 100, .keys = 2100, .depth = 16, .columns = 24},
                    Target::sm_80);
}

// By wgmma: blocks that compute several tiles of queries, and several blocks of keys, of which the
// first is partial. The factor makes the largest scores rise from block to block.
TEST(Attention, StagesOfWgmma) {
  expect_one_kernel({.batch = 134, .queries = 3, .keys = 9, .result = "f16"}, Target::sm_90a);
  Attention attention{.queries = 200, .keys = 300, .depth = 64, .columns = 128, .result = "f16"};
  expect_one_kernel(attention, Target::sm_90a);
  attention.depth = 128;
  attention.scale = 8;
  expect_one_kernel(attention, Target::sm_90a);
}

// Scores that would not fit memory are in none; without one kernel they are refused.
TEST(Attention, ScoresNeedNoMemory) {
  Attention attention{.batch = 16, .queries = 8192, .keys = 8192, .depth = 128, .columns = 128};
  for (const Target target : {Target::gfx1201, Target::gfx942, Target::sm_90}) {
    const auto made = compile_sequence(attention.mlir(), "a.mlir", {.target = target}, Stage::plan);
    ASSERT_TRUE(made) << made.error();
    EXPECT_EQ(made->kernels.size(), 1u);
  }
  attention.depth = 12;
  attention.keys = std::int64_t{1} << 25;
  const auto refused =
      compile_sequence(attention.mlir(), "a.mlir", {.target = Target::sm_90}, Stage::plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(),
            "a.mlir:8:8: error: the size of tensor<16x8192x33554432xf32>; accepted: at most "
            "4398046511104 bytes an array, and 2147483647 elements along a dimension\n");
}

std::string why_not(const Attention& attention, Target target) {
  const auto made = compile_sequence(attention.mlir(), "a.mlir", {.target = target}, Stage::plan);
  if (!made) return made.error();
  EXPECT_EQ(made->kernels.size(), 4u);
  for (const plan::Choice& choice : made->kernels.back().choices)
    if (choice.what == "attention") return choice.why;
  return "nothing is said";
}

TEST(Attention, SaysWhatStandsInTheWay) {
  EXPECT_EQ(
      why_not({.has_narrow_shares = false, .values = "f32"}, Target::sm_80),
      "shares and V are multiplied as f32; accepted: f16, bf16 or a float of 8 bits, the same "
      "for Q, K and V: a cast before the product has a kernel");
  EXPECT_EQ(why_not({.depth = 12}, Target::gfx1201),
            "rows of Q have 12 elements, no multiple of 8; accepted: rows that begin and end at "
            "multiples of 16 bytes: heads of a multiple of 8, which zeros may fill");
  for (const Target target : {Target::gfx1201, Target::sm_90a})
    EXPECT_EQ(why_not({.depth = 584}, target), "heads of 584 and 16; accepted: up to 576");
}

TEST(Attention, RefusesPartsAndWarpsOutOfRange) {
  const auto refused = [](const PlanFields& asked, unsigned dynamic = 0) {
    const auto made = plan::make_attention_plan({.problem = {.m = 20,
                                                             .n = 16,
                                                             .k = 30,
                                                             .input = instruction::ElementType::f16,
                                                             .dynamic = dynamic},
                                                 .depth = 16,
                                                 .target = Target::sm_80,
                                                 .asked = asked});
    return made ? std::string() : made.error();
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({.split_k = 2}, 1u << static_cast<unsigned>(plan::Loop::k)), "");
  EXPECT_EQ(refused({.split_k = 2}, 1u << static_cast<unsigned>(plan::Loop::m)),
            "2 parts of the keys; accepted: 1, since the number of queries is dynamic");
  EXPECT_EQ(refused({.split_k = 65}), "65 parts of the keys; accepted: 1 to 64");
  EXPECT_EQ(refused({.warps_m = 3}), "3 in \"warps\"; accepted: powers of two up to 8");
  EXPECT_EQ(refused({.block_k = 48}), "48 in \"block\"; accepted: powers of two up to 1024");
}

}  // namespace attention_test
}  // namespace heddle::compiler
