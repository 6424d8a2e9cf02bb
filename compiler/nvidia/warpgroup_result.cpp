#include "compiler/nvidia/warpgroup_result.h"
#include "heddle/instruction/catalogue.h"

#include <array>

namespace heddle::compiler {
namespace {

using instruction::Operand;
using mlir::Value;
using Plan = plan::WarpgroupPlan;

struct Corner {
  std::uint64_t m, n;
};

Corner corner(const layout::LinearLayout& fragment, std::uint64_t register_number,
              std::uint64_t lane) {
  const std::uint64_t elements = fragment.inputs().size_of("element");
  const auto at = fragment.apply({{"element", register_number % elements},
                                  {"register", register_number / elements},
                                  {"lane", lane}});
  return {at->at("m"), at->at("n")};
}

}  // namespace

PieceMap::PieceMap(const Plan& plan) : columns_(static_cast<std::size_t>(plan.piece_columns())) {
  const auto map = instruction::shared_operand_map({.operand = Operand::a,
                                                    .mn = Plan::piece_rows,
                                                    .k = plan.piece_columns(),
                                                    .bits = 8 * plan.result_bytes(),
                                                    .major = instruction::Major::k,
                                                    .swizzle = instruction::Swizzle::bytes128});
  offsets_.resize(static_cast<std::size_t>(Plan::piece_rows) * columns_);
  for (int at = 0; at < Plan::piece_bytes; at += plan.result_bytes()) {
    const auto element = map.apply({{"byte", static_cast<std::uint64_t>(at)}});
    offsets_[element->at("m") * columns_ + element->at("k")] = at;
  }
}

int PieceMap::offset(std::uint64_t m, std::uint64_t n) const { return offsets_[m * columns_ + n]; }

// With 16-bit results stmatrix stores four 8x8 matrices, whose rows the lanes address; wider ones
// are stored pair by pair.
WarpgroupResult::WarpgroupResult(const WarpgroupContext& context, Value map, Value c,
                                 double constant)
    : context_(context),
      map_(map),
      c_(c),
      constant_(constant),
      instruction_(plan::wgmma_of(context.plan)),
      fragment_(instruction::fragment(instruction_, Operand::d)),
      piece_map_(context.plan) {
  const Plan& plan = context.plan;
  const Value consumer = context.add(context.warpgroup, -1);
  const Value warp = context.add(context.multiply(consumer, 4), context.warp);
  const int warp_bytes = Plan::pieces * Plan::piece_bytes;
  places_ = context.add(context.add(context.shared, plan.result_start()),
                        context.multiply(warp, warp_bytes));
  first_lane_ = context.equal(context.lane, 0);
  sums_element_ = plan.problem.sum_type() == instruction::ElementType::i32
                      ? mlir::Type(context.builder.getI32Type())
                      : context.builder.getF32Type();
  if (c_) {
    // The lane's own place: bits of it above the warp's 32 count warps, which `row` has in it.
    lane_row_ = lane_coordinate("m");
    lane_column_ = lane_coordinate("n");
  }
  lane_offset_ = context.constant(0);
  const auto addresses = instruction::fragment(
      *instruction::find("stmatrix.sync.aligned.m8n8.x4.shared.b16", instruction::Target::sm_90a),
      Operand::address);
  for (int bit = 0; bit < 5; ++bit) {
    const std::uint64_t lane = std::uint64_t{1} << bit;
    Corner at{};
    if (plan.result_bytes() == 2) {
      const auto row = addresses.apply({{"lane", lane}});
      at = corner(fragment_, 2 * row->at("block"), 0);
      at.m += row->at("m");
    } else {
      at = corner(fragment_, 0, lane);
    }
    const Value set = mlir::arith::AndIOp::create(
        context.builder, context.lane, context.constant(static_cast<std::int64_t>(lane)));
    const Value part = context.select(context.equal(set, 0), context.constant(0),
                                      context.constant(piece_map_.offset(at.m, at.n)));
    lane_offset_ = context.exclusive_or(lane_offset_, part);
  }
}

Value WarpgroupResult::lane_coordinate(const layout::AxisName& axis) const {
  Value sum = context_.constant(0);
  for (int bit = 0; bit < 5; ++bit) {
    const auto distance = static_cast<std::int64_t>(fragment_.basis("lane", bit, axis));
    if (distance == 0) continue;
    const Value shifted =
        mlir::arith::ShRUIOp::create(context_.builder, context_.lane, context_.constant(bit));
    const Value set = mlir::arith::AndIOp::create(context_.builder, shifted, context_.constant(1));
    sum = context_.add(sum, context_.multiply(set, distance));
  }
  return sum;
}

void WarpgroupResult::store(const Tile& tile, Value sums) {
  const Plan& plan = context_.plan;
  const Value consumer = context_.add(context_.warpgroup, -1);
  const Value first_row =
      context_.add(context_.add(tile.m, context_.multiply(consumer, plan.consumer_rows())),
                   context_.multiply(context_.warp, Plan::piece_rows));
  const int band_registers = instruction_.d.registers;
  const int piece_registers = plan.piece_columns() / 2;  // 16 rows times columns over 32 lanes
  int number = 0;
  for (int band = 0; band < plan.bands(); ++band) {
    const Value row = context_.add(first_row, band * plan::wgmma_rows);
    for (int first = 0; first < band_registers; first += piece_registers) {
      const Value column = context_.add(tile.n, 2 * first);
      std::vector<Value> values;
      for (int i = first; i < first + piece_registers; i += 2) {
        const auto sum = [&](int number_in_band) {
          return mlir::LLVM::ExtractValueOp::create(context_.builder, sums,
                                                    band * band_registers + number_in_band);
        };
        for (const Value value : with_initial(sum(i), sum(i + 1), row, column, i - first))
          values.push_back(value);
      }
      piece(values, number++, row, column);
    }
  }
}

void WarpgroupResult::piece(const std::vector<Value>& values, int number, Value row, Value column) {
  const Value place = context_.add(places_, number % Plan::pieces * Plan::piece_bytes);
  // The copy that last read this place is done when only the one after it is not; that of a tile
  // before may have been the last.
  const int later = number == 0 ? 0 : Plan::pieces - 1;
  context_.ptx("@$0 cp.async.bulk.wait_group.read " + std::to_string(later) +
                   ";\n\tbar.warp.sync 0xffffffff;",
               "b", {first_lane_});
  if (context_.plan.result_bytes() == 2) {
    write_matrices(values, place);
  } else {
    write_pairs(values, place);
  }
  // Copies see what all lanes have stored.
  context_.ptx("fence.proxy.async.shared::cta;\n\tbar.warp.sync 0xffffffff;", "", {});
  context_.ptx(
      "@$4 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {$1, $2}], [$3];\n\t"
      "@$4 cp.async.bulk.commit_group;",
      "l,r,r,r,b", {map_, column, row, place, first_lane_});
}

// Lane and constant meet in the map, whose first byte need not lie at a multiple of its size.
Value WarpgroupResult::address(Value place, std::uint64_t m, std::uint64_t n) const {
  return context_.add(place, context_.exclusive_or(lane_offset_, piece_map_.offset(m, n)));
}

void WarpgroupResult::write_matrices(const std::vector<Value>& values, Value place) const {
  for (std::size_t first = 0; first < values.size(); first += 8) {
    const Corner at = corner(fragment_, first, 0);
    std::vector<Value> operands{address(place, at.m, at.n)};
    for (std::size_t i = first; i < first + 8; i += 2)
      operands.push_back(packed(values[i], values[i + 1]));
    context_.ptx("stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};", "r,r,r,r,r",
                 operands);
  }
}

void WarpgroupResult::write_pairs(const std::vector<Value>& values, Value place) const {
  const bool integer = context_.plan.problem.result == instruction::ElementType::i32;
  for (std::size_t first = 0; first < values.size(); first += 2) {
    const Corner at = corner(fragment_, first, 0);
    context_.ptx(integer ? "st.shared.v2.b32 [$0], {$1, $2};" : "st.shared.v2.f32 [$0], {$1, $2};",
                 integer ? "r,r,r" : "r,f,f",
                 {address(place, at.m, at.n), values[first], values[first + 1]});
  }
}

Value WarpgroupResult::packed(Value low, Value high) const {
  const bool is_f16 = context_.plan.problem.result == instruction::ElementType::f16;
  return context_.ptx(context_.builder.getI32Type(),
                      is_f16 ? "cvt.rn.f16x2.f32 $0, $1, $2;" : "cvt.rn.bf16x2.f32 $0, $1, $2;",
                      "=r,f,f", {high, low});
}

// Two sums beside each other, with what is added to them. Rows of D are multiples of 16 bytes, so
// that both or neither are inside it.
std::array<Value, 2> WarpgroupResult::with_initial(Value low, Value high, Value row, Value column,
                                                   int register_number) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const auto sum = [&](Value x, Value y) -> Value {
    if (mlir::isa<mlir::IntegerType>(x.getType())) return context_.add(x, y);
    return mlir::arith::AddFOp::create(builder, x, y);
  };
  if (c_) {
    const auto [first, second] = initial(row, column, register_number);
    return {sum(low, first), sum(high, second)};
  }
  if (constant_ == 0.0) return {low, high};
  const mlir::Attribute attribute =
      mlir::isa<mlir::IntegerType>(low.getType())
          ? mlir::Attribute(builder.getI32IntegerAttr(static_cast<std::int32_t>(constant_)))
          : mlir::Attribute(builder.getF32FloatAttr(static_cast<float>(constant_)));
  const Value constant =
      mlir::arith::ConstantOp::create(builder, mlir::cast<mlir::TypedAttr>(attribute));
  return {sum(low, constant), sum(high, constant)};
}

