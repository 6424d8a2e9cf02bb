// <cooperative_groups.h> where there is no CUDA SDK.
#pragma once

#include "cuda_runtime.h"

#include <hip/hip_cooperative_groups.h>
