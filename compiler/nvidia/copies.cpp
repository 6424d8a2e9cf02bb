#include "compiler/nvidia/copies.h"

namespace heddle::compiler {

using mlir::Value;

std::vector<Value> MappedMatrix::coordinates(const WarpgroupContext& context,
                                             const LoopNumbers& numbers) const {
  std::vector<Value> all;
  for (const MapDimension& dimension : dimensions) {
    const Value number = numbers[static_cast<std::size_t>(dimension.group)];
    const Value whole = number ? context.divide(number, dimension.every) : context.constant(0);
    all.push_back(dimension.count == 0 ? whole : context.remainder(whole, dimension.count));
  }
  return all;
}

void Copies::start(const BlockTile& tile, Value step, Value stage, Value full) const {
  const Value k = context_.multiply(step, context_.plan.block_k);
  const LoopNumbers numbers{tile.m, tile.n, k, tile.batch};
  operand(instruction::Operand::a, numbers, stage, full);
  operand(instruction::Operand::b, numbers, context_.add(stage, context_.plan.a_bytes()), full);
}

void Copies::operand(instruction::Operand operand, LoopNumbers numbers, Value address,
                     Value full) const {
  const plan::WarpgroupPlan& plan = context_.plan;
  const bool is_a = operand == instruction::Operand::a;
  const instruction::SharedTile panel = plan.panel(operand);
  const bool k_major = panel.major == instruction::Major::k;
  // How many thread blocks of the cluster need this operand's tile, and this block's number among
  // them.
  const int sharers = is_a ? plan.cluster_n : plan.cluster_m;
  const Value part = is_a ? context_.divide(context_.rank, plan.cluster_m)
                          : context_.remainder(context_.rank, plan.cluster_m);
  const plan::CopyBox box = plan.copy_box(operand);
  // Each of these thread blocks copies only its part of the tile.
  Value first = address;
  Value& mn = numbers[static_cast<std::size_t>(is_a ? plan::Loop::m : plan::Loop::n)];
  Value& k = numbers[static_cast<std::size_t>(plan::Loop::k)];
  Value& along = k_major ? k : mn;
  if (sharers > 1) {
    first = context_.add(first, context_.multiply(part, box.bytes_of_part));
    Value& shared = k_major || !box.of_lines ? mn : k;
    shared = context_.add(shared, context_.multiply(part, box.elements_of_part));
  }
  Value mask;
  if (sharers > 1) {  // bit i: block i gets a copy
    int pattern = 0;
    for (int i = 0; i < sharers; ++i) pattern |= 1 << (is_a ? i * plan.cluster_m : i);
    const Value shift =
        is_a ? context_.remainder(context_.rank, plan.cluster_m)
             : context_.multiply(context_.divide(context_.rank, plan.cluster_m), plan.cluster_m);
    const Value word =
        mlir::arith::ShLIOp::create(context_.builder, context_.constant(pattern), shift);
    mask = mlir::arith::TruncIOp::create(context_.builder, context_.builder.getI16Type(), word);
  }
  const MappedMatrix& matrix = is_a ? a_ : b_;
  const Value first_along = along;
  for (int i = 0; i < box.copies; ++i) {
    along = context_.add(first_along, i * box.line_elements);
    const Value place = context_.shared_pointer(context_.add(first, i * plan.panel_bytes(operand)),
                                                SharedSpace::cluster);
    mlir::NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        context_.builder, place, matrix.map, matrix.coordinates(context_, numbers),
        context_.shared_pointer(full), mlir::ValueRange(), mask, /*l2CacheHint=*/Value(),
        mlir::NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, /*group=*/nullptr,
        /*predicate=*/Value());
  }
}

}  // namespace heddle::compiler
