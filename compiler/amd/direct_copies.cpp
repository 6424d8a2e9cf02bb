#include "compiler/amd/direct_copies.h"

#include "compiler/amd/staging.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace heddle::compiler {

using mlir::Value;

DirectCopies::DirectCopies(const KernelContext& context, const plan::OperandPlan& operand,
                           Value from, std::uint32_t start)
    : context_(context), operand_(operand), from_(from) {
  const MatrixRecord& matrix = is_a() ? context.request.a : context.request.b;
  row_axis_ = context.extent(is_a() ? matrix.row : matrix.column);
  k_axis_ = context.extent(is_a() ? matrix.column : matrix.row);
  // Two values are scalars because they are the same in all lanes of a wave: the number of the
  // wave, and where the pieces of the wave begin in LDS.
  warp_ =
      mlir::ROCDL::ReadfirstlaneOp::create(context.builder, context.warp.getType(), context.warp);
  if (operand.copies == plan::Copies::tiles)
    describe_tile(start);
  else
    divide_into_pieces(start);
}

const Extent& DirectCopies::rows() const {
  return context_.size(is_a() ? plan::Loop::m : plan::Loop::n);
}

bool DirectCopies::takes_pointer(const plan::MatmulPlan& plan, const plan::OperandPlan& operand) {
  return operand.copies == plan::Copies::tiles ||
         plan::are_asynchronous(operand.copies, plan.target);
}

bool DirectCopies::is_async() const {
  return plan::are_asynchronous(operand_.copies, context_.plan.target);
}

void DirectCopies::divide_into_pieces(std::uint32_t start) {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const MatrixRecord& matrix = is_a() ? context_.request.a : context_.request.b;
  padding_ = context_.padding(matrix, is_a(), context_.batch);
  const bool rows_need_check =
      !rows_are_whole() && (!operand_.tile.k_contiguous || !padding_.empty() ||
                            comes_back(context_, operand_.tile, row_axis_, rows(), k_axis_,
                                       context_.size(plan::Loop::k)));
  // If it is not known at compile time how many k the workgroup multiplies, tiles beyond the last k
  // are copied, too.
  k_needs_check_ =
      is_async() || operand_.tile.k_contiguous || !context_.part.depth.is_known() ||
      !padding_.empty() ||
      comes_back(context_, operand_.tile, k_axis_, context_.size(plan::Loop::k), row_axis_, rows());
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  const Value lane_row = thread_coordinate(context_, map, operand_.tile.row);
  const Value lane_k = thread_coordinate(context_, map, "k");
  const ThreadContext thread{builder, is_async() ? context_.lane : context_.constant(0), warp_};
  const SharedAddresses addresses(thread, operand_.chosen.shared(), operand_.chosen.stores, start);
  // A position is that of the lane xor that of the step, since a swizzle lets them share bits.
  const auto moved = [&](Value by_thread, std::uint64_t by_step) -> Value {
    if (by_step == 0) return by_thread;
    return mlir::arith::XOrIOp::create(builder, by_thread,
                                       context_.constant(static_cast<std::int64_t>(by_step)));
  };
  const std::int64_t bytes = operand_.tile.stored_bytes;
  // If the tile needs fewer waves than there are, the waves form groups that could each copy the
  // tile.
  const int groups = plan::copying_groups(map);
  Value group;
  if (groups > 1) {
    const auto waves = map.inputs().bits_of("warp") - plan::bits_of(groups);
    group = mlir::arith::ShRUIOp::create(builder, warp_, context_.constant(waves));
  }
  for (std::uint64_t step = 0; step < map.input_size("step"); ++step) {
    const auto place = map.apply({{"step", step}}).value();
    Piece piece;
    piece.row = context_.add(moved(lane_row, place.at(operand_.tile.row)), block());
    piece.k = moved(lane_k, place.at("k"));
    // Asynchronous loads have no buffer whose bounds are checked. So lanes beyond the last row of
    // the matrix copy the last row again; the sums of rows beyond the last one are not stored.
    if (is_async() && !rows_are_whole())
      piece.row = mlir::arith::MinUIOp::create(
          builder, piece.row, context_.value_of(context_.sum(rows(), {-operand_.patch.rows, {}})));
    Value elements = context_.buffer_place(row_axis_, piece.row);
    if (k_axis_.is_linear())
      elements = context_.add(elements, context_.multiply(piece.k, k_axis_.step));
    piece.offset = context_.multiply(elements, bytes);
    if (rows_need_check && !is_async())
      piece.offset = context_.or_outside(context_.less(piece.row, rows()), piece.offset);
    if (group && !is_async())
      piece.offset = context_.or_outside(context_.equal(group, 0), piece.offset);
    const SharedAddresses::Place to = addresses.at({{"step", step}});
    piece.to = context_.multiply(context_.add(to.base, to.constant), bytes);
    if (group) {
      const auto tile = static_cast<std::int64_t>(operand_.chosen.placement.bytes) / groups;
      piece.to = context_.add(piece.to, context_.multiply(group, tile));
    }
    context_.named(is_a() ? "a_offset" : "b_offset", piece.offset);
    pieces_.push_back(piece);
  }
  if (is_async()) zeros_ = pointer_to_zeros(context_);
}

