// The orders in which the workgroups of a launch, or clusters of them, are started, and in which the
// waves of a workgroup have their turns.
#pragma once

#include <cstdint>
#include <numeric>

namespace heddle::emulator {

// interleaved: as many workgroups as possible run at a time, each for a few instructions by turns.
enum class WorkgroupOrder : uint8_t { rising, falling, shuffled, interleaved };

class PlacesInOrder {
 public:
  PlacesInOrder(WorkgroupOrder order, uint64_t total) : order_(order), total_(total) {
    if (order == WorkgroupOrder::shuffled)
      for (stride_ = total * 5 / 8 | 1; std::gcd(stride_, total) != 1;) stride_ += 2;
  }
  // The workgroup that is started at `place`. Beyond the last workgroup it returns `place`.
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
