// Lets a kernel call the host, through the buffer to which the hidden argument
// hidden_hostcall_buffer points. Waves that run AMD's device library request a service there and
// wait for the answer. Only one service is implemented: printf.
//
// Source of the layout and the protocol: ROCm device libraries 6.0, ockl/src/hostcall_impl.cl and
// services.cl; for the packets that are free at the start, ROCm's clr 6.0, device/devhostcall.cpp.
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
  // Makes the buffer for a launch of `waves` waves. The device's code does not wait for a free
  // packet, so there must be one for each wave that calls at the same time.
  explicit HostCalls(uint64_t waves);

  std::span<std::byte> bytes() { return {memory_.get(), bytes_}; }
  static uint64_t bytes(uint64_t waves);
  // The address that the hidden argument has.
  uint64_t address() const { return buffer_base(hostcall_region, bytes_); }

  // Forgets the messages of an earlier run.
  void clear();
  // Whether a wave has asked for something.
  bool is_asked() const;
  // Answers all pending calls. Printed text is added to `printed`, as printed by workgroup
  // `workgroup`. If a wave requests something that the host cannot do, returns the reason; else
  // null.
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
