#include "compiler/nvidia/byte_transposer.h"

#include <algorithm>

#include "compiler/kernel/product_frame.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// What one ldmatrix and one stmatrix move.
constexpr int piece_keys = 32, piece_columns = 16;
constexpr int line = plan::swizzled_line_bytes;
// So many loads are on their way before the first store: chosen for the producer's registers.
constexpr int pieces_at_once = 4;

}  // namespace

ByteTransposer::ByteTransposer(const WarpgroupContext& context, const plan::WarpgroupPlan& copied,
                               const plan::WarpgroupPlan& values)
    : context_(context), copied_(copied), values_(values) {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const Value lane = context_.lane;
  number_ = context_.add(context_.warp, -1);
  // Lane l gives the address of row l % 8 of matrix l / 8.
  const Value row = context_.remainder(lane, 8), matrix = context_.divide(lane, 8);
  load_row_ = context_.multiply(lane, line);
  load_part_ = row;
  // Matrices of V^T have every second column: 0, 2, 4, 6, 9, 11, 13, 15, or the others.
  const Value is_other = context_.exclusive_or(context_.divide(row, 4), context_.remainder(matrix, 2));
  const Value column = context_.add(context_.multiply(row, 2), is_other);
  store_row_ = context_.multiply(column, line);
  store_part_ = context_.divide(matrix, 2);
  swizzle_ = context_.remainder(column, 8);
  const Value is_low = context_.less(lane, 16);
  const Value even = context_.constant(0x6420), odd = context_.constant(0x7531);
  first_ = mlir::arith::SelectOp::create(builder, is_low, even, odd);
  second_ = mlir::arith::SelectOp::create(builder, is_low, odd, even);
}

void ByteTransposer::transpose(Value from, Value to) const {
  const int all = copied_.block_k / piece_keys * (values_.block_n / piece_columns);
  constexpr int of_round = warps * pieces_at_once;
  const auto numbers = [&](Value first, int count) {
    std::vector<Value> made;
    for (int i = 0; i < count; ++i)
      made.push_back(context_.add(context_.add(first, number_), i * warps));
    return made;
  };
  const int whole = all / of_round * of_round;
  rolled_loop(
      context_, context_.constant(0), context_.constant(whole), {},
      [&](Value first, const std::vector<Value>&) {
        pieces(from, to, numbers(first, pieces_at_once));
        return std::vector<Value>();
      },
      of_round);
  const int rest = all - whole;
  const Value first = context_.constant(whole);
  pieces(from, to, numbers(first, rest / warps));
  if (rest % warps == 0) return;
  run_if(context_, context_.less(number_, rest % warps),
         [&] { pieces(from, to, numbers(context_.constant(whole + rest / warps * warps), 1)); });
}

// Piece `number` has columns number % (columns / 16), and the keys of the quotient.
void ByteTransposer::pieces(Value from, Value to, const std::vector<Value>& numbers) const {
  const int across = values_.block_n / piece_columns;
  constexpr int parts = line / piece_columns;  // of 16 bytes of a line
  std::vector<Value> words;
  for (const Value number : numbers) {
    const Value columns = context_.remainder(number, across), keys = context_.divide(number, across);
    const Value part =
        context_.exclusive_or(context_.remainder(columns, parts), load_part_);
    Value at = context_.add(context_.add(from, load_row_), context_.multiply(part, piece_columns));
    at = context_.add(at, context_.multiply(keys, piece_keys * line));
    const int panel = copied_.panel_bytes(instruction::Operand::b);
    words.push_back(
        loaded(context_.add(at, context_.multiply(context_.divide(columns, parts), panel))));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Value columns = context_.remainder(numbers[i], across),
                keys = context_.divide(numbers[i], across);
    // Parts of 16 keys.
    constexpr int pieces_of_line = line / piece_keys;
    const Value inside = context_.add(
        context_.multiply(context_.remainder(keys, pieces_of_line), 2), store_part_);
    const Value part = context_.exclusive_or(inside, swizzle_);
    Value at = context_.add(context_.add(to, store_row_), context_.multiply(part, 16));
    at = context_.add(at, context_.multiply(columns, piece_columns * line));
    const Value panel = context_.divide(keys, pieces_of_line);
    store(context_.add(at, context_.multiply(panel, values_.block_n * line)), words[i]);
  }
}

Value ByteTransposer::loaded(Value address) const {
  const mlir::Type i32 = context_.builder.getI32Type();
  const auto four = mlir::LLVM::LLVMStructType::getLiteral(context_.builder.getContext(),
                                                           {i32, i32, i32, i32});
  return context_.ptx(
      four, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4];",
      "=r,=r,=r,=r,r", {address});
}

void ByteTransposer::store(Value address, Value words) const {
  std::vector<Value> operands{address};
  for (int i = 0; i < 4; ++i)
    operands.push_back(mlir::LLVM::ExtractValueOp::create(context_.builder, words, i));
  operands.insert(operands.end(), {first_, second_});
  context_.ptx_statement(
      "{\n\t.reg .b32 w<4>;\n\tprmt.b32 w0, $1, $2, $5;\n\tprmt.b32 w1, $1, $2, $6;\n\t"
      "prmt.b32 w2, $3, $4, $5;\n\tprmt.b32 w3, $3, $4, $6;\n\t"
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {w0, w1, w2, w3};\n\t}",
      "r,r,r,r,r,r,r", operands);
}

}  // namespace heddle::compiler
