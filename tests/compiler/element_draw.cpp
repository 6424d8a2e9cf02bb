#include "element_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace heddle::compiler {
namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

Shape place_of(const Shape& shape, std::int64_t number) {
  Shape at(shape.size());
  for (std::size_t dim = shape.size(); dim-- > 0; number /= shape[dim])
    at[dim] = number % shape[dim];
  return at;
}

std::int64_t number_of(const Shape& shape, const Shape& at) {
  std::int64_t number = 0;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) number = number * shape[dim] + at[dim];
  return number;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string listed(const Shape& numbers) {
  std::vector<std::string> words;
  for (const std::int64_t number : numbers) words.push_back(std::to_string(number));
  return listed(words);
}

// affine_map<(d0, d1) -> (RESULTS)>
std::string map_of(std::size_t loops, const std::vector<std::string>& results) {
  std::vector<std::string> dims;
  for (std::size_t i = 0; i < loops; ++i) dims.push_back("d" + std::to_string(i));
  return "affine_map<(" + listed(dims) + ") -> (" + listed(results) + ")>";
}

std::string map_of_all(std::size_t loops) {
  std::vector<std::string> dims;
  for (std::size_t i = 0; i < loops; ++i) dims.push_back("d" + std::to_string(i));
  return map_of(loops, dims);
}

class Drawing {
 public:
  explicit Drawing(const std::function<std::int64_t(std::int64_t)>& draw) : draw_(draw) {}

  DrawnFunction function() {
    add_argument(any_shape());
    for (std::int64_t steps = 1 + draw_(5); steps > 0; --steps) step();
    DrawnFunction made;
    made.results.push_back(all_.back());
    if (pair_ && draw_(2) == 0) made.results.push_back(*pair_);
    std::vector<std::string> arguments, types, results;
    for (const DrawnTensor& one : arguments_) arguments.push_back(one.name + ": " + one.type());
    for (const DrawnTensor& one : made.results) {
      types.push_back(one.type());
      results.push_back(one.name);
    }
    made.text = "func.func @f(" + listed(arguments) + ") -> (" + listed(types) + ") {\n" + body_ +
                "  return " + listed(results) + " : " + listed(types) + "\n}\n";
    made.arguments = arguments_;
    return made;
  }

 private:
  Shape any_shape() {
    Shape shape(1 + static_cast<std::size_t>(draw_(3)));
    for (std::int64_t& size : shape) size = 1 + draw_(9);
    return shape;
  }

  DrawnTensor& add_argument(const Shape& shape, std::int64_t places = 0) {
    DrawnTensor tensor{"%a" + std::to_string(arguments_.size()), shape, {}, places};
    for (std::int64_t i = 0; i < count_of(shape); ++i)
      tensor.values.push_back(static_cast<double>(places != 0 ? draw_(places) : draw_(3) - 1));
    arguments_.push_back(tensor);
    if (places == 0) all_.push_back(tensor);
    return arguments_.back();
  }

  const DrawnTensor& any() { return all_[static_cast<std::size_t>(draw_(std::ssize(all_)))]; }

  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  std::string name() { return "%v" + std::to_string(names_++); }

  // A new tensor, whose elements `value` gives.
  void keep(const std::string& made, const Shape& shape,
            const std::function<double(const Shape&)>& value) {
    DrawnTensor tensor{made, shape, {}};
    for (std::int64_t i = 0; i < count_of(shape); ++i)
      tensor.values.push_back(value(place_of(shape, i)));
    all_.push_back(std::move(tensor));
  }
  static double at(const DrawnTensor& x, const Shape& place) {
    return x.values[static_cast<std::size_t>(number_of(x.shape, place))];
  }

  std::string empty(const std::string& type) {
    const std::string made = name();
    line(made + " = tensor.empty() : " + type);
    return made;
  }

