#include "compiler/warp/transfer_plan.h"

#include <bit>

#include "compiler/overlap.h"
#include "compiler/warp/refusal.h"
#include "heddle/instruction/catalogue.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle::compiler {

using instruction::Instruction;
using instruction::Operand;
using layout::LinearLayout;

namespace {

// The divisor of the number 0, which every number divides: larger than any alignment that is
// needed, and small enough that its square fits 64 bits.
constexpr std::uint64_t everything = std::uint64_t{1} << 31;

std::uint64_t divisor(std::int64_t number) {
  if (number == 0) return everything;
  return std::min(everything,
                  std::uint64_t{1} << std::countr_zero(static_cast<std::uint64_t>(number)));
}

std::uint64_t product(std::uint64_t x, std::uint64_t y) { return std::min(everything, x * y); }

// How many operations back the computation of an index is followed. The limit is needed, since in a
// chain of sums the work doubles with each operation.
constexpr int most_steps = 10;

std::uint64_t divisor_of_value(mlir::Value index, int steps);

std::uint64_t divisor_of_argument(mlir::BlockArgument argument, int steps) {
  auto loop = mlir::dyn_cast_or_null<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar()) return 1;
  return std::min(divisor_of_value(loop.getLowerBound(), steps),
                  divisor_of_value(loop.getStep(), steps));
}

std::uint64_t divisor_of_expression(mlir::AffineExpr expression, mlir::ValueRange operands,
                                    unsigned dimensions, int steps) {
  if (const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expression))
    return divisor(constant.getValue());
  if (const auto dimension = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
    return divisor_of_value(operands[dimension.getPosition()], steps);
  if (const auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expression))
    return divisor_of_value(operands[dimensions + symbol.getPosition()], steps);
  if (steps >= most_steps) return 1;
  const auto binary = mlir::cast<mlir::AffineBinaryOpExpr>(expression);
  const std::uint64_t x = divisor_of_expression(binary.getLHS(), operands, dimensions, steps + 1);
  const std::uint64_t y = divisor_of_expression(binary.getRHS(), operands, dimensions, steps + 1);
  if (expression.getKind() == mlir::AffineExprKind::Mul) return product(x, y);
  if (expression.getKind() == mlir::AffineExprKind::Add ||
      expression.getKind() == mlir::AffineExprKind::Mod)
    return std::min(x, y);
  return 1;
}

// The number, if it is a constant.
std::optional<std::int64_t> constant_of(mlir::Value index) {
  llvm::APInt number;
  if (!mlir::matchPattern(index, mlir::m_ConstantInt(&number)) || number.getBitWidth() > 64)
    return std::nullopt;
  return number.getSExtValue();
}

std::uint64_t divisor_of_value(mlir::Value index, int steps) {
  if (const auto constant = constant_of(index)) return divisor(*constant);
  if (steps >= most_steps) return 1;
  if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(index))
    return divisor_of_argument(argument, steps + 1);
  mlir::Operation* made = index.getDefiningOp();
  const auto of = [&](unsigned operand) {
    return divisor_of_value(made->getOperand(operand), steps + 1);
  };
  if (mlir::isa<mlir::arith::AddIOp, mlir::arith::SubIOp>(made)) return std::min(of(0), of(1));
  if (mlir::isa<mlir::arith::MulIOp>(made)) return product(of(0), of(1));
  if (mlir::isa<mlir::arith::AndIOp>(made)) return std::max(of(0), of(1));
  if (mlir::isa<mlir::arith::RemUIOp, mlir::arith::RemSIOp>(made)) return std::min(of(0), of(1));
  if (mlir::isa<mlir::arith::IndexCastOp, mlir::arith::IndexCastUIOp, mlir::arith::ExtSIOp,
                mlir::arith::ExtUIOp>(made))
    return of(0);
  if (mlir::isa<mlir::arith::ShLIOp>(made)) {
    const auto by = constant_of(made->getOperand(1));
    return by && *by >= 0 && *by < 32 ? product(of(0), std::uint64_t{1} << *by) : of(0);
  }
  if (auto apply = mlir::dyn_cast<mlir::affine::AffineApplyOp>(made))
    return divisor_of_expression(apply.getAffineMap().getResult(0), apply.getMapOperands(),
                                 apply.getAffineMap().getNumDims(), steps + 1);
  return 1;
}

}  // namespace

