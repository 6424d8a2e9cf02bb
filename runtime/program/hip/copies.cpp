// Copies, fills, and the variables of kernels.
#include <cstring>
#include <string>

#include "runtime/program/hip/streams.h"
#include "runtime/program/registry.h"

namespace heddle::program {
hipError_t copy(void* to, const void* from, std::uint64_t bytes, hipMemcpyKind kind,
                const char* call) {
  return with_device([&](ProgramDevice& device) {
    if (bytes == 0) return hipSuccess;
    if (!to || !from || kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
      return hipErrorInvalidValue;
    const auto target = device.find_place(to, bytes, call);
    const auto source = device.find_place(from, bytes, call);
    if (!target || !source) return hipErrorInvalidValue;
    // If kind and pointers disagree, some GPUs go by the pointers and others fail: always a
    // mistake.
    const auto is_host = [](const Place& place) {
      return !place.is_device || (place.allocation && place.allocation->kind != MemoryKind::device);
    };
    const bool to_host = kind == hipMemcpyDeviceToHost || kind == hipMemcpyHostToHost;
    const bool from_host = kind == hipMemcpyHostToDevice || kind == hipMemcpyHostToHost;
    if (kind != hipMemcpyDefault &&
        ((to_host && !is_host(*target)) || (from_host && !is_host(*source)) ||
         (!to_host && !target->is_device) || (!from_host && !source->is_device))) {
      device.tell_mistake(std::string(call) +
                          ": the pointers are not of the kinds that the copy's direction says");
      return hipErrorInvalidValue;
    }
    device.copy(*target, *source, bytes);
    return hipSuccess;
  });
}

namespace {

hipError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t height, hipMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return result(hipErrorInvalidPitchValue);
  for (std::size_t i = 0; i < height; ++i)
    if (const hipError_t error =
            copy(static_cast<char*>(to) + i * to_pitch,
                 static_cast<const char*>(from) + i * from_pitch, width, kind, "hipMemcpy2D");
        error != hipSuccess)
      return error;
  return hipSuccess;
}

template <class T>
hipError_t fill(void* to, T value, std::uint64_t count, const char* call) {
  return with_device([&](ProgramDevice& device) {
    if (count == 0) return hipSuccess;
    if (!to || count > device_bytes) return hipErrorInvalidValue;
    const auto place = device.find_place(to, count * sizeof(T), call);
    if (!place || !place->is_device) return hipErrorInvalidValue;
    for (std::uint64_t i = 0; sizeof(T) > 1 && i < count; ++i)
      std::memcpy(place->host + i * sizeof(T), &value, sizeof(T));
    if (sizeof(T) == 1)
      device.fill(*place, static_cast<unsigned char>(value), count);
    else
      device.note_written(*place, count * sizeof(T));
    return hipSuccess;
  });
}

}  // namespace

hipError_t fill_rows(const hipMemsetParams& params) {
  const auto row = [&](std::size_t i) {
    void* const to = static_cast<char*>(params.dst) + i * params.pitch;
    constexpr const char* call = "a node of a graph";
    if (params.elementSize == 4) return fill(to, params.value, params.width, call);
    if (params.elementSize == 2)
      return fill(to, static_cast<unsigned short>(params.value), params.width, call);
    return fill(to, static_cast<unsigned char>(params.value), params.width, call);
  };
  for (std::size_t i = 0; i < params.height; ++i)
    if (const hipError_t error = row(i); error != hipSuccess) return error;
  return hipSuccess;
}

namespace {

hipError_t find_symbol(const void* symbol, const Variable*& variable, ProgramModule*& module) {
  return with_device([&](ProgramDevice& device) {
    const RegisteredVariable* known = registered_variable(symbol);
    if (!known || !device.load(*known->module)) return hipErrorInvalidSymbol;
    module = known->module;
    variable = module->find_variable(known->name);
    if (!variable) return hipErrorInvalidSymbol;
    device.note_symbol(*variable, *module);
    return hipSuccess;
  });
}

}  // namespace
}  // namespace heddle::program

using namespace heddle::program;

