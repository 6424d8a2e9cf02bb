// Taking the value of a failed Expected: the compiler names the mistake.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
inline constexpr LinearLayout tile = LinearLayout::strided(4, 4, "lane", "m").value();
#else
constexpr LinearLayout tile = LinearLayout::strided(4, 3, "lane", "m").value();
// expected-error@-1 {{must be initialized by a constant expression}}
// expected-note@*:* 1+ {{non-constexpr function 'stop_because<heddle::layout::ErrorCode::stride_not_a_power_of_two>'}}
#endif
