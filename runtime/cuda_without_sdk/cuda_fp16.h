// <cuda_fp16.h> where there is no CUDA SDK.
#pragma once

#include "cuda_runtime.h"

#include <hip/hip_fp16.h>
