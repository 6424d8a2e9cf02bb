#include "compiler/warp_kernel/source.h"

#include <array>
#include <string>

#include "compiler/source_dialects.h"
#include "compiler/warp_kernel/kernel_module.h"
#include "library/text/formatted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace heddle::compiler {
namespace {

constexpr std::string_view accepted_function =
    "one func.func with memref and index arguments and no result, of vector, arith and scf "
    "operations";

// The memory of a memref. MLIR numbers these address spaces in the same way for NVIDIA and AMD.
enum class Space : std::uint8_t { global, shared, other };

Space space_of(mlir::MemRefType type) {
  const mlir::Attribute space = type.getMemorySpace();
  if (!space) return Space::global;
  if (const auto number = mlir::dyn_cast<mlir::IntegerAttr>(space)) {
    if (number.getInt() == 0 || number.getInt() == 1) return Space::global;
    return number.getInt() == 3 ? Space::shared : Space::other;
  }
  const auto gpu = mlir::dyn_cast<mlir::gpu::AddressSpaceAttr>(space);
  if (gpu && gpu.getValue() == mlir::gpu::AddressSpace::Global) return Space::global;
  if (gpu && gpu.getValue() == mlir::gpu::AddressSpace::Workgroup) return Space::shared;
  return Space::other;
}

std::optional<std::int64_t> known(std::int64_t value) {
  if (mlir::ShapedType::isDynamic(value)) return std::nullopt;
  return value;
}

bool is_symbol_name(llvm::StringRef name) {
  const auto inside = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  return !name.empty() && (llvm::isAlpha(name.front()) || name.front() == '_') &&
         llvm::all_of(name, inside);
}

// One function's signature.
class SignatureReader {
 public:
  SignatureReader(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function), diagnostics_(diagnostics) {}

  bool read(std::vector<WarpArgument>& arguments) {
    if (!check_function()) return false;
    for (const mlir::BlockArgument argument : function_.getArguments()) {
      std::optional<WarpArgument> read = read_argument(argument);
      if (!read) return false;
      arguments.push_back(*std::move(read));
    }
    return true;
  }

 private:
  bool refuse(mlir::Location place, std::string_view found, std::string_view accepted) {
    diagnostics_.error(place, found, accepted);
    return false;
  }

  bool check_function() {
    if (function_.isExternal())
      return refuse(function_.getLoc(), "the function has no body", accepted_function);
    if (!is_symbol_name(function_.getName()))
      return refuse(function_.getLoc(), "this name of a function",
                    "letters, digits, _ and $, beginning with a letter or _");
    if (!function_.getBody().hasOneBlock())
      return refuse(function_.getLoc(), "the function has several blocks",
                    "straight-line code and scf.for");
    if (function_.getFunctionType().getNumResults() != 0)
      return refuse(function_.getLoc(), "a function that returns values",
                    "results written to memrefs with vector.transfer_write");
    return true;
  }

  std::optional<WarpArgument> read_argument(mlir::BlockArgument argument) {
    WarpArgument read;
    read.name = formatted("arg{}", argument.getArgNumber());
    if (const auto place = argument.getLoc()->findInstanceOf<mlir::FileLineColLoc>()) {
      read.line = place.getLine();
      read.column = place.getColumn();
    }
    if (argument.getType().isIndex()) {
      read.is_memref = false;
      return read;
    }
    const auto type = mlir::dyn_cast<mlir::MemRefType>(argument.getType());
    if (!type || !read_memref(argument.getLoc(), type, read)) {
      if (!type)
        refuse(argument.getLoc(), "an argument of " + printed(argument.getType()),
               "memrefs and indices");
      return std::nullopt;
    }
    return read;
  }

  bool read_memref(mlir::Location place, mlir::MemRefType type, WarpArgument& read) {
    const auto element = number_type_of(type.getElementType());
    if (!element)
      return refuse(
          place, "elements of " + printed(type.getElementType()),
          "f16, bf16, f32, f64, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, i8, i16 and i32");
    read.element = *element;
    const Space space = space_of(type);
    if (space == Space::other)
      return refuse(place, "the memory space of " + printed(type),
                    "none, 1 or #gpu.address_space<global>, and for shared memory 3 or "
                    "#gpu.address_space<workgroup>");
    read.is_shared = space == Space::shared;
    llvm::SmallVector<std::int64_t> strides;
    std::int64_t offset = 0;
    if (mlir::failed(type.getStridesAndOffset(strides, offset)))
      return refuse(place, "the layout of " + printed(type), "strided<[...], offset: ...>");
    read.offset = known(offset);
    for (const std::int64_t size : type.getShape()) read.sizes.push_back(known(size));
    for (const std::int64_t stride : strides) read.strides.push_back(known(stride));
    const auto is_negative = [](std::optional<std::int64_t> value) { return value < 0; };
    if ((offset < 0 && read.offset) || llvm::any_of(read.strides, [&](const auto& stride) {
          return stride && is_negative(stride);
        }))
      return refuse(place, "a negative stride or offset", "strides and offsets from 0");
    return true;
  }

