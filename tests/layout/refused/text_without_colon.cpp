// A text form with a colon missing.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
constexpr auto tile = parse("lane: (1) (2) -> m: 4");
static_assert(tile.has_value(), tile.error().message());
#else
constexpr auto tile = parse("lane (1) (2) -> m: 4");
static_assert(tile.has_value(), tile.error().message());
// expected-error@-1 {{column 6: expected ':' after axis 'lane', found '('}}
#endif
