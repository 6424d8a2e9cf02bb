// What IREE, Triton, Composable Kernel, rocjitsu and measurements say of where AMD's instructions
// have their elements, recorded in tests/data/amd_witnesses.json, element by element. They may
// number k as they like: the product stays the same as long as A, B, the index and the scales share
// the numbering.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "tests/data/golden.h"

namespace heddle::instruction {
namespace amd_witnesses_test {

using layout::LinearLayout;
using Json = llvm::json::Object;

constexpr std::array witness_names{
    std::pair{"iree", Witness::iree}, std::pair{"triton", Witness::triton},
    std::pair{"composable_kernel", Witness::composable_kernel},
    std::pair{"rocjitsu", Witness::rocjitsu}, std::pair{"measurement", Witness::measurement}};

Witness witness_named(llvm::StringRef name) {
  for (const auto& [known, witness] : witness_names)
    if (name == known) return witness;
  ADD_FAILURE() << "no witness " << name.str();
  return Witness::llvm;
}

/// An axis of a witness: for each bit of the coordinate, the lane and the slot that it adds.
struct Axis {
  std::string name;
  std::vector<std::array<int, 2>> bits;
};

std::vector<Axis> axes_of(const Json& operand) {
  std::vector<Axis> axes;
  for (const auto& [name, list] : operand) {
    Axis axis{name.str(), {}};
    for (const llvm::json::Value& bit : *list.getAsArray()) {
      const std::vector<int> place = test::numbers(*bit.getAsArray());
      axis.bits.push_back({place[0], place[1]});
    }
    axes.push_back(axis);
  }
  return axes;
}

/// The catalogue's coordinates, by name, of what lies where the witness has an element.
using Element = std::map<std::string, int>;

/// Calls `check(its, ours)` on the coordinates by which the witness and the catalogue call each
/// place.
void for_each_element(const LinearLayout& map, const std::vector<Axis>& axes, auto&& check) {
  int total = 0;
  for (const Axis& axis : axes) total += static_cast<int>(axis.bits.size());
  const int slot_bits = map.inputs().bits_of("element") + map.inputs().bits_of("register");
  for (int number = 0; number >> total == 0; ++number) {
    Element its, ours;
    int lane = 0, slot = 0, rest = number;
    for (const Axis& axis : axes) {
      const int bits = static_cast<int>(axis.bits.size());
      const int coordinate = rest & ((1 << bits) - 1);
      rest >>= bits;
      its[axis.name] = coordinate;
      for (int bit = 0; bit < bits; ++bit) {
        if ((coordinate >> bit & 1) == 0) continue;
        lane += axis.bits[static_cast<std::size_t>(bit)][0];
        slot += axis.bits[static_cast<std::size_t>(bit)][1];
      }
    }
    ASSERT_EQ(slot >> slot_bits, 0) << "a lane has no slot " << slot;
    const auto input = static_cast<std::uint64_t>(lane << slot_bits | slot);
    for (const layout::Coordinate& at : map.outputs().unpack(map.apply(input)))
      ours[std::string(at.axis.text())] = static_cast<int>(at.value);
    check(its, ours);
  }
}

/// The catalogue's number for each k of the witness, by what B holds; nothing if B has no such
/// numbers.
std::optional<std::vector<int>> numbering_of(const Instruction& row, const std::vector<Axis>& b) {
  std::vector<int> numbers(static_cast<std::size_t>(row.k), -1);
  bool consistent = true;
  for_each_element(fragment(row, Operand::b), b, [&](Element its, Element ours) {
    int& number = numbers[static_cast<std::size_t>(its["k"])];
    consistent = consistent && (number == -1 || number == ours["k"]);
    consistent = consistent && its["n"] == ours["n"] && its["block"] == ours["block"];
    number = ours["k"];
  });
  if (!consistent) return std::nullopt;
  return numbers;
}

/// Whether the operand lies as the witness says, its k being numbered so. A group, of `run` k, is
/// the same if all its k are; of a sparse A in the same order too.
bool agrees(const Instruction& row, Operand operand, const std::vector<Axis>& axes,
            const std::vector<int>& numbers) {
  const LinearLayout map = fragment(row, operand);
  const int run = k_per_group(row, map);
  bool same = true;
  for_each_element(map, axes, [&](Element its, Element ours) {
    for (const char* axis : {"m", "n", "block"}) same = same && its[axis] == ours[axis];
    same = same && ours["selector"] == 0;
    if (its.contains("k")) same = same && numbers[static_cast<std::size_t>(its["k"])] == ours["k"];
    for (int i = 0; its.contains("group") && i < run; ++i) {
      const int number = numbers[static_cast<std::size_t>(its["group"] * run + i)];
      same = same && number / run == ours["group"] && (run > 4 || number % run == i);
    }
  });
  return same;
}

/// What an entry says of a row: the operands that lie otherwise. "numbering" if k is numbered
/// otherwise although it should not be.
std::set<std::string> disagreements(const Instruction& row, const Json& entry) {
  const bool multiplies = row.kind == Kind::multiply;  // else there is one k
  const auto numbers = multiplies ? numbering_of(row, axes_of(*entry.getObject("B")))
                                  : std::optional(std::vector<int>{0});
  if (!numbers) return {"B"};
  std::set<std::string> wrong;
  for (int k = 0; k < row.k; ++k)
    if (*entry.getString("numbering") == "same" && (*numbers)[static_cast<std::size_t>(k)] != k)
      wrong.insert("numbering");
  int operands = 0;
  for (const Operand operand : all_operands) {
    const Json* recorded = entry.getObject(std::string(name(operand)));
    if (recorded == nullptr) continue;
    ++operands;
    std::uint64_t elements = 1;
    const std::vector<Axis> axes = axes_of(*recorded);
    for (const Axis& axis : axes) elements <<= axis.bits.size();
    const LinearLayout map = fragment(row, operand);
    EXPECT_EQ(elements * (map.outputs().contains("selector") ? map.output_size("selector") : 1),
              std::uint64_t{1} << map.output_bits())
        << "not all of " << name(operand);
    if (!agrees(row, operand, axes, *numbers)) wrong.insert(std::string(name(operand)));
  }
  EXPECT_GE(operands, multiplies ? 3 : 2) << "A, B and D at least, of loads D and the address";
  return wrong;
}

int format_named(const Instruction& row, llvm::StringRef type) {
  for (std::size_t i = 0; i < row.formats.size(); ++i)
    if (name(row.formats[i].type) == std::string_view(type)) return static_cast<int>(i);
  ADD_FAILURE() << row.name << " has no format " << type.str();
  return 0;
}

/// The row with each pair of formats that the entry is about.
std::vector<Instruction> chosen_rows(const Instruction& row, const Json& entry) {
  std::vector<Instruction> chosen;
  if (const llvm::json::Array* formats = entry.getArray("formats"))
    for (const llvm::json::Value& type : *formats) {
      const int format = format_named(row, *type.getAsString());
      chosen.push_back(*with_formats(row, format, format));
    }
  if (const llvm::json::Array* pair = entry.getArray("pair"))
    chosen.push_back(*with_formats(row, format_named(row, *(*pair)[0].getAsString()),
                                   format_named(row, *(*pair)[1].getAsString())));
  if (chosen.empty()) chosen.push_back(row);
  return chosen;
}

/// Calls `check(witness, row, the row with its formats, wrong)` on all that is recorded.
void for_each_record(auto&& check) {
  const llvm::json::Value golden = test::read_golden("amd_witnesses.json");
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray("fragments")) {
    const Json& entry = *value.getAsObject();
    const Witness witness = witness_named(*entry.getString("witness"));
    const std::string family = entry.getString("family")->str();
    for (const llvm::json::Value& instruction : *entry.getArray("names")) {
      const std::string name = instruction.getAsString()->str();
      SCOPED_TRACE(entry.getString("witness")->str() + " " + family + " " + name);
      const Instruction* row = nullptr;
      for (const ProcessorRow& processor : processor_rows)
        if (instruction::name(processor.family) == family)
          row = find(name, processor.target, static_cast<int>(*entry.getInteger("wave")));
      ASSERT_NE(row, nullptr);
      for (const Instruction& chosen : chosen_rows(*row, entry))
        check(witness, *row, chosen, disagreements(chosen, entry));
    }
  }
}

/// What a witness says of a row: of formats of which widths, and whether all of it is so.
struct Testimony {
  std::set<int> widths;
  bool agrees = true;
};

bool confirms(const Testimony& testimony, const Instruction& row) {
  for (const FormatRow& format : row.formats)
    if (!testimony.widths.contains(bits(format.type))) return false;
  return testimony.agrees;
}

// A row claims a witness exactly when something is recorded of it, of every width of its formats,
// and the row is all of that.
TEST(AmdWitnesses, ARowClaimsThoseItAgreesWith) {
  std::map<std::pair<Witness, const Instruction*>, Testimony> testimonies;
  for_each_record([&](Witness witness, const Instruction& row, const Instruction& chosen,
                      const std::set<std::string>& wrong) {
    Testimony& testimony = testimonies[{witness, &row}];
    testimony.widths.insert(bits(chosen.a_type));
    testimony.agrees = testimony.agrees && wrong.empty();
  });
  std::map<Witness, int> claimed;
  for (const Instruction& row : all_instructions()) {
    if (is_nvidia(row.family())) continue;
    for (const auto& [name, witness] : witness_names) {
      const auto at = testimonies.find({witness, &row});
      const bool confirmed = at != testimonies.end() && confirms(at->second, row);
      EXPECT_EQ(row.has(witness), confirmed)
          << name << ": " << row.name << " " << instruction::name(row.family()) << " wave"
          << row.wave;
      claimed[witness] += row.has(witness);
    }
  }
  EXPECT_EQ(claimed[Witness::iree], 124);
  EXPECT_EQ(claimed[Witness::triton], 20 + 4);
  EXPECT_EQ(claimed[Witness::composable_kernel], 39);
  EXPECT_EQ(claimed[Witness::rocjitsu], 139 + 11);
  EXPECT_EQ(claimed[Witness::measurement], 9);
}

// The known disagreements, each with a word about it where the row is shown, or above the table.
TEST(AmdWitnesses, DisagreementsAreTheKnownOnes) {
  std::map<std::string, int> found;
  for_each_record([&](Witness witness, const Instruction& row, const Instruction&,
                      const std::set<std::string>& wrong) {
    for (const std::string& what : wrong)
      ++found[std::string(witness == Witness::iree ? "iree " : "rocjitsu ") +
              std::string(name(row.family())) + " " + (row.is_sparse() ? "sparse " : "") + what];
    if (witness != Witness::iree && !wrong.empty())
      EXPECT_NE(row.doubt.find("rocjitsu"), std::string_view::npos) << row.name;
  });
  const std::map<std::string, int> known{
      {"iree gfx950 SA", 2 * 2},  // of the scaled 8-bit floats, of which a lane holds two runs of k
      {"iree gfx950 SB", 2 * 2},
      {"rocjitsu gfx1250 sparse K", 5},  // of 16 bits, in another order of lanes
      {"rocjitsu gfx1250 A", 1},         // 8-bit with 4-bit floats
      {"rocjitsu gfx12 D", 2},           // loads of bytes that transpose, of either wave
      {"rocjitsu gfx1250 D", 1},         // global_load_tr8_b64
  };
  EXPECT_EQ(found, known);
}

}  // namespace amd_witnesses_test
}  // namespace heddle::instruction
