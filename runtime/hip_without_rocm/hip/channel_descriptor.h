// <hip/channel_descriptor.h> where there is no ROCm: the bits of an element's parts. Textures,
// which take them, are not there.
#pragma once

#include "hip_runtime_api.h"

enum hipChannelFormatKind {
  hipChannelFormatKindSigned = 0,
  hipChannelFormatKindUnsigned = 1,
  hipChannelFormatKindFloat = 2,
  hipChannelFormatKindNone = 3
};
struct hipChannelFormatDesc {
  int x, y, z, w;
  hipChannelFormatKind f;
};
inline hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                 hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
