#include "compiler/kernel/parts.h"

#include <algorithm>

#include "compiler/kernel/expression_code.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

constexpr unsigned word_bytes = 4;

// Where the sums of a thread lie in the workspace. They are stored in pieces of at most 16 bytes.
// The first pieces of all threads of a thread block are adjacent, then come all second pieces, and
// so on.
class Workspace {
 public:
  Workspace(const SizedContext& context, const PartsMemory& memory, Value tile,
            const std::vector<Value>& sums)
      : context_(context), memory_(memory), type_(sums[0].getType()), count_(sums.size()) {
    const std::size_t sum_words = type_.getIntOrFloatBitWidth() / 32;
    together_ = count_ * sum_words % 4 == 0 ? 4 / sum_words : 1;
    piece_bytes_ = static_cast<std::int64_t>(together_ * sum_words * word_bytes);
    const Value of_tile =
        context.multiply(tile, memory.sizes.splits * memory.sizes.part_words * word_bytes);
    first_ = context.add(context.add(of_tile, context.multiply(memory.thread, piece_bytes_)),
                         memory.sizes.first_word() * word_bytes);
    counter_ = at(context.multiply(tile, std::int64_t{word_bytes}));
  }

  Value counter() const { return counter_; }

  void leave(Value part, const std::vector<Value>& sums) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const Value first = of_part(part);
    for (std::size_t i = 0; i < count_; i += together_) {
      Value vector = mlir::LLVM::PoisonOp::create(builder, vector_type());
      for (std::size_t j = 0; j < together_; ++j)
        vector = mlir::LLVM::InsertElementOp::create(
            builder, vector, sums[i + j], context_.constant(static_cast<std::int64_t>(j)));
      mlir::LLVM::StoreOp::create(builder, vector, piece(first, i), alignment());
    }
  }

  // The sums `begin` to `end` (exclusive) of one part.
  std::vector<Value> sums_of(Value part, std::size_t begin, std::size_t end) const {
    return left(of_part(part), begin, end);
  }

  // The sums `begin` to `end` (exclusive), each combined over all parts, in the order of the parts.
  // If these are all of the thread's sums, a loop loads one part after the other, because registers
  // would not suffice for several parts.
  std::vector<Value> combined_parts(plan::Step combine, std::size_t begin, std::size_t end) const {
    if (begin > 0 || end < count_) return combined_at_once(combine, begin, end);
    return counted_loop(context_, context_.constant(1), context_.constant(memory_.sizes.splits),
                        context_.constant(1), left(of_part(context_.constant(0)), begin, end),
                        [&](Value part, std::vector<Value> sums) {
                          const std::vector<Value> next = left(of_part(part), begin, end);
                          for (std::size_t i = 0; i < next.size(); ++i)
                            sums[i] = combined(context_.builder, combine, sums[i], next[i]);
                          return sums;
                        });
  }

 private:
  static constexpr std::size_t most_loads = 32;  // 128 registers

  // Combines few sums. To wait for memory only once, it loads them of all parts before it combines
  // the first two, but at most `most_loads` pieces at once, so that registers suffice.
  std::vector<Value> combined_at_once(plan::Step combine, std::size_t begin,
                                      std::size_t end) const {
    const auto parts = static_cast<std::size_t>(memory_.sizes.splits);
    const std::size_t at_once = together_ * std::max<std::size_t>(1, most_loads / parts);
    std::vector<Value> firsts;
    for (std::size_t part = 0; part < parts; ++part)
      firsts.push_back(of_part(context_.constant(static_cast<std::int64_t>(part))));
    std::vector<Value> sums;
    for (std::size_t i = begin; i < end; i += at_once) {
      const std::size_t behind = std::min(i + at_once, end);
      std::vector<std::vector<Value>> loaded;
      for (const Value first : firsts) loaded.push_back(left(first, i, behind));
      for (std::size_t j = 0; j < behind - i; ++j) {
        Value sum = loaded[0][j];
        for (std::size_t part = 1; part < parts; ++part)
          sum = combined(context_.builder, combine, sum, loaded[part][j]);
        sums.push_back(sum);
      }
    }
    return sums;
  }
  // The sums `begin` to `end` of the part whose memory begins at `first`.
  std::vector<Value> left(Value first, std::size_t begin, std::size_t end) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    std::vector<Value> sums;
    for (std::size_t i = begin; i < end; i += together_) {
      const Value vector =
          mlir::LLVM::LoadOp::create(builder, vector_type(), piece(first, i), alignment());
      for (std::size_t j = 0; j < together_; ++j)
        sums.push_back(mlir::LLVM::ExtractElementOp::create(
            builder, vector, context_.constant(static_cast<std::int64_t>(j))));
    }
    return sums;
  }
  mlir::VectorType vector_type() const {
    return mlir::VectorType::get({static_cast<std::int64_t>(together_)}, type_);
  }
  // Alone, a sum of 64 bits may begin behind an odd number of words, so it is aligned only to a
  // word.
  unsigned alignment() const {
    return together_ == 1 ? word_bytes : static_cast<unsigned>(piece_bytes_);
  }
  Value at(Value byte) const { return context_.further(memory_.workspace, context_.wide(byte)); }
  Value of_part(Value part) const {
    return at(context_.add(first_, context_.multiply(part, memory_.sizes.part_words * word_bytes)));
  }
  // The address of the piece that begins with sum number `sum`. Before it lie the pieces with
  // smaller sum numbers of all threads.
  Value piece(Value first, std::size_t sum) const {
    const std::int64_t thread_bytes = static_cast<std::int64_t>(count_ / together_) * piece_bytes_;
    const std::int64_t threads = memory_.sizes.part_words * word_bytes / thread_bytes;
    return context_.further(first,
                            static_cast<std::int64_t>(sum / together_) * piece_bytes_ * threads);
  }

  const SizedContext& context_;
  const PartsMemory& memory_;
  mlir::Type type_;
  std::size_t count_, together_;
  std::int64_t piece_bytes_;
  Value first_, counter_;  // i32: bytes; !llvm.ptr<1>
};

