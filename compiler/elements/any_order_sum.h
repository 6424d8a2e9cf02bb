// A sum of floats of which it is not known in which order a kernel adds them.
#pragma once

#include <cstdint>

#include "heddle/instruction/element_type.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {

class AnyOrderSum {
 public:
  void add(const runtime::Interval& term);

  /// The interval of results that additions may give which round to `type` after each step, in any
  /// order. It is a single number if every partial sum can be represented exactly in the type.
  runtime::Interval result(instruction::ElementType type) const;

 private:
  double low_ = 0, high_ = 0, magnitude_ = 0;
  std::int64_t count_ = 0;
  int lowest_ = 2000;  // the exponent of the lowest bit that is set in a term
  bool are_points_ = true;
};

}  // namespace heddle::compiler
