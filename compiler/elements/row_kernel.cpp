#include "compiler/elements/row_kernel.h"

#include <algorithm>

#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/parts.h"
#include "compiler/kernel/product_frame.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace heddle::compiler {
namespace {

using mlir::Value;
using plan::ElementRows;
namespace arith = mlir::arith;
namespace llvmir = mlir::LLVM;

constexpr int slot_bytes = 8;  // of one number in shared memory

bool is_nvidia(instruction::Target target) {
  return instruction::is_nvidia(instruction::processor(target).family);
}

}  // namespace

RowKernel::RowKernel(const ElementFrame& frame, RowFunction rows)
    : frame_(frame),
      plan_(*frame.plan.rows),
      context_{{frame.context, {}}},
      machine_(machine_of(frame.plan.target, context_)),
      function_(std::move(rows)),
      code_(frame.code()) {}

void RowKernel::write(Value thread, Value block) {
  find_rows(thread, block);
  make_shared_memory();
  for (std::size_t i = 0; i < function_.reductions.size(); ++i) reduce(i);
  if (plan_.parts == 1) write_results();
}

void RowKernel::find_rows(Value thread, Value block) {
  thread_ = thread;
  part_ = remainder(block, plan_.parts);
  tile_ = quotient(block, plan_.parts);
  const Value first = context_.multiply(tile_, std::int64_t{plan_.rows_of_block});
  // With `by_columns`, adjacent lanes of a warp have adjacent rows.
  const Value own =
      plan_.by_columns ? remainder(thread, plan_.rows_of_block) : quotient(thread, plan_.lanes);
  lane_ = plan_.by_columns ? quotient(thread, plan_.rows_of_block) : remainder(thread, plan_.lanes);
  group_ = context_.add(first, own);
  if (plan_.groups() % plan_.rows_of_block != 0) {
    has_group_ = context_.less(group_, plan_.groups());
    group_ =
        arith::MinUIOp::create(context_.builder, group_, context_.constant(plan_.groups() - 1));
  }
  rows_ = function_.rows.empty()
              ? std::vector<Places>(1)
              : code_.neighbours(group_, function_.rows, plan_.by_columns ? plan_.together : 1);
}

void RowKernel::make_shared_memory() {
  std::int64_t bytes = 0;
  for (const SharedReduction& one : function_.reductions) {
    mlir::linalg::LinalgOp linalg = one.operation;
    shared_begin_.push_back(bytes);
    const std::int64_t values = static_cast<std::int64_t>(linalg->getNumResults() * rows_.size());
    const int slots = plan_.by_columns ? plan_.threads() : plan_.threads() / 32;
    if (plan_.by_columns || plan_.lanes > lanes_of_warp()) bytes += slot_bytes * values * slots;
  }
  shared_begin_.push_back(bytes);
  if (plan_.parts > 1) bytes += 16;
  if (bytes == 0) return;
  shared_ = frame_.shared_memory(bytes);
}

// The places of all loops except those that are reduced.
Places RowKernel::loops_of(const SharedReduction& one, const Places& row) const {
  Places loops(one.rows.size());
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    if (one.rows[loop] == SharedReduction::is_reduced) continue;
    loops[loop] = one.rows[loop] == SharedReduction::is_zero
                      ? const_cast<ElementCode&>(code_).place(0)
                      : row[static_cast<std::size_t>(one.rows[loop])];
  }
  return loops;
}

void RowKernel::reduce(std::size_t number) {
  const SharedReduction& one = function_.reductions[number];
  const std::vector<std::int64_t> sizes = one.sizes();
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  const std::int64_t steps = plan_.by_columns ? count : count / plan_.together;
  // A sum has its initial value once.
  Value is_first = context_.equal(lane_, 0);
  if (plan_.parts > 1) is_first = both(is_first, context_.equal(part_, 0));
  Values values = strided(steps, begin(one, is_first), [&](Value step, const Values& before) {
    Values all;
    if (!plan_.by_columns) {
      all = before;
      for (const Places& element : elements(step, sizes))
        all = with_element(one, rows_[0], element, all);
      return all;
    }
    const Places element = code_.coordinates(step, sizes);
    const std::size_t each = before.size() / rows_.size();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto first = before.begin() + static_cast<std::ptrdiff_t>(row * each);
      const Values next = with_element(one, rows_[row], element,
                                       {first, first + static_cast<std::ptrdiff_t>(each)});
      all.insert(all.end(), next.begin(), next.end());
    }
    return all;
  });
  values = merged_threads(number, std::move(values));
  if (plan_.parts > 1) return share_parts(number, values);
  finish(number, values);
}

