// What a kernel wrote beside what the launch file judges.
#pragma once

#include <string>
#include <vector>

#include "runtime/launch/memory.h"

namespace heddle::runtime {

/// An array, named first in the message, that a kernel changed.
struct MemoryChange {
  TextPlace place;  // of its declaration
  std::string message;
  /// Memory that belongs to no result: gaps between rows, what is outside every window, and inputs,
  /// which are arrays with values of their own (random, exact, iota, a file, pointers) or that a
  /// formula of the launch reads. Else an array that no line 'expect' judges: a workspace, or a
  /// forgotten expectation.
  bool is_error = false;
};

/// Every array's changes by one launch of `text`, the first element of each named. Bytes that were
/// written as they were before are no change. Preconditions: both were filled for `text`.
std::vector<MemoryChange> memory_changes(const LaunchText& text, const KernelLaunch& launch,
                                         const LaunchMemory& before, const LaunchMemory& after);

}  // namespace heddle::runtime
