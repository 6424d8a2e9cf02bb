// The part of VectorReader that reads and writes memory and tensors; see vector_values.h.
#include "compiler/reader/values.h"
#include "compiler/reader/vector_reader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::VectorType;
using Places = llvm::SmallVector<mlir::OpFoldResult>;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;
namespace vector = mlir::vector;

// The box of elements of the base (a memref or tensor) that an access covers, and the dimensions of
// the base along which the vector's dimensions run.
struct Box {
  Places offsets, sizes, strides;
  llvm::SmallVector<std::int64_t> shape;  // of the dimensions that the vector has, in their order
  llvm::SmallVector<int> dims;            // of the base, for each of the vector; -1: repeated
};

bool is_known_inside(mlir::OpFoldResult offset, std::int64_t size, std::int64_t of) {
  const auto known = mlir::getConstantIntValue(offset);
  return known && *known >= 0 && !mlir::ShapedType::isDynamic(of) && *known + size <= of;
}

}  // namespace

bool VectorReader::read_transfer(vector::TransferReadOp read, Value mask) {
  std::vector<bool> inside;
  for (const mlir::Attribute one : read.getInBounds())
    inside.push_back(mlir::cast<mlir::BoolAttr>(one).getValue());
  return read_memory({read, read.getBase(), read.getIndices(), read.getPermutationMap(),
                      read.getVectorType(), inside, mask, read.getPadding()},
                     read.getResult());
}

bool VectorReader::write_transfer(vector::TransferWriteOp write, Value mask) {
  std::vector<bool> inside;
  for (const mlir::Attribute one : write.getInBounds())
    inside.push_back(mlir::cast<mlir::BoolAttr>(one).getValue());
  return write_memory({write,
                       write.getBase(),
                       write.getIndices(),
                       write.getPermutationMap(),
                       write.getVectorType(),
                       inside,
                       mask,
                       {}},
                      tensor(write.getVector()));
}

// For each dimension of a vector, the dimension of the base along which it runs; -1 if all
// positions along the vector's dimension are the same element of the base.
static llvm::SmallVector<int> base_dims(AffineMap map) {
  llvm::SmallVector<int> dims;
  for (const mlir::AffineExpr place : map.getResults()) {
    const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(place);
    dims.push_back(dim ? static_cast<int>(dim.getPosition()) : -1);
  }
  return dims;
}

static Box box_of(mlir::OpBuilder& builder, mlir::ValueRange indices, AffineMap map,
                  VectorType vector) {
  Box box;
  box.dims = base_dims(map);
  for (const auto& [dim, index] : llvm::enumerate(indices)) {
    box.offsets.push_back(mlir::getAsOpFoldResult(index));
    std::int64_t size = 1;
    for (const auto& [of_vector, of_base] : llvm::enumerate(box.dims))
      if (of_base == static_cast<int>(dim)) {
        size = vector.getDimSize(static_cast<unsigned>(of_vector));
        box.shape.push_back(size);
      }
    box.sizes.push_back(builder.getIndexAttr(size));
    box.strides.push_back(builder.getIndexAttr(1));
  }
  return box;
}

