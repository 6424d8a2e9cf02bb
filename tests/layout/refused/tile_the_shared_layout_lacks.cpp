// A load from a shared-memory layout that lacks part of the tile.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
constexpr auto load = invert_and_compose(parse("lane: (1) (2) (4) -> m: 8").value(),
                                         parse("offset: (1) (2) (4) -> m: 8").value());
static_assert(load.has_value(), load.error().message());
#else
constexpr auto load = invert_and_compose(parse("lane: (1) (2) (4) -> m: 8").value(),
                                         parse("offset: (1) (2) -> m: 8").value());
static_assert(load.has_value(), load.error().message());
// expected-error@-1 {{no solution: basis 2 of input axis 'lane' of the first layout leads to an output}}
#endif
