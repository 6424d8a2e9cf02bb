// Streams and events.
#include "runtime/program/hip/streams.h"

#include <algorithm>

namespace heddle::program {

ihipStream_t& stream_of(hipStream_t stream) {
  static ihipStream_t null;
  static thread_local ihipStream_t own;
  if (stream == hipStreamPerThread) return own;
  return stream == nullptr || stream == hipStreamLegacy ? null : *stream;
}

hipGraphNode* add_captured(hipStream_t stream, hipGraphNodeType type) {
  ihipStream_t& on = stream_of(stream);
  if (!on.capture) return nullptr;
  hipGraphNode& node = on.capture->graph->nodes.emplace_back();
  node.type = type;
  node.graph = on.capture->graph.get();
  node.needs = std::exchange(on.needs, {&node});
  return &node;
}

hipError_t on_stream(hipStream_t stream, hipGraphNodeType type, NodeWork work) {
  hipGraphNode* const node = add_captured(stream, type);
  if (!node) return work();
  node->work = std::move(work);
  return hipSuccess;
}

}  // namespace heddle::program

using namespace heddle::program;

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithFlags(stream, 0); }
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  if (!stream) return result(hipErrorInvalidValue);
  int device = 0;
  hipGetDevice(&device);
  *stream = new ihipStream_t{flags, priority, device, {}, {}};
  return hipSuccess;
}
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, std::uint32_t, const std::uint32_t*) {
  return hipStreamCreate(stream);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!stream) return result(hipErrorInvalidHandle);
  if (stream != hipStreamLegacy && stream != hipStreamPerThread) delete stream;
  return hipSuccess;
}
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  if (!flags) return result(hipErrorInvalidValue);
  *flags = stream_of(stream).flags;
  return hipSuccess;
}
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  if (!priority) return result(hipErrorInvalidValue);
  *priority = stream_of(stream).priority;
  return hipSuccess;
}
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  if (!device) return result(hipErrorInvalidValue);
  *device = stream_of(stream).device;
  return hipSuccess;
}
int hipGetStreamDeviceId(hipStream_t stream) { return stream_of(stream).device; }
hipError_t hipStreamSynchronize(hipStream_t stream) {
  if (stream_of(stream).capture) return result(hipErrorStreamCaptureUnsupported);
  return hipDeviceSynchronize();
}
hipError_t hipStreamQuery(hipStream_t stream) { return hipStreamSynchronize(stream); }
// If the event was recorded in a captured stream, the stream that waits for it becomes a part of
// the capture.
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  if (!event) return result(hipErrorInvalidHandle);
  if (!event->capture) return hipSuccess;
  ihipStream_t& on = stream_of(stream);
  if (on.capture && on.capture != event->capture) return result(hipErrorStreamCaptureMerge);
  on.capture = event->capture;
  for (hipGraphNode* node : event->needs)
    if (std::ranges::find(on.needs, node) == on.needs.end()) on.needs.push_back(node);
  return hipSuccess;
}
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* user,
                                unsigned) {
  return on_stream(stream, hipGraphNodeTypeHost, [=] {
    callback(stream, hipSuccess, user);
    return hipSuccess;
  });
}
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* user) {
  if (hipGraphNode* node = add_captured(stream, hipGraphNodeTypeHost))
    node->work = hipHostNodeParams{function, user};
  else
    function(user);
  return hipSuccess;
}
hipError_t hipStreamAttachMemAsync(hipStream_t, void*, std::size_t, unsigned) { return hipSuccess; }

hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) {
  if (!event) return result(hipErrorInvalidValue);
  *event = new ihipEvent_t;
  return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t event) {
  if (!event) return result(hipErrorInvalidHandle);
  delete event;
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  if (!event) return result(hipErrorInvalidHandle);
  const ihipStream_t& on = stream_of(stream);
  event->capture = on.capture;
  event->needs = on.needs;
  if (on.capture) return hipSuccess;
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

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  static unsigned long long captures = 0;
  ihipStream_t& on = stream_of(stream);
  if (stream == nullptr || stream == hipStreamLegacy)
    return result(hipErrorStreamCaptureUnsupported);
  if (on.capture) return result(hipErrorIllegalState);
  on.capture = std::make_shared<Capture>();
  on.capture->number = ++captures;
  on.capture->origin = stream;
  on.needs.clear();
  return hipSuccess;
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  ihipStream_t& on = stream_of(stream);
  if (!graph) return result(hipErrorInvalidValue);
  *graph = nullptr;
  if (!on.capture) return result(hipErrorIllegalState);
  if (on.capture->origin != stream) return result(hipErrorStreamCaptureUnmatched);
  *graph = on.capture->graph.release();
  on.capture.reset();
  on.needs.clear();
  return hipSuccess;
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return hipStreamGetCaptureInfo(stream, status, nullptr);
}
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status,
                                   unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status,
                                      unsigned long long* id, hipGraph_t* graph,
                                      const hipGraphNode_t** needs, std::size_t* count) {
  if (!status) return result(hipErrorInvalidValue);
  const ihipStream_t& on = stream_of(stream);
  *status = on.capture ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  if (!on.capture) return hipSuccess;
  if (id) *id = on.capture->number;
  if (graph) *graph = on.capture->graph.get();
  if (needs) *needs = on.needs.data();
  if (count) *count = on.needs.size();
  return hipSuccess;
}
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* needs,
                                              std::size_t count, unsigned flags) {
  ihipStream_t& on = stream_of(stream);
  if (!on.capture) return result(hipErrorIllegalState);
  if (flags != 0) on.needs.clear();
  on.needs.insert(on.needs.end(), needs, needs + count);
  return hipSuccess;
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  static thread_local hipStreamCaptureMode current = hipStreamCaptureModeGlobal;
  if (!mode) return result(hipErrorInvalidValue);
  std::swap(*mode, current);
  return hipSuccess;
}
}
