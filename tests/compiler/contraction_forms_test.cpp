// Contractions over any loops, on all three machines: several loops for m, n, k and the batch in
// any order of every operand, loops of one step, windows that move over a dimension.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "compiler/request/actual_product.h"
#include "contraction_text.h"
#include "product_run.h"

namespace heddle::compiler {
namespace {

using instruction::Target;

constexpr std::array targets{Target::gfx1151, Target::gfx1201, Target::sm_80, Target::sm_90a};

// The problem with the sizes that the arrays of the text have.
plan::Problem actual(const Compilation& kernel, const ContractionText& text) {
  plan::Problem problem = kernel.problem;
  for (const BufferRecord& buffer : kernel.request.buffers) {
    const TextOperand& operand = buffer.argument == 0   ? text.a
                                 : buffer.argument == 1 ? text.b
                                                        : text.d;
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
      const DynamicSize& dynamic = buffer.dynamic_sizes[i];
      if (buffer.shape[i] < 0)
        problem.size(dynamic.loop) = text.size(operand.dims[i]) / dynamic.times * dynamic.over;
    }
  }
  for (std::size_t i = 0; i < plan::loop_count; ++i)
    if (kernel.request.made_of[i] != 0)
      problem.size(static_cast<plan::Loop>(i)) =
          elements(Stride{kernel.request.multiples[i], kernel.request.made_of[i]}, problem);
  return problem;
}

std::string difference(const ContractionText& text, Target target, std::uint64_t seed = 1) {
  const Outcome done = run(text.mlir(), {.target = target}, Operands::exact, seed,
                           [&](const Compilation& kernel) { return actual(kernel, text); });
  if (!done.error.empty()) return done.error;
  const std::string found = difference(done, text.reference(arguments(done)));
  if (!found.empty()) return found;
  return judged(done).right() ? "" : "right, but not for the judge of `heddle run`";
}

template <class Element>
void shuffle(std::vector<Element>& elements) {
  for (std::size_t i = elements.size(); i > 1; --i)
    std::swap(elements[i - 1], elements[*rc::gen::inRange<std::size_t>(0, i)]);
}

bool coin() { return *rc::gen::arbitrary<bool>(); }

// Loops of which each is in the operands that its group has, and now and then in fewer.
ContractionText any_contraction(const std::vector<std::int64_t>& some_sizes = {1, 2, 3, 4, 5, 7, 8,
                                                                               16, 20, 33}) {
  ContractionText text;
  std::vector<TextIndex> a, b, d;
  const auto add = [&](bool in_a, bool in_b, bool in_d) {
    const std::size_t loop = text.loops.size();
    std::int64_t size = *rc::gen::elementOf(some_sizes);
    std::int64_t work = size;
    for (const ContractionText::Loop& other : text.loops) work *= other.size;
    if (work > 60'000) size = 2;
    if (work > 1'000'000) size = 1;
    text.loops.push_back({size, !in_d});
    const TextIndex index{{{loop, 1}}, 0};
    if (in_a) a.push_back(index);
    if (in_b) b.push_back(index);
    if (in_d) d.push_back(index);
  };
  const auto count = [](int most) { return *rc::gen::inRange(0, most + 1); };
  for (int i = count(2); i > 0; --i) add(true, true, true);
  for (int i = count(3); i > 0; --i) add(true, false, true);
  for (int i = count(3); i > 0; --i) add(false, true, true);
  for (int i = count(2); i >= 0; --i) {
    const int alone = *rc::gen::inRange(0, 12);  // in a few, summed in one operand alone
    add(alone != 1, alone != 2, false);
  }
  shuffle(a);
  shuffle(b);
  shuffle(d);
  // A window: a loop of the result moves over a dimension that a summed loop has too.
  for (std::size_t i = 0; i < a.size() && coin(); ++i) {
    TextIndex& index = a[i];
    const auto other = std::ranges::find_if(a, [&](const TextIndex& candidate) {
      return candidate.terms.size() == 1 && index.terms.size() == 1 &&
             text.loops[candidate.terms[0].loop].is_summed &&
             std::ranges::any_of(b,
                                 [&](const TextIndex& in_b) {  // which says how long it is
                                   return in_b.terms[0].loop == candidate.terms[0].loop;
                                 }) &&
             !text.loops[index.terms[0].loop].is_summed;
    });
    if (other == a.end()) continue;
    index.terms[0].factor = *rc::gen::inRange(1, 4);
    index.terms.push_back({other->terms[0].loop, *rc::gen::inRange(1, 3)});
    index.constant = *rc::gen::element(0, 0, 2);
    const std::int64_t size = text.size(index);
    if (coin() && size > 3) {
      index.before = *rc::gen::inRange<std::int64_t>(0, std::min<std::int64_t>(size / 2, 4));
      index.after = *rc::gen::inRange<std::int64_t>(0, std::min<std::int64_t>(size / 2, 4));
    }
    a.erase(other);
    break;
  }
  if (coin()) a.insert(a.begin() + *rc::gen::inRange(0, static_cast<int>(a.size()) + 1), {});
  if (coin()) std::swap(a, b);
  text.a.dims = a;
  text.b.dims = b;
  text.d.dims = d;
  const std::string type = *rc::gen::element("f16", "f32", "i8", "i16");
  text.a.type = text.b.type = type;
  text.d.type = type[0] == 'i' ? "i32" : "f32";
  text.accumulates = coin();
  return text;
}

RC_GTEST_PROP(ContractionForms, RandomLoopsAreRight, ()) {
  const Target target = *rc::gen::elementOf(targets);
  const ContractionText text = any_contraction();
  RC_LOG() << instruction::name(target) << "\n" << text.mlir();
  RC_ASSERT(difference(text, target, *rc::gen::arbitrary<std::uint64_t>()) == "");
}

// Loops that are often those of tensor maps, each a dimension: of sizes that divide what a copy
// moves, or are divided by it.
RC_GTEST_PROP(ContractionForms, RandomLoopsOfTensorMapsAreRight, ()) {
  ContractionText text = any_contraction({1, 2, 4, 8, 16, 64, 128});
  if (text.a.type == "f32") text.a.type = text.b.type = "f16";  // which wgmma takes
  RC_LOG() << text.mlir();
  const auto plan = compile(text.mlir(), "f", {.target = Target::sm_90a}, Stage::plan);
  RC_CLASSIFY(plan && std::holds_alternative<plan::WarpgroupPlan>(plan->plan), "by wgmma");
  RC_ASSERT(difference(text, Target::sm_90a, *rc::gen::arbitrary<std::uint64_t>()) == "");
}

// Sizes that the kernel is told: of loops of any group, of which one may have several, and of
// dimensions under windows.
RC_GTEST_PROP(ContractionForms, RandomLoopsOfDynamicSizesAreRight, ()) {
  const Target target = *rc::gen::elementOf(targets);
  ContractionText text = any_contraction();
  text.accumulates = true;
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i)
    text.loops[*rc::gen::inRange<std::size_t>(0, text.loops.size())].is_dynamic = true;
  for (const TextOperand* operand : {&text.a, &text.b})
    for (const TextIndex& index : operand->dims)
      RC_PRE(!text.is_dynamic(index) || index.before + index.after == 0);
  RC_LOG() << instruction::name(target) << "\n" << text.mlir();
  const std::string found = difference(text, target, *rc::gen::arbitrary<std::uint64_t>());
  // A group's only dynamic loop with other loops of it on both sides in memory.
  RC_PRE(found.find("no product of the sizes") == std::string::npos);
  RC_ASSERT(found == "");
}

// A convolution of which nothing but the types is known.
TEST(ContractionForms, ConvolutionsOfDynamicSizesAreRight) {
  const auto loop = [](std::int64_t size, bool is_summed) {
    return ContractionText::Loop{size, is_summed, true};
  };
  const auto one = [](std::size_t loop) { return TextIndex{{{loop, 1}}}; };
  ContractionText text;  // batch, y, x, f, r, s, c
  text.loops = {loop(2, false), loop(5, false), loop(7, false), loop(6, false),
                loop(3, true),  loop(2, true),  loop(9, true)};
  text.a.dims = {one(0), {{{1, 2}, {4, 1}}}, {{{2, 1}, {5, 3}}}, one(6)};
  text.b.dims = {one(4), one(5), one(6), one(3)};
  text.d.dims = {one(0), one(1), one(2), one(3)};
  for (const char* type : {"f16", "f32", "i8", "i16"}) {
    text.a.type = text.b.type = type;
    text.d.type = type[0] == 'i' ? "i32" : "f32";
    for (const Target target : targets) EXPECT_EQ(difference(text, target), "") << text.mlir();
  }
}

// More matrices than a grid counts: loops of neither factor are columns, those of both rows.
TEST(ContractionForms, LargeBatchesOfVectorsAreRight) {
  const auto one = [](std::size_t loop) { return TextIndex{{{loop, 1}}}; };
  ContractionText text;
  text.loops = {{300, false, false}, {257, false, false}, {3, true, false}};
  text.d.dims = {one(0), one(1)};
  text.d.type = "f32";
  for (const std::vector<TextIndex>& both :
       {std::vector{one(0), one(1), one(2)}, std::vector{one(0), one(2)}}) {
    text.a.dims = text.b.dims = both;
    for (const Target target : targets) EXPECT_EQ(difference(text, target), "") << text.mlir();
  }
}

// What linalg.generic says in one text, a named operation says in another.
struct Named {
  const char* operation;
  std::vector<std::int64_t> sizes;
  std::string summed;  // a letter for each loop: s, or p
  std::vector<std::vector<std::vector<TextIndex::Term>>> operands;
};

TEST(ContractionForms, NamedOperationsAreRight) {
  using Terms = std::vector<std::vector<TextIndex::Term>>;
  const auto loops = [](std::vector<std::size_t> numbers) {
    Terms terms;
    for (const std::size_t number : numbers) terms.push_back({{number, 1}});
    return terms;
  };
  const std::string strided =
      " {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<2> : "
      "tensor<2xi64>}";
  const std::string conv = "linalg.conv_2d_nhwc_hwcf" + strided;
  const std::string nchw = "linalg.conv_2d_nchw_fchw" + strided;
  const std::string depthwise = "linalg.depthwise_conv_2d_nhwc_hwc" + strided;
  const std::vector<Named> cases{
      {"linalg.matvec", {42, 33}, "ps", {loops({0, 1}), loops({1}), loops({0})}},
      {"linalg.vecmat", {42, 33}, "ps", {loops({1}), loops({1, 0}), loops({0})}},
      {"linalg.dot", {133}, "s", {loops({0}), loops({0}), {}}},
      {"linalg.batch_matvec", {3, 20, 33}, "pps", {loops({0, 1, 2}), loops({0, 2}), loops({0, 1})}},
      {"linalg.batch_vecmat", {3, 20, 33}, "pps", {loops({0, 2}), loops({0, 2, 1}), loops({0, 1})}},
      {"linalg.batch_reduce_matmul",
       {3, 20, 24, 17},
       "spps",
       {loops({0, 1, 3}), loops({0, 3, 2}), loops({1, 2})}},
      {"linalg.mmt4d",
       {3, 4, 5, 16, 8, 2},
       "ppspps",
       {loops({0, 2, 3, 5}), loops({1, 2, 4, 5}), loops({0, 1, 3, 4})}},
      {"linalg.batch_mmt4d",
       {2, 3, 4, 5, 8, 4, 1},
       "pppspps",
       {loops({0, 1, 3, 4, 6}), loops({0, 2, 3, 5, 6}), loops({0, 1, 2, 4, 5})}},
      {conv.c_str(),
       {2, 5, 4, 24, 3, 3, 16},
       "ppppsss",
       {{{{0, 1}}, {{1, 2}, {4, 1}}, {{2, 2}, {5, 2}}, {{6, 1}}},
        loops({4, 5, 6, 3}),
        loops({0, 1, 2, 3})}},
      {nchw.c_str(),
       {2, 10, 5, 4, 6, 3, 3},
       "ppppsss",
       {{{{0, 1}}, {{4, 1}}, {{2, 2}, {5, 1}}, {{3, 2}, {6, 2}}},
        loops({1, 4, 5, 6}),
        loops({0, 1, 2, 3})}},
      {depthwise.c_str(),
       {2, 5, 4, 6, 3, 3},
       "ppppss",
       {{{{0, 1}}, {{1, 2}, {4, 1}}, {{2, 2}, {5, 2}}, {{3, 1}}},
        loops({4, 5, 3}),
        loops({0, 1, 2, 3})}}};
  for (const Named& one : cases) {
    ContractionText text;
    for (std::size_t i = 0; i < one.sizes.size(); ++i)
      text.loops.push_back({one.sizes[i], one.summed[i] == 's'});
    const std::array<TextOperand*, 3> operands{&text.a, &text.b, &text.d};
    for (std::size_t i = 0; i < 3; ++i)
      for (const auto& terms : one.operands[i]) operands[i]->dims.push_back({terms, 0});
    text.d.type = "f32";
    text.operation = one.operation;
    for (const Target target : targets)
      EXPECT_EQ(difference(text, target), "") << instruction::name(target) << "\n" << text.mlir();
  }
}

// Heads of attention: one operand has the sequence, the other the heads, and the result both.
TEST(ContractionForms, LargeMatricesOfOuterLoopsAreABatch) {
  ContractionText text;
  text.loops = {{3}, {150}, {5}, {24}, {32, true}};
  const auto dims = [](std::vector<std::size_t> loops) {
    std::vector<TextIndex> all;
    for (const std::size_t loop : loops) all.push_back({{{loop, 1}}, 0});
    return all;
  };
  text.a.dims = dims({0, 1, 4});
  text.b.dims = dims({2, 3, 4});
  text.d.dims = dims({0, 2, 1, 3});
  text.d.type = "f32";
  for (const Target target : targets) {
    const auto kernel = compile(text.mlir(), "f", {.target = target}, Stage::plan);
    ASSERT_TRUE(kernel.has_value()) << kernel.error();
    EXPECT_EQ(kernel->problem.batch, 3);
    EXPECT_EQ(kernel->problem.m, 150);
    EXPECT_EQ(kernel->problem.n, 5 * 24);
    EXPECT_EQ(difference(text, target), "");
  }
  // Rows that follow each other everywhere are those of one matrix.
  text.d.dims = dims({0, 1, 2, 3});
  const auto kernel = compile(text.mlir(), "f", {}, Stage::plan);
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(kernel->problem.m, 3 * 150);
  EXPECT_EQ(kernel->problem.batch, 1);
  EXPECT_TRUE(kernel->request.d.row.jumps.empty());
}

// Elements of D by its places, from A and B.
using Formula = std::function<double(const std::vector<std::vector<double>>&, std::int64_t)>;

void expect_elements(const std::string& mlir, std::int64_t count, const Formula& element) {
  for (const Target target : targets) {
    const Outcome done = run(mlir, {.target = target}, Operands::exact, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "") << instruction::name(target);
    const auto read = arguments(done);
    std::vector<double> expected;
    for (std::int64_t i = 0; i < count; ++i) expected.push_back(element(read, i));
    EXPECT_EQ(difference(done, expected), "") << instruction::name(target);
    EXPECT_TRUE(judged(done).right()) << instruction::name(target);
  }
}

double at(const std::vector<double>& values, std::int64_t index) {
  return values[static_cast<std::size_t>(index)];
}

// (6 * 4) x 32 times 32 x (8 * 5), the result as 3 x 8 x 8 x 5 with a bias of 8 x 5.
TEST(ContractionForms, ReshapesAroundAProductAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<6x4x32xf16>, %b: tensor<32x40xf16>, %e: tensor<8x5xf32>)
    -> tensor<3x8x8x5xf32> {
  %rows = tensor.collapse_shape %a [[0, 1], [2]] : tensor<6x4x32xf16> into tensor<24x32xf16>
  %empty = tensor.empty() : tensor<24x40xf32>
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<24x40xf32>) -> tensor<24x40xf32>
  %p = linalg.matmul ins(%rows, %b : tensor<24x32xf16>, tensor<32x40xf16>)
      outs(%c : tensor<24x40xf32>) -> tensor<24x40xf32>
  %x = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [3, 8, 8, 5]
      : tensor<24x40xf32> into tensor<3x8x8x5xf32>
  %o = tensor.empty() : tensor<3x8x8x5xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>,
      affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %e : tensor<3x8x8x5xf32>, tensor<8x5xf32>) outs(%o : tensor<3x8x8x5xf32>) {
  ^bb0(%s: f32, %t: f32, %u: f32):
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<3x8x8x5xf32>
  return %d : tensor<3x8x8x5xf32>
}
)";
  expect_elements(mlir, 24 * 40, [](const auto& read, std::int64_t i) {
    double sum = at(read[2], i % 40);
    for (std::int64_t k = 0; k < 32; ++k)
      sum += at(read[0], i / 40 * 32 + k) * at(read[1], k * 40 + i % 40);
    return sum;
  });
}

