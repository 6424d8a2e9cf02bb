// Calls of the host: the buffer of the hidden argument hidden_hostcall_buffer, in which waves of
// AMD's device library ask the host for a service and wait for its answer. The only service here is
// printf.
//
// Source of the layout and the protocol: ROCm device libraries 6.0, ockl/src/hostcall_impl.cl and
// services.cl; for the packets that are free at first, ROCm's clr 6.0, device/devhostcall.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/machine/memory.h"
#include "emulator/record/printed.h"

namespace heddle::emulator {

constexpr uint32_t hostcall_region = 6;
static_assert(hostcall_region > scratch_buffer_region && hostcall_region < first_buffer_region);

class HostCalls {
 public:
  // For a launch of `waves` waves. The device's code needs a packet for each wave that calls at the
  // same time, and does not wait for a free one.
  explicit HostCalls(uint64_t waves);

  std::span<std::byte> bytes() { return {memory_.get(), bytes_}; }
  static uint64_t bytes(uint64_t waves);
  // The address that the hidden argument has.
  uint64_t address() const { return buffer_base(hostcall_region, bytes_); }

  // Forgets the messages of an earlier run.
  void clear();
  // Whether a wave has asked for something.
  bool is_asked() const;
  // Answers all waves that ask. `workgroup`: the workgroup whose text is printed. Returns the
  // reason if the host cannot do what a wave asks for.
  std::optional<std::string> serve(uint64_t workgroup, PrintedText& printed);

 private:
  struct Header;
  std::optional<std::string> serve(Header& header, std::byte* payload, uint64_t workgroup,
                                   PrintedText& printed);
  std::optional<std::string> take(uint64_t* slots, uint64_t workgroup, PrintedText& printed);
  template <class T>
  T* at(uint64_t offset) const {
    return reinterpret_cast<T*>(memory_.get() + offset);
  }

  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<std::byte[], Free> memory_;
  uint64_t packets_ = 0, bytes_ = 0;
  std::mutex mutex_;
  // Messages that have not ended, by their number.
  std::map<uint64_t, std::vector<uint64_t>> messages_;
  uint64_t last_message_ = 0, words_ = 0;
};

}  // namespace heddle::emulator
