#include "compiler/amd/result.h"

#include <algorithm>
#include <map>

#include "compiler/amd/read_matrix.h"
#include "compiler/kernel/epilogue.h"
#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/index_code.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// The thread's first place in D.
ThreadPlace place_in_result(const KernelContext& context) {
  const layout::LinearLayout& result = context.plan.result;
  return {context.add(context.block_m, thread_coordinate(context, result, "m")),
          context.add(context.block_n, thread_coordinate(context, result, "n"))};
}

// Offsets of the thread's elements of D, or of a further result.
class ResultOffsets : public ElementOffsets {
 public:
  ResultOffsets(const KernelContext& context, const MatrixRecord& matrix)
      : ElementOffsets(context, matrix, place_in_result(context)) {}

  // The byte offset of the thread's element (m, n), or an offset outside the buffer if the element
  // is outside the matrix.
  // - The hardware does not write outside the buffer. If each row begins behind the end of the row
  // above it, rows beyond the last one are outside the buffer, so no comparison is needed for them,
  // unless the offsets can wrap around.
  // - `has_few_columns`: there are enough registers to keep an offset for each column in which the
  // lane has elements.
  Value checked(std::int64_t m, std::int64_t n, bool has_few_columns) {
    const Extent& rows = context_.size(plan::Loop::m);
    if (rows.is_known() && (rows.known % context_.plan.tiles.m == 0 || ends_outside()))
      return in_column(n, at(m, n), outside);
    if (rows_follow_rows())
      return has_few_columns
                 ? further_down(m, n, true)
                 : in_column(n, context_.add(further_down(m, 0, false), n * bytes_), outside);
    return context_.or_outside(in_row(m), in_column(n, at(m, n), outside));
  }

 private:
  // An offset that lies outside every buffer, as `outside` does. It is the largest i32, so a
  // saturating sum that reaches it stays there.
  static constexpr std::int64_t last = 0x7fffffff;

  Value in_row(std::int64_t m) const {
    return context_.less(context_.add(thread_.row, m), context_.size(plan::Loop::m));
  }
  // `offset` if column n is inside the matrix, else `beyond`.
  Value in_column(std::int64_t n, Value offset, std::int64_t beyond) const {
    const Extent& columns = context_.size(plan::Loop::n);
    if (columns.is_known() && columns.known % context_.plan.tiles.n == 0) return offset;
    const Value inside = context_.less(context_.add(thread_.column, n), columns);
    return mlir::arith::SelectOp::create(context_.builder, inside, offset,
                                         context_.constant(beyond));
  }

