// Reads the products of a function. This file parses the text and checks everything that does not
// concern single products. Then product_cutter.h makes a function of each product, formula_reader.h
// reads such a function as a formula, and request_builder.h makes a MatmulRequest of the formula.
// The reading is strict: if a result depends on an operation that is not understood, the text is
// refused.
#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "compiler/cutter/own_kernel.h"
#include "compiler/cutter/product_cutter.h"
#include "compiler/diagnostics.h"
#include "compiler/elements/element_sizes.h"
#include "compiler/elements/request.h"
#include "compiler/frontend/request_builder.h"
#include "compiler/reader/attention_operations.h"
#include "compiler/reader/complex_values.h"
#include "compiler/reader/constants.h"
#include "compiler/reader/element.h"
#include "compiler/reader/element_marks.h"
#include "compiler/reader/formula_reader.h"
#include "compiler/reader/memory_values.h"
#include "compiler/reader/module_function.h"
#include "compiler/reader/plain_conditions.h"
#include "compiler/reader/plain_integers.h"
#include "compiler/reader/plain_memory.h"
#include "compiler/reader/plain_operations.h"
#include "compiler/reader/plain_powers.h"
#include "compiler/reader/vector_values.h"
#include "compiler/reader/whole_tiles.h"
#include "compiler/reader/winograd.h"
#include "compiler/reader/zero_points.h"
#include "compiler/request/product_sequence.h"
#include "compiler/source_dialects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace heddle::compiler {
namespace {

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

// Checks the element types of a linalg.matmul or batch_matmul before MLIR's verifier does. MLIR
// itself makes the body of such an operation. If the types are two floats of the same width, this
// body has a cast that does not exist, and the verifier would complain about the body, which the
// user has not written.
bool check_element_types(mlir::Operation* matmul, Diagnostics& diagnostics) {
  if (matmul->getNumOperands() != 3) return true;  // the verifier's case
  const auto type_of = [&](unsigned i) {
    return mlir::getElementTypeOrSelf(matmul->getOperand(i));
  };
  const mlir::Type result = type_of(2);
  const bool all_bits = llvm::all_of(matmul->getOperands(), [](mlir::Value operand) {
    return mlir::getElementTypeOrSelf(operand).isInteger(1);
  });
  const bool all_complex = llvm::all_of(matmul->getOperands(), [&](mlir::Value operand) {
    return mlir::isa<mlir::ComplexType>(result) && mlir::getElementTypeOrSelf(operand) == result;
  });
  if (all_bits || all_complex) return true;
  for (unsigned i = 0; i < 3; ++i) {
    const mlir::Type type = type_of(i);
    if (element_type(type) && !type.isInteger(1)) continue;
    diagnostics.error(
        place_of(matmul->getOperand(i)), (i == 2 ? "a result of " : "inputs of ") + printed(type),
        type.isInteger(1) ? "i1 for A, B and the result alike, or i8" : accepted_elements(type));
    return false;
  }
  for (unsigned i = 0; i < 2; ++i) {
    const mlir::Type type = type_of(i);
    if (type == result || !mlir::isa<mlir::FloatType>(type) ||
        !mlir::isa<mlir::FloatType>(result) ||
        type.getIntOrFloatBitWidth() != result.getIntOrFloatBitWidth())
      continue;
    diagnostics.error(place_of(matmul->getOperand(2)),
                      "a result of " + printed(result) + " of inputs of " + printed(type),
                      "f32, or the inputs' type");
    return false;
  }
  return true;
}

// Checks the function's name. It becomes a symbol of the code object, which must not collide with
// symbols of the linker or of LLVM, or with the kernel descriptor NAME.kd.
bool check_name(mlir::func::FuncOp function, Diagnostics& diagnostics) {
  const llvm::StringRef name = function.getName();
  const bool reserved = name.starts_with("llvm.") || name.starts_with("amdgpu.") ||
                        name.ends_with(".kd") || name == "_DYNAMIC" ||
                        name == "_GLOBAL_OFFSET_TABLE_";
  if (is_symbol_name(name) && !reserved) return true;
  diagnostics.error(function.getLoc(), "the function name @\"" + escaped(name) + "\"",
                    "letters, digits, _, $ and ., beginning with a letter or _; not llvm.*, "
                    "amdgpu.*, *.kd, _DYNAMIC or _GLOBAL_OFFSET_TABLE_");
  return false;
}

bool check_all_element_types(mlir::ModuleOp module, Diagnostics& diagnostics) {
  const mlir::WalkResult result = module.walk([&](mlir::Operation* operation) {
    const bool is_matmul =
        mlir::isa<mlir::linalg::MatmulOp, mlir::linalg::BatchMatmulOp>(operation);
    return !is_matmul || check_element_types(operation, diagnostics)
               ? mlir::WalkResult::advance()
               : mlir::WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

// Checks that each function ends with a return. MLIR would report a missing return with a message
// that shows an operation, and does not say what is missing.
bool check_returns(mlir::ModuleOp module, Diagnostics& diagnostics) {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    for (mlir::Block& block : function.getBody()) {
      if (block.empty() || block.back().mightHaveTrait<mlir::OpTrait::IsTerminator>()) continue;
      diagnostics.error(block.back().getLoc(), "a function that does not end with a return",
                        "func.return after the last operation");
      return false;
    }
  }
  return true;
}

// Refuses tensors for which the text does not say how many dimensions they have: a kernel has no
// argument for that number.
bool check_ranks(mlir::func::FuncOp function, Diagnostics& diagnostics) {
  const auto is_unranked = [](mlir::Type type) {
    return mlir::isa<mlir::UnrankedTensorType>(type);
  };
  const auto walked = function.walk([&](mlir::Operation* operation) {
    if (llvm::none_of(operation->getOperandTypes(), is_unranked) &&
        llvm::none_of(operation->getResultTypes(), is_unranked))
      return mlir::WalkResult::advance();
    diagnostics.error(operation->getLoc(),
                      operation->getName().getStringRef().str() + " of unranked tensors",
                      "tensors of a known rank, as a type such as tensor<?x?xf32> says it");
    return mlir::WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

// Gives each operation without a place in the text the place of the operation around it. MLIR
// itself makes the body of a named operation, such as linalg.exp, so the body's operations have no
// place.
void give_places(mlir::ModuleOp module) {
  module.walk<mlir::WalkOrder::PreOrder>([](mlir::Operation* operation) {
    if (operation->getLoc()->findInstanceOf<mlir::FileLineColLoc>() == nullptr &&
        operation->getParentOp() != nullptr)
      operation->setLoc(operation->getParentOp()->getLoc());
  });
}

// Replaces each softmax by its parts: a maximum, exponentials, their sum and a division.
bool decompose_softmax(mlir::func::FuncOp function) {
  std::vector<mlir::linalg::SoftmaxOp> all;
  function.walk([&](mlir::linalg::SoftmaxOp one) { all.push_back(one); });
  for (mlir::linalg::SoftmaxOp one : all) {
    if (!one.hasPureTensorSemantics()) continue;
    mlir::OpBuilder builder(one);
    // MLIR gives the parts the type of the input. In the result's type other sizes may be static.
    const mlir::Type type = one.getInput().getType(), written = one.getOutput().getType();
    if (type != written) {
      one.getOutputMutable().assign(
          mlir::tensor::CastOp::create(builder, one.getLoc(), type, one.getOutput()));
      mlir::Value result = one->getResult(0);
      result.setType(type);
      builder.setInsertionPointAfter(one);
      auto same = mlir::tensor::CastOp::create(builder, one.getLoc(), written, result);
      result.replaceAllUsesExcept(same, same);
      builder.setInsertionPoint(one);
    }
    const auto parts = one.decomposeOperation(builder);
    if (mlir::failed(parts)) return false;
    one->replaceAllUsesWith(*parts);
    one->erase();
  }
  return true;
}

// vector.vscale is the unknown factor in the length of a machine's scalable vectors. No target has
// such vectors, so the factor is replaced by 1, and MLIR folds what is computed from the factor
// into the types.
bool fix_scalable_sizes(mlir::func::FuncOp function) {
  std::vector<mlir::vector::VectorScaleOp> all;
  function.walk([&](mlir::vector::VectorScaleOp one) { all.push_back(one); });
  if (all.empty()) return true;
  for (mlir::vector::VectorScaleOp one : all) {
    mlir::OpBuilder builder(one);
    one->replaceAllUsesWith(
        mlir::arith::ConstantIndexOp::create(builder, one->getLoc(), 1).getOperation());
    one->erase();
  }
  mlir::PassManager passes(function.getContext(), mlir::func::FuncOp::getOperationName());
  passes.addPass(mlir::createCanonicalizerPass());
  return mlir::succeeded(passes.run(function));
}

// Makes the buffers of a sequence: one for each value of the function that a part reads or writes.
class SequenceMemory {
 public:
  /// `constants` has the bytes of constants of the text that were made arguments of `function`,
  /// behind its own arguments. The references must outlive this object.
  SequenceMemory(mlir::func::FuncOp function, const std::vector<std::vector<std::byte>>& constants,
                 ProductSequence& sequence)
      : function_(function), constants_(constants), sequence_(sequence) {}

  // Adds a part to the sequence. False if the part reads an argument whose first contents an
  // earlier part has overwritten.
  bool add_part(const CutPart& cut, MatmulRequest request, Diagnostics& diagnostics) {
    SequencePart part;
    const std::vector<const MatrixRecord*> written = written_matrices(request);
    std::vector<mlir::Value> values;
    for (const BufferRecord& buffer : request.buffers)
      values.push_back(
          buffer.argument < 0 ? nullptr : cut.arguments[static_cast<std::size_t>(buffer.argument)]);
    for (std::size_t i = 0; i < written.size(); ++i) {
      mlir::Value& value = values[static_cast<std::size_t>(written[i]->parameter)];
      if (!value) value = cut.results[i];
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      BufferRecord& buffer = request.buffers[i];
      const mlir::Value value = values[i];
      const auto argument = mlir::dyn_cast_if_present<mlir::BlockArgument>(value);
      const int constant = constant_of(value);
      if (argument && overwritten_.contains(value)) {
        diagnostics.error(place_of(value),
                          "an argument that a product overwrites before another reads it",
                          "a product that reads it first, or a result in memory of its own");
        return false;
      }
      buffer.argument = argument && constant < 0 ? static_cast<int>(argument.getArgNumber()) : -1;
      if (constant >= 0) buffer.constant = constants_[static_cast<std::size_t>(constant)];
      part.buffers.push_back(number_of(value, static_cast<int>(i)));
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
      const auto parameter = static_cast<std::size_t>(written[i]->parameter);
      if (!mlir::isa<mlir::BlockArgument>(values[parameter])) continue;
      overwritten_.insert(values[parameter]);
      numbers_[cut.results[i].getAsOpaquePointer()] = part.buffers[parameter];
    }
    part.request = std::move(request);
    sequence_.parts.push_back(std::move(part));
    return true;
  }

  // The arguments and results of a part that are neither arguments nor results of the whole
  // function: only parts read and write them.
  llvm::DenseSet<mlir::Value> between(const CutPart& cut) const {
    llvm::DenseSet<mlir::Value> values;
    const auto returned = function_.getBody().front().getTerminator()->getOperands();
    const auto is_inside = [&](mlir::Value value) {
      return !mlir::isa<mlir::BlockArgument>(value) && !llvm::is_contained(returned, value);
    };
    mlir::func::FuncOp part = cut.function;
    for (const auto& [value, argument] : llvm::zip_equal(cut.arguments, part.getArguments()))
      if (is_inside(value)) values.insert(argument);
    for (const auto& [value, result] :
         llvm::zip_equal(cut.results, part.getBody().front().getTerminator()->getOperands()))
      if (is_inside(value)) values.insert(result);
    return values;
  }

  // Marks buffers of an added part that are too large.
  void refuse(const CutPart& cut, const std::vector<std::pair<mlir::Value, Refusal>>& too_large) {
    mlir::func::FuncOp part = cut.function;
    const auto results = part.getBody().front().getTerminator()->getOperands();
    for (const auto& [value, refusal] : too_large) {
      const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
      const mlir::Value original =
          argument
              ? cut.arguments[argument.getArgNumber()]
              : cut.results[static_cast<std::size_t>(llvm::find(results, value) - results.begin())];
      const auto known = numbers_.find(original.getAsOpaquePointer());
      if (known == numbers_.end()) continue;
      SequenceBuffer& buffer = sequence_.buffers[static_cast<std::size_t>(known->second)];
      if (!buffer.too_large) buffer.too_large = refusal;
    }
  }

  // Marks the buffers of values that the function returns as results, and numbers the results and
  // the intermediate buffers.
  void finish() {
    mlir::Operation* end = function_.getBody().front().getTerminator();
    for (const mlir::Value value : end->getOperands()) {
      const auto known = numbers_.find(value.getAsOpaquePointer());
      if (known == numbers_.end()) continue;
      SequenceBuffer& buffer = sequence_.buffers[static_cast<std::size_t>(known->second)];
      if (buffer.kind == SequenceBuffer::Kind::intermediate) {
        buffer.kind = SequenceBuffer::Kind::result;
        buffer.number = static_cast<int>(sequence_.results.size());
      }
      sequence_.results.push_back(known->second);
    }
    int intermediates = 0;
    for (SequenceBuffer& buffer : sequence_.buffers)
      if (buffer.kind == SequenceBuffer::Kind::intermediate) buffer.number = intermediates++;
  }

 private:
  // The number of the sequence's buffer for `value`. The part that is being added has the value as
  // its buffer `of_part`.
  int number_of(mlir::Value value, int of_part) {
    const auto part = static_cast<int>(sequence_.parts.size());
    const auto [known, is_new] = numbers_.try_emplace(value.getAsOpaquePointer(),
                                                      static_cast<int>(sequence_.buffers.size()));
    if (is_new) sequence_.buffers.push_back({.first = part, .part = part, .buffer = of_part});
    SequenceBuffer& buffer = sequence_.buffers[static_cast<std::size_t>(known->second)];
    buffer.last = part;
    if (const auto argument = mlir::dyn_cast_if_present<mlir::BlockArgument>(value)) {
      const int constant = constant_of(value);
      const bool is_constant = constant >= 0;
      buffer.kind = is_constant ? SequenceBuffer::Kind::constant : SequenceBuffer::Kind::argument;
      buffer.number = is_constant ? constant : static_cast<int>(argument.getArgNumber());
    }
    return known->second;
  }

  // If a value is an argument that stands for a constant of the text, the constant's number;
  // otherwise a negative number.
  int constant_of(mlir::Value value) const {
    const auto argument = mlir::dyn_cast_if_present<mlir::BlockArgument>(value);
    if (!argument) return -1;
    const auto first = function_.getNumArguments() - constants_.size();
    return static_cast<int>(argument.getArgNumber()) - static_cast<int>(first);
  }

  mutable mlir::func::FuncOp function_;  // whose methods are not const
  const std::vector<std::vector<std::byte>>& constants_;
  ProductSequence& sequence_;
  std::map<const void*, int> numbers_;
  llvm::DenseSet<mlir::Value> overwritten_;  // arguments that hold results
};

// Where the sum of a part is in the text.
Place place_of_sum(const CutPart& part) {
  mlir::func::FuncOp function = part.function;
  if (!function.getBody().hasOneBlock()) return {0, 0};
  for (mlir::Operation& operation : function.getBody().front()) {
    auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
    if (linalg && linalg.getNumReductionLoops() != 0) return line_of(operation.getLoc());
  }
  return {0, 0};
}

// Finds out which sizes of a function are equal. Reads the function only when the first question
// about it is asked.
class EqualSizes {
 public:
  explicit EqualSizes(mlir::func::FuncOp function) : function_(function) {}

  // False, with an error, if a part's kernel would take a size of its result as a separate argument
  // although this size must equal another one. That happens if a loop runs only over the result, as
  // in a broadcast: within the part, the size of such a loop depends on no other size.
  bool are_told(const CutPart& part, const MatmulRequest& request, Diagnostics& diagnostics) {
    std::vector<Size> told, free;
    for (const BufferRecord& buffer : request.buffers)
      if (buffer.argument >= 0)
        add(buffer, part.arguments[static_cast<std::size_t>(buffer.argument)], told);
    const std::vector<const MatrixRecord*> written = written_matrices(request);
    for (std::size_t i = 0; i < written.size(); ++i) {
      const BufferRecord& buffer = request.buffers[static_cast<std::size_t>(written[i]->parameter)];
      if (buffer.argument < 0) add(buffer, part.results[i], free);
    }
    std::erase_if(free, [&](const Size& size) {
      return std::ranges::count(told, size.loop, &Size::loop) != 0;
    });
    if (free.empty()) return true;
    told.insert(told.end(), free.begin(), free.end());
    for (const mlir::BlockArgument argument : function_.getArguments())
      if (const auto type = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType()))
        for (unsigned dim = 0; dim < static_cast<unsigned>(type.getRank()); ++dim)
          told.push_back({-1, argument, dim});
    for (const Size& size : free)
      for (const Size& other : told) {
        if (size.loop == other.loop || number(size) == 0 || number(size) != number(other)) continue;
        diagnostics.error(
            place_of(size.value),
            "a dimension of a result that is as long as another, by a loop of its own",
            "known sizes, or a product that reads what has this dimension");
        return false;
      }
    return true;
  }

 private:
  struct Size {
    int loop = -1;  // of the part, a plan::Loop; -1: it has none
    mlir::Value value;
    unsigned dim = 0;
  };

  static void add(const BufferRecord& buffer, mlir::Value value, std::vector<Size>& sizes) {
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    for (std::size_t dim = 0; type && dim < buffer.shape.size(); ++dim)
      if (buffer.shape[dim] < 0 && type.isDynamicDim(static_cast<unsigned>(dim)))
        sizes.push_back(
            {static_cast<int>(buffer.dynamic_sizes[dim].loop), value, static_cast<unsigned>(dim)});
  }
  int number(const Size& of) {
    if (!sizes_) sizes_.emplace(function_);
    return sizes_->of(of.value, of.dim).number;
  }

  mlir::func::FuncOp function_;
  std::optional<ElementSizes> sizes_;
};

// Reads the text. `by_elements` has the places in the text of sums that must be computed by element
// kernels. If kernels of products do not support the form of some sum, adds the sum's place to
// `by_elements`, so that the caller can try again.
std::optional<ProductSequence> parse(std::string_view text, std::string_view file_name,
                                     std::string_view name, Formulas formulas,
                                     std::vector<Place>& by_elements, Diagnostics& diagnostics) {
  mlir::DialectRegistry registry;
  add_source_dialects(registry);
  add_attention_dialect(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  const auto handler = diagnostics.attach(context);
  const mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  const std::string terminated(text);  // MLIR's lexer reads the zero behind the text
  const mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(terminated, config, llvm::StringRef(file_name));
  if (module) give_places(*module);
  if (module && (!diagnostics.check_sizes(*module) || !check_returns(*module, diagnostics) ||
                 !check_all_element_types(*module, diagnostics))) {
    return std::nullopt;
  }
  if (!module || mlir::failed(mlir::verify(*module))) {
    diagnostics.note_lowering();
    diagnostics.note(
        "accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of "
        "a warp's vectors, as in examples/warp.mlir");
    return std::nullopt;
  }
  const mlir::func::FuncOp function = module_function(*module, name, diagnostics);
  if (!function || !check_name(function, diagnostics) || !check_ranks(function, diagnostics))
    return std::nullopt;
  if (!expand_attention(function, diagnostics)) return std::nullopt;
  join_blocks(function);
  ignore_encodings(function);
  select_for_conditions(function);
  use_plain_operations(function);
  use_plain_powers(function);
  use_products_of_winograd(function);
  const int prints = remove_prints(function);
  use_plain_memory(function);
  if (!make_tensors_of_vectors(function, diagnostics)) return std::nullopt;
  return_tensors(function);
  if (!make_values_of_memory(function, diagnostics) ||
      mlir::failed(mlir::verify(function)) ||  // such as reads beyond the end
      !split_complex_numbers(function, diagnostics))
    return std::nullopt;
  drop_kept_dimensions(function);
  if (!decompose_softmax(function)) return std::nullopt;
  if (!fix_scalable_sizes(function)) {
    diagnostics.note("accepted are sizes that agree where vector.vscale is 1");
    return std::nullopt;
  }
  use_whole_tiles(function);
  use_plain_integers(function);
  separate_zero_points(function);
  const std::vector<std::vector<std::byte>> constants = make_arguments_of_constants(function);
  if (!by_elements.empty()) mark_element_kernels_at(function, by_elements);
  const auto parts = cut_products(function, formulas, diagnostics);
  if (!parts) return std::nullopt;
  ProductSequence sequence;
  sequence.prints = prints;
  sequence.function = mlir::func::FuncOp(function).getName().str();
  SequenceMemory memory(function, constants, sequence);
  EqualSizes sizes(function);
  for (const CutPart& part : *parts) {
    if (is_element_function(part.function)) {
      auto request = element_request(part.function, diagnostics);
      if (!request || !memory.add_part(part, *std::move(request), diagnostics)) return std::nullopt;
      continue;
    }
    const Place sum = place_of_sum(part);
    const auto formula = FormulaReader(part.function, diagnostics).read();
    std::optional<RequestBuilder> builder;
    std::optional<MatmulRequest> request;
    if (formula)
      request = builder.emplace(part.function, *formula, diagnostics, memory.between(part)).build();
    if (!request || !sizes.are_told(part, *request, diagnostics)) {
      const auto is_it = [&](const Place& one) {
        return one.line == sum.line && one.column == sum.column;
      };
      if (sum.line != 0 && std::ranges::none_of(by_elements, is_it)) by_elements.push_back(sum);
      return std::nullopt;
    }
    if (!memory.add_part(part, *std::move(request), diagnostics)) return std::nullopt;
    memory.refuse(part, builder->too_large());
  }
  memory.finish();
  return sequence;
}

}  // namespace

std::vector<Role> parameter_roles(const MatmulRequest& request) {
  std::vector<Role> roles;
  for (const BufferRecord& buffer : request.buffers) roles.push_back(buffer.role);
  roles.insert(roles.end(), static_cast<std::size_t>(std::popcount(request.problem.dynamic)),
               Role::size);
  return roles;
}

std::vector<const MatrixRecord*> written_matrices(const MatmulRequest& request) {
  std::vector<const MatrixRecord*> written{&request.d};
  for (const FurtherResult& further : request.further) written.push_back(&further.d);
  if (request.softmax)
    for (const SoftmaxResult& result : request.softmax->results) written.push_back(&result.d);
  return written;
}

int size_parameter(const MatmulRequest& request, plan::Loop loop) {
  const unsigned before = request.problem.dynamic & ((1u << static_cast<unsigned>(loop)) - 1);
  return static_cast<int>(request.buffers.size()) + std::popcount(before);
}

std::optional<ProductSequence> read_products(std::string_view text, std::string_view file_name,
                                             std::string_view function, Formulas formulas,
                                             std::string& errors) {
  std::vector<Place> by_elements;
  for (std::size_t tries = 0;; ++tries) {
    Diagnostics diagnostics(file_name);
    std::optional<ProductSequence> sequence;
    if (tries != 0 || diagnostics.check_text(text))
      sequence = parse(text, file_name, function, formulas, by_elements, diagnostics);
    if (sequence) return sequence;
    if (tries == 0) errors = diagnostics.text();
    // Retry if a form was marked that kernels of products lack: slower element kernels may compute
    // it.
    const bool is_marked = by_elements.size() > tries;
    if (!is_marked || tries == most_products || formulas == Formulas::with_places)
      return std::nullopt;
  }
}

}  // namespace heddle::compiler
