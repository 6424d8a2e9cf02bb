// Tells whether the program was built with sanitizers. Sanitizers use extra memory and time, so the
// limits of memory and time do not apply to such a program.
#pragma once

namespace heddle::tool {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace heddle::tool
