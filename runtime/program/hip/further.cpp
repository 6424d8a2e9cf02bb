// The other functions of libamdhip64.so: variants of functions in other files, and functions that
// Heddle does not support. A program that calls an unsupported function gets hipErrorNotSupported
// and a message. If this library lacked the names of these functions, the loader would end the
// program.
#include "runtime/program/hip/calls.h"

#pragma GCC visibility push(default)
extern "C" {

// Functions for programs compiled with -fgpu-default-stream=per-thread: their null stream is the
// thread's own stream.
hipError_t hipMemcpy_spt(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  return hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemcpyAsync_spt(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                              hipStream_t stream) {
  return hipMemcpyAsync(to, from, bytes, kind, stream ? stream : hipStreamPerThread);
}
hipError_t hipMemcpy2D_spt(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                           std::size_t width, std::size_t height, hipMemcpyKind kind) {
  return hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
hipError_t hipMemset_spt(void* to, int value, std::size_t bytes) {
  return hipMemset(to, value, bytes);
}
hipError_t hipMemsetAsync_spt(void* to, int value, std::size_t bytes, hipStream_t stream) {
  return hipMemsetAsync(to, value, bytes, stream ? stream : hipStreamPerThread);
}
hipError_t hipLaunchKernel_spt(const void* kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t lds_bytes, hipStream_t stream) {
  return hipLaunchKernel(kernel, grid, block, arguments, lds_bytes,
                         stream ? stream : hipStreamPerThread);
}
hipError_t hipLaunchCooperativeKernel_spt(const void* kernel, dim3 grid, dim3 block,
                                          void** arguments, unsigned lds_bytes,
                                          hipStream_t stream) {
  return hipLaunchCooperativeKernel(kernel, grid, block, arguments, lds_bytes,
                                    stream ? stream : hipStreamPerThread);
}
hipError_t hipStreamSynchronize_spt(hipStream_t stream) { return hipStreamSynchronize(stream); }
hipError_t hipStreamQuery_spt(hipStream_t stream) { return hipStreamQuery(stream); }
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return hipStreamWaitEvent(stream ? stream : hipStreamPerThread, event, flags);
}
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
  return hipEventRecord(event, stream ? stream : hipStreamPerThread);
}

hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, void*, void**) {
  return hipModuleLoadData(module, image);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                 int block, std::size_t lds_bytes,
                                                                 unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block, lds_bytes);
}
hipError_t hipGetDeviceFlags(unsigned* flags) {
  *flags = hipDeviceScheduleAuto;
  return hipSuccess;
}
hipError_t hipFuncSetSharedMemConfig(const void*, hipSharedMemConfig) { return hipSuccess; }
hipError_t hipProfilerStart() { return hipSuccess; }
hipError_t hipProfilerStop() { return hipSuccess; }

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
// Textures are not supported, because CDNA has no instructions that sample an image.
hipError_t hipCreateTextureObject(hipTextureObject_t*, const hipResourceDesc*,
                                  const hipTextureDesc*, const hipResourceViewDesc*) {
  heddle::program::tell("hipCreateTextureObject: Heddle has no textures; read a buffer in place");
  return heddle::program::result(hipErrorNotSupported);
}
hipError_t hipDestroyTextureObject(hipTextureObject_t) { return hipSuccess; }