  // i1: true if the thread's element (0, n) is inside the matrix. Compares n with the number of
  // columns from the thread's first column on, or with 0 if the thread's first row is outside the
  // matrix.
  Value in_first_row(std::int64_t n) {
    const Extent& columns = context_.size(plan::Loop::n);
    if (columns.is_known() && columns.known % context_.plan.tiles.n == 0) return in_row(0);
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    if (!columns_left_) {
      const Value left =
          mlir::arith::SubIOp::create(builder, context_.value_of(columns), thread_.column);
      columns_left_ = mlir::arith::SelectOp::create(builder, in_row(0), left, context_.constant(0));
    }
    return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::sgt, columns_left_,
                                       context_.constant(n));
  }

  // True if the elements of a row are contiguous and each row begins behind the end of the one
  // above it. The second counts as true if sizes are not known at compile time: distance() ensures
  // it.
  bool rows_follow_rows() const {
    const Extent& columns = context_.size(plan::Loop::n);
    const Extent &row = row_axis_.step, &column = column_axis_.step;
    return row_axis_.is_linear() && column_axis_.is_linear() && column.is_known() &&
           column.known == 1 &&
           (!row.is_known() || !columns.is_known() || row.known >= columns.known);
  }

  // The offset of element (m, n), computed from the offset of the row above: one instruction adds
  // the distance of the two rows and saturates at `last` instead of wrapping around. So an offset
  // that is once outside the buffer stays outside, and rows need no comparison.
  Value further_down(std::int64_t m, std::int64_t n, bool has_columns) {
    const auto [found, is_new] = columns_.try_emplace(n);
    Column& column = found->second;
    if (is_new) {
      const Value inside = has_columns ? in_first_row(n) : in_row(0);
      column.first = mlir::arith::SelectOp::create(context_.builder, inside, at(0, n),
                                                   context_.constant(last));
      column.offset = column.first;
    }
    if (m < column.m) column = {column.first, column.first, 0};
    if (m > column.m)
      column.offset = mlir::LLVM::SAddSat::create(context_.builder, column.offset,
                                                  context_.value_of(distance(m - column.m)));
    column.m = m;
    return column.offset;
  }

  // The bytes from a row to the row that is `rows` below it, at most `last`. If sizes are not known
  // at compile time, the row stride counts as at least the number of columns: a matrix of a single
  // row may have any stride.
  Extent distance(std::int64_t rows) {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const std::int64_t bytes = rows * bytes_;
    const Extent& step = row_axis_.step;
    const Extent& columns = context_.size(plan::Loop::n);
    if (step.is_known() && columns.is_known()) return {std::min(step.known * bytes, last), {}};
    Value& known = distances_[rows];
    if (!known) {
      Value elements = context_.value_of(step);
      if (elements != columns.value)
        elements = mlir::arith::MaxUIOp::create(builder, elements, context_.value_of(columns));
      known = mlir::arith::SelectOp::create(builder, context_.less(elements, last / bytes),
                                            context_.multiply(elements, bytes),
                                            context_.constant(last));
    }
    return {-1, known};
  }

  bool ends_outside() const {
    const Extent& rows = context_.size(plan::Loop::m);
    const Extent& columns = context_.size(plan::Loop::n);
    const Extent &row = row_axis_.step, &column = column_axis_.step;
    return columns.is_known() && row_axis_.is_linear() && row.is_known() &&
           column_axis_.is_linear() && column.is_known() && column.known == 1 &&
           row.known >= columns.known &&
           (rows.known + context_.plan.tiles.m) * row.known * bytes_ < std::int64_t{1} << 32;
  }

  struct Column {
    Value first;   // offset of row 0
    Value offset;  // of row m
    std::int64_t m = 0;
  };
  Value columns_left_;  // i32, with a sign: of the thread's first row
  std::map<std::int64_t, Column> columns_;
  std::map<std::int64_t, Value> distances_;  // of so many rows
};

std::uint64_t registers(const plan::MatmulPlan& plan) { return plan.result.input_size("register"); }

// Where a lane has one of its sums: the number of the register, and which atom along n it belongs
// to.
struct SumPlace {
  std::uint64_t register_number = 0, atom_n = 0;
};

// The places of sums of a lane that are adjacent in a row of D, relative to the first of them. The
// lane's sums consist of such runs, and all runs have these relative places.
std::vector<SumPlace> neighbours(const plan::MatmulPlan& plan) {
  std::vector<SumPlace> all(1);
  const auto doubles = [&](const layout::AxisName& axis, auto number) {
    for (int bit = 0; bit < plan.result.inputs().bits_of(axis); ++bit) {
      if (plan.result.basis(axis, bit, "n") != all.size() || plan.result.basis(axis, bit, "m") != 0)
        continue;
      const std::size_t count = all.size();
      for (std::size_t i = 0; i < count; ++i) {
        all.push_back(all[i]);
        all.back().*number |= std::uint64_t{1} << bit;
      }
    }
  };
  doubles("register", &SumPlace::register_number);
  doubles("atom_n", &SumPlace::atom_n);
  return all;
}

// The number of columns of D in which a lane has sums.
int columns_of_lane(const plan::MatmulPlan& plan) {
  int count = 1;
  for (const layout::AxisName axis : {layout::AxisName("register"), layout::AxisName("atom_n")})
    for (int bit = 0; bit < plan.result.inputs().bits_of(axis); ++bit)
      if (plan.result.basis(axis, bit, "n") != 0) count *= 2;
  return count;
}

mlir::VectorType accumulator_type(const KernelContext& context) {
  return mlir::VectorType::get({static_cast<std::int64_t>(registers(context.plan))},
                               Epilogue(context, context.request).sum_type());
}

