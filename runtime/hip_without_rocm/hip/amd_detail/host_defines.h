// <hip/amd_detail/host_defines.h>, which rocThrust includes, where there is no ROCm.
#pragma once
#include "../without_rocm/language.h"
