// Sentences that do not fit their values: the note of the compiler's error has the reason as a
// name.
#include "library/text/formatted.h"

using heddle::formatted;

std::string mistakes(const std::string& text, int number) {
  std::string all = formatted("{} of {}", text, number) + formatted("{{{1}}} {0:#x}", number, text);
  all += formatted("{} of {}", number);
  // expected-error@-1 {{is not a constant expression}}
  all += formatted("bank {}", number, text);
  // expected-error@-1 {{is not a constant expression}}
  all += formatted("{:x}", text);
  // expected-error@-1 {{is not a constant expression}}
  all += formatted("{:.3g}", number);
  // expected-error@-1 {{is not a constant expression}}
  all += formatted("bank {", number);
  // expected-error@-1 {{is not a constant expression}}
  all += formatted("bank }", number);
  // expected-error@-1 {{is not a constant expression}}
  all += formatted("{number}", number);
  // expected-error@-1 {{is not a constant expression}}
  all += formatted("{:>{}}", text, number);
  // expected-error@-1 {{is not a constant expression}}
  return all;
}
// expected-note@library/text/formatted.h:* 1 {{'a_field_has_no_value'}}
// expected-note@library/text/formatted.h:* 1 {{'a_value_has_no_field'}}
// expected-note@library/text/formatted.h:* 1 {{'the_value_of_this_field_is_no_integer'}}
// expected-note@library/text/formatted.h:* 1 {{'the_value_of_this_field_is_no_real_number'}}
// expected-note@library/text/formatted.h:* 2 {{'a_brace_is_not_closed'}}
// expected-note@library/text/formatted.h:* 2 {{'a_field_has_a_name_or_another_field_inside'}}
