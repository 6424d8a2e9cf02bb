#include "compiler/tile/score_parts.h"

#include "compiler/tile/verbs.h"

namespace heddle::compiler {

using mlir::Value;

namespace {

constexpr std::size_t access_registers = 4;  // f32
constexpr std::int64_t access_bytes = 4 * access_registers;

}  // namespace

// Lanes have neighbouring places.
Value ScoreParts::place(Value warp, std::size_t first_register) const {
  const Value thread = context_.add(context_.multiply(warp, plan_.lanes), context_.lane);
  const auto before = static_cast<std::int64_t>(first_register / access_registers);
  return context_.further(context_.further(shared_, context_.multiply(thread, access_bytes)),
                          std::int64_t{plan_.sums_start} + access_bytes * plan_.threads() * before);
}

void ScoreParts::put(const Tile& scores) const {
  std::size_t first = 0;
  for (const Value piece : pieces_of(code_, registers_of(code_, scores), access_registers)) {
    mlir::LLVM::StoreOp::create(code_.builder, piece, place(context_.warp, first),
                                static_cast<unsigned>(access_bytes));
    first += access_registers;
  }
}

Tile ScoreParts::sum(const Tile& scores) const {
  const Value first_warp =
      context_.multiply(context_.divide(context_.warp, plan_.column_warps), plan_.column_warps);
  const auto type = mlir::VectorType::get({access_registers}, code_.builder.getF32Type());
  std::vector<Value> registers;
  for (std::size_t first = 0; first < scores.map.input_size("register");
       first += access_registers) {
    Value sum;
    for (int warp = 0; warp < plan_.column_warps; ++warp) {
      const Value part = mlir::LLVM::LoadOp::create(code_.builder, type,
                                                    place(context_.add(first_warp, warp), first),
                                                    static_cast<unsigned>(access_bytes));
      sum = sum ? mlir::arith::AddFOp::create(code_.builder, sum, part).getResult() : part;
    }
    for (const Value element : code_.elements(sum)) registers.push_back(element);
  }
  const auto each = static_cast<std::size_t>(
      mlir::cast<mlir::VectorType>(scores.pieces.front().getType()).getNumElements());
  return {scores.map, pieces_of(code_, registers, each)};
}

}  // namespace heddle::compiler
