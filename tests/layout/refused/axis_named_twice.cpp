// Two input axes of the same name.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
constexpr auto tile = parse("lane: (1); warp: (2) -> m: 4");
static_assert(tile.has_value(), tile.error().message());
#else
constexpr auto tile = parse("lane: (1); lane: (2) -> m: 4");
static_assert(tile.has_value(), tile.error().message());
// expected-error@-1 {{column 12: axis 'lane' is named twice on this side; give each axis its own name}}
#endif
