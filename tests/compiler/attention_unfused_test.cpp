// Attention as one kernel against the same text as kernels for each step: the judge reads the fused
// request, so it cannot see what the fusion read wrongly.
#include <map>
#include <optional>

#include "attention_draw.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace attention_unfused_test {

constexpr std::array machines{Target::gfx1201, Target::sm_80,   Target::gfx942,
                              Target::sm_90a,  Target::gfx1151, Target::gfx1250};

// Runs the function both ways and compares what it returns. Returns how many kernels fusion saved.
std::size_t compare(const std::string& text, const std::string& function, Target target,
                    double tolerance, const std::vector<std::vector<std::int64_t>>& shapes = {}) {
  SCOPED_TRACE(formatted("{} {}\n{}", instruction::name(target), function,
                         function.empty() ? text : std::string()));
  const SequenceOutcome fused =
      run_sequence(text, {.target = target, .function = function}, 0, {}, shapes);
  // The fused kernel knows which numbers are lengths and draws them so: both run on its arguments.
  std::map<int, std::vector<double>> arguments;
  for (std::size_t number = 0; number < fused.arguments.size(); ++number)
    if (!fused.arguments[number].values.empty())
      arguments[static_cast<int>(number)] = fused.arguments[number].values;
  const SequenceOutcome apart = run_sequence(
      text, {.target = Target::gfx1250, .function = function, .fuses_attention = false}, 0,
      arguments, shapes);
  EXPECT_EQ(fused.error, "");
  EXPECT_EQ(apart.error, "");
  EXPECT_EQ(fused.results.size(), apart.results.size());
  if (fused.results.size() != apart.results.size() || fused.results.empty()) return 0;
  for (const runtime::MatmulCheck& check : fused.checks) EXPECT_TRUE(check.right());
  for (std::size_t number = 0; number < apart.results.size(); ++number) {
    const std::vector<double>&one = fused.results[number].values,
          &other = apart.results[number].values;
    EXPECT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
      if (one[i] != other[i] && !(std::abs(one[i] - other[i]) <= tolerance) &&
          std::isnan(one[i]) + std::isnan(other[i]) != 2) {
        ADD_FAILURE() << "result " << number << ", element " << i << ": " << one[i] << " and "
                      << other[i];
        return 0;
      }
  }
  return apart.all.kernels.size() - std::min(apart.all.kernels.size(), fused.all.kernels.size());
}

// Attention over named loops: h and g are heads, m queries, n keys, d the depth, c columns. Each
// operand lies in its own order, and may be the same for all of some heads. The text does not know
// the sizes of the loops `open`. `more` queries and keys than otherwise make several tiles and
// blocks of wgmma.
class SharedOperands {
 public:
  explicit SharedOperands(std::uint64_t number, std::string open = "", std::int64_t more = 0)
      : stream_(450000 + number), open_(std::move(open)) {
    sizes_ = {{'h', draw(1, 3)},  {'g', draw(1, 3)},     {'m', draw(1, 40)},
              {'n', draw(1, 70)}, {'d', 8 * draw(1, 4)}, {'c', 8 * draw(1, 4)}};
    // Rows of what is read are along the last loop.
    q_ = shuffled(one_in(4) ? some_heads() + "m" : "hgm") + "d";
    k_ = shuffled(missing(q_) + some_heads() + "n") + "d";
    v_ = shuffled(some_heads() + "n") + "c";
    scores_ = one_in(3) ? shuffled("hgmn") : shuffled("hgm") + "n";
    result_ = shuffled("hgmc");
    has_second_ = one_in(3);
    second_q_ = shuffled("hgm") + "d";
    second_k_ = shuffled(some_heads() + "n") + "d";
    bias_ = one_in(2) ? shuffled(some_heads() + (one_in(2) ? "mn" : "n")) : "";
    is_causal_ = one_in(2);
    spelling_ = draw(0, 3);
    using Names = std::vector<std::string>;
    if (spelling_ != 0 && one_in(2))
      returned_ = one_in(2) ? Names{"%lse"} : Names{"%most", "%total"};
    has_length_ = one_in(2);
    length_ = some_heads();
    more_keys_ = draw(0, static_cast<std::uint64_t>(sizes_['n']) + 2);
    if (open_.empty() && spelling_ != 0 && one_in(3)) {
      sink_ = some_heads();
      most_ = "larger";
      total_ = "whole";
      for (std::string& value : returned_)
        if (value != "%lse") value = value == "%most" ? "%larger" : "%whole";
    }
    for (const char loop : {'m', 'n'}) sizes_[loop] += more;
    if (!open_.empty()) keep_order();
  }

