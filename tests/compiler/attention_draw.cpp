#include "attention_draw.h"

namespace heddle::compiler {
namespace {

std::string tensor(const std::vector<std::int64_t>& sizes, const std::string& element) {
  std::string text = "tensor<";
  for (const std::int64_t size : sizes) text += std::to_string(size) + "x";
  return text + element + ">";
}

// The lines that compute %seen of the loops `query` and `key`.
std::string condition(const DrawnAttention& of, int query, int key) {
  const std::string& type = of.places;
  const auto place = [&](const std::string& name, int loop) {
    const std::string index = " = linalg.index " + std::to_string(loop) + " : index\n";
    if (type == "index") return "    %" + name + index;
    return "    %" + name + "_i" + index + "    %" + name + " = arith.index_cast %" + name +
           "_i : index to " + type + "\n";
  };
  const std::string less = of.is_unsigned ? "ule" : "sle";
  std::string text = place("m", query) + place("n", key);
  if (!of.has_position)
    text += "    %offset = arith.constant " + std::to_string(of.offset()) + " : " + type + "\n";
  text += "    %at = arith.addi %m, " + std::string(of.has_position ? "%position" : "%offset") +
          " : " + type + "\n";
  std::string seen;
  if (of.is_causal) {
    text += "    %before = arith.cmpi " + less + ", %n, %at : " + type + "\n";
    seen = "before";
  }
  if (of.window != 0) {
    text += "    %width = arith.constant " + std::to_string(of.window) + " : " + type +
            "\n    %back = arith.subi %at, %n : " + type +
            "\n    %near = arith.cmpi slt, %back, %width : " + type + "\n";
    if (!seen.empty()) text += "    %all = arith.andi %" + seen + ", %near : i1\n";
    seen = seen.empty() ? "near" : "all";
  }
  return text + "    %seen = arith.select %" + seen + ", %true, %false : i1\n";
}

}  // namespace

std::string DrawnAttention::mlir() const {
  using Sizes = std::vector<std::int64_t>;
  const auto of_queries = [&](std::int64_t row, const std::string& element) {
    return tensor(
        tokens_first ? Sizes{queries, heads, group, row} : Sizes{heads, group, queries, row},
        element);
  };
  const auto of_keys = [&](std::int64_t row) {
    return tensor(tokens_first ? Sizes{keys, heads, row} : Sizes{heads, keys, row}, type);
  };
  const std::string q = of_queries(depth, type), k = of_keys(depth), v = of_keys(columns),
                    o = of_queries(columns, "f32"), d = of_queries(columns, result);
  const std::string s = tensor({heads, group, queries, keys}, "f32"),
                    p = tensor({heads, group, queries, keys}, type);
  const bool is_apart = has_mask() && spelling != Spelling::selected;
  const std::string apart = tensor({queries, keys}, spelling == Spelling::bits ? "i1" : "f32");
  const std::string of_operand = tensor({queries, keys}, operand == Operand::bits ? "i1" : "f32");
  const std::string token = tokens_first ? "(m, h, g, " : "(h, g, m, ";
  const std::string shared = tokens_first ? "(n, h, " : "(h, n, ";
  std::string text =
      "#q = affine_map<(h, g, m, n, d) -> " + token + "d)>\n" +
      "#k = affine_map<(h, g, m, n, d) -> " + shared + "d)>\n" +
      "#s = affine_map<(h, g, m, n, d) -> (h, g, m, n)>\n" +
      "#p = affine_map<(h, g, m, c, n) -> (h, g, m, n)>\n" + "#v = affine_map<(h, g, m, c, n) -> " +
      shared + "c)>\n" + "#o = affine_map<(h, g, m, c, n) -> " + token + "c)>\n" +
      "#all = affine_map<(h, g, m, n) -> (h, g, m, n)>\n" +
      "#mn = affine_map<(h, g, m, n) -> (m, n)>\n#two = affine_map<(m, n) -> (m, n)>\n";
  text += "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + v +
          (operand == Operand::none ? "" : ", %e: " + of_operand) +
          (has_position_of_launch() ? ", %position: " + places : "") + ") -> " + d + " {\n" +
          "  %zero = arith.constant 0.0 : f32\n  %lowest = arith.constant " + lowest +
          " : f32\n  %infinite = arith.constant 0xFF800000 : f32\n  %true = arith.constant true\n"
          "  %false = arith.constant false\n  %se = tensor.empty() : " +
          s + "\n  %sz = linalg.fill ins(%zero : f32) outs(%se : " + s + ") -> " + s +
          "\n  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : " + q + ", " + k +
          ") outs(%sz : " + s + ") -> " + s + "\n";
  if (is_apart) {
    const bool has_bits = spelling == Spelling::bits;
    text += "  %ae = tensor.empty() : " + apart +
            "\n  %a = linalg.generic {indexing_maps = [#two], iterator_types = [\"parallel\", "
            "\"parallel\"]} outs(%ae : " +
            apart + ") {\n  ^bb0(%unused: " + (has_bits ? "i1" : "f32") + "):\n" +
            condition(*this, 0, 1) +
            (has_bits ? "" : "    %r = arith.select %seen, %zero, %lowest : f32\n") +
            "    linalg.yield " + (has_bits ? "%seen : i1" : "%r : f32") + "\n  } -> " + apart +
            "\n";
  }
  std::string maps = "#all", names = "%s", types = s, arguments = "%x: f32";
  const auto read = [&](const std::string& name, const std::string& of, const std::string& argument,
                        bool is_bit) {
    maps += ", #mn", names += ", " + name, types += ", " + of;
    arguments += ", " + argument + (is_bit ? ": i1" : ": f32");
  };
  if (is_apart) read("%a", apart, "%mask", spelling == Spelling::bits);
  if (operand != Operand::none) read("%e", of_operand, "%extra", operand == Operand::bits);
  text +=
      "  %t = linalg.generic {indexing_maps = [" + maps +
      ", #all], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\"]} ins(" +
      names + " : " + types + ") outs(%se : " + s + ") {\n  ^bb0(" + arguments +
      ", %unused: f32):\n    %scale = arith.constant " + std::to_string(scale) +
      " : f32\n    %y0 = arith.mulf %x, %scale : f32\n";
  int last = 0;
  const auto next = [&](const std::string& line) {
    const std::string before = "%y" + std::to_string(last++);
    std::string full = "    %y" + std::to_string(last) + " = " + line + " : f32\n";
    full.replace(full.find('$'), 1, before);
    text += full;
  };
  if (cap != 0) {
    text += "    %cap = arith.constant " + std::to_string(cap) + " : f32\n";
    next("arith.divf $, %cap");
    next("math.tanh $");
    next("arith.mulf $, %cap");
  }
  if (slope != 0) {
    text +=
        "    %sm = linalg.index 2 : index\n    %sn = linalg.index 3 : index\n"
        "    %ss = arith.subi %sn, %sm : index\n    %si = arith.index_cast %ss : index to i32\n"
        "    %sf = arith.sitofp %si : i32 to f32\n    %slope = arith.constant " +
        std::to_string(slope) + " : f32\n    %bias = arith.mulf %sf, %slope : f32\n";
    next("arith.addf $, %bias");
  }
  if (operand == Operand::floats) next("arith.addf $, %extra");
  if (operand == Operand::bits) next("arith.select %extra, $, %infinite");
  if (has_mask() && spelling == Spelling::selected) text += condition(*this, 2, 3);
  if (has_mask() && spelling == Spelling::selected) next("arith.select %seen, $, %lowest");
  if (has_mask() && spelling == Spelling::bits) next("arith.select %mask, $, %lowest");
  if (has_mask() && spelling == Spelling::added) next("arith.addf $, %mask");
  text += "    linalg.yield %y" + std::to_string(last) + " : f32\n  } -> " + s +
          "\n  %w = linalg.softmax dimension(3) ins(%t : " + s + ") outs(%se : " + s + ") -> " + s +
          "\n  %n = arith.truncf %w : " + s + " to " + p + "\n  %oe = tensor.empty() : " + o +
          "\n  %oz = linalg.fill ins(%zero : f32) outs(%oe : " + o + ") -> " + o +
          "\n  %o = linalg.contract indexing_maps = [#p, #v, #o] ins(%n, %v : " + p + ", " + v +
          ") outs(%oz : " + o + ") -> " + o + "\n";
  if (result == "f32") return text + "  return %o : " + d + "\n}\n";
  return text + "  %r = arith.truncf %o : " + o + " to " + d + "\n  return %r : " + d + "\n}\n";
}

std::vector<double> DrawnAttention::expected(const std::vector<Numbers>& in) const {
  const auto size = [](std::int64_t number) { return static_cast<std::size_t>(number); };
  const auto of_query = [&](std::int64_t h, std::int64_t g, std::int64_t m, std::int64_t row) {
    const std::int64_t head = h * group + g;
    return size(row * (tokens_first ? m * heads * group + head : head * queries + m));
  };
  const auto of_key = [&](std::int64_t h, std::int64_t n, std::int64_t row) {
    return size(row * (tokens_first ? n * heads + h : h * keys + n));
  };
  const auto first = static_cast<std::int64_t>(has_position_of_launch()
                                                   ? in[operand == Operand::none ? 3 : 4].values[0]
                                                   : static_cast<double>(offset()));
  const double lowest_score = lowest[0] == '0' ? -INFINITY : std::stod(lowest);
  std::vector<double> all(size(heads * group * queries * columns));
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t g = 0; g < group; ++g)
      for (std::int64_t m = 0; m < queries; ++m) {
        std::vector<double> scores;
        for (std::int64_t n = 0; n < keys; ++n) {
          double score = 0;
          for (std::int64_t i = 0; i < depth; ++i)
            score += in[0].values[of_query(h, g, m, depth) + size(i)] *
                     in[1].values[of_key(h, n, depth) + size(i)];
          score *= scale;
          if (cap != 0) score = cap * std::tanh(score / cap);
          score += slope * static_cast<double>(n - m);
          const double extra = operand == Operand::none ? 0 : in[3].values[size(m * keys + n)];
          if (operand == Operand::floats) score += extra;
          if (operand == Operand::bits && extra == 0) score = -INFINITY;
          const std::int64_t back = m + first - n;
          const bool is_before = back >= 0 || (is_unsigned && m + first < 0);
          const bool is_seen = (!is_causal || is_before) && (window == 0 || back < window);
          if (!is_seen && spelling != Spelling::added) score = lowest_score;
          if (!is_seen && spelling == Spelling::added)
            score = static_cast<float>(score + lowest_score);
          scores.push_back(score);
        }
        const double largest = *std::ranges::max_element(scores);
        double sum = 0;
        for (double& score : scores) sum += score = std::exp(score - largest);
        for (std::int64_t c = 0; c < columns; ++c) {
          double value = 0;
          for (std::int64_t n = 0; n < keys; ++n)
            value += scores[size(n)] * in[2].values[of_key(h, n, columns) + size(c)];
          all[of_query(h, g, m, columns) + size(c)] = value / sum;
        }
      }
  return all;
}

