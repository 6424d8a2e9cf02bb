// The part of VectorReader that reads operations on parts of vectors, and reductions; see
// vector_values.h.
#include <limits>

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
using mlir::Type;
using mlir::Value;
using mlir::VectorType;
using Places = llvm::SmallVector<mlir::OpFoldResult>;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;
namespace vector = mlir::vector;

using Kinds = llvm::SmallVector<mlir::utils::IteratorType>;

// The size of a dimension. MLIR's own accessor takes unsigned, but ranks are std::int64_t.
std::int64_t size_of(RankedTensorType type, std::int64_t dim) {
  return type.getShape()[static_cast<std::size_t>(dim)];
}

Kinds all_parallel(std::int64_t rank) {
  return Kinds(static_cast<std::size_t>(rank), mlir::utils::IteratorType::parallel);
}

}  // namespace

Value VectorReader::index(std::int64_t number) {
  return arith::ConstantIndexOp::create(builder_, place(), number);
}

Value VectorReader::empty(RankedTensorType type) {
  return tensor::EmptyOp::create(builder_, place(), type, mlir::ValueRange());
}

Value VectorReader::filled(RankedTensorType type, Value number) {
  return linalg::FillOp::create(builder_, place(), number, empty(type)).getResult(0);
}

Value VectorReader::number_in_tensor(Value number) {
  return filled(RankedTensorType::get({}, number.getType()), number);
}

Value VectorReader::number_of(Value of) {
  return tensor::ExtractOp::create(builder_, place(), of, mlir::ValueRange());
}

Value VectorReader::reshaped(Value of, RankedTensorType type) {
  const auto from = mlir::cast<RankedTensorType>(of.getType());
  if (from == type) return of;
  const auto joined = [](std::int64_t rank) {
    llvm::SmallVector<mlir::ReassociationIndices> groups;
    if (rank == 0) return groups;
    groups.emplace_back();
    for (std::int64_t i = 0; i < rank; ++i) groups.back().push_back(i);
    return groups;
  };
  const auto flat = RankedTensorType::get({from.getNumElements()}, from.getElementType());
  if (from.getRank() == 0)
    of = tensor::ExpandShapeOp::create(builder_, place(), flat, of,
                                       llvm::ArrayRef<mlir::ReassociationIndices>());
  else if (from.getRank() > 1)
    of = tensor::CollapseShapeOp::create(builder_, place(), flat, of, joined(from.getRank()));
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder_, place(), type, of,
                                           llvm::ArrayRef<mlir::ReassociationIndices>());
  if (type.getRank() == 1) return of;
  return tensor::ExpandShapeOp::create(builder_, place(), type, of, joined(type.getRank()));
}

