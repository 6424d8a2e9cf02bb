// Finds what a kernel wrote outside of the arrays that the launch file judges.
#pragma once

#include <string>
#include <vector>

#include "runtime/launch/memory.h"

namespace heddle::runtime {

/// An array, named first in the message, that a kernel changed.
struct MemoryChange {
  TextPlace place;  // of its declaration
  std::string message;
  /// True if the changed memory cannot hold a result: a gap between rows, memory outside every
  /// window, or an input. An input is an array that the launch file fills with values (random,
  /// exact, iota, a file, pointers), or an array that a formula of the launch reads. False for any
  /// other array without a line 'expect': it may be a workspace, or the expectation was forgotten.
  bool is_error = false;
};

/// The changes that one launch of `text` made to each array, with the first changed element. A byte
/// that was written with its old value counts as unchanged. Preconditions: `before` and `after`
/// were filled for `text`.
std::vector<MemoryChange> memory_changes(const LaunchText& text, const KernelLaunch& launch,
                                         const LaunchMemory& before, const LaunchMemory& after);

}  // namespace heddle::runtime
