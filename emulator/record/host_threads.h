// Work that is spread over threads of the host.
#pragma once

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include "emulator/record/most_host_threads.h"

namespace heddle::emulator {

/// As many as are `chosen`, or all cores when that is 0; 1 to most_host_threads.
inline unsigned host_threads(unsigned chosen) {
  return std::clamp(chosen != 0 ? chosen : std::thread::hardware_concurrency(), 1u,
                    most_host_threads);
}

/// Calls work(0) here, and work(1) to work(count - 1) on threads of their own. Where the system
/// gives no more threads, or no memory for their stacks, the others are not called, and first of
/// all missing(how many): what there is to do is drawn from a common store, so that those which run
/// do all of it.
template <class Work, class Missing>
void on_host_threads(std::size_t count, const Work& work, const Missing& missing) {
  std::vector<std::jthread> threads;  // they are waited for, whatever happens
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
