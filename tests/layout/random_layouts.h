// Random layouts for RapidCheck, and a witness that shares no code with the library's operations.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "heddle/layout/layout.h"

namespace heddle::layout {

// How RapidCheck and GoogleTest print the library's types when a test fails.
inline std::ostream& operator<<(std::ostream& out, const LinearLayout& layout) {
  return out << text(layout).view();
}
inline std::ostream& operator<<(std::ostream& out, const AxisName& name) {
  return out << name.text();
}
inline std::ostream& operator<<(std::ostream& out, const AxisList& axes) {
  for (const Axis& axis : axes) out << axis.name.text() << ": " << axis.bits << " bits; ";
  return out;
}

namespace property {

// A point by names: the witness never packs coordinates into words.
using Point = std::map<std::string, std::uint64_t>;

// Every point of the axes, in no particular order.
inline std::vector<Point> all_points(const AxisList& axes) {
  std::vector<Point> points = {Point()};
  for (const Axis& axis : axes) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (std::uint64_t value = 0; value < axis.size(); ++value) {
        longer.push_back(point);
        longer.back()[std::string(axis.name.text())] = value;
      }
    }
    points = std::move(longer);
  }
  return points;
}

// The witness: the layout's value by the definition, coordinate by coordinate, from its bases.
// Axes that the point does not name are 0.
inline Point value_at(const LinearLayout& layout, const Point& point) {
  Point value;
  for (const Axis& out : layout.outputs()) {
    std::uint64_t& coordinate = value[std::string(out.name.text())];
    for (const Axis& in : layout.inputs()) {
      const auto found = point.find(std::string(in.name.text()));
      for (int bit = 0; found != point.end() && bit < in.bits; ++bit) {
        if (found->second >> bit & 1) coordinate ^= layout.basis(in.name, bit, out.name);
      }
    }
  }
  return value;
}

// How often each output is reached.
inline std::map<Point, int> times_reached(const LinearLayout& layout) {
  std::map<Point, int> times;
  for (const Point& point : all_points(layout.inputs())) ++times[value_at(layout, point)];
  return times;
}

// Equal as maps: the same axes on both sides in any order, and the same value everywhere.
inline bool same_map(const LinearLayout& a, const LinearLayout& b) {
  const auto same_axes = [](const AxisList& x, const AxisList& y) {
    if (x.size() != y.size()) return false;
    for (const Axis& axis : x) {
      if (!y.contains(axis.name) || y.bits_of(axis.name) != axis.bits) return false;
    }
    return true;
  };
  if (!same_axes(a.inputs(), b.inputs()) || !same_axes(a.outputs(), b.outputs())) return false;
  for (const Point& point : all_points(a.inputs())) {
    if (value_at(a, point) != value_at(b, point)) return false;
  }
  return true;
}

// RapidCheck starts with tiny cases; layouts here are small anyway, so every case is a full one.
template <class Make>
auto full_size(Make make) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::exec(make));
}

// A number of [begin, end), and any 64-bit word.
template <class Number>
Number number_in(Number begin, Number end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Number>(begin, end));
}
inline std::uint64_t any_word() {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
}

// Up to 4 axes with the names of a pool, 0 to 3 bits each, at most `most_bits` in all.
inline rc::Gen<AxisList> any_axes(const std::vector<std::string>& names, int most_bits = 7) {
  return full_size([=] {
    AxisList axes;
    const int count = *rc::gen::element(0, 1, 2, 2, 3, 3, 4, 4);
    for (int i = 0; i < count && i < static_cast<int>(names.size()); ++i) {
      const int room = std::min(4, most_bits - axes.bits() + 1);
      axes.push_back({AxisName(std::string_view(names[i])), number_in(0, room)});
    }
    return axes;
  });
}
inline rc::Gen<AxisList> any_inputs() { return any_axes({"register", "lane", "warp", "block"}); }
inline rc::Gen<AxisList> any_outputs() { return any_axes({"m", "n", "k", "batch"}); }

// The same axes in another order.
inline rc::Gen<AxisList> shuffled(const AxisList& axes) {
  return full_size([=] {
    std::vector<Axis> rest(axes.begin(), axes.end());
    AxisList result;
    while (!rest.empty()) {
      const auto index = number_in<std::size_t>(0, rest.size());
      result.push_back(rest[index]);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(index));
    }
    return result;
  });
}

// A layout between given axes. Its bases are of every kind that matters: zero (a broadcast), a
// single bit, the sum of two earlier ones (not injective), and anything.
inline rc::Gen<LinearLayout> layout_between(const AxisList& inputs, const AxisList& outputs) {
  return full_size([=] {
    LinearLayout::Bases bases = {};
    const std::uint64_t mask = low_bits(outputs.bits());
    for (int bit = 0; bit < inputs.bits(); ++bit) {
      const int kind = number_in(0, 8);
      if (kind == 0) continue;
      if (kind == 1 && bit >= 2) {
        bases[bit] = bases[bit - 1] ^ bases[number_in(0, bit - 1)];
      } else if (kind <= 4 && outputs.bits() > 0) {
        bases[bit] = std::uint64_t{1} << number_in(0, outputs.bits());
      } else {
        bases[bit] = any_word() & mask;
      }
    }
    return LinearLayout::from_words(inputs, outputs, bases).value();
  });
}

inline rc::Gen<LinearLayout> any_layout() {
  return full_size([] { return *layout_between(*any_inputs(), *any_outputs()); });
}

// The bits of one axis list in other axes: for layouts with as many input bits as output bits.
inline AxisList regrouped(int bits, const std::vector<std::string>& names) {
  AxisList axes;
  for (const std::string& name : names) {
    const int take = std::min(bits, 3);
    axes.push_back({AxisName(std::string_view(name)), take});
    bits -= take;
  }
  return axes;
}

// An invertible layout: the identity on flat words, mixed by random additions of one basis to
// another and a rotation of their order.
inline rc::Gen<LinearLayout> invertible_layout() {
  return full_size([] {
    const AxisList inputs = *any_inputs();
    const int bits = inputs.bits();
    LinearLayout::Bases bases = {};
    const int rotation = bits == 0 ? 0 : number_in(0, bits);
    for (int bit = 0; bit < bits; ++bit) bases[bit] = std::uint64_t{1} << (bit + rotation) % bits;
    const int additions = bits < 2 ? 0 : number_in(0, 20);
    for (int i = 0; i < additions; ++i) {
      const int to = number_in(0, bits);
      const int from = number_in(0, bits);
      if (to != from) bases[to] ^= bases[from];
    }
    return LinearLayout::from_words(inputs, regrouped(bits, {"m", "n", "k"}), bases).value();
  });
}

}  // namespace property
}  // namespace heddle::layout
