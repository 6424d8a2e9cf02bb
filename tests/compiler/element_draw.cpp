#include "element_draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "element_drawing.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::compiler {

std::int64_t elements_of(const Shape& shape) {
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

std::string listed(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string listed(const Shape& numbers) {
  Words words;
  for (const std::int64_t number : numbers) words.push_back(std::to_string(number));
  return listed(words);
}

std::string map_of(std::size_t loops, const Words& results) {
  Words dims;
  for (std::size_t i = 0; i < loops; ++i) dims.push_back("d" + std::to_string(i));
  return "affine_map<(" + listed(dims) + ") -> (" + listed(results) + ")>";
}

std::string map_of_first(std::size_t loops, std::size_t count) {
  Words dims;
  for (std::size_t i = 0; i < count; ++i) dims.push_back("d" + std::to_string(i));
  return map_of(loops, dims);
}

std::string map_of_all(std::size_t loops) { return map_of_first(loops, loops); }

std::string type_of(const Shape& shape, const std::string& element, unsigned dynamic) {
  std::string text = "tensor<";
  for (const std::int64_t size : shape)
    text += (size < 32 && (dynamic >> size & 1u) != 0 ? "?" : std::to_string(size)) + "x";
  return text + element + ">";
}

bool is_whole(const std::string& element) { return element.starts_with('i'); }

std::string number(const std::string& element, std::int64_t value) {
  return std::to_string(value) + (is_whole(element) ? "" : ".0");
}

std::string operation(const std::string& of, const std::string& element) {
  const bool is_extreme = of == "maximum" || of == "minimum";
  if (is_whole(element)) return "arith." + (is_extreme ? of.substr(0, 3) + "s" : of) + "i ";
  return "arith." + of + "f ";
}

double held(const std::string& element, double value) {
  const auto whole = static_cast<std::int64_t>(value);
  if (element == "i8") return static_cast<std::int8_t>(whole);
  if (element == "i32") return static_cast<std::int32_t>(whole);
  return value;
}

double most_exact(const std::string& element) {
  if (element == "f16") return 16;
  return element == "f32" ? 1024 : element == "i8" ? 127 : 32767;
}

DrawnFunction Drawing::function() {
  constexpr std::array<const char*, 8> elements{"f32", "f32", "f32", "f32",
                                                "f16", "i32", "i8",  "i64"};
  add_argument(any_shape(), elements[static_cast<std::size_t>(draw(elements.size()))]);
  for (std::int64_t steps = 1 + draw_(5); steps > 0; --steps) step();
  DrawnFunction made;
  made.results.push_back(all_.back());
  if (pair_ && draw_(2) == 0) made.results.push_back(*pair_);
  const DrawnTensor other = any();
  if (draw_(3) == 0 && !other.name.starts_with("%a") && other.name != all_.back().name)
    made.results.push_back(other);
  Words arguments, types, results;
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

// One in six is larger than a tile of a transpose.
Shape Drawing::any_shape() {
  const bool is_large = draw_(6) == 0;
  Shape shape(is_large ? 2 + static_cast<std::size_t>(draw_(2))
                       : 1 + static_cast<std::size_t>(draw_(3)));
  for (std::int64_t& size : shape) size = 1 + draw_(9);
  if (is_large) {
    shape.front() = 30 + draw_(50);
    shape.back() = 30 + draw_(50);
  }
  return shape;
}

DrawnTensor& Drawing::add_argument(const Shape& shape, const std::string& element,
                                   std::int64_t places) {
  DrawnTensor tensor{"%a" + std::to_string(arguments_.size()), shape, {}, places, element, dynamic_};
  for (std::int64_t i = 0; i < elements_of(shape); ++i)
    tensor.values.push_back(static_cast<double>(places != 0 ? draw_(places) : draw_(3) - 1));
  arguments_.push_back(tensor);
  if (places == 0) all_.push_back(tensor);
  return arguments_.back();
}

// Values that the text has.
DrawnTensor Drawing::constant(const Shape& shape, const std::string& element) {
  DrawnTensor tensor{name(), shape, {}, 0, element};
  std::string text;
  const std::int64_t count = elements_of(shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t value = draw_(5) - 2;
    tensor.values.push_back(static_cast<double>(value));
    text += (i == 0 ? "" : ", ") + number(element, value);
  }
  const std::string flat = type_of({count}, element), list = name();
  line(list + " = arith.constant dense<[" + text + "]> : " + flat);
  Shape dims;
  for (std::size_t i = 0; i < shape.size(); ++i) dims.push_back(static_cast<std::int64_t>(i));
  line(tensor.name + " = tensor.expand_shape " + list + " [[" + listed(dims) + "]] output_shape [" +
       listed(shape) + "] : " + flat + " into " + tensor.type());
  return tensor;
}

void Drawing::keep(const std::string& made, const Shape& shape, const std::string& element,
                   const std::function<double(const Shape&)>& value) {
  DrawnTensor tensor{made, shape, {}, 0, element, dynamic_};
  for (std::int64_t i = 0; i < elements_of(shape); ++i)
    tensor.values.push_back(held(element, value(place_of(shape, i))));
  all_.push_back(std::move(tensor));
}

std::string Drawing::size_of(std::int64_t size) {
  const std::string made = name();
  for (const DrawnTensor& one : arguments_)
    for (std::size_t dim = 0; dim < one.shape.size(); ++dim)
      if (one.shape[dim] == size) {
        line(made + "_d = arith.constant " + std::to_string(dim) + " : index");
        line(made + " = tensor.dim " + one.name + ", " + made + "_d : " + one.type());
        return made;
      }
  line(made + " = arith.constant " + std::to_string(size) + " : index");
  return made;
}

std::string Drawing::sizes_of(const Shape& shape) {
  Words all;
  for (const std::int64_t size : shape)
    all.push_back(is_open(size) ? size_of(size) : std::to_string(size));
  return listed(all);
}

std::string Drawing::open_sizes_of(const Shape& shape) {
  Words all;
  for (const std::int64_t size : shape)
    if (is_open(size)) all.push_back(size_of(size));
  return listed(all);
}

std::string Drawing::empty(const Shape& shape, const std::string& element) {
  const std::string sizes = open_sizes_of(shape), made = name();
  line(made + " = tensor.empty(" + sizes + ") : " + type_of(shape, element));
  return made;
}

std::string Drawing::filled(const Shape& shape, const std::string& element, std::int64_t value) {
  const std::string type = type_of(shape, element), with = name(), out = empty(shape, element),
                    made = name();
  line(with + " = arith.constant " + number(element, value) + " : " + element);
  line(made + " = linalg.fill ins(" + with + " : " + element + ") outs(" + out + " : " + type +
       ") -> " + type);
  return made;
}

std::string Drawing::generic(const Shape& shape, const Words& maps,
                             const std::vector<DrawnTensor>& inputs, const std::string& body,
                             const std::string& element) {
  const std::string type = type_of(shape, element), out = empty(shape, element), made = name();
  Words all = maps, names, types, arguments;
  all.push_back(map_of_all(shape.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    names.push_back(inputs[i].name);
    types.push_back(inputs[i].type());
    arguments.push_back("%x" + std::to_string(i) + ": " + inputs[i].element);
  }
  arguments.push_back("%o: " + element);
  const Words kinds(shape.size(), "\"parallel\"");
  line(made + " = linalg.generic {indexing_maps = [" + listed(all) + "], iterator_types = [" +
       listed(kinds) + "]} " +
       (inputs.empty() ? "" : "ins(" + listed(names) + " : " + listed(types) + ") ") + "outs(" +
       out + " : " + type + ") {");
  line("^bb0(" + listed(arguments) + "):");
  body_ += body;
  line("  linalg.yield %r : " + element + "\n  } -> " + type);
  return made;
}

std::pair<std::string, std::int64_t> Drawing::offset(std::int64_t end) {
  if (draw_(2) == 0) {
    const std::int64_t number = draw_(end);
    return {std::to_string(number), number};
  }
  const DrawnTensor place = add_argument({}, "i64", end);
  const std::string number = name(), index = name();
  line(number + " = tensor.extract " + place.name + "[] : tensor<i64>");
  line(index + " = arith.index_cast " + number + " : i64 to index");
  return {index, static_cast<std::int64_t>(place.values[0])};
}

void Drawing::step() {
  using Step = void (Drawing::*)(const DrawnTensor&);
  constexpr std::array<Step, 22> steps{
      &Drawing::mask,      &Drawing::places,    &Drawing::lookup,  &Drawing::gather,
      &Drawing::transpose, &Drawing::concat,    &Drawing::insert,  &Drawing::extract,
      &Drawing::reshape,   &Drawing::combine,   &Drawing::largest, &Drawing::product,
      &Drawing::cast,      &Drawing::choose,    &Drawing::pad,     &Drawing::generate,
      &Drawing::mapped,    &Drawing::reduce,    &Drawing::scan,    &Drawing::coupled,
      &Drawing::broadcast, &Drawing::gather_two};
  const DrawnTensor x = any();
  if (x.largest() > most_exact(x.element)) return small(x);
  if (x.shape.empty()) return combine(x);
  if (elements_of(x.shape) > 10000) return extract(x);
  (this->*steps[static_cast<std::size_t>(draw(steps.size()))])(x);
}

// x where its place fulfils a comparison, else a constant.
void Drawing::mask(const DrawnTensor& x) {
  constexpr std::array<const char*, 4> names{"slt", "sge", "eq", "ult"};
  const std::int64_t which = draw_(4), shift = draw_(5) - 2;
  const std::size_t first = draw_dim(x), second = draw_dim(x);
  const std::string made = generic(
      x.shape, {map_of_all(x.shape.size())}, {x},
      "    %i = linalg.index " + std::to_string(first) + " : index\n    %j = linalg.index " +
          std::to_string(second) + " : index\n    %c = arith.constant " + std::to_string(shift) +
          " : index\n    %k = arith.addi %j, %c : index\n    %h = arith.cmpi " +
          names[static_cast<std::size_t>(which)] + ", %i, %k : index\n    %z = arith.constant " +
          number(x.element, -2) + " : " + x.element +
          "\n    %r = arith.select %h, %x0, %z : " + x.element + "\n",
      x.element);
  keep(made, x.shape, x.element, [&](const Shape& place) {
    const std::int64_t i = place[first], k = place[second] + shift;
    const bool holds = which == 0   ? i < k
                       : which == 1 ? i >= k
                       : which == 2 ? i == k
                                    : static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(k);
    return holds ? at(x, place) : -2;
  });
}

// x plus a number that is computed from its place.
void Drawing::places(const DrawnTensor& x) {
  const std::size_t dim = draw_dim(x);
  const std::int64_t by = 1 + draw_(4), which = draw_(4);
  constexpr std::array<const char*, 4> names{"divui", "remui", "muli", "floordivsi"};
  std::string body = "    %i = linalg.index " + std::to_string(dim) +
                     " : index\n    %c = arith.constant " + std::to_string(by) +
                     " : index\n    %k = arith." + names[static_cast<std::size_t>(which)] +
                     " %i, %c : index\n";
  if (is_whole(x.element))
    body += "    %f = arith.index_cast %k : index to " + x.element + "\n";
  else
    body += "    %w = arith.index_cast %k : index to i32\n    %f = arith.sitofp %w : i32 to " +
            x.element + "\n";
  body += "    %r = " + operation("add", x.element) + "%x0, %f : " + x.element + "\n";
  const std::string made = generic(x.shape, {map_of_all(x.shape.size())}, {x}, body, x.element);
  keep(made, x.shape, x.element, [&](const Shape& place) {
    const std::int64_t i = place[dim];
    const std::int64_t k = which == 1 ? i % by : which == 2 ? i * by : i / by;
    return at(x, place) + static_cast<double>(k);
  });
}

// Rows of x at places that an argument has, by tensor.extract.
void Drawing::lookup(const DrawnTensor& x) {
  const std::int64_t rows = 1 + draw_(9);
  const DrawnTensor ids = add_argument({rows}, "i64", x.shape[0]);
  Shape shape = x.shape;
  shape[0] = rows;
  Words places{"%i"};
  std::string body = "    %i = arith.index_cast %x0 : i64 to index\n";
  for (std::size_t dim = 1; dim < shape.size(); ++dim) {
    places.push_back("%p" + std::to_string(dim));
    body += "    " + places.back() + " = linalg.index " + std::to_string(dim) + " : index\n";
  }
  body += "    %r = tensor.extract " + x.name + "[" + listed(places) + "] : " + x.type() + "\n";
  const std::string made = generic(shape, {map_of(shape.size(), {"d0"})}, {ids}, body, x.element);
  keep(made, shape, x.element, [&](Shape place) {
    place[0] = static_cast<std::int64_t>(ids.values[static_cast<std::size_t>(place[0])]);
    return at(x, place);
  });
}

void Drawing::gather(const DrawnTensor& x) {
  const std::size_t own = draw_dim(x);
  const std::int64_t rows = 1 + draw_(5);
  const DrawnTensor ids = add_argument({rows, 1}, "i64", x.shape[own]);
  Shape shape{rows};
  for (std::size_t i = 0; i < x.shape.size(); ++i)
    if (i != own) shape.push_back(x.shape[i]);
  const std::string made = name();
  line(made + " = tensor.gather " + x.name + "[" + ids.name + "] gather_dims([" +
       std::to_string(own) + "]) : (" + x.type() + ", " + ids.type() + ") -> " +
       type_of(shape, x.element));
  keep(made, shape, x.element, [&](const Shape& place) {
    Shape from(place.begin() + 1, place.end());
    from.insert(from.begin() + static_cast<std::ptrdiff_t>(own),
                static_cast<std::int64_t>(ids.values[static_cast<std::size_t>(place[0])]));
    return at(x, from);
  });
}

void Drawing::transpose(const DrawnTensor& x) {
  Shape order(x.shape.size()), shape;
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(draw(i))]);
  for (const std::int64_t dim : order) shape.push_back(x.shape[static_cast<std::size_t>(dim)]);
  const std::string type = type_of(shape, x.element), out = empty(shape, x.element), made = name();
  line(made + " = linalg.transpose ins(" + x.name + " : " + x.type() + ") outs(" + out + " : " +
       type + ") permutation = [" + listed(order) + "]");
  keep(made, shape, x.element, [&](const Shape& place) {
    Shape from(place.size());
    for (std::size_t i = 0; i < place.size(); ++i)
      from[static_cast<std::size_t>(order[i])] = place[i];
    return at(x, from);
  });
}

void Drawing::concat(const DrawnTensor& x) {
  const std::size_t dim = draw_dim(x);
  Shape other = x.shape;
  other[dim] = 1 + draw_(4);
  const DrawnTensor y = add_argument(other, x.element);
  const bool is_first = draw_(2) == 0;
  const DrawnTensor &a = is_first ? x : y, &b = is_first ? y : x;
  Shape shape = a.shape;
  shape[dim] += b.shape[dim];
  const std::string made = name();
  line(made + " = tensor.concat dim(" + std::to_string(dim) + ") " + a.name + ", " + b.name +
       " : (" + a.type() + ", " + b.type() + ") -> " + type_of(shape, x.element));
  keep(made, shape, x.element, [&](Shape place) {
    if (place[dim] < a.shape[dim]) return at(a, place);
    place[dim] -= a.shape[dim];
    return at(b, place);
  });
}

// Another tensor in the middle of x.
void Drawing::insert(const DrawnTensor& x) {
  Words offsets;
  Shape sizes, steps, first;
  for (const std::int64_t size : x.shape) {
    steps.push_back(1 + draw_(2));
    sizes.push_back(1 + draw_((size - 1) / steps.back() + 1));
    const auto [text, number] = offset(size - (sizes.back() - 1) * steps.back());
    offsets.push_back(text);
    first.push_back(number);
  }
  const DrawnTensor y = add_argument(sizes, x.element);
  const std::string lengths = sizes_of(sizes), made = name();
  line(made + " = tensor.insert_slice " + y.name + " into " + x.name + "[" + listed(offsets) +
       "] [" + lengths + "] [" + listed(steps) + "] : " + y.type() + " into " + x.type());
  keep(made, x.shape, x.element, [&](const Shape& place) {
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

void Drawing::extract(const DrawnTensor& x) {
  Words offsets;
  Shape sizes, steps, first;
  for (const std::int64_t size : x.shape) {
    steps.push_back(1 + draw_(2));
    sizes.push_back(1 + draw_((size - 1) / steps.back() + 1));
    const auto [text, number] = offset(size - (sizes.back() - 1) * steps.back());
    offsets.push_back(text);
    first.push_back(number);
  }
  const std::string lengths = sizes_of(sizes), made = name();
  line(made + " = tensor.extract_slice " + x.name + "[" + listed(offsets) + "] [" + lengths +
       "] [" + listed(steps) + "] : " + x.type() + " to " + type_of(sizes, x.element));
  keep(made, sizes, x.element, [&](Shape place) {
    for (std::size_t dim = 0; dim < place.size(); ++dim)
      place[dim] = first[dim] + place[dim] * steps[dim];
    return at(x, place);
  });
}

// All dimensions as one, and the other way round as many as there were.
void Drawing::reshape(const DrawnTensor& x) {
  const std::string made = name();
  const Shape flat{elements_of(x.shape)};
  // MLIR wants a group to be open where one of its dimensions is.
  const auto agrees = [&](const Shape& shape) {
    const bool any = std::ranges::any_of(shape, [&](std::int64_t size) { return is_open(size); });
    return any == is_open(flat[0]);
  };
  if (x.shape.size() > 1) {
    if (!agrees(x.shape)) return transpose(x);
    Shape all;
    for (std::size_t i = 0; i < x.shape.size(); ++i) all.push_back(static_cast<std::int64_t>(i));
    line(made + " = tensor.collapse_shape " + x.name + " [[" + listed(all) + "]] : " + x.type() +
         " into " + type_of(flat, x.element));
    return keep(made, flat, x.element,
                [&](const Shape& place) { return x.values[static_cast<std::size_t>(place[0])]; });
  }
  Shape divisors;
  for (std::int64_t by = 1; by <= flat[0]; ++by)
    if (flat[0] % by == 0 && agrees({flat[0] / by, by})) divisors.push_back(by);
  if (divisors.empty()) return transpose(x);
  const std::int64_t inner = divisors[static_cast<std::size_t>(draw(divisors.size()))];
  const Shape shape{flat[0] / inner, inner};
  const std::string lengths = sizes_of(shape);
  line(made + " = tensor.expand_shape " + x.name + " [[0, 1]] output_shape [" + lengths +
       "] : " + x.type() + " into " + type_of(shape, x.element));
  keep(made, shape, x.element, [&](const Shape& place) {
    return x.values[static_cast<std::size_t>(place[0] * inner + place[1])];
  });
}

// Two tensors of one shape, of which one is an argument, of the text, or the same.
void Drawing::combine(const DrawnTensor& x) {
  const std::int64_t from = draw_(4);
  const bool is_short = !x.shape.empty() && elements_of(x.shape) <= 64 && dynamic_ == 0;
  const DrawnTensor y = from < 2                ? x
                        : from == 2 && is_short ? constant(x.shape, x.element)
                                                : add_argument(x.shape, x.element);
  const std::int64_t which = draw_(4);
  constexpr std::array<const char*, 4> names{"add", "mul", "maximum", "minimum"};
  const std::string map = map_of_all(x.shape.size());
  const std::string made =
      generic(x.shape, {map, map}, {x, y},
              "    %r = " + operation(names[static_cast<std::size_t>(which)], x.element) +
                  "%x0, %x1 : " + x.element + "\n",
              x.element);
  keep(made, x.shape, x.element, [&](const Shape& place) {
    const double a = at(x, place), b = at(y, place);
    return which == 0 ? a + b : which == 1 ? a * b : which == 2 ? std::max(a, b) : std::min(a, b);
  });
}

// The largest of each row, and the first place where it is, of which both depend on each other.
void Drawing::largest(const DrawnTensor& x) {
  const std::size_t rank = x.shape.size();
  const std::int64_t columns = x.shape.back();
  const std::string& element = x.element;
  const Shape rows(x.shape.begin(), x.shape.end() - 1);
  DrawnTensor value{"", rows, {}, 0, element, dynamic_},
      where{"", rows, {}, columns, "i64", dynamic_};
  Words kinds(rank - 1, "\"parallel\"");
  kinds.push_back("\"reduction\"");
  const std::string out = map_of_first(rank, rank - 1), places = where.type(),
                    a = filled(rows, element, -128), b = filled(rows, "i64", 0),
                    both = name();
  line(both + ":2 = linalg.generic {indexing_maps = [" + map_of_all(rank) + ", " + out + ", " +
       out + "], iterator_types = [" + listed(kinds) + "]} ins(" + x.name + " : " + x.type() +
       ") outs(" + a + ", " + b + " : " + value.type() + ", " + places + ") {");
  line("^bb0(%x0: " + element + ", %m: " + element + ", %w: i64):");
  line("  %i = linalg.index " + std::to_string(rank - 1) + " : index");
  line("  %k = arith.index_cast %i : index to i64");
  line(std::string("  %h = arith.") + (is_whole(element) ? "cmpi sgt" : "cmpf ogt") +
       ", %x0, %m : " + element);
  line("  %n = arith.select %h, %x0, %m : " + element);
  line("  %p = arith.select %h, %k, %w : i64");
  line("  linalg.yield %n, %p : " + element + ", i64\n  } -> (" + value.type() + ", " + places +
       ")");
  for (std::int64_t row = 0; row < elements_of(rows); ++row) {
    double best = -128;
    std::int64_t place = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      const double one = x.values[static_cast<std::size_t>(row * columns + i)];
      if (!(one > best)) continue;
      best = one;
      place = i;
    }
    value.values.push_back(best);
    where.values.push_back(static_cast<double>(place));
  }
  value.name = both + "#0";
  where.name = both + "#1";
  all_.push_back(value);
  pair_ = where;
}

// x, as a matrix, times an argument.
void Drawing::product(const DrawnTensor& x) {
  if (x.shape.size() != 2 || x.element == "i64") return transpose(x);
  const std::int64_t columns = 1 + draw_(9);
  const DrawnTensor y = add_argument({x.shape[1], columns}, x.element);
  const Shape shape{x.shape[0], columns};
  const std::string sum = is_whole(x.element) ? "i32" : "f32";
  const std::string type = type_of(shape, sum), fill = filled(shape, sum, 0), made = name();
  line(made + " = linalg.matmul ins(" + x.name + ", " + y.name + " : " + x.type() + ", " +
       y.type() + ") outs(" + fill + " : " + type + ") -> " + type);
  keep(made, shape, sum, [&](const Shape& place) {
    double total = 0;
    for (std::int64_t k = 0; k < x.shape[1]; ++k)
      total += at(x, {place[0], k}) * at(y, {k, place[1]});
    return total;
  });
}

std::string DrawnTensor::type() const { return type_of(shape, element, dynamic); }

double DrawnTensor::largest() const {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

DrawnFunction draw_elements(std::uint64_t seed, unsigned dynamic) {
  const runtime::RandomStream stream(seed);
  std::uint64_t next = 0;
  const std::function<std::int64_t(std::int64_t)> draw = [&](std::int64_t end) {
    return static_cast<std::int64_t>(stream.word(next++) % static_cast<std::uint64_t>(end));
  };
  return Drawing(draw, dynamic).function();
}

}  // namespace heddle::compiler