  bool has_sink() const { return sink_.has_value(); }
  std::string mlir() {
    std::string types =
        typed("%q", q_, "f16") + ", " + typed("%k", k_, "f16") + ", " + typed("%v", v_, "f16");
    if (has_second_)
      types += ", " + typed("%x", second_q_, "f16") + ", " + typed("%y", second_k_, "f16");
    if (!bias_.empty()) types += ", " + typed("%bias", bias_, "f32");
    if (has_length_) types += ", " + typed("%length", length_, "i32");
    if (sink_) types += ", " + typed("%sink", *sink_, "f32");
    const std::string rows = tensor(without(scores_, 'n'), "f32");
    std::string results = tensor(result_, "f32"), values = "%o";
    for (const std::string& value : returned_) {
      results += ", " + rows;
      values += ", " + value;
    }
    text_ =
        "func.func @f(" + types + ") -> (" + results +
        ") {\n  %zero = arith.constant 0.0 : f32\n  %lowest = arith.constant 0xFF800000 : f32\n";
    for (const char loop : open_) size_of(loop);
    filled("sz", "zero", scores_);
    contract("s", "q", q_, "k", k_, scores_, "sz");
    if (has_second_) contract("s2", "x", second_q_, "y", second_k_, scores_, "sz");
    mask();
    shares();
    if (returned_.size() == 1)
      elementwise("lse", without(scores_, 'n'),
                  {{most_, without(scores_, 'n')}, {total_, without(scores_, 'n')}},
                  formatted("    %l = math.log{} %x1 : f32\n    %r = arith.addf %x0, %l : f32\n",
                            spelling_ == 3 ? "2" : ""));
    return text_ + "  return " + values + " : " + results + "\n}\n";
  }

  void set_length(char loop, std::int64_t length) { sizes_.at(loop) = length; }

  // Of the function's arguments.
  std::vector<std::vector<std::int64_t>> shapes() const {
    std::vector<std::vector<std::int64_t>> all;
    std::vector<std::string> arguments{q_, k_, v_};
    if (has_second_) arguments.insert(arguments.end(), {second_q_, second_k_});
    if (!bias_.empty()) arguments.push_back(bias_);
    if (has_length_) arguments.push_back(length_);
    for (const std::string& loops : arguments)
      for (std::vector<std::int64_t>& shape = all.emplace_back(); const char loop : loops)
        shape.push_back(sizes_.at(loop));
    return all;
  }

