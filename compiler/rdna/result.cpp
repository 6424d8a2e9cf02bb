#include "compiler/rdna/result.h"

#include <map>
#include <utility>

#include "compiler/kernel/epilogue.h"
#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/index_code.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Byte offsets of the thread's elements of a matrix with m rows and n columns.
class ElementOffsets {
 public:
  ElementOffsets(const KernelContext& context, const MatrixRecord& matrix)
      : context_(context),
        bytes_(instruction::bits(matrix.element) / 8),
        row_(context.extent(matrix.row)),
        column_(context.extent(matrix.column)) {
    const plan::MatmulPlan& plan = context.plan;
    m_ = context.add(context.block_m, thread_coordinate(context, plan.result, "m"));
    n_ = context.add(context.block_n, thread_coordinate(context, plan.result, "n"));
    thread_ = offset(m_, n_);
  }

  // Of element (m, n) of the thread's. What is outside the matrix is read from anywhere in the
  // buffer or as zero, and is not stored.
  Value at(std::int64_t m, std::int64_t n) const {
    if (!row_.is_linear() || !column_.is_linear())
      return offset(context_.add(m_, m), context_.add(n_, n));
    return context_.add(thread_, context_.sum(context_.scaled(row_.step, m * bytes_),
                                              context_.scaled(column_.step, n * bytes_)));
  }

  // The same, outside the buffer where the element is outside the matrix. Rows past the last are
  // when they lie one after the other, unless offsets can wrap; hardware checks that.
  Value checked(std::int64_t m, std::int64_t n) const {
    const plan::BlockTile& block = context_.plan.block;
    const Extent& rows = context_.size(plan::Loop::m);
    const Extent& columns = context_.size(plan::Loop::n);
    Value offset = at(m, n);
    if (!columns.is_known() || columns.known % block.n != 0)
      offset = context_.or_outside(context_.less(context_.add(n_, n), columns), offset);
    if (!rows.is_known() || (rows.known % block.m != 0 && !ends_outside()))
      offset = context_.or_outside(context_.less(context_.add(m_, m), rows), offset);
    return offset;
  }

 private:
  bool ends_outside() const {
    const Extent& rows = context_.size(plan::Loop::m);
    const Extent& columns = context_.size(plan::Loop::n);
    return columns.is_known() && row_.is_linear() && row_.step.is_known() && column_.is_linear() &&
           column_.step.is_known() && column_.step.known == 1 && row_.step.known >= columns.known &&
           (rows.known + context_.plan.block.m) * row_.step.known * bytes_ < std::int64_t{1} << 32;
  }

  Value offset(Value m, Value n) const {
    return context_.multiply(context_.add(context_.place(row_, m), context_.place(column_, n)),
                             bytes_);
  }

  const KernelContext& context_;
  std::int64_t bytes_;
  AxisExtent row_, column_;
  Value m_, n_, thread_;
};

// The elements of a matrix that the end of a kernel reads, each once.
class ReadMatrix {
 public:
  ReadMatrix(const KernelContext& context, const MatrixRecord& matrix, Value buffer)
      : context_(context), matrix_(matrix), buffer_(buffer), offsets_(context, matrix) {}

  Value at(std::int64_t m, std::int64_t n) {
    if (matrix_.row.is({})) m = 0;
    if (matrix_.column.is({})) n = 0;
    return at_offset(m, n, [&] { return offsets_.at(m, n); });
  }

  // The element at the offset of D's, where both lie alike.
  template <class Offset>
  Value at_offset(std::int64_t m, std::int64_t n, Offset offset) {
    Value& known = read_[{m, n}];
    if (known) return known;
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const mlir::Type bits = bits_type(builder.getContext(), matrix_.element);
    const mlir::Type number = number_type(builder.getContext(), matrix_.element);
    if (matrix_.element == instruction::ElementType::f32)
      return known = load_buffer(context_, number, buffer_, offset());
    known = load_buffer(context_, bits, buffer_, offset());
    if (bits != number) known = mlir::arith::BitcastOp::create(builder, number, known);
    return known;
  }

