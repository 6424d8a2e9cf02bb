// The steps of element_drawing.h that compute places, pad, and go along dimensions.
#include <algorithm>
#include <array>
#include <cmath>

#include "element_drawing.h"

namespace heddle::compiler {
namespace {

std::string loop(std::size_t number) { return "d" + std::to_string(number); }

std::string compared(const std::string& element, const std::string& floats,
                     const std::string& integers) {
  return is_whole(element) ? "arith.cmpi " + integers : "arith.cmpf " + floats;
}

// Kinds of loops, of which some are summed over.
std::string kinds_of(const std::vector<bool>& is_summed) {
  Words kinds;
  for (const bool one : is_summed) kinds.push_back(one ? "\"reduction\"" : "\"parallel\"");
  return listed(kinds);
}

// The operation that makes a tensor of `from` one of `to`.
std::string cast_of(const std::string& from, const std::string& to) {
  const auto bits = [](const std::string& element) { return std::stoi(element.substr(1)); };
  if (is_whole(from) != is_whole(to)) return is_whole(from) ? "arith.sitofp" : "arith.fptosi";
  const bool is_wider = bits(to) > bits(from);
  if (is_whole(from)) return is_wider ? "arith.extsi" : "arith.trunci";
  return is_wider ? "arith.extf" : "arith.truncf";
}

}  // namespace

// x where it is small enough for what follows, else 1.
void Drawing::small(const DrawnTensor& x) {
  const auto most = static_cast<std::int64_t>(most_exact(x.element));
  const std::string& e = x.element;
  const std::string made = generic(
      x.shape, {map_of_all(x.shape.size())}, {x},
      "    %a = arith.constant " + number(e, most) + " : " + e + "\n    %b = arith.constant " +
          number(e, -most) + " : " + e + "\n    %one = arith.constant " + number(e, 1) + " : " + e +
          "\n    %h = " + compared(e, "ole", "sle") + ", %x0, %a : " + e +
          "\n    %l = " + compared(e, "oge", "sge") + ", %x0, %b : " + e +
          "\n    %m = arith.select %h, %x0, %one : " + e +
          "\n    %r = arith.select %l, %m, %one : " + e + "\n",
      e);
  keep(made, x.shape, e, [&](const Shape& place) {
    return std::abs(at(x, place)) <= static_cast<double>(most) ? at(x, place) : 1;
  });
}

// The same numbers in another type; what i8 does not hold wraps around.
void Drawing::cast(const DrawnTensor& x) {
  constexpr std::array<const char*, 5> elements{"f32", "f16", "i32", "i8", "i64"};
  const std::string to = elements[static_cast<std::size_t>(draw(elements.size()))];
  if (to == x.element || (to == "i8" && !is_whole(x.element))) return places(x);
  const std::string made = generic(
      x.shape, {map_of_all(x.shape.size())}, {x},
      "    %r = " + cast_of(x.element, to) + " %x0 : " + x.element + " to " + to + "\n", to);
  // f16 holds every whole number up to 2048.
  keep(made, x.shape, to, [&](const Shape& place) {
    return to == "f16" && std::abs(at(x, place)) > 2048 ? std::nan("") : at(x, place);
  });
  if (std::ranges::none_of(all_.back().values, [](double value) { return std::isnan(value); }))
    return;
  all_.pop_back();
  small(x);
}

// A mask in a tensor of its own, and the elements of two tensors by it.
void Drawing::choose(const DrawnTensor& x) {
  const DrawnTensor y = add_argument(x.shape, x.element);
  const std::string map = map_of_all(x.shape.size());
  DrawnTensor mask{"", x.shape, {}, 0, "i1", dynamic_};
  mask.name = generic(
      x.shape, {map, map}, {x, y},
      "    %r = " + compared(x.element, "ogt", "sgt") + ", %x0, %x1 : " + x.element + "\n", "i1");
  const bool is_returned = draw_(3) == 0;
  if (is_returned)
    keep(mask.name, x.shape, "i1",
         [&](const Shape& place) { return at(x, place) > at(y, place) ? 1 : 0; });
  if (is_returned) {
    pair_ = all_.back();
    all_.pop_back();
  }
  const std::string made =
      generic(x.shape, {map, map, map}, {mask, x, y},
              "    %n = arith.select %x0, %x1, %x2 : " + x.element +
                  "\n    %r = " + operation("add", x.element) + "%n, %x2 : " + x.element + "\n",
              x.element);
  keep(made, x.shape, x.element,
       [&](const Shape& place) { return std::max(at(x, place), at(y, place)) + at(y, place); });
}

// A constant around x, or, of whole numbers, one that is computed from the place.
void Drawing::pad(const DrawnTensor& x) {
  if (dynamic_ != 0) return mapped(x);  // MLIR wants the type that follows from the amounts
  const bool is_place = is_whole(x.element) && draw_(2) == 0;
  Shape low, high, shape;
  Words arguments;
  for (const std::int64_t size : x.shape) {
    low.push_back(draw_(4));
    high.push_back(draw_(4));
    shape.push_back(low.back() + size + high.back());
    arguments.push_back("%i" + std::to_string(arguments.size()) + ": index");
  }
  const std::int64_t value = draw_(5) - 2;
  const std::string with = name(), made = name();
  if (!is_place) line(with + " = arith.constant " + number(x.element, value) + " : " + x.element);
  line(made + " = tensor.pad " + x.name + " low[" + listed(low) + "] high[" + listed(high) + "] {");
  line("^bb0(" + listed(arguments) + "):");
  if (is_place) line("  " + with + " = arith.index_cast %i0 : index to " + x.element);
  line("  tensor.yield " + with + " : " + x.element);
  line("} : " + x.type() + " to " + type_of(shape, x.element));
  keep(made, shape, x.element, [&](Shape place) {
    const auto outside = static_cast<double>(is_place ? place[0] : value);
    for (std::size_t dim = 0; dim < place.size(); ++dim) {
      place[dim] -= low[dim];
      if (place[dim] < 0 || place[dim] >= x.shape[dim]) return outside;
    }
    return at(x, place);
  });
}

// Elements of x at places that are computed, modulo its sizes; also in reversed order.
void Drawing::generate(const DrawnTensor& x) {
  const Shape shape = any_shape();
  Words arguments, at_places;
  std::string body;
  struct Term {
    std::size_t from;
    std::int64_t times, plus;
    bool is_reversed;
  };
  std::vector<Term> terms;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    arguments.push_back("%i" + std::to_string(dim) + ": index");
  for (std::size_t dim = 0; dim < x.shape.size(); ++dim) {
    const Term term{static_cast<std::size_t>(draw(shape.size())), 1 + draw_(3), draw_(5),
                    draw_(3) == 0};
    terms.push_back(term);
    const std::string n = std::to_string(dim), from = "%i" + std::to_string(term.from);
    const auto constant = [&](const std::string& of, std::int64_t value) {
      body += "    %" + of + n + " = arith.constant " + std::to_string(value) + " : index\n";
    };
    constant("t", term.times);
    constant("p", term.plus);
    constant("s", x.shape[dim]);
    constant("e", x.shape[dim] - 1);
    body += "    %m" + n + " = arith.muli " + from + ", %t" + n + " : index\n    %b" + n +
            " = arith.addi %m" + n + ", %p" + n + " : index\n    %q" + n + " = arith.remui %b" + n +
            ", %s" + n + " : index\n    %w" + n + " = arith.subi %e" + n + ", %q" + n +
            " : index\n";
    at_places.push_back((term.is_reversed ? "%w" : "%q") + n);
  }
  const std::string sizes = open_sizes_of(shape), made = name();
  line(made + " = tensor.generate " + sizes + " {");
  line("^bb0(" + listed(arguments) + "):");
  body_ += body;
  line("  %r = tensor.extract " + x.name + "[" + listed(at_places) + "] : " + x.type());
  line("  tensor.yield %r : " + x.element);
  line("} : " + type_of(shape, x.element));
  keep(made, shape, x.element, [&](const Shape& place) {
    Shape from;
    for (std::size_t dim = 0; dim < x.shape.size(); ++dim) {
      const Term& term = terms[dim];
      const std::int64_t along = (place[term.from] * term.times + term.plus) % x.shape[dim];
      from.push_back(term.is_reversed ? x.shape[dim] - 1 - along : along);
    }
    return at(x, from);
  });
}

// x through a map that is no identity, and an argument.
void Drawing::mapped(const DrawnTensor& x) {
  Shape shape(1 + static_cast<std::size_t>(draw_(3)));
  for (std::int64_t& size : shape) size = draw_(2) == 0 ? x.shape[draw_dim(x)] : 1 + draw_(9);
  Words results;
  std::vector<std::function<std::int64_t(const Shape&)>> places;
  for (const std::int64_t size : x.shape) {
    const auto a = static_cast<std::size_t>(draw(shape.size())),
               b = static_cast<std::size_t>(draw(shape.size()));
    const std::int64_t by = 2 + draw_(2), number = draw_(size), which = draw_(5);
    if (which == 0 && shape[a] == size) {
      results.push_back(loop(a));
      places.push_back([=](const Shape& place) { return place[a]; });
    } else if (which <= 1 && (shape[a] - 1) * by + number < size) {
      results.push_back(loop(a) + " * " + std::to_string(by) + " + " + std::to_string(number));
      places.push_back([=](const Shape& place) { return place[a] * by + number; });
    } else if (which <= 2 && a != b && shape[a] - 1 + shape[b] - 1 < size) {
      results.push_back(loop(a) + " + " + loop(b));
      places.push_back([=](const Shape& place) { return place[a] + place[b]; });
    } else if (which <= 3 && (shape[a] - 1) / by < size) {
      results.push_back(loop(a) + " floordiv " + std::to_string(by));
      places.push_back([=](const Shape& place) { return place[a] / by; });
    } else {
      results.push_back(std::to_string(number));
      places.push_back([=](const Shape&) { return number; });
    }
  }
  const DrawnTensor y = add_argument({shape.back()}, x.element);
  const std::string made = generic(
      shape, {map_of(shape.size(), results), map_of(shape.size(), {loop(shape.size() - 1)})},
      {x, y}, "    %r = " + operation("add", x.element) + "%x0, %x1 : " + x.element + "\n",
      x.element);
  keep(made, shape, x.element, [&](const Shape& place) {
    Shape from;
    for (const auto& of : places) from.push_back(of(place));
    return at(x, from) + at(y, {place.back()});
  });
}

// The sum, the largest or the smallest along some dimensions, from an initial value on.
void Drawing::reduce(const DrawnTensor& x) {
  const std::size_t rank = x.shape.size();
  const std::int64_t which = draw_(3), initial = draw_(3);
  const std::int64_t most = is_whole(x.element) ? 100000 : x.element == "f16" ? 100 : 10000;
  if (which == 0 && elements_of(x.shape) > most) return mapped(x);
  constexpr std::array<const char*, 3> names{"add", "maximum", "minimum"};
  std::vector<bool> is_summed(rank);
  is_summed[draw_dim(x)] = true;
  Shape shape;
  Words kept;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (draw_(3) == 0) is_summed[dim] = true;
    if (is_summed[dim]) continue;
    shape.push_back(x.shape[dim]);
    kept.push_back(loop(dim));
  }
  const std::string type = type_of(shape, x.element), fill = filled(shape, x.element, initial),
                    made = name();
  line(made + " = linalg.generic {indexing_maps = [" + map_of_all(rank) + ", " +
       map_of(rank, kept) + "], iterator_types = [" + kinds_of(is_summed) + "]} ins(" + x.name +
       " : " + x.type() + ") outs(" + fill + " : " + type + ") {");
  line("^bb0(%x0: " + x.element + ", %s: " + x.element + "):");
  line("  %r = " + operation(names[static_cast<std::size_t>(which)], x.element) +
       "%s, %x0 : " + x.element);
  line("  linalg.yield %r : " + x.element + "\n  } -> " + type);
  std::vector<double> values(static_cast<std::size_t>(elements_of(shape)),
                             static_cast<double>(initial));
  for (std::int64_t i = 0; i < elements_of(x.shape); ++i) {
    const Shape place = place_of(x.shape, i);
    Shape to;
    for (std::size_t dim = 0; dim < rank; ++dim)
      if (!is_summed[dim]) to.push_back(place[dim]);
    double& value = values[static_cast<std::size_t>(number_of(shape, to))];
    const double one = x.values[static_cast<std::size_t>(i)];
    value = which == 0 ? value + one : which == 1 ? std::max(value, one) : std::min(value, one);
  }
  keep(made, shape, x.element, [&](const Shape& place) {
    return values[static_cast<std::size_t>(number_of(shape, place))];
  });
}

