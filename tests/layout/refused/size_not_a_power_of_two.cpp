// An axis of 24 lanes.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
constexpr auto lanes = LinearLayout::identity(32, "lane", "m");
static_assert(lanes.has_value(), lanes.error().message());
#else
constexpr auto lanes = LinearLayout::identity(24, "lane", "m");
static_assert(lanes.has_value(), lanes.error().message());
// expected-error@-1 {{axis 'lane' would have size 24; sizes are powers of two, 32 is the next one}}
#endif
