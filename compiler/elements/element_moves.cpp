// The part of ElementCode (element_code.h) for operations that move elements to other places, and
// for the sizes of their results.
#include <functional>

#include "compiler/elements/element_code.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

}  // namespace

std::vector<Value> ElementCode::sizes(Value tensor) {
  std::vector<Value> all;
  const auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  for (unsigned dim = 0; dim < type.getRank(); ++dim) all.push_back(size(tensor, dim));
  return all;
}

Value ElementCode::size(Value tensor, unsigned dim) {
  const auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim)) return place(type.getDimSize(dim));
  const Key key{tensor.getAsOpaquePointer(), {nullptr, reinterpret_cast<const void*>(dim + 1ul)}};
  if (const auto known = found(key)) return known->front();
  const Value computed = computed_size(tensor, dim);
  known_.back()[key] = {computed};
  return computed;
}

// The size of a dynamic dimension of `tensor`, computed from the operands of the operation that
// makes the tensor.
Value ElementCode::computed_size(Value tensor, unsigned dim) {
  if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(tensor)) {
    const BufferRecord& buffer = request_.buffers[argument.getArgNumber()];
    const DynamicSize& size = buffer.dynamic_sizes[dim];
    if (buffer.shape[dim] >= 0) return place(buffer.shape[dim]);
    const auto parameter = static_cast<std::size_t>(size_parameter(request_, size.loop));
    return made<arith::MulIOp>(widened(arguments_[parameter]), place(size.times));
  }
  const auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  const auto dynamic = [&](mlir::ValueRange sizes) {
    return number(sizes[type.getDynamicDimIndex(dim)]);
  };
  return llvm::TypeSwitch<Operation*, Value>(tensor.getDefiningOp())
      .Case([&](mlir::linalg::LinalgOp linalg) {
        return size(linalg.getDpsInits()[mlir::cast<mlir::OpResult>(tensor).getResultNumber()],
                    dim);
      })
      .Case<tensor::EmptyOp, tensor::SplatOp>(
          [&](auto one) { return dynamic(one.getDynamicSizes()); })
      .Case([&](tensor::GenerateOp one) { return dynamic(one.getDynamicExtents()); })
      .Case([&](mlir::bufferization::AllocTensorOp one) {
        return one.getCopy() ? size(one.getCopy(), dim) : dynamic(one.getDynamicSizes());
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        const llvm::SmallBitVector dropped = slice.getDroppedDims();
        unsigned from = 0;
        for (unsigned next = 0; dropped[from] || next++ != dim;) ++from;
        return number(slice.getMixedSizes()[from]);
      })
      .Case([&](tensor::InsertSliceOp insert) { return size(insert.getDest(), dim); })
      .Case([&](tensor::CastOp cast) { return size(cast.getSource(), dim); })
      .Case([&](tensor::PadOp pad) {
        const Value inner =
            made<arith::AddIOp>(size(pad.getSource(), dim), number(pad.getMixedLowPad()[dim]));
        return made<arith::AddIOp>(inner, number(pad.getMixedHighPad()[dim]));
      })
      .Case([&](tensor::ConcatOp concat) {
        const auto inputs = concat.getInputs();
        Value all = size(inputs[0], dim);
        if (dim == concat.getDim())
          for (const Value input : inputs.drop_front())
            all = made<arith::AddIOp>(all, size(input, dim));
        return all;
      })
      .Case([&](tensor::ExpandShapeOp expand) { return number(expand.getMixedOutputShape()[dim]); })
      .Case([&](tensor::CollapseShapeOp collapse) {
        Value all = place(1);
        const auto groups = collapse.getReassociationIndices();
        for (const std::int64_t one : groups[dim])
          all = made<arith::MulIOp>(all, size(collapse.getSrc(), static_cast<unsigned>(one)));
        return all;
      })
      .Case([&](tensor::GatherOp gather) {
        const auto batch = static_cast<unsigned>(gather.getIndicesType().getRank()) - 1;
        if (dim < batch) return size(gather.getIndices(), dim);
        const auto gathered = gather.getGatherDims();
        const bool keeps_all = type.getRank() == batch + gather.getSourceType().getRank();
        unsigned from = 0;
        const auto is_left_out = [&] {
          return !keeps_all && llvm::is_contained(gathered, static_cast<std::int64_t>(from));
        };
        for (unsigned next = batch; is_left_out() || next++ != dim;) ++from;
        return size(gather.getSource(), from);
      })
      .Default([&](Operation* operation) {
        const Value like = *llvm::find_if(operation->getOperands(), [&](Value operand) {
          const auto own = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType());
          return own && own.getRank() == type.getRank();
        });
        return size(like, dim);
      });
}

