// Attention of 8-bit floats: by wgmma, with V transposed in shared memory; with masks, with a sink,
// and with the log-sum-exp as a second result. All against a formula in plain loops.
#include "library/text/formatted.h"
#include "sequence_run.h"

namespace heddle::compiler {
namespace attention_bytes_test {

struct BytesAttention {
  std::int64_t heads = 1, group = 1, queries = 100, keys = 150, depth = 64, columns = 64;
  std::string type = "f8E4M3FN", result = "f32";
  double scale = 0.25;
  bool is_causal = false, has_sink = false, has_log = false;
  std::int64_t window = 0;  // keys that a query sees at most; 0: all
  plan::F8Sums sums = plan::F8Sums::promoted;
  PlanFields asked = {};

  std::string mlir() const;
  /// O, and the logarithms of the sums of exponentials.
  std::pair<std::vector<double>, std::vector<double>> expected(
      const std::vector<Numbers>& in) const;
};

// One operation on each element: `inputs` are names and axes, `body` gives %y of %x0, %x1, ….
std::string elementwise(const std::string& name, const std::string& type, std::size_t rank,
                        const std::vector<std::pair<std::string, std::string>>& inputs,
                        const std::string& body) {
  const std::string loops = rank == 4 ? "h, g, m, n" : "h, g, m";
  std::string maps, names, types, arguments, parallel;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t colon = inputs[i].first.find(": ");
    maps += formatted("affine_map<({}) -> ({})>, ", loops, inputs[i].second);
    names += (i == 0 ? "%" : ", %") + inputs[i].first.substr(0, colon);
    types += (i == 0 ? "" : ", ") + inputs[i].first.substr(colon + 2);
    arguments += formatted("%x{}: f32, ", i);
  }
  for (std::size_t i = 0; i < rank; ++i) parallel += i == 0 ? "\"parallel\"" : ", \"parallel\"";
  return formatted(
      "  %{}_e = tensor.empty() : {}\n  %{} = linalg.generic {{indexing_maps = [{}affine_map<({}) "
      "-> ({})>], iterator_types = [{}]}} ins({} : {}) outs(%{}_e : {}) {{\n  ^bb0({}%unused: "
      "f32):\n{}    linalg.yield %y : f32\n  }} -> {}\n",
      name, type, name, maps, loops, loops, parallel, names, types, name, type, arguments, body,
      type);
}

std::string BytesAttention::mlir() const {
  const std::string rows = formatted("{}x{}x{}x", heads, group, queries);
  const std::string q = formatted("tensor<{}{}x{}>", rows, depth, type),
                    k = formatted("tensor<{}x{}x{}x{}>", heads, keys, depth, type),
                    v = formatted("tensor<{}x{}x{}x{}>", heads, keys, columns, type),
                    sink = formatted("tensor<{}x{}xf32>", heads, group),
                    s = formatted("tensor<{}{}xf32>", rows, keys),
                    p = formatted("tensor<{}{}x{}>", rows, keys, type),
                    r = formatted("tensor<{}f32>", rows),
                    o = formatted("tensor<{}{}xf32>", rows, columns),
                    d = formatted("tensor<{}{}x{}>", rows, columns, result);
  const std::string of_scores = "h, g, m, n", of_rows = "h, g, m";
  std::string text = formatted(
      "func.func @f(%q: {}, %k: {}, %v: {}{}) -> ({}{}) {{\n  %zero = arith.constant 0.0 : f32\n"
      "  %lowest = arith.constant 0xFF800000 : f32\n  %s_e = tensor.empty() : {}\n"
      "  %s_z = linalg.fill ins(%zero : f32) outs(%s_e : {}) -> {}\n"
      "  %sums = linalg.contract indexing_maps = [affine_map<(h, g, m, n, d) -> (h, g, m, d)>, "
      "affine_map<(h, g, m, n, d) -> (h, n, d)>, affine_map<(h, g, m, n, d) -> (h, g, m, n)>] "
      "ins(%q, %k : {}, {}) outs(%s_z : {}) -> {}\n",
      q, k, v, has_sink ? ", %sink: " + sink : "", d, has_log ? ", " + r : "", s, s, s, q, k, s, s);
  std::string body = formatted(
      "    %scale = arith.constant {} : f32\n    %y0 = arith.mulf %x0, %scale : f32\n"
      "    %m = linalg.index 2 : index\n    %n = linalg.index 3 : index\n"
      "    %back = arith.subi %m, %n : index\n    %none = arith.constant 0 : index\n"
      "    %width = arith.constant {} : index\n    %before = arith.cmpi sge, %back, %none : index\n"
      "    %near = arith.cmpi slt, %back, %width : index\n",
      std::to_string(scale), window == 0 ? queries : window);
  body += is_causal ? "    %y1 = arith.select %before, %y0, %lowest : f32\n"
                    : "    %one = arith.constant 1.0 : f32\n    %y1 = arith.mulf %y0, %one : f32\n";
  body += window != 0 ? "    %y = arith.select %near, %y1, %lowest : f32\n"
                      : "    %y = arith.maximumf %y1, %lowest : f32\n";
  text += elementwise("t", s, 4, {{"sums: " + s, of_scores}}, body);
  const auto reduced = [&](const std::string& name, const std::string& step,
                           const std::string& value, const std::string& start) {
    text += formatted(
        "  %{}_e = tensor.empty() : {}\n  %{}_z = linalg.fill ins(%{} : f32) outs(%{}_e : {}) -> "
        "{}\n  %{} = linalg.reduce {{ {} }} ins(%{} : {}) outs(%{}_z : {}) dimensions = [3]\n",
        name, r, name, start, name, r, r, name, step, value, s, name, r);
  };
  reduced("most", "arith.maximumf", "t", "lowest");
  std::string most = "most: " + r, total = "total: " + r;
  if (has_sink) {
    text += elementwise("larger", r, 3, {{most, of_rows}, {"sink: " + sink, "h, g"}},
                        "    %y = arith.maximumf %x0, %x1 : f32\n");
    most = "larger: " + r;
  }
  text += elementwise("below", s, 4, {{"t: " + s, of_scores}, {most, of_rows}},
                      "    %y = arith.subf %x0, %x1 : f32\n");
  text += "  %powers = math.exp %below : " + s + "\n";
  reduced("total", "arith.addf", "powers", "zero");
  if (has_sink) {
    text += elementwise("all", r, 3, {{total, of_rows}, {most, of_rows}, {"sink: " + sink, "h, g"}},
                        "    %d = arith.subf %x2, %x1 : f32\n    %e = math.exp %d : f32\n"
                        "    %y = arith.addf %x0, %e : f32\n");
    total = "all: " + r;
  }
  if (has_log)
    text += elementwise("log", r, 3, {{most, of_rows}, {total, of_rows}},
                        "    %l = math.log %x1 : f32\n    %y = arith.addf %x0, %l : f32\n");
  text += elementwise("shares", s, 4, {{"powers: " + s, of_scores}, {total, of_rows}},
                      "    %y = arith.divf %x0, %x1 : f32\n");
  text += formatted(
      "  %p = arith.truncf %shares : {} to {}\n  %o_e = tensor.empty() : {}\n"
      "  %o_z = linalg.fill ins(%zero : f32) outs(%o_e : {}) -> {}\n"
      "  %o = linalg.contract indexing_maps = [affine_map<(h, g, m, c, n) -> (h, g, m, n)>, "
      "affine_map<(h, g, m, c, n) -> (h, n, c)>, affine_map<(h, g, m, c, n) -> (h, g, m, c)>] "
      "ins(%p, %v : {}, {}) outs(%o_z : {}) -> {}\n",
      s, p, o, o, o, p, v, o, o);
  std::string returned = "%o";
  if (result != "f32") {
    text += formatted("  %d = arith.truncf %o : {} to {}\n", o, d);
    returned = "%d";
  }
  return text + formatted("  return {}{} : {}{}\n}}\n", returned, has_log ? ", %log" : "", d,
                          has_log ? ", " + r : "");
}

std::pair<std::vector<double>, std::vector<double>> BytesAttention::expected(
    const std::vector<Numbers>& in) const {
  const auto at = [&](std::size_t argument, std::int64_t row, std::int64_t length, std::int64_t i) {
    return in[argument].values[static_cast<std::size_t>(row * length + i)];
  };
  std::pair<std::vector<double>, std::vector<double>> all;
  for (std::int64_t head = 0; head < heads * group; ++head)
    for (std::int64_t m = 0; m < queries; ++m) {
      const std::int64_t first = head / group * keys;
      std::vector<double> shares;
      const double sink = has_sink ? in[3].values[static_cast<std::size_t>(head)] : -INFINITY;
      double largest = sink;
      for (std::int64_t n = 0; n < keys; ++n) {
        double score = 0;
        for (std::int64_t i = 0; i < depth; ++i)
          score += at(0, head * queries + m, depth, i) * at(1, first + n, depth, i);
        const bool is_seen = (!is_causal || n <= m) && (window == 0 || m - n < window);
        shares.push_back(is_seen ? score * scale : -INFINITY);
        largest = std::max(largest, shares.back());
      }
      double sum = has_sink ? std::exp(sink - largest) : 0;
      for (double& share : shares) sum += share = std::exp(share - largest);
      all.second.push_back(largest + std::log(sum));
      for (std::int64_t c = 0; c < columns; ++c) {
        double value = 0;
        for (std::int64_t n = 0; n < keys; ++n)
          value += shares[static_cast<std::size_t>(n)] * at(2, first + n, columns, c);
        all.first.push_back(value / sum);
      }
    }
  return all;
}

// By one kernel, on sm_90a with wgmma unless sums are to be exact.
void expect_right(const BytesAttention& of, Target target) {
  SCOPED_TRACE(std::string(instruction::name(target)) + "\n" + of.mlir());
  std::map<int, std::vector<double>> given;
  if (of.has_sink) {
    given[3] = {};
    for (std::int64_t head = 0; head < of.heads * of.group; ++head)
      given[3].push_back(static_cast<double>(head % 5 - 2) * 1.25);
  }
  const SequenceOutcome done =
      run_sequence(of.mlir(), {.target = target, .f8 = of.sums, .plan = of.asked}, 0, given);
  ASSERT_EQ(done.error, "");
  ASSERT_EQ(done.all.kernels.size(), 1u) << done.all.kernels[0].choices.back().why;
  const bool is_wgmma =
      std::holds_alternative<plan::WarpgroupAttentionPlan>(done.all.kernels[0].plan);
  EXPECT_EQ(is_wgmma, target == Target::sm_90a && of.sums != plan::F8Sums::exact);
  for (const runtime::MatmulCheck& check : done.checks) EXPECT_EQ(check.wrong, 0);
  const auto [wanted, logarithms] = of.expected(done.arguments);
  ASSERT_EQ(done.results.size(), of.has_log ? 2u : 1u);
  ASSERT_EQ(done.results[0].values.size(), wanted.size());
  double errors = 0, results = 0;  // sums of squares
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double error = done.results[0].values[i] - wanted[i];
    ASSERT_LT(std::abs(error), 0x1p-2) << i;
    errors += error * error;
    results += wanted[i] * wanted[i];
  }
  // Each share is rounded by itself: uniform in half a unit of the last place (attention_test.cpp).
  const double half_unit = of.type.starts_with("f8E5M2") ? 0x1p-3 : 0x1p-4;
  EXPECT_LE(std::sqrt(errors), half_unit * std::sqrt(results));
  // The sum is that of the exponentials before they are rounded to 8 bits.
  for (std::size_t i = 0; i < logarithms.size() && of.has_log; ++i)
    ASSERT_NEAR(done.results[1].values[i], logarithms[i],
                0x1p-18 * std::max(1.0, std::abs(logarithms[i])))
        << i;
}

