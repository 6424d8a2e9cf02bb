// The text of Composable Kernel's tile distributions: the C++ type, with or without `ck_tile::`.
//
//   tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<4, 4>>,
//                              tuple<sequence<2, 1>>, tuple<sequence<0, 0>>,
//                              sequence<2>, sequence<1>>
//
// Names may begin with a capital, as in Composable Kernel's documents, and `{}` may follow.
//
//     read("tile_distribution_encoding<sequence<>, …>")     an Encoding, or the mistake's column
//     text(encoding)                                        the same type, without ck_tile::
#pragma once

#include "heddle/interop/ck_tile.h"
#include "heddle/interop/text_error.h"

namespace heddle::interop::ck_tile {

std::string text(const Encoding& encoding);

/// Reads an encoding. Errors give the column. Factors that are used twice or not at all are
/// accepted here; to_distributed rejects them.
///
/// Law: the text reads back: read(text(e)) == e.
std::expected<Encoding, TextError> read(std::string_view text);

}  // namespace heddle::interop::ck_tile
