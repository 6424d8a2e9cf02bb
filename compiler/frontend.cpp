// Reads one linalg.matmul. The walk is strict: every operation of the text must be one that the
// kernel builder understands, so nothing the user wrote is silently ignored.
#include <algorithm>

#include "compiler/diagnostics.h"
#include "compiler/matmul_request.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

constexpr std::string_view accepted_body =
    "one linalg.matmul, with arith.constant, tensor.empty and linalg.fill for its initial value";

// The largest buffer: byte offsets of buffer instructions are 32 bits, and offsets from 2^31 up
// mean "outside" to the kernel.
constexpr std::int64_t most_bytes = (std::int64_t{1} << 31) - 1;

std::string printed(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string escaped(llvm::StringRef name) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::printEscapedString(name, stream);
  return text;
}

bool is_symbol_name(llvm::StringRef name) {
  const auto inside = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; };
  return !name.empty() && (llvm::isAlpha(name.front()) || name.front() == '_') &&
         llvm::all_of(name, inside);
}

mlir::Location where(mlir::Value value) {
  if (mlir::isa<mlir::BlockArgument>(value)) return value.getLoc();
  return value.getDefiningOp()->getLoc();
}

// The element types of a linalg.matmul. Looks at nothing but the operands' types, so it can run
// before MLIR's verifier, which would complain about the body that MLIR gave the operation.
bool check_element_types(mlir::linalg::MatmulOp matmul, Diagnostics& diagnostics) {
  if (matmul->getNumOperands() != 3) return true;  // the verifier's case
  const mlir::Value a = matmul->getOperand(0);
  const mlir::Value b = matmul->getOperand(1);
  const mlir::Value c = matmul->getOperand(2);
  const mlir::Type type_a = mlir::getElementTypeOrSelf(a);
  const mlir::Type type_b = mlir::getElementTypeOrSelf(b);
  const mlir::Type type_c = mlir::getElementTypeOrSelf(c);
  if (!type_a.isF16() && !type_a.isBF16()) {
    diagnostics.error(where(a), "inputs of " + printed(type_a), "f16 or bf16 inputs");
    return false;
  }
  if (type_a != type_b) {
    diagnostics.error(where(b), "inputs of " + printed(type_a) + " and " + printed(type_b),
                      "both f16 or both bf16");
    return false;
  }
  if (type_c.isF32() || type_c == type_a) return true;
  diagnostics.error(where(c), "a result of " + printed(type_c),
                    "f32, or the inputs' type " + printed(type_a));
  return false;
}

// Checks one function; `diagnostics_` collects what is wrong.
class MatmulReader {
 public:
  MatmulReader(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function), diagnostics_(diagnostics) {}

  std::optional<MatmulRequest> read() {
    if (!check_name() || !check_operations()) return std::nullopt;
    request_.function = function_.getName().str();
    request_.in_place = mlir::isa<mlir::MemRefType>(matmul_.getOutputs()[0].getType());
    if (!read_shapes() || !read_initial_value() || !read_arguments() || !check_result()) {
      return std::nullopt;
    }
    return request_;
  }

 private:
  bool refuse(mlir::Location place, std::string_view found, std::string_view accepted) {
    diagnostics_.error(place, found, accepted);
    return false;
  }

  // The name becomes a symbol of the code object, beside those of the linker, of LLVM and the
  // kernel descriptor NAME.kd.
  bool check_name() {
    const llvm::StringRef name = function_.getName();
    const bool reserved = name.starts_with("llvm.") || name.starts_with("amdgpu.") ||
                          name.ends_with(".kd") || name == "_DYNAMIC" ||
                          name == "_GLOBAL_OFFSET_TABLE_";
    if (is_symbol_name(name) && !reserved) return true;
    return refuse(function_.getLoc(), "the function name @\"" + escaped(name) + "\"",
                  "letters, digits, _, $ and ., beginning with a letter or _; not llvm.*, "
                  "amdgpu.*, *.kd, _DYNAMIC or _GLOBAL_OFFSET_TABLE_");
  }

  // Every operation of the body is known, and exactly one is a matmul.
  bool check_operations() {
    if (function_.isExternal()) {
      return refuse(function_.getLoc(), "the function has no body", accepted_body);
    }
    if (!function_.getBody().hasOneBlock()) {
      return refuse(function_.getLoc(), "the function has several blocks",
                    "straight-line code: " + std::string(accepted_body));
    }
    for (mlir::Operation& operation : function_.getBody().front()) {
      if (!check_operation(operation)) return false;
    }
    if (matmul_) return true;
    return refuse(function_.getLoc(), "the function has no linalg.matmul", accepted_body);
  }

