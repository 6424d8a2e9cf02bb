// Draws functions on tensors of what no product's kernel takes: places, elements at places, tensors
// put together and cut, and results that depend on each other. Each value is also computed here, by
// loops that share nothing with the compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::compiler {

/// A tensor of whole numbers, row-major. `element` is f32, f16, i64, i32, i8 or i1. If `places` is
/// not 0, it is an i64 from 0 to places - 1.
struct DrawnTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
  std::int64_t places = 0;
  std::string element = "f32";

  std::string type() const;
  double largest() const;
};

struct DrawnFunction {
  std::string text;
  std::vector<DrawnTensor> arguments, results;
};

/// `draw(n)` gives a number from 0 to n - 1.
DrawnFunction draw_elements(const std::function<std::int64_t(std::int64_t)>& draw);

/// The same, drawn by a seed.
DrawnFunction draw_elements(std::uint64_t seed);

}  // namespace heddle::compiler