// `size` as a product of numbers, the outermost first.
std::vector<std::int64_t> any_factors(std::int64_t size) {
  std::vector<std::int64_t> factors{size};
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t divisor = 1; divisor <= factors.back(); ++divisor)
      if (factors.back() % divisor == 0) divisors.push_back(divisor);
    const std::int64_t outer = *rc::gen::elementOf(divisors);
    factors.back() /= outer;
    factors.insert(factors.end() - 1, outer);
  }
  return factors;
}

// Two dimensions that were, or become, as many as they have factors: its type, and the groups.
struct Shaped {
  std::vector<std::int64_t> rows, columns;

  std::string type(const std::string& element) const {
    std::string text;
    for (const auto* sizes : {&rows, &columns})
      for (const std::int64_t size : *sizes) text += std::to_string(size) + "x";
    return "tensor<" + text + element + ">";
  }
  std::string sizes() const {
    const std::string text = type("");
    std::string list;
    for (const char c : text.substr(7, text.size() - 9))
      list += c == 'x' ? std::string(", ") : std::string(1, c);
    return "[" + list + "]";
  }
  std::string groups() const {
    std::string text = "[[";
    for (std::size_t i = 0; i < rows.size() + columns.size(); ++i)
      text += (i == rows.size() ? "], [" : i == 0 ? "" : ", ") + std::to_string(i);
    return text + "]]";
  }
};

