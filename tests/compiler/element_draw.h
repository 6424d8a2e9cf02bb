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
/// not 0, it is an i64 from 0 to places - 1. Its type leaves the sizes open of which `dynamic` has a
/// bit.
struct DrawnTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
  std::int64_t places = 0;
  std::string element = "f32";
  unsigned dynamic = 0;

  std::string type() const;
  double largest() const;
};

struct DrawnFunction {
  std::string text;
  std::vector<DrawnTensor> arguments, results;
};

/// Drawn by a seed. `dynamic`: a bit for each size that types leave open.
DrawnFunction draw_elements(std::uint64_t seed, unsigned dynamic = 0);

}  // namespace heddle::compiler
