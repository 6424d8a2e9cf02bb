// A launch that is ready to run. Memory is mapped, arguments are laid out, and everything is known
// that a wave needs when it starts.
#pragma once

#include <algorithm>
#include <array>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/decode/program.h"
#include "emulator/dispatch/host_calls.h"
#include "emulator/machine/address_space.h"
#include "emulator/machine/wavefront.h"
#include "emulator/record/launch.h"
#include "emulator/record/printed.h"

namespace heddle::emulator {

class Dispatch {
 public:
  static std::expected<std::unique_ptr<Dispatch>, Fault> prepare(const CodeObject& object,
                                                                 const Launch& launch);

  const CodeObject& object() const { return object_; }
  const Launch& launch() const { return launch_; }
  const Kernel& kernel() const { return kernel_; }
  const Program& program() const { return object_.program(); }
  const AddressSpace& memory() const { return memory_; }

  int wave() const { return program().wave(); }  // lanes
  uint32_t waves_per_workgroup() const {
    const auto lanes = static_cast<uint32_t>(wave());
    return (threads_ + lanes - 1) / lanes;
  }
  uint64_t workgroups() const {
    return uint64_t{launch_.grid[0]} * launch_.grid[1] * launch_.grid[2];
  }
  // The number of workgroups of a cluster: along each axis, and in all. Only gfx1250 has clusters;
  // elsewhere all numbers are 1.
  std::array<uint32_t, 3> cluster() const {
    const auto& given = launch_.cluster[0] != 0 ? launch_.cluster : kernel_.cluster;
    return {std::max(given[0], 1u), std::max(given[1], 1u), std::max(given[2], 1u)};
  }
  uint32_t cluster_workgroups() const { return cluster()[0] * cluster()[1] * cluster()[2]; }
  uint64_t clusters() const { return workgroups() / cluster_workgroups(); }
  // The number of the workgroup at position `place` in cluster number `number`. Clusters, positions
  // in a cluster, and workgroups are each counted along x first, then y, then z.
  uint64_t workgroup_of_cluster(uint64_t number, uint32_t place) const;
  uint64_t waves() const { return workgroups() * waves_per_workgroup(); }
  std::array<uint32_t, 3> workgroup_id(uint64_t linear) const;
  uint64_t lds_bytes() const { return uint64_t{kernel_.lds_bytes} + launch_.dynamic_lds_bytes; }
  uint64_t scratch_bytes() const { return scratch_bytes_; }
  // Host memory that the launch takes before any workgroup runs.
  uint64_t bytes() const {
    return image_.size() + arguments_.size() + packet_.size() +
           (host_calls_ ? HostCalls::bytes(waves()) : 0);
  }

  // Null if the kernel never asks the host for anything.
  HostCalls* host_calls() const { return host_calls_.get(); }
  // The text that the kernel prints, sorted by workgroup.
  PrintedText& printed() const { return printed_; }

  // The number of SGPRs that the launch sets: the user registers, then the workgroup's number on
  // gfx11.
  uint32_t initial_scalars() const;
  // Sets the registers and pointers of one wave for its first instruction, but not LDS and scratch.
  void start(Wavefront& wave, std::array<uint32_t, 3> workgroup, uint32_t wave_number) const;

 private:
  Dispatch(const CodeObject& object, const Launch& launch, const Kernel& kernel)
      : object_(object), launch_(launch), kernel_(kernel) {}

  std::optional<std::string> check() const;
  std::optional<std::string> check_grid() const;
  std::optional<std::string> check_cluster() const;
  std::optional<std::string> place_image();
  std::optional<std::string> place_arguments();
  std::optional<std::string> place_bytes(std::span<const KernelArgument* const> visible);
  std::optional<std::string> place_each(std::span<const KernelArgument* const> visible);
  void place_hidden(const KernelArgument& argument);
  void place_packet();
  void set_scalars(Wavefront& wave, std::array<uint32_t, 3> workgroup, uint32_t wave_number) const;
  void clear_vectors(Wavefront& half) const;
  void set_vectors(Wavefront& half, uint32_t wave_number) const;

  const CodeObject& object_;
  const Launch& launch_;
  const Kernel& kernel_;
  AddressSpace memory_;
  std::vector<std::byte>
      image_;  // a copy: neither the kernel nor the emulator may change the caller's
  std::vector<std::byte> arguments_;
  std::vector<std::byte> packet_;
  std::unique_ptr<HostCalls> host_calls_;
  mutable PrintedText printed_;
  uint32_t threads_ = 0;
  uint64_t scratch_bytes_ = 0;
};

}  // namespace heddle::emulator
