// A drawing of the banks of shared memory: which lanes use them in which phase.
#pragma once

#include <string>

#include "answers/tile/banks_view.h"

namespace heddle::answers {

/// An SVG drawing. For each layout of the tile it has the instruction with the most extra passes. A
/// column is a bank. A phase has as many rows as passes, and each word is in the column of its
/// bank, with its lane. A word that waits for an extra pass has another colour and a mark in its
/// corner, so that the drawing can be read without colour.
std::string banks_svg(const BanksView& view);

}  // namespace heddle::answers
