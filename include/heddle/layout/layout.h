// The whole algebra of layouts: read linear_layout.h first, it explains what a layout is.
#pragma once

#include "heddle/layout/algebra.h"        // compose, product, divide_left
#include "heddle/layout/axes.h"           // sublayout, reshape, transpose, concatenate, rename
#include "heddle/layout/linear_layout.h"  // LinearLayout: what it is, how it is made and applied
#include "heddle/layout/solve.h"          // rank, kernel, image, invert, invert_and_compose, ...
#include "heddle/layout/subspace.h"       // Subspace: spans, sums and intersections
#include "heddle/layout/text.h"           // text, parse
