// Compiles a function for each instruction set of the host that matters and chooses at start-up, as
// emulator/handlers do for whole files.
#pragma once

// Sanitizers start after the choice is made, and so do without.
#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && \
    !__has_feature(address_sanitizer)
#define HEDDLE_FOR_HOST_LEVELS [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define HEDDLE_FOR_HOST_LEVELS
#endif

// For what such a function calls: only what is part of it is compiled for each.
#define HEDDLE_ALWAYS_INLINE [[gnu::always_inline]] inline
