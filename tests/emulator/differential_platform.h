// What differential_functions.h needs on the host and on the GPU.
#pragma once

#if defined(__HIP__)
using uint8_t = unsigned char;
using int8_t = signed char;
using uint16_t = unsigned short;
using int16_t = short;
using uint32_t = unsigned int;
using int32_t = int;
using uint64_t = unsigned long;
using int64_t = long;
#define DIFFERENTIAL __attribute__((device))
#else
#include <cstdint>
#define DIFFERENTIAL
#endif
