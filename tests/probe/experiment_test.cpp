// The experiments against a stand-in for a GPU that multiplies by maps of the test's choosing: they
// find the maps it has, whichever those are.
#include "probe/experiment.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "heddle/instruction/catalogue.h"

namespace heddle::probe {
namespace experiment_test {

using instruction::ElementType;
using instruction::Instruction;
using instruction::Operand;
using instruction::Target;

double decoded(ElementType type, std::uint64_t bits) {
  switch (type) {
    case ElementType::f64:
      return std::bit_cast<double>(bits);
    case ElementType::f32:
    case ElementType::xf32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ElementType::f16:
      return static_cast<double>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
    case ElementType::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    case ElementType::fp8:
      return bits == 0 ? 0 : std::ldexp(1 + static_cast<double>(bits & 7) / 8, int(bits >> 3) - 7);
    case ElementType::bf8:
      return bits == 0 ? 0 : std::ldexp(1 + static_cast<double>(bits & 3) / 4, int(bits >> 2) - 15);
    default:
      return static_cast<double>(bits);
  }
}

std::uint64_t encoded(ElementType type, double value) {
  switch (type) {
    case ElementType::f64:
      return std::bit_cast<std::uint64_t>(value);
    case ElementType::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ElementType::f16:
      return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    default:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  }
}

/// Multiplies as `row` says, whatever the kernel's text.
class StandIn final : public Device {
 public:
  explicit StandIn(const Instruction& row)
      : row_(row), as_(held(Operand::a)), bs_(held(Operand::b)), ds_(held(Operand::d)) {
    if (row_.is_sparse()) index_ = index_places(row_);
  }
  std::string name() const override { return "stand-in"; }
  std::string driver() const override { return "none"; }
  std::string processor() const override { return "sm_90"; }

  std::expected<Words, std::string> run(const Launch& launch) override {
    Words out(launch.out_words);
    for (int y = 0; y < launch.grid_y; ++y)
      for (int x = 0; x < launch.grid_x; ++x) {
        const auto entry = [&](const Words& table, std::uint64_t by_x, std::uint64_t by_y) {
          return table.data() +
                 (by_x * static_cast<std::uint64_t>(x) + by_y * static_cast<std::uint64_t>(y)) / 4;
        };
        const KernelParameters& p = launch.parameters;
        multiply(entry(launch.a, p.a_by_x, p.a_by_y), entry(launch.b, p.b_by_x, p.b_by_y),
                 row_.is_sparse() ? entry(launch.index, p.index_by_x, p.index_by_y) : nullptr,
                 out.data() + p.out_entry / 4 * static_cast<std::uint64_t>(y * launch.grid_x + x));
      }
    return out;
  }

 private:
  using Matrix = std::map<std::pair<int, int>, double>;

  static std::uint64_t read(const std::uint32_t* entry, const Place& at) {
    std::uint64_t value = entry[at.word];
    if (at.bits == 64) return value | static_cast<std::uint64_t>(entry[at.upper_word]) << 32;
    return value >> at.bit & ((std::uint64_t{1} << at.bits) - 1);
  }

