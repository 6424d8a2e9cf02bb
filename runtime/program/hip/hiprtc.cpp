// The functions of hiprtc, by which a program has sources compiled at run time. They ask heddle,
// which compiles the sources.
#include "runtime/program/hip/functions.h"

#include <string>

#include "runtime/program/device.h"

using heddle::program::ProgramDevice;

struct _hiprtcProgram {
  std::string source, code, log;
  heddle::program::HeaderTexts headers;
};

extern "C" {
const char* hiprtcGetErrorString(hiprtcResult result) {
  return result == HIPRTC_SUCCESS             ? "HIPRTC_SUCCESS"
         : result == HIPRTC_ERROR_COMPILATION ? "HIPRTC_ERROR_COMPILATION"
                                              : "HIPRTC_ERROR_INVALID_INPUT";
}
hiprtcResult hiprtcVersion(int* major, int* minor) {
  *major = HIP_VERSION_MAJOR;
  *minor = HIP_VERSION_MINOR;
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char*,
                                 int headers, const char** texts, const char** names) {
  if (!program || !source) return HIPRTC_ERROR_INVALID_INPUT;
  auto* const made = new _hiprtcProgram{source, "", "", {}};
  for (int i = 0; i < headers; ++i) made->headers.emplace_back(names[i], texts[i]);
  *program = made;
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char** options) {
  ProgramDevice* const device = ProgramDevice::get();
  if (!device || !program) return HIPRTC_ERROR_INVALID_PROGRAM;
  std::string words;
  for (int i = 0; i < count; ++i) words += std::string(options[i]) + " ";
  const std::lock_guard lock(device->mutex());
  return device->compile(program->source, words, program->headers, program->code, program->log)
             ? HIPRTC_SUCCESS
             : HIPRTC_ERROR_COMPILATION;
}
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, std::size_t* bytes) {
  *bytes = program->log.empty() ? 0 : program->log.size() + 1;
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log) {
  log[program->log.copy(log, program->log.size())] = '\0';
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, std::size_t* bytes) {
  *bytes = program->code.size();
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code) {
  program->code.copy(code, program->code.size());
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
  delete *program;
  *program = nullptr;
  return HIPRTC_SUCCESS;
}
}
