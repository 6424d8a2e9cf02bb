// Inverting a layout that holds copies.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
// Without the copies, or with pseudo_inverse, which picks one of them.
constexpr auto back = invert(parse("lane: (1) (2) -> m: 4").value());
static_assert(back.has_value(), back.error().message());
inline constexpr auto one_way = pseudo_inverse(parse("lane: (1) (2) (0) -> m: 4").value());
#else
constexpr auto back = invert(parse("lane: (1) (2) (0) -> m: 4").value());
static_assert(back.has_value(), back.error().message());
// expected-error@-1 {{the layout is not injective: basis 2 of input axis 'lane' is zero or a combination}}
#endif
