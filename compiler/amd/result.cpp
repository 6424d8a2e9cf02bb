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

// Sums of a lane that are neighbours in a row of D, from each multiple of so many registers on.
std::uint64_t neighbours(const plan::MatmulPlan& plan) {
  std::uint64_t count = 1;
  for (int bit = 0; bit < plan.result.inputs().bits_of("register"); ++bit, count *= 2)
    if (plan.result.basis("register", bit, "n") != count ||
        plan.result.basis("register", bit, "m") != 0)
      break;
  return count;
}

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
    written_.push_back({&request.d, buffers.d, {context, request.d}});
    for (std::size_t i = 0; i < buffers.further.size(); ++i) {
      const MatrixRecord& further = request.further[i].d;
      written_.push_back({&further, buffers.further[i], {context, further}});
    }
    if (request.c) {
      c_.emplace_back(context, *request.c, buffers.c, place_in_result(context));
      c_lies_as_d_ = request.c->row == request.d.row && request.c->column == request.d.column &&
                     request.c->element == request.d.element &&
                     request.c->batch == request.d.batch && request.c->offset == request.d.offset &&
                     request.c->padding.empty();
    }
    for (std::size_t i = 0; i < buffers.extras.size(); ++i)
      extras_.emplace_back(context, request.extras[i], buffers.extras[i], place_in_result(context));
  }

  // Elements (m, n) on of the thread's, as many as there are sums, side by side in a row.
  void store(llvm::ArrayRef<Value> sums, std::int64_t m, std::int64_t n) {
    const auto width = static_cast<int>(sums.size());
    std::vector<std::vector<Value>> rows(written_.size());
    const std::vector<Value> places = offsets(written_[0], m, n, width);
    const auto stored = sums.size() / places.size();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::vector<Value> values =
          finished(sums[i], m, n + static_cast<std::int64_t>(i), width, places[i / stored]);
      for (std::size_t matrix = 0; matrix < rows.size(); ++matrix)
        rows[matrix].push_back(values[matrix]);
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      store_row(written_[i], rows[i], i == 0 ? places : offsets(written_[i], m, n, width));
  }

 private:
  const KernelContext& context_;
  Epilogue epilogue_;
  struct Written {
    const MatrixRecord* record;
    Value buffer;
    ResultOffsets offsets;
  };

  // What is stored of a sum, in each matrix. `place`: the offset of D's first element that is
  // stored together with this one.
  std::vector<Value> finished(Value sum, std::int64_t m, std::int64_t n, int width, Value place) {
    if (!c_.empty())
      sum = epilogue_.sum(sum, c_lies_as_d_
                                   ? c_[0].in_group_at(m, n, together(written_[0], width), place)
                                   : c_[0].in_group(m, n, inside(width)));
    std::vector<Value> inputs{epilogue_.rounded(sum)};
    for (ReadMatrix& extra : extras_) inputs.push_back(extra.in_group(m, n, inside(width)));
    return epilogue_.finished(inputs);
  }

  // How many neighbours in a row of D may be moved at once: all of them are inside of it, or none.
  // Reading more would read past the buffer's end, or what another wave stores in the next row.
  int inside(int width) const {
    const Extent& columns = context_.size(plan::Loop::n);
    const std::int64_t multiple = columns.is_known() ? columns.known : columns.multiple;
    int count = 1;
    while (2 * count <= width && multiple % (2 * count) == 0) count *= 2;
    return count;
  }

  // How many of them are stored at once.
  int together(const Written& matrix, int width) const {
    if (shares_bytes(matrix.record->element)) return 1;
    const int most = std::min(inside(width), 128 / instruction::bits(matrix.record->element));
    int count = 1;
    while (2 * count <= most && lies_in_steps(context_.request, *matrix.record, 2 * count))
      count *= 2;
    return count;
  }

  // Where those begin that are stored together, of `width` elements from (m, n) on.
  std::vector<Value> offsets(const Written& matrix, std::int64_t m, std::int64_t n,
                             int width) const {
    std::vector<Value> places;
    for (int i = 0; i < width; i += together(matrix, width))
      places.push_back(matrix.offsets.checked(m, n + i));
    return places;
  }

  void store_row(const Written& matrix, const std::vector<Value>& values,
                 const std::vector<Value>& places) {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const std::size_t count = values.size() / places.size();
    const mlir::Type bits = bits_type(builder.getContext(), matrix.record->element);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::vector<Value> piece;
      for (Value value : llvm::ArrayRef(values).slice(i * count, count)) {
        if (value.getType() != bits && (count > 1 || !value.getType().isF32()))
          value = mlir::arith::BitcastOp::create(builder, bits, value);
        piece.push_back(value);
      }
      store_elements(context_, piece, matrix.buffer, places[i]);
    }
  }

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
  const std::uint64_t width = neighbours(context.plan);
  for (std::uint64_t number = 0; number < sums.size(); number += width) {
    const std::uint64_t atom = number / count;
    // Stores that wait for nothing need no order, and scheduling takes quadratic time.
    if (only_stores && number > 0 && number % (2 * count) == 0) keep_apart(context);
    const layout::Coordinates place = context.plan.result
                                          .apply({{"register", number % count},
                                                  {"atom_m", atom / atoms_n},
                                                  {"atom_n", atom % atoms_n}})
                                          .value();
    result.store(llvm::ArrayRef(sums).slice(number, width),
                 static_cast<std::int64_t>(place.at("m")),
                 static_cast<std::int64_t>(place.at("n")));
  }
}

}  // namespace heddle::compiler