// The values of all threads that share a row, in each of them.
RowKernel::Values RowKernel::merged_threads(std::size_t number, Values values) {
  if (plan_.by_columns) {
    const Value column = remainder(thread_, plan_.rows_of_block);
    const Value slot =
        context_.add(context_.multiply(lane_, std::int64_t{plan_.rows_of_block}), column);
    return merged_shared(number, values, slot, column, plan_.lanes, plan_.rows_of_block);
  }
  values = merged_lanes(function_.reductions[number], std::move(values));
  const int warps = plan_.lanes / lanes_of_warp();
  if (warps <= 1) return values;
  const Value warp = quotient(thread_, lanes_of_warp());
  const Value first = context_.multiply(quotient(thread_, plan_.lanes), std::int64_t{warps});
  return merged_shared(number, values, warp, first, warps, 1);
}

// What a thread begins with: the initial values, or for a sum what does not change it, but in the
// first thread (null: in none).
RowKernel::Values RowKernel::begin(const SharedReduction& one, Value is_first) {
  mlir::linalg::LinalgOp linalg = one.operation;
  Values all;
  for (const Places& row : rows_) {
    Values own = code_.initial(linalg, loops_of(one, row));
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (one.merge.compare != nullptr || one.merge.steps[i] != plan::Step::add) continue;
      const mlir::Type type = own[i].getType();
      const Value none = arith::ConstantOp::create(
          context_.builder, type.isIntOrIndex()
                                ? mlir::TypedAttr(context_.builder.getIntegerAttr(type, 0))
                                : context_.builder.getFloatAttr(type, -0.0));
      own[i] = is_first ? select(is_first, own[i], none) : none;
    }
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

RowKernel::Values RowKernel::with_element(const SharedReduction& one, const Places& row,
                                          const Places& element, const Values& so_far) {
  Places loops = loops_of(one, row);
  for (std::size_t i = 0; i < one.reduced.size(); ++i) loops[one.reduced[i]] = element[i];
  return code_.of_body(one.operation, loops, so_far);
}

RowKernel::Values RowKernel::merged(const SharedReduction& one, const Values& x, const Values& y) {
  const Merge& merge = one.merge;
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  if (merge.compare == nullptr) {
    Values all;
    for (std::size_t i = 0; i < x.size(); ++i)
      all.push_back(combined(builder, merge.steps[i % merge.steps.size()], x[i], y[i]));
    return all;
  }
  const Value old_value = x[merge.value], new_value = y[merge.value];
  const auto compared = [&](Value fresh, Value best) {
    mlir::IRMapping operands;
    operands.map(merge.compare->getOperand(merge.new_is_first ? 0 : 1), fresh);
    operands.map(merge.compare->getOperand(merge.new_is_first ? 1 : 0), best);
    return builder.clone(*merge.compare, operands)->getResult(0);
  };
  const bool is_float = mlir::isa<mlir::FloatType>(old_value.getType());
  const Value same =
      is_float ? arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, new_value, old_value)
                     .getResult()
               : arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, new_value, old_value)
                     .getResult();
  const Value order = arith::CmpIOp::create(
      builder, merge.takes_first ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt,
      y[1 - merge.value], x[1 - merge.value]);
  Value is_better = select(same, order, compared(new_value, old_value));
  if (merge.keeps_nan && is_float) {
    const Value is_nan =
        arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, new_value, new_value);
    is_better = arith::OrIOp::create(builder, is_better, is_nan);
    // One that is NaN already stays.
    const Value was_number =
        arith::CmpFOp::create(builder, arith::CmpFPredicate::ORD, old_value, old_value);
    is_better = both(is_better, was_number);
  }
  return {select(is_better, y[0], x[0]), select(is_better, y[1], x[1])};
}

RowKernel::Values RowKernel::merged_lanes(const SharedReduction& one, Values values) {
  for (int mask = 1; mask < std::min(plan_.lanes, lanes_of_warp()); mask *= 2) {
    Values others;
    for (const Value value : values) others.push_back(of_lane(value, mask));
    values = merged(one, values, others);
  }
  return values;
}

