// The banks and phases of every processor, against the measurements they are from
// (tests/data/lds_banks.json and lds_conflicts_gfx950.json.gz).
#include "heddle/memory/bank_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "heddle/memory/banks.h"
#include "tests/data/golden.h"

namespace heddle::memory {
namespace bank_model_test {

using instruction::Target;

const llvm::json::Object& witness(Target target) {
  static const llvm::json::Value value = test::read_golden("lds_banks.json");
  return *value.getAsObject()->getObject(llvm::StringRef(instruction::name(target)));
}

constexpr std::array widths{4, 8, 16};
constexpr std::array measured_targets{Target::gfx1100, Target::gfx1201, Target::gfx942,
                                      Target::gfx950, Target::sm_90};

std::string width_key(int bytes) { return "b" + std::to_string(8 * bytes); }

/// The golden file writes a phase as a flat list of inclusive ranges: first, last, first, last …
std::uint64_t lanes_of(const llvm::json::Array& ranges) {
  std::uint64_t lanes = 0;
  for (std::size_t i = 0; i < ranges.size(); i += 2)
    for (std::int64_t l = *ranges[i].getAsInteger(); l <= *ranges[i + 1].getAsInteger(); ++l)
      lanes |= std::uint64_t{1} << l;
  return lanes;
}

TEST(BankModel, BanksAndPhasesAreTheMeasuredOnes) {
  for (const Target target : measured_targets) {
    const BankModel model = bank_model(target);
    EXPECT_EQ(model.banks(), *witness(target).getInteger("banks")) << model.name;
    for (const int bytes : widths) {
      const Phases& phases = model.phases(AccessKind::load, bytes);
      EXPECT_EQ(phases.banks, model.banks());
      const llvm::json::Array& golden =
          *witness(target).getObject("phases")->getArray(width_key(bytes));
      ASSERT_EQ(phases.count, static_cast<int>(golden.size())) << width_key(bytes);
      EXPECT_EQ(model.evidence(AccessKind::load, bytes), Evidence::measured);
      for (std::size_t i = 0; i < golden.size(); ++i)
        EXPECT_EQ(phases.lanes[i], lanes_of(*golden[i].getAsArray()))
            << model.name << " " << width_key(bytes) << " phase " << i;
    }
  }
}

/// Calls see(model) for every processor and wave.
void for_every_model(const auto& see) {
  int seen = 0;
  for (const instruction::ProcessorRow& row : instruction::processor_rows)
    for (const int wave : {32, 64}) {
      if (!has_wave(row.target, wave)) continue;
      see(bank_model(row.target, wave), row);
      ++seen;
    }
  EXPECT_EQ(seen, 30 + 11);
}

TEST(BankModel, PhasesShareOutTheWave) {
  for_every_model([](const BankModel& model, const auto&) {
    for (const AccessKind kind : {AccessKind::load, AccessKind::store})
      for (const int bytes : {4, 8, 12, 16}) {
        const Phases& phases = model.phases(kind, bytes);
        std::uint64_t seen = 0;
        for (int i = 0; i < phases.count; ++i) {
          const std::uint64_t lanes = phases.lanes[static_cast<std::size_t>(i)];
          EXPECT_EQ(seen & lanes, 0u);
          EXPECT_EQ(std::popcount(lanes) * phases.count, model.wave);
          seen |= lanes;
        }
        EXPECT_EQ(seen, model.wave == 64 ? ~std::uint64_t{0} : 0xffffffffu) << model.name;
      }
  });
}

// A phase is as many lanes as the banks can serve at once.
TEST(BankModel, APhaseOfAlignedLanesFillsTheBanks) {
  for_every_model([](const BankModel& model, const instruction::ProcessorRow& row) {
    if (model.name == "gfx1250")  // half of what 64 banks can
      EXPECT_EQ(model.phases(AccessKind::load, 4).count, 1);
    for (const AccessKind kind : {AccessKind::load, AccessKind::store})
      for (const int bytes : widths) {
        const Phases& phases = model.phases(kind, bytes);
        const int lanes = std::popcount(phases.lanes[0]);
        const int room = phases.banks * model.bank_bytes;
        EXPECT_EQ(lanes * bytes, std::min(room, model.wave * bytes))
            << instruction::name(row.target) << " " << bytes;
      }
  });
}

TEST(BankModel, SaysWhatIsMeasuredAndWhatIsNot) {
  constexpr auto load = AccessKind::load, store = AccessKind::store;
  const auto of = [](Target target, AccessKind kind, int bytes, int wave = 0) {
    return bank_model(target, wave == 0 ? instruction::default_wave(target) : wave)
        .evidence(kind, bytes);
  };
  EXPECT_EQ(of(Target::gfx1100, load, 16), Evidence::measured);
  EXPECT_EQ(of(Target::gfx1100, store, 16), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx1100, load, 2), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx1100, load, 12), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx1100, load, 16, 64), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx1151, load, 16), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx90a, load, 8), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx942, load, 12), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx950, load, 12), Evidence::measured);
  EXPECT_EQ(of(Target::gfx950, store, 8), Evidence::measured);
  EXPECT_EQ(of(Target::gfx950, store, 4), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx950, store, 16), Evidence::assumed);
  EXPECT_EQ(of(Target::gfx950, load, 2), Evidence::assumed);
  EXPECT_EQ(of(Target::sm_90, load, 12), Evidence::measured);
  EXPECT_EQ(of(Target::gfx1250, load, 4), Evidence::assumed);
  for (const AccessKind kind : {load, store, AccessKind::matrix_load, AccessKind::matrix_store})
    for (const Target target : {Target::sm_90, Target::sm_90a})
      EXPECT_EQ(of(target, kind, 16), Evidence::measured);
  EXPECT_EQ(of(Target::sm_90, store, 1), Evidence::measured);
  EXPECT_EQ(of(Target::sm_80, store, 4), Evidence::documented);
  EXPECT_EQ(of(Target::sm_80, load, 16), Evidence::assumed);
  EXPECT_EQ(of(Target::sm_100, AccessKind::matrix_load, 16), Evidence::assumed);
}

