#include "compiler/nvidia/mma_result.h"

#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/index_code.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using mlir::Value;

bool is_integer(mlir::Type type) { return mlir::isa<mlir::IntegerType>(type); }

Value sum_of(const MmaContext& context, Value x, Value y) {
  if (is_integer(x.getType())) return mlir::arith::AddIOp::create(context.builder, x, y);
  return mlir::arith::AddFOp::create(context.builder, x, y);
}

// Stores the sums of one thread, as many neighbours along n at once as registers hold.
class Stores {
 public:
  Stores(const MmaContext& context, const MmaResult& result)
      : context_(context), all_(result), addend_(result.c), result_(result.d) {
    const plan::MmaPlan& plan = context.plan;
    m_ = context.add(context.block_m, thread_coordinate(context, plan.result, "m"));
    n_ = context.add(context.block_n, thread_coordinate(context, plan.result, "n"));
    const layout::AxisList& in = plan.result.inputs();
    for (int bit = 0; bit < in.bits_of("register"); ++bit) {
      if (plan.result.basis("register", bit, "n") != std::uint64_t{1} << bit) break;
      ++vector_bits_;
    }
    while (vector_bits_ > 0 && !fits()) --vector_bits_;
  }

  int width() const { return 1 << vector_bits_; }

  void store(std::uint64_t atom_m, std::uint64_t atom_n, std::uint64_t first,
             llvm::ArrayRef<Value> sums) const {
    const layout::Coordinates place =
        context_.plan.result.apply({{"register", first}, {"atom_m", atom_m}, {"atom_n", atom_n}})
            .value();
    const auto m = static_cast<std::int64_t>(place.at("m"));
    const auto n = static_cast<std::int64_t>(place.at("n"));
    Value valid;
    if (has_edge(result_.rows, context_.plan.tiles.m))
      valid = context_.less(context_.add(m_, m), result_.rows);
    if (has_edge(result_.columns, context_.plan.tiles.n))
      valid = context_.both(valid, context_.less(context_.add(n_, n), result_.columns));
    if (!valid) {
      store_at(m, n, sums);
      return;
    }
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    auto inside = mlir::scf::IfOp::create(builder, valid, /*withElseRegion=*/false);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&inside.getThenRegion().front());
    store_at(m, n, sums);
  }

 private:
  static bool has_edge(const Extent& size, int tile) {
    return !size.is_known() || size.known % tile != 0;
  }

  // Every row begins at a multiple of the vector, and none crosses the end of a row.
  bool fits() const {
    const auto good = [&](const GlobalMatrix& matrix) {
      const std::int64_t count = std::int64_t{1} << vector_bits_;
      const std::int64_t bytes = count * matrix.element_bytes();
      const auto divides = [](std::int64_t divisor, const Extent& number) {
        return number.is_known() && number.known % divisor == 0;
      };
      return matrix.column_bytes.is_known() &&
             matrix.column_bytes.known == matrix.element_bytes() &&
             divides(count, matrix.columns) && divides(bytes, matrix.row_bytes) &&
             divides(bytes, matrix.batch_bytes) && matrix.offset_bytes % bytes == 0 && bytes <= 16;
    };
    return good(result_) && (!addend_.pointer || good(addend_));
  }

  Value pointer(const GlobalMatrix& matrix, std::int64_t m, std::int64_t n) const {
    const Value row = context_.further(matrix.pointer, context_.wide(m_, matrix.row_bytes));
    const Value first = context_.further(row, context_.wide(n_, matrix.column_bytes));
    return context_.further(first, context_.plus(context_.times(matrix.row_bytes, m),
                                                 context_.times(matrix.column_bytes, n)));
  }

  mlir::Type vector_of(mlir::Type element) const {
    return width() == 1 ? element : mlir::Type(mlir::VectorType::get({width()}, element));
  }

  void store_at(std::int64_t m, std::int64_t n, llvm::ArrayRef<Value> sums) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    std::vector<Value> values(sums.begin(), sums.end());
    if (addend_.pointer) add_elements(pointer(addend_, m, n), values);
    const mlir::Type element = number(result_.element);
    const auto align = static_cast<unsigned>(width() * instruction::bits(result_.element) / 8);
    for (int i = 0; i < width(); ++i) {
      Value& value = values[static_cast<std::size_t>(i)];
      value = finished(value, m, n + i);
    }
    Value stored = values[0];
    if (width() > 1) {
      stored = mlir::LLVM::PoisonOp::create(builder, vector_of(element));
      for (int i = 0; i < width(); ++i)
        stored = mlir::LLVM::InsertElementOp::create(
            builder, stored, values[static_cast<std::size_t>(i)], context_.constant(i));
    }
    mlir::LLVM::StoreOp::create(builder, stored, pointer(result_, m, n), align);
  }

  mlir::Type number(ElementType type) const {
    return number_type(context_.builder.getContext(), type);
  }

  // What is stored for a sum: rounded to the product's type, then through the epilogue.
  Value finished(Value sum, std::int64_t m, std::int64_t n) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const MatmulRequest& request = all_.request;
    std::vector<Value> inputs{converted(builder, sum, number(request.sum_result))};
    for (const GlobalMatrix& extra : all_.extras) {
      const auto align = static_cast<unsigned>(instruction::bits(extra.element) / 8);
      inputs.push_back(
          mlir::LLVM::LoadOp::create(builder, number(extra.element), pointer(extra, m, n), align));
    }
    const Value result = emit(builder, request.epilogue, inputs);
    return converted(builder, result, number(result_.element));
  }

  void add_elements(Value from, std::vector<Value>& values) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const mlir::Type element = number(addend_.element);
    const auto align = static_cast<unsigned>(width() * instruction::bits(addend_.element) / 8);
    const Value loaded = mlir::LLVM::LoadOp::create(builder, vector_of(element), from, align);
    for (int i = 0; i < width(); ++i) {
      Value& value = values[static_cast<std::size_t>(i)];
      Value part = loaded;
      if (width() > 1)
        part = mlir::LLVM::ExtractElementOp::create(builder, loaded, context_.constant(i));
      value = sum_of(context_, value, converted(builder, part, value.getType()));
    }
  }

  const MmaContext& context_;
  const MmaResult& all_;
  const GlobalMatrix& addend_;
  const GlobalMatrix& result_;
  Value m_, n_;
  int vector_bits_ = 0;
};

}  // namespace

