// <hip/hip_common.h> where there is no ROCm.
#pragma once
#include "hip_version.h"
#include "without_rocm/language.h"