  void multiply(const std::uint32_t* a_entry, const std::uint32_t* b_entry,
                const std::uint32_t* index, std::uint32_t* d_entry) const {
    Matrix a, d;
    std::map<std::pair<int, int>, int> kept;  // of a sparse A: (m, group) -> the 4 bits
    int group = 1;
    if (index != nullptr) {
      group = instruction::k_per_group(row_, instruction::isa_fragment(row_, Operand::index));
      for (const IndexPlace& at : index_)
        if (at.selector == 0) kept[{at.row, at.group}] = static_cast<int>(read(index, at.place));
    }
    for (const auto& [place, element] : as_) {
      Element at = element;
      if (group > 1) {
        const int s = at.second % group;  // 0 or 1 of the kept
        const int bits = kept.at({at.first, at.second / group});
        at.second = at.second / group * group + (s == 0 ? bits & 3 : bits >> 2);
      }
      const double value = decoded(row_.a_type, read(a_entry, place));
      if (value != 0) a[{at.first, at.second}] += value;
    }
    std::map<int, std::vector<std::pair<int, double>>> rows_of_b;
    for (const auto& [place, at] : bs_) {
      const double value = decoded(row_.b_type, read(b_entry, place));
      if (value != 0) rows_of_b[at.first].push_back({at.second, value});
    }
    for (const auto& [at, value] : a)
      for (const auto& [n, factor] : rows_of_b[at.second]) d[{at.first, n}] += value * factor;
    for (const auto& [place, at] : ds_) {
      if (!d.contains({at.first, at.second})) continue;
      const std::uint64_t bits = encoded(row_.d_type, d[{at.first, at.second}]);
      d_entry[place.word] |= static_cast<std::uint32_t>(bits << place.bit);
      if (place.bits == 64) d_entry[place.upper_word] = static_cast<std::uint32_t>(bits >> 32);
    }
  }

  std::vector<std::pair<Place, Element>> held(Operand operand) const {
    const Positions positions(row_, operand);
    std::vector<std::pair<Place, Element>> all;
    for (int i = 0; i < positions.size(); ++i)
      all.push_back({positions.place(i), positions.element(i).value()});
    return all;
  }

  Instruction row_;
  std::vector<std::pair<Place, Element>> as_, bs_, ds_;
  std::vector<IndexPlace> index_;
};

/// Rows that show all that matters: types, packing, sparse ones.
std::vector<const Instruction*> some_rows() {
  std::vector<const Instruction*> rows;
  for (const char* name :
       {"v_wmma_f32_16x16x16_f16", "v_wmma_f16_16x16x16_f16", "v_wmma_i32_16x16x32_iu4",
        "v_wmma_f32_16x16x16_fp8_bf8", "v_swmmac_f32_16x16x32_bf16", "v_swmmac_i32_16x16x32_iu8"})
    rows.push_back(instruction::find(name, Target::gfx1201));
  return rows;
}

TEST(Experiment, FindsTheMapsOfTheCatalogue) {
  for (const Instruction* row : some_rows()) {
    SCOPED_TRACE(row->name);
    ASSERT_TRUE(can_probe_multiply(*row));
    StandIn device(*row);
    const auto found = probe_multiply(device, trials_of(*row).front());
    ASSERT_TRUE(found.has_value()) << found.error();
    EXPECT_EQ(*found, catalogue_finding(trials_of(*row).front()));
  }
}

// A device whose operands lie elsewhere is found out: the registers of one operand exchanged.
TEST(Experiment, FindsMapsOtherThanTheCatalogues) {
  for (const Instruction* row : some_rows()) {
    SCOPED_TRACE(row->name);
    for (const Operand operand : {Operand::a, Operand::d}) {
      Instruction other = *row;
      instruction::OperandMap& map = operand == Operand::a ? other.a : other.d;
      const layout::LinearLayout right = layout::parse(map.text).value();
      layout::LinearLayout::Bases bases{};
      for (int i = 0; i < right.input_bits(); ++i)
        bases[static_cast<std::size_t>(i)] = right.basis(i);
      // The first bit of the lanes and the last before them.
      const auto lane =
          static_cast<std::size_t>(right.inputs().offset(right.inputs().find("lane")));
      if (lane == 0) continue;
      std::swap(bases[lane], bases[lane - 1]);
      const auto wrong =
          layout::LinearLayout::from_words(right.inputs(), right.outputs(), bases).value();
      const auto text = layout::text(wrong);
      map.text = text.view();
      StandIn device(other);
      const auto found = probe_multiply(device, trials_of(*row).front());
      EXPECT_TRUE(!found.has_value() || *found != catalogue_finding(trials_of(*row).front()));
      if (found) {
        EXPECT_EQ(*found, catalogue_finding(trials_of(other).front()));
      }
    }
  }
}

}  // namespace experiment_test
}  // namespace heddle::probe
