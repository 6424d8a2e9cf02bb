// <hip/texture_types.h> where there is no ROCm.
#pragma once

#include "without_rocm/textures.h"