bool VectorReader::read_memory(const Access& access, Value result) {
  Value base = tensor(access.base);
  const auto type = mlir::dyn_cast<mlir::ShapedType>(base.getType());
  if (!type || !type.hasRank() || mlir::isa<VectorType>(type.getElementType()))
    return refuse(*access.operation, "vectors from memrefs and tensors of numbers");
  if (mlir::isa<mlir::MemRefType>(base.getType()))
    base = mlir::bufferization::ToTensorOp::create(
        builder_, place(), RankedTensorType::get(type.getShape(), type.getElementType()), base);
  const auto made = tensor_type(access.vector);
  const Box box = box_of(builder_, access.indices, access.map, access.vector);
  bool is_inside = !access.mask;
  for (const auto& [of_vector, dim] : llvm::enumerate(box.dims)) {
    if (dim < 0) continue;
    const auto at = static_cast<std::size_t>(dim);
    is_inside = is_inside &&
                (access.is_inside[of_vector] ||
                 is_known_inside(box.offsets[at], made.getDimSize(static_cast<unsigned>(of_vector)),
                                 type.getDimSize(static_cast<unsigned>(dim))));
  }
  if (!is_inside) {
    set(result, guarded_read(access, base));
    return true;
  }
  const Value part = slice(base, box.offsets, box.sizes, box.strides,
                           RankedTensorType::get(box.shape, type.getElementType()));
  llvm::SmallVector<unsigned> present;
  for (const int dim : box.dims)
    if (dim >= 0) present.push_back(static_cast<unsigned>(dim));
  llvm::SmallVector<unsigned> sorted(present);
  llvm::sort(sorted);
  llvm::SmallVector<mlir::AffineExpr> places(sorted.size());
  for (const auto& [of_vector, dim] : llvm::enumerate(box.dims))
    if (dim >= 0)
      places[static_cast<std::size_t>(llvm::find(sorted, static_cast<unsigned>(dim)) -
                                      sorted.begin())] =
          builder_.getAffineDimExpr(static_cast<unsigned>(of_vector));
  set(result, mapped(part,
                     AffineMap::get(static_cast<unsigned>(made.getRank()), 0, places,
                                    builder_.getContext()),
                     made));
  return true;
}

// Reads each element of the vector by itself. The value is the padding if the element's index is
// out of bounds, or its bit in the mask is not set.
Value VectorReader::guarded_read(const Access& access, Value base) {
  const auto type = tensor_type(access.vector);
  const llvm::SmallVector<int> dims = base_dims(access.map);
  const auto from = mlir::cast<RankedTensorType>(base.getType());
  llvm::SmallVector<Value> lengths;
  for (std::int64_t i = 0; i < from.getRank(); ++i)
    lengths.push_back(from.isDynamicDim(static_cast<unsigned>(i))
                          ? tensor::DimOp::create(builder_, place(), base, i).getResult()
                          : index(from.getDimSize(static_cast<unsigned>(i))));
  const Value zero = index(0), one = index(1);
  llvm::SmallVector<Value> inputs;
  llvm::SmallVector<AffineMap> maps;
  if (access.mask) {
    // The mask's dimensions are in the order of the base; those along which the vector repeats are
    // left out.
    inputs.push_back(tensor(access.mask));
    maps.push_back(
        mlir::inverseAndBroadcastProjectedPermutation(mlir::compressUnusedDims(access.map)));
  }
  maps.push_back(builder_.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank())));
  const auto body = [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
    Value is_read = access.mask ? read[0] : Value();
    llvm::SmallVector<Value> places;
    for (std::int64_t dim = 0; dim < from.getRank(); ++dim) {
      Value here = access.indices[static_cast<unsigned>(dim)];
      const auto found = llvm::find(dims, static_cast<int>(dim));
      if (found != dims.end()) {
        const Value step =
            linalg::IndexOp::create(inside, at, static_cast<std::uint64_t>(found - dims.begin()));
        here = arith::AddIOp::create(inside, at, here, step);
      }
      const Value length = lengths[static_cast<std::size_t>(dim)];
      const Value is_inside =
          arith::CmpIOp::create(inside, at, arith::CmpIPredicate::ult, here, length);
      is_read =
          is_read ? arith::AndIOp::create(inside, at, is_read, is_inside).getResult() : is_inside;
      const Value last = arith::SubIOp::create(inside, at, length, one);
      here =
          arith::MinSIOp::create(inside, at, arith::MaxSIOp::create(inside, at, here, zero), last);
      places.push_back(here);
    }
    const Value number = tensor::ExtractOp::create(inside, at, base, places);
    Value padding = access.padding;
    if (!is_read) is_read = arith::ConstantIntOp::create(inside, at, 1, 1);
    const Value chosen = arith::SelectOp::create(inside, at, is_read, number, padding);
    linalg::YieldOp::create(inside, at, chosen);
  };
  const llvm::SmallVector<mlir::utils::IteratorType> kinds(static_cast<std::size_t>(type.getRank()),
                                                           mlir::utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder_, place(), type, inputs, empty(type), maps, kinds, body)
      .getResult(0);
}