// Each thread (or warp) stores its values in shared memory, in slot number `slot`. After a barrier
// it reads `count` slots, beginning with `first`, `stride` apart, and returns their merged values.
RowKernel::Values RowKernel::merged_shared(std::size_t number, const Values& values, Value slot,
                                           Value first, int count, int stride) {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const auto at = [&](Value of_slot, std::size_t value) {
    const Value place =
        context_.multiply(of_slot, slot_bytes * static_cast<std::int64_t>(values.size()));
    return context_.further(context_.further(shared_, context_.wide(place)),
                            shared_begin_[number] + slot_bytes * static_cast<std::int64_t>(value));
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value stored =
        values[i].getType().isIndex()
            ? arith::IndexCastOp::create(builder, builder.getI64Type(), values[i]).getResult()
            : values[i];
    llvmir::StoreOp::create(builder, stored, at(slot, i), slot_bytes);
  }
  mlir::gpu::BarrierOp::create(builder);
  Values all;
  for (int other = 0; other < count; ++other) {
    Values read;
    const Value of = context_.add(first, std::int64_t{other} * stride);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const mlir::Type type = values[i].getType();
      Value one = llvmir::LoadOp::create(builder, type.isIndex() ? builder.getI64Type() : type,
                                         at(of, i), slot_bytes);
      if (type.isIndex()) one = arith::IndexCastOp::create(builder, type, one);
      read.push_back(one);
    }
    all = other == 0 ? read : merged_rows(function_.reductions[number], all, read);
  }
  return all;
}

// `x` and `y` have the values of several rows, one row after the other. Merges the values of each
// row.
RowKernel::Values RowKernel::merged_rows(const SharedReduction& one, const Values& x,
                                         const Values& y) {
  const std::size_t each = x.size() / rows_.size();
  Values all;
  for (std::size_t row = 0; row < x.size(); row += each) {
    const auto part = [&](const Values& of) {
      const auto first = of.begin() + static_cast<std::ptrdiff_t>(row);
      return Values(first, first + static_cast<std::ptrdiff_t>(each));
    };
    const Values own = merged(one, part(x), part(y));
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// If the best value is a NaN, the index that the text would find depends on the order of the
// elements. In this case a loop of the thread reduces the whole row once more, in the order of the
// text.
RowKernel::Values RowKernel::again_for_nan(const SharedReduction& one, const Values& values) {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const Value value = values[one.merge.value];
  if (!one.merge.keeps_nan || !mlir::isa<mlir::FloatType>(value.getType())) return values;
  const Value is_nan = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  const auto fill = [&](llvm::function_ref<Values()> code) {
    return [&, code](mlir::OpBuilder& region, mlir::Location) {
      const mlir::OpBuilder::InsertionGuard guard(builder);
      builder.restoreInsertionPoint(region.saveInsertionPoint());
      code_.inside([&] { mlir::scf::YieldOp::create(builder, code()); });
    };
  };
  auto branch = mlir::scf::IfOp::create(
      builder, is_nan, fill([&] { return code_.of_loops(one.operation, loops_of(one, rows_[0])); }),
      fill([&] { return values; }));
  return {branch.getResults().begin(), branch.getResults().end()};
}

// The value of `x` (of any type) in another lane: the one whose number is this lane's number xor
// `mask`.
Value RowKernel::of_lane(Value x, int mask) {
  Values words = words_of(x);
  for (Value& word : words) word = machine_->of_lane(word, mask);
  return of_words(x.getType(), words);
}

// The bits of a number of any type, as one or two i32, the lower ones first.
RowKernel::Values RowKernel::words_of(Value x) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const mlir::Type word = builder.getI32Type();
  if (x.getType().isIndex()) x = arith::IndexCastOp::create(builder, builder.getI64Type(), x);
  const unsigned bits = x.getType().getIntOrFloatBitWidth();
  const mlir::Type whole = builder.getIntegerType(bits);
  if (x.getType() != whole) x = arith::BitcastOp::create(builder, whole, x);
  if (bits == 32) return {x};
  if (bits < 32) return {arith::ExtUIOp::create(builder, word, x)};
  const Value high = arith::ShRUIOp::create(builder, x, context_.constant(32, x));
  return {arith::TruncIOp::create(builder, word, x), arith::TruncIOp::create(builder, word, high)};
}

Value RowKernel::of_words(mlir::Type type, llvm::ArrayRef<Value> words) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, type, of_words(builder.getI64Type(), words));
  const unsigned bits = type.getIntOrFloatBitWidth();
  const mlir::Type whole = builder.getIntegerType(bits);
  Value number = words[0];
  if (bits < 32) number = arith::TruncIOp::create(builder, whole, number);
  if (bits > 32) {
    const Value high = context_.wide(words[1]);
    number = arith::OrIOp::create(builder,
                                  arith::ShLIOp::create(builder, high, context_.constant(32, high)),
                                  context_.wide(words[0]));
  }
  return type == whole ? number : arith::BitcastOp::create(builder, type, number).getResult();
}

