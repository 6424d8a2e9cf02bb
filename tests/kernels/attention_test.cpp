// The attention kernels on the emulator, every element against float64, within a bound that follows
// from the arithmetic (docs/attention.md, "Tolerance").
#include <cmath>
#include <cstring>

#include "emulator/kernels.h"
#include "kernels/attention.h"
#include "runtime/device/device.h"

namespace heddle::kernels {
namespace attention_test {

using emulator::testing::Random;
using emulator::testing::read_file;

constexpr float poison = NAN;

/// 16-bit numbers as bits, so that bf16 needs no help of the host's compiler.
struct Half {
  std::string name;
  int precision;  // bits of the significand, the hidden one included
  double least;   // half the distance of the smallest numbers: what underflow may lose
  bool is_brain;

  std::uint16_t bits(float x) const {
    if (!is_brain) return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
    const auto word = std::bit_cast<std::uint32_t>(x);
    if (std::isnan(x)) return 0x7fc0;
    return static_cast<std::uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  double value(std::uint16_t bits) const {
    if (!is_brain) return static_cast<double>(std::bit_cast<_Float16>(bits));
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

const Half f16{"f16", 11, 0x1p-25, false};
const Half bf16{"bf16", 8, 0x1p-134, true};

struct Sequence {
  int queries, keys;
};

struct Problem {
  Half type = f16;
  int depth = 64;
  int kv_heads = 1;
  int group = 1;
  std::vector<Sequence> sequences;
  int window_left = unlimited;
  int window_right = unlimited;
  float scale = 0;  // 0: 1 / sqrt(depth)
  int parts = 0;    // 0: the kernel for prefill
  bool heads_outermost = false;
  float magnitude = 1;      // of Q and K
  bool is_checked = false;  // by the emulator's checker

  float softmax_scale() const {
    return scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(depth));
  }
  std::string text() const {
    std::string text =
        type.name + " depth " + std::to_string(depth) + ", " + std::to_string(kv_heads) +
        " heads of " + std::to_string(group) + ", window " + std::to_string(window_left) + " " +
        std::to_string(window_right) + ", parts " + std::to_string(parts) + ", sequences";
    for (const Sequence& s : sequences)
      text += " " + std::to_string(s.queries) + "x" + std::to_string(s.keys);
    return text;
  }
};

/// A tensor of tokens, heads and depths with gaps of poison between the sequences.
struct Tensor {
  std::vector<std::uint16_t> bits;
  std::vector<std::int32_t> start, length;
  TensorStrides strides;
  std::size_t at(int sequence, int token, int head, int d) const {
    return static_cast<std::size_t>(start[static_cast<std::size_t>(sequence)] + token) *
               static_cast<std::size_t>(strides.row_stride) +
           static_cast<std::size_t>(head) * static_cast<std::size_t>(strides.head_stride) +
           static_cast<std::size_t>(d);
  }
};

Tensor tensor_of(const Problem& problem, bool of_keys, int heads) {
  Tensor tensor;
  int tokens = 1;  // a gap before the first sequence too
  for (const Sequence& sequence : problem.sequences) {
    tensor.start.push_back(tokens);
    tensor.length.push_back(of_keys ? sequence.keys : sequence.queries);
    tokens += tensor.length.back() + 2;
  }
  tensor.strides = problem.heads_outermost ? TensorStrides{problem.depth, problem.depth * tokens}
                                           : TensorStrides{problem.depth * heads, problem.depth};
  tensor.bits.assign(static_cast<std::size_t>(tokens * heads * problem.depth),
                     problem.type.bits(poison));
  return tensor;
}

void fill(Tensor& tensor, const Problem& problem, int heads, float magnitude, Random& random) {
  for (std::size_t s = 0; s < tensor.start.size(); ++s)
    for (int token = 0; token < tensor.length[s]; ++token)
      for (int head = 0; head < heads; ++head)
        for (int d = 0; d < problem.depth; ++d)
          tensor.bits[tensor.at(static_cast<int>(s), token, head, d)] =
              problem.type.bits(magnitude * random.uniform());
}

/// How near the results came to their bounds.
struct Nearness {
  double worst = 0;
  long elements = 0;
};

/// Compares one query of one head. All in float64; the bound is explained in docs/attention.md.
void check_row(const Problem& problem, const Tensor& q, const Tensor& k, const Tensor& v,
               const Tensor& o, int s, int query, int head, int& wrong, Nearness& nearness) {
  const Half& type = problem.type;
  const int depth = problem.depth, kv_head = head / problem.group;
  const int keys = k.length[static_cast<std::size_t>(s)];
  const int p = query + keys - q.length[static_cast<std::size_t>(s)];
  const int first = std::max(0, p - problem.window_left);
  const auto last =
      static_cast<int>(std::min<long>(keys - 1, static_cast<long>(p) + problem.window_right));
  const double scale = problem.softmax_scale();
  std::vector<double> score;
  double largest = -INFINITY, most_magnitude = 0;
  for (int key = first; key <= last; ++key) {
    double sum = 0, magnitude = 0;
    for (int d = 0; d < depth; ++d) {
      const double product = type.value(q.bits[q.at(s, query, head, d)]) *
                             type.value(k.bits[k.at(s, key, kv_head, d)]);
      sum += product;
      magnitude += std::abs(product);
    }
    score.push_back(scale * sum);
    largest = std::max(largest, scale * sum);
    most_magnitude = std::max(most_magnitude, std::abs(scale) * magnitude);
  }
  if (score.empty()) {  // no key: zero, and exactly so
    for (int d = 0; d < depth; ++d)
      if (o.bits[o.at(s, query, head, d)] != 0 && wrong++ < 3)
        ADD_FAILURE() << "sequence " << s << ", query " << query << " sees no key, but is not zero";
    return;
  }
  double total = 0;
  for (double& x : score) total += x = std::exp(x - largest);

  const double n = static_cast<double>(score.size());
  const double u = 0x1p-24, rounding = std::ldexp(1.0, -type.precision);
  // Of an exponent: depth additions, two roundings of the scale, one of the difference.
  const double exponent = (depth + 4) * u * most_magnitude + 2 * u * std::abs(largest);
  // Of a probability, and of every rescaling by a further tile of at least 16 keys.
  const double tiles = n / 16 + 2 + problem.parts;
  const double probability = std::expm1(2 * exponent) + 2 * u;
  const double relative = 2 * probability + rounding + (2 * n + 6 * tiles) * u;
  for (int d = 0; d < depth; ++d) {
    double expected = 0, magnitude = 0, values = 0;
    for (std::size_t i = 0; i < score.size(); ++i) {
      const double value = type.value(v.bits[v.at(s, first + static_cast<int>(i), kv_head, d)]);
      expected += score[i] / total * value;
      magnitude += score[i] / total * std::abs(value);
      values += std::abs(value);
    }
    const double bound = relative * magnitude + rounding * std::abs(expected) +
                         type.least * (values / std::max(total, 1.0) + 1);
    const double got = type.value(o.bits[o.at(s, query, head, d)]);
    const double error = std::abs(got - expected);
    ++nearness.elements;
    if (bound > 0) nearness.worst = std::max(nearness.worst, error / bound);
    if (!(error <= bound) && wrong++ < 3)
      ADD_FAILURE() << "sequence " << s << ", query " << query << ", head " << head << ", d " << d
                    << ": " << got << ", expected " << expected << " within " << bound;
  }
}

/// The kernels of one target, launched as a program does it (runtime/device/device.h).
class Kernels {
 public:
  explicit Kernels(const std::string& target)
      : device_(runtime::Device::open("emulator:" + target).value()),
        module_(
            device_->load(read_file(HEDDLE_KERNEL_FOLDER "/" + attention_file(target))).value()) {}
  const emulator::CodeObject& object() const { return *module_->code_object(); }

  emulator::RunReport run(const emulator::Launch& launch) const {
    const auto report = module_->launch(launch);
    if (!report) ADD_FAILURE() << report.error().message;
    return report ? *report->emulated : emulator::RunReport{};
  }

 private:
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::Module> module_;
};

template <class T>
emulator::Argument argument(std::vector<T>& values, std::string name) {
  return emulator::buffer(std::span(values), std::move(name));
}

/// Runs a problem and compares every element; gives the reports of its launches.
std::vector<emulator::RunReport> check(const Kernels& kernels, Problem problem,
                                       Nearness& nearness) {
  SCOPED_TRACE(problem.text());
  const int heads = problem.kv_heads * problem.group;
  Random random(static_cast<std::uint64_t>(problem.depth * 131 + heads * 17 + problem.parts +
                                           problem.window_left % 1009));
  Tensor q = tensor_of(problem, false, heads), o = q;
  Tensor k = tensor_of(problem, true, problem.kv_heads), v = k;
  fill(q, problem, heads, problem.magnitude, random);
  fill(k, problem, problem.kv_heads, problem.magnitude, random);
  fill(v, problem, problem.kv_heads, 1, random);

  const int sequences = static_cast<int>(problem.sequences.size());
  AttentionProblem asked{.element = problem.type.is_brain ? NumberType::bf16 : NumberType::f16,
                         .depth = problem.depth,
                         .kv_heads = problem.kv_heads,
                         .group = problem.group,
                         .sequences = sequences,
                         .longest_query = 0,
                         .q = q.strides,
                         .k = k.strides,
                         .v = v.strides,
                         .o = o.strides,
                         .scale = problem.scale,
                         .window_left = problem.window_left,
                         .window_right = problem.window_right,
                         .parts = problem.parts};
  for (const Sequence& sequence : problem.sequences)
    asked.longest_query = std::max(asked.longest_query, sequence.queries);
  const AttentionWorkspaceBytes bytes = attention_workspace(asked).value();
  std::vector<float> workspace_o(bytes.o / sizeof(float), poison);
  std::vector<float> workspace_softmax(bytes.softmax / sizeof(float), poison);
  AttentionBuffers buffers{argument(q.bits, "q"),
                           argument(k.bits, "k"),
                           argument(v.bits, "v"),
                           argument(o.bits, "o"),
                           argument(q.start, "query_start"),
                           argument(q.length, "query_length"),
                           argument(k.start, "key_start"),
                           argument(k.length, "key_length"),
                           {},
                           {}};
  if (problem.parts > 0) {
    buffers.workspace_o = argument(workspace_o, "workspace_o");
    buffers.workspace_softmax = argument(workspace_softmax, "workspace_softmax");
  }
  std::vector<emulator::RunReport> reports;
  const auto launches = attention_launches(asked, buffers);
  EXPECT_TRUE(launches) << launches.error();
  if (!launches) return reports;
  for (emulator::Launch launch : *launches) {
    launch.check = problem.is_checked;
    reports.push_back(kernels.run(launch));
  }

  int wrong = 0;
  for (int s = 0; s < sequences; ++s)
    for (int query = 0; query < problem.sequences[static_cast<std::size_t>(s)].queries; ++query)
      for (int head = 0; head < heads; ++head)
        check_row(problem, q, k, v, o, s, query, head, wrong, nearness);
  EXPECT_EQ(wrong, 0) << "elements are wrong";
  // What belongs to no sequence stays as it was.
  std::vector<bool> is_owned(o.bits.size());
  for (std::size_t s = 0; s < o.start.size(); ++s)
    for (int token = 0; token < o.length[s]; ++token)
      for (int head = 0; head < heads; ++head)
        for (int d = 0; d < problem.depth; ++d)
          is_owned[o.at(static_cast<int>(s), token, head, d)] = true;
  int touched = 0;
  for (std::size_t i = 0; i < is_owned.size(); ++i)
    touched += !is_owned[i] && o.bits[i] != problem.type.bits(poison);
  EXPECT_EQ(touched, 0) << "elements outside the sequences were written";
  return reports;
}

struct Window {
  int left, right;
};

class AttentionSweep : public ::testing::TestWithParam<std::string> {
 protected:
  ~AttentionSweep() override {
    std::printf("%s: %ld elements, the nearest to its bound at %.2f of it\n", GetParam().c_str(),
                nearness.elements, nearness.worst);
  }
  Nearness nearness;
};

// Lengths that fill tiles and waves, and that just do not: 1, 15 to 17, 63 to 65, primes.
const std::vector<std::vector<Sequence>> batches = {
    {{1, 1}, {15, 17}, {17, 15}, {0, 5}, {3, 0}},
    {{63, 65}, {1, 63}, {16, 16}},
    {{65, 97}, {13, 31}, {0, 0}, {2, 127}},
};

TEST_P(AttentionSweep, Prefill) {
  const Kernels kernels(GetParam());
  for (const Half& type : {f16, bf16})
    for (const int depth : {64, 128, 256})
      for (std::size_t batch = 0; batch < batches.size(); ++batch)
        for (const Window window :
             {Window{unlimited, unlimited}, {unlimited, 0}, {7, 0}, {40, 3}}) {
          Problem problem;
          problem.type = type;
          problem.depth = depth;
          problem.sequences = batches[batch];
          problem.kv_heads = batch == 0 ? 2 : 1;
          problem.group = batch == 1 ? 3 : batch == 2 ? 1 : 4;
          problem.window_left = window.left;
          problem.window_right = window.right;
          problem.heads_outermost = window.right != 0;
          check(kernels, problem, nearness);
          if (HasFailure()) return;
        }
}

TEST_P(AttentionSweep, Decode) {
  const Kernels kernels(GetParam());
  for (const Half& type : {f16, bf16})
    for (const int depth : {64, 128, 256})
      for (const int parts : {1, 3, 8})
        for (const Window window : {Window{unlimited, unlimited}, {unlimited, 0}, {33, 0}}) {
          Problem problem;
          problem.type = type;
          problem.depth = depth;
          problem.sequences = {{1, 1}, {1, 65}, {1, 0}, {0, 9}, {2, 131}, {5, 17}, {1, 257}};
          problem.kv_heads = 2;
          problem.group = parts == 1 ? 1 : parts == 3 ? 8 : 5;
          problem.parts = parts;
          problem.window_left = window.left;
          problem.window_right = window.right;
          check(kernels, problem, nearness);
          if (HasFailure()) return;
        }
}

TEST_P(AttentionSweep, ScalesAndLargeScores) {
  const Kernels kernels(GetParam());
  for (const Half& type : {f16, bf16})
    for (const float scale : {0.01f, 1.0f, 3.0f})
      for (const int parts : {0, 2}) {
        Problem problem;
        problem.type = type;
        problem.sequences = {{37, 83}};
        problem.scale = scale;
        problem.magnitude = 4;
        problem.parts = parts;
        check(kernels, problem, nearness);
      }
}

// What the compiler made of the kernels: all 18 that ship, by their metadata.
TEST_P(AttentionSweep, NothingSpills) {
  const Kernels kernels(GetParam());
  int count = 0;
  for (const emulator::Kernel& kernel : kernels.object().kernels()) {
    EXPECT_EQ(kernel.vgpr_spills, 0u) << kernel.name;
    EXPECT_EQ(kernel.sgpr_spills, 0u) << kernel.name;
    EXPECT_EQ(kernel.scratch_bytes, 0u) << kernel.name;
    EXPECT_LE(kernel.vgpr_count, 256u) << kernel.name;
    count += kernel.name.starts_with("attention_");
    std::printf("%s %-24s %3u VGPRs, %5u bytes of LDS\n", GetParam().c_str(), kernel.name.c_str(),
                kernel.vgpr_count, kernel.lds_bytes);
  }
  EXPECT_EQ(count, 18);
}

// By the bank model of heddle/memory/bank_model.h, counted in the emulated machine.
TEST_P(AttentionSweep, NoAccessToSharedMemoryHasABankConflict) {
  const Kernels kernels(GetParam());
  for (const int depth : {64, 128, 256})
    for (const int parts : {0, 2}) {
      Problem problem;
      problem.depth = depth;
      problem.sequences = {{65, 97}};
      problem.parts = parts;
      std::size_t accesses = 0;
      for (const emulator::RunReport& report : check(kernels, problem, nearness))
        for (const emulator::LdsAccess& access : report.lds) {
          ++accesses;
          EXPECT_EQ(access.extra_passes, 0u)
              << "depth " << depth << ", " << parts << " parts: " << access.instruction << " at "
              << access.source;
        }
      EXPECT_GE(accesses, 16u);
    }
}

// Waits, races of shared memory, undefined values, matrix operands, bounds
// (emulator/record/finding.h).
TEST_P(AttentionSweep, TheCheckerFindsNothing) {
  const Kernels kernels(GetParam());
  for (const Half& type : {f16, bf16})
    for (const int depth : {64, 128, 256})
      for (const int parts : {0, 2}) {
        Problem problem;
        problem.type = type;
        problem.depth = depth;
        problem.sequences = {{17, 49}, {0, 3}, {2, 33}};
        problem.group = 2;
        problem.parts = parts;
        problem.window_right = 0;
        problem.is_checked = true;
        for (const emulator::RunReport& report : check(kernels, problem, nearness))
          for (const emulator::Finding& finding : report.findings)
            ADD_FAILURE() << problem.text() << ": " << finding.text("attention");
      }
}

// What the kernels cannot do is refused, in a sentence that says what would be right.
TEST(AttentionLaunches, Refusals) {
  const auto refusal = [](auto change) {
    AttentionProblem problem{.q = {128, 0}, .k = {128, 0}, .v = {128, 0}, .o = {128, 0}};
    change(problem);
    const emulator::Argument address = emulator::value(std::uint64_t{0});
    AttentionBuffers buffers{address, address, address, address, address,
                             address, address, address, {},      {}};
    const auto launches = attention_launches(problem, buffers);
    return launches ? std::string("accepted") : launches.error();
  };
  using P = AttentionProblem;
  EXPECT_EQ(refusal([](P&) {}), "accepted");
  EXPECT_EQ(refusal([](P& p) { p.longest_query = 0; }), "accepted");
  EXPECT_EQ(refusal([](P& p) { p.element = NumberType::f32; }),
            "attention of f32: the kernels are for f16 and bf16");
  EXPECT_EQ(refusal([](P& p) { p.depth = 96; }),
            "depth is 96; the kernels are for heads of 64, 128 and 256");
  EXPECT_EQ(refusal([](P& p) { p.group = 0; }), "group is 0; at least 1");
  EXPECT_EQ(refusal([](P& p) { p.kv_heads = 65535, p.group = 1 << 24; }),
            "kv_heads * group is 1099494850560; at most 16777216 heads of Q");
  EXPECT_EQ(refusal([](P& p) { p.parts = -1; }), "parts is -1; 0 for prefill, else at least 1");
  EXPECT_EQ(refusal([](P& p) { p.parts = 2; }),
            "a problem with parts needs both workspaces; attention_workspace says how many bytes");
  EXPECT_EQ(refusal([](P& p) { p.k.row_stride = 100; }),
            "k.row_stride is 100; rows begin at multiples of 8 elements");
  EXPECT_EQ(refusal([](P& p) { p.o.head_stride = -8; }),
            "o.head_stride is -8; at least the depth, 128, or 0 for no gaps");
  EXPECT_EQ(refusal([](P& p) { p.q.row_stride = 64; }),
            "q.row_stride is 64; at least the depth, 128, or 0 for no gaps");
  EXPECT_EQ(refusal([](P& p) { p.v.head_stride = 8; }),
            "v.head_stride is 8; at least the depth, 128, or 0 for no gaps");
  EXPECT_EQ(
      refusal([](P& p) { p.kv_heads = 2, p.group = 2, p.longest_query = 9; }),
      "o.row_stride is 128; the 4 heads of a token overlap those of the next: at least 512, or "
      "an o.head_stride of at least 1152");
  EXPECT_EQ(refusal([](P& p) { p.kv_heads = 2, p.longest_query = 9, p.o.head_stride = 1152; }),
            "accepted");
  EXPECT_EQ(refusal([](P& p) { p.kv_heads = 65535, p.group = 4, p.q = {}; }),
            "q.row_stride is 33553920; 64 rows are less than 2 GiB: fewer than 16777216 elements");
  EXPECT_EQ(
      refusal(
          [](P& p) { p.parts = 65535, p.kv_heads = 65535, p.longest_query = 1 << 24, p.o = {}; }),
      "parts * sequences * kv_heads * longest_query * group is 72055395031449600; at most 2^48 "
      "rows of workspace");
  EXPECT_EQ(refusal([](P& p) { p.scale = -1; }),
            "scale is -1; a number above 0, or 0 for 1 / sqrt(depth)");
  EXPECT_EQ(refusal([](P& p) { p.window_left = -1; }),
            "window_left is -1; 0 or more keys, or kernels::unlimited");
  EXPECT_EQ(refusal([](P& p) { p.sequences = 40000, p.parts = 2; }),
            "sequences * parts is 80000; at most 65535, the grid's z");
}

// 0 is the stride without gaps, as in a GemmProblem.
TEST(AttentionLaunches, NaturalStrides) {
  const emulator::Argument address = emulator::value(std::uint64_t{0});
  const AttentionBuffers buffers{address, address, address, address, address,
                                 address, address, address, address, address};
  for (const int parts : {0, 2}) {
    const AttentionProblem left_out{
        .depth = 64, .kv_heads = 2, .group = 3, .longest_query = 5, .parts = parts};
    AttentionProblem given = left_out;
    given.q = given.o = {6 * 64, 64};
    given.k = given.v = {2 * 64, 64};
    const auto one = attention_launches(left_out, buffers),
               other = attention_launches(given, buffers);
    ASSERT_TRUE(one && other);
    ASSERT_EQ(one->size(), other->size());
    for (std::size_t i = 0; i < one->size(); ++i)
      EXPECT_EQ(std::get<emulator::Value>((*one)[i].arguments.back()),
                std::get<emulator::Value>((*other)[i].arguments.back()));
  }
}

TEST(AttentionLaunches, Workspaces) {
  const auto bytes = attention_workspace({.longest_query = 17, .parts = 3});
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(bytes->o, 3u * 32 * 128 * 4);
  EXPECT_EQ(bytes->softmax, 3u * 32 * 2 * 4);
  EXPECT_EQ(attention_workspace({}).value().o, 0u);
  EXPECT_EQ(attention_workspace({.parts = -1}).error(),
            "parts is -1; 0 for prefill, else at least 1");
}

// Every buffer whose size follows from the problem, one byte too short; and none is.
TEST(AttentionLaunches, BuffersThatEndTooEarly) {
  const AttentionProblem problem{.kv_heads = 2, .sequences = 3, .longest_query = 4, .parts = 2};
  const AttentionWorkspaceBytes workspace = attention_workspace(problem).value();
  const std::array<std::pair<const char*, std::size_t>, 8> sizes{{
      {"q", 4 * 2 * 128 * 2},
      {"o", 4 * 2 * 128 * 2},
      {"query_start", 12},
      {"query_length", 12},
      {"key_start", 12},
      {"key_length", 12},
      {"workspace_o", workspace.o},
      {"workspace_softmax", workspace.softmax},
  }};
  for (std::size_t shorter = 0; shorter <= sizes.size(); ++shorter) {
    std::vector<std::vector<std::byte>> bytes;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      bytes.emplace_back(sizes[i].second - (i == shorter));
    const auto of = [&](std::size_t i) -> emulator::Argument {
      return emulator::buffer(std::span(bytes[i]), sizes[i].first);
    };
    const emulator::Argument address = emulator::value(std::uint64_t{0});
    const auto launches = attention_launches(
        problem, {of(0), address, address, of(1), of(2), of(3), of(4), of(5), of(6), of(7)});
    const bool is_short = shorter < sizes.size();
    EXPECT_EQ(launches.has_value(), !is_short) << shorter;
    if (is_short && !launches) {
      const auto size = sizes[shorter].second;
      EXPECT_EQ(launches.error(), "the buffer of " + std::string(sizes[shorter].first) + " is " +
                                      std::to_string(size - 1) + "; its elements need " +
                                      std::to_string(size) + " bytes");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, AttentionSweep, ::testing::ValuesIn(emulator::testing::targets()),
                         [](const auto& info) { return info.param; });

}  // namespace attention_test
}  // namespace heddle::kernels