// The number that changes nothing.
Value VectorReader::neutral(vector::CombiningKind kind, Type type) {
  using vector::CombiningKind;
  if (const auto real = mlir::dyn_cast<mlir::FloatType>(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    const bool is_least = kind == CombiningKind::MINNUMF || kind == CombiningKind::MINIMUMF;
    const double number = kind == CombiningKind::ADD   ? -0.0
                          : kind == CombiningKind::MUL ? 1.0
                          : is_least                   ? infinity
                                                       : -infinity;
    return arith::ConstantOp::create(builder_, place(), builder_.getFloatAttr(real, number));
  }
  const unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  llvm::APInt number = llvm::APInt::getZero(bits);
  if (kind == CombiningKind::MUL) number = llvm::APInt(bits, 1);
  if (kind == CombiningKind::MINSI) number = llvm::APInt::getSignedMaxValue(bits);
  if (kind == CombiningKind::MAXSI) number = llvm::APInt::getSignedMinValue(bits);
  if (kind == CombiningKind::MINUI || kind == CombiningKind::AND)
    number = llvm::APInt::getAllOnes(bits);
  return arith::ConstantOp::create(builder_, place(), builder_.getIntegerAttr(type, number));
}

// Makes a linalg operation that reduces one input, or the product of two inputs, over the loops
// with `is_summed`. `maps` are the indexing maps of the inputs and of the result. If `initial` is a
// scalar, the result is a scalar too.
Value VectorReader::sum(Operation& operation, llvm::ArrayRef<Value> inputs,
                        llvm::ArrayRef<AffineMap> maps, llvm::ArrayRef<bool> is_summed,
                        Value initial, vector::CombiningKind kind, Value mask) {
  place_ = operation.getLoc();
  const bool is_number = !mlir::isa<RankedTensorType>(initial.getType());
  if (is_number) initial = number_in_tensor(initial);
  const Type type = mlir::getElementTypeOrSelf(initial.getType());
  llvm::SmallVector<Value> operands(inputs);
  llvm::SmallVector<AffineMap> all(maps.drop_back());
  if (mask) {
    operands.push_back(mask);
    all.push_back(builder_.getMultiDimIdentityMap(static_cast<unsigned>(is_summed.size())));
  }
  all.push_back(maps.back());
  Kinds kinds;
  for (const bool summed : is_summed)
    kinds.push_back(summed ? mlir::utils::IteratorType::reduction
                           : mlir::utils::IteratorType::parallel);
  const auto body = [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
    const auto widened = [&](Value of) -> Value {
      if (of.getType() == type) return of;
      if (mlir::isa<mlir::FloatType>(type)) return arith::ExtFOp::create(inside, at, type, of);
      return arith::ExtSIOp::create(inside, at, type, of);
    };
    Value made = widened(read[0]);
    if (inputs.size() == 2) {
      const Value other = widened(read[1]);
      made = mlir::isa<mlir::FloatType>(type)
                 ? arith::MulFOp::create(inside, at, made, other).getResult()
                 : arith::MulIOp::create(inside, at, made, other).getResult();
    }
    made = vector::makeArithReduction(inside, at, kind, made, read.back());
    if (mask) made = arith::SelectOp::create(inside, at, read[inputs.size()], made, read.back());
    linalg::YieldOp::create(inside, at, made);
  };
  const Value result = linalg::GenericOp::create(builder_, place(), initial.getType(), operands,
                                                 initial, all, kinds, body)
                           .getResult(0);
  return is_number ? number_of(result) : result;
}

// A tensor of `type` with element result[i] = input[map(i)].
Value VectorReader::mapped(Value input, AffineMap map, RankedTensorType type) {
  if (map.isIdentity() && input.getType() == type) return input;
  const AffineMap maps[] = {map,
                            builder_.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank()))};
  const auto body = [](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
    linalg::YieldOp::create(inside, at, read[0]);
  };
  return linalg::GenericOp::create(builder_, place(), type, input, empty(type), maps,
                                   all_parallel(type.getRank()), body)
      .getResult(0);
}

Value VectorReader::slice(Value base, const Places& offsets, const Places& sizes,
                          const Places& strides, RankedTensorType type) {
  return tensor::ExtractSliceOp::create(builder_, place(), type, base, offsets, sizes, strides);
}

bool VectorReader::read_mask(vector::ConstantMaskOp mask) {
  const auto type = tensor_type(mask.getType());
  llvm::SmallVector<bool> bits;
  for (std::int64_t i = 0; i < type.getNumElements(); ++i) {
    bool is_set = true;
    for (std::int64_t dim = type.getRank(), rest = i; dim-- > 0; rest /= size_of(type, dim))
      is_set = is_set &&
               rest % size_of(type, dim) < mask.getMaskDimSizes()[static_cast<std::size_t>(dim)];
    bits.push_back(is_set);
  }
  set(mask, arith::ConstantOp::create(builder_, place(), mlir::DenseElementsAttr::get(type, bits)));
  return true;
}

bool VectorReader::read_mask(vector::CreateMaskOp mask) {
  const auto type = tensor_type(mask.getType());
  const auto body = [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange) {
    Value is_set;
    for (const auto& [dim, size] : llvm::enumerate(mask.getOperands())) {
      const Value here = linalg::IndexOp::create(inside, at, dim);
      const Value is_below =
          arith::CmpIOp::create(inside, at, arith::CmpIPredicate::slt, here, size);
      is_set = is_set ? arith::AndIOp::create(inside, at, is_set, is_below).getResult() : is_below;
    }
    linalg::YieldOp::create(inside, at, is_set);
  };
  const auto map = builder_.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank()));
  if (type.getRank() == 0) return refuse(*mask, "masks with dimensions");
  set(mask, linalg::GenericOp::create(builder_, place(), type, mlir::ValueRange(), empty(type), map,
                                      all_parallel(type.getRank()), body)
                .getResult(0));
  return true;
}

