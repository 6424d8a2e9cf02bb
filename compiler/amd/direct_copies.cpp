#include "compiler/amd/direct_copies.h"

#include "compiler/amd/staging.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace heddle::compiler {

using mlir::Value;

DirectCopies::DirectCopies(const KernelContext& context, const plan::OperandPlan& operand,
                           Value buffer, std::uint32_t start)
    : context_(context), operand_(operand), buffer_(buffer) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const bool is_a = operand.tile.row == "m";
  const MatrixRecord& matrix = is_a ? context.request.a : context.request.b;
  const AxisExtent row_axis = context.extent(is_a ? matrix.row : matrix.column);
  k_axis_ = context.extent(is_a ? matrix.column : matrix.row);
  const Extent& rows = context.size(is_a ? plan::Loop::m : plan::Loop::n);
  const bool rows_need_check =
      (!rows.is_known() || rows.known % operand.tile.rows != 0) &&
      (!operand.tile.k_contiguous ||
       comes_back(context, operand.tile, row_axis, rows, k_axis_, context.size(plan::Loop::k)));
  k_needs_check_ =
      operand.tile.k_contiguous ||
      comes_back(context, operand.tile, k_axis_, context.size(plan::Loop::k), row_axis, rows);
  const layout::LinearLayout& map = operand.chosen.staging.map;
  const Value lane_row = thread_coordinate(context, map, operand.tile.row);
  const Value lane_k = thread_coordinate(context, map, "k");
  const Value block = is_a ? context.block_m : context.block_n;
  // What a wave has in common is a scalar: its number, and where its pieces begin in LDS.
  const Value warp =
      mlir::ROCDL::ReadfirstlaneOp::create(builder, context.warp.getType(), context.warp);
  const ThreadContext wave{builder, context.constant(0), warp};
  const SharedAddresses addresses(wave, operand.chosen.shared(), operand.chosen.stores, start);
  // A swizzle moves the same bits of a place by the lane and by the step: they are xored.
  const auto moved = [&](Value by_thread, std::uint64_t by_step) -> Value {
    if (by_step == 0) return by_thread;
    return mlir::arith::XOrIOp::create(builder, by_thread,
                                       context.constant(static_cast<std::int64_t>(by_step)));
  };
  const std::int64_t bytes = operand.tile.stored_bytes;
  // Which of the groups of waves it is that have a tile each.
  const int groups = plan::copying_groups(map);
  Value group;
  if (groups > 1) {
    const auto waves = map.inputs().bits_of("warp") - plan::bits_of(groups);
    group = mlir::arith::ShRUIOp::create(builder, warp, context.constant(waves));
  }
  for (std::uint64_t step = 0; step < map.input_size("step"); ++step) {
    const auto place = map.apply({{"step", step}}).value();
    const Value row = context.add(moved(lane_row, place.at(operand.tile.row)), block);
    Piece piece;
    piece.k = moved(lane_k, place.at("k"));
    const Value elements =
        context.add(context.place(row_axis, row), context.multiply(piece.k, k_axis_.step));
    piece.offset = context.multiply(elements, bytes);
    if (rows_need_check) piece.offset = context.or_outside(context.less(row, rows), piece.offset);
    if (group) piece.offset = context.or_outside(context.equal(group, 0), piece.offset);
    const SharedAddresses::Place to = addresses.at({{"step", step}});
    piece.to = context.multiply(context.add(to.base, to.constant), bytes);
    if (group) {
      const auto tile = static_cast<std::int64_t>(operand.chosen.placement.bytes) / groups;
      piece.to = context.add(piece.to, context.multiply(group, tile));
    }
    context.named(is_a ? "a_offset" : "b_offset", piece.offset);
    pieces_.push_back(piece);
  }
}

void DirectCopies::copy(Value k, Value stage, const std::optional<Extent>& k_left) const {
  const bool is_whole =
      !k_left || (k_left->is_known() && k_left->known >= operand_.tile.k) || !k_needs_check_;
  const Value beyond = context_.multiply(context_.multiply(k, k_axis_.step),
                                         std::int64_t{operand_.tile.stored_bytes});
  for (const Piece& piece : pieces_) {
    Value offset = piece.offset;
    if (!is_whole) offset = context_.or_outside(context_.less(piece.k, *k_left), offset);
    copy_to_shared(context_, buffer_, offset, beyond,
                   stage ? context_.add(piece.to, stage) : piece.to);
  }
}

}  // namespace heddle::compiler