std::optional<std::int64_t> constant_index(mlir::Value index) { return constant_of(index); }

std::uint64_t known_divisor(mlir::Value index) { return divisor_of_value(index, 0); }

bool is_shared_memory(mlir::MemRefType type) {
  const mlir::Attribute space = type.getMemorySpace();
  if (const auto number = mlir::dyn_cast_or_null<mlir::IntegerAttr>(space))
    return number.getInt() == 3;
  const auto named = mlir::dyn_cast_or_null<mlir::gpu::AddressSpaceAttr>(space);
  return named && named.getValue() == mlir::gpu::AddressSpace::Workgroup;
}

// True if strides that are known put several elements of the vector at the same address.
static bool overlaps(mlir::VectorType vector, const TransferSpace& space) {
  std::vector<ArrayDimension> dimensions;
  for (std::int64_t i = 0; i < vector.getRank(); ++i) {
    const int along = space.memory[static_cast<std::size_t>(i)];
    if (along < 0) continue;
    const std::int64_t stride = space.strides[static_cast<std::size_t>(along)];
    const std::int64_t size = dimension_size(space.type, along);
    if (mlir::ShapedType::isDynamic(stride)) continue;
    // The vector may extend beyond a memref of unknown size; then only a size of two is assumed, so
    // that two neighbours are compared.
    const bool ends =
        mlir::ShapedType::isDynamic(size) && space.may_leave[static_cast<std::size_t>(i)];
    const std::int64_t most = ends ? 2 : mlir::ShapedType::isDynamic(size) ? INT64_MAX : size;
    dimensions.push_back({std::min(most, dimension_size(vector, i)), std::abs(stride)});
  }
  return may_overlap(std::move(dimensions));
}

mlir::FailureOr<TransferSpace> read_space(mlir::VectorTransferOpInterface transfer) {
  mlir::Operation* operation = transfer;
  TransferSpace space;
  space.type = mlir::dyn_cast<mlir::MemRefType>(transfer.getShapedType());
  if (!space.type)
    return refuse(operation, "a transfer of " + printed(transfer.getShapedType()),
                  "a memref (one-shot-bufferize makes them of tensors)");
  if (transfer.getMask())
    return refuse(operation, "a transfer with a mask",
                  "in_bounds = [false, ...], which leaves out what lies outside the memref");
  const mlir::VectorType vector = transfer.getVectorType();
  if (!is_warp_vector(vector) || vector.getRank() > most_dimensions)
    return refuse(operation, "a transfer of " + printed(vector),
                  "a vector of one to eight dimensions of fixed size");
  const mlir::Type element = vector.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0 ||
      !std::has_single_bit(element.getIntOrFloatBitWidth()) || element.getIntOrFloatBitWidth() > 64)
    return refuse(operation, "elements of type " + printed(element),
                  "integers and floats of 8, 16, 32 or 64 bits");
  if (space.type.getElementType() != vector.getElementType())
    return refuse(operation, "a memref of vectors, " + printed(space.type),
                  "a memref of the vector's elements");
  if (mlir::failed(space.type.getStridesAndOffset(space.strides, space.offset)))
    return refuse(operation, "a memref without strides, " + printed(space.type),
                  "strided<[...], offset: ...>");
  for (const mlir::AffineExpr expression : transfer.getPermutationMap().getResults()) {
    const auto dimension = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
    space.memory.push_back(dimension ? static_cast<int>(dimension.getPosition()) : -1);
  }
  for (std::int64_t i = 0; i < vector.getRank(); ++i) {
    const int along = space.memory[static_cast<std::size_t>(i)];
    bool may_leave = along >= 0 && !transfer.isDimInBounds(static_cast<unsigned>(i));
    if (may_leave) {
      const auto first = constant_index(transfer.getIndices()[static_cast<unsigned>(along)]);
      const std::int64_t size = dimension_size(space.type, along);
      if (first && *first >= 0 && !mlir::ShapedType::isDynamic(size) &&
          dimension_size(vector, i) <= size - *first)
        may_leave = false;
    }
    space.may_leave.push_back(may_leave);
  }
  if (mlir::isa<mlir::vector::TransferWriteOp>(operation) && overlaps(vector, space))
    return refuse(operation, "a write of several elements to one place, " + printed(space.type),
                  std::string(accepted_result_layout));
  return space;
}

