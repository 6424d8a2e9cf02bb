// Modules that a program loads by itself.
#include <fstream>
#include <iterator>
#include <string>

#include "runtime/program/hip/calls.h"
#include "runtime/program/hip/registration.h"

using namespace heddle::program;

extern "C" {

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return with_device([&](ProgramDevice& device) {
    ProgramModule& made = device.add_module(binary_text(image));
    if (!device.load(made)) {
      device.remove_module(made);
      return hipErrorInvalidImage;
    }
    *module = reinterpret_cast<hipModule_t>(&made);
    return hipSuccess;
  });
}
hipError_t hipModuleLoad(hipModule_t* module, const char* name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return result(hipErrorFileNotFound);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  return with_device([&](ProgramDevice& device) {
    ProgramModule& made = device.add_module(bytes);
    if (!device.load(made)) {
      device.remove_module(made);
      return hipErrorInvalidImage;
    }
    *module = reinterpret_cast<hipModule_t>(&made);
    return hipSuccess;
  });
}
hipError_t hipModuleUnload(hipModule_t module) {
  return with_device([&](ProgramDevice& device) {
    if (module) device.remove_module(*reinterpret_cast<ProgramModule*>(module));
    return hipSuccess;
  });
}
hipError_t hipModuleGetFunction(hipFunction_t* kernel, hipModule_t module, const char* name) {
  return with_device([&](ProgramDevice&) {
    auto* const in = reinterpret_cast<ProgramModule*>(module);
    const Kernel* found = in && name ? in->find_kernel(name) : nullptr;
    if (!found) return hipErrorNotFound;
    *kernel = new ihipModuleSymbol_t{in, found};
    return hipSuccess;
  });
}
hipError_t hipModuleGetGlobal(hipDeviceptr_t* place, std::size_t* bytes, hipModule_t module,
                              const char* name) {
  return with_device([&](ProgramDevice& device) {
    auto* const in = reinterpret_cast<ProgramModule*>(module);
    const Variable* found = in && name ? in->find_variable(name) : nullptr;
    if (!found) return hipErrorNotFound;
    device.note_symbol(*found, *in);
    if (place) *place = reinterpret_cast<void*>(found->address);
    if (bytes) *bytes = found->bytes;
    return hipSuccess;
  });
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned lds_bytes, hipStream_t,
                                 void** arguments, void** extra) {
  return with_device([&](ProgramDevice& device) {
    if (!function) return hipErrorInvalidHandle;
    std::string bytes;
    if (arguments) {
      bytes = packed(*function->kernel, arguments);
    } else if (extra) {
      const void* first = nullptr;
      std::size_t count = 0;
      for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER) first = extra[1];
        if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE) count = *static_cast<std::size_t*>(extra[1]);
      }
      bytes.assign(function->kernel->argument_bytes, '\0');
      if (first) std::memcpy(bytes.data(), first, std::min(count, bytes.size()));
    }
    return launch(device, *function->module, *function->kernel, dim3(grid_x, grid_y, grid_z),
                  dim3(block_x, block_y, block_z), lds_bytes, bytes);
  });
}
}
