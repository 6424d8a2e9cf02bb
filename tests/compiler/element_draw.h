// Draws functions on tensors of what no product's kernel takes: places, elements at places, tensors
// put together and cut, and results that depend on each other. Each value is also computed here, by
// loops that share nothing with the compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::compiler {

/// A tensor of f32 or, if `places` is not 0, of i64 from 0 to places - 1, row-major.
struct DrawnTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
  std::int64_t places = 0;

  std::string type() const;
  double largest() const;
};

struct DrawnFunction {
  std::string text;
  std::vector<DrawnTensor> arguments, results;
};

/// `draw(n)` gives a number from 0 to n - 1.
DrawnFunction draw_elements(const std::function<std::int64_t(std::int64_t)>& draw);

}  // namespace heddle::compiler
