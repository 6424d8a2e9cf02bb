// Decides which factors of a product belong to the operand A and which to the operand B.
#pragma once

#include "compiler/reader/element.h"

namespace heddle::compiler {

/// Rewrites a product of more than two factors, such as (a * b) * (s * t), as a product of two. The
/// two factors that depend on the most coordinates, here a and b, are the elements of A and B.
/// Every other factor, such as a scale, must depend only on coordinates on which a or b also
/// depends, and is multiplied with that one. Returns the number of the step that computes the new
/// product; `root` if nothing was changed.
int in_two_factors(Element& body, int root);

}  // namespace heddle::compiler
