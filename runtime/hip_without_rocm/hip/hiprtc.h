// <hip/hiprtc.h> where there is no ROCm: heddle compiles the text (docs/programs.md).
#pragma once

#include "hip_runtime_api.h"

typedef enum hiprtcResult {
  HIPRTC_SUCCESS = 0,
  HIPRTC_ERROR_OUT_OF_MEMORY = 1,
  HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  HIPRTC_ERROR_INVALID_INPUT = 3,
  HIPRTC_ERROR_INVALID_PROGRAM = 4,
  HIPRTC_ERROR_INVALID_OPTION = 5,
  HIPRTC_ERROR_COMPILATION = 6
} hiprtcResult;
typedef struct _hiprtcProgram* hiprtcProgram;

extern "C" {
const char* hiprtcGetErrorString(hiprtcResult result);
hiprtcResult hiprtcVersion(int* major, int* minor);
hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name,
                                 int headers, const char** header_texts, const char** header_names);
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char** options);
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* bytes);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log);
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* bytes);
hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code);
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program);
}
// Programs pass the options as an array of pointers; the array or the texts may be const.
inline hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count,
                                         const char* const* options) {
  return hiprtcCompileProgram(program, count, const_cast<const char**>(options));
}
inline hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, decltype(nullptr)) {
  return hiprtcCompileProgram(program, count, static_cast<const char**>(nullptr));
}
