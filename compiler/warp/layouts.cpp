#include "compiler/warp/layouts.h"

#include <bit>

#include "compiler/dialect/dialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace heddle::compiler {

using layout::LinearLayout;

layout::AxisName dimension_name(int dimension) {
  constexpr std::array<const char*, most_dimensions> names{"d0", "d1", "d2", "d3",
                                                           "d4", "d5", "d6", "d7"};
  return layout::AxisName(names[static_cast<std::size_t>(dimension)]);
}

mlir::VectorType thread_type(mlir::VectorType vector, const LinearLayout& map) {
  return mlir::VectorType::get({registers_of(map)}, vector.getElementType());
}

llvm::SmallVector<std::uint64_t> coordinates(const LinearLayout& map, std::uint64_t reg,
                                             std::uint64_t lane) {
  const std::uint64_t word = map.apply(reg | lane << map.inputs().bits_of("register"));
  llvm::SmallVector<std::uint64_t> point;
  for (int axis = 0; axis < map.outputs().size(); ++axis)
    point.push_back(map.outputs().coordinate(word, axis));
  return point;
}

LinearLayout layout_of(llvm::ArrayRef<Basis> registers, llvm::ArrayRef<Basis> lanes,
                       llvm::ArrayRef<std::uint64_t> sizes) {
  layout::AxisList outputs;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    outputs.push_back({dimension_name(static_cast<int>(i)), std::countr_zero(sizes[i])});
  const layout::AxisList inputs{{"register", static_cast<int>(registers.size())},
                                {"lane", static_cast<int>(lanes.size())}};
  LinearLayout::Bases bases{};
  std::size_t bit = 0;
  for (const llvm::ArrayRef<Basis> side : {registers, lanes}) {
    for (const Basis& basis : side) {
      for (std::size_t i = 0; i < sizes.size(); ++i)
        if (basis[i] != 0) bases[bit] |= basis[i] << outputs.offset(static_cast<int>(i));
      ++bit;
    }
  }
  return LinearLayout::from_words(inputs, outputs, bases).value();
}

namespace {

// The bases of input axis `in` (register or lane): for each bit of its number, the coordinates of
// the output.
llvm::SmallVector<Basis> bases_of(const LinearLayout& map, const layout::AxisName& in) {
  llvm::SmallVector<Basis> bases;
  const int first = map.inputs().offset(map.inputs().find(in));
  for (int bit = 0; bit < map.inputs().bits_of(in); ++bit) {
    Basis basis;
    for (int axis = 0; axis < map.outputs().size(); ++axis)
      basis.push_back(map.outputs().coordinate(map.basis(first + bit), axis));
    bases.push_back(basis);
  }
  return bases;
}

llvm::SmallVector<std::uint64_t> sizes_of(const LinearLayout& map) {
  llvm::SmallVector<std::uint64_t> sizes;
  for (const layout::Axis& axis : map.outputs()) sizes.push_back(axis.size());
  return sizes;
}

// The layout of a vector whose dimension i is dimension from[i] of `map`. If from[i] is -1,
// dimension i has size 1. If `drop_copies`, registers that would hold copies are left out.
LinearLayout with_dimensions(const LinearLayout& map, llvm::ArrayRef<std::int64_t> from,
                             bool drop_copies) {
  const llvm::SmallVector<std::uint64_t> old_sizes = sizes_of(map);
  llvm::SmallVector<std::uint64_t> sizes;
  for (const std::int64_t dimension : from)
    sizes.push_back(dimension < 0 ? 1 : old_sizes[static_cast<std::size_t>(dimension)]);
  const auto chosen = [&](const layout::AxisName& in, bool drop) {
    llvm::SmallVector<Basis> bases;
    for (const Basis& old : bases_of(map, in)) {
      Basis basis;
      bool is_zero = true;
      for (const std::int64_t dimension : from) {
        basis.push_back(dimension < 0 ? 0 : old[static_cast<std::size_t>(dimension)]);
        is_zero &= basis.back() == 0;
      }
      if (!drop || !is_zero) bases.push_back(basis);
    }
    return bases;
  };
  return layout_of(chosen("register", drop_copies), chosen("lane", false), sizes);
}

}  // namespace

LinearLayout transposed(const LinearLayout& map, llvm::ArrayRef<std::int64_t> permutation) {
  return with_dimensions(map, permutation, false);
}