void fence(const SizedContext& context, const PartsMemory& memory,
           mlir::LLVM::AtomicOrdering ordering) {
  mlir::LLVM::FenceOp::create(context.builder, ordering, memory.scope);
}

// True if this thread block is the last one of those that share a tile to finish its part. One
// thread counts, and tells the others through shared memory. Its fences hold for all threads with
// which it meets at barriers. The fences are separate operations, because LLVM for NVIDIA drops the
// memory ordering of the atomic addition.
Value is_last(const SizedContext& context, const PartsMemory& memory, const Workspace& workspace) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  Value counts = context.less(memory.thread, 1);
  if (memory.leaves) counts = mlir::arith::AndIOp::create(builder, counts, memory.leaves);
  run_if(context, counts, [&] {
    fence(context, memory, mlir::LLVM::AtomicOrdering::release);
    const Value before = mlir::LLVM::AtomicRMWOp::create(
        builder, mlir::LLVM::AtomicBinOp::add, workspace.counter(), context.constant(1),
        mlir::LLVM::AtomicOrdering::monotonic, memory.scope);
    fence(context, memory, mlir::LLVM::AtomicOrdering::acquire);
    mlir::LLVM::StoreOp::create(builder, before, memory.shared, word_bytes);
  });
  memory.barrier();
  const Value told =
      mlir::LLVM::LoadOp::create(builder, builder.getI32Type(), memory.shared, word_bytes);
  return context.equal(told, memory.sizes.splits - 1);
}

// Stores the thread's sums in the workspace. In the thread block that finishes last among those of
// the tile, also runs `finish`.
void meet(const SizedContext& context, const PartsMemory& memory, const Workspace& workspace,
          Value part, const std::vector<Value>& sums, llvm::function_ref<void()> finish) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  // AMD's barriers do not wait for stores. So each wave has to wait for its stores and invalidate
  // its cache.
  const auto leave = [&] {
    workspace.leave(part, sums);
    fence(context, memory, mlir::LLVM::AtomicOrdering::release);
  };
  if (memory.leaves)
    run_if(context, memory.leaves, leave);
  else
    leave();
  memory.barrier();
  run_if(context, is_last(context, memory, workspace), [&] {
    fence(context, memory, mlir::LLVM::AtomicOrdering::acquire);
    // An atomic store, since other thread blocks access the counter by atomic operations.
    mlir::LLVM::StoreOp::create(builder, context.constant(0), workspace.counter(), word_bytes,
                                /*isVolatile=*/false, /*isNonTemporal=*/false,
                                /*isInvariantGroup=*/false, mlir::LLVM::AtomicOrdering::monotonic,
                                memory.scope);
    finish();
  });
}

}  // namespace

void add_parts(const SizedContext& context, const PartsMemory& memory, Value tile, Value part,
               plan::Step combine, const std::vector<Value>& sums,
               llvm::function_ref<void(ReadSums)> finish) {
  const Workspace workspace(context, memory, tile, sums);
  meet(context, memory, workspace, part, sums, [&] {
    finish([&](std::size_t begin, std::size_t end) {
      return workspace.combined_parts(combine, begin, end);
    });
  });
}

void join_parts(const SizedContext& context, const PartsMemory& memory, Value tile, Value part,
                const std::vector<Value>& sums, llvm::function_ref<void(ReadPart)> finish) {
  const Workspace workspace(context, memory, tile, sums);
  meet(context, memory, workspace, part, sums, [&] {
    finish([&](Value of, std::size_t begin, std::size_t end) {
      return workspace.sums_of(of, begin, end);
    });
  });
}

}  // namespace heddle::compiler
