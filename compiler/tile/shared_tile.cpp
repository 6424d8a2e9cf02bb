#include "compiler/tile/shared_tile.h"

#include <map>

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

std::uint64_t offset_of(const layout::LinearLayout& offsets, const layout::Coordinates& inputs) {
  return offsets.apply(offsets.inputs().pack(inputs).value());
}

}  // namespace

SharedTile::SharedTile(ThreadCode& code, const GlobalContext& context, const Machine& machine,
                       const plan::SharedOperand& plan, Value shared, mlir::Type type,
                       const Lines& lines)
    : code_(code),
      context_(context),
      machine_(machine),
      plan_(plan),
      shared_(shared),
      type_(type),
      lines_(lines),
      stores_(context, plan.placement.shared, plan.stores, 0),
      loads_(context, plan.placement.shared, plan.loads, 0) {
  const auto along = [&](bool is_line) {
    return thread_coordinate(context, plan.staging,
                             is_line == plan.k_contiguous ? plan.row : layout::AxisName("k"));
  };
  line_ = along(true);
  in_line_ = along(false);
  if (plan.tiles_at_once > 1) {
    const std::int64_t warps = std::int64_t{1} << plan.staging.inputs().bits_of("warp");
    tile_ = context.divide(context.warp, warps);
  }
  first_ = context.further(lines.pointer, context.multiply(context.wide(in_line_), bytes()));
  if (lines.lines.is_linear()) {
    const Value line = lines.first ? context.add(line_, lines.first) : line_;
    first_ = context.further(first_, context.multiply(context.wide(line), lines.lines.step));
  }
}

Value SharedTile::next(Value tile) const {
  const int lines = plan_.k_contiguous ? plan_.rows : plan_.k;
  return context_.further(tile, context_.scaled(lines_.lines.step, lines));
}

Value SharedTile::tile(Value number) const {
  const int lines = plan_.k_contiguous ? plan_.rows : plan_.k;
  const Extent step = context_.scaled(lines_.lines.step, lines);
  return context_.further(first_, context_.multiply(context_.wide(number), step));
}

std::vector<SharedTile::Access> SharedTile::accesses() const {
  std::vector<Access> all;
  const std::uint64_t registers = plan_.staging.input_size("register");
  for (int tile = 0; tile < plan_.tiles; tile += plan_.tiles_at_once)
    for (std::uint64_t step = 0; step < plan_.staging.input_size("step"); ++step)
      for (std::uint64_t reg = 0; reg < registers;
           reg += static_cast<std::uint64_t>(plan_.copy_elements))
        all.push_back({step, reg, tile});
  return all;
}

Value SharedTile::first_tile(const Access& access) const {
  if (!tile_ || access.tile + plan_.tiles_at_once <= plan_.tiles) return tile_;
  return mlir::arith::MinSIOp::create(context_.builder, tile_,
                                      context_.constant(plan_.tiles - 1 - access.tile));
}

Value SharedTile::in_line(const Access& access) const {
  const Value tile = first_tile(access);
  if (!tile) return in_line_;
  return context_.add(in_line_, context_.multiply(tile, plan_.line_elements()));
}

std::pair<std::int64_t, std::int64_t> SharedTile::place(const Access& access) const {
  const layout::Coordinates at =
      plan_.staging.apply({{"register", access.first_register}, {"step", access.step}}).value();
  const auto row = static_cast<std::int64_t>(at.at(plan_.row));
  const auto k = static_cast<std::int64_t>(at.at("k"));
  const std::int64_t before = std::int64_t{access.tile} * plan_.line_elements();
  return plan_.k_contiguous ? std::pair(row, before + k) : std::pair(k, before + row);
}

Value SharedTile::valid(const Access& access, Value left) const {
  const auto [line, constant] = place(access);
  const Value has_line = mlir::arith::CmpIOp::create(
      context_.builder, mlir::arith::CmpIPredicate::ult, context_.add(line_, line), left);
  if (fills_lines()) return has_line;
  return context_.both(has_line,
                       context_.less(context_.add(in_line(access), constant), lines_.length));
}

