// Going on with a failed Expected by * or ->, which stop as value() does.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

constexpr LinearLayout tile = parse("lane: (1) (2) -> m: 4").value();

#ifdef CORRECTED
// expected-no-diagnostics
static_assert(tile.apply({{"lane", 3}})->at("m") == 3);
static_assert((*parse("lane: (1) -> m: 2")).input_bits() == 1);
#else
static_assert(tile.apply({{"Lane", 3}})->size() == 0);
// expected-error@-1 {{not an integral constant expression}}
// expected-note@*:* 1+ {{'stop_because<heddle::layout::ErrorCode::unknown_axis>'}}
static_assert((*parse("lane (1) -> m: 2")).input_bits() == 0);
// expected-error@-1 {{not an integral constant expression}}
// expected-note@*:* 1+ {{'stop_because<heddle::layout::ErrorCode::text_needs_colon>'}}
#endif