Extent DirectCopies::left(const Extent& all, Value from, std::int64_t most) const {
  const Value rest = context_.left(context_.value_of(all), from);
  return {-1, mlir::arith::MinUIOp::create(context_.builder, rest, context_.constant(most))};
}

void DirectCopies::describe_tile(std::uint32_t start) {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const plan::GlobalTile& tile = operand_.tile;
  const layout::LinearLayout& map = operand_.chosen.staging.map;
  const std::int64_t waves = std::int64_t{1} << map.inputs().bits_of("warp");
  const ThreadContext wave{builder, context_.constant(0), warp_};
  first_k_ = thread_coordinate(wave, map, "k");
  const Value row = context_.add(thread_coordinate(wave, map, tile.row), block());
  const Extent& distance = tile.k_contiguous ? row_axis_.step : k_axis_.step;
  const auto wide = [&](Value elements, const Extent& step) {
    return context_.multiply(context_.wide(elements),
                             context_.wide(context_.scaled(step, tile.stored_bytes)));
  };
  const Value address = mlir::LLVM::PtrToIntOp::create(builder, builder.getI64Type(), from_);
  const SharedAddresses addresses(wave, operand_.chosen.shared(), operand_.chosen.stores, start);
  const SharedAddresses::Place to = addresses.at({});
  const Value shared =
      mlir::LLVM::PtrToIntOp::create(builder, builder.getI32Type(), context_.shared);
  TileDescriptor described;
  described.address =
      context_.add(address, context_.add(wide(row, row_axis_.step), wide(first_k_, k_axis_.step)));
  described.to = context_.add(shared, context_.multiply(context_.add(to.base, to.constant),
                                                        std::int64_t{tile.element_bytes}));
  described.tile_inner = tile.k_contiguous ? tile.k : tile.rows;
  described.tile_outer = (tile.k_contiguous ? tile.rows : tile.k) / waves;
  described.distance = distance;
  described.bytes = tile.stored_bytes;
  described.padding = operand_.chosen.shared().padding;
  const std::int64_t most = tile.k_contiguous ? described.tile_outer : described.tile_inner;
  (tile.k_contiguous ? described.outer : described.inner) =
      rows_are_whole() ? Extent{most, {}} : left(rows(), row, most);
  tile_ = described;
}

Value DirectCopies::is_there(const Piece& piece, Value k,
                             const std::optional<Extent>& k_left) const {
  Value there;
  if (k_needs_check_ && !is_whole(k_left)) there = context_.less(piece.k, *k_left);
  if (padding_.empty()) return there;
  const Value stored = context_.is_stored(padding_, piece.row, context_.add(k, piece.k));
  return there ? mlir::arith::AndIOp::create(context_.builder, there, stored).getResult() : stored;
}

Value DirectCopies::along_k(const Piece& piece, Value k) const {
  const std::int64_t bytes = operand_.tile.stored_bytes;
  if (k_axis_.is_linear()) return context_.multiply(context_.multiply(k, k_axis_.step), bytes);
  return context_.multiply(context_.buffer_place(k_axis_, context_.add(k, piece.k)), bytes);
}

void DirectCopies::copy(Value k, Value stage, const std::optional<Extent>& k_left) const {
  if (tile_) return copy_tile(k, stage, k_left);
  for (const Piece& piece : pieces_) {
    if (is_async()) {
      copy_lane(piece, k, stage, k_left);
      continue;
    }
    Value offset = piece.offset, beyond = along_k(piece, k);
    if (!k_axis_.is_linear()) {
      offset = context_.add(offset, beyond);
      beyond = context_.constant(0);
    }
    if (const Value there = is_there(piece, k, k_left)) offset = context_.or_outside(there, offset);
    copy_to_shared(context_, from_, offset, beyond,
                   stage ? context_.add(piece.to, stage) : piece.to);
  }
}

// Offsets that are the same for all lanes are added to the pointer, which lies in scalar registers.
void DirectCopies::copy_lane(const Piece& piece, Value k, Value stage,
                             const std::optional<Extent>& k_left) const {
  Value from = from_, offset = piece.offset;
  if (k_axis_.is_linear())
    from = context_.further(from, context_.wide(along_k(piece, k)));
  else
    offset = context_.add(offset, along_k(piece, k));
  from = context_.further(from, context_.wide(offset));
  if (const Value there = is_there(piece, k, k_left))
    from = mlir::arith::SelectOp::create(context_.builder, there, from, zeros_);
  copy_lane_to_shared(context_, from, stage ? context_.add(piece.to, stage) : piece.to,
                      operand_.tile.stored_bytes * operand_.patch.rows * operand_.patch.k);
}

void DirectCopies::copy_tile(Value k, Value stage, const std::optional<Extent>& k_left) const {
  TileDescriptor tile = *tile_;
  const Extent step = context_.wide(context_.scaled(k_axis_.step, operand_.tile.stored_bytes));
  tile.address = context_.add(tile.address, context_.multiply(context_.wide(k), step));
  if (stage) tile.to = context_.add(tile.to, stage);
  const bool along_k = operand_.tile.k_contiguous;
  const std::int64_t most = along_k ? tile.tile_inner : tile.tile_outer;
  (along_k ? tile.inner : tile.outer) =
      is_whole(k_left) ? Extent{most, {}} : left(*k_left, first_k_, most);
  copy_tile_to_shared(context_, tile);
}

}  // namespace heddle::compiler