// True if a line is as long as the tiles'.
bool SharedTile::fills_lines() const {
  return lines_.length == std::int64_t{plan_.tiles} * plan_.line_elements();
}

Value SharedTile::source(const Access& access, Value tile) const {
  const auto [line, in_line] = place(access);
  const AxisExtent& lines = lines_.lines;
  if (const Value first = first_tile(access))
    tile = context_.further(
        tile, context_.multiply(context_.wide(first), plan_.line_elements() * bytes()));
  if (lines.is_linear())
    return context_.further(context_.further(tile, context_.scaled(lines.step, line)),
                            in_line * bytes());
  const Value number = context_.add(line_, line);
  const Value distance =
      context_.place(lines, lines_.first ? context_.add(number, lines_.first) : number);
  return context_.further(context_.further(tile, distance), in_line * bytes());
}

Value SharedTile::address(const SharedAddresses::Place& place, int tile) const {
  const Value offset = context_.multiply(place.base, bytes());
  return context_.further(
      context_.further(shared_, offset),
      place.constant * bytes() + plan_.start + std::int64_t{tile} * plan_.tile_bytes());
}

// Where register `reg` of an access goes.
Value SharedTile::target(const Access& access, std::uint64_t reg) const {
  const Value there = address(stores_.at({{"register", reg}, {"step", access.step}}), access.tile);
  const Value first = first_tile(access);
  return first ? context_.further(there, context_.multiply(first, plan_.tile_bytes())) : there;
}

std::vector<Value> SharedTile::begin(Value tile, Value left) const {
  std::vector<Value> copied;
  const auto vector = mlir::VectorType::get({plan_.copy_elements}, type_);
  // Here each tile is completely in bounds, or completely out of range: then the first tile is
  // read.
  const bool is_whole = lines_.is_whole && fills_lines();
  Value any;
  if (is_whole) {
    any = mlir::arith::CmpIOp::create(context_.builder, mlir::arith::CmpIPredicate::sgt, left,
                                      context_.constant(0));
    tile = context_.select(any, tile, first_);
  }
  for (const Access& access : accesses()) {
    const Value inside = is_whole ? any : valid(access, left);
    Value from = source(access, tile);
    if (!is_whole) from = context_.select(inside, from, lines_.pointer);
    if (plan_.is_asynchronous) {
      machine_.copy(target(access, access.first_register), from, inside);
      continue;
    }
    const Value loaded = mlir::LLVM::LoadOp::create(
        context_.builder, vector, from, static_cast<unsigned>(plan_.copy_elements * bytes()));
    copied.push_back(is_whole ? loaded : context_.select(inside, loaded, code_.zero(vector)));
  }
  machine_.commit();
  return copied;
}

std::vector<mlir::Type> SharedTile::copied_types() const {
  if (plan_.is_asynchronous) return {};
  return std::vector<mlir::Type>(accesses().size(),
                                 mlir::VectorType::get({plan_.copy_elements}, type_));
}

void SharedTile::finish(const std::vector<Value>& copied, int newer) const {
  if (plan_.is_asynchronous) return machine_.wait(newer);
  const std::vector<Access> all = accesses();
  std::vector<Value> registers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Value element : code_.elements(copied[i])) registers.push_back(element);
    if (i + 1 < all.size() && all[i + 1].step == all[i].step && all[i + 1].tile == all[i].tile)
      continue;
    store(all[i], registers);
    registers.clear();
  }
}

