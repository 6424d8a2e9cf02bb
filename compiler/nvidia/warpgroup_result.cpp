#include "compiler/nvidia/warpgroup_result.h"

#include <algorithm>
#include <bit>

#include "compiler/kernel/index_code.h"
#include "compiler/nvidia/warpgroup_product.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/layout/algebra.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/solve.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
namespace nvvm = mlir::NVVM;
using mlir::Value;
using Plan = plan::WarpgroupPlan;

struct Corner {
  std::uint64_t m, n;
};

Corner corner(const layout::LinearLayout& fragment, std::uint64_t register_number,
              std::uint64_t lane) {
  const auto at = fragment.apply({{"register", register_number}, {"lane", lane}});
  return {at->at("m"), at->at("n")};
}

}  // namespace

int WarpgroupResult::piece_offset(std::uint64_t m, std::uint64_t n) const {
  const auto bytes = static_cast<std::uint64_t>(context_.plan.result_bytes());
  if (context_.plan.by_columns) std::swap(m, n);
  return static_cast<int>(piece_.apply({{"m", m}, {"k", n * bytes}})->at("byte"));
}

// Results of 16 bits are stored to shared memory by stmatrix, which stores four 8x8 matrices; each
// lane gives the address of one row of a matrix. Wider results are stored in pairs of adjacent
// elements.
WarpgroupResult::WarpgroupResult(const WarpgroupContext& context, const MatmulRequest& request,
                                 const ResultArguments& arguments)
    : context_(context),
      request_(request),
      arguments_(arguments),
      instruction_(plan::wgmma_of(context.plan)),
      fragment_(instruction::fragment(instruction_, Operand::d)) {
  if (arguments.d) return;
  const Plan& plan = context.plan;
  piece_ =
      layout::invert(instruction::shared_operand_map({.operand = Operand::a,
                                                      .mn = plan.piece_lines(),
                                                      .k = plan::swizzled_line_bytes,
                                                      .bits = 8,
                                                      .major = instruction::Major::k,
                                                      .swizzle = instruction::Swizzle::bytes128}))
          .value();
  const Value consumer = context.add(context.warpgroup, -1);
  places_ = context.add(context.add(context.shared, plan.result_start()),
                        context.multiply(consumer, Plan::result_bytes_of_consumer));
  is_copier_ = context.equal(context.lane, 0);
  if (plan.by_columns) {
    is_copier_ =
        mlir::arith::AndIOp::create(context.builder, is_copier_, context.equal(context.warp, 0));
  } else {
    places_ =
        context.add(places_, context.multiply(context.warp, Plan::pieces * plan.piece_bytes()));
  }
  lane_m_ = thread_coordinate(context, fragment_, "m");
  lane_n_ = thread_coordinate(context, fragment_, "n");
  const auto addresses = instruction::fragment(
      *instruction::find("stmatrix.sync.aligned.m8n8.x4.shared.b16", instruction::Target::sm_90a),
      Operand::address);
  layout::LinearLayout::Bases bases{};
  for (std::size_t bit = 0; bit < 5; ++bit) {
    const std::uint64_t lane = std::uint64_t{1} << bit;
    Corner at = corner(fragment_, 0, lane);
    if (plan.result_bytes() == 2) {
      const auto row = addresses.apply({{"lane", lane}});
      at = corner(fragment_, 2 * row->at("block"), 0);
      (plan.by_columns ? at.n : at.m) += row->at("m");
    }
    bases[bit] = static_cast<std::uint64_t>(piece_offset(at.m, at.n));
  }
  const int byte_bits = std::countr_zero(static_cast<unsigned>(plan.piece_bytes()));
  const layout::AxisList bytes{{"byte", byte_bits}};
  const auto offsets = layout::LinearLayout::from_words({{"lane", 5}}, bytes, bases).value();
  lane_offset_ = thread_coordinate(context, offsets, "byte");
  // If D is stored by columns, a line has rows of all four warps, and each warp writes its part of
  // it.
  if (plan.by_columns)
    lane_offset_ = context.exclusive_or(
        lane_offset_, context.multiply(context.warp, piece_offset(plan::warp_rows, 0)));
}

GlobalMatrices WarpgroupResult::matrices(Value batch) const {
  using plan::Loop;
  const auto matrix = [&](const MatrixRecord& record, Value pointer) {
    return context_.matrix(record, pointer, Loop::m, Loop::n, batch);
  };
  GlobalMatrices all;
  if (arguments_.d) {
    all.d = matrix(request_.d, arguments_.d);
  } else {
    all.d.rows = context_.size(Loop::m);
    all.d.columns = context_.size(Loop::n);
  }
  if (arguments_.c) all.c = matrix(*request_.c, arguments_.c);
  for (std::size_t i = 0; i < arguments_.extras.size(); ++i)
    all.extras.push_back(matrix(request_.extras[i], arguments_.extras[i]));
  for (std::size_t i = 0; i < arguments_.further.size(); ++i)
    all.further.push_back(matrix(request_.further[i].d, arguments_.further[i]));
  return all;
}

