#include "compiler/amd/scales.h"

#include "compiler/amd/read_matrix.h"
#include "compiler/decisions/block_scales.h"
#include "compiler/kernel/index_code.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

using mlir::Value;

Scales::Scales(const KernelContext& context, const plan::OperandPlan& operand,
               const std::vector<Value>& buffers)
    : context_(context),
      operand_(operand),
      units_(plan::scale_block / context.plan.problem.elements_of_unit()) {
  if (buffers.empty()) return;
  buffer_ = buffers[0];
  const bool is_a = operand.tile.row == "m";
  matrix_ = is_a ? context.request.a_extras[0] : context.request.b_extras[0];
  if (!is_a) std::swap(matrix_.row, matrix_.column);
  matrix_.column = in_blocks(matrix_.column, units_);
  row_ = context.add(is_a ? context.block_m : context.block_n,
                     thread_coordinate(context, operand.scales, operand.tile.row));
  block_ = thread_coordinate(context, operand.scales, "k");
}

std::vector<Value> Scales::load(Value tile_k, const std::optional<Extent>& k_left) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const layout::AxisList& inputs = operand_.scales.inputs();
  const auto atoms = inputs.size_of("atom"), k_atoms = inputs.size_of("k_atom");
  const auto count = static_cast<int>(inputs.size_of("element"));
  std::vector<Value> all;
  if (!buffer_) {
    constexpr std::int32_t ones = 0x7f7f7f7f;  // of type E8M0 each
    all.assign(atoms * k_atoms, context_.constant(ones));
    return all;
  }
  const bool is_whole = !k_left || (k_left->is_known() && k_left->known >= operand_.tile.k);
  const int width = is_whole && lies_in_steps(context_.request, matrix_, count) ? count : 1;
  ReadMatrix matrix(context_, matrix_, buffer_,
                    {row_, context_.add(context_.divide(tile_k, units_), block_)});
  const auto byte_at = [&](std::int64_t down, std::int64_t right) {
    const Value byte = matrix.at(down, right);
    Value word = mlir::arith::ExtUIOp::create(builder, builder.getI32Type(), byte);
    if (is_whole) return word;
    const Value k = context_.multiply(context_.add(block_, right), units_);
    return mlir::arith::SelectOp::create(builder, context_.less(k, *k_left), word,
                                         context_.constant(0))
        .getResult();
  };
  for (std::uint64_t atom = 0; atom < atoms; ++atom) {
    for (std::uint64_t k_atom = 0; k_atom < k_atoms; ++k_atom) {
      const auto place = operand_.scales.apply({{"atom", atom}, {"k_atom", k_atom}}).value();
      const auto down = static_cast<std::int64_t>(place.at(operand_.tile.row));
      const auto right = static_cast<std::int64_t>(place.at("k"));
      if (width > 1) {
        const auto word = mlir::VectorType::get({1}, builder.getI32Type());
        const Value four = matrix.at(down, right, width);
        all.push_back(mlir::vector::ExtractOp::create(
            builder, mlir::vector::BitCastOp::create(builder, word, four), 0));
        continue;
      }
      Value word;
      for (int i = 0; i < count; ++i) {
        Value byte = byte_at(down, right + i);
        if (i > 0) byte = mlir::arith::ShLIOp::create(builder, byte, context_.constant(8 * i));
        word = word ? mlir::arith::OrIOp::create(builder, word, byte).getResult() : byte;
      }
      all.push_back(word);
    }
  }
  return all;
}

}  // namespace heddle::compiler