bool VectorReader::read_step(vector::StepOp step) {
  const auto type = tensor_type(step.getType());
  const auto body = [](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange) {
    const Value here = linalg::IndexOp::create(inside, at, 0);
    linalg::YieldOp::create(inside, at, here);
  };
  set(step, linalg::GenericOp::create(builder_, place(), type, mlir::ValueRange(), empty(type),
                                      builder_.getMultiDimIdentityMap(1), all_parallel(1), body)
                .getResult(0));
  return true;
}

bool VectorReader::read_extract(vector::ExtractOp extract) {
  const Value source = tensor(extract.getSource());
  const auto from = mlir::cast<RankedTensorType>(source.getType());
  Places offsets = extract.getMixedPosition(), sizes, strides;
  const auto type = mlir::dyn_cast<VectorType>(extract.getType());
  if (!type) {
    llvm::SmallVector<Value> indices;
    for (const mlir::OpFoldResult offset : offsets) {
      const auto known = mlir::getConstantIntValue(offset);
      indices.push_back(known ? index(*known) : mlir::cast<Value>(offset));
    }
    set(extract, tensor::ExtractOp::create(builder_, place(), source, indices));
    return true;
  }
  for (std::int64_t i = 0; i < from.getRank(); ++i) {
    const bool is_one = i < static_cast<std::int64_t>(extract.getNumIndices());
    if (!is_one) offsets.push_back(builder_.getIndexAttr(0));
    sizes.push_back(builder_.getIndexAttr(is_one ? 1 : size_of(from, i)));
    strides.push_back(builder_.getIndexAttr(1));
  }
  set(extract, slice(source, offsets, sizes, strides, tensor_type(type)));
  return true;
}

bool VectorReader::read_insert(vector::InsertOp insert) {
  const Value into = tensor(insert.getDest());
  const auto type = mlir::cast<RankedTensorType>(into.getType());
  Value part = tensor(insert.getValueToStore());
  if (!mlir::isa<RankedTensorType>(part.getType())) part = number_in_tensor(part);
  Places offsets = insert.getMixedPosition(), sizes, strides;
  for (std::int64_t i = 0; i < type.getRank(); ++i) {
    const bool is_one = i < static_cast<std::int64_t>(insert.getNumIndices());
    if (!is_one) offsets.push_back(builder_.getIndexAttr(0));
    sizes.push_back(builder_.getIndexAttr(is_one ? 1 : size_of(type, i)));
    strides.push_back(builder_.getIndexAttr(1));
  }
  set(insert,
      tensor::InsertSliceOp::create(builder_, place(), part, into, offsets, sizes, strides));
  return true;
}

bool VectorReader::read_strided(vector::ExtractStridedSliceOp extract) {
  const Value source = tensor(extract.getSource());
  const auto type = tensor_type(extract.getType());
  Places offsets, sizes, strides;
  const auto number = [](mlir::ArrayAttr all, std::int64_t at) {
    return mlir::cast<mlir::IntegerAttr>(all[static_cast<unsigned>(at)]).getInt();
  };
  const auto given = static_cast<std::int64_t>(extract.getOffsets().size());
  for (std::int64_t i = 0; i < type.getRank(); ++i) {
    offsets.push_back(builder_.getIndexAttr(i < given ? number(extract.getOffsets(), i) : 0));
    sizes.push_back(builder_.getIndexAttr(size_of(type, i)));
    strides.push_back(builder_.getIndexAttr(i < given ? number(extract.getStrides(), i) : 1));
  }
  set(extract, slice(source, offsets, sizes, strides, type));
  return true;
}

bool VectorReader::read_strided(vector::InsertStridedSliceOp insert) {
  const Value part = tensor(insert.getValueToStore()), into = tensor(insert.getDest());
  const auto from = mlir::cast<RankedTensorType>(part.getType());
  const auto type = mlir::cast<RankedTensorType>(into.getType());
  Places offsets, sizes, strides;
  for (std::int64_t i = 0; i < type.getRank(); ++i) {
    const std::int64_t of_part = i - (type.getRank() - from.getRank());
    offsets.push_back(insert.getOffsets()[static_cast<unsigned>(i)]);
    sizes.push_back(builder_.getIndexAttr(of_part < 0 ? 1 : size_of(from, of_part)));
    strides.push_back(builder_.getIndexAttr(1));
  }
  for (mlir::OpFoldResult& offset : offsets)
    offset = builder_.getIndexAttr(*mlir::getConstantIntValue(offset));
  set(insert,
      tensor::InsertSliceOp::create(builder_, place(), part, into, offsets, sizes, strides));
  return true;
}