DrawnAttention drawn_attention(std::uint64_t number) {
  const runtime::RandomStream stream(4500 + number);
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + stream.word(drawn++) % (most - least + 1));
  };
  const auto one_in = [&](std::uint64_t count) { return draw(1, count) == 1; };
  DrawnAttention of;
  of.heads = draw(1, 3);
  of.group = one_in(3) ? draw(2, 4) : 1;
  of.queries = one_in(4) ? draw(1, 8) : draw(1, 150);
  of.keys = draw(1, 200);
  of.depth = 8 * draw(1, 10);
  of.columns = 8 * draw(1, 10);
  of.type = one_in(2) ? "f16" : "bf16";
  of.result = one_in(2) ? "f32" : of.type;
  of.scale = 1.0 / static_cast<double>(1 << draw(0, 3));
  of.tokens_first = one_in(3);
  of.is_causal = !one_in(3);
  of.is_last = one_in(2);
  of.window = one_in(3) ? draw(1, 100) : 0;
  of.slope = one_in(4) ? 0.0625 : 0;
  of.cap = one_in(5) ? static_cast<double>(draw(2, 20)) : 0;
  const std::int64_t lowest = draw(0, 5);
  of.lowest = lowest == 0 ? "-1.0e9" : lowest == 1 ? "-3.40282347E+38" : "0xFF800000";
  of.spelling = static_cast<DrawnAttention::Spelling>(draw(0, 2));
  const std::int64_t places = draw(0, 2);
  of.places = places == 0 ? "index" : places == 1 ? "i32" : "i64";
  of.is_unsigned = of.offset() >= 0 && one_in(3);
  of.operand =
      one_in(5) ? static_cast<DrawnAttention::Operand>(draw(1, 2)) : DrawnAttention::Operand::none;
  of.has_position = one_in(3);
  return of;
}

DrawnAttention drawn_decode(std::uint64_t number) {
  const runtime::RandomStream stream(45000 + number);
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + stream.word(drawn++) % (most - least + 1));
  };
  DrawnAttention of = drawn_attention(number);
  of.heads = draw(1, 2);
  of.group = draw(1, 8);
  of.queries = draw(1, 3) == 1 ? draw(2, 8) : 1;
  of.keys = draw(260, 2000);
  of.window = of.window == 0 ? 0 : draw(1, 1000);
  // The last query sees the last key; now and then a query has none.
  of.is_last = draw(1, 4) != 1;
  of.is_unsigned = false;
  return of;
}

}  // namespace heddle::compiler
