#include "emulator/check/other_orders.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "library/text/formatted.h"

namespace heddle::emulator::check {
namespace {

constexpr std::pair<WorkgroupOrder, std::string_view> orders[] = {
    {WorkgroupOrder::falling, "in falling order"},
    {WorkgroupOrder::shuffled, "in another order"},
    {WorkgroupOrder::interleaved, "at the same time"}};

uint32_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

// True if two words may be the results of the same sum of floats, added in two different orders.
// Small integers are denormal as floats, and denormals never count as such sums.
bool may_be_rounding(uint32_t a, uint32_t b) {
  const float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  const bool are_normal = std::isnormal(x) && std::isnormal(y);
  return are_normal && std::abs(x - y) <= 0x1p-10f * std::max(std::abs(x), std::abs(y));
}

// A launch is repeated in other orders only if its run has executed at most this many instructions.
constexpr uint64_t most_for_orders = 100'000'000;

}  // namespace

BufferContents::BufferContents(const AddressSpace& memory) : memory_(&memory) {
  for (uint64_t i = first_written_region; i < memory.region_count(); ++i) {
    const Region& region = memory.regions()[i];
    buffers_.emplace_back(region.host, region.host + (memory.is_writable(i) ? region.size : 0));
  }
}

void BufferContents::put_back() const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    std::ranges::copy(buffers_[i], memory_->regions()[first_written_region + i].host);
}

BufferContents::Difference BufferContents::first_difference() const {
  Difference first;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (first_written_region + i == memory_->unordered_region()) continue;
    const Region& region = memory_->regions()[first_written_region + i];
    const std::span<const std::byte> then = buffers_[i], now(region.host, then.size());
    for (std::size_t at = 0; at < then.size();) {
      const auto [differs, other] = std::ranges::mismatch(then.subspan(at), now.subspan(at));
      if (differs == then.end()) break;
      const auto place = static_cast<std::size_t>(differs - then.begin());
      const Launch::Range unordered = memory_->unordered();
      if (region.base + place - unordered.address < unordered.bytes) {
        at = std::min<uint64_t>(unordered.address + unordered.bytes - region.base, then.size());
        continue;
      }
      const std::size_t word = place & ~std::size_t{3};
      const bool rounds =
          word + 4 <= then.size() && may_be_rounding(word_at(then, word), word_at(now, word));
      if (!first.address || !rounds) first = {region.base + place, rounds};
      if (!rounds) return first;
      at = word + 4;
    }
  }
  return first;
}

uint64_t BufferContents::bytes(const AddressSpace& memory) {
  uint64_t all = 0;
  for (uint64_t i = first_written_region; i < memory.region_count(); ++i)
    if (memory.is_writable(i)) all += memory.regions()[i].size;
  return all;
}

std::string OrderDependence::Difference::text(const AddressSpace& memory) const {
  return formatted("writes {}, which holds another value when the workgroups run {}",
                   memory.describe(address, 1), how);
}

OrderDependence try_other_orders(const AddressSpace& memory, const OtherRuns& runs) {
  OrderDependence found;
  if (runs.executed > most_for_orders) {
    found.unchecked.push_back(
        formatted("other orders of the workgroups: the run takes {} instructions, and other "
                  "orders are tried up to {}",
                  runs.executed, most_for_orders));
    return found;
  }
  const BufferContents results(memory);
  for (const auto& [order, name] : orders) {
    runs.restore();
    const OtherRuns::End end = runs.run(order, 2 * runs.executed + 1'000'000);
    if (end == OtherRuns::End::finding) break;
    if (end == OtherRuns::End::cut) {
      found.unchecked.push_back(formatted(
          "workgroups {}: the run does not end so (one waits for another that starts later)",
          name));
      continue;
    }
    const BufferContents::Difference difference = results.first_difference();
    if (!difference.address) continue;
    if (runs.adds_floats || difference.may_be_rounding)
      found.unchecked.push_back(
          "whether the order of the workgroups changes more than the roundings of its float sums");
    else
      found.difference = {*difference.address, name};
    break;
  }
  results.put_back();
  return found;
}

}  // namespace heddle::emulator::check