// The sum of each element and those before it along the last dimension.
void Drawing::scan(const DrawnTensor& x) {
  const std::size_t rank = x.shape.size();
  const std::int64_t length = x.shape.back();
  if (length > (x.element == "f16" ? 100 : 10000) || elements_of(x.shape) > 2000) return mapped(x);
  Words read;
  for (std::size_t dim = 0; dim + 1 < rank; ++dim) read.push_back(loop(dim));
  read.push_back(loop(rank));
  std::vector<bool> is_summed(rank + 1);
  is_summed[rank] = true;
  const std::string fill = filled(x.shape, x.element, 0), made = name();
  const std::string& e = x.element;
  line(made + " = linalg.generic {indexing_maps = [" + map_of(rank + 1, read) + ", " +
       map_of_first(rank + 1, rank) + "], iterator_types = [" + kinds_of(is_summed) + "]} ins(" +
       x.name + " : " + x.type() + ") outs(" + fill + " : " + x.type() + ") {");
  line("^bb0(%x0: " + e + ", %s: " + e + "):");
  line("  %i = linalg.index " + std::to_string(rank - 1) + " : index");
  line("  %j = linalg.index " + std::to_string(rank) + " : index");
  line("  %h = arith.cmpi ule, %j, %i : index");
  line("  %z = arith.constant " + number(e, 0) + " : " + e);
  line("  %t = arith.select %h, %x0, %z : " + e);
  line("  %r = " + operation("add", e) + "%s, %t : " + e);
  line("  linalg.yield %r : " + e + "\n  } -> " + x.type());
  keep(made, x.shape, e, [&](Shape place) {
    double sum = 0;
    for (std::int64_t last = place.back(); last >= 0; --last) {
      place.back() = last;
      sum += at(x, place);
    }
    return sum;
  });
}

