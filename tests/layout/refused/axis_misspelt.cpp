// Asking a point for an axis that it does not have.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

constexpr Coordinates point = {{"m", 0}, {"n", 3}};

#ifdef CORRECTED
// expected-no-diagnostics
static_assert(point.at("n") == 3);
static_assert(point.at_or("N", 0) == 0);  // said, not silent
#else
static_assert(point.at("N") == 0);
// expected-error@-1 {{not an integral constant expression}}
// expected-note@*:* 1+ {{non-constexpr function 'this_point_has_no_axis_of_that_name'}}
#endif