// Tells code_ the results of reduction number `number`. All threads of a row have them now.
void RowKernel::finish(std::size_t number, const Values& values) {
  const SharedReduction& one = function_.reductions[number];
  const std::size_t each = values.size() / rows_.size();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * each);
    Values own(first, first + static_cast<std::ptrdiff_t>(each));
    if (one.merge.compare != nullptr) own = again_for_nan(one, own);
    code_.remember(one.operation, loops_of(one, rows_[row]), own);
  }
}

// Blocks share the row: the threads of the last of them share the parts as they shared elements.
void RowKernel::share_parts(std::size_t number, const Values& values) {
  const SharedReduction& one = function_.reductions[number];
  const Value workspace = frame_.kernel.getArgument(frame_.kernel.getNumArguments() - 1);
  const PartsMemory memory{
      .sizes = plan_.split_memory(),
      .workspace = workspace,
      .shared = context_.further(shared_, shared_begin_.back()),
      .scope = is_nvidia(frame_.plan.target) ? "device" : "agent",
      .thread = plan_.by_columns ? remainder(thread_, plan_.rows_of_block) : context_.constant(0),
      .barrier = [&] { mlir::gpu::BarrierOp::create(context_.builder); },
      .leaves = context_.equal(lane_, 0)};
  Values words;
  for (const Value value : values) llvm::append_range(words, words_of(value));
  join_parts(context_, memory, tile_, part_, words, [&](ReadPart read) {
    const auto values_of = [&](Value part) {
      const Values all = read(part, 0, words.size());
      Values numbers;
      std::size_t word = 0;
      for (const Value value : values) {
        const std::size_t count = static_cast<std::size_t>(word_count(value.getType()));
        numbers.push_back(of_words(value.getType(), llvm::ArrayRef(all).slice(word, count)));
        word += count;
      }
      return numbers;
    };
    code_.inside([&] {
      const Values own = strided({lane_, plan_.parts, plan_.parts, false}, begin(one, {}),
                                 [&](Value part, const Values& before) {
                                   return merged_rows(one, before, values_of(part));
                                 });
      finish(number, merged_threads(number, own));
      write_results();
    });
  });
}

void RowKernel::write_results() {
  std::vector<unsigned> of_rows;
  for (unsigned result = 0; result < frame_.results(); ++result) {
    std::int64_t count = 1;
    for (const std::int64_t size : frame_.record(result).shape) count *= size;
    if (count == plan_.rows)
      of_rows.push_back(result);
    else
      write_columns(result);
  }
  if (of_rows.empty()) return;
  Value holds = context_.equal(lane_, 0);
  if (has_group_) holds = both(holds, has_group_);
  run_if(context_, holds, [&] {
    code_.inside([&] {
      for (const unsigned result : of_rows) {
        Values bits;
        for (Places row : rows_) {
          row.resize(frame_.record(result).shape.size(), code_.place(0));
          bits.push_back(
              code_.bits(code_.element(frame_.value(result), row), frame_.record(result)));
        }
        const Value place = context_.multiply(group_, static_cast<std::int64_t>(rows_.size()));
        frame_.store(bits, frame_.pointer(result), place);
      }
    });
  });
}

// Writes the elements of a row, which depend on the results of its reductions.
void RowKernel::write_columns(unsigned result) {
  const std::vector<std::int64_t>& shape = frame_.record(result).shape;
  const std::vector<std::int64_t> sizes(
      shape.begin() + static_cast<std::ptrdiff_t>(function_.rows.size()), shape.end());
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  const std::int64_t own = sizes.back() % plan_.together == 0 ? plan_.together : 1;
  const auto store = [&](Value step) {
    Values bits;
    const std::vector<Places> all = own == plan_.together
                                        ? elements(step, sizes)
                                        : std::vector<Places>{code_.coordinates(step, sizes)};
    for (const Places& element : all) {
      Places place = rows_[0];
      place.insert(place.end(), element.begin(), element.end());
      bits.push_back(code_.bits(code_.element(frame_.value(result), place), frame_.record(result)));
    }
    const Value row = arith::MulIOp::create(context_.builder, context_.wide(group_),
                                            context_.constant(count, context_.wide(group_)));
    const Value column = context_.wide(context_.multiply(step, own));
    frame_.store(bits, frame_.pointer(result), context_.add(row, column));
  };
  if (plan_.is_short() && own == plan_.together)  // known in all regions below
    for (const auto& [step, valid] : unrolled(count / own)) elements(step, sizes);
  const auto all = [&] {
    code_.inside([&] {
      strided(count / own, {}, [&](Value step, const Values&) -> Values {
        store(step);
        return {};
      });
    });
  };
  if (has_group_)
    run_if(context_, has_group_, all);
  else
    all();
}

