// <hip/channel_descriptor.h> where there is no ROCm: the bits of an element's parts.
#pragma once

#include "without_rocm/textures.h"