namespace {

// The known facts about the addresses of one transfer.
class Addresses {
 public:
  Addresses(mlir::VectorTransferOpInterface transfer, const TransferSpace& space)
      : transfer_(transfer), space_(space) {
    const int last = static_cast<int>(space.strides.size()) - 1;
    if (last >= 0 && space.strides[static_cast<std::size_t>(last)] == 1) {
      for (std::size_t i = 0; i < space.memory.size(); ++i)
        if (space.memory[i] == last) unit_ = static_cast<int>(i);
    }
    element_bytes_ = (space.type.getElementTypeBitWidth() + 7) / 8;
  }

  /// The dimension of the vector along which elements are consecutive in memory; -1 if there is
  /// none.
  int unit() const { return unit_; }
  std::uint64_t element_bytes() const { return element_bytes_; }

  /// The reason why the address of the vector's first element may not be divisible by `bytes`;
  /// empty if it is known to be divisible.
  std::string why_not_aligned(std::uint64_t bytes) const {
    const std::uint64_t elements = std::max<std::uint64_t>(1, bytes / element_bytes_);
    const std::string of = printed(space_.type.getElementType());
    const std::string needed = formatted(" is not a multiple of {}", elements);
    if (elements == 1) return {};
    if (base_alignment(transfer_.getBase()) < bytes)
      return formatted("its memory is not known to begin at a multiple of {} bytes", bytes);
    if (mlir::ShapedType::isDynamic(space_.offset)) return "the offset of its memref is not known";
    if (divisor(space_.offset) < elements)
      return formatted("offset {} of its memref of {}{}", space_.offset, of, needed);
    for (std::size_t j = 0; j < space_.strides.size(); ++j) {
      const mlir::Value index = transfer_.getIndices()[static_cast<unsigned>(j)];
      if (product(known_divisor(index), stride_divisor(j)) >= elements) continue;
      const auto constant = constant_index(index);
      if (!constant)
        return formatted("the index of dimension {} of {} is not known to be a multiple of {}", j,
                         of, elements);
      if (mlir::ShapedType::isDynamic(space_.strides[j])) return unknown_stride(j);
      return formatted("offset {}{} of {}{}", *constant,
                       space_.strides[j] == 1 ? "" : formatted(" * {}", space_.strides[j]), of,
                       needed);
    }
    return {};
  }

  /// The reason why the distance in memory from the vector's first element to the element at
  /// `coordinates` may not be divisible by `bytes`; empty if it is known to be divisible.
  std::string why_step_not_aligned(llvm::ArrayRef<std::uint64_t> coordinates,
                                   std::uint64_t bytes) const {
    const std::uint64_t elements = std::max<std::uint64_t>(1, bytes / element_bytes_);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (space_.memory[i] < 0 || coordinates[i] == 0) continue;
      const auto j = static_cast<std::size_t>(space_.memory[i]);
      if (product(divisor(static_cast<std::int64_t>(coordinates[i])), stride_divisor(j)) >=
          elements)
        continue;
      if (mlir::ShapedType::isDynamic(space_.strides[j])) return unknown_stride(j);
      return formatted("a stride of {} {} is not a multiple of {}", space_.strides[j],
                       printed(space_.type.getElementType()), elements);
    }
    return {};
  }

 private:
  std::uint64_t stride_divisor(std::size_t j) const {
    return mlir::ShapedType::isDynamic(space_.strides[j]) ? 1 : divisor(space_.strides[j]);
  }
  std::string unknown_stride(std::size_t j) const {
    return formatted("the stride of dimension {} is not known", j);
  }

