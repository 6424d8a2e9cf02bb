// <hip/driver_types.h> where there is no ROCm.
#pragma once
#include "hip_runtime_api.h"
