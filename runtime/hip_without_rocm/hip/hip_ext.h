// <hip/hip_ext.h> where there is no ROCm.
#pragma once

#include "hip_runtime.h"

// A launch with an event before it and an event after it. Either may be null.
template <class... Parameters, class... Arguments>
void hipExtLaunchKernelGGL(void (*kernel)(Parameters...), const dim3& grid, const dim3& block,
                           unsigned lds_bytes, hipStream_t stream, hipEvent_t begin, hipEvent_t end,
                           unsigned, Arguments... arguments) {
  if (begin) hipEventRecord(begin, stream);
  kernel<<<grid, block, lds_bytes, stream>>>(static_cast<Parameters>(arguments)...);
  if (end) hipEventRecord(end, stream);
}
