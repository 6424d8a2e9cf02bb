// The answer of `heddle banks`, as text and as JSON.
#pragma once

#include <string>

#include "answers/tile/banks_view.h"

namespace heddle::answers {

/// For each layout of the tile: the phases of each kind of instruction, with the lanes that collide
/// in the bank that has the most words; the total cost; and the reason for the collisions.
std::string banks_text(const BanksView& view, int width);

/// The answer as JSON: every instruction, with all addresses and every bank in which lanes collide.
std::string banks_json(const BanksView& view);

}  // namespace heddle::answers
