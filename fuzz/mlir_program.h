// MLIR that is nearly right: products and what surrounds them, of any types, sizes, orders of
// dimensions and strides. Token by token a mutator seldom gets so far.
#pragma once

#include <random>
#include <string>

namespace heddle::fuzz {

/// A function with one contraction; most are accepted or refused for one reason.
std::string any_program(std::minstd_rand& random);

/// A plan file of fields that planners know, with numbers that they may or may not take.
std::string any_plan(std::minstd_rand& random);

}  // namespace heddle::fuzz
