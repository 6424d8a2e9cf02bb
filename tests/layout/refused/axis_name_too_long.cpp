// An axis name of more than 15 characters.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
inline constexpr AxisName name = "a_name_15_chars";
#else
constexpr AxisName name = "a_name_of_23_characters";
// expected-error@-1 {{must be initialized by a constant expression}}
// expected-error@-2 {{call to consteval function}}
// expected-note@*:* 1+ {{'axis_name_needs_1_to_15_letters_digits_underscores_no_digit_first'}}
#endif
