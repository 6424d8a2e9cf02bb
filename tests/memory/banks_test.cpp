// The bank model against its witness (tests/data/lds_banks.json, latencies measured on AMD GPUs)
// and against a second, slower way of counting.
#include "heddle/memory/banks.h"

#include <gtest/gtest.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace heddle::memory {
namespace {

using instruction::Target;
using Addresses = std::array<std::uint32_t, 32>;

const llvm::json::Object& witness() {
  static const llvm::json::Value value = [] {
    auto file = llvm::MemoryBuffer::getFile(HEDDLE_TEST_DATA "/lds_banks.json");
    EXPECT_TRUE(static_cast<bool>(file));
    return llvm::cantFail(llvm::json::parse((*file)->getBuffer()));
  }();
  return *value.getAsObject();
}

const llvm::json::Object& witness(Target target) {
  return *witness().getObject(llvm::StringRef(instruction::name(target)));
}

constexpr std::array widths{4, 8, 16};
constexpr std::array measured_targets{Target::gfx1100, Target::gfx1201};

std::string width_key(int bytes) { return "b" + std::to_string(8 * bytes); }

/// The golden file writes a phase as a flat list of inclusive ranges: first, last, first, last …
std::uint32_t lanes_of(const llvm::json::Array& ranges) {
  std::uint32_t lanes = 0;
  for (std::size_t i = 0; i < ranges.size(); i += 2)
    for (std::int64_t l = *ranges[i].getAsInteger(); l <= *ranges[i + 1].getAsInteger(); ++l)
      lanes |= 1u << l;
  return lanes;
}

TEST(Banks, PhasesAreTheMeasuredOnes) {
  for (Target target : measured_targets)
    for (int bytes : widths) {
      const Phases& phases = bank_model(target).phases(bytes);
      const llvm::json::Array& golden =
          *witness(target).getObject("phases")->getArray(width_key(bytes));
      ASSERT_EQ(phases.count, static_cast<int>(golden.size())) << width_key(bytes);
      EXPECT_EQ(phases.evidence, Evidence::measured);
      for (std::size_t i = 0; i < golden.size(); ++i)
        EXPECT_EQ(phases.lanes[i], lanes_of(*golden[i].getAsArray()))
            << instruction::name(target) << " " << width_key(bytes) << " phase " << i;
    }
}

TEST(Banks, OtherProcessorsAreMarkedAssumed) {
  EXPECT_EQ(bank_model(Target::gfx1151).phases(16).evidence, Evidence::assumed);
  EXPECT_EQ(bank_model(Target::gfx1151).phases(16).lanes,
            bank_model(Target::gfx1100).phases(16).lanes);
}

TEST(Banks, PhasesShareOutTheWave) {
  for (const instruction::TargetRow& row : instruction::target_rows)
    for (int bytes : widths) {
      const Phases& phases = bank_model(row.target).phases(bytes);
      std::uint32_t seen = 0;
      for (int i = 0; i < phases.count; ++i) {
        const std::uint32_t lanes = phases.lanes[static_cast<std::size_t>(i)];
        EXPECT_EQ(seen & lanes, 0u);
        seen |= lanes;
      }
      EXPECT_EQ(seen, 0xffffffffu) << row.name << " " << bytes;
    }
}

/// Lane l reads at l * stride: the access whose latency was measured.
int strided_extra_passes(Target target, int bytes, int stride) {
  Addresses address{};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    address[lane] = lane * static_cast<std::uint32_t>(stride);
  return extra_passes(bank_model(target), bytes, address);
}

// More extra passes must never have been faster: a ranking by the model and a ranking by the clock
// agree wherever the model says that two strides differ. Equal predictions may differ by noise.
TEST(Banks, MeasuredLatencyRisesWithPredictedPasses) {
  int compared = 0;
  for (Target target : measured_targets) {
    const llvm::json::Object* latencies =
        witness(target).getObject("latency_ticks_by_stride_bytes");
    if (!latencies) latencies = witness(target).getObject("latency_cycles_by_stride_bytes");
    ASSERT_NE(latencies, nullptr);
    for (int bytes : widths) {
      const llvm::json::Object& by_stride = *latencies->getObject(width_key(bytes));
      for (const auto& [stride_a, latency_a] : by_stride)
        for (const auto& [stride_b, latency_b] : by_stride) {
          const int a = strided_extra_passes(target, bytes, std::stoi(stride_a.str()));
          const int b = strided_extra_passes(target, bytes, std::stoi(stride_b.str()));
          if (a >= b) continue;
          ++compared;
          EXPECT_LT(*latency_a.getAsNumber(), *latency_b.getAsNumber())
              << instruction::name(target) << " " << width_key(bytes) << " stride "
              << stride_a.str() << " (" << a << " extra) against " << stride_b.str() << " (" << b
              << ")";
        }
    }
  }
  EXPECT_GT(compared, 50);
}

/// Counts again, from bytes: pass after pass, every bank hands out one of the words still wanted.
int extra_passes_by_serving(const BankModel& model, int bytes, const Addresses& address,
                            std::uint32_t active) {
  int extra = 0;
  const Phases& phases = model.phases(bytes);
  for (int i = 0; i < phases.count; ++i) {
    std::set<std::uint32_t> wanted;
    for (int lane = 0; lane < 32; ++lane)
      if ((phases.lanes[static_cast<std::size_t>(i)] & active) >> lane & 1u)
        for (int byte = 0; byte < bytes; ++byte)
          wanted.insert(
              (address[static_cast<std::size_t>(lane)] + static_cast<std::uint32_t>(byte)) / 4);
    for (int pass = 0; !wanted.empty(); ++pass) {
      std::set<std::uint32_t> busy;
      std::erase_if(wanted, [&](std::uint32_t word) { return busy.insert(word % 32).second; });
      extra += pass > 0;
    }
  }
  return extra;
}

RC_GTEST_PROP(Banks, CostEqualsServingWordByWord, ()) {
  const int bytes = *rc::gen::element(1, 2, 4, 8, 16);
  const auto units = *rc::gen::container<Addresses>(rc::gen::inRange<std::uint32_t>(0, 256));
  Addresses address{};
  for (std::size_t lane = 0; lane < 32; ++lane)
    address[lane] = units[lane] * static_cast<std::uint32_t>(bytes);
  const auto active = *rc::gen::arbitrary<std::uint32_t>();
  const BankModel model = bank_model(*rc::gen::element(Target::gfx1151, Target::gfx1201));
  RC_ASSERT(extra_passes(model, bytes, address, active) ==
            extra_passes_by_serving(model, bytes, address, active));
}

constexpr Addresses rows_of(std::uint32_t pitch) {
  Addresses address{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) address[lane] = lane % 16 * pitch;
  return address;
}

// The worked example of the header, and the swizzle that the seed's XOR leaves in conflict.
static_assert(extra_passes(bank_model(Target::gfx1151), 16, rows_of(64)) == 12);
static_assert(extra_passes(bank_model(Target::gfx1151), 16, rows_of(80)) == 0);

constexpr Addresses swizzled_rows(std::uint32_t shift) {
  Addresses address{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t row = lane % 16;
    address[lane] = row * 32 + (row >> shift & 1) * 16;
  }
  return address;
}
static_assert(extra_passes(bank_model(Target::gfx1151), 16, swizzled_rows(0)) > 0);
static_assert(extra_passes(bank_model(Target::gfx1151), 16, swizzled_rows(2)) == 0);
static_assert(extra_passes(bank_model(Target::gfx1151), 16, rows_of(48)) == 0);

}  // namespace
}  // namespace heddle::memory