  bool check_operation(mlir::Operation& operation) {
    if (auto matmul = mlir::dyn_cast<mlir::linalg::MatmulOp>(operation)) {
      if (matmul_) return refuse(operation.getLoc(), "a second linalg.matmul", accepted_body);
      matmul_ = matmul;
      if (!matmul.hasUserDefinedMaps()) return true;
      return refuse(operation.getLoc(), "linalg.matmul with its own indexing_maps",
                    "the default maps, A[m,k] * B[k,n]; transposed operands are not accepted yet");
    }
    if (auto fill = mlir::dyn_cast<mlir::linalg::FillOp>(operation)) {
      if (fill_) return refuse(operation.getLoc(), "a second linalg.fill", accepted_body);
      if (matmul_) {
        return refuse(operation.getLoc(), "a linalg.fill after the linalg.matmul",
                      "a fill of the matmul's initial value, before it");
      }
      fill_ = fill;
      // The generic form can give a fill any body; the printed form cannot.
      mlir::Block& body = *fill.getBody();
      if (body.getTerminator() == &body.front() &&
          body.getTerminator()->getOperand(0) == body.getArgument(0)) {
        return true;
      }
      return refuse(operation.getLoc(), "a linalg.fill with a body of its own", "a plain fill");
    }
    if (mlir::isa<mlir::func::ReturnOp, mlir::arith::ConstantOp, mlir::tensor::EmptyOp>(operation))
      return true;
    return refuse(operation.getLoc(), "the operation " + operation.getName().getStringRef().str(),
                  accepted_body);
  }

  bool read_shapes() {
    const mlir::Value a = matmul_.getInputs()[0];
    const mlir::Value b = matmul_.getInputs()[1];
    const mlir::Value c = matmul_.getOutputs()[0];
    for (mlir::Value operand : {a, b, c}) {
      if (!check_layout(operand)) return false;
    }
    if (a.getType().getTypeID() != c.getType().getTypeID() ||
        b.getType().getTypeID() != c.getType().getTypeID()) {
      return refuse(matmul_.getLoc(), "a mixture of tensors and memrefs",
                    "all three operands tensors, or all three memrefs");
    }
    const auto shape_a = mlir::cast<mlir::ShapedType>(a.getType());
    const auto shape_c = mlir::cast<mlir::ShapedType>(c.getType());
    plan::Problem& problem = request_.problem;
    problem.m = shape_a.getDimSize(0);
    problem.k = shape_a.getDimSize(1);
    problem.n = shape_c.getDimSize(1);
    request_.problem.input =
        mlir::getElementTypeOrSelf(a).isF16() ? ElementType::f16 : ElementType::bf16;
    request_.problem.result =
        mlir::getElementTypeOrSelf(c).isF32() ? ElementType::f32 : request_.problem.input;
    return true;
  }

  bool check_layout(mlir::Value operand) {
    const mlir::Location place = where(operand);
    const auto shaped = mlir::cast<mlir::ShapedType>(operand.getType());
    const std::string found = printed(operand.getType());
    if (!shaped.hasStaticShape()) {
      return refuse(place, "the dynamic shape " + found, "static shapes, as in tensor<42x32xf16>");
    }
    if (const auto memref = mlir::dyn_cast<mlir::MemRefType>(operand.getType())) {
      if (!memref.getLayout().isIdentity()) {
        return refuse(place, "the layout of " + found, "row-major without strides or offset");
      }
      if (memref.getMemorySpace()) {
        return refuse(place, "the memory space of " + found, "the default one, global memory");
      }
    } else if (mlir::cast<mlir::RankedTensorType>(operand.getType()).getEncoding()) {
      return refuse(place, "the encoding of " + found, "a plain tensor, row-major");
    }
    return check_size(place, shaped, found);
  }

  bool check_size(mlir::Location place, mlir::ShapedType shaped, const std::string& found) {
    std::int64_t bytes = 4;
    if (shaped.getElementType().isIntOrFloat())
      bytes = std::max(shaped.getElementTypeBitWidth() / 8u, 1u);
    for (const std::int64_t size : shaped.getShape()) {
      if (size < 1) return refuse(place, "the empty " + found, "sizes of at least 1");
      if (size > most_bytes / bytes) {
        return refuse(place, "the size of " + found,
                      "at most " + std::to_string(most_bytes) + " bytes a matrix");
      }
      bytes *= size;
    }
    return true;
  }

  // The accumulator starts from a filled constant or from an argument.
  bool read_initial_value() {
    const mlir::Value initial = matmul_.getOutputs()[0];
    if (!fill_) {
      if (mlir::isa<mlir::BlockArgument>(initial)) return true;
      return refuse(where(initial), "an initial value that nothing wrote",
                    "a function argument, or a linalg.fill with a constant");
    }
    const mlir::Value filled =
        request_.in_place ? fill_.getOutputs()[0] : fill_.getOperation()->getResult(0);
    if (filled != initial) {
      return refuse(fill_.getLoc(), "a linalg.fill of something else than the matmul's result",
                    "a fill of the matmul's initial value");
    }
    mlir::FloatAttr constant;
    auto defined = fill_.getInputs()[0].getDefiningOp<mlir::arith::ConstantOp>();
    if (defined) constant = mlir::dyn_cast<mlir::FloatAttr>(defined.getValue());
    if (!constant || constant.getType() != mlir::getElementTypeOrSelf(initial)) {
      return refuse(fill_.getLoc(), "a linalg.fill with a value of another type or not constant",
                    "an arith.constant of the result's element type");
    }
    request_.constant = constant.getValueAsDouble();
    return true;
  }