// A reshape of a row-major array moves nothing: D is that of the plain product.
RC_GTEST_PROP(ContractionForms, RandomReshapesAreRight, ()) {
  constexpr std::int64_t m = 24, n = 36, k = 16;
  const Target target = *rc::gen::elementOf(targets);
  const Shaped a{any_factors(m), any_factors(k)}, b{any_factors(k), any_factors(n)};
  const Shaped d{any_factors(m), any_factors(n)};
  const std::string plain = "tensor<24x36xf32>";
  const std::string mlir =
      "func.func @f(%a: " + a.type("f16") + ", %b: " + b.type("f16") + ", %c: " + d.type("f32") +
      ") -> " + d.type("f32") + " {\n  %x = tensor.collapse_shape %a " + a.groups() + " : " +
      a.type("f16") + " into tensor<24x16xf16>\n  %y = tensor.collapse_shape %b " + b.groups() +
      " : " + b.type("f16") + " into tensor<16x36xf16>\n  %e = tensor.empty() : " + plain +
      "\n  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%e : " + plain +
      ") -> " + plain +
      "\n  %p = linalg.matmul ins(%x, %y : tensor<24x16xf16>, tensor<16x36xf16>) outs(%f : " +
      plain + ") -> " + plain + "\n  %q = tensor.expand_shape %p " + d.groups() + " output_shape " +
      d.sizes() + " : " + plain + " into " + d.type("f32") +
      "\n  %d = linalg.add ins(%q, %c : " + d.type("f32") + ", " + d.type("f32") +
      ") outs(%c : " + d.type("f32") + ") -> " + d.type("f32") +
      "\n  return %d : " + d.type("f32") + "\n}\n";
  RC_LOG() << instruction::name(target) << "\n" << mlir;
  const Outcome done = run(mlir, {.target = target}, Operands::exact, 1,
                           [](const Compilation& kernel) { return kernel.problem; });
  // 4x6 and 6x4 have no common parts.
  RC_PRE(done.error.find("do not divide each other") == std::string::npos);
  RC_ASSERT(done.error == "");
  const auto read = arguments(done);
  std::vector<double> expected = read[2];
  for (std::int64_t i = 0; i < m * n; ++i)
    for (std::int64_t l = 0; l < k; ++l)
      expected[static_cast<std::size_t>(i)] +=
          at(read[0], i / n * k + l) * at(read[1], l * n + i % n);
  RC_ASSERT(difference(done, expected) == "");
}

