#include "compiler/warp_kernel/wrapper.h"

#include <algorithm>
#include <string>

#include "compiler/warp_kernel/kernel_module.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {
namespace {

namespace llvmir = mlir::LLVM;
using mlir::Value;

constexpr unsigned global_space = 1;
constexpr unsigned shared_space = 3;
constexpr unsigned shared_alignment = 128;

std::int64_t bytes_of(const WarpArgument& argument) {
  return argument.span() * runtime::row(argument.element).bytes;
}

// The size of an argument in shared memory, in bytes, rounded up to a multiple of 16: the argument
// begins aligned, so LLVM may read its bytes as whole words.
std::int64_t shared_bytes_of(const WarpArgument& argument) {
  constexpr std::int64_t widest = 16;
  return (bytes_of(argument) + widest - 1) / widest * widest;
}

bool is_open(const WarpArgument& argument) {
  const auto open = [](const auto& value) { return !value; };
  return open(argument.offset) || std::ranges::any_of(argument.sizes, open) ||
         std::ranges::any_of(argument.strides, open);
}

// Builds one kernel.
class Wrapper {
 public:
  Wrapper(WarpSource& source, mlir::gpu::GPUModuleOp kernels, unsigned index_bits, int threads)
      : source_(source),
        kernels_(kernels),
        builder_(source.function.getLoc(), kernels),
        index_(builder_.getIntegerType(index_bits)),
        threads_(threads) {}

  void wrap() {
    create_kernel();
    builder_.setInsertionPointToStart(&kernel_.getBody().front());
    thread_ = mlir::arith::IndexCastOp::create(
        builder_, builder_.getI32Type(),
        mlir::gpu::ThreadIdOp::create(builder_, mlir::gpu::Dimension::x));
    mlir::IRMapping mapping;
    unsigned parameter = 0;
    for (std::size_t i = 0; i < source_.arguments.size(); ++i)
      mapping.map(source_.function.getArgument(static_cast<unsigned>(i)), bind(i, parameter));
    copy_all(Direction::in);
    for (mlir::Operation& operation : source_.function.getBody().front().without_terminator())
      builder_.clone(operation, mapping);
    copy_all(Direction::out);
    mlir::gpu::ReturnOp::create(builder_);
  }

 private:
  enum class Direction : std::uint8_t { in, out };

  // A memref argument in shared memory: where its elements are in global memory, where the
  // function's body accesses them in shared memory, and how many elements are copied between the
  // two.
  struct Shared {
    Value global, shared;
    std::int64_t elements;
    mlir::Type type;
  };

  llvmir::LLVMPointerType pointer(unsigned space) {
    return llvmir::LLVMPointerType::get(builder_.getContext(), space);
  }

  void create_kernel() {
    builder_.setInsertionPointToEnd(kernels_.getBody());
    std::vector<mlir::Type> types;
    for (const WarpArgument& argument : source_.arguments) {
      if (argument.is_memref) types.push_back(pointer(global_space));
      types.insert(types.end(), open_values(argument), builder_.getI32Type());
    }
    const auto type = builder_.getFunctionType(types, {});
    kernel_ = mlir::gpu::GPUFuncOp::create(builder_, source_.function.getName(), type);
    kernel_->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder_.getUnitAttr());
    kernel_.setKnownBlockSizeAttr(builder_.getDenseI32ArrayAttr({threads_, 1, 1}));
  }

  static std::size_t open_values(const WarpArgument& argument) {
    if (!argument.is_memref) return 1;
    const auto open = [](const auto& value) { return !value; };
    return static_cast<std::size_t>(!argument.offset) +
           static_cast<std::size_t>(std::ranges::count_if(argument.sizes, open)) +
           static_cast<std::size_t>(std::ranges::count_if(argument.strides, open));
  }

  Value constant(mlir::Type type, std::int64_t value) {
    return llvmir::ConstantOp::create(builder_, type, builder_.getIntegerAttr(type, value));
  }

  // The value that the function's body uses as argument `i`. `parameter` is the index of the next
  // unused parameter of the kernel, and is advanced past those that the argument takes.
  Value bind(std::size_t i, unsigned& parameter) {
    const WarpArgument& argument = source_.arguments[i];
    const auto next = [&] { return kernel_.getArgument(parameter++); };
    if (!argument.is_memref)
      return mlir::arith::IndexCastOp::create(builder_, builder_.getIndexType(), next());
    const auto type = mlir::cast<mlir::MemRefType>(
        source_.function.getArgument(static_cast<unsigned>(i)).getType());
    Value base = next();
    if (argument.is_shared)
      base = share(argument, base);
    else if (!type.getMemorySpace() || is_generic(type))
      base = llvmir::AddrSpaceCastOp::create(builder_, pointer(0), base);
    const auto value = [&](std::optional<std::int64_t> known) -> Value {
      if (known) return constant(index_, *known);
      if (index_ == builder_.getI32Type()) return next();
      return llvmir::SExtOp::create(builder_, index_, next());
    };
    std::vector<Value> parts{base, base, value(argument.offset)};
    for (const auto& size : argument.sizes) parts.push_back(value(size));
    for (const auto& stride : argument.strides) parts.push_back(value(stride));
    return as_memref(type, parts);
  }

  static bool is_generic(mlir::MemRefType type) {
    const auto number = mlir::dyn_cast<mlir::IntegerAttr>(type.getMemorySpace());
    return number && number.getInt() == 0;
  }

