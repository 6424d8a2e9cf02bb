#include "compiler/warp/conversion_code.h"

#include <set>

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using layout::LinearLayout;
using mlir::Value;
using Registers = llvm::SmallVector<Value>;

// Moves the registers of a thread between lanes.
class Exchange {
 public:
  explicit Exchange(ThreadCode& code) : code_(code) {}

  /// Returns the values that `registers` have in another lane: the one with number `sender` (i32).
  /// If `sender` is null, it is the lane with the same number in the other half of the 32 lanes.
  Registers shuffled(llvm::ArrayRef<Value> registers, Value sender) {
    mlir::ImplicitLocOpBuilder& builder = code_.builder;
    const mlir::Type element = registers.front().getType();
    if (element.getIntOrFloatBitWidth() % 8 != 0) return shuffled_bits(registers, sender);
    // Appends copies of the first register until the registers fill whole words of 32 bits.
    const std::int64_t bits = element.getIntOrFloatBitWidth();
    const auto count = static_cast<std::int64_t>(registers.size());
    const std::int64_t words = (count * bits + 31) / 32;
    Registers filled(registers.begin(), registers.end());
    while (static_cast<std::int64_t>(filled.size()) * bits < words * 32)
      filled.push_back(registers.front());
    const auto whole = mlir::VectorType::get({static_cast<std::int64_t>(filled.size())}, element);
    const auto in_words = mlir::VectorType::get({words}, builder.getI32Type());
    const Value packed =
        mlir::vector::BitCastOp::create(builder, in_words, code_.vector_of(filled));
    Registers received;
    for (const Value word : code_.elements(packed)) received.push_back(shuffled_word(word, sender));
    Registers result =
        code_.elements(mlir::vector::BitCastOp::create(builder, whole, code_.vector_of(received)));
    result.truncate(registers.size());
    return result;
  }

  /// Coordinate `out` (i32) of the output of `map` for this thread's lane and register 0, xor
  /// `flipped`.
  Value of_lane(const LinearLayout& map, const layout::AxisName& out, std::uint64_t flipped) {
    mlir::ImplicitLocOpBuilder& builder = code_.builder;
    const Value part = code_.lane_coordinate(map, map.outputs().find(out));
    const Value constant = code_.index(static_cast<std::int64_t>(flipped));
    const Value sum = !part ? constant
                      : flipped == 0
                          ? part
                          : mlir::arith::XOrIOp::create(builder, part, constant).getResult();
    return mlir::arith::IndexCastOp::create(builder, builder.getI32Type(), sum);
  }

  /// Permutes the registers of each lane: register r gets the value of register r ^ names(lane).
  /// `names` maps the lane to a register number.
  void rename(Registers& registers, const LinearLayout& names) {
    for (int bit = 0; bit < names.outputs().bits_of("register"); ++bit) {
      const Value flips = bit_of_lane(names, bit);
      if (!flips) continue;
      const Registers old = registers;
      for (std::size_t reg = 0; reg < old.size(); ++reg)
        registers[reg] = mlir::arith::SelectOp::create(code_.builder, flips,
                                                       old[reg ^ std::size_t{1} << bit], old[reg]);
    }
  }

  /// `map` maps the lane to a register number. Returns whether bit `bit` of this number is set
  /// (i1). Null if the bit is not set in any lane.
  Value bit_of_lane(const LinearLayout& map, int bit) {
    const Value part = code_.lane_coordinate(map, map.outputs().find("register"));
    bool moves = false;
    for (int lane = 0; lane < map.inputs().bits_of("lane"); ++lane)
      moves |= (map.basis("lane", lane, "register") >> bit & 1) != 0;
    if (!part || !moves) return {};
    const Value masked =
        mlir::arith::AndIOp::create(code_.builder, part, code_.index(std::int64_t{1} << bit));
    return mlir::arith::CmpIOp::create(code_.builder, mlir::arith::CmpIPredicate::ne, masked,
                                       code_.index(0));
  }

 private:
  Value shuffled_word(Value word, Value sender) {
    if (!sender) return of_other_half(code_.builder, word);
    const Value width = mlir::arith::ConstantOp::create(
        code_.builder, code_.builder.getI32IntegerAttr(code_.options.lanes()));
    return mlir::gpu::ShuffleOp::create(code_.builder, word, sender, width,
                                        mlir::gpu::ShuffleMode::IDX)
        .getShuffleResult();
  }

  Registers shuffled_bits(llvm::ArrayRef<Value> registers, Value sender) {
    mlir::ImplicitLocOpBuilder& builder = code_.builder;
    Registers result;
    for (const Value bits : registers) {
      const Value word = mlir::arith::ExtUIOp::create(builder, builder.getI32Type(), bits);
      result.push_back(
          mlir::arith::TruncIOp::create(builder, bits.getType(), shuffled_word(word, sender)));
    }
    return result;
  }

  ThreadCode& code_;
};

bool has_permlanex16(const ThreadCode& code) {
  const instruction::Family family = instruction::processor(code.options.target).family;
  return code.options.lanes() == 32 && !instruction::is_nvidia(family) &&
         !instruction::is_cdna(family);
}

