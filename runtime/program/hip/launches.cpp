// Launches, and what is known of kernels.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "runtime/program/hip/properties.h"
#include "runtime/program/hip/streams.h"
#include "runtime/program/registry.h"

namespace heddle::program {
namespace {

/// Returns the error of HIP for the outcome of a launch. If the launch was refused, also reports
/// heddle's message.
hipError_t launched(const ProgramDevice& device, const LaunchOutcome& outcome) {
  if (outcome.status == Status::done) return hipSuccess;
  if (outcome.status == Status::refused) {
    device.tell_mistake(outcome.message);
    return hipErrorInvalidConfiguration;
  }
  broken() = outcome.message == "address" ? hipErrorIllegalAddress : hipErrorLaunchFailure;
  return broken();
}

std::array<std::uint32_t, 3> sizes(dim3 size) { return {size.x, size.y, size.z}; }

}  // namespace

hipError_t launch(ProgramDevice& device, ProgramModule& module, const Kernel& kernel, dim3 grid,
                  dim3 block, std::size_t lds_bytes, const std::string& arguments,
                  bool is_cooperative) {
  if (lds_bytes > UINT32_MAX) return hipErrorInvalidConfiguration;
  return launched(device,
                  device.launch(module, kernel, sizes(grid), sizes(block),
                                static_cast<std::uint32_t>(lds_bytes), arguments, is_cooperative));
}

std::string packed(const Kernel& kernel, void** arguments) {
  std::string bytes(kernel.argument_bytes, '\0');
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    if (argument.offset + std::uint64_t{argument.bytes} > bytes.size()) continue;
    std::memcpy(bytes.data() + argument.offset, arguments[i], argument.bytes);
  }
  return bytes;
}

namespace {

/// Finds the kernel that the program registered for `function`, calls `use` with the kernel and its
/// module, and returns the result of `use`.
template <class Use>
hipError_t with_kernel(ProgramDevice& device, const void* function, Use use) {
  const RegisteredKernel* known = registered_kernel(function);
  if (!known) {
    device.tell_mistake("a launch of a function that is no kernel of this program");
    return hipErrorInvalidDeviceFunction;
  }
  if (!device.load(*known->module)) return hipErrorNoBinaryForGpu;
  const Kernel* kernel = known->module->find_kernel(known->name);
  return kernel ? use(*known->module, *kernel) : hipErrorInvalidDeviceFunction;
}
hipError_t with_kernel(const void* function, auto use) {
  return with_device([&](ProgramDevice& device) {
    return with_kernel(device, function,
                       [&](ProgramModule&, const Kernel& kernel) { return use(kernel); });
  });
}

/// True if all thread blocks fit on the device at once, as a cooperative launch requires. If not,
/// reports a mistake.
bool fits_at_once(const ProgramDevice& device, const Kernel& kernel, dim3 grid, dim3 block,
                  std::size_t lds_bytes) {
  const auto threads =
      static_cast<int>(std::min<std::uint64_t>(1024, std::uint64_t{block.x} * block.y * block.z));
  const int most = compute_units * blocks_of(kernel, threads, lds_bytes);
  const double blocks = double{1} * grid.x * grid.y * grid.z;
  if (blocks <= most) return true;
  device.tell_mistake("a cooperative launch of " +
                      std::to_string(static_cast<std::uint64_t>(blocks)) +
                      " blocks; of this kernel the device holds " + std::to_string(most) +
                      " at a time (hipOccupancyMaxActiveBlocksPerMultiprocessor)");
  return false;
}

// While such an object exists, reported mistakes concern a launch for which the compiler wrote the
// call (MistakeRequest).
class LaunchOfCompiler {
 public:
  LaunchOfCompiler(ProgramDevice& device, bool is) : device_(device) { device.set_launching(is); }
  ~LaunchOfCompiler() { device_.set_launching(false); }
  LaunchOfCompiler(const LaunchOfCompiler&) = delete;
  LaunchOfCompiler& operator=(const LaunchOfCompiler&) = delete;