// Every second row of A from the third on, and a column block of B.
TEST(ContractionForms, SlicesAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<2x50x40xf16>, %b: tensor<40x64xf16>) -> tensor<20x24xf32> {
  %x = tensor.extract_slice %a[1, 3, 0] [1, 20, 33] [1, 2, 1]
      : tensor<2x50x40xf16> to tensor<20x33xf16>
  %y = tensor.extract_slice %b[5, 16] [33, 24] [1, 1] : tensor<40x64xf16> to tensor<33x24xf16>
  %c = tensor.empty() : tensor<20x24xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<20x24xf32>) -> tensor<20x24xf32>
  %d = linalg.matmul ins(%x, %y : tensor<20x33xf16>, tensor<33x24xf16>)
      outs(%f : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %d : tensor<20x24xf32>
}
)";
  expect_elements(mlir, 20 * 24, [](const auto& read, std::int64_t i) {
    double sum = 0;
    for (std::int64_t k = 0; k < 33; ++k)
      sum += at(read[0], (50 + 3 + i / 24 * 2) * 40 + k) * at(read[1], (5 + k) * 64 + 16 + i % 24);
    return sum;
  });
}

// Zeros around what is computed from an argument, by tensor.pad and by tensor.insert_slice.
TEST(ContractionForms, PaddingAroundComputedInputsIsRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<20x30xi8>, %b: tensor<31x20xf16>) -> tensor<24x24xf32> {
  %zero = arith.constant 0.0 : f16
  %c = arith.sitofp %a : tensor<20x30xi8> to tensor<20x30xf16>
  %x = tensor.pad %c low[1, 2] high[3, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<20x30xf16> to tensor<24x33xf16>
  %n = arith.negf %b : tensor<31x20xf16>
  %zeros = arith.constant dense<0.0> : tensor<33x24xf16>
  %y = tensor.insert_slice %n into %zeros[0, 3] [31, 20] [1, 1]
      : tensor<31x20xf16> into tensor<33x24xf16>
  %e = tensor.empty() : tensor<24x24xf32>
  %none = arith.constant 0.0 : f32
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<24x24xf32>) -> tensor<24x24xf32>
  %d = linalg.matmul ins(%x, %y : tensor<24x33xf16>, tensor<33x24xf16>)
      outs(%f : tensor<24x24xf32>) -> tensor<24x24xf32>
  return %d : tensor<24x24xf32>
}
)";
  expect_elements(mlir, 24 * 24, [](const auto& read, std::int64_t i) {
    const std::int64_t m = i / 24 - 1, n = i % 24 - 3;
    double sum = 0;
    for (std::int64_t k = 2; k < 31; ++k)
      if (m >= 0 && m < 20 && n >= 0 && n < 20)
        sum -= at(read[0], m * 30 + k - 2) * at(read[1], k * 20 + n);
    return sum;
  });
}

