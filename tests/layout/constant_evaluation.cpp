// What a user writes in constant evaluation, for every compiler that the headers promise: named
// points, their coordinates, results that may be errors. gcc_test.sh compiles it with g++.
#include "heddle/layout/layout.h"

namespace heddle::layout {

inline constexpr LinearLayout accumulator =
    parse("register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16")
        .value();

// All axes named in their order, in another order, and not all of them.
static_assert(accumulator.apply({{"register", 5}, {"lane", 19}})->at("m") == 11);
static_assert(accumulator.apply({{"lane", 19}, {"register", 5}})->at("m") == 11);
inline constexpr Coordinates lane_19 = accumulator.apply({{"lane", 19}}).value();
static_assert(lane_19.at("m") == 1 && lane_19.at("n") == 3);

static_assert(accumulator.apply({{"lane", 32}}).error().code == ErrorCode::value_outside_axis);
static_assert(accumulator.apply({{"lane", 1}, {"lane", 2}}).error().code ==
              ErrorCode::duplicate_axis);
static_assert(accumulator.apply({{"Lane", 1}}).error().code == ErrorCode::unknown_axis);

}  // namespace heddle::layout
