// <nvrtc.h> where there is no CUDA SDK: hiprtc under CUDA's names. What it returns as PTX is
// accepted by cuModuleLoadData and hipModuleLoadData: PTX for a target of NVIDIA's, else a code
// object. Source: "NVRTC" 12.8, docs.nvidia.com/cuda/nvrtc.
#pragma once

#include <hip/hiprtc.h>

#define nvrtcResult hiprtcResult
#define nvrtcProgram hiprtcProgram
#define NVRTC_SUCCESS HIPRTC_SUCCESS
#define NVRTC_ERROR_OUT_OF_MEMORY HIPRTC_ERROR_OUT_OF_MEMORY
#define NVRTC_ERROR_PROGRAM_CREATION_FAILURE HIPRTC_ERROR_PROGRAM_CREATION_FAILURE
#define NVRTC_ERROR_INVALID_INPUT HIPRTC_ERROR_INVALID_INPUT
#define NVRTC_ERROR_INVALID_PROGRAM HIPRTC_ERROR_INVALID_PROGRAM
#define NVRTC_ERROR_INVALID_OPTION HIPRTC_ERROR_INVALID_OPTION
#define NVRTC_ERROR_COMPILATION HIPRTC_ERROR_COMPILATION
#define nvrtcGetErrorString hiprtcGetErrorString
#define nvrtcVersion hiprtcVersion
#define nvrtcCreateProgram hiprtcCreateProgram
#define nvrtcCompileProgram hiprtcCompileProgram
#define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
#define nvrtcGetProgramLog hiprtcGetProgramLog
#define nvrtcGetPTXSize hiprtcGetCodeSize
#define nvrtcGetPTX hiprtcGetCode
#define nvrtcGetCUBINSize hiprtcGetCodeSize
#define nvrtcGetCUBIN hiprtcGetCode
#define nvrtcDestroyProgram hiprtcDestroyProgram
