// A macro that compiles a function once for each relevant instruction set of the host. The version
// to use is chosen at start-up. emulator/handlers does the same with whole files.
#pragma once

// Not with sanitizers: they start after the choice is made.
#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && \
    !__has_feature(address_sanitizer)
#define HEDDLE_FOR_HOST_LEVELS [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define HEDDLE_FOR_HOST_LEVELS
#endif

// For functions that are called by a function compiled in this way: only code that is inlined into
// it is compiled for each instruction set.
#define HEDDLE_ALWAYS_INLINE [[gnu::always_inline]] inline