// The number of iterations of each loop. A value is null if that is unknown, because no dimension
// of an operand has this loop alone as its index.
std::vector<Value> ElementCode::loop_sizes(mlir::linalg::LinalgOp linalg) {
  const auto known = linalg.getStaticLoopRanges();
  std::vector<Value> all(known.size());
  for (std::size_t loop = 0; loop < all.size(); ++loop)
    if (!mlir::ShapedType::isDynamic(known[loop])) all[loop] = place(known[loop]);
  for (mlir::OpOperand& operand : linalg->getOpOperands()) {
    if (!mlir::isa<mlir::RankedTensorType>(operand.get().getType())) continue;
    for (auto [dim, expression] :
         llvm::enumerate(linalg.getMatchingIndexingMap(&operand).getResults()))
      if (const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
          loop && !all[loop.getPosition()])
        all[loop.getPosition()] = size(operand.get(), static_cast<unsigned>(dim));
  }
  return all;
}

Value ElementCode::of_slice(tensor::ExtractSliceOp slice, const Places& places) {
  const llvm::SmallBitVector dropped = slice.getDroppedDims();
  Places at;
  std::size_t next = 0;
  for (unsigned dim = 0; dim < slice.getMixedOffsets().size(); ++dim) {
    Value from = number(slice.getMixedOffsets()[dim]);
    if (!dropped[dim])
      from = made<arith::AddIOp>(
          from, made<arith::MulIOp>(places[next++], number(slice.getMixedStrides()[dim])));
    at.push_back(from);
  }
  return element(slice.getSource(), at);
}

Value ElementCode::of_insertion(tensor::InsertSliceOp insert, const Places& places) {
  const llvm::SmallBitVector dropped = insert.getDroppedDims();
  Value inside = constant(builder_.getI1Type(), 1);
  Places at;
  const auto also = [&](Value condition) { inside = made<arith::AndIOp>(inside, condition); };
  for (unsigned dim = 0; dim < places.size(); ++dim) {
    const Value from = number(insert.getMixedOffsets()[dim]);
    const mlir::OpFoldResult size = insert.getMixedSizes()[dim];
    const auto known = mlir::getConstantIntValue(size);
    const std::int64_t step = *mlir::getConstantIntValue(insert.getMixedStrides()[dim]);
    const bool is_whole =
        known && *known == mlir::cast<mlir::RankedTensorType>(insert.getDestType()).getDimSize(dim);
    Value along = is_whole ? places[dim] : made<arith::SubIOp>(places[dim], from);
    if (!is_whole) {
      const Value end =
          known ? place((*known - 1) * step + 1) : made<arith::MulIOp>(number(size), place(step));
      also(builder_.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, along, end));
      if (step != 1) {
        const Value rest = made<arith::RemUIOp>(along, place(step));
        also(builder_.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, rest, place(0)));
        along = made<arith::DivUIOp>(along, place(step));
      }
    }
    if (!dropped[dim]) at.push_back(along);
  }
  return either(
      inside, [&] { return element(insert.getSource(), at); },
      [&] { return element(insert.getDest(), places); });
}

