// The banks of shared memory and who goes through them in which phase, as a drawing.
#pragma once

#include <string>

#include "answers/tile/banks_view.h"

namespace heddle::answers {

/// An SVG drawing of one instruction for each layout of the tile, of those with the most extra
/// passes the first. A column is a bank; a phase is as many rows as it takes passes, and each word
/// stands in the column of its bank, with its lane. Words that wait for an extra pass have another
/// colour and a mark in their corner: it can be read without colour.
std::string banks_svg(const BanksView& view);

}  // namespace heddle::answers
