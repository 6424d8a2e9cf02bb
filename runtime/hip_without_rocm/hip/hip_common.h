// <hip/hip_common.h> where there is no ROCm.
#pragma once
#include "hip_version.h"
#include "without_rocm/language.h"

// Libraries such as hipCUB test this macro for the platform. CUDA sources have another one.
#if defined(__HIP__) && !defined(__CUDACC__) && !defined(__HIP_PLATFORM_AMD__)
#define __HIP_PLATFORM_AMD__ 1
#endif
// Without this macro, rocThrust would define the keywords of language.h itself.
#define HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H
