// The common parts of HIP's functions: getting the device, and returning errors. CUDA's runtime has
// the same functions under its own names (runtime/cuda_without_sdk/cuda_runtime_api.h), so the
// functions here serve HIP and CUDA.
#pragma once

#include <mutex>
#include <string>

#include "runtime/program/device.h"
#include "runtime/program/hip/functions.h"

struct ihipModuleSymbol_t {
  heddle::program::ProgramModule* module;
  const heddle::program::Kernel* kernel;
};

namespace heddle::program {

/// Stores an error as the thread's last error, and returns it.
hipError_t result(hipError_t error);

/// The error of an earlier kernel that ended in a fault; hipSuccess if none did. After a fault
/// every call returns this error, because a GPU's context is lost.
hipError_t& broken();

/// Runs `call` on the device with its lock held.
template <class Call>
hipError_t with_device(Call call) {
  ProgramDevice* const device = ProgramDevice::get();
  if (!device) return result(hipErrorNoDevice);
  const std::lock_guard lock(device->mutex());
  if (broken() != hipSuccess) return result(broken());
  return result(call(*device));
}

/// Copies `bytes` bytes. `call` is the name of the HIP function, for messages.
hipError_t copy(void* to, const void* from, std::uint64_t bytes, hipMemcpyKind kind,
                const char* call);
/// The bytes of a kernel's arguments, each value at its offset. `arguments` has a pointer to each
/// value.
std::string packed(const Kernel& kernel, void** arguments);
hipError_t launch(ProgramDevice& device, ProgramModule& module, const Kernel& kernel, dim3 grid,
                  dim3 block, std::size_t lds_bytes, const std::string& arguments,
                  bool is_cooperative = false);

}  // namespace heddle::program
