// Functions of kernels that CUDA has and HIP has not, for either kind of target: cuda_runtime.h
// includes them.
// Source: "CUDA C++ Programming Guide" 12.8, sections "Address Space Predicate Functions" and
// "Address Space Conversion Functions".
#pragma once

// An address of one kind of memory from a generic pointer, as inline PTX takes it, and back.
#define CUDA_ADDRESS_SPACE(name, number)                                        \
  __device__ inline size_t __cvta_generic_to_##name(const void* generic) {      \
    return (size_t)(const __attribute__((address_space(number))) void*)generic; \
  }                                                                             \
  __device__ inline void* __cvta_##name##_to_generic(size_t address) {          \
    return (void*)(__attribute__((address_space(number))) void*)address;        \
  }
CUDA_ADDRESS_SPACE(global, 1)
CUDA_ADDRESS_SPACE(shared, 3)
CUDA_ADDRESS_SPACE(local, 5)
#undef CUDA_ADDRESS_SPACE

// Where a generic pointer leads to.
#if defined(__NVPTX__)
__device__ inline unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
__device__ inline unsigned __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
__device__ inline unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
#elif defined(__AMDGCN__)
__device__ inline unsigned __isShared(const void* p) { return __builtin_amdgcn_is_shared(p); }
__device__ inline unsigned __isLocal(const void* p) { return __builtin_amdgcn_is_private(p); }
__device__ inline unsigned __isGlobal(const void* p) { return !__isShared(p) && !__isLocal(p); }
#else  // the host compiles what it never calls
__device__ unsigned __isShared(const void* p);
__device__ unsigned __isLocal(const void* p);
__device__ unsigned __isGlobal(const void* p);
#endif
