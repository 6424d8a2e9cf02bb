// Runs work on several threads of the host.
#pragma once

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include "emulator/record/most_host_threads.h"

namespace heddle::emulator {

/// The number of threads: `chosen`, or all cores when that is 0; from 1 to most_host_threads.
inline unsigned host_threads(unsigned chosen) {
  return std::clamp(chosen != 0 ? chosen : std::thread::hardware_concurrency(), 1u,
                    most_host_threads);
}

/// Calls work(0) on this thread, and work(1) to work(count - 1) on new threads. All calls take
/// their tasks from a common queue, so fewer calls still do all the work. If the system cannot
/// start all threads, or has no memory for their stacks, missing(how many) is called first, and the
/// calls on the missing threads are left out.
template <class Work, class Missing>
void on_host_threads(std::size_t count, const Work& work, const Missing& missing) {
  std::vector<std::jthread> threads;  // joined on every path
  try {
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  } catch (const std::system_error&) {
    missing(count - 1 - threads.size());
  }
  work(std::size_t{0});
}

template <class Work>
void on_host_threads(std::size_t count, const Work& work) {
  on_host_threads(count, work, [](std::size_t) {});
}

}  // namespace heddle::emulator