  // Makes MLIR's descriptor of a memref from its parts: the pointer twice, the offset, the sizes,
  // the strides (MLIR, "LLVM IR Target", Ranked MemRef Types).
  Value as_memref(mlir::MemRefType type, const std::vector<Value>& parts) {
    const auto rank = static_cast<std::size_t>(type.getRank());
    std::vector<mlir::Type> fields{parts[0].getType(), parts[0].getType(), index_};
    if (rank > 0)
      fields.insert(fields.end(), 2,
                    llvmir::LLVMArrayType::get(index_, static_cast<unsigned>(rank)));
    const auto structure = llvmir::LLVMStructType::getLiteral(builder_.getContext(), fields);
    Value descriptor = llvmir::PoisonOp::create(builder_, structure);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      std::vector<std::int64_t> position{static_cast<std::int64_t>(part)};
      if (part >= 3)
        position = {static_cast<std::int64_t>(3 + (part - 3) / rank),
                    static_cast<std::int64_t>((part - 3) % rank)};
      descriptor = llvmir::InsertValueOp::create(builder_, descriptor, parts[part], position);
    }
    return mlir::UnrealizedConversionCastOp::create(builder_, type, descriptor).getResult(0);
  }

  // Memory for an argument in shared memory.
  Value share(const WarpArgument& argument, Value global) {
    const mlir::Type type =
        builder_.getIntegerType(static_cast<unsigned>(8 * runtime::row(argument.element).bytes));
    const std::int64_t elements = argument.span();
    const auto array = llvmir::LLVMArrayType::get(
        type, static_cast<std::uint64_t>(shared_bytes_of(argument) /
                                         runtime::row(argument.element).bytes));
    const std::string name = source_.function.getName().str() + "_" + argument.name;
    {
      const mlir::OpBuilder::InsertionGuard guard(builder_);
      builder_.setInsertionPointToStart(kernels_.getBody());
      auto memory =
          llvmir::GlobalOp::create(builder_, array, /*isConstant=*/false, llvmir::Linkage::Internal,
                                   name, mlir::Attribute(), shared_alignment, shared_space);
      // No initial value: shared memory has none.
      builder_.createBlock(&memory.getInitializerRegion());
      llvmir::ReturnOp::create(builder_, llvmir::PoisonOp::create(builder_, array).getResult());
    }
    const Value shared = llvmir::AddressOfOp::create(builder_, pointer(shared_space), name);
    shared_.push_back({global, shared, elements, type});
    return shared;
  }

  void copy_all(Direction direction) {
    if (shared_.empty()) return;
    if (direction == Direction::out) mlir::gpu::BarrierOp::create(builder_);
    for (const Shared& shared : shared_)
      copy(shared, direction == Direction::in ? shared.global : shared.shared,
           direction == Direction::in ? shared.shared : shared.global);
    if (direction == Direction::in) mlir::gpu::BarrierOp::create(builder_);
  }

  // Thread t copies the elements t, t + threads_, …
  void copy(const Shared& shared, Value from, Value to) {
    const mlir::Type i32 = builder_.getI32Type();
    auto loop = mlir::scf::ForOp::create(builder_, thread_, constant(i32, shared.elements),
                                         constant(i32, threads_));
    const mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(loop.getBody());
    const auto place = [&](Value base) -> Value {
      return llvmir::GEPOp::create(builder_, base.getType(), shared.type, base,
                                   llvm::ArrayRef<llvmir::GEPArg>{loop.getInductionVar()});
    };
    const Value element = llvmir::LoadOp::create(builder_, shared.type, place(from));
    llvmir::StoreOp::create(builder_, element, place(to));
  }

  WarpSource& source_;
  mlir::gpu::GPUModuleOp kernels_;
  mlir::ImplicitLocOpBuilder builder_;
  mlir::Type index_;  // what the index type becomes
  int threads_;
  mlir::gpu::GPUFuncOp kernel_;
  Value thread_;
  std::vector<Shared> shared_;
};

}  // namespace

bool check_wrappable(const WarpSource& source, std::int64_t most_shared_bytes,
                     Diagnostics& diagnostics) {
  std::int64_t shared_bytes = 0;
  for (std::size_t i = 0; i < source.arguments.size(); ++i) {
    const WarpArgument& argument = source.arguments[i];
    const mlir::Location place =
        mlir::func::FuncOp(source.function).getArgument(static_cast<unsigned>(i)).getLoc();
    if (!argument.is_memref || (is_open(argument) && !argument.is_shared)) continue;
    if (is_open(argument)) {
      diagnostics.error(place, "a memref in shared memory with open sizes, strides or offset",
                        "static ones, as in memref<42x32xf16, 3>");
      return false;
    }
    constexpr std::int64_t most_bytes = (std::int64_t{1} << 31) - 1;
    if (bytes_of(argument) > most_bytes) {
      diagnostics.error(place, "a memref that spans more bytes than offsets of 32 bits reach",
                        formatted("at most {} bytes", most_bytes));
      return false;
    }
    if (!argument.is_shared) continue;
    shared_bytes = (shared_bytes + shared_alignment - 1) / shared_alignment * shared_alignment;
    shared_bytes += shared_bytes_of(argument);
    if (shared_bytes <= most_shared_bytes) continue;
    diagnostics.error(place, formatted("{} bytes of shared memory", shared_bytes),
                      formatted("at most {} bytes on this target", most_shared_bytes));
    return false;
  }
  return true;
}

void wrap_as_kernel(WarpSource& source, unsigned index_bits, int threads) {
  mlir::OpBuilder builder(source.module->getContext());
  builder.setInsertionPointToEnd(source.module->getBody());
  auto kernels = mlir::gpu::GPUModuleOp::create(builder, source.function.getLoc(), "kernels");
  Wrapper(source, kernels, index_bits, threads).wrap();
  source.function.erase();
}

}  // namespace heddle::compiler