// Along the last dimension the sum, and the largest sum so far, which reads the first.
void Drawing::coupled(const DrawnTensor& x) {
  const std::size_t rank = x.shape.size();
  const std::string& e = x.element;
  if (e == "i8" || x.shape.back() > 100) return largest(x);
  const Shape rows(x.shape.begin(), x.shape.end() - 1);
  const std::string type = type_of(rows, e), a = filled(rows, e, 0), b = filled(rows, e, -1),
                    out = map_of_first(rank, rank - 1), both = name();
  std::vector<bool> is_summed(rank);
  is_summed.back() = true;
  line(both + ":2 = linalg.generic {indexing_maps = [" + map_of_all(rank) + ", " + out + ", " +
       out + "], iterator_types = [" + kinds_of(is_summed) + "]} ins(" + x.name + " : " + x.type() +
       ") outs(" + a + ", " + b + " : " + type + ", " + type + ") {");
  line("^bb0(%x0: " + e + ", %s: " + e + ", %m: " + e + "):");
  line("  %n = " + operation("add", e) + "%s, %x0 : " + e);
  line("  %p = " + operation("maximum", e) + "%m, %n : " + e);
  line("  linalg.yield %n, %p : " + e + ", " + e + "\n  } -> (" + type + ", " + type + ")");
  const auto row = [&](const Shape& place, bool is_most) {
    double sum = 0, most = -1;
    for (std::int64_t i = 0; i < x.shape.back(); ++i) {
      Shape from = place;
      from.push_back(i);
      sum += at(x, from);
      most = std::max(most, sum);
    }
    return is_most ? most : sum;
  };
  keep(both + "#0", rows, e, [&](const Shape& place) { return row(place, false); });
  keep(both + "#1", rows, e, [&](const Shape& place) { return row(place, true); });
}

