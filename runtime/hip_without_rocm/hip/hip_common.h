// <hip/hip_common.h> where there is no ROCm.
#pragma once
#include "hip_version.h"
#include "without_rocm/language.h"

// What libraries such as hipCUB ask for the platform by. A text of CUDA's has another one.
#if defined(__HIP__) && !defined(__CUDACC__) && !defined(__HIP_PLATFORM_AMD__)
#define __HIP_PLATFORM_AMD__ 1
#endif
// Without it rocThrust takes the words of language.h for its own.
#define HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H
