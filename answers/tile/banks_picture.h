// A drawing of the banks of shared memory: which lanes use them in which phase.
#pragma once

#include <string>

#include "answers/tile/banks_view.h"

namespace heddle::answers {

/// An SVG drawing of what each phase of an access does in the banks. For each layout of the tile it
/// shows one instruction: the one with the most extra passes. A column is a bank. A phase has one
/// row for each of its passes; each word that it accesses stands in the column of its bank, with
/// the number of the lane that wants it. A word that waits for an extra pass has another colour and
/// a mark in its corner, so that the drawing can be read without colour.
std::string banks_svg(const BanksView& view);

}  // namespace heddle::answers
