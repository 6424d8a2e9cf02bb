// Dividing a tile by an atom that it does not repeat.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
constexpr auto tiling = divide_left(parse("lane: (1) (2) -> m: 4").value(),
                                    parse("lane: (1) -> m: 2").value());
static_assert(tiling.has_value(), tiling.error().message());
#else
constexpr auto tiling = divide_left(parse("lane: (1) (2) -> m: 4").value(),
                                    parse("lane: (2) -> m: 4").value());
static_assert(tiling.has_value(), tiling.error().message());
// expected-error@-1 {{not divisible: basis 0 of input axis 'lane' differs between the part and the whole}}
#endif
