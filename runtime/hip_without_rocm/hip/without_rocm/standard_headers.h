// The system headers that <hip/hip_runtime.h> includes first. `heddle run` stores their parsed form
// (a precompiled header) in the user's cache.
#pragma once

// Before headers of the system.
#include "../hip_common.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HEDDLE_PROGRAM  // as before every text that hipcc compiles
#include <algorithm>
#include <chrono>
#endif
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <tuple>
#include <utility>
