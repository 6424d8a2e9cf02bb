#include "emulator/check/other_orders.h"

#include <algorithm>
#include <span>

#include "emulator/formatted.h"

namespace heddle::emulator::check {
namespace {

constexpr std::pair<WorkgroupOrder, std::string_view> orders[] = {
    {WorkgroupOrder::falling, "in falling order"},
    {WorkgroupOrder::shuffled, "in another order"},
    {WorkgroupOrder::interleaved, "at the same time"}};

// Instructions of a run that is repeated in other orders.
constexpr uint64_t most_for_orders = 100'000'000;

}  // namespace

BufferContents::BufferContents(const AddressSpace& memory) : memory_(&memory) {
  for (uint64_t i = first_buffer_region; i < memory.region_count(); ++i) {
    const Region& region = memory.regions()[i];
    buffers_.emplace_back(region.host, region.host + region.size);
  }
}

void BufferContents::put_back() const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    std::ranges::copy(buffers_[i], memory_->regions()[first_buffer_region + i].host);
}

std::optional<uint64_t> BufferContents::first_difference() const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Region& region = memory_->regions()[first_buffer_region + i];
    const auto then = std::ranges::mismatch(buffers_[i], std::span(region.host, region.size)).in1;
    if (then != buffers_[i].end())
      return region.base + static_cast<uint64_t>(then - buffers_[i].begin());
  }
  return {};
}

uint64_t BufferContents::bytes(const AddressSpace& memory) {
  uint64_t all = 0;
  for (uint64_t i = first_buffer_region; i < memory.region_count(); ++i)
    all += memory.regions()[i].size;
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
    const auto address = results.first_difference();
    if (!address) continue;
    if (runs.adds_floats)
      found.unchecked.push_back(
          "whether the order of the workgroups changes more than the roundings of its float "
          "atomics");
    else
      found.difference = {*address, name};
    break;
  }
  results.put_back();
  return found;
}

}  // namespace heddle::emulator::check
