// What the device says of itself to a program: the figures of hipGetDeviceProperties, and how many
// workgroups fit it.
#pragma once

#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "runtime/program/device.h"

namespace heddle::program {

inline constexpr int compute_units = 8;

void describe(const ProgramDevice& device, hipDeviceProp_t& properties);

/// Workgroups of `block` threads of a kernel on a compute unit of RDNA: 1536 VGPRs of 32 lanes on
/// each of two SIMDs, 16 waves, 64 KiB of LDS. A model that is good enough to size a grid.
int blocks_of(const Kernel& kernel, int block, std::size_t lds_bytes);

}  // namespace heddle::program
