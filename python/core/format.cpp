// fmt's compiled functions, inside the module: a wheel cannot ask for the system's shared library.
#include <fmt/format-inl.h>

// Those that answers/ calls and that are templates.
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
