// Finds what a kernel wrote besides the arrays that the launch file judges.
#pragma once

#include <string>
#include <vector>

#include "runtime/launch/memory.h"

namespace heddle::runtime {

/// An array, named first in the message, that a kernel changed.
struct MemoryChange {
  TextPlace place;  // of its declaration
  std::string message;
  /// True for memory that is no result: gaps between rows, bytes outside every window, and inputs.
  /// An input is an array with values of its own (random, exact, iota, a file, pointers), or one
  /// that a formula of the launch reads. False for an array that no line 'expect' judges: a
  /// workspace, or a forgotten expectation.
  bool is_error = false;
};

/// The changes that one launch of `text` made to each array, with the first changed element. A byte
/// that was written with its old value is no change. Preconditions: both memories were filled for
/// `text`.
std::vector<MemoryChange> memory_changes(const LaunchText& text, const KernelLaunch& launch,
                                         const LaunchMemory& before, const LaunchMemory& after);

}  // namespace heddle::runtime
