// The orders in which the workgroups (or the clusters of workgroups) of a launch are started, and
// in which the waves of a workgroup take turns.
#pragma once

#include <cstdint>
#include <numeric>

namespace heddle::emulator {

// interleaved: as many workgroups as possible run at the same time, and take turns of a few
// instructions each.
enum class WorkgroupOrder : uint8_t { rising, falling, shuffled, interleaved };

class PlacesInOrder {
 public:
  PlacesInOrder(WorkgroupOrder order, uint64_t total) : order_(order), total_(total) {
    if (order == WorkgroupOrder::shuffled)
      for (stride_ = total * 5 / 8 | 1; std::gcd(stride_, total) != 1;) stride_ += 2;
  }
  // The number of the workgroup that is started as number `place` in this order. Returns `place`
  // itself if there are not that many workgroups.
  uint64_t workgroup_at(uint64_t place) const {
    if (place >= total_) return place;
    if (order_ == WorkgroupOrder::falling) return total_ - 1 - place;
    if (order_ == WorkgroupOrder::shuffled) return (place * stride_ + total_ / 3) % total_;
    return place;
  }

 private:
  WorkgroupOrder order_;
  uint64_t total_;
  uint64_t stride_ = 1;  // shares no factor with the number of workgroups
};

}  // namespace heddle::emulator
