// HIP's functions, as libamdhip64.so exports them.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)
#include "hip/hip_runtime_api.h"
#include "hip/hiprtc.h"

extern "C" {
void** __hipRegisterFatBinary(const void* data);
void __hipUnregisterFatBinary(void** module);
void __hipRegisterFunction(void** module, const void* function, char*, const char* name, unsigned,
                           void*, void*, void*, void*, int*);
void __hipRegisterVar(void** module, void* variable, char*, char* name, int, std::size_t, int, int);
void __hipRegisterManagedVar(void** module, void** host, void* initial, const char* name,
                             std::size_t bytes, unsigned);
void __hipRegisterSurface(void** module, void*, char*, char*, int, int);
void __hipRegisterTexture(void** module, void*, char*, char*, int, int, int);
}
#pragma GCC visibility pop
