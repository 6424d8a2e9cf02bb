#include "compiler/tile/attention_result.h"

#include <algorithm>
#include <bit>

#include "compiler/kernel/epilogue.h"
#include "compiler/kernel/index_code.h"
#include "compiler/tile/row_results.h"

namespace heddle::compiler {

using mlir::Value;
using plan::Loop;

namespace {

constexpr layout::AxisName of_query("query"), keys_of_row("key"), of_column("column");

}  // namespace

Value AttentionResult::number(double value) const {
  return mlir::arith::ConstantOp::create(builder(),
                                         builder().getF32FloatAttr(static_cast<float>(value)));
}

GlobalMatrix AttentionResult::matrix(const MatrixRecord& record, const Place& place) const {
  const Value pointer = function_.getArgument(static_cast<unsigned>(record.parameter));
  return context_.matrix(record, pointer, Loop::m, Loop::n, place.batch);
}

// Register `reg` of O belongs to one of the thread's rows (queries). Returns the number of this row
// among the thread's rows.
std::size_t AttentionResult::row_of(std::uint64_t reg) const {
  const std::int64_t at = constant_part(maps_.result, reg, of_query);
  for (std::size_t row = 0; row < maps_.rows.count(); ++row)
    if (constant_part(maps_.scores, maps_.rows.first[row], of_query) == at) return row;
  return 0;  // unreachable: both are D of one instruction
}

// The number, in O's map, of the first register of vector `piece` of O. The map rounds the number
// of columns up to a power of two, so register numbers may have gaps between pieces.
std::uint64_t AttentionResult::first_register(std::size_t piece) const {
  const auto columns = static_cast<std::size_t>(plan_.columns_atoms);
  const auto all = std::bit_ceil(columns);
  const bool is_padded = !plan_.keys_are_rows;  // columns are the inner atoms
  const std::size_t at = is_padded ? piece / columns * all + piece % columns : piece;
  return at * sum_elements();
}

void AttentionResult::scale(Pieces& o, const std::vector<Value>& by) const {
  for (std::size_t piece = 0; piece < o.size(); ++piece) {
    llvm::SmallVector<Value> factors;
    for (std::size_t i = 0; i < sum_elements(); ++i)
      factors.push_back(by[row_of(first_register(piece) + i)]);
    o[piece] = mlir::arith::MulFOp::create(builder(), o[piece], code_.vector_of(factors));
  }
}

AttentionResult::Joined AttentionResult::joined_form(std::size_t pieces, double factor) const {
  Joined joined;
  joined.form.factor = factor;
  for (std::size_t row = 0; row < maps_.rows.count(); ++row)
    if (!plan_.is_beyond(constant_part(maps_.scores, maps_.rows.first[row], of_query)))
      joined.rows.push_back(row);
  joined.form.rows = joined.rows.size();
  const bool is_of_warps = plan_.key_warps > 1;  // pieces are then those of one row of atoms
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t i = 0; i < sum_elements(); ++i) {
      const std::uint64_t reg = (is_of_warps ? 0 : first_register(piece)) + i;
      const auto row = std::ranges::find(joined.rows, row_of(reg));
      if (row == joined.rows.end()) continue;
      joined.elements.emplace_back(piece, i);
      joined.form.row_of.push_back(static_cast<std::size_t>(row - joined.rows.begin()));
    }
  return joined;
}

std::vector<Value> AttentionResult::listed(const RowSums& sums, const Joined& as) const {
  std::vector<llvm::SmallVector<Value>> pieces;
  for (const Value piece : sums.o) pieces.push_back(code_.elements(piece));
  std::vector<Value> all;
  for (const auto& [piece, element] : as.elements) all.push_back(pieces[piece][element]);
  for (const auto* list : {&sums.largest, &sums.sums})
    for (const std::size_t row : as.rows) all.push_back((*list)[row]);
  all.resize(as.form.size(), number(0));
  return all;
}

RowSums AttentionResult::with(RowSums sums, const Joined& as, const std::vector<Value>& all) const {
  std::vector<llvm::SmallVector<Value>> pieces(as.elements.back().first + 1,
                                               llvm::SmallVector<Value>(sum_elements(), number(0)));
  for (std::size_t i = 0; i < as.elements.size(); ++i)
    pieces[as.elements[i].first][as.elements[i].second] = all[i];
  sums.o.clear();
  for (const llvm::SmallVector<Value>& piece : pieces) sums.o.push_back(code_.vector_of(piece));
  for (std::size_t i = 0; i < as.rows.size(); ++i) {
    sums.largest[as.rows[i]] = all[as.elements.size() + i];
    sums.sums[as.rows[i]] = all[as.elements.size() + as.rows.size() + i];
  }
  return sums;
}

// Joins the sums of warps that have the same queries but different keys. Afterwards each of these
// warps has the joined sums of some of the columns of O.
RowSums AttentionResult::joined_by_warps(RowSums sums, const Place& place) const {
  const auto atoms = static_cast<std::size_t>(plan_.joined_atoms());
  sums.o.resize(atoms * static_cast<std::size_t>(plan_.key_warps),
                code_.zero(sums.o.front().getType()));
  const std::vector<Value> own = listed(sums, joined_form(sums.o.size(), place.factor));
  const Joined of_warp = joined_form(atoms, place.factor);
  machine_.barrier();
  const std::vector<Value> all =
      SumsJoiner(context_, machine_, of_warp.form)
          .joined_by_warps({plan_.key_warps, plan_.warps, plan_.lanes, place.shared}, own);
  return with(std::move(sums), of_warp, all);
}

