// <cooperative_groups/reduce.h> where there is no CUDA SDK.
#pragma once
#include "../cooperative_groups.h"