// Constants of several values are arrays that the text fills: of floats, integers and bits.
TEST(ContractionForms, ConstantsOfSeveralValuesAreRight) {
  const std::string mlir = R"(
#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<20x3xf16>) -> tensor<20x2xf32> {
  %b = arith.constant dense<[[1.5, -2.0], [0.25, 3.0], [-8.0, 0.5]]> : tensor<3x2xf16>
  %m = arith.constant dense<[false, true]> : tensor<2xi1>
  %q = arith.constant dense<[-3, 7]> : tensor<2xi4>
  %c = tensor.empty() : tensor<20x2xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<20x2xf32>) -> tensor<20x2xf32>
  %p = linalg.matmul ins(%a, %b : tensor<20x3xf16>, tensor<3x2xf16>)
      outs(%f : tensor<20x2xf32>) -> tensor<20x2xf32>
  %d = linalg.generic {indexing_maps = [#same, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p, %m, %q : tensor<20x2xf32>, tensor<2xi1>, tensor<2xi4>)
      outs(%c : tensor<20x2xf32>) {
  ^bb0(%x: f32, %bit: i1, %n: i4, %o: f32):
    %s = arith.sitofp %n : i4 to f32
    %y = arith.addf %x, %s : f32
    %r = arith.select %bit, %y, %s : f32
    linalg.yield %r : f32
  } -> tensor<20x2xf32>
  return %d : tensor<20x2xf32>
}
)";
  expect_elements(mlir, 20 * 2, [](const auto& read, std::int64_t i) {
    if (i % 2 == 0) return -3.0;
    return at(read[0], i / 2 * 3) * -2.0 + at(read[0], i / 2 * 3 + 1) * 3.0 +
           at(read[0], i / 2 * 3 + 2) * 0.5 + 7.0;
  });
}

