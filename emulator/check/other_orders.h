// Runs a checked launch again with its workgroups in other orders, and compares the contents of
// memory: these must not depend on which workgroup runs first. The emulators of AMD and NVIDIA
// kernels both use this; each passes a function that runs its launch.
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
  // How buffers differ from the contents in this object. `may_be_rounding` is true if every word
  // that differs may be the same sum of floats, added in another order. `address` is the first byte
  // that differs (if `may_be_rounding` is false, by more than rounding); null if none does.
  struct Difference {
    std::optional<uint64_t> address;
    bool may_be_rounding = false;
  };
  Difference first_difference() const;
  // The host's bytes that one of these objects takes.
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
  // Runs the launch, and stops after `most` instructions.
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

// Runs the launch in other orders and compares the results with those of the first run.
// Precondition: the buffers contain the results of the first run; when the function returns, they
// contain these results again.
OrderDependence try_other_orders(const AddressSpace& memory, const OtherRuns& runs);

}  // namespace heddle::emulator::check
