// Whether the program was built with sanitizers, which take memory and time that no limit should
// count.
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