TEST(BankModel, OthersOfAFamilyHaveThePhasesOfTheMeasuredOne) {
  for (const int bytes : widths) {
    const auto lanes_of_loads = [&](Target target) {
      return bank_model(target).phases(AccessKind::load, bytes).lanes;
    };
    EXPECT_EQ(lanes_of_loads(Target::gfx1151), lanes_of_loads(Target::gfx1100));
    EXPECT_EQ(lanes_of_loads(Target::gfx908), lanes_of_loads(Target::gfx942));
    EXPECT_EQ(lanes_of_loads(Target::sm_121), lanes_of_loads(Target::sm_90));
  }
}

TEST(BankModel, MatrixMovesExistFromSm75On) {
  EXPECT_FALSE(bank_model(Target::sm_72).has_matrix_moves);
  EXPECT_TRUE(bank_model(Target::sm_75).has_matrix_moves);
  EXPECT_FALSE(bank_model(Target::sm_89).has_matrix_stores);
  EXPECT_TRUE(bank_model(Target::sm_90).has_matrix_stores);
  EXPECT_FALSE(bank_model(Target::gfx942).has_matrix_moves);
}

/// Lane l reads at l * stride: the access whose latency was measured.
int strided_extra_passes(const BankModel& model, int bytes, int stride) {
  std::vector<std::uint32_t> address;
  for (int lane = 0; lane < model.wave; ++lane)
    address.push_back(static_cast<std::uint32_t>(lane * stride));
  return extra_passes(model, {.bytes = bytes, .address = address});
}

// More extra passes must never have been faster: a ranking by the model and a ranking by the clock
// agree wherever the model says that two strides differ. Equal predictions may differ by noise.
TEST(BankModel, MeasuredLatencyRisesWithPredictedPasses) {
  int compared = 0;
  for (const Target target : {Target::gfx1100, Target::gfx1201, Target::gfx950}) {
    const BankModel model = bank_model(target);
    const llvm::json::Object* latencies =
        witness(target).getObject("latency_ticks_by_stride_bytes");
    if (!latencies) latencies = witness(target).getObject("latency_cycles_by_stride_bytes");
    ASSERT_NE(latencies, nullptr);
    for (const int bytes : widths) {
      const llvm::json::Object* by_stride = latencies->getObject(width_key(bytes));
      if (!by_stride) continue;
      for (const auto& [stride_a, latency_a] : *by_stride)
        for (const auto& [stride_b, latency_b] : *by_stride) {
          const int a = strided_extra_passes(model, bytes, std::stoi(stride_a.str()));
          const int b = strided_extra_passes(model, bytes, std::stoi(stride_b.str()));
          if (a >= b) continue;
          ++compared;
          EXPECT_LT(*latency_a.getAsNumber(), *latency_b.getAsNumber())
              << model.name << " " << width_key(bytes) << " stride " << stride_a.str() << " (" << a
              << " extra) against " << stride_b.str() << " (" << b << ")";
        }
    }
  }
  EXPECT_GT(compared, 70);
}

