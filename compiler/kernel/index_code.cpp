#include "compiler/kernel/index_code.h"

#include <bit>
#include <iterator>

namespace heddle::compiler {
namespace {

using mlir::Value;

// For each distance of a shift, a mask of the bits of one input that the map moves by this distance
// to reach the output.
using MaskByShift = std::map<int, std::uint32_t>;

MaskByShift masks_by_shift(const layout::LinearLayout& layout, const layout::AxisName& in,
                           const layout::AxisName& out) {
  MaskByShift masks;
  for (int bit = 0; bit < layout.inputs().bits_of(in); ++bit) {
    for (std::uint64_t word = layout.basis(in, bit, out); word != 0; word &= word - 1)
      masks[std::countr_zero(word) - bit] |= 1u << bit;
  }
  return masks;
}

Value moved(const ThreadContext& context, Value number, std::uint32_t mask, int shift) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Value bits = mlir::arith::AndIOp::create(builder, number, context.constant(mask));
  if (shift > 0) return mlir::arith::ShLIOp::create(builder, bits, context.constant(shift));
  if (shift < 0) return mlir::arith::ShRUIOp::create(builder, bits, context.constant(-shift));
  return bits;
}

}  // namespace

Value thread_coordinate(const ThreadContext& context, const layout::LinearLayout& layout,
                        const layout::AxisName& out) {
  Value sum;
  const auto gather = [&](const layout::AxisName& in, Value number) {
    for (const auto& [shift, mask] : masks_by_shift(layout, in, out)) {
      const Value part = moved(context, number, mask, shift);
      sum = sum ? mlir::arith::XOrIOp::create(context.builder, sum, part).getResult() : part;
    }
  };
  gather("lane", context.lane);
  gather("warp", context.warp);
  return sum ? sum : context.constant(0);
}

SharedAddresses::SharedAddresses(const ThreadContext& context, const memory::SharedLayout& shared,
                                 const layout::LinearLayout& offsets, std::uint32_t start)
    : context_(context), shared_(shared), offsets_(offsets), start_(start) {
  for (const layout::AxisName axis : {layout::AxisName("lane"), layout::AxisName("warp")}) {
    for (int bit = 0; bit < offsets.inputs().bits_of(axis); ++bit)
      moving_ |= offsets.basis(axis, bit, "offset");
  }
  thread_ = thread_coordinate(context, offsets, "offset");
  // All base registers are computed now, at the beginning of the kernel, so that all later blocks
  // of code can use them.
  bases_[0] = base(0);
  for (int bit = 0; bit < offsets.input_bits(); ++bit) {
    const layout::AxisName& axis = offsets.inputs()[offsets.inputs().axis_of_bit(bit)].name;
    const std::uint64_t pattern = offsets.basis(bit) & moving_;
    if (axis == "lane" || axis == "warp" || bases_.contains(pattern)) continue;
    const auto known = bases_;
    for (const auto& [flipped, unused] : known) bases_[flipped ^ pattern] = base(flipped ^ pattern);
  }
}

std::vector<Value> SharedAddresses::bases() const {
  std::vector<Value> all;
  for (const auto& [flipped, base] : bases_) all.push_back(base);
  return all;
}

SharedAddresses::Place SharedAddresses::at(const layout::Coordinates& inputs) const {
  const std::uint64_t offset = offsets_.apply(offsets_.inputs().pack(inputs).value());
  const std::uint64_t constant = start_ + shared_.place(offset & ~moving_);
  const auto base = bases_.find(offset & moving_);
  return {base->second, static_cast<std::size_t>(std::distance(bases_.begin(), base)),
          static_cast<std::int64_t>(constant)};
}

Value SharedAddresses::base(std::uint64_t flipped) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  Value offset = thread_;
  if (flipped != 0) {
    offset = mlir::arith::XOrIOp::create(builder, offset,
                                         context_.constant(static_cast<std::int64_t>(flipped)));
  }
  Value padded = offset;
  for (const memory::Padding& pad : shared_.padding) {
    const Value times = mlir::arith::ShRUIOp::create(
        builder, offset, context_.constant(std::countr_zero(pad.interval)));
    padded = context_.add(padded, context_.multiply(times, static_cast<std::int64_t>(pad.amount)));
  }
  return padded;
}

}  // namespace heddle::compiler