// The largest and smallest elements of rows, of every type; few of them, so that one that is beyond
// the end of a row and taken for 0 shows, and many, of which several workgroups have parts.
TEST(ContractionForms, LargestAndSmallestAreRight) {
  struct Case {
    const char* operation;
    const char* type;
    bool is_largest;
    std::int64_t rows = 20, columns = 3;
  };
  for (const Case& one :
       {Case{"maximumf", "f32", true}, Case{"minimumf", "f32", false}, Case{"maxnumf", "f16", true},
        Case{"minnumf", "bf16", false}, Case{"maxsi", "i8", true}, Case{"minsi", "i16", false},
        Case{"maxsi", "i32", true}, Case{"maximumf", "f16", true, 5, 700},
        Case{"minsi", "i32", false, 300, 1}}) {
    const std::string type = one.type;
    const std::string row = "tensor<" + std::to_string(one.rows) + "x" + type + ">";
    const std::string matrix =
        "tensor<" + std::to_string(one.rows) + "x" + std::to_string(one.columns) + "x" + type + ">";
    for (const bool accumulates : {false, true}) {
      const bool is_float = type[0] != 'i';
      const std::string start = one.is_largest ? is_float ? "-0.75" : "-100"
                                : is_float     ? "0.75"
                                               : "100";
      const std::string mlir =
          "func.func @f(%a: " + matrix + (accumulates ? ", %c: " + row : "") + ") -> " + row +
          " {\n  %start = arith.constant " + start + " : " + type +
          "\n  %e = tensor.empty() : " + row + "\n  %z = linalg.fill ins(%start : " + type +
          ") outs(%e : " + row + ") -> " + row +
          "\n  %d = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, "
          "affine_map<(m, k) -> (m)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%a : " +
          matrix + ") outs(" + (accumulates ? "%c" : "%z") + " : " + row +
          ") {\n  ^bb0(%x: " + type + ", %s: " + type + "):\n    %t = arith." + one.operation +
          " %s, %x : " + type + "\n    linalg.yield %t : " + type + "\n  } -> " + row +
          "\n  return %d : " + row + "\n}\n";
      expect_elements(mlir, one.rows, [&](const auto& read, std::int64_t i) {
        double found = accumulates ? at(read[1], i) : std::stod(start);
        for (std::int64_t k = 0; k < one.columns; ++k) {
          const double x = at(read[0], i * one.columns + k);
          found = one.is_largest ? std::max(found, x) : std::min(found, x);
        }
        return found;
      });
    }
  }
}

