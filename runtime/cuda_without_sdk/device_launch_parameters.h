// <device_launch_parameters.h>: threadIdx and the like.
#pragma once
#include "cuda_runtime.h"
