// Streams and events. Every call finishes before it returns, so streams hold nothing back.
#include <chrono>

#include "runtime/program/hip/calls.h"

struct ihipStream_t {
  unsigned flags = 0;
};
struct ihipEvent_t {
  std::chrono::steady_clock::time_point time;
  bool is_recorded = false;
};

using namespace heddle::program;

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithFlags(stream, 0); }
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  *stream = new ihipStream_t{flags};
  return hipSuccess;
}
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int) {
  return hipStreamCreateWithFlags(stream, flags);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  if (stream != hipStreamLegacy && stream != hipStreamPerThread) delete stream;
  return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t) { return hipDeviceSynchronize(); }
hipError_t hipStreamQuery(hipStream_t) { return hipDeviceSynchronize(); }
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned) { return hipSuccess; }
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* user,
                                unsigned) {
  callback(stream, hipSuccess, user);
  return hipSuccess;
}
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t function, void* user) {
  function(user);
  return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) {
  *event = new ihipEvent_t;
  return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t event) {
  delete event;
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t) {
  if (!event) return result(hipErrorInvalidHandle);
  event->time = std::chrono::steady_clock::now();
  event->is_recorded = true;
  return result(broken());
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  return result(event ? broken() : hipErrorInvalidHandle);
}
hipError_t hipEventQuery(hipEvent_t event) { return hipEventSynchronize(event); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  if (!begin || !end || !begin->is_recorded || !end->is_recorded)
    return result(hipErrorInvalidHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return result(broken());
}
}
