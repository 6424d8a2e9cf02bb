// The whole algebra of layouts. linear_layout.h explains what a layout is; here is an example in
// full.
//
// FOUR LANES HOLD A TILE OF 4 x 4, each in four registers:
//
//     held = parse("register: (0,1) (2,0); lane: (0,2) (1,0) -> row: 4, column: 4")
//
// Each pair in parentheses is the basis of one bit: register 1 holds (0,1), register 2 holds (2,0),
// lane 1 holds (0,2), and lane 2 holds (1,0). Every other entry of the map is the xor of the bases
// of the bits that are set in its register number and in its lane number: register 3 of lane 3
// holds (0,1) ^ (2,0) ^ (0,2) ^ (1,0) = (3,3). So the whole map is
//
//                  lane 0   lane 1   lane 2   lane 3
//     register 0   (0,0)    (0,2)    (1,0)    (1,2)
//     register 1   (0,1)    (0,3)    (1,1)    (1,3)
//     register 2   (2,0)    (2,2)    (3,0)    (3,2)
//     register 3   (2,1)    (2,3)    (3,1)    (3,3)
//
// THE SAME TILE IN SHARED MEMORY, its rows swizzled: column c of row r lies at offset 4 * r + (c ^
// r).
//
//     shared = parse("offset: (0,1) (0,2) (1,1) (2,2) -> row: 4, column: 4")
//
//     offset       + 0      + 1      + 2      + 3
//          0       (0,0)    (0,1)    (0,2)    (0,3)
//          4       (1,1)    (1,0)    (1,3)    (1,2)
//          8       (2,2)    (2,3)    (2,0)    (2,1)
//         12       (3,3)    (3,2)    (3,1)    (3,0)
//
// WHAT THE ALGEBRA ANSWERS ABOUT THEM
//
//     who holds an element?        invert(held)
//                                  row: (0,2) (2,0); column: (1,0) (0,1) -> register: 4, lane: 4
//     which offset does a          invert_and_compose(held, shared)
//     register of a lane load?     register: (1) (10); lane: (2) (5) -> offset: 16
//     which element is that?       compose(invert_and_compose(held, shared), shared) == held
//     a tile twice as wide?        product(held, parse("warp: (0,1) -> row: 1, column: 2").value())
//
// The third line is a check: register 3 of lane 3 loads from 1 ^ 10 ^ 2 ^ 5 = 12, where (3,3) lies.
// tests/layout/layout_test.cpp compares these answers with the functions' results.
#pragma once

#include "heddle/layout/algebra.h"        // compose, product, divide_left
#include "heddle/layout/axes.h"           // sublayout, reshape, transpose, concatenate, rename
#include "heddle/layout/linear_layout.h"  // LinearLayout: what it is, how it is made and applied
#include "heddle/layout/solve.h"          // rank, kernel, image, invert, invert_and_compose, ...
#include "heddle/layout/subspace.h"       // Subspace: spans, sums and intersections
#include "heddle/layout/text.h"           // text, parse
