// The functions that CUDA's headers call for tensor maps
// (runtime/cuda_without_sdk/cuda_tensor_map.h).
#pragma once

#include <cstdint>

extern "C" {
// As cuTensorMapEncodeTiled, whose enumerations are numbers here.
int heddle_encode_tiled_map(void* map, int type, std::uint32_t rank, void* address,
                            const std::uint64_t* sizes, const std::uint64_t* strides,
                            const std::uint32_t* box, const std::uint32_t* element_strides,
                            int interleave, int swizzle, int promotion, int fill);
int heddle_encode_im2col_map(void* map, int type, std::uint32_t rank, void* address,
                             const std::uint64_t* sizes, const std::uint64_t* strides,
                             const int* lower, const int* upper, std::uint32_t channels,
                             std::uint32_t pixels, const std::uint32_t* element_strides,
                             int interleave, int swizzle, int promotion, int fill);
// The address of a driver function by its name, for the functions of tensor maps. Null for all
// other functions, which programs find in other ways.
void* heddle_driver_function(const char* name);
}