  // The alignment, in bytes, of the memory of a memref argument. It is 16 for the parameters of a
  // function, as docs/warp.md requires of callers.
  std::uint64_t argument_alignment(mlir::BlockArgument argument) const {
    mlir::Operation* owner = argument.getOwner()->getParentOp();
    if (!mlir::isa_and_nonnull<mlir::FunctionOpInterface>(owner)) return element_bytes_;
    auto kernel = mlir::dyn_cast<mlir::gpu::GPUFuncOp>(owner);
    if (!kernel || argument.getArgNumber() < kernel.getNumArguments()) return 16;
    // Shared memory that the kernel declares.
    const unsigned place = argument.getArgNumber() - kernel.getNumArguments();
    if (place >= kernel.getNumWorkgroupAttributions()) return element_bytes_;
    const auto align = mlir::dyn_cast_or_null<mlir::IntegerAttr>(kernel.getWorkgroupAttributionAttr(
        place, mlir::StringAttr::get(kernel.getContext(), "llvm.align")));
    return align ? static_cast<std::uint64_t>(align.getInt()) : element_bytes_;
  }

  // The known alignment of the start of a memref's allocation, in bytes.
  std::uint64_t base_alignment(mlir::Value base) const {
    if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(base))
      return argument_alignment(argument);
    mlir::Operation* made = base.getDefiningOp();
    if (const auto attribute = made->getAttrOfType<mlir::IntegerAttr>("alignment"))
      return static_cast<std::uint64_t>(attribute.getInt());
    if (mlir::isa<mlir::memref::SubViewOp, mlir::memref::CastOp, mlir::memref::ReinterpretCastOp,
                  mlir::memref::ExpandShapeOp, mlir::memref::CollapseShapeOp,
                  mlir::memref::MemorySpaceCastOp, mlir::memref::TransposeOp>(made))
      return base_alignment(made->getOperand(0));
    if (auto view = mlir::dyn_cast<mlir::memref::ViewOp>(made))
      return std::min(base_alignment(view.getSource()), known_divisor(view.getByteShift()));
    return element_bytes_;
  }

  mutable mlir::VectorTransferOpInterface transfer_;  // MLIR's accessors are not const
  const TransferSpace& space_;
  int unit_ = -1;
  std::uint64_t element_bytes_ = 1;
};

// One bit of the register number or of the lane number, and the coordinates (the basis) to which it
// leads. steps_of() lists the bits of the register number first, then those of the lane number.
struct Step {
  bool is_lane;
  Basis to;
};
llvm::SmallVector<Step> steps_of(const LinearLayout& map) {
  llvm::SmallVector<Step> steps;
  const int registers = map.inputs().bits_of("register");
  for (int bit = 0; bit < map.input_bits(); ++bit) {
    Step step{bit >= registers, {}};
    for (int axis = 0; axis < map.outputs().size(); ++axis)
      step.to.push_back(map.outputs().coordinate(map.basis(bit), axis));
    steps.push_back(step);
  }
  return steps;
}

bool is_unit_step(const Step& step, int dimension, std::uint64_t size) {
  for (std::size_t i = 0; i < step.to.size(); ++i)
    if (step.to[i] != (static_cast<int>(i) == dimension ? size : 0)) return false;
  return true;
}

// True if, along this dimension, the layout is longer than the vector: it then has positions at
// which there is no element.
bool is_padded(const LinearLayout& map, mlir::VectorType vector, int dimension) {
  return map.outputs()[dimension].size() !=
         static_cast<std::uint64_t>(dimension_size(vector, dimension));
}

