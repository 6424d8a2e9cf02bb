#include "tools/heddle/run/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace heddle::tool {
namespace {

// Linux 5.14; asm-generic/mman-common.h. An older system answers EINVAL.
constexpr int populate_read = 22, populate_write = 23;

}  // namespace

std::optional<std::string> why_not_usable(std::span<const std::byte> range, bool is_written) {
  if (range.empty()) return {};
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(range.data());
  const std::uintptr_t begin = first / page * page, last = (first + range.size() - 1) / page * page;
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
  // With MS_ASYNC alone Linux writes nothing, and only tells whether all pages are mapped.
  if (msync(at(begin), last - begin + page, MS_ASYNC) != 0 && errno == ENOMEM)
    return "a part of it is no memory of this process (was it freed?)";
  for (const std::uintptr_t each : {begin, last})
    if (madvise(at(each), page, is_written ? populate_write : populate_read) != 0 &&
        errno != EINVAL && errno != EAGAIN)
      return is_written ? "this process may not write it" : "this process may not read it";
  return {};
}

}  // namespace heddle::tool
