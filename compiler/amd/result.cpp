#include "compiler/amd/result.h"

#include "compiler/amd/read_matrix.h"
#include "compiler/kernel/epilogue.h"
#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/index_code.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Where a thread begins in D.
ThreadPlace place_in_result(const KernelContext& context) {
  const layout::LinearLayout& result = context.plan.result;
  return {context.add(context.block_m, thread_coordinate(context, result, "m")),
          context.add(context.block_n, thread_coordinate(context, result, "n"))};
}

// Where the thread's elements of D, or of a further result, are.
class ResultOffsets : public ElementOffsets {
 public:
  ResultOffsets(const KernelContext& context, const MatrixRecord& matrix)
      : ElementOffsets(context, matrix, place_in_result(context)) {}

  // Of element (m, n) of the thread's; outside the buffer where the element is outside the matrix.
  // Rows past the last are when they lie one after the other, unless offsets can wrap; hardware
  // checks that.
  Value checked(std::int64_t m, std::int64_t n) const {
    const plan::Tiling& block = context_.plan.tiles;
    const Extent& rows = context_.size(plan::Loop::m);
    const Extent& columns = context_.size(plan::Loop::n);
    Value offset = at(m, n);
    if (!columns.is_known() || columns.known % block.n != 0)
      offset = context_.or_outside(context_.less(context_.add(thread_.column, n), columns), offset);
    if (!rows.is_known() || (rows.known % block.m != 0 && !ends_outside()))
      offset = context_.or_outside(context_.less(context_.add(thread_.row, m), rows), offset);
    return offset;
  }

 private:
  bool ends_outside() const {
    const Extent& rows = context_.size(plan::Loop::m);
    const Extent& columns = context_.size(plan::Loop::n);
    const Extent &row = row_axis_.step, &column = column_axis_.step;
    return columns.is_known() && row_axis_.is_linear() && row.is_known() &&
           column_axis_.is_linear() && column.is_known() && column.known == 1 &&
           row.known >= columns.known &&
           (rows.known + context_.plan.tiles.m) * row.known * bytes_ < std::int64_t{1} << 32;
  }
};

std::uint64_t registers(const plan::MatmulPlan& plan) { return plan.result.input_size("register"); }

mlir::VectorType accumulator_type(const KernelContext& context) {
  return mlir::VectorType::get({static_cast<std::int64_t>(registers(context.plan))},
                               Epilogue(context, context.request).sum_type());
}

// From the sum of products to what is stored in D.
class Result {
 public:
  Result(const KernelContext& context, const Buffers& buffers)
      : context_(context), epilogue_(context, context.request) {
    const MatmulRequest& request = context.request;
    written_.push_back({request.d.element, buffers.d, {context, request.d}});
    for (std::size_t i = 0; i < buffers.further.size(); ++i) {
      const MatrixRecord& further = request.further[i].d;
      written_.push_back({further.element, buffers.further[i], {context, further}});
    }
    if (request.c) {
      c_.emplace_back(context, *request.c, buffers.c, place_in_result(context));
      c_lies_as_d_ = request.c->row == request.d.row && request.c->column == request.d.column &&
                     request.c->element == request.d.element;
    }
    for (std::size_t i = 0; i < buffers.extras.size(); ++i)
      extras_.emplace_back(context, request.extras[i], buffers.extras[i], place_in_result(context));
  }

  void store(Value sum, std::int64_t m, std::int64_t n) {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const Value offset = written_[0].offsets.checked(m, n);
    if (!c_.empty())
      sum = epilogue_.sum(
          sum, c_lies_as_d_ ? c_[0].at_offset(m, n, [&] { return offset; }) : c_[0].at(m, n));
    std::vector<Value> inputs{epilogue_.rounded(sum)};
    for (ReadMatrix& extra : extras_) inputs.push_back(extra.at(m, n));
    const std::vector<Value> values = epilogue_.finished(inputs);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Written& matrix = written_[i];
      Value value = values[i];
      const mlir::Type bits = bits_type(builder.getContext(), matrix.element);
      if (matrix.element != instruction::ElementType::f32 && value.getType() != bits)
        value = mlir::arith::BitcastOp::create(builder, bits, value);
      store_buffer(context_, value, matrix.buffer, i == 0 ? offset : matrix.offsets.checked(m, n));
    }
  }

 private:
  const KernelContext& context_;
  Epilogue epilogue_;
  struct Written {
    instruction::ElementType element;
    Value buffer;
    ResultOffsets offsets;
  };
  std::vector<Written> written_;  // D, then further results
  std::vector<ReadMatrix> c_;     // one or none
  bool c_lies_as_d_ = false;
  std::vector<ReadMatrix> extras_;
};

}  // namespace

std::vector<Value> initial_accumulators(const KernelContext& context) {
  return std::vector<Value>(
      static_cast<std::size_t>(context.plan.atoms_m() * context.plan.atoms_n()),
      Epilogue(context, context.request).initial(accumulator_type(context), context.part.part));
}

std::vector<Value> sums_of(const KernelContext& context, const std::vector<Value>& accumulators) {
  std::vector<Value> sums;
  for (const Value accumulator : accumulators)
    for (std::uint64_t element = 0; element < registers(context.plan); ++element)
      sums.push_back(mlir::vector::ExtractOp::create(context.builder, accumulator,
                                                     static_cast<std::int64_t>(element)));
  return sums;
}

void store_result(const KernelContext& context, const std::vector<Value>& sums,
                  const Buffers& buffers) {
  Result result(context, buffers);
  const bool only_stores = !context.request.c && buffers.extras.empty();
  const auto atoms_n = static_cast<std::uint64_t>(context.plan.atoms_n());
  const std::uint64_t count = registers(context.plan);
  for (std::uint64_t number = 0; number < sums.size(); ++number) {
    const std::uint64_t atom = number / count;
    // Stores that wait for nothing need no order, and scheduling takes quadratic time.
    if (only_stores && number > 0 && number % (2 * count) == 0) keep_apart(context);
    const layout::Coordinates place = context.plan.result
                                          .apply({{"register", number % count},
                                                  {"atom_m", atom / atoms_n},
                                                  {"atom_n", atom % atoms_n}})
                                          .value();
    result.store(sums[number], static_cast<std::int64_t>(place.at("m")),
                 static_cast<std::int64_t>(place.at("n")));
  }
}

}  // namespace heddle::compiler
