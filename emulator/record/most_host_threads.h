// How many threads of the host a run may be spread over.
#pragma once

namespace heddle::emulator {

/// Threads of one run at most. The stack of each counts against the memory that the process may
/// have, 8 MiB of it where nobody says otherwise.
inline constexpr unsigned most_host_threads = 256;

}  // namespace heddle::emulator