  mlir::func::FuncOp function_;
  Diagnostics& diagnostics_;
};

bool is_accepted(mlir::Operation& operation) {
  const llvm::StringRef dialect = operation.getName().getDialectNamespace();
  return llvm::StringSwitch<bool>(dialect).Cases({"vector", "arith"}, true).Default(false) ||
         mlir::isa<mlir::scf::ForOp, mlir::scf::YieldOp, mlir::func::ReturnOp,
                   mlir::memref::SubViewOp, mlir::memref::DimOp>(operation);
}

bool check_operations(mlir::func::FuncOp function, Diagnostics& diagnostics) {
  const auto check = [&](mlir::Operation* operation) {
    if (operation == function.getOperation() || is_accepted(*operation))
      return mlir::WalkResult::advance();
    diagnostics.error(operation->getLoc(),
                      "the operation " + operation->getName().getStringRef().str(),
                      "operations of vector and arith, scf.for, memref.subview and memref.dim");
    return mlir::WalkResult::interrupt();
  };
  return !function.walk<mlir::WalkOrder::PreOrder>(check).wasInterrupted();
}

mlir::func::FuncOp only_function(mlir::ModuleOp module, Diagnostics& diagnostics) {
  mlir::func::FuncOp found;
  for (mlir::Operation& operation : *module.getBody()) {
    const auto function = mlir::dyn_cast<mlir::func::FuncOp>(operation);
    if (!function || found) {
      diagnostics.error(operation.getLoc(),
                        function ? "a second function"
                                 : "the operation " + operation.getName().getStringRef().str(),
                        accepted_function);
      return nullptr;
    }
    found = function;
  }
  if (!found) diagnostics.error(module.getLoc(), "no function", accepted_function);
  return found;
}

}  // namespace

std::optional<runtime::NumberType> number_type_of(mlir::Type type) {
  using runtime::NumberType;
  if (type.isF16()) return NumberType::f16;
  if (type.isBF16()) return NumberType::bf16;
  if (type.isF32()) return NumberType::f32;
  if (type.isF64()) return NumberType::f64;
  if (mlir::isa<mlir::Float8E4M3FNType>(type)) return NumberType::fp8;
  if (mlir::isa<mlir::Float8E5M2Type>(type)) return NumberType::bf8;
  if (mlir::isa<mlir::Float8E4M3FNUZType>(type)) return NumberType::fp8_fnuz;
  if (mlir::isa<mlir::Float8E5M2FNUZType>(type)) return NumberType::bf8_fnuz;
  if (type.isSignlessInteger(8)) return NumberType::i8;
  if (type.isSignlessInteger(16)) return NumberType::i16;
  if (type.isSignlessInteger(32)) return NumberType::i32;
  return std::nullopt;
}

void load_warp_source_dialects(mlir::MLIRContext& context) {
  mlir::DialectRegistry registry;
  add_source_dialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                      mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                      mlir::vector::VectorDialect>();
}

// True if a function has a vector or tensor as an argument, or returns a value. Warp-level
// functions have neither.
static bool has_values_of_tensors(mlir::ModuleOp module) {
  return llvm::any_of(module.getOps<mlir::func::FuncOp>(), [](mlir::func::FuncOp function) {
    return function.getNumResults() != 0 ||
           llvm::any_of(function.getArgumentTypes(), [](mlir::Type type) {
             return mlir::isa<mlir::VectorType, mlir::TensorType>(type);
           });
  });
}

bool has_vector_operations(std::string_view text) {
  Diagnostics unread("");
  if (!unread.check_text(text)) return false;
  mlir::DialectRegistry registry;
  add_source_dialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  const auto handler = unread.attach(context);
  const mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  const std::string terminated(text);  // MLIR's lexer reads the zero behind the text
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(terminated, config);
  const auto is_vector = [](mlir::Operation* operation) {
    const bool found = operation->getName().getDialectNamespace() == "vector" &&
                       !mlir::isa<mlir::vector::VectorScaleOp>(operation);  // a size
    return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  };
  return module && module->walk(is_vector).wasInterrupted() && !has_values_of_tensors(*module);
}

std::optional<WarpSource> read_warp_source(mlir::MLIRContext& context, std::string_view text,
                                           std::string_view file_name, Diagnostics& diagnostics) {
  if (!diagnostics.check_text(text)) return std::nullopt;
  context.printOpOnDiagnostic(false);
  const mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  const std::string terminated(text);  // MLIR's lexer reads the zero behind the text
  WarpSource source;
  source.module =
      mlir::parseSourceString<mlir::ModuleOp>(terminated, config, llvm::StringRef(file_name));
  if (source.module && !diagnostics.check_sizes(*source.module)) return std::nullopt;
  if (!source.module || mlir::failed(mlir::verify(*source.module))) {
    diagnostics.note("accepted is MLIR with " + std::string(accepted_function) +
                     ", such as examples/warp.mlir");
    return std::nullopt;
  }
  source.function = only_function(*source.module, diagnostics);
  if (!source.function || !check_operations(source.function, diagnostics) ||
      !SignatureReader(source.function, diagnostics).read(source.arguments))
    return std::nullopt;
  return source;
}

}  // namespace heddle::compiler