void Drawing::broadcast(const DrawnTensor& x) {
  if (x.shape.size() > 3 || elements_of(x.shape) > 2000) return transpose(x);
  const auto dim = static_cast<std::size_t>(draw(x.shape.size() + 1));
  Shape shape = x.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim), 1 + draw_(6));
  const std::string type = type_of(shape, x.element), out = empty(shape, x.element), made = name();
  line(made + " = linalg.broadcast ins(" + x.name + " : " + x.type() + ") outs(" + out + " : " +
       type + ") dimensions = [" + std::to_string(dim) + "]");
  keep(made, shape, x.element, [&](Shape place) {
    place.erase(place.begin() + static_cast<std::ptrdiff_t>(dim));
    return at(x, place);
  });
}

// Rows of all dimensions but two, whose places stand in the rows of an argument.
void Drawing::gather_two(const DrawnTensor& x) {
  if (x.shape.size() < 2) return gather(x);
  const std::int64_t rows = 1 + draw_(5);
  DrawnTensor ids = add_argument({rows, 2}, "i64", std::min(x.shape[0], x.shape[1]));
  Shape shape{rows};
  shape.insert(shape.end(), x.shape.begin() + 2, x.shape.end());
  const std::string made = name();
  line(made + " = tensor.gather " + x.name + "[" + ids.name + "] gather_dims([0, 1]) : (" +
       x.type() + ", " + ids.type() + ") -> " + type_of(shape, x.element));
  keep(made, shape, x.element, [&](const Shape& place) {
    Shape from(place.begin() + 1, place.end());
    for (std::int64_t i = 1; i >= 0; --i)
      from.insert(from.begin(), static_cast<std::int64_t>(at(ids, {place[0], i})));
    return at(x, from);
  });
}

}  // namespace heddle::compiler
