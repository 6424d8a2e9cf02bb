// A launch: its kernel, memory and arguments, which all clusters share.
#pragma once

#include <expected>
#include <memory>
#include <vector>

#include "emulator/machine/address_space.h"
#include "emulator/ptx/heap.h"
#include "emulator/ptx/program.h"
#include "emulator/record/launch.h"
#include "emulator/record/printed.h"

namespace heddle::emulator::ptx {

class Dispatch {
 public:
  static std::expected<std::unique_ptr<Dispatch>, Fault> prepare(const Program& program,
                                                                 const Kernel& kernel,
                                                                 const Launch& launch);

  const Program& program() const { return *program_; }
  const Launch& launch() const { return *launch_; }
  const AddressSpace& memory() const { return memory_; }
  // The meter to which all threads of the host charge what they execute.
  Meter& meter() const { return meter_; }
  // The heap of malloc and free; null if the program does not use it.
  Heap* heap() const { return heap_.get(); }
  // The text that the kernel has printed, by the number of the block.
  PrintedText& printed() const { return printed_; }
  uint64_t number_of(const std::array<uint32_t, 3>& block) const {
    return block[0] + launch_->grid[0] * (block[1] + uint64_t{launch_->grid[1]} * block[2]);
  }
  std::array<uint32_t, 3> cluster() const { return cluster_; }
  uint32_t blocks_per_cluster() const { return cluster_[0] * cluster_[1] * cluster_[2]; }
  uint64_t clusters() const;
  uint32_t threads() const { return threads_; }
  uint32_t warps() const { return (threads_ + 31) / 32; }
  // The size of a block's shared memory, from address 0 of the shared window: the part that is
  // reserved for the system, then static and dynamic memory.
  uint32_t shared_end() const;
  std::array<uint32_t, 3> first_block(uint64_t cluster) const;
  uint64_t value(Special special, const Warp& w, unsigned lane) const;
  // The value of a special register that changes while a warp runs. A clock advances by one for
  // each instruction of the block. The timer advances by 1 ns for each instruction of the launch.
  // Clocks and the timer also advance by the time that threads have slept.
  uint64_t time(Special special, const Warp& w) const;

 private:
  std::optional<std::string> check(const Kernel& kernel);
  std::optional<std::string> place_arguments(const Kernel& kernel);
  std::optional<std::string> place_bytes(const Kernel& kernel);
  std::optional<std::string> place_each(const Kernel& kernel);
  std::optional<std::string> encode(const TensorMap& map, std::byte* place);

  Dispatch(const Program& program, const Launch& launch)
      : program_(&program), launch_(&launch), meter_(launch.budget, launch.spent) {}

  const Program* program_;
  const Launch* launch_;
  mutable Meter meter_;
  mutable PrintedText printed_;
  std::unique_ptr<Heap> heap_;
  AddressSpace memory_;
  std::array<uint32_t, 3> cluster_{1, 1, 1};
  uint32_t threads_ = 0;
  std::vector<std::byte> image_, parameters_;
};

}  // namespace heddle::emulator::ptx