// Writes the elements of the vector whose indices are in bounds and that the mask selects. Refused
// if it is not known at compile time which elements are in bounds.
bool VectorReader::write_memory(const Access& access, Value value) {
  const Value base = tensor(access.base);
  const auto type = mlir::dyn_cast<mlir::ShapedType>(base.getType());
  if (!type || !type.hasRank() || mlir::isa<VectorType>(type.getElementType()))
    return refuse(*access.operation, "vectors into memrefs and tensors of numbers");
  Box box = box_of(builder_, access.indices, access.map, access.vector);
  const bool is_permutation = llvm::none_of(box.dims, [](int dim) { return dim < 0; });
  if (!is_permutation) return refuse(*access.operation, "a vector without repetitions");
  // Transposes the vector, so that its dimensions are in the same order as the base's dimensions.
  llvm::SmallVector<std::int64_t> order;
  for (std::size_t i = 0; i < box.dims.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
  llvm::sort(order, [&](std::int64_t x, std::int64_t y) {
    return box.dims[static_cast<std::size_t>(x)] < box.dims[static_cast<std::size_t>(y)];
  });
  const auto moved = RankedTensorType::get(box.shape, type.getElementType());
  if (!llvm::is_sorted(order))
    value =
        linalg::TransposeOp::create(builder_, place(), value, empty(moved), order)->getResult(0);
  // Cuts off the elements beyond the end of the base.
  Places zeros, kept, ones;
  llvm::SmallVector<std::int64_t> shape(box.shape);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto of_vector = static_cast<std::size_t>(order[i]);
    const auto dim = static_cast<unsigned>(box.dims[of_vector]);
    const std::int64_t length = type.getDimSize(dim);
    const auto offset = mlir::getConstantIntValue(box.offsets[dim]);
    if (!access.is_inside[of_vector]) {
      if (!offset || *offset < 0 || mlir::ShapedType::isDynamic(length))
        return refuse(*access.operation, "in_bounds, or places that the text knows");
      shape[i] = std::min(shape[i], length - *offset);
      if (shape[i] <= 0) return refuse(*access.operation, "a vector that begins inside");
    }
    box.sizes[dim] = builder_.getIndexAttr(shape[i]);
    zeros.push_back(builder_.getIndexAttr(0));
    kept.push_back(builder_.getIndexAttr(shape[i]));
    ones.push_back(builder_.getIndexAttr(1));
  }
  const auto part = RankedTensorType::get(shape, type.getElementType());
  if (part != moved) value = slice(value, zeros, kept, ones, part);
  const bool is_memory = mlir::isa<mlir::MemRefType>(base.getType());
  if (access.mask) {
    Value held = base;
    if (is_memory)
      held = mlir::bufferization::ToTensorOp::create(
          builder_, place(), RankedTensorType::get(type.getShape(), type.getElementType()), base);
    Value mask = tensor(access.mask);
    if (part != moved)
      mask = slice(mask, zeros, kept, ones, RankedTensorType::get(shape, builder_.getI1Type()));
    const Value before = slice(held, box.offsets, box.sizes, box.strides, part);
    value = arith::SelectOp::create(builder_, place(), mask, value, before);
  }
  if (!is_memory) {
    set(access.operation->getResult(0),
        tensor::InsertSliceOp::create(builder_, place(), value, base, box.offsets, box.sizes,
                                      box.strides));
    return true;
  }
  const auto view = mlir::memref::SubViewOp::inferRankReducedResultType(
      shape, mlir::cast<mlir::MemRefType>(base.getType()), box.offsets, box.sizes, box.strides);
  const bool is_whole = type.hasStaticShape() && llvm::equal(shape, type.getShape());
  const Value into = is_whole ? base
                              : mlir::memref::SubViewOp::create(
                                    builder_, place(), mlir::cast<mlir::MemRefType>(view), base,
                                    box.offsets, box.sizes, box.strides)
                                    .getResult();
  mlir::bufferization::MaterializeInDestinationOp::create(builder_, place(), mlir::Type(), value,
                                                          into, /*restrict=*/false,
                                                          /*writable=*/true);
  return true;
}

}  // namespace heddle::compiler
