#include "runtime/program/hip/properties.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::program {

namespace {

/// The number at the beginning of `text`; 0 if there is none.
int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

int blocks_of(const Kernel& kernel, int block, std::size_t lds_bytes) {
  const int waves = std::max(1, (block + 31) / 32);
  const std::size_t lds = kernel.lds_bytes + lds_bytes;
  const int by_waves = 32 / waves;
  const int by_registers =
      kernel.registers == 0 ? 32
                            : 2 * static_cast<int>(1536 / std::max(1u, kernel.registers)) / waves;
  const int by_lds = lds == 0 ? 32 : static_cast<int>(65536 / lds);
  return std::max(0, std::min({by_waves, by_registers, by_lds}));
}

void describe(ProgramDevice& device, hipDeviceProp_t& p) {
  p = {};
  const std::string& name = device.processor();
  std::snprintf(p.name, sizeof p.name, "%s, emulated by Heddle", name.c_str());
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", name.c_str());
  const bool is_nvidia = device.is_nvidia();
  const int number = number_in(std::string_view(name).substr(3));
  // gfx1151 is 11.5.1, and gfx90a 9.0.a.
  const bool is_amd = !is_nvidia && name.size() > 5;
  p.major = is_nvidia ? number / 10
            : is_amd  ? number_in(std::string_view(name).substr(3, name.size() - 5))
                      : 0;
  p.minor = is_nvidia ? number % 10 : is_amd ? name[name.size() - 2] - '0' : 0;
  // The last character of a name is a hexadecimal digit: gfx90a gives 900 + 10.
  if (is_amd)
    p.gcnArch = 100 * p.major + 10 * p.minor + std::stoi(name.substr(name.size() - 1), nullptr, 16);
  p.totalGlobalMem = device_bytes;
  const instruction::ProcessorRow* const row = instruction::find_processor(name);
  // In CUDA a thread block has 48 KiB of shared memory, and more only if the kernel opts in.
  p.sharedMemPerBlockOptin = row ? static_cast<std::size_t>(row->shared_bytes) : 65536;
  p.sharedMemPerBlock = is_nvidia ? 49152 : p.sharedMemPerBlockOptin;
  p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor = p.sharedMemPerBlockOptin;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = row ? instruction::default_wave(row->target) : 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = is_nvidia ? 64 : 1024;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.clockRate = p.memoryClockRate = p.clockInstructionRate = 1000000;
  p.totalConstMem = 65536;
  p.textureAlignment = p.texturePitchAlignment = 256;
  p.multiProcessorCount = compute_units;
  p.maxThreadsPerMultiProcessor = 1024;
  p.maxBlocksPerMultiProcessor = 32;
  p.memoryBusWidth = 256;
  p.l2CacheSize = 2 << 20;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory =
      p.concurrentManagedAccess = p.cooperativeLaunch = p.integrated = 1;
  p.arch.hasGlobalInt32Atomics = p.arch.hasSharedInt32Atomics = p.arch.hasFloatAtomicAdd =
      p.arch.hasGlobalInt64Atomics = p.arch.hasDoubles = p.arch.hasWarpVote = p.arch.hasWarpBallot =
          p.arch.hasWarpShuffle = p.arch.has3dGrid = p.arch.hasThreadFenceSystem = 1;
}

}  // namespace heddle::program