Value ElementCode::of_concat(tensor::ConcatOp concat, const Places& places) {
  const auto dim = static_cast<std::size_t>(concat.getDim());
  const auto inputs = concat.getInputs();
  const std::function<Value(std::size_t, Value)> from = [&](std::size_t input,
                                                            Value begin) -> Value {
    Places at = places;
    at[dim] = made<arith::SubIOp>(places[dim], begin);
    if (input + 1 == inputs.size()) return element(inputs[input], at);
    const Value end = made<arith::AddIOp>(begin, size(inputs[input], static_cast<unsigned>(dim)));
    return either(
        is_less(places[dim], end), [&] { return element(inputs[input], at); },
        [&] { return from(input + 1, end); });
  };
  return from(0, place(0));
}

Value ElementCode::of_pad(tensor::PadOp pad, const Places& places) {
  Value inside = constant(builder_.getI1Type(), 1);
  Places at;
  for (unsigned dim = 0; dim < places.size(); ++dim) {
    const Value low = number(pad.getMixedLowPad()[dim]);
    at.push_back(made<arith::SubIOp>(places[dim], low));
    const bool is_padded = mlir::getConstantIntValue(pad.getMixedLowPad()[dim]) != 0 ||
                           mlir::getConstantIntValue(pad.getMixedHighPad()[dim]) != 0;
    if (is_padded)
      inside = made<arith::AndIOp>(
          inside, builder_.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, at.back(),
                                                       size(pad.getSource(), dim)));
  }
  return either(
      inside, [&] { return element(pad.getSource(), at); },
      [&] { return of_block(pad.getRegion().front(), places); });
}

// The element of a gather's result. The dimensions of the result are those of the indices, then
// those of the slice of the source that an index selects. In the slice, gathered dimensions have
// size 1 or are left out (is_reduced).
Value ElementCode::of_gather(tensor::GatherOp gather, const Places& places) {
  const auto batch = static_cast<std::size_t>(gather.getIndicesType().getRank()) - 1;
  const auto gathered = gather.getGatherDims();
  const auto rank = static_cast<std::size_t>(gather.getSourceType().getRank());
  const bool is_reduced = places.size() == batch + rank - gathered.size();
  Places at(rank), of_index(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(batch));
  std::size_t next = batch;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const auto found = llvm::find(gathered, static_cast<std::int64_t>(dim));
    if (found == gathered.end()) {
      at[dim] = places[next++];
      continue;
    }
    if (!is_reduced) ++next;
    Places where = of_index;
    where.push_back(place(found - gathered.begin()));
    const Value index = element(gather.getIndices(), where);
    at[dim] =
        index.getType().isIndex()
            ? index
            : arith::IndexCastOp::create(builder_, builder_.getIndexType(), index).getResult();
  }
  return element(gather.getSource(), at);
}

// `places` is an element of the result of an expansion. Returns its place in the source: the places
// in each group of dimensions are joined to one number.
Places ElementCode::expanded(tensor::ExpandShapeOp expand, const Places& places) {
  Places at;
  for (const auto& group : expand.getReassociationIndices()) {
    Value all = place(0);
    for (const std::int64_t dim : group) {
      const auto own = static_cast<std::size_t>(dim);
      const Value before =
          made<arith::MulIOp>(all, size(expand.getResult(), static_cast<unsigned>(dim)));
      all = made<arith::AddIOp>(before, places[own]);
    }
    at.push_back(all);
  }
  return at;
}

Places ElementCode::collapsed(tensor::CollapseShapeOp collapse, const Places& places) {
  const std::vector<Value> all = sizes(collapse.getSrc());
  Places at(all.size(), place(0));
  for (auto [number, group] : llvm::enumerate(collapse.getReassociationIndices())) {
    Value rest = places[number];
    for (std::size_t i = group.size(); i-- > 0;) {
      const auto dim = static_cast<std::size_t>(group[i]);
      const bool is_first = i == 0;
      if (mlir::getConstantIntValue(all[dim]) == 1) continue;
      at[dim] = is_first ? rest : made<arith::RemUIOp>(rest, all[dim]);
      if (!is_first) rest = made<arith::DivUIOp>(rest, all[dim]);
    }
  }
  return at;
}

}  // namespace heddle::compiler
