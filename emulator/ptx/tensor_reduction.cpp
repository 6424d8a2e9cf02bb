#include "emulator/ptx/tensor_reduction.h"

#include <bit>
#include <cmath>
#include <optional>
#include <type_traits>

#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

// The reduction of all registers of a lane. For floats the rules of redux.sync hold: without .NaN,
// the result is NaN only if all values are, and -0 is less than +0.
template <class T>
uint32_t reduced_of(const Warp& w, const Record& in, const TensorReduction& reduction,
                    unsigned lane) {
  std::optional<T> result;
  bool any_nan = false;
  for (uint32_t i = 0; i < reduction.columns; ++i) {
    T x = get<T>(w.at(in.operand[i]), lane);
    if constexpr (std::is_floating_point_v<T>) {
      if (reduction.takes_magnitudes) x = std::fabs(x);
      any_nan |= std::isnan(x);
      if (std::isnan(x)) continue;
    }
    const auto is_less = [](T a, T b) {
      if constexpr (std::is_floating_point_v<T>)
        return a < b || (a == b && std::signbit(a) && !std::signbit(b));
      else
        return a < b;
    };
    if (!result || (reduction.is_minimum ? is_less(x, *result) : is_less(*result, x))) result = x;
  }
  if (!result || (reduction.keeps_nan && any_nan)) return 0x7fffffff;
  return std::bit_cast<uint32_t>(*result);
}

}  // namespace

TensorReduction decode_reduction(Decoder& d) {
  TensorReduction reduction;
  reduction.type = d.type();
  reduction.is_minimum = d.has("min");
  reduction.takes_magnitudes = d.has("abs");
  reduction.keeps_nan = d.has("NaN");
  if (!reduction.is_minimum && !d.has("max")) d.bad("tcgen05.ld.red takes .min or .max");
  if (reduction.type != Type::f32 &&
      ((reduction.type != Type::s32 && reduction.type != Type::u32) || reduction.takes_magnitudes ||
       reduction.keeps_nan))
    d.bad("tcgen05.ld.red is of .f32, .s32 or .u32, with .abs and .NaN for .f32 alone");
  d.read_all();
  return reduction;
}

std::string name_of_load(Decoder& d) {
  return formatted("tcgen05.ld.sync.aligned.32x32b.{}.b32", std::string(d.modifier(6)));
}

void reduce_lanes(Warp& w, const Record& in, const TensorReduction& reduction) {
  const uint32_t word = in.operand[reduction.columns];
  for (unsigned l = 0; l < lanes_of_warp; ++l)
    put<uint32_t>(w.at(word), l,
                  reduction.type == Type::f32   ? reduced_of<float>(w, in, reduction, l)
                  : reduction.type == Type::s32 ? reduced_of<int32_t>(w, in, reduction, l)
                                                : reduced_of<uint32_t>(w, in, reduction, l));
  w.busy[word] = Warp::loaded;
}

}  // namespace heddle::emulator::ptx
