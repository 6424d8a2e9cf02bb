// Composing with a layout whose input axis has another size.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
constexpr auto both = compose(parse("lane: (1) (2) -> m: 4").value(),
                              parse("m: (1) (2) -> offset: 8").value());
static_assert(both.has_value(), both.error().message());
#else
constexpr auto both = compose(parse("lane: (1) (2) -> m: 4").value(),
                              parse("m: (1) (2) (4) -> offset: 8").value());
static_assert(both.has_value(), both.error().message());
// expected-error@-1 {{axis 'm' has size 4 in the first layout and 8 in the second; make them equal}}
#endif
