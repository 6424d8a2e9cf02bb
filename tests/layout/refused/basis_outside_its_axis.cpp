// A basis with a coordinate beyond the size of its output axis.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
constexpr auto tile = LinearLayout::from_bases({{"lane", {{1}, {2}}}}, {{"m", 2}});
static_assert(tile.has_value(), tile.error().message());
#else
constexpr auto tile = LinearLayout::from_bases({{"lane", {{1}, {4}}}}, {{"m", 2}});
static_assert(tile.has_value(), tile.error().message());
// expected-error@-1 {{basis 1 of axis 'lane' has coordinate 4 on axis 'm', which has size 4; a coordinate is below the size}}
#endif
