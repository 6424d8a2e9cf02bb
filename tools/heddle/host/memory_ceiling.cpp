#include "tools/heddle/host/memory_ceiling.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "tools/heddle/host/sanitized.h"

namespace heddle::tool {
namespace {

char message[256];  // written in advance, because there is no memory for it later

[[noreturn]] void end_for_lack_of_memory() {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, std::strlen(message));
  ::_exit(2);
}

}  // namespace

void set_memory_ceiling(std::uint64_t bytes, const char* cure) {
  static rlimit before;
  static const bool known = ::getrlimit(RLIMIT_DATA, &before) == 0;
  // No limit under sanitizers, because the system counts their shadow memory, too.
  if (!known || sanitized) return;
  rlimit limit = before;
  if (bytes != 0) limit.rlim_cur = std::min<rlim_t>(before.rlim_cur, bytes);
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) return;
  // The limit of the shell (`ulimit -v`) also counts mapped files, and may be the lower one.
  rlimit mapped = limit;
  ::getrlimit(RLIMIT_AS, &mapped);
  const bool is_ours = limit.rlim_cur <= mapped.rlim_cur;
  std::snprintf(message, sizeof message, "more than %llu bytes of memory are needed%s\n",
                static_cast<unsigned long long>(std::min(limit.rlim_cur, mapped.rlim_cur)),
                is_ours ? cure : ", which is the limit that the system was told (ulimit -v)");
  std::set_new_handler(bytes == 0 ? nullptr : end_for_lack_of_memory);
}

}  // namespace heddle::tool
