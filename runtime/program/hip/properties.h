// The properties of the device: the figures of hipGetDeviceProperties, and how many workgroups fit
// on it.
#pragma once

#include <cstddef>

#include "runtime/program/device.h"
#include "runtime/program/hip/functions.h"

namespace heddle::program {

inline constexpr int compute_units = 8;

void describe(ProgramDevice& device, hipDeviceProp_t& properties);

/// How many workgroups of `block` threads of a kernel fit on a compute unit. The model is a compute
/// unit of RDNA, which has two SIMDs, each with 1536 VGPRs of 32 lanes and 16 waves, and 64 KiB of
/// LDS. It is good enough to size a grid.
int blocks_of(const Kernel& kernel, int block, std::size_t lds_bytes);

}  // namespace heddle::program
