// The registration functions of HIP and CUDA, which the host code that clang generates calls.
// Source of the signatures: clang/lib/CodeGen/CGCUDANV.cpp, LLVM 22.
#include "runtime/program/hip/registration.h"

#include <cstring>
#include <vector>

#include "runtime/program/hip/functions.h"
#include "runtime/program/registry.h"

namespace heddle::program {
namespace {

struct FatBinary {
  std::uint32_t magic, version;
  const void* binary;
  void* unused;
};

struct CallConfiguration {
  dim3 grid, block;
  std::size_t lds_bytes;
  void* stream;
};
std::vector<CallConfiguration>& configurations() {
  static thread_local std::vector<CallConfiguration> all;
  return all;
}

std::uint64_t number_at(const char* place) {
  std::uint64_t number;
  std::memcpy(&number, place, sizeof number);
  return number;
}

void** register_binary(const void* data) {
  ProgramDevice* const device = ProgramDevice::get();
  const auto* wrapper = static_cast<const FatBinary*>(data);
  if (!device) return nullptr;
  return reinterpret_cast<void**>(&device->add_module(binary_text(wrapper->binary)));
}

void register_kernel(void** module, const void* function, const char* name) {
  if (module)
    add_registered(function, RegisteredKernel{reinterpret_cast<ProgramModule*>(module), name});
}

void register_variable(void** module, const void* variable, const char* name) {
  if (module)
    add_registered(variable, RegisteredVariable{reinterpret_cast<ProgramModule*>(module), name});
}

void register_managed(void** module, void** host, const void* initial, const char* name,
                      std::size_t bytes) {
  if (!module) return;
  auto* const in = reinterpret_cast<ProgramModule*>(module);
  in->managed.push_back({host, initial, name, bytes});
  // The module is loaded now, because the host may use the variable before the first launch.
  if (ProgramDevice* device = ProgramDevice::get()) device->load(*in);
}

}  // namespace

// The length of `image` follows from its contents. An ELF file ends with its section headers. A
// bundle has a table of its entries (clang, "Offload Bundler"). PTX ends with a zero byte.
std::string binary_text(const void* image) {
  const auto* first = static_cast<const char*>(image);
  if (std::memcmp(first,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    std::uint16_t size, count;
    std::memcpy(&size, first + 0x3a, 2);
    std::memcpy(&count, first + 0x3c, 2);
    return {first, number_at(first + 0x28) + std::uint64_t{size} * count};
  }
  constexpr std::string_view bundle = "__CLANG_OFFLOAD_BUNDLE__";
  if (std::strncmp(first, bundle.data(), bundle.size()) == 0) {
    const char* entry = first + bundle.size() + 8;
    std::uint64_t end = 0;
    for (std::uint64_t count = number_at(entry - 8); count > 0; --count) {
      end = std::max(end, number_at(entry) + number_at(entry + 8));
      entry += 24 + number_at(entry + 16);
    }
    return {first, end};
  }
  if (std::memcmp(first, "CCOB", 4) == 0) {
    std::uint16_t version;
    std::memcpy(&version, first + 4, 2);
    std::uint32_t total;
    std::memcpy(&total, first + 8, 4);
    return {first, version >= 3 ? number_at(first + 8) : total};
  }
  return first;
}

}  // namespace heddle::program

using namespace heddle::program;

extern "C" {
void** __hipRegisterFatBinary(const void* data) { return register_binary(data); }
void __hipUnregisterFatBinary(void**) {}
void __hipRegisterFunction(void** module, const void* function, char*, const char* name, unsigned,
                           void*, void*, void*, void*, int*) {
  register_kernel(module, function, name);
}
void __hipRegisterVar(void** module, void* variable, char*, char* name, int, std::size_t, int,
                      int) {
  register_variable(module, variable, name);
}
void __hipRegisterManagedVar(void** module, void** host, void* initial, const char* name,
                             std::size_t bytes, unsigned) {
  register_managed(module, host, initial, name, bytes);
}
void __hipRegisterSurface(void**, void*, char*, char*, int, int) {}
void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {}

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t lds_bytes,
                                      hipStream_t stream) {
  configurations().push_back({grid, block, lds_bytes, stream});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* lds_bytes,
                                     hipStream_t* stream) {
  if (configurations().empty()) return hipErrorInvalidConfiguration;
  const CallConfiguration last = configurations().back();
  configurations().pop_back();
  *grid = last.grid;
  *block = last.block;
  *lds_bytes = last.lds_bytes;
  *stream = static_cast<hipStream_t>(last.stream);
  return hipSuccess;
}

void** __cudaRegisterFatBinary(void* data) { return register_binary(data); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void** module, const char* function, char*, const char* name, int,
                            void*, void*, void*, void*, int*) {
  register_kernel(module, function, name);
}
void __cudaRegisterVar(void** module, char* variable, char*, const char* name, int, std::size_t,
                       int, int) {
  register_variable(module, variable, name);
}
void __cudaRegisterManagedVar(void** module, void** host, char*, const char* name, int,
                              std::size_t bytes, int, int) {
  register_managed(module, host, nullptr, name, bytes);
}
char __cudaInitModule(void**) { return 1; }
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t lds_bytes, void* stream) {
  return __hipPushCallConfiguration(grid, block, lds_bytes, static_cast<hipStream_t>(stream));
}
hipError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* lds_bytes,
                                      void* stream) {
  return __hipPopCallConfiguration(grid, block, lds_bytes, static_cast<hipStream_t*>(stream));
}

#ifdef __clang__
// Host code with __bf16 calls these functions. libgcc has them since version 13.
__attribute__((weak)) __bf16 __truncsfbf2(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const auto rounded = static_cast<unsigned short>(
      is_nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  __bf16 result;
  std::memcpy(&result, &rounded, sizeof result);
  return result;
}
__attribute__((weak)) __bf16 __truncdfbf2(double value) {
  return __truncsfbf2(static_cast<float>(value));
}
#endif
}
