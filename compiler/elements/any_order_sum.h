// A sum of floats that a kernel adds in an order of its own.
#pragma once

#include <cstdint>

#include "heddle/instruction/element_type.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {

class AnyOrderSum {
 public:
  void add(const runtime::Interval& term);

  /// What additions that round to `type` give in any order. One number where all partial sums are
  /// numbers of the type.
  runtime::Interval result(instruction::ElementType type) const;

 private:
  double low_ = 0, high_ = 0, magnitude_ = 0;
  std::int64_t count_ = 0;
  int lowest_ = 2000;  // the exponent of the lowest bit that is set in a term
  bool are_points_ = true;
};

}  // namespace heddle::compiler