// The number of elements that a lane reads or writes in one access, without ldmatrix.
std::int64_t elements_at_once(mlir::VectorTransferOpInterface transfer, const TransferSpace& space,
                              const LinearLayout& map, const Addresses& addresses) {
  const int unit = addresses.unit();
  const unsigned bits = space.type.getElementTypeBitWidth();
  if (unit < 0 || bits < 8 || !std::has_single_bit(bits)) return 1;
  const llvm::SmallVector<Step> steps = steps_of(map);
  int consecutive = 0;
  while (consecutive < map.inputs().bits_of("register") && (bits << (consecutive + 1)) <= 128 &&
         is_unit_step(steps[static_cast<std::size_t>(consecutive)], unit,
                      std::uint64_t{1} << consecutive))
    ++consecutive;
  for (; consecutive > 0; --consecutive) {
    const std::uint64_t count = std::uint64_t{1} << consecutive;
    const std::uint64_t bytes = count * addresses.element_bytes();
    if (!addresses.why_not_aligned(bytes).empty()) continue;
    bool fits = true;
    for (std::size_t i = static_cast<std::size_t>(consecutive); i < steps.size(); ++i)
      fits &= (steps[i].to[static_cast<std::size_t>(unit)] & (count - 1)) == 0 &&
              addresses.why_step_not_aligned(steps[i].to, bytes).empty();
    // An access must not extend beyond the end of the vector or of the memref.
    const auto dimension = static_cast<std::size_t>(unit);
    const mlir::VectorType vector = transfer.getVectorType();
    if (is_padded(map, vector, unit))
      fits &= static_cast<std::uint64_t>(dimension_size(vector, unit)) % count == 0;
    if (space.may_leave[dimension]) {
      const auto along = static_cast<unsigned>(space.memory[dimension]);
      const std::int64_t size = dimension_size(space.type, along);
      fits &= !mlir::ShapedType::isDynamic(size) && static_cast<std::uint64_t>(size) % count == 0 &&
              known_divisor(transfer.getIndices()[along]) >= count;
    }
    if (fits) return static_cast<std::int64_t>(count);
  }
  return 1;
}

// Finds whether ldmatrix `row` reads elements in the layout `map`. Returns the addresses that the
// lanes must give to it: a map (register, lane) -> coordinates, with one register for each
// instruction. Null if its fragment differs from `map`. The fragment and `map` are compared byte by
// byte, since elements of the fragment have 16 bits, but those of the vector 8, 16 or 32.
std::optional<LinearLayout> matrix_addresses(const Instruction& row, const LinearLayout& map,
                                             int unit, std::uint64_t element_bytes) {
  const LinearLayout fragment = instruction::fragment(row, Operand::d);
  const LinearLayout rows = instruction::fragment(row, Operand::address);
  const llvm::SmallVector<Step> steps = steps_of(map);
  const int registers = map.inputs().bits_of("register");
  const int byte_bits = std::countr_zero(element_bytes);
  // The bits that number the bytes that one thread gets: first the byte in an element, then
  // registers.
  const int used_bits = 2 + fragment.inputs().bits_of("register");
  const int taken = used_bits - byte_bits;  // of the layout's register bits
  if (taken < 0 || taken > registers || byte_bits > 2) return std::nullopt;

  // Each bit of (byte, register, lane) has a basis in the layout and one in the fragment of
  // ldmatrix. The two are compared.
  llvm::SmallVector<Basis> of_row(static_cast<std::size_t>(rows.output_bits()));
  const int lanes = fragment.inputs().bits_of("lane");
  const auto outside_row = [&](const Step& step) {
    return step.to[static_cast<std::size_t>(unit)] * element_bytes % 16 == 0;
  };
  const int lane_bits = map.inputs().bits_of("lane");
  if (lanes != lane_bits) return std::nullopt;
  for (int bit = 0; bit < used_bits + lanes; ++bit) {
    // Bit 0 selects a byte of a 16-bit element; the next bits are those of element, register and
    // lane.
    std::uint64_t row_bytes = 0, row_word = 0;
    if (bit == 0) {
      row_bytes = 1;
    } else {
      const bool is_lane = bit >= used_bits;
      const layout::AxisName in = is_lane    ? layout::AxisName("lane")
                                  : bit == 1 ? layout::AxisName("element")
                                             : layout::AxisName("register");
      const int number = is_lane ? bit - used_bits : bit == 1 ? 0 : bit - 2;
      row_bytes = fragment.basis(in, number, "n") * 2;
      for (int axis = 0; axis < rows.outputs().size(); ++axis)
        row_word |= fragment.basis(in, number, rows.outputs()[axis].name)
                    << rows.outputs().offset(axis);
    }
    if (bit < byte_bits) {  // inside an element
      if (row_bytes != std::uint64_t{1} << bit || row_word != 0) return std::nullopt;
      continue;
    }
    const Step& step = bit < used_bits
                           ? steps[static_cast<std::size_t>(bit - byte_bits)]
                           : steps[static_cast<std::size_t>(registers + bit - used_bits)];
    if (row_word == 0) {
      if (row_bytes % element_bytes != 0 || !is_unit_step(step, unit, row_bytes / element_bytes))
        return std::nullopt;
    } else {
      if (row_bytes != 0 || !outside_row(step)) return std::nullopt;
      of_row[static_cast<std::size_t>(std::countr_zero(row_word))] = step.to;
    }
  }
  llvm::SmallVector<Basis> of_registers, of_lanes;
  for (int bit = taken; bit < registers; ++bit) {
    if (!outside_row(steps[static_cast<std::size_t>(bit)])) return std::nullopt;
    of_registers.push_back(steps[static_cast<std::size_t>(bit)].to);
  }
  llvm::SmallVector<std::uint64_t> sizes;
  for (const layout::Axis& axis : map.outputs()) sizes.push_back(axis.size());
  for (int bit = 0; bit < lanes; ++bit) {
    Basis basis(sizes.size(), 0);
    const std::uint64_t word =
        rows.basis("lane", bit, rows.outputs()[0].name) |
        (rows.outputs().size() > 1
             ? rows.basis("lane", bit, rows.outputs()[1].name) << rows.outputs().offset(1)
             : 0);
    if (word != 0) basis = of_row[static_cast<std::size_t>(std::countr_zero(word))];
    of_lanes.push_back(basis);
  }
  return layout_of(of_registers, of_lanes, sizes);
}

