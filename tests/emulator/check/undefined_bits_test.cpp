// Which bits of a result an undefined bit of a source reaches, as the rows of the opcode table say
// it. The witness is the instruction itself: it runs twice on sources that differ only in bits that
// are undefined, and the results may differ only in bits that the row calls undefined.
#include "emulator/machine/undefined_bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>

#include "emulator/decode/opcode_table.h"
#include "emulator/machine/wavefront.h"
#include "tests/emulator/kernels.h"
#include "tests/emulator/opcode_space.h"

namespace heddle::emulator::testing {
namespace undefined_bits_test {

constexpr unsigned lanes = 32;

bool is_of_vectors(const Row& row) {
  return row.form == Form::vector || row.form == Form::vector_accumulate;
}

int source_count(const Row& row) {
  int count = 0;
  while (count < 3 && row.sources[count] != Type::none) ++count;
  return count;
}

uint64_t bits_of(Type type) {
  return type == Type::mask     ? 1
         : is_half(type)        ? 0xffff
         : is_double_word(type) ? ~uint64_t{0}
                                : 0xffffffff;
}

/// Runs one row on values of its sources, a lane each; of a scalar instruction on those of lane 0.
class Machine {
 public:
  using Values = std::array<std::array<uint64_t, lanes>, 3>;

  Machine() : wave_(std::make_unique<Wavefront>()) { wave_->scalar[register_exec] = 0xffffffffu; }

  /// The results; `table`: of an instruction that carries a truth table.
  std::array<uint64_t, lanes> run(const Row& row, const Values& values, uint32_t table) {
    Instruction in;
    in.offset = static_cast<int32_t>(table);
    for (int i = 0; i < source_count(row); ++i) {
      const bool in_vgpr = is_of_vectors(row) && row.sources[i] != Type::mask;
      in.source[i].kind = in_vgpr ? SourceKind::vgpr : SourceKind::scalar;
      in.source[i].index = static_cast<uint16_t>(2 * i);
      put(row, i, values[static_cast<std::size_t>(i)], in_vgpr);
    }
    in.destination = 8;
    if (row.form == Form::vector_accumulate) in.destination = 4;
    in.destination2 = 20;
    EXPECT_EQ(row.plain(*wave_, &in), &in + 1) << row.name;
    std::array<uint64_t, lanes> results{};
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned at = in.destination;
      uint64_t bits = is_of_vectors(row) ? wave_->vgpr[at][lane] : wave_->scalar[at];
      if (is_double_word(row.destination))
        bits |= uint64_t{is_of_vectors(row) ? wave_->vgpr[at + 1][lane] : wave_->scalar[at + 1]}
                << 32;
      results[lane] = bits & bits_of(row.destination);
    }
    return results;
  }

 private:
  void put(const Row& row, int source, const std::array<uint64_t, lanes>& values, bool in_vgpr) {
    const auto at = static_cast<unsigned>(2 * source);
    if (row.sources[source] == Type::mask) {
      wave_->scalar[at] = 0;
      for (unsigned lane = 0; lane < lanes; ++lane)
        wave_->scalar[at] |= static_cast<uint32_t>(values[lane] & 1) << lane;
      return;
    }
    for (unsigned lane = 0; lane < (in_vgpr ? lanes : 1); ++lane)
      for (unsigned word = 0; word < 2; ++word)
        (in_vgpr ? wave_->vgpr[at + word][lane] : wave_->scalar[at + word]) =
            static_cast<uint32_t>(values[lane] >> 32 * word);
  }

