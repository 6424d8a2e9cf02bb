#include "compiler/nvidia/tensor_map.h"
#include "compiler/request/operand_form.h"
#include "library/text/formatted.h"

#include <algorithm>

namespace heddle::compiler {
namespace {

using plan::Loop;

constexpr std::size_t most_dimensions = 5;

// Each nested level of a group of loops becomes a dimension of the tensor map, the innermost first.
// Null if a stride depends on more dynamic sizes than a MapDimension can express.
std::optional<std::vector<MapDimension>> levels(const MatmulRequest& request, const Axis& axis,
                                                Loop group, int bytes) {
  std::vector<MapDimension> all;
  const auto add = [&](std::int64_t every, Stride stride) {
    stride.factor *= bytes;
    all.push_back({group, every, 0, {}, stride});
  };
  add(1, axis.step);
  for (std::size_t i = 0; i < axis.jumps.size(); ++i) {
    const std::int64_t every = axis.jumps[i].every;
    if (!axis.step.is_static()) return std::nullopt;
    Stride stride{axis.step.factor * every, 0};
    for (std::size_t inner = 0; inner <= i; ++inner) {
      const Jump& jump = axis.jumps[inner];
      if (!jump.forward.is_static() || !jump.back.is_static() || jump.sizes != 0 ||
          every % jump.every != 0)
        return std::nullopt;
      stride.factor += every / jump.every * (jump.forward.factor - jump.back.factor);
    }
    MapDimension& before = all.back();
    before.count = every / before.every;
    before.size = {before.count, 0};
    add(every, stride);
  }
  const bool is_dynamic = request.problem.is_dynamic(group);
  if (is_dynamic && all.size() > 1) return std::nullopt;
  const std::int64_t size = request.problem.size(group);
  all.back().size = is_dynamic ? Stride{1, 1u << static_cast<unsigned>(group)}
                               : Stride{(size + all.back().every - 1) / all.back().every, 0};
  return all;
}

// Chooses the box of each dimension such that a copy moves `count` consecutive indices of the
// group: the inner dimensions whole, then a part of one dimension. False if that is impossible.
bool fill_box(std::vector<MapDimension>& levels, std::int64_t count) {
  for (MapDimension& level : levels) {
    const bool is_last = level.count == 0;
    if (!is_last && count % level.count != 0 && level.count % count != 0) return false;
    level.box = static_cast<std::uint32_t>(is_last ? count : std::min(count, level.count));
    count = std::max<std::int64_t>(count / level.box, 1);
  }
  return true;
}

// A matrix, and what one copy moves of it: `lines` lines of `line` contiguous elements each.
// `along` is the group of loops that runs along a line, `across` the group that counts lines.
struct Copied {
  const MatrixRecord& matrix;
  const char* name;
  Loop along, across;
  bool along_rows;  // of the matrix, whose columns are then `across`
  std::int64_t line, lines;
};

Copied copied(const MatmulRequest& request, const plan::WarpgroupPlan& plan,
              instruction::Operand operand) {
  if (operand == instruction::Operand::d)
    return {request.d,
            "D",
            plan.by_columns ? Loop::m : Loop::n,
            plan.by_columns ? Loop::n : Loop::m,
            plan.by_columns,
            plan::swizzled_line_bytes / plan.result_bytes(),
            plan.piece_lines()};
  const plan::CopyBox box = plan.copy_box(operand);
  const bool is_a = operand == instruction::Operand::a;
  const bool k_major = plan.panel(operand).major == instruction::Major::k;
  const Loop mn = is_a ? Loop::m : Loop::n;
  return {is_a ? request.a : request.b,
          is_a != plan.is_transposed ? "A" : "B",
          k_major ? Loop::k : mn,
          k_major ? mn : Loop::k,
          is_a != k_major,
          box.line_elements,
          box.lines};
}

}  // namespace

std::optional<std::vector<MapDimension>> map_dimensions(const MatmulRequest& request,
                                                        const plan::WarpgroupPlan& plan,
                                                        instruction::Operand operand,
                                                        std::string& refusal) {
  const Copied box = copied(request, plan, operand);
  const MatrixRecord& matrix = box.matrix;
  const std::string name = box.name;
  const auto refuse = [&](const std::string& why) {
    refusal = why;
    return std::nullopt;
  };
  const int bytes = instruction::bits(matrix.element) / 8;
  if (bytes == 1 && operand == instruction::Operand::d)
    return refuse("pieces of D have elements of 2 or 4 bytes");
  if (operand == instruction::Operand::d && !plan.has_lines())
    return refuse(
        formatted("tiles of {} columns, narrower than a line of 128 bytes", plan.block_n));
  if (!matrix.padding.empty()) return refuse(name + " has padding, which kernels of wgmma leave");
  if (matrix.offset * bytes % 16 != 0)
    return refuse(formatted(
        "{} begins at {} bytes, and copies of the tensor memory accelerator need multiples of 16",
        name, matrix.offset * bytes));
  const auto axis = [&](Loop group) -> const Axis& {
    if (group == Loop::batch) return matrix.batch;
    return (group == box.along) == box.along_rows ? matrix.row : matrix.column;
  };
  std::vector<MapDimension> all;
  std::vector<MapDimension> outer;
  for (const Loop group : {box.along, box.across, Loop::batch}) {
    const bool is_line = group == box.along;
    if (group == Loop::batch && axis(group).is({})) continue;  // the same for all
    auto own = levels(request, axis(group), group, bytes);
    const std::int64_t count = is_line ? box.line : group == box.across ? box.lines : 1;
    const bool fits = own && fill_box(*own, count) && (!is_line || own->front().box == count);
    if (!fits || (is_line && axis(group).step != Stride{1, 0}))
      return refuse("the loops of " + name +
                    " are not those of a tensor map with boxes of whole lines");
    // The first dimensions of the groups come first: they give the order of elements in shared
    // memory.
    all.insert(all.end(), own->begin(), is_line ? own->begin() + 1 : own->end());
    if (is_line) outer.assign(own->begin() + 1, own->end());
  }
  all.insert(all.end(), outer.begin(), outer.end());
  if (all.size() > most_dimensions)
    return refuse(formatted("{} takes {} dimensions of a tensor map; there are {}", name,
                            all.size(), most_dimensions));
  for (std::size_t i = 1; i < all.size(); ++i) {
    Stride& stride = all[i].stride;
    if (all[i].size == Stride{1, 0}) {  // there is no other to go to
      stride = {16, 0};
      continue;
    }
    const std::int64_t factor = known_factor(request, stride);
    if (factor % 16 == 0 && factor > 0) continue;
    if (!stride.is_static())
      return refuse("rows of " + name +
                    " have a dynamic size, and copies of the tensor memory accelerator need "
                    "multiples of 16 bytes");
    return refuse(formatted(
        "rows of {} are {} bytes, and copies of the tensor memory accelerator need multiples of 16",
        name, factor));
  }
  return all;
}

}  // namespace heddle::compiler