std::vector<Value> WarpgroupResult::registers(Value sums) const {
  return elements_of(context_.builder, sums);
}

// The sums with the constant initial value added to them.
std::vector<Value> WarpgroupResult::with_constant(std::vector<Value> sums) const {
  if (request_.constant.value_or(0) == 0) return sums;
  const Epilogue epilogue(context_, request_);
  for (Value& sum : sums) sum = epilogue.sum(sum, epilogue.initial(epilogue.sum_type(), {}));
  return sums;
}

// The layout of the sums of one consumer, in atoms of 64x8, of which each warp has 16 rows. Tiles
// are rounded up to whole clusters. So if D ends inside a cluster, whole tiles may lie beyond D.
HeldSums WarpgroupResult::held() const {
  const Plan& plan = context_.plan;
  const int register_bits = fragment_.inputs().bits_of("register");
  const auto band_bits = static_cast<int>(std::bit_width(static_cast<unsigned>(plan.bands() - 1)));
  const auto band = layout::reshape_inputs(
      fragment_, {{"register", 2}, {"atom_n", register_bits - 2}, {"lane", 5}, {"warp", 2}});
  const auto bands = layout::LinearLayout::identity(1u << band_bits, "atom_m", "m");
  return {layout::product(band.value(), bands.value()).value(), plan.bands(), plan.block_n / 8,
          plan.block_m * plan.cluster_m, plan.block_n * plan.cluster_n};
}

void WarpgroupResult::store(const BlockTile& tile, Value sums) {
  const Plan& plan = context_.plan;
  const GlobalMatrices all = matrices(tile.batch);
  const Value consumer = context_.add(context_.warpgroup, -1);
  BlockTile own = tile;
  own.m = context_.add(tile.m, context_.multiply(consumer, plan.consumer_rows()));
  const std::vector<Value> all_sums = registers(sums);
  if (plan.split_k > 1)
    return add_parts_of(tile, all_sums, [&](ReadSums of_parts) { store_band(own, of_parts, all); });
  store_band(
      own,
      [&](std::size_t begin, std::size_t end) {
        return std::vector<Value>(all_sums.begin() + static_cast<std::ptrdiff_t>(begin),
                                  all_sums.begin() + static_cast<std::ptrdiff_t>(end));
      },
      all);
}

void WarpgroupResult::add_parts_of(const BlockTile& tile, const std::vector<Value>& sums,
                                   llvm::function_ref<void(ReadSums)> finish) const {
  const Plan& plan = context_.plan;
  const Value consumer = context_.add(context_.warpgroup, -1);
  const Value thread =
      context_.add(context_.multiply(consumer, plan::warpgroup_lanes), thread_number(context_, 32));
  const Value word = context_.shared_pointer(context_.add(context_.shared, plan.word_start()));
  const auto barrier = [&] {
    context_.synchronise(context_.constant(static_cast<int>(NamedBarrier::consumers)),
                         plan.consumers * plan::warpgroup_lanes);
  };
  const PartsMemory memory{
      plan.split_memory(), arguments_.workspace, word, "device", thread, barrier};
  add_parts(context_, memory, tile.number, context_.part, plan.problem.combine, sums, finish);
}

void WarpgroupResult::store_band(const BlockTile& tile, ReadSums sums, const GlobalMatrices& all) {
  const Plan& plan = context_.plan;
  if (arguments_.d) {
    const auto count = static_cast<std::size_t>(plan.bands() * instruction_.d.registers);
    return store_sums(context_, held(), with_constant(sums(0, count)), tile, request_, all);
  }
  const ResultElements elements(context_, request_, all, plan.block_m * plan.cluster_m,
                                plan.block_n * plan.cluster_n);
  const Value first_row = context_.add(tile.m, context_.multiply(context_.warp, plan::warp_rows));
  const MatrixPlace thread{context_.add(first_row, lane_m_), context_.add(tile.n, lane_n_)};
  const int band_registers = plan.block_n / 2;  // 16 rows times columns over 32 lanes
  int number = 0;
  const int piece_registers = plan.piece_columns() / 2;
  for (int band = 0; band < plan.bands(); ++band) {
    const Value row = context_.add(plan.by_columns ? tile.m : first_row, band * plan::wgmma_rows);
    std::vector<Value> pairs;  // of one piece, then of the next
    for (int stored = 0; stored < band_registers;) {
      const int first = std::min(stored, band_registers - piece_registers);
      // Pieces may overlap. Values that two pieces store are computed only once: if D and C are the
      // same memory, the store of the first piece has overwritten C.
      pairs.erase(pairs.begin(), pairs.end() - (stored - first) / 2);
      const int end = first + piece_registers;
      const auto before = static_cast<std::size_t>(band * band_registers);
      const std::vector<Value> of_piece = with_constant(
          sums(before + static_cast<std::size_t>(stored), before + static_cast<std::size_t>(end)));
      const std::vector<Value> more = results(elements, thread, of_piece, band, stored);
      pairs.insert(pairs.end(), more.begin(), more.end());
      piece(pairs, number++, {row, context_.add(tile.n, 2 * first), {}, tile.batch});
      stored = end;
    }
  }
}

