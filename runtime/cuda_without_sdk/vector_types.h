// <vector_types.h> where there is no CUDA SDK.
#pragma once
#include <hip/without_rocm/vectors.h>
