// What draws one function (element_draw.h): a list of tensors so far, of which each step makes
// another. element_draw.cpp has the steps that move and combine elements, element_draw_forms.cpp
// those that compute places, pad, and go along dimensions.
#pragma once

#include <optional>

#include "element_draw.h"

namespace heddle::compiler {

using Shape = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

std::int64_t elements_of(const Shape& shape);
Shape place_of(const Shape& shape, std::int64_t number);
std::int64_t number_of(const Shape& shape, const Shape& at);
std::string listed(const Words& words);
std::string listed(const Shape& numbers);

/// affine_map<(d0, d1) -> (RESULTS)>
std::string map_of(std::size_t loops, const Words& results);
/// The same of the first `count` loops.
std::string map_of_first(std::size_t loops, std::size_t count);
std::string map_of_all(std::size_t loops);

/// tensor<SHAPExELEMENT>, with ? for the sizes of which `dynamic` has a bit.
std::string type_of(const Shape& shape, const std::string& element, unsigned dynamic);

bool is_whole(const std::string& element);
/// The words for a number of this type.
std::string number(const std::string& element, std::int64_t value);
/// "arith.addf" or "arith.addi", with a space behind it.
std::string operation(const std::string& of, const std::string& element);
/// A whole number as this type holds it: integers wrap around.
double held(const std::string& element, double value);
/// Numbers up to here are multiplied, and some of them added, without rounding.
double most_exact(const std::string& element);

class Drawing {
 public:
  /// `dynamic`: a bit for each size that types leave open.
  Drawing(const std::function<std::int64_t(std::int64_t)>& draw, unsigned dynamic)
      : draw_(draw), dynamic_(dynamic) {}

  DrawnFunction function();

 private:
  std::int64_t draw(std::size_t end) { return draw_(static_cast<std::int64_t>(end)); }
  std::size_t draw_dim(const DrawnTensor& x) {
    return static_cast<std::size_t>(draw(x.shape.size()));
  }
  Shape any_shape();
  DrawnTensor& add_argument(const Shape& shape, const std::string& element,
                            std::int64_t places = 0);
  DrawnTensor constant(const Shape& shape, const std::string& element);
  DrawnTensor any() { return all_[static_cast<std::size_t>(draw(all_.size()))]; }
  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  std::string name() { return "%v" + std::to_string(names_++); }
  /// A new tensor, whose elements `value` gives.
  void keep(const std::string& made, const Shape& shape, const std::string& element,
            const std::function<double(const Shape&)>& value);
  static double at(const DrawnTensor& x, const Shape& place) {
    return x.values[static_cast<std::size_t>(number_of(x.shape, place))];
  }
  std::string type_of(const Shape& shape, const std::string& element) const {
    return compiler::type_of(shape, element, dynamic_);
  }
  bool is_open(std::int64_t size) const { return size < 32 && (dynamic_ >> size & 1u) != 0; }
  /// A size of the type index: that of an argument, or a constant.
  std::string size_of(std::int64_t size);
  /// Sizes as an operation on slices lists them: open ones are values.
  std::string sizes_of(const Shape& shape);
  /// The open ones alone, as an operation that makes a tensor wants them.
  std::string open_sizes_of(const Shape& shape);
  std::string empty(const Shape& shape, const std::string& element);
  /// A tensor of one number.
  std::string filled(const Shape& shape, const std::string& element, std::int64_t value);
  /// A linalg.generic of parallel loops; `maps` are those of the inputs. `body` computes %r.
  std::string generic(const Shape& shape, const Words& maps, const std::vector<DrawnTensor>& inputs,
                      const std::string& body, const std::string& element);
  /// An offset of the text, or one that a launch gives.
  std::pair<std::string, std::int64_t> offset(std::int64_t end);

  void step();
  void mask(const DrawnTensor& x);
  void places(const DrawnTensor& x);
  void lookup(const DrawnTensor& x);
  void gather(const DrawnTensor& x);
  void transpose(const DrawnTensor& x);
  void concat(const DrawnTensor& x);
  void insert(const DrawnTensor& x);
  void extract(const DrawnTensor& x);
  void reshape(const DrawnTensor& x);
  void combine(const DrawnTensor& x);
  void largest(const DrawnTensor& x);
  void product(const DrawnTensor& x);

  void small(const DrawnTensor& x);
  void cast(const DrawnTensor& x);
  void choose(const DrawnTensor& x);
  void pad(const DrawnTensor& x);
  void generate(const DrawnTensor& x);
  void mapped(const DrawnTensor& x);
  void reduce(const DrawnTensor& x);
  void scan(const DrawnTensor& x);
  void coupled(const DrawnTensor& x);
  void broadcast(const DrawnTensor& x);
  void gather_two(const DrawnTensor& x);

  const std::function<std::int64_t(std::int64_t)>& draw_;
  unsigned dynamic_;
  std::vector<DrawnTensor> all_, arguments_;
  std::optional<DrawnTensor> pair_;
  std::string body_;
  int names_ = 0;
};

}  // namespace heddle::compiler