 private:
  const KernelContext& context_;
  const MatrixRecord& matrix_;
  Value buffer_;
  ElementOffsets offsets_;
  std::map<std::pair<std::int64_t, std::int64_t>, Value> read_;
};

std::uint64_t registers(const plan::MatmulPlan& plan) { return plan.result.input_size("register"); }

mlir::VectorType accumulator_type(const KernelContext& context) {
  return mlir::VectorType::get({static_cast<std::int64_t>(registers(context.plan))},
                               Epilogue(context, context.request).sum_type());
}

// From the sum of products to what is stored in D.
class Result {
 public:
  Result(const KernelContext& context, const ResultBuffers& buffers)
      : context_(context),
        epilogue_(context, context.request),
        d_(context, context.request.d),
        d_buffer_(buffers.d) {
    const MatmulRequest& request = context.request;
    if (request.c) {
      c_.emplace_back(context, *request.c, buffers.c);
      c_lies_as_d_ = request.c->row == request.d.row && request.c->column == request.d.column &&
                     request.c->element == request.d.element;
    }
    for (std::size_t i = 0; i < buffers.extras.size(); ++i)
      extras_.emplace_back(context, request.extras[i], buffers.extras[i]);
  }

  void store(Value sum, std::int64_t m, std::int64_t n) {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const Value offset = d_.checked(m, n);
    if (!c_.empty())
      sum = epilogue_.sum(
          sum, c_lies_as_d_ ? c_[0].at_offset(m, n, [&] { return offset; }) : c_[0].at(m, n));
    std::vector<Value> inputs{epilogue_.rounded(sum)};
    for (ReadMatrix& extra : extras_) inputs.push_back(extra.at(m, n));
    Value value = epilogue_.finished(inputs);
    const instruction::ElementType type = context_.plan.problem.result;
    const mlir::Type bits = bits_type(builder.getContext(), type);
    if (type != instruction::ElementType::f32 && value.getType() != bits)
      value = mlir::arith::BitcastOp::create(builder, bits, value);
    store_buffer(context_, value, d_buffer_, offset);
  }

 private:
  const KernelContext& context_;
  Epilogue epilogue_;
  ElementOffsets d_;
  Value d_buffer_;
  std::vector<ReadMatrix> c_;  // one or none
  bool c_lies_as_d_ = false;
  std::vector<ReadMatrix> extras_;
};

}  // namespace

std::vector<Value> initial_accumulators(const KernelContext& context) {
  const plan::BlockTile& block = context.plan.block;
  return std::vector<Value>(
      static_cast<std::size_t>(block.atoms_m() * block.atoms_n()),
      Epilogue(context, context.request).initial(accumulator_type(context), context.part));
}

void store_result(const KernelContext& context, const std::vector<Value>& accumulators,
                  const ResultBuffers& buffers) {
  Result result(context, buffers);
  const bool only_stores = !context.request.c && buffers.extras.empty();
  const auto atoms_n = static_cast<std::uint64_t>(context.plan.block.atoms_n());
  for (std::uint64_t atom = 0; atom < accumulators.size(); ++atom) {
    // Stores that wait for nothing need no order, and scheduling takes quadratic time.
    if (only_stores && atom > 0 && atom % 2 == 0) keep_apart(context);
    for (std::uint64_t element = 0; element < registers(context.plan); ++element) {
      const layout::Coordinates place =
          context.plan.result
              .apply(
                  {{"register", element}, {"atom_m", atom / atoms_n}, {"atom_n", atom % atoms_n}})
              .value();
      const Value sum = mlir::vector::ExtractOp::create(context.builder, accumulators[atom],
                                                        static_cast<std::int64_t>(element));
      result.store(sum, static_cast<std::int64_t>(place.at("m")),
                   static_cast<std::int64_t>(place.at("n")));
    }
  }
}

}  // namespace heddle::compiler
