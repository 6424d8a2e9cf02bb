// <hip/hip_bfloat16.h>, the older name of ROCm's bf16, where there is no ROCm.
#pragma once

#include "hip_bf16.h"

using hip_bfloat16 = __bf16;