llvm::SmallVector<std::int64_t> inverse(llvm::ArrayRef<std::int64_t> permutation) {
  llvm::SmallVector<std::int64_t> result(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    result[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  return result;
}

LinearLayout broadcast_source(const LinearLayout& result, mlir::VectorType source,
                              mlir::VectorType broadcast) {
  llvm::SmallVector<std::int64_t> from;
  const std::int64_t added = broadcast.getRank() - source.getRank();
  for (std::int64_t i = 0; i < source.getRank(); ++i)
    from.push_back(dimension_size(source, i) == dimension_size(broadcast, i + added) ? i + added
                                                                                     : -1);
  return with_dimensions(result, from, true);
}

LinearLayout plain_layout(mlir::VectorType vector, int lanes) {
  llvm::SmallVector<std::uint64_t> sizes;
  for (const std::int64_t size : vector.getShape())
    sizes.push_back(std::bit_ceil(static_cast<std::uint64_t>(size)));
  llvm::SmallVector<Basis> units;  // all steps, those of the last dimension first
  for (std::size_t dimension = sizes.size(); dimension-- > 0;) {
    for (std::uint64_t step = 1; step < sizes[dimension]; step *= 2) {
      Basis basis(sizes.size(), 0);
      basis[dimension] = step;
      units.push_back(basis);
    }
  }
  const unsigned bits =
      vector.getElementType().isIntOrFloat() ? vector.getElementType().getIntOrFloatBitWidth() : 64;
  const auto lane_bits = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(lanes)));
  // Of a vector that is too small to fill all lanes, elements are given to lanes before registers.
  std::size_t together = 0;
  while ((bits << (together + 1)) <= 128 && together + lane_bits < units.size() &&
         (std::uint64_t{2} << together) <= sizes.back())
    ++together;
  llvm::SmallVector<Basis> registers(units.begin(), units.begin() + together);
  llvm::SmallVector<Basis> in_lanes;
  for (std::size_t i = together; i < units.size(); ++i)
    (in_lanes.size() < lane_bits ? in_lanes : registers).push_back(units[i]);
  while (in_lanes.size() < lane_bits) in_lanes.push_back(Basis(sizes.size(), 0));
  return layout_of(registers, in_lanes, sizes);
}

llvm::SmallVector<std::int64_t> first_copies(const LinearLayout& map) {
  llvm::DenseMap<std::uint64_t, std::int64_t> first;
  llvm::SmallVector<std::int64_t> result;
  for (std::int64_t reg = 0; reg < registers_of(map); ++reg)
    result.push_back(
        first.try_emplace(map.apply(static_cast<std::uint64_t>(reg)), reg).first->second);
  return result;
}

void write_layouts(mlir::Operation* root, const LayoutTable& table) {
  root->walk([&](mlir::Operation* operation) {
    llvm::SmallVector<mlir::Attribute> layouts;
    bool any = false;
    for (const mlir::Value result : operation->getResults()) {
      const auto found = table.find(result);
      any |= found != table.end();
      if (found == table.end())
        layouts.push_back(mlir::UnitAttr::get(root->getContext()));
      else
        layouts.push_back(dialect::LayoutAttr::get(root->getContext(), found->second));
    }
    if (any)
      operation->setAttr(layouts_attribute, mlir::ArrayAttr::get(root->getContext(), layouts));
  });
}

namespace {

// True if `map` is a valid layout for vectors of `type`. Users may write any layout as an
// attribute, so it must be checked.
bool fits(const LinearLayout& map, mlir::Type type, int lanes) {
  if (!is_warp_vector(type) || map.inputs().size() != 2 || map.inputs()[0].name != "register" ||
      map.inputs()[1].name != "lane" || map.inputs()[0].bits > 40 ||
      map.inputs()[1].size() != static_cast<std::uint64_t>(lanes))
    return false;
  const auto vector = mlir::cast<mlir::VectorType>(type);
  if (map.outputs().size() != vector.getRank()) return false;
  for (int axis = 0; axis < map.outputs().size(); ++axis)
    if (map.outputs()[axis].bits > 40 ||
        map.outputs()[axis].size() < static_cast<std::uint64_t>(dimension_size(vector, axis)))
      return false;
  return true;
}

}  // namespace

LayoutTable read_layouts(mlir::Operation* root, int lanes) {
  LayoutTable table;
  root->walk([&](mlir::Operation* operation) {
    const auto layouts = operation->getAttrOfType<mlir::ArrayAttr>(layouts_attribute);
    if (!layouts || layouts.size() != operation->getNumResults()) return;
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(operation);
    for (const auto& [result, attribute] : llvm::zip(operation->getResults(), layouts)) {
      const auto found = mlir::dyn_cast<dialect::LayoutAttr>(attribute);
      if (!found || !fits(found.getMap(), result.getType(), lanes)) continue;
      table[result] = found.getMap();
      if (loop) table[loop.getRegionIterArg(result.getResultNumber())] = found.getMap();
    }
  });
  return table;
}

void set_layout(mlir::Operation* operation, const LinearLayout& map) {
  const mlir::Attribute attribute = dialect::LayoutAttr::get(operation->getContext(), map);
  operation->setAttr(layouts_attribute, mlir::ArrayAttr::get(operation->getContext(), attribute));
}

bool is_warp_vector(mlir::Type type) {
  const auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  if (!vector || vector.isScalable() || vector.getRank() == 0 || vector.getRank() > most_dimensions)
    return false;
  int bits = 0;
  for (const std::int64_t size : vector.getShape())
    bits += std::bit_width(static_cast<std::uint64_t>(size));
  return bits <= 40;
}

}  // namespace heddle::compiler