// Turns the sum of products into the values that are stored.
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

  // Finishes the given sums and stores them as adjacent elements of a row of D, beginning with the
  // thread's element (m, n).
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

  // Computes from one sum the values for D and for each further result. `place` is the byte offset
  // in D of the element at which the store of this element begins (several elements are stored at
  // once).
  std::vector<Value> finished(Value sum, std::int64_t m, std::int64_t n, int width, Value place) {
    if (!c_.empty())
      sum = epilogue_.sum(sum, c_lies_as_d_
                                   ? c_[0].in_group_at(m, n, together(written_[0], width), place)
                                   : c_[0].in_group(m, n, inside(width)));
    std::vector<Value> inputs{epilogue_.rounded(sum)};
    for (ReadMatrix& extra : extras_) inputs.push_back(extra.in_group(m, n, inside(width)));
    return epilogue_.finished(inputs);
  }

  // How many adjacent elements of a row may be loaded or stored at once, at most `width`. It is
  // such that either all of them are inside D, or none. More would reach past the end of the
  // buffer, or into the next row, which another wave may be storing.
  int inside(int width) const {
    const Extent& columns = context_.size(plan::Loop::n);
    const std::int64_t multiple = columns.is_known() ? columns.known : columns.multiple;
    int count = 1;
    while (2 * count <= width && multiple % (2 * count) == 0) count *= 2;
    return count;
  }

  // The number of adjacent elements of a row that are stored at once.
  int together(const Written& matrix, int width) const {
    if (shares_bytes(matrix.record->element)) return 1;
    const int most = std::min(inside(width), 128 / instruction::bits(matrix.record->element));
    int count = 1;
    while (2 * count <= most && lies_in_steps(context_.request, *matrix.record, 2 * count))
      count *= 2;
    return count;
  }

  // Several elements are stored at once. Returns the byte offset of each store for `width` adjacent
  // elements from the thread's element (m, n) on.
  std::vector<Value> offsets(Written& matrix, std::int64_t m, std::int64_t n, int width) const {
    std::vector<Value> places;
    const bool has_few = columns_of_lane(context_.plan) / together(matrix, width) <= 8;
    for (int i = 0; i < width; i += together(matrix, width))
      places.push_back(matrix.offsets.checked(m, n + i, has_few));
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

Value sum_of(const KernelContext& context, const std::vector<Value>& accumulators,
             std::size_t number) {
  const auto count = static_cast<std::size_t>(registers(context.plan));
  return mlir::vector::ExtractOp::create(context.builder, accumulators[number / count],
                                         static_cast<std::int64_t>(number % count));
}

std::vector<Value> sums_of(const KernelContext& context, const std::vector<Value>& accumulators) {
  std::vector<Value> sums(accumulators.size() * registers(context.plan));
  for (std::size_t number = 0; number < sums.size(); ++number)
    sums[number] = sum_of(context, accumulators, number);
  return sums;
}

void store_result(const KernelContext& context, SumAt sum, const Buffers& buffers) {
  Result result(context, buffers);
  const bool only_stores = !context.request.c && buffers.extras.empty();
  const auto atoms_n = static_cast<std::uint64_t>(context.plan.atoms_n());
  const std::uint64_t count = registers(context.plan);
  const std::uint64_t sums = static_cast<std::uint64_t>(context.plan.atoms_m()) * atoms_n * count;
  const std::vector<SumPlace> together = neighbours(context.plan);
  std::size_t stored = 0;
  for (std::uint64_t number = 0; number < sums; ++number) {
    const std::uint64_t atom = number / count;
    const SumPlace first{number % count, atom % atoms_n};
    if ((first.register_number & together.back().register_number) != 0 ||
        (first.atom_n & together.back().atom_n) != 0)
      continue;
    // Stores wait for nothing. So scheduling them gains nothing, and takes time quadratic in their
    // number.
    if (only_stores && stored > 0 && stored % (2 * count) == 0) keep_apart(context);
    const layout::Coordinates place = context.plan.result
                                          .apply({{"register", first.register_number},
                                                  {"atom_m", atom / atoms_n},
                                                  {"atom_n", first.atom_n}})
                                          .value();
    std::vector<Value> neighbouring;
    for (const SumPlace& further : together)
      neighbouring.push_back(sum(number + further.atom_n * count + further.register_number));
    result.store(neighbouring, static_cast<std::int64_t>(place.at("m")),
                 static_cast<std::int64_t>(place.at("n")));
    stored += together.size();
  }
}

}  // namespace heddle::compiler