bool VectorReader::read_elements(vector::FromElementsOp from) {
  constexpr unsigned most = 32;
  if (from.getNumOperands() > most) return refuse(*from, "at most 32 elements");
  const auto type = tensor_type(from.getType());
  const auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
  Value made = filled(flat, from.getOperand(0));
  const auto number = [&](std::int64_t of) { return Places{builder_.getIndexAttr(of)}; };
  for (unsigned i = 1; i < from.getNumOperands(); ++i)
    if (from.getOperand(i) != from.getOperand(0))
      made = tensor::InsertSliceOp::create(builder_, place(), number_in_tensor(from.getOperand(i)),
                                           made, number(i), number(1), number(1));
  set(from, reshaped(made, type));
  return true;
}

bool VectorReader::read_interleave(vector::InterleaveOp interleave) {
  const auto type = tensor_type(interleave.getType());
  Value made = empty(type);
  const auto rank = static_cast<std::size_t>(type.getRank());
  for (unsigned part = 0; part < 2; ++part) {
    Places offsets(rank, builder_.getIndexAttr(0)), sizes, strides(rank, builder_.getIndexAttr(1));
    for (const std::int64_t size : type.getShape()) sizes.push_back(builder_.getIndexAttr(size));
    offsets.back() = builder_.getIndexAttr(part);
    sizes.back() = builder_.getIndexAttr(type.getShape().back() / 2);
    strides.back() = builder_.getIndexAttr(2);
    made = tensor::InsertSliceOp::create(builder_, place(), tensor(interleave->getOperand(part)),
                                         made, offsets, sizes, strides);
  }
  set(interleave, made);
  return true;
}

bool VectorReader::read_deinterleave(vector::DeinterleaveOp deinterleave) {
  const Value source = tensor(deinterleave->getOperand(0));
  const auto type = tensor_type(deinterleave->getResult(0).getType());
  const auto rank = static_cast<std::size_t>(type.getRank());
  for (unsigned part = 0; part < 2; ++part) {
    Places offsets(rank, builder_.getIndexAttr(0)), sizes, strides(rank, builder_.getIndexAttr(1));
    for (const std::int64_t size : type.getShape()) sizes.push_back(builder_.getIndexAttr(size));
    offsets.back() = builder_.getIndexAttr(part);
    strides.back() = builder_.getIndexAttr(2);
    set(deinterleave->getResult(part), slice(source, offsets, sizes, strides, type));
  }
  return true;
}

// Reads vector.shuffle. Its mask lists the numbers of the rows of the result: rows are numbered
// through the first vector, then through the second.
bool VectorReader::read_shuffle(vector::ShuffleOp shuffle) {
  constexpr std::size_t most = 64;
  const auto numbers = shuffle.getMask();
  const auto type = tensor_type(shuffle.getType());
  const Value sources[] = {tensor(shuffle.getV1()), tensor(shuffle.getV2())};
  const auto first = mlir::cast<RankedTensorType>(sources[0].getType());
  if (numbers.size() > most || first.getRank() == 0)
    return refuse(*shuffle, "at most 64 rows of vectors with dimensions");
  const auto rank = static_cast<std::size_t>(type.getRank());
  Value made = empty(type);
  for (const auto& [to, number] : llvm::enumerate(numbers)) {
    if (number < 0) continue;  // any
    const bool is_second = number >= size_of(first, 0);
    Places offsets(rank, builder_.getIndexAttr(0)), sizes, strides(rank, builder_.getIndexAttr(1));
    for (const std::int64_t size : type.getShape()) sizes.push_back(builder_.getIndexAttr(size));
    sizes[0] = builder_.getIndexAttr(1);
    llvm::SmallVector<std::int64_t> shape(type.getShape());
    shape[0] = 1;
    offsets[0] = builder_.getIndexAttr(is_second ? number - size_of(first, 0) : number);
    const Value row = slice(sources[is_second ? 1 : 0], offsets, sizes, strides,
                            RankedTensorType::get(shape, type.getElementType()));
    offsets[0] = builder_.getIndexAttr(static_cast<std::int64_t>(to));
    made = tensor::InsertSliceOp::create(builder_, place(), row, made, offsets, sizes, strides);
  }
  set(shuffle, made);
  return true;
}

}  // namespace heddle::compiler