Sums initial_sums(const MmaContext& context, double constant) {
  const plan::MmaPlan& plan = context.plan;
  const mlir::Type type = sum_type(context);
  const mlir::TypedAttr value = is_integer(type)
                                    ? mlir::TypedAttr(context.builder.getIntegerAttr(
                                          type, static_cast<std::int64_t>(constant)))
                                    : mlir::TypedAttr(context.builder.getFloatAttr(type, constant));
  Value filled = mlir::arith::ConstantOp::create(context.builder, value);
  if (context.part && constant != 0) {  // which one part alone begins with
    const Value zero =
        mlir::arith::ConstantOp::create(context.builder, context.builder.getZeroAttr(type));
    filled = context.select(context.less(context.part, 1), filled, zero);
  }
  const auto count = static_cast<std::size_t>(plan.atoms_m() * plan.atoms_n()) *
                     plan.result.input_size("register");
  return Sums(count, filled);
}

void store_sums(const MmaContext& context, const Sums& sums, const MmaResult& result) {
  const Stores stores(context, result);
  const auto registers = context.plan.result.input_size("register");
  const auto atoms_n = static_cast<std::uint64_t>(context.plan.atoms_n());
  const auto width = static_cast<std::size_t>(stores.width());
  for (std::size_t first = 0; first < sums.size(); first += width) {
    const std::uint64_t atom = first / registers;
    stores.store(atom / atoms_n, atom % atoms_n, first % registers,
                 llvm::ArrayRef(sums).slice(first, width));
  }
}

}  // namespace heddle::compiler
