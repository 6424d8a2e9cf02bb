#include "compiler/warp/transfer_code.h"

#include "compiler/warp/transfer_plan.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using layout::LinearLayout;
using mlir::Value;

// Emits code for one transfer: the memory indices of the element in each register, and the
// condition under which this element exists.
class Transfer {
 public:
  Transfer(ThreadCode& code, mlir::VectorTransferOpInterface transfer, const TransferSpace& space)
      : code_(code), transfer_(transfer), space_(space) {}

  /// The indices of the element that register `reg` holds.
  llvm::SmallVector<Value> indices(const LinearLayout& map, std::uint64_t reg) {
    llvm::SmallVector<Value> result(transfer_.getIndices());
    const llvm::SmallVector<std::uint64_t> at = coordinates(map, reg);
    for (std::size_t i = 0; i < space_.memory.size(); ++i) {
      if (space_.memory[i] < 0) continue;
      Value& index = result[static_cast<std::size_t>(space_.memory[i])];
      const int axis = static_cast<int>(i);
      if (at[i] != 0 || code_.lane_coordinate(map, axis))
        index = code_.add(index, code_.coordinate(map, reg, axis));
    }
    return result;
  }

  /// i1: true if register `reg` holds an element of the vector, and the element's indices are
  /// inside the memref. Null if that is so in every lane. If it is so in no lane, `never` is set to
  /// true.
  Value exists(const LinearLayout& map, std::uint64_t reg, bool& never) {
    Value condition;
    never = false;
    const mlir::VectorType vector = transfer_.getVectorType();
    for (std::size_t i = 0; i < space_.memory.size(); ++i) {
      const int axis = static_cast<int>(i);
      bool never_here = false;
      condition = code_.both(
          condition, code_.is_below(map, reg, axis, dimension_size(vector, axis), never_here));
      never |= never_here;
      if (space_.may_leave[i]) condition = code_.both(condition, is_inside(map, reg, axis));
    }
    return condition;
  }

 private:
  // i1: true if the index of register `reg` along `axis` is in bounds. The comparison with the size
  // is unsigned, so that negative indices are out of range.
  Value is_inside(const LinearLayout& map, std::uint64_t reg, int axis) {
    const auto along = static_cast<unsigned>(space_.memory[static_cast<std::size_t>(axis)]);
    mlir::ImplicitLocOpBuilder& builder = code_.builder;
    const Value index = code_.add(transfer_.getIndices()[along], code_.coordinate(map, reg, axis));
    const std::int64_t size = space_.type.getDimSize(along);
    const Value end =
        mlir::ShapedType::isDynamic(size)
            ? mlir::memref::DimOp::create(builder, transfer_.getBase(), along).getResult()
            : code_.index(size);
    return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ult, index, end);
  }

  ThreadCode& code_;
  mlir::VectorTransferOpInterface transfer_;
  const TransferSpace& space_;
};

// Emits ldmatrix with a computed address. The operation nvgpu.ldmatrix is not used, since its
// lowering confuses the types of small floats.
Value load_matrix_of_bytes(ThreadCode& code, Value base, llvm::ArrayRef<Value> indices,
                           const TransferPlan& plan, std::int64_t words, mlir::Type element) {
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  auto parts = mlir::memref::ExtractStridedMetadataOp::create(builder, base);
  Value address = parts.getOffset();
  for (const auto [index, stride] : llvm::zip(indices, parts.getStrides()))
    address = code.add(address, mlir::arith::MulIOp::create(builder, index, stride));
  address = code.add(mlir::memref::ExtractAlignedPointerAsIndexOp::create(builder, base), address);
  const Value number = mlir::arith::IndexCastOp::create(builder, builder.getI64Type(), address);
  const auto pointer = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 3);
  const Value place = mlir::LLVM::IntToPtrOp::create(builder, pointer, number);
  const llvm::SmallVector<mlir::Type> words_types(static_cast<std::size_t>(words),
                                                  builder.getI32Type());
  const mlir::Type type =
      words == 1 ? words_types.front()
                 : mlir::LLVM::LLVMStructType::getLiteral(builder.getContext(), words_types);
  const auto shape = mlir::NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
  const Value matrix = mlir::NVVM::LdMatrixOp::create(
      builder, type, place, static_cast<std::uint32_t>(words),
      plan.is_transposed ? mlir::NVVM::MMALayout::col : mlir::NVVM::MMALayout::row, shape,
      mlir::NVVM::LdStMatrixEltType::B16);
  llvm::SmallVector<Value> received;
  for (std::int64_t i = 0; i < words; ++i)
    received.push_back(words == 1 ? matrix
                                  : mlir::LLVM::ExtractValueOp::create(builder, matrix, i));
  return mlir::vector::BitCastOp::create(
      builder, mlir::VectorType::get({plan.registers_at_once}, element), code.vector_of(received));
}

Value read_by_matrix(ThreadCode& code, mlir::vector::TransferReadOp read, Transfer& transfer,
                     const TransferPlan& plan, mlir::VectorType type) {
  const auto element = type.getElementType();
  const std::int64_t in_word = 32 / element.getIntOrFloatBitWidth();
  const std::int64_t words = plan.registers_at_once / in_word;
  const auto loaded = mlir::VectorType::get({words, in_word}, element);
  llvm::SmallVector<Value> pieces;
  for (std::int64_t i = 0; i < plan.accesses; ++i) {
    const llvm::SmallVector<Value> indices =
        transfer.indices(plan.addresses, static_cast<std::uint64_t>(i));
    if (!mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(element)) {
      pieces.push_back(code.flat(
          mlir::nvgpu::LdMatrixOp::create(code.builder, loaded, read.getBase(), indices,
                                          plan.is_transposed, static_cast<std::uint32_t>(words))));
      continue;
    }
    pieces.push_back(load_matrix_of_bytes(code, read.getBase(), indices, plan, words, element));
  }
  return code.joined(pieces);
}

