// What <hip/hip_runtime.h> includes of the system before all else. `heddle run` keeps these headers
// parsed in the user's cache.
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
