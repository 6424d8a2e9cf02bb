// Every form of a product on the emulator, its checker silent: against a reference that the test
// computes itself, to the last bit, with operands whose sums are exact; and against the judge that
// `heddle run` uses, with any operands.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "compiler/compile.h"
#include "compiler/request/actual_product.h"
#include "emulator/launch.h"
#include "product_text.h"
#include "runtime/matrix.h"
#include "runtime/random_stream.h"

namespace heddle::compiler {

void showValue(const ProductText& text, std::ostream& out) { out << text.mlir(); }

namespace {

using instruction::ElementType;
using instruction::Target;

constexpr std::array targets{Target::gfx1100, Target::gfx1151, Target::gfx1201};

enum class Operands { exact, uniform };

using Buffers = std::vector<std::vector<std::byte>>;

struct Outcome {
  std::string error;  // empty when it ran
  Compilation kernel;
  plan::Problem problem;  // with the actual sizes
  Buffers before, after;
};

plan::Problem actual(const Compilation& kernel, const ProductText& text, bool swapped) {
  plan::Problem problem = kernel.problem;
  problem.m = swapped ? text.n : text.m;
  problem.n = swapped ? text.m : text.n;
  problem.k = text.k;
  problem.batch = std::max<std::int64_t>(text.batch, 1);
  return problem;
}

// Multiples of 1/8 in [-1, 1] are exact in every float type, and so are their sums in f32. Bytes
// are any.
double number(ElementType type, Operands operands, const runtime::RandomStream& stream,
              std::uint64_t i) {
  if (type == ElementType::i8) return static_cast<double>(stream.word(i) % 256) - 128;
  if (type == ElementType::i32) return static_cast<double>(stream.word(i) % 2'000'000) - 1'000'000;
  return operands == Operands::exact ? stream.eighths(i) : stream.uniform(i);
}

std::vector<std::byte> filled(const BufferRecord& buffer, const plan::Problem& problem,
                              Operands operands, std::uint64_t seed) {
  std::vector<std::byte> bytes(byte_count(buffer, problem), std::byte{0xff});
  if (buffer.role == Role::d) return bytes;
  const runtime::RandomStream stream(seed);
  const auto step = static_cast<std::size_t>(instruction::bits(buffer.element)) / 8;
  for (std::size_t i = 0; i * step < bytes.size(); ++i)
    runtime::store_number(runtime::number_type(buffer.element), bytes.data() + i * step,
                          number(buffer.element, operands, stream, i));
  return bytes;
}

Outcome run(const std::string& mlir, const Options& options, Operands operands, std::uint64_t seed,
            const std::function<plan::Problem(const Compilation&)>& sizes) {
  Outcome done;
  auto kernel = compile(mlir, "test.mlir", options, Stage::object);
  if (!kernel) return {kernel.error(), {}, {}, {}, {}};
  const auto object = emulator::CodeObject::load(std::as_bytes(std::span(kernel->object)));
  if (!object) return {object.error().message, {}, {}, {}, {}};
  done.kernel = *std::move(kernel);
  done.problem = sizes(done.kernel);
  for (const BufferRecord& buffer : done.kernel.request.buffers)
    done.before.push_back(filled(buffer, done.problem, operands, seed++));
  done.after = done.before;
  emulator::Launch launch;
  launch.kernel = done.kernel.kernel_name;
  launch.grid = grid_for(done.kernel, done.problem);
  launch.workgroup = done.kernel.workgroup;
  launch.check = true;
  for (std::size_t i = 0; i < done.after.size(); ++i)
    launch.arguments.push_back(emulator::Buffer{done.after[i], done.kernel.parameters[i].name,
                                                done.kernel.parameters[i].read});
  for (unsigned loop = 0; loop < 4; ++loop) {
    const auto name = static_cast<plan::Loop>(loop);
    if (done.problem.is_dynamic(name))
      launch.arguments.push_back(
          emulator::value(static_cast<std::uint32_t>(done.problem.size(name))));
  }
  std::vector<std::byte> workspace;
  if (done.kernel.parameters.back().role == Role::workspace) {
    workspace.resize(done.kernel.parameters.back().bytes);
    launch.arguments.push_back(emulator::Buffer{workspace, "workspace"});
  }
  const auto report = emulator::run(*object, launch);
  if (!report) {
    done.error = report.error().text();
  } else if (!report->findings.empty()) {
    done.error = report->findings.front().text(done.kernel.kernel_name);
  }
  if (!workspace.empty()) {
    const auto* plan = std::get_if<plan::MatmulPlan>(&done.kernel.plan);
    const auto counters = workspace.begin() + 4 * plan->tiles();
    if (std::any_of(workspace.begin(), counters, [](std::byte x) { return x != std::byte{0}; }))
      done.error = "counters that are not zero again";
  }
  return done;
}

std::vector<std::span<const std::byte>> views(const Buffers& buffers) {
  return {buffers.begin(), buffers.end()};
}

std::vector<double> numbers(const std::vector<std::byte>& bytes, ElementType type) {
  const auto step = static_cast<std::size_t>(instruction::bits(type)) / 8;
  std::vector<double> values;
  for (std::size_t i = 0; i * step < bytes.size(); ++i)
    values.push_back(runtime::load_number(runtime::number_type(type), bytes.data() + i * step));
  return values;
}

bool is_swapped(const Compilation& kernel) {
  return kernel.request.a.parameter == 1;  // B's columns are D's rows
}

Outcome run(const ProductText& text, const Options& options, Operands operands,
            std::uint64_t seed) {
  return run(text.mlir(), options, operands, seed,
             [&](const Compilation& kernel) { return actual(kernel, text, is_swapped(kernel)); });
}

// Empty when D is what the text says, to the last bit.
std::string difference(const ProductText& text, const Options& options, std::uint64_t seed = 1) {
  const Outcome done = run(text, options, Operands::exact, seed);
  if (!done.error.empty()) return done.error;
  std::vector<std::vector<double>> arguments;
  for (std::size_t i = 0; i + 1 < done.before.size(); ++i)
    arguments.push_back(numbers(done.before[i], done.kernel.request.buffers[i].element));
  const std::vector<double> expected = text.reference(arguments);
  const ElementType type = done.kernel.request.buffers.back().element;
  const std::vector<double> found = numbers(done.after.back(), type);
  if (expected.size() != found.size()) return "a result of another size";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double right = runtime::rounded(type, expected[i]);
    if (found[i] == right) continue;
    std::ostringstream words;
    words << "element " << i << " is " << found[i] << " instead of " << right;
    return words.str();
  }
  return "";
}

runtime::MatmulCheck judged(const Outcome& done) {
  return runtime::check_product(
      actual_product(done.kernel.request, done.problem, views(done.before), views(done.after)));
}

void expect_right(const ProductText& text, Target target) {
  const std::string difference_found = difference(text, {.target = target});
  EXPECT_EQ(difference_found, "") << instruction::name(target) << "\n" << text.mlir();
}

TEST(ProductForms, EveryTransposeIsRight) {
  for (const Target target : targets) {
    for (const char* type : {"f16", "bf16", "f32", "i8"}) {
      for (const int form : {0, 1, 2, 3}) {
        ProductText text{.m = 42, .n = 70, .k = 50, .a_type = type, .b_type = type};
        if (text.a_type == "i8") text.sum_type = "i32";
        text.a_transposed = (form & 1) != 0;
        text.b_transposed = (form & 2) != 0;
        text.style = Style::named;
        expect_right(text, target);
        text.m = text.n = text.k = 64;
        text.style = Style::generic;
        text.c_transposed = form == 1;
        expect_right(text, target);
      }
    }
  }
}

TEST(ProductForms, BatchesAreRight) {
  for (const Target target : targets) {
    for (const bool transposed : {false, true}) {
      ProductText text{.m = 33, .n = 40, .k = 48, .batch = 3};
      text.b_transposed = transposed;
      text.style = Style::named;
      text.accumulates = transposed;
      expect_right(text, target);
    }
  }
}

TEST(ProductForms, BytesAreRightToTheLastBit) {
  for (const Target target : targets) {
    for (const bool is_unsigned : {false, true}) {
      for (const Style style : {Style::named, Style::generic}) {
        ProductText text{
            .m = 50, .n = 34, .k = 100, .a_type = "i8", .b_type = "i8", .sum_type = "i32"};
        text.is_unsigned = is_unsigned;
        text.style = style;
        text.accumulates = is_unsigned;
        expect_right(text, target);
      }
    }
  }
}

TEST(ProductForms, EightBitFloatsAreRightOnGfx12) {
  for (const char* a : {"f8E4M3FN", "f8E5M2"}) {
    for (const char* b : {"f8E4M3FN", "f8E5M2"}) {
      ProductText text{.m = 50, .n = 34, .k = 100, .a_type = a, .b_type = b};
      text.b_transposed = a == b;
      expect_right(text, Target::gfx1201);
    }
  }
}

TEST(ProductForms, ProducersAndEpiloguesAreRight) {
  for (const Target target : targets) {
    for (const Epilogue epilogue : {Epilogue::relu, Epilogue::bias_relu, Epilogue::scale_residual,
                                    Epilogue::narrowed, Epilogue::row_bias_transposed}) {
      ProductText text{.m = 50, .n = 34, .k = 40};
      text.epilogue = epilogue;
      expect_right(text, target);
      text.batch = 2;
      text.a_transposed = true;
      expect_right(text, target);
    }
    for (const Producer producer : {Producer::half_of_a, Producer::from_bytes}) {
      ProductText text{.m = 50, .n = 34, .k = 41};
      text.producer = producer;
      expect_right(text, target);
      text.a_transposed = true;
      text.k = 70;
      expect_right(text, target);
    }
  }
}

TEST(ProductForms, DynamicSizesAreRightWithOneKernel) {
  for (const Target target : targets) {
    for (const unsigned dynamic : {1u, 2u, 4u, 7u, 15u}) {
      for (const std::int64_t k : {1, 16, 32, 33, 100}) {
        ProductText text{.m = 42, .n = 70, .k = k, .batch = dynamic == 15 ? 2 : 0};
        text.dynamic = dynamic;
        text.b_transposed = dynamic == 7;
        expect_right(text, target);
      }
    }
  }
}

TEST(ProductForms, F32AsBf16IsWithinWhatItStates) {
  for (const Target target : targets) {
    ProductText text{.m = 42, .n = 70, .k = 50, .a_type = "f32", .b_type = "f32"};
    text.b_transposed = true;
    const Options options{.target = target, .f32 = plan::F32Path::bf16x3};
    EXPECT_EQ(difference(text, options), "");
    Outcome done = run(text, options, Operands::uniform, 3);
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(judged(done).right());
    EXPECT_GT(judged(done).largest_error, 0);
    // As exact products they would be wrong, where few are summed.
    text.k = 2;
    done = run(text, options, Operands::uniform, 3);
    EXPECT_TRUE(judged(done).right());
    done.problem.f32 = plan::F32Path::exact;
    EXPECT_FALSE(judged(done).right());
  }
}

TEST(ProductForms, AFewTilesOfADeepProductAreShared) {
  for (const Target target : targets) {
    for (const char* type : {"f16", "f32", "i8"}) {
      ProductText text{.m = 42, .n = 70, .k = 1000, .a_type = type, .b_type = type};
      if (text.a_type == "i8") text.sum_type = "i32";
      text.batch = text.a_type == "f16" ? 2 : 0;
      text.accumulates = text.a_type == "f32";
      text.b_transposed = text.a_type == "i8";
      text.epilogue = Epilogue::bias_relu;
      const auto kernel = compile(text.mlir(), "test.mlir", {.target = target}, Stage::plan);
      ASSERT_TRUE(kernel.has_value());
      if (text.batch == 0) EXPECT_GT(std::get<plan::MatmulPlan>(kernel->plan).splits, 1);
      expect_right(text, target);
      text.epilogue = Epilogue::none;
      text.batch = 0;
      EXPECT_EQ(difference(
                    text, {.target = target, .plan = {.block_m = 32, .block_n = 32, .split_k = 4}}),
                "");
    }
  }
}

// The judge finds one element that is off by a little more than it may be.
TEST(ProductForms, TheJudgeFindsOneWrongElement) {
  ProductText text{.m = 20, .n = 30, .k = 40};
  text.epilogue = Epilogue::bias_relu;
  Outcome done = run(text, {.target = Target::gfx1151}, Operands::uniform, 3);
  ASSERT_EQ(done.error, "");
  EXPECT_TRUE(judged(done).right());
  std::vector<std::byte>& d = done.after.back();
  float value = 0;
  std::memcpy(&value, d.data() + 4 * 77, 4);
  value += 1e-3f;
  std::memcpy(d.data() + 4 * 77, &value, 4);
  EXPECT_EQ(judged(done).wrong, 1);
  EXPECT_EQ(judged(done).worst_row, 77 / 30);
}

TEST(ProductForms, StridedMemrefsAreRight) {
  const std::string mlir =
      "func.func @product(%a: memref<42x32xf16, strided<[40, 1], offset: 3>>, "
      "%b: memref<32x50xf16, strided<[1, 36]>>, %c: memref<42x50xf32, strided<[64, 1]>>) {\n"
      "  linalg.matmul ins(%a, %b : memref<42x32xf16, strided<[40, 1], offset: 3>>, "
      "memref<32x50xf16, strided<[1, 36]>>) outs(%c : memref<42x50xf32, strided<[64, 1]>>)\n"
      "  return\n}\n";
  for (const Target target : targets) {
    const Outcome done = run(mlir, {.target = target}, Operands::uniform, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(judged(done).right());
  }
}

// Forms, shapes, types and targets at random; a failing one shrinks.
ProductText any_product(Target target) {
  const auto size = [] { return *rc::gen::inRange<std::int64_t>(1, 140); };
  ProductText text{size(), size(), size()};
  text.batch = *rc::gen::element(0, 0, 1, 3);
  std::vector<std::string> types{"f16", "bf16", "f32", "i8"};
  if (target == Target::gfx1201) types.insert(types.end(), {"f8E4M3FN", "f8E5M2"});
  text.a_type = text.b_type = *rc::gen::elementOf(types);
  if (text.a_type == "i8") text.sum_type = "i32";
  const auto coin = [] { return *rc::gen::arbitrary<bool>(); };
  text.is_unsigned = text.is_integer() && coin();
  text.a_transposed = coin();
  text.b_transposed = coin();
  text.accumulates = coin();
  text.style = coin() ? Style::named : Style::generic;
  text.c_transposed = text.style == Style::generic && coin();
  if (text.style == Style::generic) {
    const bool is_small_float = text.a_type.starts_with("f8");
    const bool is_half = text.a_type == "f16" || text.a_type == "bf16";
    std::vector<Producer> producers{Producer::none};
    if (!text.is_integer() && !is_small_float) producers.push_back(Producer::half_of_a);
    if (is_half) producers.push_back(Producer::from_bytes);
    text.producer = *rc::gen::elementOf(producers);
    std::array<int, 4> order{0, 1, 2, 3};
    for (std::size_t i = 3; i > 0; --i)
      std::swap(order[i],
                order[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i) + 1))]);
    text.loop_order = order;
  }
  text.epilogue = *rc::gen::element(Epilogue::none, Epilogue::relu, Epilogue::bias_relu,
                                    Epilogue::scale_residual, Epilogue::narrowed,
                                    Epilogue::row_bias_transposed);
  text.dynamic = *rc::gen::element(0u, 0u, *rc::gen::inRange(0u, 16u));
  if (text.batch == 0) text.dynamic &= 7u;
  return text;
}

RC_GTEST_PROP(ProductForms, RandomProductsAreRight, ()) {
  const Target target = *rc::gen::elementOf(targets);
  const ProductText text = any_product(target);
  const std::string found =
      difference(text, {.target = target}, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(found == "");
}

RC_GTEST_PROP(ProductForms, RandomProductsSatisfyTheJudge, ()) {
  const Target target = *rc::gen::elementOf(targets);
  const ProductText text = any_product(target);
  const bool split = text.a_type == "f32" && *rc::gen::arbitrary<bool>();
  const Options options{.target = target,
                        .f32 = split ? plan::F32Path::bf16x3 : plan::F32Path::exact};
  const Outcome done = run(text, options, Operands::uniform, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(done.error == "");
  RC_ASSERT(judged(done).right());
}

}  // namespace
}  // namespace heddle::compiler