Value load(ThreadCode& code, mlir::vector::TransferReadOp read, mlir::Type type,
           mlir::ValueRange indices) {
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  const auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  if (!vector) return mlir::memref::LoadOp::create(builder, read.getBase(), indices);
  auto load = mlir::vector::LoadOp::create(builder, vector, read.getBase(), indices);
  load.setAlignment(vector.getNumElements() * (vector.getElementTypeBitWidth() / 8));
  return load;
}

// Loads the elements of one access. If they do not exist (see exists()), the result is the padding
// of the transfer, and no memory is accessed.
Value load_if(ThreadCode& code, mlir::vector::TransferReadOp read, Transfer& transfer,
              const LinearLayout& map, std::uint64_t reg, mlir::Type type) {
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  const auto padding = [&]() -> Value {
    if (!mlir::isa<mlir::VectorType>(type)) return read.getPadding();
    return mlir::vector::BroadcastOp::create(builder, type, read.getPadding());
  };
  bool never = false;
  const Value condition = transfer.exists(map, reg, never);
  if (never) return padding();
  const llvm::SmallVector<Value> indices = transfer.indices(map, reg);
  if (!condition) return load(code, read, type, indices);
  auto choice = mlir::scf::IfOp::create(builder, mlir::TypeRange(type), condition, true);
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  mlir::scf::YieldOp::create(builder, load(code, read, type, indices));
  builder.setInsertionPointToStart(choice.elseBlock());
  mlir::scf::YieldOp::create(builder, padding());
  return choice.getResult(0);
}

// If several lanes hold copies of the same elements, only one of them writes. i1: true in the lane
// that writes. Null if no lane holds copies, so that all lanes write.
Value is_first_of_copies(ThreadCode& code, const LinearLayout& map) {
  std::int64_t copies = 0;
  const int first = map.inputs().offset(map.inputs().find("lane"));
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit)
    if (map.basis(first + bit) == 0) copies |= std::int64_t{1} << bit;
  if (copies == 0) return {};
  const Value bits = mlir::arith::AndIOp::create(code.builder, code.lane(), code.index(copies));
  return mlir::arith::CmpIOp::create(code.builder, mlir::arith::CmpIPredicate::eq, bits,
                                     code.index(0));
}

}  // namespace

mlir::FailureOr<Value> read_elements(ThreadCode& code, mlir::vector::TransferReadOp read,
                                     const LinearLayout& map) {
  const mlir::FailureOr<TransferSpace> space = read_space(read);
  if (mlir::failed(space)) return mlir::failure();
  const TransferPlan plan = plan_transfer(read, *space, map, code.options);
  Transfer transfer(code, read, *space);
  const mlir::VectorType type = thread_type(read.getVectorType(), map);
  if (plan.matrix != nullptr) return read_by_matrix(code, read, transfer, plan, type);
  const std::int64_t width = plan.registers_at_once;
  if (!plan.why_not_matrix.empty())
    mlir::emitRemark(read.getLoc())
        << "ldmatrix would read rows of 16 bytes at multiples of 16, but " << plan.why_not_matrix
        << ": read by " << (width == 1 ? "elements" : formatted("{} elements", width));
  const llvm::SmallVector<std::int64_t> firsts = first_copies(map);
  const mlir::Type piece =
      width == 1 ? type.getElementType() : mlir::VectorType::get({width}, type.getElementType());
  llvm::SmallVector<Value> pieces;
  for (std::int64_t reg = 0; reg < registers_of(map); reg += width) {
    const std::int64_t first = firsts[static_cast<std::size_t>(reg)];
    pieces.push_back(
        first < reg ? pieces[static_cast<std::size_t>(first / width)]
                    : load_if(code, read, transfer, map, static_cast<std::uint64_t>(reg), piece));
  }
  if (width == 1) return code.vector_of(pieces);
  return code.joined(pieces);
}

mlir::LogicalResult write_elements(ThreadCode& code, mlir::vector::TransferWriteOp write,
                                   Value elements, const LinearLayout& map) {
  const mlir::FailureOr<TransferSpace> space = read_space(write);
  if (mlir::failed(space)) return mlir::failure();
  const TransferPlan plan = plan_transfer(write, *space, map, code.options);
  Transfer transfer(code, write, *space);
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  const std::int64_t width = plan.registers_at_once;
  const llvm::SmallVector<std::int64_t> firsts = first_copies(map);
  const Value chosen = is_first_of_copies(code, map);
  for (std::int64_t reg = 0; reg < registers_of(map); reg += width) {
    if (firsts[static_cast<std::size_t>(reg)] < reg) continue;
    bool never = false;
    const auto number = static_cast<std::uint64_t>(reg);
    const Value condition = code.both(chosen, transfer.exists(map, number, never));
    if (never) continue;
    const llvm::SmallVector<Value> indices = transfer.indices(map, number);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    const Value piece = width == 1
                            ? mlir::vector::ExtractOp::create(builder, elements, reg).getResult()
                            : code.slice(elements, reg, width);
    if (condition) {
      auto choice = mlir::scf::IfOp::create(builder, condition, false);
      builder.setInsertionPointToStart(choice.thenBlock());
    }
    if (width == 1) {
      mlir::memref::StoreOp::create(builder, piece, write.getBase(), indices);
      continue;
    }
    auto store = mlir::vector::StoreOp::create(builder, piece, write.getBase(), indices);
    store.setAlignment(width * (space->type.getElementTypeBitWidth() / 8));
  }
  return mlir::success();
}

}  // namespace heddle::compiler
