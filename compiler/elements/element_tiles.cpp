#include "compiler/elements/element_tiles.h"

#include <algorithm>
#include <string>

#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/product_frame.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using mlir::Value;
using plan::ElementPlan;
namespace arith = mlir::arith;
namespace llvmir = mlir::LLVM;

constexpr unsigned shared_space = 3;  // of both vendors

}  // namespace

void ElementTiles::write(Value thread, Value block) {
  x_ = remainder(thread, ElementPlan::tile);
  y_ = quotient(thread, ElementPlan::tile);
  first_write_ = context_.multiply(remainder(block, plan_.tiles(plan_.write)), ElementPlan::tile);
  block = quotient(block, plan_.tiles(plan_.write));
  first_read_ = context_.multiply(remainder(block, plan_.tiles(plan_.read)), ElementPlan::tile);
  block = quotient(block, plan_.tiles(plan_.read));
  others_.resize(plan_.shape.size());
  for (std::size_t dim = plan_.shape.size(); dim-- > 0;) {
    if (static_cast<int>(dim) == plan_.read || static_cast<int>(dim) == plan_.write) continue;
    others_[dim] = remainder(block, plan_.shape[dim]);
    block = quotient(block, plan_.shape[dim]);
  }
  make_shared_tiles();
  in_parts(plan_.read, plan_.write, [&](const std::vector<Place>& places) { compute(places); });
  mlir::gpu::BarrierOp::create(context_.builder);
  in_parts(plan_.write, plan_.read, [&](const std::vector<Place>& places) { exchange(places); });
}

// Computes elements, of which those of a warp are neighbours in what is read, as rows of a tile.
void ElementTiles::compute(const std::vector<Place>& places) {
  std::vector<std::vector<Value>> values;
  for (const Place& place : places) {
    ElementCode code = frame_.code();
    Places at;
    for (std::size_t dim = 0; dim < plan_.shape.size(); ++dim) {
      const Value along = static_cast<int>(dim) == plan_.read    ? place.x
                          : static_cast<int>(dim) == plan_.write ? place.y
                                                                 : others_[dim];
      at.push_back(
          arith::IndexCastUIOp::create(context_.builder, context_.builder.getIndexType(), along));
    }
    std::vector<Value>& own = values.emplace_back();
    for (unsigned result = 0; result < frame_.results(); ++result)
      own.push_back(code.bits(code.element(frame_.value(result), at), frame_.record(result)));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (unsigned result = 0; result < frame_.results(); ++result) {
      const Value row = context_.multiply(places[i].y_in_tile, pitch(result));
      frame_.store(values[i][result], shared_[result], context_.add(row, x_));
    }
  }
}

// Reads columns of the tile, and writes them as neighbours.
void ElementTiles::exchange(const std::vector<Place>& places) {
  for (unsigned result = 0; result < frame_.results(); ++result) {
    const auto element = frame_.record(result).element;
    const mlir::Type type = bits_type(context_.builder.getContext(), element);
    const Value row = context_.multiply(x_, pitch(result));
    std::vector<Value> values;
    for (const Place& place : places)
      values.push_back(llvmir::LoadOp::create(
          context_.builder, type,
          frame_.address(type, shared_[result], context_.add(row, place.y_in_tile)),
          static_cast<unsigned>(counted_bytes(element))));
    for (std::size_t i = 0; i < places.size(); ++i)
      frame_.store(values[i], frame_.pointer(result), number(places[i]));
  }
}

// Calls `each` with all places of the thread where the tile is whole, else with one at a time.
// Neighbours of a warp lie along dimension `x`.
void ElementTiles::in_parts(int x, int y, Each each) {
  const auto first = [&](int dim) { return dim == plan_.read ? first_read_ : first_write_; };
  const auto size = [&](int dim) { return plan_.shape[static_cast<std::size_t>(dim)]; };
  constexpr int rows = ElementPlan::threads / ElementPlan::tile;
  std::vector<Place> places;
  for (int row = 0; row < ElementPlan::tile; row += rows) {
    const Value in_tile = context_.add(y_, row);
    places.push_back({context_.add(first(x), x_), context_.add(first(y), in_tile), in_tile});
  }
  if (size(x) % ElementPlan::tile == 0 && size(y) % ElementPlan::tile == 0) return each(places);
  const auto is_whole = [&](int dim) {
    return context_.less(first(dim), std::max<std::int64_t>(size(dim) - ElementPlan::tile + 1, 0));
  };
  const auto both = [&](Value a, Value b) {
    return arith::AndIOp::create(context_.builder, a, b).getResult();
  };
  run_if(
      context_, both(is_whole(x), is_whole(y)), [&] { each(places); },
      [&] {
        for (const Place& place : places)
          run_if(context_, both(context_.less(place.x, size(x)), context_.less(place.y, size(y))),
                 [&] { each({place}); });
      });
}

// The number of an element of the results, where neighbours lie along the dimension that is
// written.
Value ElementTiles::number(const Place& place) const {
  Value all = context_.constant(0);
  for (std::size_t dim = 0; dim < plan_.shape.size(); ++dim) {
    const Value along = static_cast<int>(dim) == plan_.write  ? place.x
                        : static_cast<int>(dim) == plan_.read ? place.y
                                                              : others_[dim];
    all = context_.add(context_.multiply(all, plan_.shape[dim]), along);
  }
  return all;
}

Value ElementTiles::remainder(Value x, std::int64_t y) const {
  if (y == 1) return context_.constant(0);
  return arith::RemUIOp::create(context_.builder, x, context_.constant(y));
}

Value ElementTiles::quotient(Value x, std::int64_t y) const {
  if (y == 1) return x;
  return arith::DivUIOp::create(context_.builder, x, context_.constant(y));
}

int ElementTiles::pitch(unsigned result) const {
  return ElementPlan::pitch(counted_bytes(frame_.record(result).element));
}

void ElementTiles::make_shared_tiles() {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  for (unsigned result = 0; result < frame_.results(); ++result) {
    const mlir::Type type = bits_type(builder.getContext(), frame_.record(result).element);
    const auto array = llvmir::LLVMArrayType::get(
        type, static_cast<std::uint64_t>(ElementPlan::tile * pitch(result)));
    const std::string name = formatted("{}_tile{}", frame_.request.function, result);
    {
      const mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(mlir::gpu::GPUModuleOp(frame_.kernels).getBody());
      auto memory = llvmir::GlobalOp::create(builder, array, /*isConstant=*/false,
                                             llvmir::Linkage::Internal, name, mlir::Attribute(),
                                             /*alignment=*/16, shared_space);
      // No initial value: shared memory has none.
      builder.createBlock(&memory.getInitializerRegion());
      llvmir::ReturnOp::create(builder, llvmir::PoisonOp::create(builder, array).getResult());
    }
    shared_.push_back(llvmir::AddressOfOp::create(
        builder, llvmir::LLVMPointerType::get(builder.getContext(), shared_space), name));
  }
}

}  // namespace heddle::compiler