/// An access of a gfx950 by a few lanes, as the counters of lds_conflicts_gfx950.json.gz saw it.
struct CountedAccess {
  CountedAccess(const llvm::json::Object& instruction)
      : kind(*instruction.getString("kind") == "load" ? AccessKind::load : AccessKind::store),
        bytes(static_cast<int>(*instruction.getInteger("bytes"))) {}

  /// What the counter says by the model: it counts no conflicts of an access that is not aligned.
  int conflicts(const std::map<int, std::uint32_t>& byte_of_lane) const {
    const std::uint32_t alignment = std::bit_ceil(static_cast<std::uint32_t>(bytes));
    std::vector<std::uint32_t> address(64);
    std::uint64_t active = 0;
    for (const auto& [lane, byte] : byte_of_lane) {
      if (byte % alignment != 0) return 0;
      address[static_cast<std::size_t>(lane)] = byte;
      active |= std::uint64_t{1} << lane;
    }
    return extra_passes(bank_model(Target::gfx950),
                        {.kind = kind, .bytes = bytes, .active = active, .address = address});
  }

  AccessKind kind;
  int bytes;
};

TEST(BankModel, Gfx950GivesEveryConflictThatItsCounterCounted) {
  const llvm::json::Value value = test::read_golden("lds_conflicts_gfx950.json.gz");
  int pairs = 0, wraps = 0, counted = 0;
  for (const auto& [name, of_name] : *value.getAsObject()->getObject("instructions")) {
    const llvm::json::Object& instruction = *of_name.getAsObject();
    const CountedAccess access(instruction);
    const std::string what = name.str();
    const llvm::json::Array& masks = *instruction.getArray("pairs");
    ASSERT_EQ(masks.size(), 64u);
    for (int i = 0; i < 64; ++i) {
      const std::string mask = masks[static_cast<std::size_t>(i)].getAsString()->str();
      const std::uint64_t together = std::stoull(mask, nullptr, 16);
      for (int j = i + 1; j < 64; ++j, ++pairs)
        EXPECT_EQ(access.conflicts({{i, 256 * i}, {j, 256 * j}}), together >> j & 1)
            << what << " lanes " << i << " and " << j;
    }
    const llvm::json::Object& wrap = *instruction.getObject("wrap");
    const std::vector<int> words = test::numbers(*wrap.getArray("words"));
    const std::vector<int> conflicts = test::numbers(*wrap.getArray("conflicts"));
    for (int word = words[0]; word <= words[1]; ++word, ++wraps)
      EXPECT_EQ(access.conflicts({{0, 0}, {1, 4 * word}}), std::ranges::count(conflicts, word))
          << what << " word " << word;
    for (const llvm::json::Value& run : *instruction.getArray("counted")) {
      const std::vector<int> lanes = test::numbers(*run.getAsObject()->getArray("lane"));
      const std::vector<int> bytes = test::numbers(*run.getAsObject()->getArray("byte"));
      std::map<int, std::uint32_t> places;
      for (std::size_t i = 0; i < lanes.size(); ++i)
        places[lanes[i]] = static_cast<std::uint32_t>(bytes[i]);
      EXPECT_EQ(access.conflicts(places), *run.getAsObject()->getInteger("conflicts")) << what;
      ++counted;
    }
  }
  EXPECT_EQ(pairs, 4 * 2016);
  EXPECT_EQ(wraps, 126 + 125 + 124 + 126);
  EXPECT_EQ(counted, 9);
}

}  // namespace bank_model_test
}  // namespace heddle::memory
