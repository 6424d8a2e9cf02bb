// Ignoring a result that may be an error.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

#ifdef CORRECTED
// expected-no-diagnostics
bool uses(const LinearLayout& layout) { return invert(layout).has_value(); }
#else
void ignores(const LinearLayout& layout) { invert(layout); }
// expected-warning@-1 {{ignoring return value}}
#endif