// Computes the results of `sums`, which are those of band `band` from register `first` on. Returns
// pairs of elements that are adjacent in a row.
std::vector<Value> WarpgroupResult::results(const ResultElements& elements,
                                            const MatrixPlace& thread, llvm::ArrayRef<Value> sums,
                                            int band, int first) const {
  std::vector<Value> all;
  for (std::size_t i = 0; i < sums.size(); i += 2) {
    const Corner at = corner(fragment_, static_cast<std::size_t>(first) + i, 0);
    MatrixPlace place = thread;
    place.down = static_cast<std::int64_t>(at.m) + band * plan::wgmma_rows;
    place.right = static_cast<std::int64_t>(at.n);
    std::vector<Value> values = elements.rounded(sums.slice(i, 2), place);
    values = elements.finished(values, place, /*everywhere=*/true)[0];
    all.push_back(context_.vector_of(values));
  }
  return all;
}

void WarpgroupResult::piece(const std::vector<Value>& values, int number,
                            const LoopNumbers& corner) {
  const Plan& plan = context_.plan;
  const Value place = context_.add(places_, number % Plan::pieces * plan.piece_bytes());
  // Waits until the last copy from this place has read it; only the one newer copy (from the other
  // place) may be in flight. Before the first piece of a tile, waits for all copies.
  const int later = number == 0 ? 0 : Plan::pieces - 1;
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  run_if(context_, is_copier_, [&] {
    nvvm::CpAsyncBulkWaitGroupOp::create(builder, static_cast<std::uint32_t>(later),
                                         builder.getUnitAttr());
  });
  synchronise_piece();
  if (plan.result_bytes() == 2) {
    write_matrices(values, place);
  } else {
    write_pairs(values, place);
  }
  // Makes the stores of all lanes visible to copies.
  nvvm::FenceProxyOp::create(
      builder, nvvm::ProxyKind::async_shared,
      nvvm::SharedSpaceAttr::get(builder.getContext(), nvvm::SharedSpace::shared_cta));
  synchronise_piece();
  run_if(context_, is_copier_, [&] {
    nvvm::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
        builder, arguments_.map.map, context_.shared_pointer(place),
        arguments_.map.coordinates(context_, corner), /*l2CacheHint=*/Value(),
        nvvm::TMAStoreMode::TILE, /*predicate=*/Value());
    nvvm::CpAsyncBulkCommitGroupOp::create(builder);
  });
}

void WarpgroupResult::synchronise_piece() const {
  if (!context_.plan.by_columns) return context_.synchronise_warp();
  const int first = static_cast<int>(NamedBarrier::own) - 1;  // consumers are warpgroups from 1 on
  context_.synchronise(context_.add(context_.warpgroup, first), plan::warpgroup_lanes);
}

// The position in a piece is the lane's part xor a constant part. It is then added to the address
// of the piece, which need not be a multiple of the piece's size.
Value WarpgroupResult::address(Value place, std::uint64_t m, std::uint64_t n) const {
  return context_.add(place, context_.exclusive_or(lane_offset_, piece_offset(m, n)));
}

void WarpgroupResult::write_matrices(const std::vector<Value>& pairs, Value place) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  for (std::size_t first = 0; first < pairs.size(); first += 4) {
    const Corner at = corner(fragment_, 2 * first, 0);
    std::vector<Value> sources;
    for (std::size_t i = first; i < first + 4; ++i)
      sources.push_back(mlir::LLVM::BitcastOp::create(builder, builder.getI32Type(), pairs[i]));
    nvvm::StMatrixOp::create(builder, context_.shared_pointer(address(place, at.m, at.n)), sources,
                             context_.plan.by_columns ? nvvm::MMALayout::col : nvvm::MMALayout::row,
                             nvvm::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8),
                             nvvm::LdStMatrixEltType::B16);
  }
}

void WarpgroupResult::write_pairs(const std::vector<Value>& pairs, Value place) const {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Corner at = corner(fragment_, 2 * i, 0);
    mlir::LLVM::StoreOp::create(context_.builder, pairs[i],
                                context_.shared_pointer(address(place, at.m, at.n)),
                                /*alignment=*/8);
  }
}

void WarpgroupResult::finish() const {
  if (arguments_.d) return;
  run_if(context_, is_copier_,
         [&] { nvvm::CpAsyncBulkWaitGroupOp::create(context_.builder, 0, nullptr); });
}

}  // namespace heddle::compiler