 private:
  // Rows whose number a launch tells are not put in another order: each head has its keys, and
  // scores lie as in most texts.
  void keep_order() {
    q_ = shuffled("hgm") + "d";
    k_ = shuffled("hgn") + "d";
    v_ = shuffled("hgn") + "c";
    scores_ = "hgmn";
    has_second_ = false;
    returned_.clear();
  }
  std::int64_t draw(std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + stream_.word(drawn_++) % (most - least + 1));
  }
  bool one_in(std::uint64_t count) { return draw(1, count) == 1; }
  std::string some_heads() {
    constexpr std::array<const char*, 4> all{"", "h", "g", "hg"};
    return all[static_cast<std::size_t>(draw(0, 3))];
  }
  // The heads that neither has would be nowhere.
  static std::string missing(const std::string& of) {
    std::string heads;
    for (const char head : {'h', 'g'})
      if (of.find(head) == std::string::npos) heads += head;
    return heads;
  }
  std::string shuffled(const std::string& given) {
    std::string loops;
    for (const char loop : given)
      if (loops.find(loop) == std::string::npos)
        loops.insert(static_cast<std::size_t>(draw(0, loops.size())), 1, loop);
    return loops;
  }

  std::string tensor(const std::string& loops, const std::string& element) const {
    std::string type = "tensor<";
    for (const char loop : loops) type += is_open(loop) ? "?x" : formatted("{}x", sizes_.at(loop));
    return type + element + ">";
  }
  bool is_open(char loop) const { return open_.find(loop) != std::string::npos; }
  // %size_LOOP, of an argument that has it.
  void size_of(char loop) {
    for (const auto& [name, loops] : {std::pair("%q", q_), {"%k", k_}})
      if (const std::size_t at = loops.find(loop); at != std::string::npos) {
        text_ += formatted("  %at_{} = arith.constant {} : index\n", loop, at) +
                 formatted("  %size_{} = tensor.dim {}, %at_{} : {}\n", loop, name, loop,
                           tensor(loops, "f16"));
        return;
      }
  }
  // tensor.empty of these loops.
  std::string empty(const std::string& loops) const {
    std::string sizes;
    for (const char loop : loops)
      if (is_open(loop)) sizes += (sizes.empty() ? "%size_" : ", %size_") + std::string(1, loop);
    return "tensor.empty(" + sizes + ")";
  }
  std::string typed(const std::string& name, const std::string& loops,
                    const std::string& element) const {
    return name + ": " + tensor(loops, element);
  }
  static std::string list(const std::string& loops) {
    std::string names;
    for (const char loop : loops) names += (names.empty() ? "" : ", ") + std::string(1, loop);
    return names;
  }
  static std::string map(const std::string& from, const std::string& to) {
    return "affine_map<(" + list(from) + ") -> (" + list(to) + ")>";
  }
  static std::string without(std::string loops, char loop) {
    std::erase(loops, loop);
    return loops;
  }

  void filled(const std::string& name, const std::string& value, const std::string& loops) {
    const std::string type = tensor(loops, "f32");
    text_ += formatted("  %{}_e = {} : {}\n", name, empty(loops), type) +
             formatted("  %{} = linalg.fill ins(%{} : f32) outs(%{}_e : {}) -> {}\n", name, value,
                       name, type, type);
  }
  void contract(const std::string& name, const std::string& a, const std::string& of_a,
                const std::string& b, const std::string& of_b, const std::string& to,
                const std::string& into) {
    std::string all = to;
    for (const char loop : of_a)
      if (all.find(loop) == std::string::npos) all += loop;
    text_ += formatted(
        "  %{} = linalg.contract indexing_maps = [{}, {}, {}] ins(%{}, %{} : {}, {}) outs(%{} : "
        "{}) "
        "-> {}\n",
        name, map(all, of_a), map(all, of_b), map(all, to), a, b, tensor(of_a, "f16"),
        tensor(of_b, "f16"), into, tensor(to, "f32"), tensor(to, "f32"));
  }
  struct Input {
    std::string value, loops, element = "f32";
  };
  // %name of the elements of `inputs`, as an operation makes it.
  void elementwise(const std::string& name, const std::string& loops,
                   const std::vector<Input>& inputs, const std::string& body) {
    std::string maps, names, types, arguments, kinds;
    for (const auto& [value, of, element] : inputs) {
      maps += map(loops, of) + ", ";
      names += (names.empty() ? "%" : ", %") + value;
      types += (types.empty() ? "" : ", ") + tensor(of, element);
      arguments += formatted("%x{}: {}, ", std::ranges::count(arguments, '%'), element);
    }
    for (std::size_t i = 0; i < loops.size(); ++i)
      kinds += i == 0 ? "\"parallel\"" : ", \"parallel\"";
    const std::string type = tensor(loops, "f32");
    text_ += formatted("  %{}_e = {} : {}\n", name, empty(loops), type) +
             formatted("  %{} = linalg.generic {{indexing_maps = [{}{}], ", name, maps,
                       map(loops, loops)) +
             formatted("iterator_types = [{}]}} ins({} : {}) outs(%{}_e : {}) {{\n", kinds, names,
                       types, name, type) +
             formatted("  ^bb0({}%unused: f32):\n{}    linalg.yield %r : f32\n  }} -> {}\n",
                       arguments, body, type);
  }
  void reduced(const std::string& name, const std::string& operation, const std::string& of,
               const std::string& start) {
    const std::string rows = without(scores_, 'n');
    filled(name + "_i", start, rows);
    text_ += formatted(
        "  %{} = linalg.reduce {{ {} }} ins(%{} : {}) outs(%{}_i : {}) dimensions = [{}]\n", name,
        operation, of, tensor(scores_, "f32"), name, tensor(rows, "f32"), scores_.find('n'));
  }

  void mask() {
    std::vector<Input> inputs{{"s", scores_}};
    std::string body = "    %scale = arith.constant 0.25 : f32\n";
    std::string sum = "%x0";
    if (has_second_) {
      inputs.push_back({"s2", scores_});
      body += "    %both = arith.addf %x0, %x1 : f32\n";
      sum = "%both";
    }
    body += "    %t = arith.mulf " + sum + ", %scale : f32\n";
    std::string score = "%t";
    if (!bias_.empty()) {
      body += formatted("    %u = arith.addf %t, %x{} : f32\n", inputs.size());
      inputs.push_back({"bias", bias_});
      score = "%u";
    }
    std::string seen = is_causal_ ? "%before" : "%in";
    if (is_causal_ || has_length_)
      body += formatted("    %m = linalg.index {} : index\n    %n = linalg.index {} : index\n",
                        scores_.find('m'), scores_.find('n'));
    if (is_causal_) body += "    %before = arith.cmpi sle, %n, %m : index\n";
    if (has_length_) {
      body += formatted(
          "    %more = arith.constant {} : i32\n    %end = arith.addi %x{}, %more : i32\n"
          "    %i = arith.index_cast %n : index to i32\n    %in = arith.cmpi slt, %i, %end : i32\n",
          more_keys_, inputs.size());
      inputs.push_back({"length", length_, "i32"});
    }
    if (is_causal_ && has_length_) {
      body += "    %both_seen = arith.andi %before, %in : i1\n";
      seen = "%both_seen";
    }
    if (is_causal_ || has_length_)
      body += "    %r = arith.select " + seen + ", " + score + ", %lowest : f32\n";
    else
      body +=
          "    %none = arith.constant 1.0 : f32\n    %r = arith.mulf " + score + ", %none : f32\n";
    elementwise("t", scores_, inputs, body);
  }

  // %large of an element: most are above all scores.
  static std::string sink(const std::string& element) {
    return "    %eight = arith.constant 8.0 : f32\n    %half = arith.constant 0.5 : f32\n    %more "
           "= arith.addf " +
           element + ", %half : f32\n    %large = arith.mulf %more, %eight : f32\n";
  }

  void shares() {
    const std::string type = tensor(scores_, "f32"), rows = without(scores_, 'n');
    std::string last = "p";
    if (spelling_ == 0) {
      text_ +=
          formatted("  %p = linalg.softmax dimension({}) ins(%t : {}) outs(%sz_e : {}) -> {}\n",
                    scores_.find('n'), type, type, type);
    } else {
      const std::string exponential = spelling_ == 3 ? "math.exp2" : "math.exp";
      reduced("most", "arith.maximumf", "t", "lowest");
      if (sink_)
        elementwise("larger", rows, {{"most", rows}, {"sink", *sink_}},
                    sink("%x1") + "    %r = arith.maximumf %x0, %large : f32\n");
      elementwise("below", scores_, {{"t", scores_}, {most_, rows}},
                  "    %r = arith.subf %x0, %x1 : f32\n");
      text_ += "  %power = " + exponential + " %below : " + type + "\n";
      reduced("total", "arith.addf", "power", "zero");
      if (sink_)
        elementwise("whole", rows, {{"total", rows}, {"larger", rows}, {"sink", *sink_}},
                    sink("%x2") + "    %d = arith.subf %large, %x1 : f32\n    %e = " + exponential +
                        " %d : f32\n    %r = arith.addf %x0, %e : f32\n");
      if (spelling_ != 2)
        elementwise("p", scores_, {{"power", scores_}, {total_, rows}},
                    "    %r = arith.divf %x0, %x1 : f32\n");
      else
        last = "power";
    }
    text_ +=
        formatted("  %narrow = arith.truncf %{} : {} to {}\n", last, type, tensor(scores_, "f16"));
    filled("oz", "zero", result_);
    contract(spelling_ == 2 ? "sums" : "o", "narrow", scores_, "v", v_, result_, "oz");
    if (spelling_ == 2)
      elementwise("o", result_, {{"sums", result_}, {total_, rows}},
                  "    %r = arith.divf %x0, %x1 : f32\n");
  }

  runtime::RandomStream stream_;
  std::string open_;
  std::uint64_t drawn_ = 0;
  std::map<char, std::int64_t> sizes_;
  std::string q_, k_, v_, scores_, result_, second_q_, second_k_, bias_;
  std::string length_;
  std::vector<std::string> returned_;  // besides the result
  bool has_second_ = false, is_causal_ = false, has_length_ = false;
  std::optional<std::string> sink_;  // its heads
  std::string most_ = "most", total_ = "total";
  std::int64_t more_keys_ = 0;  // besides the length, which is -1 to 1
  std::int64_t spelling_ = 0;
  std::string text_;
};