// Calls `each` for those steps of the row's part that are the thread's: the thread with number
// lane_ has every step that is lane_ plus a multiple of `lanes`.
RowKernel::Values RowKernel::strided(std::int64_t steps, const Values& first, Step each) {
  if (plan_.is_short()) {
    Values all = first;
    for (const auto& [step, valid] : unrolled(steps)) all = guarded(valid, step, all, each);
    return all;
  }
  if (plan_.parts == 1) return strided({lane_, steps, steps, false}, first, each);
  const std::int64_t own = plan_.part_steps();
  return strided({context_.add(lane_, context_.multiply(part_, own)), own, steps, steps % own != 0},
                 first, each);
}

RowKernel::Values RowKernel::strided(const Share& share, const Values& first, Step each) {
  const std::int64_t lanes = plan_.lanes;
  const std::int64_t round = lanes * ElementRows::at_once, whole = share.steps / round;
  const auto next = [&](Value step, bool may_be_behind, const Values& before) {
    Value valid;
    if (may_be_behind) valid = context_.less(step, share.end);
    return guarded(valid, valid ? limited(step, share.end) : step, before, each);
  };
  Values all = first;
  if (whole > 0)
    all = counted_loop(context_, context_.constant(0), context_.constant(whole),
                       context_.constant(1), all, [&](Value number, Values so_far) {
                         code_.inside([&] {
                           for (int i = 0; i < ElementRows::at_once; ++i) {
                             const Value step = context_.add(
                                 share.begin,
                                 context_.add(context_.multiply(number, round), i * lanes));
                             so_far = next(step, share.may_end_before, so_far);
                           }
                         });
                         return so_far;
                       });
  for (std::int64_t i = whole * ElementRows::at_once; i * lanes < share.steps; ++i)
    all = next(context_.add(share.begin, i * lanes),
               (i + 1) * lanes > share.steps || share.may_end_before, all);
  return all;
}

const RowKernel::Unrolled& RowKernel::unrolled(std::int64_t steps) {
  Unrolled& known = unrolled_[steps];
  for (std::int64_t i = static_cast<std::int64_t>(known.size()); i * plan_.lanes < steps; ++i) {
    const Value step = context_.add(lane_, i * plan_.lanes);
    const bool is_whole = (i + 1) * plan_.lanes <= steps;
    known.emplace_back(is_whole ? step : limited(step, steps),
                       is_whole ? Value() : context_.less(step, steps));
  }
  return known;
}

Value RowKernel::limited(Value step, std::int64_t steps) const {
  return arith::MinUIOp::create(context_.builder, step, context_.constant(steps - 1));
}

// The values after a step, which `each` computes. `valid` is false if the step lies beyond the end
// of the row; the values then stay as `before`. If `valid` is null, the step is certainly valid.
RowKernel::Values RowKernel::guarded(Value valid, Value step, const Values& before, Step each) {
  if (!valid) return each(step, before);
  if (before.empty()) {
    run_if(context_, valid, [&] { code_.inside([&] { each(step, before); }); });
    return {};
  }
  Values all = each(step, before);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = select(valid, all[i], before[i]);
  return all;
}

// The places of the adjacent elements that a step handles. The list for a step is made only once,
// so that code_ finds the values again that were loaded for these places.
const std::vector<Places>& RowKernel::elements(Value step, const std::vector<std::int64_t>& sizes) {
  auto& known = elements_[{step.getAsOpaquePointer(), sizes}];
  if (known.empty()) known = code_.neighbours(step, sizes, plan_.together);
  return known;
}

Value RowKernel::select(Value condition, Value yes, Value no) const {
  return arith::SelectOp::create(context_.builder, condition, yes, no);
}

Value RowKernel::both(Value x, Value y) const {
  return arith::AndIOp::create(context_.builder, x, y);
}

Value RowKernel::remainder(Value x, std::int64_t y) const {
  if (y == 1) return context_.constant(0);
  return arith::RemUIOp::create(context_.builder, x, context_.constant(y));
}

Value RowKernel::quotient(Value x, std::int64_t y) const {
  if (y == 1) return x;
  return arith::DivUIOp::create(context_.builder, x, context_.constant(y));
}

int RowKernel::lanes_of_warp() const {
  return is_nvidia(frame_.plan.target) ? 32 : instruction::default_wave(frame_.plan.target);
}

}  // namespace heddle::compiler