// Converts in rounds. In each round every lane receives registers of one lane. Narrow elements are
// packed, so that one shuffle moves a word of 32 bits.
Registers by_exchange(ThreadCode& code, Registers source, const plan::LaneExchange& exchange,
                      std::size_t count) {
  Exchange lanes(code);
  lanes.rename(source, exchange.before);
  Registers result(count);
  const bool keeps_lanes = exchange.keeps_lanes();
  for (const plan::ExchangeRound& round : exchange.rounds) {
    llvm::SmallVector<std::uint64_t> to{round.to_register}, from{round.from_register};
    for (std::size_t i = 0; i < exchange.packed_to.size(); ++i) {
      const std::size_t known = to.size();
      for (std::size_t j = 0; j < known; ++j) {
        to.push_back(to[j] ^ exchange.packed_to[i]);
        from.push_back(from[j] ^ exchange.packed_from[i]);
      }
    }
    Registers sent;
    for (const std::uint64_t reg : from) sent.push_back(source[reg]);
    if (!(keeps_lanes && round.lane_xor == 0))
      sent = lanes.shuffled(sent, keeps_lanes && round.lane_xor == 16 && has_permlanex16(code)
                                      ? Value()
                                      : lanes.of_lane(exchange.lanes, "lane", round.lane_xor));
    for (std::size_t i = 0; i < to.size(); ++i) result[to[i]] = sent[i];
  }
  // Some registers are copies of received ones; they are filled before registers are permuted by
  // lane.
  for (const std::uint64_t step : exchange.copies)
    for (std::size_t reg = 0; reg < count; ++reg)
      if (!result[reg]) result[reg] = result[reg ^ step];
  lanes.rename(result, exchange.after);
  return result;
}

// Converts by swaps of 32-bit registers, and then renames registers.
Registers by_swaps(ThreadCode& code, Value registers, const plan::LaneSwaps& swaps,
                   std::size_t count) {
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  const auto whole = mlir::cast<mlir::VectorType>(registers.getType());
  const std::int64_t bits = whole.getElementTypeBitWidth();
  const auto in_words =
      mlir::VectorType::get({whole.getNumElements() * bits / 32}, builder.getI32Type());
  Registers words = code.elements(mlir::vector::BitCastOp::create(builder, in_words, registers));
  const mlir::Type pair = mlir::LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {builder.getI32Type(), builder.getI32Type()});
  for (const plan::LaneSwap& stage : swaps.stages) {
    const auto step = (std::size_t{1} << stage.register_bit) * static_cast<std::size_t>(bits) / 32;
    for (std::size_t low = 0; low < words.size(); ++low) {
      if ((low & step) != 0) continue;
      Value& first = words[low];
      Value& second = words[low | step];
      const Value both =
          stage.lane_bit == 5
              ? mlir::ROCDL::Permlane32SwapOp::create(builder, pair, first, second, false, false)
                    .getResult()
              : mlir::ROCDL::Permlane16SwapOp::create(builder, pair, first, second, false, false)
                    .getResult();
      first = mlir::LLVM::ExtractValueOp::create(builder, both, 0);
      second = mlir::LLVM::ExtractValueOp::create(builder, both, 1);
    }
  }
  const Registers swapped =
      code.elements(mlir::vector::BitCastOp::create(builder, whole, code.vector_of(words)));
  Registers result;
  for (std::size_t reg = 0; reg < count; ++reg) result.push_back(swapped[swaps.names.apply(reg)]);
  return result;
}

// Converts without an exchange plan. For each result register, receives every register of the
// sending lane that any lane may need, and selects the one that this lane needs.
Registers one_by_one(ThreadCode& code, const Registers& source, const LinearLayout& s,
                     std::size_t count) {
  Exchange lanes(code);
  std::set<std::uint64_t> spread{0};  // what lanes add to the register of lane 0
  for (int bit = 0; bit < s.inputs().bits_of("lane"); ++bit) {
    const std::set<std::uint64_t> known = spread;
    for (const std::uint64_t word : known) spread.insert(word ^ s.basis("lane", bit, "register"));
  }
  Registers result(count);
  for (std::size_t reg = 0; reg < count; ++reg) {
    const std::uint64_t word = s.apply(reg);
    const std::uint64_t from = s.outputs().coordinate(word, s.outputs().find("register"));
    const Value sender =
        lanes.of_lane(s, "lane", s.outputs().coordinate(word, s.outputs().find("lane")));
    for (const std::uint64_t step : spread) {
      const Value received = lanes.shuffled({source[from ^ step]}, sender).front();
      if (step == 0) {
        result[reg] = received;
        continue;
      }
      Value chosen = mlir::arith::CmpIOp::create(
          code.builder, mlir::arith::CmpIPredicate::eq, lanes.of_lane(s, "register", 0),
          mlir::arith::ConstantOp::create(
              code.builder, code.builder.getI32IntegerAttr(static_cast<std::int32_t>(step))));
      result[reg] = mlir::arith::SelectOp::create(code.builder, chosen, received, result[reg]);
    }
  }
  return result;
}

}  // namespace

Value of_other_half(mlir::ImplicitLocOpBuilder& builder, Value value) {
  // The instruction exchanges the two rows of 16 lanes: each lane reads the lane of the same number
  // in the other row.
  const auto lanes = [&](std::uint32_t numbers) -> Value {
    return mlir::arith::ConstantOp::create(
        builder, builder.getI32IntegerAttr(static_cast<std::int32_t>(numbers)));
  };
  return mlir::ROCDL::PermlaneX16Op::create(builder, value.getType(), value, value,
                                            lanes(0x76543210), lanes(0xfedcba98), /*fi=*/true,
                                            /*boundControl=*/false);
}

Value converted(ThreadCode& code, Value registers, const ConversionPlan& plan) {
  const auto count = static_cast<std::size_t>(plan.source.input_size("register"));
  if (plan.way == "nothing") return registers;
  if (plan.swaps) return code.vector_of(by_swaps(code, registers, *plan.swaps, count));
  const Registers source = code.elements(registers);
  return code.vector_of(plan.exchange ? by_exchange(code, source, *plan.exchange, count)
                                      : one_by_one(code, source, plan.source, count));
}

}  // namespace heddle::compiler