// HEDDLE_SWEEP says how many.
std::uint64_t drawn_count() {
  const char* const set = std::getenv("HEDDLE_SWEEP");
  return set == nullptr ? 9 : static_cast<std::uint64_t>(std::max(1, std::atoi(set)));
}

TEST(AttentionUnfused, OperandsOfSomeHeads) {
  std::size_t saved = 0;
  for (std::uint64_t i = 0; i < drawn_count() && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    saved += compare(SharedOperands(i).mlir(), "", machines[i % machines.size()], 0x1p-9);
  }
  EXPECT_GT(saved, drawn_count());  // in some orders scores stay in memory
}

TEST(AttentionUnfused, SinksByWgmma) {
  constexpr std::uint64_t count = 2;
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < 200 && found < count && !HasFailure(); ++i) {
    SharedOperands operands(i, "", 140);
    if (!operands.has_sink()) continue;
    SCOPED_TRACE(i);
    const std::string text = operands.mlir();
    const auto made = compile_sequence(text, "a.mlir", {.target = Target::sm_90a}, Stage::plan);
    ASSERT_TRUE(made) << made.error();
    if (!std::holds_alternative<plan::WarpgroupAttentionPlan>(made->kernels[0].plan)) continue;
    compare(text, "", Target::sm_90a, 0x1p-9);
    ++found;
  }
  EXPECT_EQ(found, count);
}

