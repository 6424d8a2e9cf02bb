// <device_launch_parameters.h>: threadIdx and its kin.
#pragma once
#include "cuda_runtime.h"
