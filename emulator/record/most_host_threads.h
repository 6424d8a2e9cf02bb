// The limit of host threads for a run.
#pragma once

namespace heddle::emulator {

/// The most threads of one run. The stack of each counts against the memory that the process may
/// have: 8 MiB by default.
inline constexpr unsigned most_host_threads = 256;

}  // namespace heddle::emulator
