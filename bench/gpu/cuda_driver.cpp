#include "bench/gpu/cuda_driver.h"

#include <dlfcn.h>

#include <cstdlib>

namespace heddle::bench {
namespace {

template <class Function>
bool find(void* library, const char* name, Function*& function, std::string& error) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function != nullptr) return true;
  error = std::string("the library has no function ") + name;
  return false;
}

void* open_first(const char* variable, std::initializer_list<const char*> names) {
  if (const char* path = std::getenv(variable)) return dlopen(path, RTLD_NOW);
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  return nullptr;
}

}  // namespace

bool Cuda::open(std::string& error) {
  void* driver =
      open_first("HEDDLE_LIBCUDA", {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"});
  if (driver == nullptr) {
    error = "there is no CUDA driver here: libcuda.so.1 cannot be opened";
    return false;
  }
  void* cublas = open_first("HEDDLE_CUBLAS", {"libcublas.so.13", "libcublas.so.12",
                                              "/usr/local/cuda/lib64/libcublas.so"});
  if (cublas == nullptr) {
    error =
        "there is no cuBLAS here: libcublas.so.13 cannot be opened; HEDDLE_CUBLAS names its file";
    return false;
  }
  std::string without_nvml;
  if (void* nvml = open_first("HEDDLE_NVML", {"libnvidia-ml.so.1"});
      nvml != nullptr &&
      find(nvml, "nvmlSystemGetDriverVersion", nvml_driver_version, without_nvml) &&
      find(nvml, "nvmlDeviceGetHandleByIndex_v2", nvml_device, without_nvml) &&
      find(nvml, "nvmlDeviceGetClockInfo", nvml_clock, without_nvml) &&
      find(nvml, "nvmlDeviceGetPowerManagementLimit", nvml_power_limit, without_nvml))
    find(nvml, "nvmlInit_v2", nvml_init, without_nvml);
  return find(driver, "cuInit", init, error) && find(driver, "cuDeviceGet", device_get, error) &&
         find(driver, "cuDeviceGetName", device_name, error) &&
         find(driver, "cuDriverGetVersion", driver_version, error) &&
         find(driver, "cuDeviceGetCount", device_count, error) &&
         find(driver, "cuDevicePrimaryCtxRetain", retain_context, error) &&
         find(driver, "cuCtxSetCurrent", set_context, error) &&
         find(driver, "cuModuleLoadDataEx", load_module, error) &&
         find(driver, "cuModuleUnload", unload_module, error) &&
         find(driver, "cuModuleGetFunction", get_function, error) &&
         find(driver, "cuFuncSetAttribute", set_attribute, error) &&
         find(driver, "cuMemAlloc_v2", allocate, error) &&
         find(driver, "cuMemFree_v2", release, error) &&
         find(driver, "cuMemcpyHtoD_v2", to_device, error) &&
         find(driver, "cuMemcpyDtoH_v2", to_host, error) &&
         find(driver, "cuMemsetD8_v2", fill, error) &&
         find(driver, "cuLaunchKernel", launch, error) &&
         find(driver, "cuEventCreate", create_event, error) &&
         find(driver, "cuEventRecord", record, error) &&
         find(driver, "cuEventQuery", query, error) &&
         find(driver, "cuEventElapsedTime", elapsed, error) &&
         find(driver, "cuGetErrorName", error_name, error) &&
         find(driver, "cuTensorMapEncodeTiled", encode_tiled, error) &&
         find(cublas, "cublasCreate_v2", create, error) &&
         find(cublas, "cublasGetVersion_v2", version, error) &&
         find(cublas, "cublasSetWorkspace_v2", set_workspace, error) &&
         find(cublas, "cublasGemmEx", multiply, error) &&
         find(cublas, "cublasDgemm_v2", multiply_double, error);
}

}  // namespace heddle::bench
