// <hip/device_functions.h> where there is no ROCm.
#pragma once
#include "hip_runtime.h"