  // Each argument is one matrix, and each matrix is one argument (a tensor's D is the result).
  bool read_arguments() {
    const bool filled_argument = fill_ && mlir::isa<mlir::BlockArgument>(fill_.getOutputs()[0]);
    const mlir::Value result = fill_ ? fill_.getOutputs()[0] : matmul_.getOutputs()[0];
    for (mlir::BlockArgument argument : function_.getArguments()) {
      const bool is_a = argument == matmul_.getInputs()[0];
      const bool is_b = argument == matmul_.getInputs()[1];
      const bool is_c = argument == result;
      if (is_a + is_b + is_c != 1) {
        return refuse(argument.getLoc(),
                      is_a + is_b + is_c == 0 ? "an argument that the linalg.matmul does not use"
                                              : "an argument used for two matrices",
                      "arguments that are A, B and, unless a constant fills it, C");
      }
      if (is_c && filled_argument && !request_.in_place) {
        return refuse(argument.getLoc(), "a tensor argument that is only overwritten",
                      "a linalg.fill of tensor.empty()");
      }
      const Role written = request_.constant ? Role::d : Role::c;
      request_.arguments.push_back(is_a ? Role::a : is_b ? Role::b : written);
    }
    return check_inputs();
  }

  bool check_inputs() {
    for (mlir::Value operand : matmul_.getInputs()) {
      if (mlir::isa<mlir::BlockArgument>(operand)) continue;
      return refuse(where(operand), "an input computed in the function",
                    "inputs that are function arguments");
    }
    if (request_.in_place && request_.arguments.size() != 3) {
      return refuse(matmul_.getLoc(), "a result that is not a function argument",
                    "a memref argument as the result");
    }
    return true;
  }

  bool check_result() {
    mlir::Operation* end = function_.getBody().front().getTerminator();
    if (request_.in_place) {
      if (end->getNumOperands() == 0) return true;
      return refuse(end->getLoc(), "a returned value",
                    "a return without values: memrefs are updated in place");
    }
    if (end->getNumOperands() == 1 && end->getOperand(0) == matmul_->getResult(0)) return true;
    return refuse(end->getLoc(), "a return of something else", "the linalg.matmul's result alone");
  }

  mlir::func::FuncOp function_;
  Diagnostics& diagnostics_;
  mlir::linalg::MatmulOp matmul_;
  mlir::linalg::FillOp fill_;
  MatmulRequest request_;
};

// The module's only function.
mlir::func::FuncOp only_function(mlir::ModuleOp module, Diagnostics& diagnostics) {
  constexpr std::string_view accepted = "one func.func with one linalg.matmul";
  mlir::func::FuncOp found;
  for (mlir::Operation& operation : *module.getBody()) {
    auto function = mlir::dyn_cast<mlir::func::FuncOp>(operation);
    if (!function || found) {
      const std::string name = operation.getName().getStringRef().str();
      diagnostics.error(operation.getLoc(),
                        function ? "a second function" : "the operation " + name, accepted);
      return nullptr;
    }
    found = function;
  }
  if (!found) diagnostics.error(module.getLoc(), "no function", accepted);
  return found;
}

bool check_all_element_types(mlir::ModuleOp module, Diagnostics& diagnostics) {
  const mlir::WalkResult result = module.walk([&](mlir::linalg::MatmulOp matmul) {
    return check_element_types(matmul, diagnostics) ? mlir::WalkResult::advance()
                                                    : mlir::WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

std::optional<MatmulRequest> parse(std::string_view text, std::string_view file_name,
                                   Diagnostics& diagnostics) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::memref::MemRefDialect, mlir::tensor::TensorDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  const auto handler = diagnostics.attach(context);
  const mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  const std::string terminated(text);  // MLIR's lexer reads the zero behind the text
  const mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(terminated, config, llvm::StringRef(file_name));
  if (module && !check_all_element_types(*module, diagnostics)) return std::nullopt;
  if (!module || mlir::failed(mlir::verify(*module))) {
    diagnostics.note(
        "accepted is MLIR with one func.func and one linalg.matmul, such as "
        "examples/matmul.mlir");
    return std::nullopt;
  }
  const mlir::func::FuncOp function = only_function(*module, diagnostics);
  if (!function) return std::nullopt;
  return MatmulReader(function, diagnostics).read();
}

}  // namespace

std::vector<Role> parameter_roles(const MatmulRequest& request) {
  std::vector<Role> roles = request.arguments;
  if (!request.in_place) roles.push_back(Role::d);
  return roles;
}

std::optional<MatmulRequest> read_matmul(std::string_view text, std::string_view file_name,
                                         std::string& errors) {
  Diagnostics diagnostics(file_name);
  std::optional<MatmulRequest> request;
  if (diagnostics.check_text(text)) request = parse(text, file_name, diagnostics);
  if (!request) errors = diagnostics.text();
  return request;
}

}  // namespace heddle::compiler
