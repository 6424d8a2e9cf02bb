// Which factors of a product belong to A and which to B.
#pragma once

#include "compiler/reader/element.h"

namespace heddle::compiler {

/// Rewrites a product of A, B and further factors, such as (a * b) * (s * t), as a product of two.
/// Several elements of A or B share a further factor. Each factor joins the operand that moves
/// along all of the factor's loops. Returns the root of the product, or that of `body` if there are
/// no such two.
int in_two_factors(Element& body, int root);

}  // namespace heddle::compiler
