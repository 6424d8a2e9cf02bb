// The devices that run a kernel: an NVIDIA GPU through its driver, or a substitute in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "probe/ptx_kernel.h"

namespace heddle::probe {

using Words = std::vector<std::uint32_t>;

/// One launch: the kernel, the tables it reads and how entries are chosen (KernelParameters).
struct Launch {
  std::string ptx;
  int threads = 32;
  int grid_x = 1, grid_y = 1;
  Words a, b, index;              // tables
  KernelParameters parameters{};  // strides, sizes and descriptors; addresses are the device's
  std::size_t out_words = 0;      // of the whole of `out`
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  virtual std::string driver() const = 0;
  /// "sm_90" and so on.
  virtual std::string processor() const = 0;
  /// Returns `out` after the launch. Error: the driver's message.
  virtual std::expected<Words, std::string> run(const Launch& launch) = 0;
};

/// The first NVIDIA GPU, or why there is none: no driver library, no GPU.
std::expected<std::unique_ptr<Device>, std::string> open_device();

}  // namespace heddle::probe