// linalg.pack gives mmt4d its operands, linalg.unpack takes its result.
TEST(ContractionForms, PackedOperandsAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<32x12xf16>, %b: tensor<12x24xf16>) -> tensor<32x24xf32> {
  %ea = tensor.empty() : tensor<4x6x8x2xf16>
  %pa = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [8, 2] into %ea
      : tensor<32x12xf16> -> tensor<4x6x8x2xf16>
  %eb = tensor.empty() : tensor<6x6x4x2xf16>
  %pb = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 2]
      into %eb : tensor<12x24xf16> -> tensor<6x6x4x2xf16>
  %ec = tensor.empty() : tensor<4x6x8x4xf32>
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%ec : tensor<4x6x8x4xf32>) -> tensor<4x6x8x4xf32>
  %p = linalg.mmt4d ins(%pa, %pb : tensor<4x6x8x2xf16>, tensor<6x6x4x2xf16>)
      outs(%c : tensor<4x6x8x4xf32>) -> tensor<4x6x8x4xf32>
  %ed = tensor.empty() : tensor<32x24xf32>
  %d = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %ed
      : tensor<4x6x8x4xf32> -> tensor<32x24xf32>
  return %d : tensor<32x24xf32>
}
)";
  expect_elements(mlir, 32 * 24, [](const auto& read, std::int64_t i) {
    double sum = 0;
    for (std::int64_t k = 0; k < 12; ++k)
      sum += at(read[0], i / 24 * 12 + k) * at(read[1], k * 24 + i % 24);
    return sum;
  });
}

