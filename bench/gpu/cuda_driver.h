// The few functions of the CUDA driver, of cuBLAS and of NVML that the measurement calls, opened at
// run time: none is needed to build it.
//
// Sources: CUDA Driver API 13.0 (signatures, CUtensorMap enumerations); cuBLAS 13.0 documentation,
// cublasGemmEx and cublasDgemm (enumerations cudaDataType_t, cublasComputeType_t); NVML API
// reference, "Device Queries" and "System Queries".
#pragma once

#include <cstdint>
#include <string>

namespace heddle::bench {

using Address = unsigned long long;  // CUdeviceptr

struct alignas(64) TensorMap {
  std::uint64_t words[16];
};

/// Loads the libraries; `error` says what is missing. All functions return 0 for success. Without
/// NVML its functions are nullptr.
struct Cuda {
  int (*init)(unsigned) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*retain_context)(void**, int) = nullptr;
  int (*set_context)(void*) = nullptr;
  int (*load_module)(void**, const void*, unsigned, int*, void**) = nullptr;
  int (*unload_module)(void*) = nullptr;
  int (*get_function)(void**, void*, const char*) = nullptr;
  int (*set_attribute)(void*, int, int) = nullptr;
  int (*allocate)(Address*, std::size_t) = nullptr;
  int (*release)(Address) = nullptr;
  int (*to_device)(Address, const void*, std::size_t) = nullptr;
  int (*to_host)(void*, Address, std::size_t) = nullptr;
  int (*fill)(Address, unsigned char, std::size_t) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**) = nullptr;
  int (*create_event)(void**, unsigned) = nullptr;
  int (*record)(void*, void*) = nullptr;
  int (*query)(void*) = nullptr;
  int (*elapsed)(float*, void*, void*) = nullptr;
  int (*error_name)(int, const char**) = nullptr;
  int (*encode_tiled)(TensorMap*, int, std::uint32_t, void*, const std::uint64_t*,
                      const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int,
                      int, int) = nullptr;
  // cuBLAS
  int (*create)(void**) = nullptr;
  int (*version)(void*, int*) = nullptr;
  int (*set_workspace)(void*, void*, std::size_t) = nullptr;
  int (*multiply)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                  int, int, const void*, void*, int, int, int, int) = nullptr;
  int (*multiply_double)(void*, int, int, int, int, int, const double*, const void*, int,
                         const void*, int, const double*, void*, int) = nullptr;
  // NVML
  int (*nvml_init)() = nullptr;
  int (*nvml_driver_version)(char*, unsigned) = nullptr;
  int (*nvml_device)(unsigned, void**) = nullptr;
  int (*nvml_clock)(void*, int, unsigned*) = nullptr;
  int (*nvml_power_limit)(void*, unsigned*) = nullptr;

  bool open(std::string& error);
};

}  // namespace heddle::bench
