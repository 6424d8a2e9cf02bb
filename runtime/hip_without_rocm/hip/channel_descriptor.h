// <hip/channel_descriptor.h> where there is no ROCm. A channel descriptor has the number of bits in
// each component of a texture's element.
#pragma once

#include "without_rocm/textures.h"
