// How sentences about shared memory name axes.
#pragma once

#include <string>

#include "heddle/layout/axis_list.h"

namespace heddle::memory {

/// The axes of one side, for a sentence: "m, k".
std::string axes_text(const layout::AxisList& axes);

}  // namespace heddle::memory
