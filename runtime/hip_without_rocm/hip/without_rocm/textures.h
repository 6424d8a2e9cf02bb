// The types of textures, for libraries that name them. Heddle has no textures: CDNA2 has no
// instruction that samples an image, and CDNA3 and CDNA4 have none for images at all (LLVM's
// assembler). A call that makes a texture returns hipErrorNotSupported, and a kernel that reads a
// texture does not compile. Source of the names: HIP API Reference, "Texture Management".
#pragma once

#include <stddef.h>

#include "../hip_runtime_api.h"

typedef enum hipChannelFormatKind {
  hipChannelFormatKindSigned = 0,
  hipChannelFormatKindUnsigned = 1,
  hipChannelFormatKindFloat = 2,
  hipChannelFormatKindNone = 3
} hipChannelFormatKind;
typedef struct hipChannelFormatDesc {
  int x, y, z, w;
  enum hipChannelFormatKind f;
} hipChannelFormatDesc;

typedef struct hipArray* hipArray_t;
typedef struct hipMipmappedArray* hipMipmappedArray_t;
typedef struct __hip_texture* hipTextureObject_t;
typedef enum hipResourceType {
  hipResourceTypeArray = 0,
  hipResourceTypeMipmappedArray = 1,
  hipResourceTypeLinear = 2,
  hipResourceTypePitch2D = 3
} hipResourceType;
typedef struct hipResourceDesc {
  hipResourceType resType;
  union {
    struct {
      hipArray_t array;
    } array;
    struct {
      hipMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      hipChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      hipChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
} hipResourceDesc;
typedef enum hipTextureAddressMode {
  hipAddressModeWrap = 0,
  hipAddressModeClamp = 1,
  hipAddressModeMirror = 2,
  hipAddressModeBorder = 3
} hipTextureAddressMode;
typedef enum hipTextureFilterMode {
  hipFilterModePoint = 0,
  hipFilterModeLinear = 1
} hipTextureFilterMode;
typedef enum hipTextureReadMode {
  hipReadModeElementType = 0,
  hipReadModeNormalizedFloat = 1
} hipTextureReadMode;
typedef struct hipTextureDesc {
  hipTextureAddressMode addressMode[3];
  hipTextureFilterMode filterMode;
  hipTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
} hipTextureDesc;
struct hipResourceViewDesc;

#ifdef __cplusplus
extern "C" {
#endif
hipError_t hipCreateTextureObject(hipTextureObject_t*, const hipResourceDesc*,
                                  const hipTextureDesc*, const struct hipResourceViewDesc*);
hipError_t hipDestroyTextureObject(hipTextureObject_t);
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                          enum hipChannelFormatKind kind);
#ifdef __cplusplus
}

// Of so many numbers.
template <class Number>
inline hipChannelFormatDesc hip_channel_of(unsigned parts) {
  const int bits = 8 * static_cast<int>(sizeof(Number));
  return hipChannelFormatDesc{bits, parts > 1 ? bits : 0, parts > 2 ? bits : 0,
                              parts > 3 ? bits : 0,
                              Number(1) / 2 != 0                    ? hipChannelFormatKindFloat
                              : static_cast<Number>(-1) < Number(1) ? hipChannelFormatKindSigned
                                                                    : hipChannelFormatKindUnsigned};
}
// The channel descriptor of a type with a member x (a vector of HIP's), and of a type without one
// (a number).
template <class T>
inline auto hip_channel(int) -> decltype(T::x, hipChannelFormatDesc()) {
  return hip_channel_of<decltype(T::x)>(sizeof(T) / sizeof(T::x));
}
template <class T>
inline hipChannelFormatDesc hip_channel(long) {
  return hip_channel_of<T>(1);
}
// The channel descriptor of a number, or of a vector of HIP's.
template <class T>
inline hipChannelFormatDesc hipCreateChannelDesc() {
  return hip_channel<T>(0);
}

#if defined(__HIP__) || defined(__CUDACC__)
#define HIP_NO_TEXTURES(name)                               \
  template <class T = void, class... Arguments>             \
  __device__ inline T name(Arguments...) {                  \
    static_assert(sizeof...(Arguments) == ~size_t{0}, #name \
                  ": Heddle has no textures; "              \
                  "read a buffer in place of one");         \
  }
HIP_NO_TEXTURES(tex1Dfetch)
HIP_NO_TEXTURES(tex1D)
HIP_NO_TEXTURES(tex2D)
HIP_NO_TEXTURES(tex3D)
#undef HIP_NO_TEXTURES
#endif
#endif