// Partial blocks of queries and keys, heads off multiples of 32 and 64, several tiles of a block.
TEST(AttentionBytes, ByWgmma) {
  for (const BytesAttention& of :
       {BytesAttention{.queries = 300, .keys = 333, .depth = 128, .columns = 128, .result = "bf16"},
        BytesAttention{.heads = 2, .group = 3, .queries = 70, .keys = 200, .columns = 80},
        BytesAttention{.heads = 140, .queries = 3, .keys = 9, .depth = 16, .columns = 16},
        BytesAttention{.depth = 112, .columns = 48, .type = "f8E5M2", .scale = 0.5},
        BytesAttention{.depth = 144, .columns = 96, .sums = plan::F8Sums::fast},
        BytesAttention{.queries = 60,
                       .depth = 256,
                       .columns = 256,
                       .result = "f16",
                       .sums = plan::F8Sums::fast},
        // The largest scores rise from block to block.
        BytesAttention{.queries = 200, .keys = 500, .depth = 32, .columns = 112, .scale = 8}})
    expect_right(of, Target::sm_90a);
}

TEST(AttentionBytes, SumsAreExactPromotedOrFast) {
  for (const plan::F8Sums sums : {plan::F8Sums::exact, plan::F8Sums::promoted, plan::F8Sums::fast})
    expect_right({.queries = 130, .keys = 700, .depth = 128, .columns = 128, .sums = sums},
                 Target::sm_90a);
}