void AttentionResult::join_and_store(RowSums sums, const Place& place) const {
  if (plan_.key_warps > 1) sums = joined_by_warps(std::move(sums), place);
  if (plan_.parts == 1) return store(sums, place);
  const bool nvidia = instruction::is_nvidia(plan_.instruction->family());
  const PartsMemory memory{plan_.split_memory(),
                           function_.getArgument(function_.getNumArguments() - 1),
                           place.shared,
                           nvidia ? "device" : "agent",
                           thread_number(context_, plan_.lanes),
                           [&] { machine_.barrier(); }};
  Value tile = place.block;
  if (place.batch)
    tile = context_.add(context_.multiply(place.batch, plan_.blocks() / plan_.problem.batch), tile);
  const Joined of_block = joined_form(sums.o.size(), place.factor);
  SumsJoiner(context_, machine_, of_block.form)
      .join_blocks(memory, tile, place.part, listed(sums, of_block),
                   [&](const std::vector<Value>& all) { store(with(sums, of_block, all), place); });
}

void AttentionResult::store(const RowSums& sums, const Place& place) const {
  const std::vector<Value> whole = reduce_lanes(
      machine_, maps_.scores, keys_of_row, sums.sums,
      [&](Value x, Value y) { return mlir::arith::AddFOp::create(builder(), x, y).getResult(); });
  if (!request_.softmax->results.empty()) store_rows(sums.largest, whole, place);
  std::vector<Value> inverse;
  for (const Value sum : whole) inverse.push_back(machine_.reciprocal(sum));
  Pieces o = sums.o;
  scale(o, inverse);
  const GlobalMatrix d = matrix(request_.d, place);
  const Value of_lane = thread_coordinate(context_, maps_.result, of_column);
  for (std::size_t piece = 0; piece < o.size(); ++piece) {
    const std::uint64_t first = first_register(piece);
    const llvm::SmallVector<Value> elements = code_.elements(o[piece]);
    for (std::size_t i = 0; i < elements.size();) {
      const std::size_t run = run_at(first + i, elements.size() - i, d);
      store_run(llvm::ArrayRef(elements).slice(i, run), first + i, of_lane, d, place);
      i += run;
    }
  }
}

// Stores the results that are one number for each row. Of the lanes and warps that share a row,
// only one stores the row's number.
void AttentionResult::store_rows(const std::vector<Value>& largest, const std::vector<Value>& whole,
                                 const Place& place) const {
  std::vector<GlobalMatrix> matrices;
  for (const SoftmaxResult& result : request_.softmax->results)
    matrices.push_back(matrix(result.d, place));
  Value is_first = context_.equal(thread_coordinate(context_, maps_.scores, keys_of_row), 0);
  if (plan_.sharing_warps() > 1)
    is_first = context_.both(is_first, context_.equal(place.sharing_warp, 0));
  store_row_results(context_, *request_.softmax, matrices,
                    {place.queries, whole, largest, place.factor}, is_first);
}

// The number of registers from `reg` on, at most `most`, that are neighbours in a row of O and may
// be written by one store.
std::size_t AttentionResult::run_at(std::uint64_t reg, std::size_t most,
                                    const GlobalMatrix& d) const {
  std::size_t run = 1;
  const auto next_to = [&](std::uint64_t distance) {
    return constant_part(maps_.result, reg + distance, of_column) ==
               constant_part(maps_.result, reg, of_column) + static_cast<std::int64_t>(distance) &&
           constant_part(maps_.result, reg + distance, of_query) ==
               constant_part(maps_.result, reg, of_query);
  };
  for (int bits = 1; 2 * run <= most && reg % (2 * run) == 0 && d.fits(bits); ++bits) {
    for (std::uint64_t distance = run; distance < 2 * run; ++distance)
      if (!next_to(distance)) return run;
    run *= 2;
  }
  return run;
}

void AttentionResult::store_run(llvm::ArrayRef<Value> sums, std::uint64_t reg, Value column_of_lane,
                                const GlobalMatrix& d, const Place& place) const {
  const Value row = place.queries[row_of(reg)];
  Value at = coordinate(context_, maps_.result, column_of_lane, reg, of_column);
  if (plan_.key_warps > 1)
    at = context_.add(at,
                      context_.multiply(place.sharing_warp, plan_.joined_atoms() * atom_columns()));
  Value inside = context_.less(row, context_.size(Loop::m));
  if (plan_.problem.n != atom_columns() * plan_.joined_atoms() * plan_.sharing_warps())
    inside = context_.both(inside, context_.less(at, context_.size(Loop::n)));
  run_if(context_, inside, [&] {
    const Epilogue epilogue(context_, request_);
    llvm::SmallVector<Value> results;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const MatrixPlace to{row, at, 0, static_cast<std::int64_t>(i)};
      std::vector<Value> inputs{epilogue.rounded(sums[i])};
      for (const MatrixRecord& extra : request_.extras)
        inputs.push_back(context_.load(matrix(extra, place), to, 1,
                                       [](const MatrixPlace&) { return Value(); })[0]);
      results.push_back(epilogue.finished(inputs)[0]);
    }
    const Value value = results.size() == 1 ? results[0] : code_.vector_of(results);
    mlir::LLVM::StoreOp::create(
        builder(), value, context_.pointer(d, {row, at, 0, 0}),
        static_cast<unsigned>(d.element_bytes() * static_cast<int>(results.size())));
  });
}

}  // namespace heddle::compiler