// A number that scales the result is an array of one element; what is not read is no argument of
// the kernel; where nothing wrote the initial value, 0 is as right as any.
TEST(ContractionForms, ScalarAndUnusedArgumentsAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<20x33xf16>, %unused: index, %b: tensor<33x24xf16>, %alpha: f32,
             %size: tensor<?x7xf64>) -> tensor<20x24xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %size, %zero : tensor<?x7xf64>
  %holds = arith.cmpi sge, %rows, %unused : index
  cf.assert %holds, "rows"
  %c = tensor.empty() : tensor<20x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<20x33xf16>, tensor<33x24xf16>)
      outs(%c : tensor<20x24xf32>) -> tensor<20x24xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%p : tensor<20x24xf32>) {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %alpha : f32
    linalg.yield %y : f32
  } -> tensor<20x24xf32>
  return %d : tensor<20x24xf32>
}
)";
  expect_elements(mlir, 20 * 24, [](const auto& read, std::int64_t i) {
    double sum = 0;
    for (std::int64_t k = 0; k < 33; ++k)
      sum += at(read[0], i / 24 * 33 + k) * at(read[1], k * 24 + i % 24);
    return static_cast<double>(static_cast<float>(sum) * static_cast<float>(at(read[2], 0)));
  });
}

// Elements of A that lie apart along m and along k.
TEST(ContractionForms, InputsWithGapsAlongBothDimensionsAreRight) {
  const std::string a = "memref<42x32xf16, strided<[70, 2], offset: 1>>";
  const std::string mlir = "func.func @f(%a: " + a +
                           ", %b: memref<32x64xf16>, %c: memref<42x64xf32>) {\n"
                           "  linalg.matmul ins(%a, %b : " +
                           a + ", memref<32x64xf16>) outs(%c : memref<42x64xf32>)\n  return\n}\n";
  for (const Target target : targets) {
    const Outcome done = run(mlir, {.target = target}, Operands::exact, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(judged(done).right()) << instruction::name(target);
  }
}

}  // namespace
}  // namespace heddle::compiler
