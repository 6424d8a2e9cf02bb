#include "compiler/elements/element_tiles.h"

#include <algorithm>
#include <string>

#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/product_frame.h"

namespace heddle::compiler {
namespace {

using mlir::Value;
using plan::ElementPlan;
namespace arith = mlir::arith;
namespace llvmir = mlir::LLVM;

constexpr unsigned shared_space = 3;  // of both vendors

}  // namespace

void ElementFrame::store(const std::vector<Value>& bits, Value pointer, Value place) const {
  if (bits.size() == 1) return store(bits[0], pointer, place);
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const mlir::Type type = bits[0].getType();
  const unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  const std::size_t most = ElementPlan::access_bytes / bytes, each = std::min(bits.size(), most);
  const Value first = address(type, pointer, place);
  for (std::size_t i = 0; i < bits.size(); i += each) {
    const auto vector = mlir::VectorType::get({static_cast<std::int64_t>(each)}, type);
    Value all = llvmir::PoisonOp::create(builder, vector);
    for (std::size_t j = 0; j < each; ++j)
      all = llvmir::InsertElementOp::create(builder, all, bits[i + j],
                                            context.constant(static_cast<std::int64_t>(j)));
    const Value at =
        llvmir::GEPOp::create(builder, pointer.getType(), type, first,
                              llvm::ArrayRef<llvmir::GEPArg>{static_cast<std::int32_t>(i)});
    llvmir::StoreOp::create(builder, all, at, static_cast<unsigned>(each) * bytes);
  }
}

Value ElementFrame::shared_memory(std::int64_t bytes) const {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto array = llvmir::LLVMArrayType::get(builder.getI8Type(), static_cast<unsigned>(bytes));
  const std::string name = request.function + "_shared";
  {
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(mlir::gpu::GPUModuleOp(kernels).getBody());
    auto memory = llvmir::GlobalOp::create(builder, array, /*isConstant=*/false,
                                           llvmir::Linkage::Internal, name, mlir::Attribute(),
                                           /*alignment=*/16, shared_space);
    // No initial value: shared memory has none.
    builder.createBlock(&memory.getInitializerRegion());
    llvmir::ReturnOp::create(builder, llvmir::PoisonOp::create(builder, array).getResult());
  }
  return llvmir::AddressOfOp::create(
      builder, llvmir::LLVMPointerType::get(builder.getContext(), shared_space), name);
}

void ElementTiles::write(Value thread, Value block) {
  thread_ = thread;
  first_write_ = context_.multiply(remainder(block, plan_.write_tiles()), plan_.write_tile());
  block = quotient(block, plan_.write_tiles());
  first_read_ = context_.multiply(remainder(block, plan_.read_tiles()), plan_.read_tile());
  matrix_ = quotient(block, plan_.read_tiles());
  shared_ =
      frame_.shared_memory(std::int64_t{plan_.read_tile()} * plan_.write_tile() * plan_.bytes);
  for (unsigned result = 0; result < frame_.results(); ++result) {
    if (result != 0) mlir::gpu::BarrierOp::create(context_.builder);
    in_parts(plan_.pieces(), pieces_to_compute(),
             [&](const std::vector<Piece>& pieces) { compute(result, pieces); });
    mlir::gpu::BarrierOp::create(context_.builder);
    in_parts(plan_.read_tile() * (plan_.write_tile() / plan_.write_together()), pieces_to_write(),
             [&](const std::vector<Piece>& pieces) { exchange(result, pieces); });
  }
}

// Computes pieces of the tile and stores them to shared memory, where the tile's elements have the
// order of the result. What the pieces of a warp read is contiguous in memory. The elements of all
// pieces are loaded before the first piece is stored.
void ElementTiles::compute(unsigned result, const std::vector<Piece>& pieces) {
  ElementCode code = frame_.code();
  std::vector<std::vector<std::vector<Value>>> values;
  for (const Piece& piece : pieces) values.push_back(elements(code, result, piece));
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (std::size_t column = 0; column < values[i].size(); ++column) {
      const Value read = context_.add(pieces[i].read, static_cast<std::int64_t>(column));
      frame_.store(values[i][column], shared_,
                   place_in_shared(read, key(pieces[i].read), pieces[i].write));
    }
}

// The elements of a piece, as integers with their bits. In the result, the first index counts along
// the dimension along which reads are contiguous, the second along the dimension along which writes
// are contiguous.
std::vector<std::vector<Value>> ElementTiles::elements(ElementCode& code, unsigned result,
                                                       const Piece& piece) {
  const auto behind = static_cast<std::size_t>(plan_.read) + 1;
  const llvm::ArrayRef<std::int64_t> shape(plan_.shape);
  const Value write = context_.add(first_write_, piece.write);
  const int rows = plan_.rows_together();
  std::vector<Places> ends;
  if (shape.back() % rows == 0) {
    ends = code.neighbours(quotient(write, rows), shape.drop_front(behind), rows);
  } else {
    for (int row = 0; row < rows; ++row)
      ends.push_back(code.coordinates(context_.add(write, row), shape.drop_front(behind)));
  }
  Places place = code.coordinates(matrix_, shape.take_front(behind - 1));
  const std::vector<Value> columns =
      code.together(code.widened(context_.add(first_read_, piece.read)), plan_.read_together());
  std::vector<std::vector<Value>> values(static_cast<std::size_t>(plan_.read_together()));
  for (const Places& end : ends)
    for (std::size_t column = 0; column < values.size(); ++column) {
      place.resize(behind - 1);
      place.push_back(columns[column]);
      place.insert(place.end(), end.begin(), end.end());
      values[column].push_back(
          code.bits(code.element(frame_.value(result), place), frame_.record(result)));
    }
  return values;
}

// Reads pieces of the tile from shared memory and stores them to the result, along whose last
// dimension they are contiguous.
void ElementTiles::exchange(unsigned result, const std::vector<Piece>& pieces) {
  const auto element = frame_.record(result).element;
  mlir::Type type = bits_type(context_.builder.getContext(), element);
  const mlir::Type one = type;
  const int together = plan_.write_together();
  if (together > 1) type = mlir::VectorType::get({together}, type);
  const auto bytes = static_cast<unsigned>(together * counted_bytes(element));
  std::vector<Value> values;
  for (const Piece& piece : pieces) {
    const Value place = place_in_shared(piece.read, key(piece.read), piece.write);
    values.push_back(
        llvmir::LoadOp::create(context_.builder, type, frame_.address(one, shared_, place), bytes));
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    llvmir::StoreOp::create(context_.builder, values[i],
                            frame_.address(one, frame_.pointer(result), number(pieces[i])), bytes);
}

std::vector<ElementTiles::Piece> ElementTiles::pieces_to_compute() const {
  const std::int64_t columns = plan_.read_tile() / plan_.read_together();
  std::vector<Piece> pieces;
  for (int first = 0; first < plan_.pieces(); first += plan_.threads()) {
    const Value piece = context_.add(thread_, first);
    pieces.push_back({context_.multiply(remainder(piece, columns), plan_.read_together()),
                      context_.multiply(quotient(piece, columns), plan_.rows_together())});
  }
  return pieces;
}

std::vector<ElementTiles::Piece> ElementTiles::pieces_to_write() const {
  const std::int64_t columns = plan_.write_tile() / plan_.write_together();
  std::vector<Piece> pieces;
  for (std::int64_t first = 0; first < columns * plan_.read_tile(); first += plan_.threads()) {
    const Value piece = context_.add(thread_, first);
    pieces.push_back({quotient(piece, columns),
                      context_.multiply(remainder(piece, columns), plan_.write_together())});
  }
  return pieces;
}

// A tile has `count` pieces for the threads of the thread block. If there are at least as many
// pieces as threads and the whole tile lies inside the result, calls `each` once with all pieces of
// the thread. Otherwise calls `each` once for each piece that lies inside the tile and the result.
// No piece lies across an edge of the result.
void ElementTiles::in_parts(std::int64_t count, const std::vector<Piece>& pieces, Each each) {
  const auto both = [&](Value a, Value b) {
    return arith::AndIOp::create(context_.builder, a, b).getResult();
  };
  const std::int64_t read = plan_.read_size(), write = plan_.write_size();
  const auto is_whole = [&](Value first, std::int64_t size, int tile) {
    return context_.less(first, std::max<std::int64_t>(size - tile + 1, 0));
  };
  const bool has_edges = read % plan_.read_tile() != 0 || write % plan_.write_tile() != 0;
  const bool has_idle_threads = count < plan_.threads();
  if (!has_edges && !has_idle_threads) return each(pieces);
  const auto one_by_one = [&] {
    for (const Piece& piece : pieces)
      run_if(context_,
             both(both(context_.less(piece.read, plan_.read_tile()),
                       context_.less(piece.write, plan_.write_tile())),
                  both(context_.less(context_.add(first_read_, piece.read), read),
                       context_.less(context_.add(first_write_, piece.write), write))),
             [&] { each({piece}); });
  };
  if (has_idle_threads) return one_by_one();
  run_if(
      context_,
      both(is_whole(first_read_, read, plan_.read_tile()),
           is_whole(first_write_, write, plan_.write_tile())),
      [&] { each(pieces); }, one_by_one);
}

// The row-major index (i64), in the result, of the first element of a piece.
Value ElementTiles::number(const Piece& piece) const {
  const auto far = [&](Value x, std::int64_t size) {
    return arith::MulIOp::create(context_.builder, x, context_.constant(size, x)).getResult();
  };
  const Value row = context_.add(far(context_.wide(matrix_), plan_.read_size()),
                                 context_.wide(context_.add(first_read_, piece.read)));
  return context_.add(far(row, plan_.write_size()),
                      context_.wide(context_.add(first_write_, piece.write)));
}

// The position in shared memory of the tile's element in row `read`, column `write`. The tile lies
// row after row. A row consists of accesses of write_together() elements, whose number in the row
// is xored with `key`. `key` differs from row to row, so that lanes which write the same column of
// several rows use different banks.
Value ElementTiles::place_in_shared(Value read, Value key, Value write) const {
  const int together = plan_.write_together();
  Value access = quotient(write, together);
  access = arith::XOrIOp::create(context_.builder, access, key);
  const Value row = context_.multiply(read, plan_.write_tile());
  return context_.add(context_.add(row, context_.multiply(access, together)),
                      remainder(write, together));
}

Value ElementTiles::key(Value read) const {
  return remainder(quotient(read, plan_.read_together()),
                   plan_.write_tile() / plan_.write_together());
}

Value ElementTiles::remainder(Value x, std::int64_t y) const {
  if (y == 1) return context_.constant(0);
  return arith::RemUIOp::create(context_.builder, x, context_.constant(y));
}

Value ElementTiles::quotient(Value x, std::int64_t y) const {
  if (y == 1) return x;
  return arith::DivUIOp::create(context_.builder, x, context_.constant(y));
}

}  // namespace heddle::compiler
