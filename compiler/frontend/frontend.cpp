// Reads the products of a function: parses the text and checks all that has nothing to do with
// products. product_cutter.h makes a function of each, formula_reader.h follows that, and
// request_builder.h makes the record. The walk is strict: every operation that a result depends on
// must be one that is understood.
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

// The element types of a linalg.matmul or batch_matmul, before MLIR's verifier would complain about
// the body that MLIR gave the operation: it has no cast between two floats of as many bits.
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

// The name becomes a symbol of the code object, next to those of the linker, of LLVM and the kernel
// descriptor NAME.kd.
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

// MLIR's message about a missing return shows an operation instead of saying what is missing.
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

// Tensors whose number of dimensions the text does not say, of which no kernel is told.
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

// MLIR makes the body of a named operation, such as linalg.exp, so the body has no place of its
// own.
void give_places(mlir::ModuleOp module) {
  module.walk<mlir::WalkOrder::PreOrder>([](mlir::Operation* operation) {
    if (operation->getLoc()->findInstanceOf<mlir::FileLineColLoc>() == nullptr &&
        operation->getParentOp() != nullptr)
      operation->setLoc(operation->getParentOp()->getLoc());
  });
}

// A softmax becomes its parts: a maximum, exponentials, their sum and a division.
bool decompose_softmax(mlir::func::FuncOp function) {
  std::vector<mlir::linalg::SoftmaxOp> all;
  function.walk([&](mlir::linalg::SoftmaxOp one) { all.push_back(one); });
  for (mlir::linalg::SoftmaxOp one : all) {
    if (!one.hasPureTensorSemantics()) continue;
    mlir::OpBuilder builder(one);
    // MLIR's parts have the input's type, of which the result's may know more or fewer sizes.
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

// No target has vectors of a length that only the machine knows. So vector.vscale is 1, and MLIR
// folds values that are computed from it into the types.
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

// The memory of a sequence, from the values of the function that the parts read and write.
class SequenceMemory {
 public:
  /// The function's last arguments are `constants`, which are none in the text.
  SequenceMemory(mlir::func::FuncOp function, const std::vector<std::vector<std::byte>>& constants,
                 ProductSequence& sequence)
      : function_(function), constants_(constants), sequence_(sequence) {}

  // False: a part reads what an argument held before an earlier part wrote it.
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

  // The part's arguments and results that only parts use.
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

  // Notes buffers of a part that has been added and that are too large.
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

  // Buffers for the values that the function returns, and for those between its parts.
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
  // The sequence's buffer that holds `value`, which the part that is being added uses.
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

  // The number of the constant that a value is; negative if it is none.
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

// The equal sizes of a function, read when they are asked for.
class EqualSizes {
 public:
  explicit EqualSizes(mlir::func::FuncOp function) : function_(function) {}

  // False if a part's kernel would be told a size of a result that is the size of something else: a
  // loop over a result alone, as a broadcast has, is a size of its own to a product.
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

// `by_elements`: places of sums that a kernel computes element by element. If no kernel of a
// product has the form of a sum, that sum's place is added.
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
    // A form that one kernel does not have may be computed by another, which is slower.
    const bool is_marked = by_elements.size() > tries;
    if (!is_marked || tries == most_products || formulas == Formulas::with_places)
      return std::nullopt;
  }
}

}  // namespace heddle::compiler
