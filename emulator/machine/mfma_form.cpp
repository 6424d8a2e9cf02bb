#include "emulator/machine/mfma_form.h"

#include <array>
#include <memory>
#include <mutex>

#include "heddle/instruction/fragment.h"
#include "heddle/instruction/modifiers.h"
#include "heddle/instruction/variant.h"

namespace heddle::emulator {
namespace {

namespace catalogue = instruction;
using catalogue::Operand;

// The names of two axes of an operand: `along` is the one that a run's number counts, `across` the
// one along which the 16 lanes of a run lie.
struct Axes {
  const char *along, *across;
};

// Fills the runs of an operand. Returns false if some sixteen lanes are not sixteen consecutive
// rows or columns. `survivors` is the number of elements in a position of the operand's layout: 2
// for a sparse A, of which each group of k stores two elements; otherwise 1.
bool find_runs(MfmaOperand& to, const catalogue::Instruction& row, Operand operand, Axes axes,
               int survivors) {
  const auto map = catalogue::isa_fragment(row, operand);
  const auto& inputs = map.inputs();
  const auto& outputs = map.outputs();
  const int along = outputs.find(layout::AxisName(axes.along));
  const int across = outputs.find(layout::AxisName(axes.across));
  const int block = outputs.find(layout::AxisName("block"));
  const int selector = outputs.find(layout::AxisName("selector"));
  const auto size = outputs.coordinate(~std::uint64_t{0}, across) + 1;
  const auto width = static_cast<unsigned>(row.map(operand).bits);
  const auto coordinates = [&](std::uint64_t lane, std::uint64_t reg, std::uint64_t element) {
    return map.apply(
        inputs.pack({{"element", element}, {"register", reg}, {"lane", lane}}).value());
  };
  const auto across_blocks = [&](std::uint64_t point) {
    return outputs.coordinate(point, across) +
           (block < 0 ? 0 : size * outputs.coordinate(point, block));
  };
  to.runs = static_cast<int>(size) * row.blocks / 16;
  to.bits = width / static_cast<unsigned>(survivors);
  to.count = static_cast<int>(outputs.coordinate(~std::uint64_t{0}, along) + 1) * survivors;
  if (to.runs * to.count > MfmaOperand::most) return false;
  const std::uint64_t registers = map.input_size("register"), elements = map.input_size("element");
  const unsigned per_register = width >= 32 ? width : registers == 1 ? 0 : 32;
  int found = 0;
  for (std::uint64_t sixteenth = 0; sixteenth < static_cast<std::uint64_t>(row.wave / 16);
       ++sixteenth)
    for (std::uint64_t reg = 0; reg < registers; ++reg)
      for (std::uint64_t element = 0; element < elements; ++element) {
        const std::uint64_t first = coordinates(16 * sixteenth, reg, element);
        if (selector >= 0 && outputs.coordinate(first, selector) != 0) continue;
        const std::uint64_t start = across_blocks(first), i = outputs.coordinate(first, along);
        if (start % 16 != 0) return false;
        for (std::uint64_t lane = 0; lane < 16; ++lane) {
          const std::uint64_t point = coordinates(16 * sixteenth + lane, reg, element);
          if (outputs.coordinate(point, along) != i || across_blocks(point) != start + lane)
            return false;
        }
        for (int survivor = 0; survivor < survivors; ++survivor) {
          MfmaRun& run = to.at[(static_cast<int>(i) * survivors + survivor) * to.runs +
                               static_cast<int>(start / 16)];
          run.bit = static_cast<uint16_t>(reg * per_register + element * width +
                                          static_cast<unsigned>(survivor) * width /
                                              static_cast<unsigned>(survivors));
          run.sixteenth = static_cast<uint8_t>(sixteenth);
          ++found;
        }
      }
  return found == to.runs * to.count;
}

std::unique_ptr<MfmaForm> make_form(const catalogue::Instruction& row) {
  auto made = std::make_unique<MfmaForm>();
  MfmaForm& form = *made;
  form.m = row.m;
  form.n = row.n;
  form.k = row.k;
  form.blocks = row.blocks;
  form.sparse = row.is_sparse();
  form.scaled = row.has(Operand::scale_a);
  form.has_formats = !row.formats.empty();
  form.rule = catalogue::sum_rule(row);
  for (std::size_t blgp = 0; blgp < 8; ++blgp)
    for (unsigned group = 0; group < 4; ++group) {
      const catalogue::LaneGroupPattern& pattern =
          catalogue::lane_group_patterns[form.has_formats ? 0 : blgp];
      const std::uint64_t lane =
          (group & 1 ? pattern.of_16 : 0) ^ (group & 2 ? pattern.of_32 : 0) ^ pattern.flip;
      form.lane_group[blgp][group] = static_cast<uint8_t>(lane / 16);
    }
  bool found = true;
  for (int format = 0; format < (form.has_formats ? MfmaForm::formats : 1); ++format) {
    const auto chosen = *catalogue::with_formats(row, format, format);
    form.a[format].type = chosen.a_type;
    form.b[format].type = chosen.b_type;
    found &= form.sparse ? find_runs(form.a[format], chosen, Operand::a, {"group", "m"}, 2)
                         : find_runs(form.a[format], chosen, Operand::a, {"k", "m"}, 1);
    found &= find_runs(form.b[format], chosen, Operand::b, {"k", "n"}, 1);
  }
  form.c.type = row.type(Operand::c);
  form.d.type = row.d_type;
  found &= find_runs(form.c, row, Operand::c, {"m", "n"}, 1);
  found &= find_runs(form.d, row, Operand::d, {"m", "n"}, 1);
  if (form.sparse) {
    found &= find_runs(form.index, row, Operand::index, {"group", "m"}, 1);
    form.index_bits =
        4 * static_cast<int>(catalogue::isa_fragment(row, Operand::index).input_size("element"));
  }
  if (form.scaled) {
    found &= find_runs(form.scale_a, row, Operand::scale_a, {"group", "m"}, 1);
    found &= find_runs(form.scale_b, row, Operand::scale_b, {"group", "n"}, 1);
  }
  if (!found) __builtin_trap();  // of no row: each is run by tests/emulator/mfma_test.cpp
  return made;
}

}  // namespace

const MfmaForm& mfma_form(std::size_t row) {
  struct Made {
    std::once_flag once;
    std::unique_ptr<MfmaForm> form;
  };
  static std::array<Made, first_gfx1250_form + catalogue::gfx1250_instructions.size()> all;
  Made& made = all[row];
  std::call_once(made.once, [&] { made.form = make_form(mfma_row(row)); });
  return *made.form;
}

}  // namespace heddle::emulator
