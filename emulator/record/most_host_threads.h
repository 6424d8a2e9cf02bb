// The limit of host threads for a run.
#pragma once

namespace heddle::emulator {

/// The largest number of threads of a run. Their stacks, by default 8 MiB each, count against the
/// memory limit of the process.
inline constexpr unsigned most_host_threads = 256;

}  // namespace heddle::emulator
