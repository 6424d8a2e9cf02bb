#include "compiler/nvidia/copies.h"

namespace heddle::compiler {

using mlir::Value;

void Copies::start(const Tile& tile, Value step, Value stage, Value full) const {
  const Value k = context_.multiply(step, context_.plan.block_k);
  operand(instruction::Operand::a, tile.m, k, stage, full);
  operand(instruction::Operand::b, tile.n, k, context_.add(stage, context_.plan.a_bytes()), full);
}

void Copies::operand(instruction::Operand operand, Value mn, Value k, Value address,
                     Value full) const {
  const plan::WarpgroupPlan& plan = context_.plan;
  const bool is_a = operand == instruction::Operand::a;
  const instruction::SharedTile panel = plan.panel(operand);
  const bool k_major = panel.major == instruction::Major::k;
  // Blocks that share the operand, and the number of this one among them.
  const int sharers = is_a ? plan.cluster_n : plan.cluster_m;
  const Value part = is_a ? context_.divide(context_.rank, plan.cluster_m)
                          : context_.remainder(context_.rank, plan.cluster_m);
  const plan::CopyBox box = plan.copy_box(operand);
  // The part of a panel, or of the panels, that this block copies.
  Value first = address, across = k_major ? mn : k, along = k_major ? k : mn;
  if (sharers > 1) {
    first = context_.add(first, context_.multiply(part, box.bytes_of_part));
    const Value ahead = context_.multiply(part, box.elements_of_part);
    (k_major ? across : along) = context_.add(mn, ahead);
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
  for (int i = 0; i < box.copies; ++i) {
    std::vector<Value> operands{context_.add(first, i * plan.panel_bytes(operand)),
                                is_a ? a_map_ : b_map_, context_.add(along, i * box.line_elements),
                                across, full};
    if (mask) operands.push_back(mask);
    context_.ptx(
        std::string("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
                    "bytes") +
            (mask ? ".multicast::cluster" : "") + " [$0], [$1, {$2, $3}], [$4]" +
            (mask ? ", $5;" : ";"),
        mask ? "r,l,r,r,r,h" : "r,l,r,r,r", operands);
  }
}

}  // namespace heddle::compiler