// What C has there, or zero outside of it.
std::array<Value, 2> WarpgroupResult::initial(Value row, Value column, int register_number) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const plan::Problem& problem = context_.plan.problem;
  const Corner at = corner(fragment_, static_cast<std::uint64_t>(register_number), 0);
  const auto own = [&](Value first, Value lane, std::uint64_t constant) {
    return context_.add(context_.add(first, lane), static_cast<std::int64_t>(constant));
  };
  const Value m = own(row, lane_row_, at.m), n = own(column, lane_column_, at.n);
  const Value inside = mlir::arith::AndIOp::create(builder, context_.less(m, problem.m),
                                                   context_.less(n, problem.n));
  const auto wide = [&](Value x) {
    return mlir::arith::ExtUIOp::create(builder, builder.getI64Type(), x);
  };
  const Value pitch =
      mlir::arith::ConstantOp::create(builder, builder.getI64IntegerAttr(problem.n));
  const Value element = mlir::arith::AddIOp::create(
      builder, mlir::arith::MulIOp::create(builder, wide(m), pitch), wide(n));
  const int bytes = context_.plan.result_bytes();
  const mlir::Type type = bytes == 2                                    ? builder.getI16Type()
                          : mlir::isa<mlir::IntegerType>(sums_element_) ? builder.getI32Type()
                                                                        : sums_element_;
  const Value address = mlir::LLVM::GEPOp::create(builder, c_.getType(), type, c_,
                                                  llvm::ArrayRef<mlir::LLVM::GEPArg>{element});
  if (bytes == 2) {
    const Value pair =
        context_.ptx(builder.getI32Type(), "mov.b32 $0, 0;\n\t@$2 ld.global.b32 $0, [$1];",
                     "=&r,l,b", {address, inside});
    const bool is_f16 = problem.result == instruction::ElementType::f16;
    const mlir::Type half = is_f16 ? mlir::Type(builder.getF16Type()) : builder.getBF16Type();
    const Value halves =
        mlir::LLVM::BitcastOp::create(builder, mlir::VectorType::get({2}, half), pair);
    const auto extended = [&](int i) -> Value {
      const Value x = mlir::LLVM::ExtractElementOp::create(builder, halves, context_.constant(i));
      return mlir::arith::ExtFOp::create(builder, builder.getF32Type(), x);
    };
    return {extended(0), extended(1)};
  }
  const bool integer = mlir::isa<mlir::IntegerType>(sums_element_);
  const auto both =
      mlir::LLVM::LLVMStructType::getLiteral(builder.getContext(), {sums_element_, sums_element_});
  const Value loaded =
      context_.ptx(both, "mov.b32 $0, 0;\n\tmov.b32 $1, 0;\n\t@$3 ld.global.v2.b32 {$0, $1}, [$2];",
                   integer ? "=&r,=&r,l,b" : "=&f,=&f,l,b", {address, inside});
  return {mlir::LLVM::ExtractValueOp::create(builder, loaded, 0),
          mlir::LLVM::ExtractValueOp::create(builder, loaded, 1)};
}

void WarpgroupResult::finish() const {
  context_.ptx("@$0 cp.async.bulk.wait_group 0;", "b", {first_lane_});
}

}  // namespace heddle::compiler