// The reason why an address for ldmatrix may not be divisible by 16, or not be inside the memref;
// empty if all are known to be divisible and inside.
std::string why_no_matrix(mlir::VectorTransferOpInterface transfer, const TransferSpace& space,
                          const LinearLayout& map, const LinearLayout& matrix,
                          const Addresses& addresses) {
  for (std::size_t i = 0; i < space.may_leave.size(); ++i) {
    if (space.may_leave[i])
      return formatted("dimension {} may leave the memref (in_bounds = false)", i);
    if (is_padded(map, transfer.getVectorType(), static_cast<int>(i)))
      return formatted("dimension {} is shorter than the instruction's", i);
  }
  std::string why = addresses.why_not_aligned(16);
  for (const Step& step : steps_of(matrix))
    if (why.empty()) why = addresses.why_step_not_aligned(step.to, 16);
  return why;
}

void plan_matrix(mlir::VectorTransferOpInterface transfer, const TransferSpace& space,
                 const LinearLayout& map, const Addresses& addresses, const WarpOptions& options,
                 TransferPlan& plan) {
  const instruction::Family family = instruction::processor(options.target).family;
  if (!mlir::isa<mlir::vector::TransferReadOp>(transfer.getOperation()) || addresses.unit() < 0 ||
      !instruction::is_nvidia(family) || !is_shared_memory(space.type))
    return;
  for (const Instruction& row : instruction::all_instructions()) {
    if (row.kind != instruction::Kind::load || row.a_type != instruction::ElementType::b16 ||
        row.d.storage != instruction::Storage::registers || !row.is_of(family) || row.wave != 32 ||
        row.m != 8 || row.n != 8)
      continue;
    if (plan.matrix != nullptr && row.blocks <= plan.matrix->blocks) continue;
    const auto matrix = matrix_addresses(row, map, addresses.unit(), addresses.element_bytes());
    if (!matrix) continue;
    const std::string why = why_no_matrix(transfer, space, map, *matrix, addresses);
    if (!why.empty()) {
      plan.why_not_matrix = why;
      continue;
    }
    plan.matrix = &row;
    plan.addresses = *matrix;
    plan.is_transposed = row.name.find(".trans") != std::string_view::npos;
    plan.registers_at_once = registers_of(map) / registers_of(*matrix);
    plan.accesses = registers_of(*matrix);
  }
  if (plan.matrix != nullptr) plan.why_not_matrix.clear();
}

}  // namespace

TransferPlan plan_transfer(mlir::VectorTransferOpInterface transfer, const TransferSpace& space,
                           const LinearLayout& map, const WarpOptions& options) {
  TransferPlan plan;
  const Addresses addresses(transfer, space);
  plan_matrix(transfer, space, map, addresses, options, plan);
  if (plan.matrix != nullptr) return plan;
  plan.registers_at_once = elements_at_once(transfer, space, map, addresses);
  plan.accesses = registers_of(map) / plan.registers_at_once;
  return plan;
}

}  // namespace heddle::compiler