#define HEDDLE_NOT_THERE(name)                                \
  hipError_t name() {                                         \
    heddle::program::tell(#name ": Heddle does not have it"); \
    return heddle::program::result(hipErrorNotSupported);     \
  }
HEDDLE_NOT_THERE(hipArray3DCreate)
HEDDLE_NOT_THERE(hipArray3DGetDescriptor)
HEDDLE_NOT_THERE(hipArrayCreate)
HEDDLE_NOT_THERE(hipArrayDestroy)
HEDDLE_NOT_THERE(hipArrayGetDescriptor)
HEDDLE_NOT_THERE(hipArrayGetInfo)
HEDDLE_NOT_THERE(hipBindTexture)
HEDDLE_NOT_THERE(hipBindTexture2D)
HEDDLE_NOT_THERE(hipBindTextureToArray)
HEDDLE_NOT_THERE(hipBindTextureToMipmappedArray)
HEDDLE_NOT_THERE(hipChooseDeviceR0000)
HEDDLE_NOT_THERE(hipConfigureCall)
HEDDLE_NOT_THERE(hipCreateSurfaceObject)
HEDDLE_NOT_THERE(hipCtxCreate)
HEDDLE_NOT_THERE(hipCtxDestroy)
HEDDLE_NOT_THERE(hipCtxDisablePeerAccess)
HEDDLE_NOT_THERE(hipCtxEnablePeerAccess)
HEDDLE_NOT_THERE(hipCtxGetApiVersion)
HEDDLE_NOT_THERE(hipCtxGetCacheConfig)
HEDDLE_NOT_THERE(hipCtxGetCurrent)
HEDDLE_NOT_THERE(hipCtxGetDevice)
HEDDLE_NOT_THERE(hipCtxGetFlags)
HEDDLE_NOT_THERE(hipCtxGetSharedMemConfig)
HEDDLE_NOT_THERE(hipCtxPopCurrent)
HEDDLE_NOT_THERE(hipCtxPushCurrent)
HEDDLE_NOT_THERE(hipCtxSetCacheConfig)
HEDDLE_NOT_THERE(hipCtxSetCurrent)
HEDDLE_NOT_THERE(hipCtxSetSharedMemConfig)
HEDDLE_NOT_THERE(hipCtxSynchronize)
HEDDLE_NOT_THERE(hipDestroyExternalMemory)
HEDDLE_NOT_THERE(hipDestroyExternalSemaphore)
HEDDLE_NOT_THERE(hipDestroySurfaceObject)
HEDDLE_NOT_THERE(hipDeviceComputeCapability)
HEDDLE_NOT_THERE(hipDeviceGetByPCIBusId)
HEDDLE_NOT_THERE(hipDeviceGetCacheConfig)
HEDDLE_NOT_THERE(hipDeviceGetGraphMemAttribute)
HEDDLE_NOT_THERE(hipDeviceGetLimit)
HEDDLE_NOT_THERE(hipDeviceGetP2PAttribute)
HEDDLE_NOT_THERE(hipDeviceGetPCIBusId)
HEDDLE_NOT_THERE(hipDeviceGetSharedMemConfig)
HEDDLE_NOT_THERE(hipDeviceGetTexture1DLinearMaxWidth)
HEDDLE_NOT_THERE(hipDeviceGetUuid)
HEDDLE_NOT_THERE(hipDeviceGraphMemTrim)
HEDDLE_NOT_THERE(hipDevicePrimaryCtxGetState)
HEDDLE_NOT_THERE(hipDevicePrimaryCtxRelease)
HEDDLE_NOT_THERE(hipDevicePrimaryCtxReset)
HEDDLE_NOT_THERE(hipDevicePrimaryCtxRetain)
HEDDLE_NOT_THERE(hipDevicePrimaryCtxSetFlags)
HEDDLE_NOT_THERE(hipDeviceSetGraphMemAttribute)
HEDDLE_NOT_THERE(hipDeviceSetLimit)
HEDDLE_NOT_THERE(hipDrvGetErrorName)
HEDDLE_NOT_THERE(hipDrvGetErrorString)
HEDDLE_NOT_THERE(hipDrvGraphAddMemFreeNode)
HEDDLE_NOT_THERE(hipDrvGraphAddMemcpyNode)
HEDDLE_NOT_THERE(hipDrvGraphAddMemsetNode)
HEDDLE_NOT_THERE(hipDrvGraphExecMemcpyNodeSetParams)
HEDDLE_NOT_THERE(hipDrvGraphExecMemsetNodeSetParams)
HEDDLE_NOT_THERE(hipDrvGraphMemcpyNodeGetParams)
HEDDLE_NOT_THERE(hipDrvGraphMemcpyNodeSetParams)
HEDDLE_NOT_THERE(hipDrvMemcpy2DUnaligned)
HEDDLE_NOT_THERE(hipDrvMemcpy3D)
HEDDLE_NOT_THERE(hipDrvMemcpy3DAsync)
HEDDLE_NOT_THERE(hipDrvPointerGetAttributes)
HEDDLE_NOT_THERE(hipExtGetLastError)
HEDDLE_NOT_THERE(hipExtGetLinkTypeAndHopCount)
HEDDLE_NOT_THERE(hipExtHostAlloc)
HEDDLE_NOT_THERE(hipExtLaunchMultiKernelMultiDevice)
HEDDLE_NOT_THERE(hipExtModuleLaunchKernel)
HEDDLE_NOT_THERE(hipExtStreamGetCUMask)
HEDDLE_NOT_THERE(hipExternalMemoryGetMappedBuffer)
HEDDLE_NOT_THERE(hipFreeArray)
HEDDLE_NOT_THERE(hipFreeMipmappedArray)
HEDDLE_NOT_THERE(hipFuncGetAttribute)
HEDDLE_NOT_THERE(hipGLGetDevices)
HEDDLE_NOT_THERE(hipGetChannelDesc)
HEDDLE_NOT_THERE(hipGetDevicePropertiesR0000)
HEDDLE_NOT_THERE(hipGetFuncBySymbol)
HEDDLE_NOT_THERE(hipGetMipmappedArrayLevel)
HEDDLE_NOT_THERE(hipGetProcAddress)
HEDDLE_NOT_THERE(hipGetTextureAlignmentOffset)
HEDDLE_NOT_THERE(hipGetTextureObjectResourceDesc)
HEDDLE_NOT_THERE(hipGetTextureObjectResourceViewDesc)
HEDDLE_NOT_THERE(hipGetTextureObjectTextureDesc)
HEDDLE_NOT_THERE(hipGetTextureReference)
HEDDLE_NOT_THERE(hipGraphAddExternalSemaphoresSignalNode)
HEDDLE_NOT_THERE(hipGraphAddExternalSemaphoresWaitNode)
HEDDLE_NOT_THERE(hipGraphAddMemAllocNode)
HEDDLE_NOT_THERE(hipGraphAddMemFreeNode)
HEDDLE_NOT_THERE(hipGraphAddMemcpyNode)
HEDDLE_NOT_THERE(hipGraphAddNode)
HEDDLE_NOT_THERE(hipGraphDebugDotPrint)
HEDDLE_NOT_THERE(hipGraphEventRecordNodeGetEvent)
HEDDLE_NOT_THERE(hipGraphEventRecordNodeSetEvent)
HEDDLE_NOT_THERE(hipGraphEventWaitNodeGetEvent)
HEDDLE_NOT_THERE(hipGraphEventWaitNodeSetEvent)
HEDDLE_NOT_THERE(hipGraphExecChildGraphNodeSetParams)
HEDDLE_NOT_THERE(hipGraphExecEventRecordNodeSetEvent)
HEDDLE_NOT_THERE(hipGraphExecEventWaitNodeSetEvent)
HEDDLE_NOT_THERE(hipGraphExecExternalSemaphoresSignalNodeSetParams)
HEDDLE_NOT_THERE(hipGraphExecExternalSemaphoresWaitNodeSetParams)
HEDDLE_NOT_THERE(hipGraphExecGetFlags)
HEDDLE_NOT_THERE(hipGraphExecMemcpyNodeSetParams)
HEDDLE_NOT_THERE(hipGraphExecMemcpyNodeSetParamsFromSymbol)
HEDDLE_NOT_THERE(hipGraphExecMemcpyNodeSetParamsToSymbol)
HEDDLE_NOT_THERE(hipGraphExecNodeSetParams)
HEDDLE_NOT_THERE(hipGraphExternalSemaphoresSignalNodeGetParams)
HEDDLE_NOT_THERE(hipGraphExternalSemaphoresSignalNodeSetParams)
HEDDLE_NOT_THERE(hipGraphExternalSemaphoresWaitNodeGetParams)
HEDDLE_NOT_THERE(hipGraphExternalSemaphoresWaitNodeSetParams)
HEDDLE_NOT_THERE(hipGraphInstantiateWithParams)
HEDDLE_NOT_THERE(hipGraphKernelNodeCopyAttributes)
HEDDLE_NOT_THERE(hipGraphKernelNodeGetAttribute)
HEDDLE_NOT_THERE(hipGraphKernelNodeSetAttribute)
HEDDLE_NOT_THERE(hipGraphLaunch_spt)
HEDDLE_NOT_THERE(hipGraphMemAllocNodeGetParams)
HEDDLE_NOT_THERE(hipGraphMemFreeNodeGetParams)
HEDDLE_NOT_THERE(hipGraphMemcpyNodeGetParams)
HEDDLE_NOT_THERE(hipGraphMemcpyNodeSetParams)
HEDDLE_NOT_THERE(hipGraphMemcpyNodeSetParamsFromSymbol)
HEDDLE_NOT_THERE(hipGraphMemcpyNodeSetParamsToSymbol)
HEDDLE_NOT_THERE(hipGraphNodeGetEnabled)
HEDDLE_NOT_THERE(hipGraphNodeSetEnabled)
HEDDLE_NOT_THERE(hipGraphNodeSetParams)
HEDDLE_NOT_THERE(hipGraphReleaseUserObject)
HEDDLE_NOT_THERE(hipGraphRetainUserObject)
HEDDLE_NOT_THERE(hipGraphicsGLRegisterBuffer)
HEDDLE_NOT_THERE(hipGraphicsGLRegisterImage)
HEDDLE_NOT_THERE(hipGraphicsMapResources)
HEDDLE_NOT_THERE(hipGraphicsResourceGetMappedPointer)
HEDDLE_NOT_THERE(hipGraphicsSubResourceGetMappedArray)
HEDDLE_NOT_THERE(hipGraphicsUnmapResources)
HEDDLE_NOT_THERE(hipGraphicsUnregisterResource)
HEDDLE_NOT_THERE(hipHccModuleLaunchKernel)
HEDDLE_NOT_THERE(hipImportExternalMemory)
HEDDLE_NOT_THERE(hipImportExternalSemaphore)
HEDDLE_NOT_THERE(hipIpcCloseMemHandle)
HEDDLE_NOT_THERE(hipIpcGetEventHandle)
HEDDLE_NOT_THERE(hipIpcGetMemHandle)
HEDDLE_NOT_THERE(hipIpcOpenEventHandle)
HEDDLE_NOT_THERE(hipIpcOpenMemHandle)
HEDDLE_NOT_THERE(hipLaunchByPtr)
HEDDLE_NOT_THERE(hipLaunchCooperativeKernelMultiDevice)
HEDDLE_NOT_THERE(hipLaunchHostFunc_spt)
HEDDLE_NOT_THERE(hipMalloc3D)
HEDDLE_NOT_THERE(hipMalloc3DArray)
HEDDLE_NOT_THERE(hipMallocArray)
HEDDLE_NOT_THERE(hipMallocMipmappedArray)
HEDDLE_NOT_THERE(hipMemAddressFree)
HEDDLE_NOT_THERE(hipMemAddressReserve)
HEDDLE_NOT_THERE(hipMemAllocPitch)
HEDDLE_NOT_THERE(hipMemCreate)
HEDDLE_NOT_THERE(hipMemExportToShareableHandle)
HEDDLE_NOT_THERE(hipMemGetAccess)
HEDDLE_NOT_THERE(hipMemGetAllocationGranularity)
HEDDLE_NOT_THERE(hipMemGetAllocationPropertiesFromHandle)
HEDDLE_NOT_THERE(hipMemImportFromShareableHandle)
HEDDLE_NOT_THERE(hipMemMap)
HEDDLE_NOT_THERE(hipMemMapArrayAsync)
HEDDLE_NOT_THERE(hipMemPoolExportPointer)
HEDDLE_NOT_THERE(hipMemPoolExportToShareableHandle)
HEDDLE_NOT_THERE(hipMemPoolImportFromShareableHandle)
HEDDLE_NOT_THERE(hipMemPoolImportPointer)
HEDDLE_NOT_THERE(hipMemRangeGetAttribute)
HEDDLE_NOT_THERE(hipMemRangeGetAttributes)
HEDDLE_NOT_THERE(hipMemRelease)
HEDDLE_NOT_THERE(hipMemRetainAllocationHandle)
HEDDLE_NOT_THERE(hipMemSetAccess)
HEDDLE_NOT_THERE(hipMemUnmap)
HEDDLE_NOT_THERE(hipMemcpy2DArrayToArray)
HEDDLE_NOT_THERE(hipMemcpy2DAsync_spt)
HEDDLE_NOT_THERE(hipMemcpy2DFromArray)
HEDDLE_NOT_THERE(hipMemcpy2DFromArrayAsync)
HEDDLE_NOT_THERE(hipMemcpy2DFromArrayAsync_spt)
HEDDLE_NOT_THERE(hipMemcpy2DFromArray_spt)
HEDDLE_NOT_THERE(hipMemcpy2DToArray)
HEDDLE_NOT_THERE(hipMemcpy2DToArrayAsync)
HEDDLE_NOT_THERE(hipMemcpy2DToArrayAsync_spt)
HEDDLE_NOT_THERE(hipMemcpy2DToArray_spt)
HEDDLE_NOT_THERE(hipMemcpy3D)
HEDDLE_NOT_THERE(hipMemcpy3DAsync)
HEDDLE_NOT_THERE(hipMemcpy3DAsync_spt)
HEDDLE_NOT_THERE(hipMemcpy3D_spt)
HEDDLE_NOT_THERE(hipMemcpyAtoA)
HEDDLE_NOT_THERE(hipMemcpyAtoD)
HEDDLE_NOT_THERE(hipMemcpyAtoH)
HEDDLE_NOT_THERE(hipMemcpyAtoHAsync)
HEDDLE_NOT_THERE(hipMemcpyDtoA)
HEDDLE_NOT_THERE(hipMemcpyFromArray)
HEDDLE_NOT_THERE(hipMemcpyFromArray_spt)
HEDDLE_NOT_THERE(hipMemcpyFromSymbolAsync_spt)
HEDDLE_NOT_THERE(hipMemcpyFromSymbol_spt)
HEDDLE_NOT_THERE(hipMemcpyHtoA)
HEDDLE_NOT_THERE(hipMemcpyHtoAAsync)
HEDDLE_NOT_THERE(hipMemcpyParam2D)
HEDDLE_NOT_THERE(hipMemcpyParam2DAsync)
HEDDLE_NOT_THERE(hipMemcpyToArray)
HEDDLE_NOT_THERE(hipMemcpyToSymbolAsync_spt)
HEDDLE_NOT_THERE(hipMemcpyToSymbol_spt)
HEDDLE_NOT_THERE(hipMemset2DAsync_spt)
HEDDLE_NOT_THERE(hipMemset2D_spt)
HEDDLE_NOT_THERE(hipMemset3D)
HEDDLE_NOT_THERE(hipMemset3DAsync)
HEDDLE_NOT_THERE(hipMemset3DAsync_spt)
HEDDLE_NOT_THERE(hipMemset3D_spt)
HEDDLE_NOT_THERE(hipMipmappedArrayCreate)
HEDDLE_NOT_THERE(hipMipmappedArrayDestroy)
HEDDLE_NOT_THERE(hipMipmappedArrayGetLevel)
HEDDLE_NOT_THERE(hipModuleGetTexRef)
HEDDLE_NOT_THERE(hipModuleLaunchCooperativeKernel)
HEDDLE_NOT_THERE(hipModuleLaunchCooperativeKernelMultiDevice)
HEDDLE_NOT_THERE(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)
HEDDLE_NOT_THERE(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
HEDDLE_NOT_THERE(hipModuleOccupancyMaxPotentialBlockSize)
HEDDLE_NOT_THERE(hipModuleOccupancyMaxPotentialBlockSizeWithFlags)
HEDDLE_NOT_THERE(hipPointerGetAttribute)
HEDDLE_NOT_THERE(hipPointerSetAttribute)
HEDDLE_NOT_THERE(hipSetValidDevices)
HEDDLE_NOT_THERE(hipSetupArgument)
HEDDLE_NOT_THERE(hipSignalExternalSemaphoresAsync)
HEDDLE_NOT_THERE(hipStreamAddCallback_spt)
HEDDLE_NOT_THERE(hipStreamBeginCaptureToGraph)
HEDDLE_NOT_THERE(hipStreamBeginCapture_spt)
HEDDLE_NOT_THERE(hipStreamEndCapture_spt)
HEDDLE_NOT_THERE(hipStreamGetCaptureInfo_spt)
HEDDLE_NOT_THERE(hipStreamGetCaptureInfo_v2_spt)
HEDDLE_NOT_THERE(hipStreamGetFlags_spt)
HEDDLE_NOT_THERE(hipStreamGetPriority_spt)
HEDDLE_NOT_THERE(hipStreamIsCapturing_spt)
HEDDLE_NOT_THERE(hipStreamWaitValue32)
HEDDLE_NOT_THERE(hipStreamWaitValue64)
HEDDLE_NOT_THERE(hipStreamWriteValue32)
HEDDLE_NOT_THERE(hipStreamWriteValue64)
HEDDLE_NOT_THERE(hipTexObjectCreate)
HEDDLE_NOT_THERE(hipTexObjectDestroy)
HEDDLE_NOT_THERE(hipTexObjectGetResourceDesc)
HEDDLE_NOT_THERE(hipTexObjectGetResourceViewDesc)
HEDDLE_NOT_THERE(hipTexObjectGetTextureDesc)
HEDDLE_NOT_THERE(hipTexRefGetAddress)
HEDDLE_NOT_THERE(hipTexRefGetAddressMode)
HEDDLE_NOT_THERE(hipTexRefGetArray)
HEDDLE_NOT_THERE(hipTexRefGetBorderColor)
HEDDLE_NOT_THERE(hipTexRefGetFilterMode)
HEDDLE_NOT_THERE(hipTexRefGetFlags)
HEDDLE_NOT_THERE(hipTexRefGetFormat)
HEDDLE_NOT_THERE(hipTexRefGetMaxAnisotropy)
HEDDLE_NOT_THERE(hipTexRefGetMipMappedArray)
HEDDLE_NOT_THERE(hipTexRefGetMipmapFilterMode)
HEDDLE_NOT_THERE(hipTexRefGetMipmapLevelBias)
HEDDLE_NOT_THERE(hipTexRefGetMipmapLevelClamp)
HEDDLE_NOT_THERE(hipTexRefSetAddress)
HEDDLE_NOT_THERE(hipTexRefSetAddress2D)
HEDDLE_NOT_THERE(hipTexRefSetAddressMode)
HEDDLE_NOT_THERE(hipTexRefSetArray)
HEDDLE_NOT_THERE(hipTexRefSetBorderColor)
HEDDLE_NOT_THERE(hipTexRefSetFilterMode)
HEDDLE_NOT_THERE(hipTexRefSetFlags)
HEDDLE_NOT_THERE(hipTexRefSetFormat)
HEDDLE_NOT_THERE(hipTexRefSetMaxAnisotropy)
HEDDLE_NOT_THERE(hipTexRefSetMipmapFilterMode)
HEDDLE_NOT_THERE(hipTexRefSetMipmapLevelBias)
HEDDLE_NOT_THERE(hipTexRefSetMipmapLevelClamp)
HEDDLE_NOT_THERE(hipTexRefSetMipmappedArray)
HEDDLE_NOT_THERE(hipUnbindTexture)
HEDDLE_NOT_THERE(hipUserObjectCreate)
HEDDLE_NOT_THERE(hipUserObjectRelease)
HEDDLE_NOT_THERE(hipUserObjectRetain)
HEDDLE_NOT_THERE(hipWaitExternalSemaphoresAsync)

#undef HEDDLE_NOT_THERE
}
#pragma GCC visibility pop
