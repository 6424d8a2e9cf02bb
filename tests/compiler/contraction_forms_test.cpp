// Contractions over any loops, on all three machines: several loops for m, n, k and the batch in
// any order of every operand, loops of one step, windows that move over a dimension.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "compiler/request/actual_product.h"
#include "contraction_text.h"
#include "product_run.h"

namespace heddle::compiler {
namespace contraction_forms_test {

using instruction::Target;

constexpr std::array targets{Target::gfx1151, Target::gfx1201, Target::gfx942,
                             Target::gfx1250, Target::sm_80,   Target::sm_90a};

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

// Of an operand whose places jump back along k, LLVM took the constant out of the sum: what was
// left was below zero, so the buffer gave zeros.
TEST(ContractionForms, OffsetsThatJumpBackAreNeverNegative) {
  const std::string mlir = R"(
func.func @f(%a: tensor<9x33xf16>, %b: tensor<33x4x8xf16>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, i, j) -> (m + j + 2, i)>,
      affine_map<(m, n, i, j) -> (i, j, n)>, affine_map<(m, n, i, j) -> (n, m)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<9x33xf16>, tensor<33x4x8xf16>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %wide_x = arith.extf %x : f16 to f32
    %wide_y = arith.extf %y : f16 to f32
    %p = arith.mulf %wide_x, %wide_y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}
)";
  for (const Target target : targets) {
    const Outcome done = run(mlir, {.target = target}, Operands::exact, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "") << instruction::name(target);
    EXPECT_TRUE(judged(done).right()) << instruction::name(target);
  }
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

// A convolution of which nothing but the types is known: for each target a float and an integer.
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
  for (const auto& [type, first] :
       {std::pair{"f16", 0u}, std::pair{"f32", 1u}, std::pair{"i8", 1u}, std::pair{"i16", 0u}}) {
    text.a.type = text.b.type = type;
    text.d.type = type[0] == 'i' ? "i32" : "f32";
    for (std::size_t i = first; i < targets.size(); i += 2)
      EXPECT_EQ(difference(text, targets[i]), "") << text.mlir();
  }
}

// Two loops of a batch whose sizes are told, beside known ones: a plan has some number for each,
// and their product is no limit.
TEST(ContractionForms, SeveralDynamicLoopsOfABatchAreRight) {
  const auto one = [](std::size_t loop) { return TextIndex{{{loop, 1}}}; };
  ContractionText text;
  text.loops = {{20, false, false}, {3, false, true}, {2, false, true}, {33, false, false},
                {8, false, false},  {2, true, false}, {1, true, false}, {1, true, false}};
  text.a.dims = {one(1), one(5), one(3), one(4), one(6), one(2), one(7), one(0)};
  text.b.dims = {one(1), one(5), one(6), one(7), one(0)};
  text.d.dims = {one(2), one(3), one(1), one(4), one(0)};
  text.a.type = text.b.type = "i16";
  text.d.type = "i32";
  text.accumulates = true;
  EXPECT_EQ(difference(text, Target::sm_80), "") << text.mlir();
}

// A k that ends before a tile, between rows of which only the kernel knows how many there are:
// beyond the end of k lies the next row.
TEST(ContractionForms, AShortKBetweenDynamicRowsIsRight) {
  const auto one = [](std::size_t loop) { return TextIndex{{{loop, 1}}}; };
  ContractionText text;  // n, n, m, m, k
  text.loops = {
      {4, false, true}, {8, false, false}, {5, false, true}, {20, false, false}, {2, true, false}};
  text.a.dims = {one(0), one(4), one(1)};
  text.b.dims = {one(2), one(4), one(3)};
  text.d.dims = {one(1), one(2), one(3), one(0)};
  for (const Target target : targets) EXPECT_EQ(difference(text, target), "") << text.mlir();
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

}  // namespace contraction_forms_test
}  // namespace heddle::compiler
