// <cuda.h>, as far as programs of the runtime API include it.
#pragma once
#include "cuda_runtime.h"