TEST(AttentionBytes, MasksByWgmma) {
  for (const std::int64_t window : {0, 70})
    for (const bool is_causal : {false, true})
      expect_right({.heads = 2,
                    .queries = 200,
                    .keys = 260,
                    .columns = 64,
                    .is_causal = is_causal,
                    .window = window},
                   Target::sm_90a);
}

// Keys, consumers and stages as a plan file asks.
TEST(AttentionBytes, PlansAsAsked) {
  struct Asked {
    int rows, keys;
    const char* schedule;
  };
  for (const auto& [rows, keys, schedule] :
       {Asked{64, 32, ""}, Asked{128, 224, "ping-pong"}, Asked{192, 96, "ping-pong"},
        Asked{128, 160, "together"}})
    expect_right(
        {.queries = 250,
         .keys = 500,
         .columns = 128,
         .sums = plan::F8Sums::fast,
         .asked = {.block_m = rows, .block_n = 128, .block_k = keys, .schedule = schedule}},
        Target::sm_90a);
}

// A sink of each head, and the log-sum-exp as second result, on all targets with such instructions.
TEST(AttentionBytes, SinksAndLogarithms) {
  for (const Target target : {Target::sm_89, Target::sm_90a, Target::sm_120, Target::gfx1201,
                              Target::gfx950, Target::gfx942, Target::gfx1250})
    for (const int both : {1, 2, 3}) {
      BytesAttention of{.heads = 2, .group = 3, .queries = 40, .keys = 150};
      if (target == Target::gfx942) of.type = "f8E4M3FNUZ";
      of.has_sink = (both & 1) != 0;
      of.has_log = (both & 2) != 0;
      of.is_causal = both == 3;
      expect_right(of, target);
    }
}

}  // namespace attention_bytes_test
}  // namespace heddle::compiler
