// cuTensorMapEncodeTiled of the programs' host code.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "emulator/ptx/encoded_map.h"
#include "runtime/program/hip/calls.h"
#include "runtime/program/hip/tensor_maps.h"

namespace heddle::program {
namespace {

hipError_t refuse(const std::string& why, hipError_t error) {
  return with_device([&](ProgramDevice& device) {
    device.tell_mistake("cuTensorMapEncodeTiled: " + why);
    return error;
  });
}

}  // namespace
}  // namespace heddle::program

using namespace heddle;

extern "C" {

int heddle_encode_tiled_map(void* map, int type, std::uint32_t rank, void* address,
                            const std::uint64_t* sizes, const std::uint64_t* strides,
                            const std::uint32_t* box, const std::uint32_t* element_strides,
                            int interleave, int swizzle, int promotion, int fill) {
  if (map == nullptr || rank < 1 || rank > 5 || sizes == nullptr || box == nullptr ||
      element_strides == nullptr || (rank > 1 && strides == nullptr) || type < 0 ||
      interleave < 0 || swizzle < 0 || promotion < 0 || promotion > 3 || fill < 0 || fill > 1)
    return program::refuse("an argument is null or no number of its type", hipErrorInvalidValue);
  const emulator::ptx::TiledMap asked{
      .element = emulator::ptx::element_of_driver(static_cast<std::uint32_t>(type)),
      .address = reinterpret_cast<std::uint64_t>(address),
      .sizes = {sizes, rank},
      .strides = {strides, rank - 1},
      .box = {box, rank},
      .element_strides = {element_strides, rank},
      .interleave = static_cast<std::uint32_t>(interleave),
      .swizzle = static_cast<std::uint32_t>(swizzle),
      .fills_nan = fill != 0};
  const auto made = emulator::ptx::encode_tiled(asked);
  if (!made) return program::refuse(made.error(), hipErrorInvalidValue);
  std::memcpy(map, &*made, sizeof *made);
  return hipSuccess;
}

int heddle_encode_im2col_map(void*, int, std::uint32_t, void*, const std::uint64_t*,
                             const std::uint64_t*, const int*, const int*, std::uint32_t,
                             std::uint32_t, const std::uint32_t*, int, int, int, int) {
  return program::refuse("im2col is not simulated", hipErrorNotSupported);
}

void* heddle_driver_function(const char* name) {
  const std::string_view wanted = name == nullptr ? "" : name;
  if (wanted == "cuTensorMapEncodeTiled") return reinterpret_cast<void*>(heddle_encode_tiled_map);
  if (wanted == "cuTensorMapEncodeIm2col") return reinterpret_cast<void*>(heddle_encode_im2col_map);
  return nullptr;
}
}
