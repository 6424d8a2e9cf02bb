#include "compiler/tile/softmax_sums.h"

#include <algorithm>
#include <numeric>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {
namespace {

using mlir::Value;
using Values = std::vector<Value>;

Value number(const GlobalContext& context, float value) {
  return mlir::arith::ConstantOp::create(context.builder, context.builder.getF32FloatAttr(value));
}

}  // namespace

Values SumsJoiner::joined(const std::vector<Values>& lists) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const std::size_t count = form_.row_of.size();
  Values all = lists.front();
  std::vector<Values> factors(lists.size());
  const Value factor = number(context_, static_cast<float>(form_.factor));
  for (std::size_t row = 0; row < form_.rows; ++row) {
    Value largest = lists.front()[count + row];
    for (std::size_t i = 1; i < lists.size(); ++i)
      largest = machine_.larger(largest, lists[i][count + row]);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const Value own = lists[i][count + row];
      const Value fall = mlir::arith::SubFOp::create(builder, own, largest);
      // If the two numbers are the same infinity, their difference is NaN; the factor is set to 1
      // then.
      const Value is_same =
          mlir::arith::CmpFOp::create(builder, mlir::arith::CmpFPredicate::OEQ, own, largest);
      const Value power = machine_.power_of_two(mlir::arith::MulFOp::create(builder, fall, factor));
      factors[i].push_back(context_.select(is_same, number(context_, 1), power));
    }
    all[count + row] = largest;
  }
  const auto sum = [&](std::size_t at, std::size_t row) {
    all[at] = mlir::arith::MulFOp::create(builder, lists[0][at], factors[0][row]);
    for (std::size_t i = 1; i < lists.size(); ++i)
      all[at] = mlir::LLVM::FMAOp::create(builder, lists[i][at], factors[i][row], all[at]);
  };
  for (std::size_t at = 0; at < count; ++at) sum(at, form_.row_of[at]);
  for (std::size_t row = 0; row < form_.rows; ++row) sum(count + form_.rows + row, row);
  return all;
}

Values SumsJoiner::joined_by_warps(const Warps& warps, const Values& sums) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const std::size_t own = form_.row_of.size(), all = own * static_cast<std::size_t>(warps.count);
  // A thread stores its values in pieces of up to 16 bytes. Piece i of all threads lies
  // contiguously.
  const std::size_t width = std::gcd(own, std::size_t{4});
  const auto type = mlir::VectorType::get({static_cast<std::int64_t>(width)}, builder.getF32Type());
  const auto bytes = static_cast<std::int64_t>(4 * width);
  const std::int64_t row_bytes = bytes * warps.lanes * warps.all;
  const auto place = [&](Value warp, Value piece) {
    const Value thread = context_.add(context_.multiply(warp, warps.lanes), context_.lane);
    return context_.further(warps.shared, context_.add(context_.multiply(thread, bytes),
                                                       context_.multiply(piece, row_bytes)));
  };
  const auto pieces = [&](std::size_t values) {
    return static_cast<std::int64_t>((values + width - 1) / width);
  };
  const Value here = place(context_.warp, context_.constant(0));
  for (std::int64_t piece = 0; piece < pieces(all + 2 * form_.rows); ++piece) {
    Value vector = mlir::LLVM::PoisonOp::create(builder, type);
    for (std::size_t i = 0; i < width; ++i)
      vector = mlir::LLVM::InsertElementOp::create(
          builder, vector, sums[static_cast<std::size_t>(piece) * width + i],
          context_.constant(static_cast<std::int64_t>(i)));
    mlir::LLVM::StoreOp::create(builder, vector, context_.further(here, piece * row_bytes),
                                static_cast<unsigned>(bytes));
  }
  machine_.barrier();
  const Value number_of_own = context_.remainder(context_.warp, warps.count);
  const Value first_warp = mlir::arith::SubIOp::create(builder, context_.warp, number_of_own);
  std::vector<Values> lists;
  for (int warp = 0; warp < warps.count; ++warp) {
    Values& list = lists.emplace_back();
    const Value of = context_.add(first_warp, warp);
    const auto read = [&](Value first, std::size_t count) {
      for (std::int64_t piece = 0; piece < pieces(count); ++piece) {
        const Value loaded =
            mlir::LLVM::LoadOp::create(builder, type, context_.further(first, piece * row_bytes),
                                       static_cast<unsigned>(bytes));
        for (std::size_t i = 0; i < width; ++i)
          list.push_back(mlir::LLVM::ExtractElementOp::create(
              builder, loaded, context_.constant(static_cast<std::int64_t>(i))));
      }
    };
    read(place(of, context_.multiply(number_of_own, pieces(own))), own);
    read(place(of, context_.constant(pieces(all))), 2 * form_.rows);
    list.resize(form_.size(), number(context_, 0));
  }
  return joined(lists);
}

void SumsJoiner::join_blocks(const PartsMemory& memory, Value tile, Value part, const Values& sums,
                             llvm::function_ref<void(const Values&)> finish) const {
  constexpr std::size_t most_loads = 32;  // of 16 bytes, on their way together
  const std::size_t size = form_.size();
  const auto parts = static_cast<std::size_t>(memory.sizes.splits);
  const std::size_t together = std::clamp<std::size_t>(most_loads / (size / 4), 1, parts);
  join_parts(context_, memory, tile, part, sums, [&](ReadPart read) {
    const auto read_from = [&](Value first, std::size_t count, std::vector<Values> lists) {
      for (std::size_t i = 0; i < count; ++i)
        lists.push_back(read(context_.add(first, static_cast<std::int64_t>(i)), 0, size));
      return joined(lists);
    };
    const std::size_t rest = parts % together, begin = rest == 0 ? together : rest;
    Values all = read_from(context_.constant(0), begin, {});
    if (begin < parts)
      all = counted_loop(
          context_, context_.constant(static_cast<std::int64_t>(begin)),
          context_.constant(static_cast<std::int64_t>(parts)),
          context_.constant(static_cast<std::int64_t>(together)), all,
          [&](Value first, const Values& so_far) { return read_from(first, together, {so_far}); });
    finish(all);
  });
}

}  // namespace heddle::compiler