 private:
  ProgramDevice& device_;
};

/// True if the stream may be used on the current device: it was created on that device, or it is a
/// null stream, which every device has.
bool device_fits(hipStream_t stream) {
  return stream == hipStreamLegacy || stream == hipStreamPerThread ||
         stream_of(stream).device == static_cast<int>(ProgramDevice::current());
}

struct LaunchKind {
  bool is_cooperative = false, is_of_compiler = false;
};

hipError_t launch_function(const void* function, dim3 grid, dim3 block, void** arguments,
                           std::size_t lds_bytes, hipStream_t stream, LaunchKind kind = {}) {
  if (hipGraphNode* node = add_captured(stream, hipGraphNodeTypeKernel)) {
    KernelNode kernel;
    const hipKernelNodeParams params{block, nullptr,   const_cast<void*>(function),
                                     grid,  arguments, static_cast<unsigned>(lds_bytes)};
    if (!keep_arguments(kernel, params)) return result(hipErrorInvalidDeviceFunction);
    kernel.is_cooperative = kind.is_cooperative;
    node->work = std::move(kernel);
    return hipSuccess;
  }
  return with_device([&](ProgramDevice& device) {
    if (stream && !device_fits(stream)) {
      device.tell_mistake("a launch on a stream of another device than that of this thread");
      return hipErrorInvalidHandle;
    }
    const LaunchOfCompiler launching(device, kind.is_of_compiler);
    return with_kernel(device, function, [&](ProgramModule& module, const Kernel& kernel) {
      if (kind.is_cooperative && !fits_at_once(device, kernel, grid, block, lds_bytes))
        return hipErrorCooperativeLaunchTooLarge;
      return launch(device, module, kernel, grid, block, lds_bytes, packed(kernel, arguments),
                    kind.is_cooperative);
    });
  });
}

}  // namespace

bool keep_arguments(KernelNode& node, const hipKernelNodeParams& params) {
  const hipError_t error = with_kernel(params.func, [&](const Kernel& kernel) {
    if (!(params.kernelParams || kernel.arguments.empty())) return hipErrorInvalidDeviceFunction;
    node.params = params;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
      node.arguments.emplace_back(static_cast<const char*>(params.kernelParams[i]),
                                  kernel.arguments[i].bytes);
    for (std::string& bytes : node.arguments) node.pointers.push_back(bytes.data());
    return hipSuccess;
  });
  return error == hipSuccess;
}

hipError_t run_kernel(const KernelNode& node) {
  const hipKernelNodeParams& params = node.params;
  return launch_function(params.func, params.gridDim, params.blockDim,
                         const_cast<void**>(node.pointers.data()), params.sharedMemBytes, nullptr,
                         {.is_cooperative = node.is_cooperative});
}

}  // namespace heddle::program

using namespace heddle::program;

extern "C" {

hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                           std::size_t lds_bytes, hipStream_t stream) {
  return launch_function(kernel, grid, block, arguments, lds_bytes, stream);
}
hipError_t hipLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                      unsigned lds_bytes, hipStream_t stream) {
  return launch_function(kernel, grid, block, arguments, lds_bytes, stream,
                         {.is_cooperative = true});
}
hipError_t hipExtLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                              std::size_t lds_bytes, hipStream_t stream, hipEvent_t begin,
                              hipEvent_t end, int) {
  if (begin) hipEventRecord(begin, stream);
  const hipError_t error = launch_function(kernel, grid, block, arguments, lds_bytes, stream);
  if (end) hipEventRecord(end, stream);
  return error;
}
// The host code that clang generates for CUDA calls this name; for HIP it calls hipLaunchKernel.
hipError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                            std::size_t lds_bytes, hipStream_t stream) {
  return launch_function(kernel, grid, block, arguments, lds_bytes, stream,
                         {.is_of_compiler = true});
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
  return with_kernel(function, [&](const Kernel& kernel) {
    *attributes = {};
    attributes->localSizeBytes = kernel.scratch_bytes;
    attributes->sharedSizeBytes = kernel.lds_bytes;
    attributes->numRegs = static_cast<int>(kernel.registers);
    attributes->maxThreadsPerBlock = static_cast<int>(kernel.most_threads);
    attributes->maxDynamicSharedSizeBytes = 65536 - static_cast<int>(kernel.lds_bytes);
    return hipSuccess;
  });
}
hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int) { return hipSuccess; }
hipError_t hipFuncSetCacheConfig(const void*, hipFuncCache_t) { return hipSuccess; }
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                        int block, std::size_t lds_bytes) {
  return with_kernel(function, [&](const Kernel& kernel) {
    *blocks = blocks_of(kernel, block, lds_bytes);
    return hipSuccess;
  });
}
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* function,
                                             std::size_t lds_bytes, int limit) {
  return with_kernel(function, [&](const Kernel& kernel) {
    int best = 0;
    *block = 32;
    const int most = limit > 0 ? std::min(limit, 1024) : static_cast<int>(kernel.most_threads);
    for (int size = 32; size <= most; size += 32)
      if (const int threads = size * blocks_of(kernel, size, lds_bytes); threads >= best) {
        best = threads;
        *block = size;
      }
    *grid = compute_units * std::max(1, best / *block);
    return hipSuccess;
  });
}
}
