// <builtin_types.h> where there is no CUDA SDK: the types of CUDA's runtime API and of its vectors.
#pragma once

#include "cuda_runtime.h"
