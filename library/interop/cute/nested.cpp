#include "heddle/interop/cute/nested.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::interop::cute {

Number product(const IntTuple& tuple) {
  Number result = 1;
  for_each_leaf(tuple, [&](Number leaf) { result *= leaf; });
  return result;
}

}  // namespace heddle::interop::cute
