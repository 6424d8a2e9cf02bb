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
constexpr int pieces_of_line = line / piece_keys;

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
  const Value is_other =
      context_.exclusive_or(context_.divide(row, 4), context_.remainder(matrix, 2));
  const Value column = context_.add(context_.multiply(row, 2), is_other);
  // Of each 32 keys of a line, two parts of 16 bytes are one piece's.
  const Value swizzle = context_.remainder(column, 8);
  for (int piece = 0; piece < pieces_of_line; ++piece) {
    const Value part = context_.add(context_.divide(matrix, 2), 2 * piece);
    store_rows_.push_back(
        context_.add(context_.multiply(column, line),
                     context_.multiply(context_.exclusive_or(part, swizzle), piece_columns)));
  }
  const Value is_low = context_.less(lane, 16);
  const Value even = context_.constant(0x6420), odd = context_.constant(0x7531);
  first_ = mlir::arith::SelectOp::create(builder, is_low, even, odd);
  second_ = mlir::arith::SelectOp::create(builder, is_low, odd, even);
}

void ByteTransposer::transpose(Value from, Value to) const {
  const int all = values_.block_n / piece_columns, rounds = all / warps;
  rolled_loop(
      context_, context_.constant(0), context_.constant(rounds * warps), {},
      [&](Value first, const std::vector<Value>&) {
        columns(from, to, context_.add(first, number_));
        return std::vector<Value>();
      },
      warps);
  if (all % warps != 0)
    run_if(context_, context_.less(number_, all % warps),
           [&] { columns(from, to, context_.add(number_, rounds * warps)); });
}

// All keys of 16 columns: piece `number` of a line of V.
void ByteTransposer::columns(Value from, Value to, Value number) const {
  constexpr int parts = line / piece_columns;
  const Value part = context_.exclusive_or(context_.remainder(number, parts), load_part_);
  Value source =
      context_.add(context_.add(from, load_row_), context_.multiply(part, piece_columns));
  if (values_.block_n > line)
    source = context_.add(source, context_.multiply(context_.divide(number, parts),
                                                    copied_.panel_bytes(instruction::Operand::b)));
  const Value target = context_.add(to, context_.multiply(number, piece_columns * line));
  const int pieces = copied_.block_k / piece_keys;
  for (int first = 0; first < pieces; first += pieces_at_once) {
    const int end = std::min(first + pieces_at_once, pieces);
    std::vector<Value> words;
    for (int piece = first; piece < end; ++piece)
      words.push_back(loaded(context_.add(source, piece * piece_keys * line)));
    for (int piece = first; piece < end; ++piece) {
      const Value row =
          context_.add(target, store_rows_[static_cast<std::size_t>(piece % pieces_of_line)]);
      store(context_.add(row, piece / pieces_of_line * values_.block_n * line),
            words[static_cast<std::size_t>(piece - first)]);
    }
  }
}

Value ByteTransposer::loaded(Value address) const {
  const mlir::Type i32 = context_.builder.getI32Type();
  const auto four =
      mlir::LLVM::LLVMStructType::getLiteral(context_.builder.getContext(), {i32, i32, i32, i32});
  return context_.ptx(four,
                      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4];",
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