  // A linalg.generic of parallel loops; `maps` are those of the inputs.
  std::string generic(const Shape& shape, const std::vector<std::string>& maps,
                      const std::vector<DrawnTensor>& inputs, const std::string& body) {
    const std::string type = DrawnTensor{"", shape, {}}.type(), out = empty(type), made = name();
    std::vector<std::string> all = maps, names, types, arguments, kinds;
    all.push_back(map_of_all(shape.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      names.push_back(inputs[i].name);
      types.push_back(inputs[i].type());
      arguments.push_back("%x" + std::to_string(i) + (inputs[i].places != 0 ? ": i64" : ": f32"));
    }
    arguments.push_back("%o: f32");
    kinds.assign(shape.size(), "\"parallel\"");
    line(made + " = linalg.generic {indexing_maps = [" + listed(all) + "], iterator_types = [" +
         listed(kinds) + "]} " +
         (inputs.empty() ? "" : "ins(" + listed(names) + " : " + listed(types) + ") ") + "outs(" +
         out + " : " + type + ") {");
    line("^bb0(" + listed(arguments) + "):");
    body_ += body;
    line("  linalg.yield %r : f32\n  } -> " + type);
    return made;
  }

  void step() {
    const DrawnTensor x = any();
    if (x.shape.empty()) return combine(x);
    if (x.largest() > 1 << 16) return mask(x);
    switch (draw_(12)) {
      case 0:
        return mask(x);
      case 1:
        return places(x);
      case 2:
        return lookup(x);
      case 3:
        return gather(x);
      case 4:
        return transpose(x);
      case 5:
        return concat(x);
      case 6:
        return insert(x);
      case 7:
        return extract(x);
      case 8:
        return reshape(x);
      case 9:
        return combine(x);
      case 10:
        return largest(x);
      default:
        return product(x);
    }
  }

  // x where its place fulfils a comparison, else a constant.
  void mask(const DrawnTensor& x) {
    constexpr std::array<const char*, 4> names{"slt", "sge", "eq", "ult"};
    const std::int64_t which = draw_(4), shift = draw_(5) - 2, first = draw_(std::ssize(x.shape)),
                       second = draw_(std::ssize(x.shape));
    const std::string made = generic(
        x.shape, {map_of_all(x.shape.size())}, {x},
        "    %i = linalg.index " + std::to_string(first) + " : index\n    %j = linalg.index " +
            std::to_string(second) + " : index\n    %c = arith.constant " + std::to_string(shift) +
            " : index\n    %k = arith.addi %j, %c : index\n    %h = arith.cmpi " +
            names[static_cast<std::size_t>(which)] +
            ", %i, %k : index\n    %z = arith.constant -2.0 : f32\n"
            "    %r = arith.select %h, %x0, %z : f32\n");
    keep(made, x.shape, [&](const Shape& place) {
      const std::int64_t i = place[static_cast<std::size_t>(first)],
                         k = place[static_cast<std::size_t>(second)] + shift;
      const bool holds = which == 0   ? i < k
                         : which == 1 ? i >= k
                         : which == 2
                             ? i == k
                             : static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(k);
      return holds ? at(x, place) : -2;
    });
  }

  // x plus a number that is computed from its place.
  void places(const DrawnTensor& x) {
    const std::int64_t dim = draw_(std::ssize(x.shape)), by = 1 + draw_(4), which = draw_(4);
    constexpr std::array<const char*, 4> names{"divui", "remui", "muli", "floordivsi"};
    const std::string made =
        generic(x.shape, {map_of_all(x.shape.size())}, {x},
                "    %i = linalg.index " + std::to_string(dim) +
                    " : index\n    %c = arith.constant " + std::to_string(by) +
                    " : index\n    %k = arith." + names[static_cast<std::size_t>(which)] +
                    " %i, %c : index\n    %w = arith.index_cast %k : index to i32\n"
                    "    %f = arith.sitofp %w : i32 to f32\n    %r = arith.addf %x0, %f : f32\n");
    keep(made, x.shape, [&](const Shape& place) {
      const std::int64_t i = place[static_cast<std::size_t>(dim)];
      const std::int64_t k = which == 1 ? i % by : which == 2 ? i * by : i / by;
      return at(x, place) + static_cast<double>(k);
    });
  }

  // Rows of x at places that an argument has, by tensor.extract.
  void lookup(const DrawnTensor& x) {
    const std::int64_t rows = 1 + draw_(9);
    const DrawnTensor ids = add_argument({rows}, x.shape[0]);
    Shape shape = x.shape;
    shape[0] = rows;
    std::vector<std::string> places{"%i"};
    std::string body = "    %i = arith.index_cast %x0 : i64 to index\n";
    for (std::size_t dim = 1; dim < shape.size(); ++dim) {
      places.push_back("%p" + std::to_string(dim));
      body += "    " + places.back() + " = linalg.index " + std::to_string(dim) + " : index\n";
    }
    body += "    %r = tensor.extract " + x.name + "[" + listed(places) + "] : " + x.type() + "\n";
    const std::string made = generic(shape, {map_of(shape.size(), {"d0"})}, {ids}, body);
    keep(made, shape, [&](Shape place) {
      place[0] = static_cast<std::int64_t>(ids.values[static_cast<std::size_t>(place[0])]);
      return at(x, place);
    });
  }

  void gather(const DrawnTensor& x) {
    const std::int64_t dim = draw_(std::ssize(x.shape)), rows = 1 + draw_(5);
    const auto own = static_cast<std::size_t>(dim);
    const DrawnTensor ids = add_argument({rows, 1}, x.shape[own]);
    Shape shape{rows};
    for (std::size_t i = 0; i < x.shape.size(); ++i)
      if (i != own) shape.push_back(x.shape[i]);
    const std::string made = name();
    line(made + " = tensor.gather " + x.name + "[" + ids.name + "] gather_dims([" +
         std::to_string(dim) + "]) : (" + x.type() + ", " + ids.type() + ") -> " +
         DrawnTensor{"", shape, {}}.type());
    keep(made, shape, [&](const Shape& place) {
      Shape from(place.begin() + 1, place.end());
      from.insert(from.begin() + dim,
                  static_cast<std::int64_t>(ids.values[static_cast<std::size_t>(place[0])]));
      return at(x, from);
    });
  }

  void transpose(const DrawnTensor& x) {
    Shape order(x.shape.size()), shape;
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(draw_(static_cast<std::int64_t>(i)))]);
    for (const std::int64_t dim : order) shape.push_back(x.shape[static_cast<std::size_t>(dim)]);
    const std::string type = DrawnTensor{"", shape, {}}.type(), out = empty(type), made = name();
    line(made + " = linalg.transpose ins(" + x.name + " : " + x.type() + ") outs(" + out + " : " +
         type + ") permutation = [" + listed(order) + "]");
    keep(made, shape, [&](const Shape& place) {
      Shape from(place.size());
      for (std::size_t i = 0; i < place.size(); ++i)
        from[static_cast<std::size_t>(order[i])] = place[i];
      return at(x, from);
    });
  }

  void concat(const DrawnTensor& x) {
    const std::int64_t dim = draw_(std::ssize(x.shape));
    Shape other = x.shape;
    other[static_cast<std::size_t>(dim)] = 1 + draw_(4);
    const DrawnTensor y = add_argument(other);
    const bool is_first = draw_(2) == 0;
    const DrawnTensor &a = is_first ? x : y, &b = is_first ? y : x;
    Shape shape = a.shape;
    shape[static_cast<std::size_t>(dim)] += b.shape[static_cast<std::size_t>(dim)];
    const std::string made = name();
    line(made + " = tensor.concat dim(" + std::to_string(dim) + ") " + a.name + ", " + b.name +
         " : (" + a.type() + ", " + b.type() + ") -> " + DrawnTensor{"", shape, {}}.type());
    keep(made, shape, [&](Shape place) {
      std::int64_t& along = place[static_cast<std::size_t>(dim)];
      if (along < a.shape[static_cast<std::size_t>(dim)]) return at(a, place);
      along -= a.shape[static_cast<std::size_t>(dim)];
      return at(b, place);
    });
  }

  // An offset of the text, or one that a launch gives.
  std::pair<std::string, std::int64_t> offset(std::int64_t end) {
    if (draw_(2) == 0) {
      const std::int64_t number = draw_(end);
      return {std::to_string(number), number};
    }
    const DrawnTensor place = add_argument({}, end);
    const std::string number = name(), index = name();
    line(number + " = tensor.extract " + place.name + "[] : tensor<i64>");
    line(index + " = arith.index_cast " + number + " : i64 to index");
    return {index, static_cast<std::int64_t>(place.values[0])};
  }

  // Another tensor in the middle of x.
  void insert(const DrawnTensor& x) {
    std::vector<std::string> offsets;
    Shape sizes, steps, first;
    for (const std::int64_t size : x.shape) {
      steps.push_back(1 + draw_(2));
      sizes.push_back(1 + draw_((size - 1) / steps.back() + 1));
      const auto [text, number] = offset(size - (sizes.back() - 1) * steps.back());
      offsets.push_back(text);
      first.push_back(number);
    }
    const DrawnTensor y = add_argument(sizes);
    const std::string made = name();
    line(made + " = tensor.insert_slice " + y.name + " into " + x.name + "[" + listed(offsets) +
         "] [" + listed(sizes) + "] [" + listed(steps) + "] : " + y.type() + " into " + x.type());
    keep(made, x.shape, [&](const Shape& place) {
      Shape from;
      for (std::size_t dim = 0; dim < place.size(); ++dim) {
        const std::int64_t along = place[dim] - first[dim];
        if (along < 0 || along % steps[dim] != 0 || along / steps[dim] >= sizes[dim])
          return at(x, place);
        from.push_back(along / steps[dim]);
      }
      return at(y, from);
    });
  }

  void extract(const DrawnTensor& x) {
    std::vector<std::string> offsets;
    Shape sizes, steps, first;
    for (const std::int64_t size : x.shape) {
      steps.push_back(1 + draw_(2));
      sizes.push_back(1 + draw_((size - 1) / steps.back() + 1));
      const auto [text, number] = offset(size - (sizes.back() - 1) * steps.back());
      offsets.push_back(text);
      first.push_back(number);
    }
    const std::string made = name();
    line(made + " = tensor.extract_slice " + x.name + "[" + listed(offsets) + "] [" +
         listed(sizes) + "] [" + listed(steps) + "] : " + x.type() + " to " +
         DrawnTensor{"", sizes, {}}.type());
    keep(made, sizes, [&](Shape place) {
      for (std::size_t dim = 0; dim < place.size(); ++dim)
        place[dim] = first[dim] + place[dim] * steps[dim];
      return at(x, place);
    });
  }

  // All dimensions as one, and the other way round as many as there were.
  void reshape(const DrawnTensor& x) {
    const std::string made = name();
    const Shape flat{count_of(x.shape)};
    if (x.shape.size() > 1) {
      Shape all;
      for (std::size_t i = 0; i < x.shape.size(); ++i) all.push_back(static_cast<std::int64_t>(i));
      line(made + " = tensor.collapse_shape " + x.name + " [[" + listed(all) + "]] : " + x.type() +
           " into " + DrawnTensor{"", flat, {}}.type());
      return keep(made, flat,
                  [&](const Shape& place) { return x.values[static_cast<std::size_t>(place[0])]; });
    }
    Shape divisors;
    for (std::int64_t by = 1; by <= flat[0]; ++by)
      if (flat[0] % by == 0) divisors.push_back(by);
    const std::int64_t inner = divisors[static_cast<std::size_t>(draw_(std::ssize(divisors)))];
    const Shape shape{flat[0] / inner, inner};
    line(made + " = tensor.expand_shape " + x.name + " [[0, 1]] output_shape [" + listed(shape) +
         "] : " + x.type() + " into " + DrawnTensor{"", shape, {}}.type());
    keep(made, shape, [&](const Shape& place) {
      return x.values[static_cast<std::size_t>(place[0] * inner + place[1])];
    });
  }

  // Two tensors of one shape, of which one is an argument or the same.
  void combine(const DrawnTensor& x) {
    const DrawnTensor y = draw_(2) == 0 ? x : add_argument(x.shape);
    const std::int64_t which = draw_(3);
    constexpr std::array<const char*, 3> names{"addf", "mulf", "maximumf"};
    const std::string map = map_of_all(x.shape.size());
    const std::string made =
        generic(x.shape, {map, map}, {x, y},
                std::string("    %r = arith.") + names[static_cast<std::size_t>(which)] +
                    " %x0, %x1 : f32\n");
    keep(made, x.shape, [&](const Shape& place) {
      const double a = at(x, place), b = at(y, place);
      return which == 0 ? a + b : which == 1 ? a * b : std::max(a, b);
    });
  }

  // The largest of each row, and the first place where it is, of which both depend on each other.
  void largest(const DrawnTensor& x) {
    const std::size_t rank = x.shape.size();
    const std::int64_t columns = x.shape.back();
    const Shape rows(x.shape.begin(), x.shape.end() - 1);
    DrawnTensor value{name(), rows, {}}, where{value.name + "_at", rows, {}, columns};
    const std::string places = where.type();
    std::vector<std::string> kinds(rank - 1, "\"parallel\""), dims;
    kinds.push_back("\"reduction\"");
    for (std::size_t i = 0; i + 1 < rank; ++i) dims.push_back("d" + std::to_string(i));
    const std::string out = map_of(rank, dims), low = name(), none = name(), a = name(), b = name(),
                      e = empty(value.type()), g = empty(places), both = name();
    line(low + " = arith.constant -1.0e9 : f32");
    line(none + " = arith.constant 0 : i64");
    line(a + " = linalg.fill ins(" + low + " : f32) outs(" + e + " : " + value.type() + ") -> " +
         value.type());
    line(b + " = linalg.fill ins(" + none + " : i64) outs(" + g + " : " + places + ") -> " +
         places);
    line(both + ":2 = linalg.generic {indexing_maps = [" + map_of_all(rank) + ", " + out + ", " +
         out + "], iterator_types = [" + listed(kinds) + "]} ins(" + x.name + " : " + x.type() +
         ") outs(" + a + ", " + b + " : " + value.type() + ", " + places + ") {");
    line("^bb0(%x0: f32, %m: f32, %w: i64):");
    line("  %i = linalg.index " + std::to_string(rank - 1) + " : index");
    line("  %k = arith.index_cast %i : index to i64");
    line("  %h = arith.cmpf ogt, %x0, %m : f32");
    line("  %n = arith.select %h, %x0, %m : f32");
    line("  %p = arith.select %h, %k, %w : i64");
    line("  linalg.yield %n, %p : f32, i64\n  } -> (" + value.type() + ", " + places + ")");
    for (std::int64_t row = 0; row < count_of(rows); ++row) {
      std::int64_t best = 0;
      for (std::int64_t i = 1; i < columns; ++i)
        if (x.values[static_cast<std::size_t>(row * columns + i)] >
            x.values[static_cast<std::size_t>(row * columns + best)])
          best = i;
      value.values.push_back(x.values[static_cast<std::size_t>(row * columns + best)]);
      where.values.push_back(static_cast<double>(best));
    }
    value.name = both + "#0";
    where.name = both + "#1";
    all_.push_back(value);
    pair_ = where;
  }

  // x, as a matrix, times an argument.
  void product(const DrawnTensor& x) {
    if (x.shape.size() != 2) return transpose(x);
    const std::int64_t columns = 1 + draw_(9);
    const DrawnTensor y = add_argument({x.shape[1], columns});
    const Shape shape{x.shape[0], columns};
    const std::string type = DrawnTensor{"", shape, {}}.type(), zero = name(), out = empty(type),
                      fill = name(), made = name();
    line(zero + " = arith.constant 0.0 : f32");
    line(fill + " = linalg.fill ins(" + zero + " : f32) outs(" + out + " : " + type + ") -> " +
         type);
    line(made + " = linalg.matmul ins(" + x.name + ", " + y.name + " : " + x.type() + ", " +
         y.type() + ") outs(" + fill + " : " + type + ") -> " + type);
    keep(made, shape, [&](const Shape& place) {
      double sum = 0;
      for (std::int64_t k = 0; k < x.shape[1]; ++k)
        sum += at(x, {place[0], k}) * at(y, {k, place[1]});
      return sum;
    });
  }

  const std::function<std::int64_t(std::int64_t)>& draw_;
  std::vector<DrawnTensor> all_, arguments_;
  std::optional<DrawnTensor> pair_;
  std::string body_;
  int names_ = 0;
};

}  // namespace

std::string DrawnTensor::type() const {
  std::string text = "tensor<";
  for (const std::int64_t size : shape) text += std::to_string(size) + "x";
  return text + (places != 0 ? "i64>" : "f32>");
}

double DrawnTensor::largest() const {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

DrawnFunction draw_elements(const std::function<std::int64_t(std::int64_t)>& draw) {
  return Drawing(draw).function();
}

}  // namespace heddle::compiler