  std::unique_ptr<Wavefront> wave_;
};

/// Every row of a target that `chosen` takes, by name.
template <class Chosen>
std::map<std::string, const Row*> rows(const Target& target, int wave, Chosen chosen) {
  std::map<std::string, const Row*> result;
  for (const EncodedInstruction& instruction : opcode_space(target, wave))
    if (const Row* row = find_row(instruction.mnemonic, target, wave); row && chosen(*row))
      result.emplace(row->name, row);
  return result;
}

uint64_t wide(Random& random) { return uint64_t{random.bits()} << 32 | random.bits(); }

/// Numbers of all sizes: small ones count as shifts, selectors and widths.
uint64_t value(Random& random) {
  const unsigned kept = random.bits() % 3;
  return kept == 0 ? random.bits() % 64 : kept == 1 ? wide(random) : wide(random) & wide(random);
}

uint64_t some_bits(Random& random) {
  switch (random.bits() % 4) {
    case 0:
      return 0;
    case 1:
      return uint64_t{1} << random.bits() % 64;
    case 2:
      return uint64_t{1} << random.bits() % 32;
    default:
      return wide(random) & wide(random);
  }
}

class UndefinedBits : public ::testing::TestWithParam<std::string> {};

TEST_P(UndefinedBits, ReachNoOthersThanTheRowSays) {
  const Target& target = *find_target(GetParam());
  const int wave = is_cdna(target.family) ? 64 : 32;
  const auto all = rows(target, wave, [](const Row& row) { return row.undefined != nullptr; });
  EXPECT_GT(all.size(), 80u);
  Machine machine;
  for (const auto& [name, row] : all) {
    Random random(7);
    const int count = source_count(*row);
    bool keeps_some = false;
    for (int trial = 0; trial < (is_of_vectors(*row) ? 60 : 1500); ++trial) {
      const uint32_t table = random.bits() & 255;
      Machine::Values first{}, second{}, undefined{};
      for (std::size_t i = 0; i < 3; ++i)
        for (unsigned lane = 0; lane < lanes; ++lane) {
          const uint64_t bits = static_cast<int>(i) < count ? bits_of(row->sources[i]) : 0;
          first[i][lane] = value(random) & bits;
          undefined[i][lane] = some_bits(random) & bits;
          second[i][lane] = first[i][lane] ^ (wide(random) & undefined[i][lane]);
        }
      const auto one = machine.run(*row, first, table), other = machine.run(*row, second, table);
      for (unsigned lane = 0; lane < (is_of_vectors(*row) ? lanes : 1); ++lane) {
        uint64_t v[4], u[4] = {};
        for (std::size_t i = 0; i < 3; ++i) v[i] = first[i][lane], u[i] = undefined[i][lane];
        v[3] = table;
        const uint64_t said = row->undefined(v, u) & bits_of(row->destination);
        const uint64_t missed = (one[lane] ^ other[lane]) & ~said;
        ASSERT_EQ(missed, 0u) << std::hex << name << " of " << v[0] << ", " << v[1] << ", " << v[2]
                              << " with undefined " << u[0] << ", " << u[1] << ", " << u[2]
                              << ": the row says " << said;
        keeps_some |= (u[0] | u[1] | u[2]) != 0 && said != bits_of(row->destination);
      }
    }
    EXPECT_TRUE(keeps_some) << name
                            << ": its function says nothing that a row without one does not";
  }
}

/// Whether a bit of some source never reaches more than one bit of the result.
bool moves_bits(Machine& machine, const Row& row) {
  Random random(11);
  const int count = source_count(row);
  for (int source = 0; source < count; ++source) {
    bool moves = true, reaches = false;
    for (int trial = 0; moves && trial < (is_of_vectors(row) ? 100 : 2000); ++trial) {
      Machine::Values first{};
      for (std::size_t i = 0; i < 3; ++i)
        for (unsigned lane = 0; lane < lanes; ++lane)
          first[i][lane] =
              static_cast<int>(i) < count ? value(random) & bits_of(row.sources[i]) : 0;
      Machine::Values second = first;
      for (uint64_t& bits : second[static_cast<std::size_t>(source)])
        bits ^= uint64_t{1} << random.bits() % 64 & bits_of(row.sources[source]);
      const auto one = machine.run(row, first, 0x6a), other = machine.run(row, second, 0x6a);
      for (unsigned lane = 0; lane < (is_of_vectors(row) ? lanes : 1); ++lane) {
        moves &= std::popcount(one[lane] ^ other[lane]) <= 1;
        reaches |= one[lane] != other[lane];
      }
    }
    if (moves && reaches) return true;
  }
  return false;
}

TEST_P(UndefinedBits, AreFollowedThroughWhatOnlyMovesThem) {
  const Target& target = *find_target(GetParam());
  const int wave = is_cdna(target.family) ? 64 : 32;
  const auto all = rows(target, wave, [](const Row& row) {
    return row.undefined == nullptr && row.role == Role::ordinary && !row.reads_destination &&
           row.decides_exec == 0 && row.plain && row.destination != Type::wide &&
           !is_float(row.destination) && (is_of_vectors(row) || row.form == Form::scalar) &&
           source_count(row) > 0;
  });
  EXPECT_GT(all.size(), 80u);
  Machine machine;
  for (const auto& [name, row] : all)
    EXPECT_FALSE(moves_bits(machine, *row)) << name << " needs a function of undefined bits";
}

INSTANTIATE_TEST_SUITE_P(Targets, UndefinedBits,
                         ::testing::Values("gfx1151", "gfx1201", "gfx1250", "gfx90a", "gfx942",
                                           "gfx950"),
                         [](const auto& info) { return info.param; });

}  // namespace undefined_bits_test
}  // namespace heddle::emulator::testing
