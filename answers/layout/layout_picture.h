// A layout as a drawing.
#pragma once

#include <string>

#include "answers/layout/layout_table.h"

namespace heddle::answers {

/// The table as SVG, below a title and what its cells mean.
std::string layout_svg(const LayoutView& view, const LayoutTable& table);

}  // namespace heddle::answers