extern "C" {

hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  return copy(to, from, bytes, kind, "hipMemcpy");
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemcpy,
                   [=] { return copy(to, from, bytes, kind, "hipMemcpyAsync"); });
}
hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemcpy,
                   [=] { return copy(to, from, bytes, kind, "hipMemcpyWithStream"); });
}
hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                       std::size_t width, std::size_t height, hipMemcpyKind kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                            std::size_t from_pitch, std::size_t width, std::size_t height,
                            hipMemcpyKind kind, hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemcpy,
                   [=] { return copy_rows(to, to_pitch, from, from_pitch, width, height, kind); });
}
hipError_t hipMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDefault, "hipMemcpyPeer");
}
hipError_t hipMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                              hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemcpy,
                   [=] { return copy(to, from, bytes, hipMemcpyDefault, "hipMemcpyPeerAsync"); });
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, std::size_t bytes) {
  return copy(to, from, bytes, hipMemcpyHostToDevice, "hipMemcpyHtoD");
}
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDeviceToHost, "hipMemcpyDtoH");
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDeviceToDevice, "hipMemcpyDtoD");
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, std::size_t bytes,
                              hipStream_t stream) {
  return hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, stream);
}
hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t bytes,
                              hipStream_t stream) {
  return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToHost, stream);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes,
                              hipStream_t stream) {
  return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}
hipError_t hipMemset(void* to, int value, std::size_t bytes) {
  return fill(to, static_cast<unsigned char>(value), bytes, "hipMemset");
}
hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
  const hipMemsetParams params{to, 1, 1, bytes, static_cast<unsigned>(value), bytes};
  if (hipGraphNode* node = add_captured(stream, hipGraphNodeTypeMemset))
    node->work = params;
  else
    return fill(to, static_cast<unsigned char>(value), bytes, "hipMemsetAsync");
  return hipSuccess;
}
hipError_t hipMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                       std::size_t height) {
  for (std::size_t i = 0; i < height; ++i)
    if (const hipError_t error = fill(static_cast<char*>(to) + i * pitch,
                                      static_cast<unsigned char>(value), width, "hipMemset2D");
        error != hipSuccess)
      return error;
  return hipSuccess;
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count) {
  return fill(to, value, count, "hipMemsetD8");
}
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, std::size_t count) {
  return fill(to, value, count, "hipMemsetD16");
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count) {
  return fill(to, value, count, "hipMemsetD32");
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t count,
                            hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemset, [=] { return hipMemsetD8(to, value, count); });
}
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, std::size_t count,
                             hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemset, [=] { return hipMemsetD16(to, value, count); });
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count, hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemset, [=] { return hipMemsetD32(to, value, count); });
}
hipError_t hipMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                            std::size_t height, hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemset,
                   [=] { return hipMemset2D(to, pitch, value, width, height); });
}

hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  const Variable* variable = nullptr;
  ProgramModule* module = nullptr;
  const hipError_t error = find_symbol(symbol, variable, module);
  if (error == hipSuccess) *address = reinterpret_cast<void*>(variable->address);
  return error;
}
hipError_t hipGetSymbolSize(std::size_t* bytes, const void* symbol) {
  const Variable* variable = nullptr;
  ProgramModule* module = nullptr;
  const hipError_t error = find_symbol(symbol, variable, module);
  if (error == hipSuccess) *bytes = variable->bytes;
  return error;
}
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                             std::size_t offset, hipMemcpyKind kind) {
  void* address = nullptr;
  const hipError_t error = hipGetSymbolAddress(&address, symbol);
  if (error != hipSuccess) return error;
  return copy(static_cast<char*>(address) + offset, from, bytes, kind, "hipMemcpyToSymbol");
}
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                               hipMemcpyKind kind) {
  void* address = nullptr;
  const hipError_t error = hipGetSymbolAddress(&address, symbol);
  if (error != hipSuccess) return error;
  return copy(to, static_cast<char*>(address) + offset, bytes, kind, "hipMemcpyFromSymbol");
}
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                  std::size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemcpy,
                   [=] { return hipMemcpyToSymbol(symbol, from, bytes, offset, kind); });
}
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                    std::size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  return on_stream(stream, hipGraphNodeTypeMemcpy,
                   [=] { return hipMemcpyFromSymbol(to, symbol, bytes, offset, kind); });
}
}
