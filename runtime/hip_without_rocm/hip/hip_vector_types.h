// <hip/hip_vector_types.h> where there is no ROCm.
#pragma once
#include "hip_runtime.h"
