// Runs a checked launch again with its workgroups in other orders: the contents of memory must not
// depend on which workgroup comes first. Both machines use this, and pass a function that runs the
// launch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/dispatch/workgroup_order.h"
#include "emulator/machine/address_space.h"

namespace heddle::emulator::check {

// The contents of a launch's buffers at one time.
class BufferContents {
 public:
  explicit BufferContents(const AddressSpace& memory);
  void put_back() const;
  // The address of the first byte that now has another value. It also says whether all differences
  // are words that may be one sum of floats in two orders.
  struct Difference {
    std::optional<uint64_t> address;
    bool may_be_rounding = false;
  };
  Difference first_difference() const;
  // Of the host, that one of these takes.
  static uint64_t bytes(const AddressSpace& memory);

 private:
  const AddressSpace* memory_;
  std::vector<std::vector<std::byte>> buffers_;
};

struct OtherRuns {
  uint64_t executed = 0;     // instructions of the run that is compared with
  bool adds_floats = false;  // it rounds float atomics in the order in which they come
  // Gives the buffers the values that they had before the launch.
  std::function<void()> restore;
  // Runs the launch, cut after so many instructions.
  enum class End : uint8_t { whole, cut, finding };
  std::function<End(WorkgroupOrder order, uint64_t most)> run;
};

struct OrderDependence {
  struct Difference {
    uint64_t address;      // of the first byte that is not the same
    std::string_view how;  // "in falling order"
    std::string text(const AddressSpace& memory) const;
  };
  std::optional<Difference> difference;
  std::vector<std::string> unchecked;  // each the end of "not checked: …"
};

// The buffers hold the results of the run that is compared with, and do so again afterwards.
OrderDependence try_other_orders(const AddressSpace& memory, const OtherRuns& runs);

}  // namespace heddle::emulator::check