// Sizes that a launch tells: of queries, of keys, of some heads.
TEST(AttentionUnfused, OpenSizes) {
  constexpr std::array open{"m", "n", "mn", "hm", "hn", "gmn", "h", "hmn"};
  std::size_t saved = 0;
  for (std::uint64_t i = 0; i < drawn_count() && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    SharedOperands drawn(i, open[i % open.size()]);
    const std::string text = drawn.mlir();
    saved += compare(text, "", machines[i % machines.size()], 0x1p-9, drawn.shapes());
  }
  EXPECT_GT(saved, 2 * drawn_count());
}

// A launch of one query or key, of whole tiles, and of one more.
TEST(AttentionUnfused, LaunchSizes) {
  std::size_t number = 0, saved = 0;
  for (const auto& [queries, keys] :
       {std::pair(1, 1), {64, 64}, {65, 65}, {1, 200}, {128, 1}, {129, 128}, {3, 129}}) {
    SharedOperands drawn(14 + number, "hmn");
    drawn.set_length('m', queries);
    drawn.set_length('n', keys);
    saved +=
        compare(drawn.mlir(), "", machines[number++ % machines.size()], 0x1p-9, drawn.shapes());
  }
  EXPECT_GT(saved, 2 * number);
}

TEST(AttentionUnfused, Masks) {
  std::size_t saved = 0;
  constexpr std::uint64_t count = 3;
  for (std::uint64_t i = 0; i < count; ++i) {
    DrawnAttention drawn = drawn_attention(1000 + i);
    drawn.type = "f16";
    saved += compare(drawn.mlir(), "", machines[i % machines.size()], 0x1p-8);
  }
  EXPECT_GT(saved, 2 * count);
}

}  // namespace attention_unfused_test
}  // namespace heddle::compiler