// Stores the registers of a step that lie side by side together.
void SharedTile::store(const Access& access, const std::vector<Value>& registers) const {
  const auto width = static_cast<std::uint64_t>(plan_.store_elements);
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> groups;
  for (std::uint64_t reg = 0; reg < registers.size(); ++reg) {
    const std::uint64_t offset =
        offset_of(plan_.stores, {{"register", reg}, {"step", access.step}});
    groups[offset / width][offset % width] = reg;
  }
  for (const auto& [number, group] : groups) {
    llvm::SmallVector<Value> elements;
    for (const auto& [at, reg] : group) elements.push_back(registers[reg]);
    const Value to = target(access, group.begin()->second);
    const Value value = elements.size() == 1 ? elements[0] : code_.vector_of(elements);
    mlir::LLVM::StoreOp::create(context_.builder, value, to,
                                static_cast<unsigned>(plan_.store_elements * bytes()));
  }
}

void SharedTile::load_matrices(std::uint64_t k_atom, int tile, std::vector<Value>& words) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const mlir::Type word = builder.getI32Type();
  const auto count = static_cast<std::size_t>(plan_.fetched_registers);
  mlir::Type type = word;
  if (count > 1)
    type = mlir::LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                  std::vector<mlir::Type>(count, word));
  const auto shape = mlir::NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
  for (std::uint64_t fetch = 0; fetch < plan_.loads.input_size("fetch"); ++fetch) {
    const Value from = address(loads_.at({{"fetch", fetch}, {"k_atom", k_atom}}), tile);
    const Value loaded = mlir::NVVM::LdMatrixOp::create(
        builder, type, from, static_cast<std::uint32_t>(count),
        plan::is_transposed(plan_.move) ? mlir::NVVM::MMALayout::col : mlir::NVVM::MMALayout::row,
        shape, mlir::NVVM::LdStMatrixEltType::B16);
    if (count == 1) words.push_back(loaded);
    for (std::size_t i = 0; count > 1 && i < count; ++i)
      words.push_back(mlir::LLVM::ExtractValueOp::create(
          builder, loaded, llvm::ArrayRef<std::int64_t>{static_cast<std::int64_t>(i)}));
  }
}

void SharedTile::load_elements(std::uint64_t k_atom, int tile, std::vector<Value>& elements) const {
  const auto width = static_cast<std::uint64_t>(plan_.load_elements);
  const std::uint64_t count = plan_.loads.input_size("register");
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> groups;
  for (std::uint64_t reg = 0; reg < count; ++reg) {
    const std::uint64_t offset = offset_of(plan_.loads, {{"register", reg}, {"k_atom", k_atom}});
    groups[offset / width][offset % width] = reg;
  }
  elements.resize(count);
  const mlir::Type type =
      width == 1 ? type_ : mlir::VectorType::get({static_cast<std::int64_t>(width)}, type_);
  for (const auto& [number, group] : groups) {
    const Value from =
        address(loads_.at({{"register", group.begin()->second}, {"k_atom", k_atom}}), tile);
    const Value loaded = mlir::LLVM::LoadOp::create(
        context_.builder, type, from, static_cast<unsigned>(plan_.load_elements * bytes()));
    const llvm::SmallVector<Value> parts =
        width == 1 ? llvm::SmallVector<Value>{loaded} : code_.elements(loaded);
    for (const auto& [at, reg] : group) elements[reg] = parts[at];
  }
}

Pieces SharedTile::fragments(std::uint64_t k_atom, int tile) const {
  const bool nvidia = plan::is_matrix(plan_.move);
  std::vector<Value> parts;
  nvidia ? load_matrices(k_atom, tile, parts) : load_elements(k_atom, tile, parts);
  Pieces pieces;
  const std::size_t each = static_cast<std::size_t>(plan_.piece_elements) /
                           (nvidia ? 4 / static_cast<std::size_t>(bytes()) : 1);
  const auto piece = mlir::VectorType::get({plan_.piece_elements}, type_);
  for (std::size_t first = 0; first < parts.size(); first += each) {
    const Value joined = code_.vector_of(llvm::ArrayRef(parts).slice(first, each));
    pieces.push_back(nvidia ? mlir::vector::BitCastOp::create(code_.builder, piece, joined)
                            : joined);
  }
  return pieces;
}

}  // namespace heddle::compiler
