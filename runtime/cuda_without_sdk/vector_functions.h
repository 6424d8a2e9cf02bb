// <vector_functions.h> where there is no CUDA SDK: make_float4 and its kin.
#pragma once
#include "vector_types.h"
