#include "compiler/nvidia/cluster_parts.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

constexpr int together = 4;  // registers that a thread stores at once, in 16 bytes

// Where four sums of a thread lie: those of a warpgroup's threads side by side, which is without
// bank conflicts.
class Exchange {
 public:
  explicit Exchange(const WarpgroupContext& context) : context_(context) {
    const Value consumer = context.add(context.warpgroup, -1);
    const Value warp = context.add(context.multiply(consumer, 4), context.warp);
    const Value thread = context.add(context.multiply(warp, 32), context.lane);
    own_ = context.add(context.shared, context.multiply(thread, 4 * together));
  }

  int piece_registers() const { return context_.plan.piece_columns() / 2; }

  // The first bytes, of all threads of a block, of four registers that part `from` leaves.
  int place(int piece, int band, int first_register, int from) const {
    const plan::WarpgroupPlan& plan = context_.plan;
    const int in_order =
        ((piece * plan.bands() + band) * plan.split_k + from) * (piece_registers() / together) +
        first_register / together;
    return in_order * plan.consumers * plan::warpgroup_lanes * 4 * together;
  }

  // Where this thread's sums are in shared memory of the block that has part `part`.
  Value of_block(int part) const {
    return context_.ptx(context_.builder.getI32Type(), "mapa.shared::cluster.u32 $0, $1, $2;",
                        "=r,r,n", {own_, context_.constant(part)});
  }
  // This thread's in this block, behind the places of the parts before its own: `from` 0 is then
  // this part.
  Value own() const { return own_; }
  Value left_by_this_part() const {
    return context_.multiply(context_.part, place(0, 0, 0, 1) - place(0, 0, 0, 0));
  }

 private:
  const WarpgroupContext& context_;
  Value own_;
};

std::string at(int offset) { return "[$0+" + std::to_string(offset) + "]"; }

}  // namespace

// The threads of a warp arrive together: an aligned barrier counts warps, and the first of them may
// have been elsewhere.
void synchronise(const WarpgroupContext& context) {
  context.ptx("bar.warp.sync 0xffffffff;", "", {});
  if (context.plan.cluster() > 1) {
    context.ptx("barrier.cluster.arrive.release.aligned;", "", {});
    context.ptx("barrier.cluster.wait.acquire.aligned;", "", {});
  } else {
    context.ptx("bar.sync 0;", "", {});
  }
}

void meet_parts(const WarpgroupContext& context) {
  synchronise(context);
  synchronise(context);
}

std::vector<std::vector<Value>> added_parts(const WarpgroupContext& context,
                                            const std::vector<Value>& sums, int band_registers) {
  const plan::WarpgroupPlan& plan = context.plan;
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Exchange exchange(context);
  const mlir::Type type = sums[0].getType();
  const bool is_integer = mlir::isa<mlir::IntegerType>(type);
  const std::string letter = is_integer ? "r" : "f", element = is_integer ? "b32" : "f32";
  const int registers = exchange.piece_registers();
  synchronise(context);  // nobody's copies or products use the stages any more
  const Value part_offset = exchange.left_by_this_part();
  for (int part = 0; part < plan.split_k; ++part) {
    const int first_piece = part * plan.pieces_of_part();
    const int pieces = std::min(plan.pieces_of_part(), plan.pieces_of_band() - first_piece);
    if (pieces <= 0) break;
    const Value there = context.add(exchange.of_block(part), part_offset);
    for (int piece = 0; piece < pieces; ++piece) {
      for (int band = 0; band < plan.bands(); ++band) {
        for (int i = 0; i < registers; i += together) {
          const int first = band * band_registers + (first_piece + piece) * registers + i;
          context.ptx(
              "st.shared::cluster.v4." + element + " " + at(exchange.place(piece, band, i, 0)) +
                  ", {$1, $2, $3, $4};",
              "r," + letter + "," + letter + "," + letter + "," + letter,
              {there, sums[static_cast<std::size_t>(first)],
               sums[static_cast<std::size_t>(first + 1)], sums[static_cast<std::size_t>(first + 2)],
               sums[static_cast<std::size_t>(first + 3)]});
        }
      }
    }
  }
  synchronise(context);
  const mlir::Type four =
      mlir::LLVM::LLVMStructType::getLiteral(builder.getContext(), {type, type, type, type});
  std::vector<std::vector<Value>> all;
  for (int piece = 0; piece < plan.pieces_of_part(); ++piece) {
    std::vector<Value>& added = all.emplace_back();
    for (int band = 0; band < plan.bands(); ++band) {
      for (int i = 0; i < registers; i += together) {
        for (int from = 0; from < plan.split_k; ++from) {  // in the order of k
          const Value loaded =
              context.ptx(four,
                          "ld.shared.v4." + element + " {$0, $1, $2, $3}, [$4+" +
                              std::to_string(exchange.place(piece, band, i, from)) + "];",
                          "=" + letter + ",=" + letter + ",=" + letter + ",=" + letter + ",r",
                          {exchange.own()});
          for (int j = 0; j < together; ++j) {
            const Value value = mlir::LLVM::ExtractValueOp::create(builder, loaded, j);
            if (from == 0) {
              added.push_back(value);
              continue;
            }
            Value& sum = added[added.size() - together + static_cast<std::size_t>(j)];
            sum = is_integer ? mlir::arith::AddIOp::create(builder, sum, value).getResult()
                             : mlir::arith::AddFOp::create(builder, sum, value).getResult();
          }
        }
      }
    }
  }
  return all;
}

}  // namespace heddle::compiler
