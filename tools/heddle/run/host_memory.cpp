#include "tools/heddle/run/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

namespace heddle::tool {
namespace {

// Values of madvise, from asm-generic/mman-common.h. Linux before 5.14 does not know these values
// and returns EINVAL. Later versions return EINVAL for a protected page.
constexpr int populate_read = 22, populate_write = 23;

std::uintptr_t page_bytes() {
  static const auto bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

bool knows_protections() {
  static const bool knows = [] {
    alignas(65536) static char page[65536];
    return madvise(page, page_bytes(), populate_write) == 0;
  }();
  return knows;
}

/// Whole pages.
struct Pages {
  std::uintptr_t begin, end;
  bool is_written;
};

Pages pages_of(const emulator::Buffer& array) {
  const auto first = reinterpret_cast<std::uintptr_t>(array.bytes.data());
  const std::uintptr_t page = page_bytes();
  return {first / page * page, (first + array.bytes.size() - 1) / page * page + page,
          array.writable};
}

/// Up to this number of pages, the protection of each page is checked.
constexpr std::uintptr_t few_pages = 64;

std::optional<std::string> why_not_usable(const Pages& pages) {
  constexpr const char* no_memory = "a part of it is no memory of this process (was it freed?)";
  const std::uintptr_t page = page_bytes(), bytes = pages.end - pages.begin;
  const auto answers = [&](std::uintptr_t first, std::uintptr_t size) {
    return madvise(reinterpret_cast<void*>(first), size,
                   pages.is_written ? populate_write : populate_read) == 0;
  };
  bool is_fine = true;
  if (bytes <= few_pages * page && knows_protections()) {
    is_fine = answers(pages.begin, bytes);
  } else {
    // With MS_ASYNC alone, Linux writes nothing and only reports whether all pages are mapped.
    if (msync(reinterpret_cast<void*>(pages.begin), bytes, MS_ASYNC) != 0 && errno == ENOMEM)
      return no_memory;
    is_fine = answers(pages.begin, page) && answers(pages.end - page, page);
  }
  if (is_fine) return {};
  if (errno == ENOMEM) return no_memory;
  if (errno == EAGAIN || !knows_protections()) return {};
  return pages.is_written ? "this process may not write it" : "this process may not read it";
}

}  // namespace

std::optional<std::string> why_not_usable(std::span<const emulator::Buffer> arrays) {
  std::vector<Pages> all;
  all.reserve(arrays.size());
  for (const emulator::Buffer& array : arrays) {
    if (array.bytes.empty()) continue;
    all.push_back(pages_of(array));
    if (array.bytes.size() > ~std::uintptr_t{0} / 4 || all.back().end <= all.back().begin)
      return "array " + array.name + " cannot be used: no memory is so large";
  }
  std::ranges::sort(all, {}, [](const Pages& each) { return each.begin; });
  // Small arrays often lie side by side. Their pages are joined, so that one call of the system
  // checks all of them.
  std::size_t rows = 0;
  for (const Pages& each : all) {
    if (rows > 0 && each.begin <= all[rows - 1].end &&
        each.is_written == all[rows - 1].is_written &&
        each.end - all[rows - 1].begin <= few_pages * page_bytes())
      all[rows - 1].end = std::max(all[rows - 1].end, each.end);
    else
      all[rows++] = each;
  }
  all.resize(rows);
  if (std::ranges::none_of(all, [](const Pages& each) { return why_not_usable(each).has_value(); }))
    return {};
  for (const emulator::Buffer& array : arrays)
    if (!array.bytes.empty())
      if (const auto problem = why_not_usable(pages_of(array)))
        return "array " + array.name + " cannot be used: " + *problem;
  return {};
}

}  // namespace heddle::tool
