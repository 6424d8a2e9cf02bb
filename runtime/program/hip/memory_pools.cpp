// Memory that is allocated and freed on streams, from pools. A pool only counts the memory taken
// from it; freed memory returns to the device at once.
#include "runtime/program/hip/memory_pools.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "runtime/program/hip/streams.h"

struct ihipMemPoolHandle_t {
  std::uint64_t used = 0, most_used = 0, release_threshold = 0;
  int reuse[3] = {1, 1, 1};
};

namespace heddle::program {
namespace {

ihipMemPoolHandle_t default_pool;
ihipMemPoolHandle_t* current_pool = &default_pool;

struct Taken {
  ihipMemPoolHandle_t* pool;
  std::uint64_t bytes;
};
std::map<const void*, Taken>& taken() {
  static auto* const all = new std::map<const void*, Taken>;
  return *all;
}

hipError_t take(void** place, std::size_t bytes, hipMemPool_t pool) {
  if (!pool) return result(hipErrorInvalidValue);
  if (const hipError_t error = hipMalloc(place, bytes); error != hipSuccess || !*place)
    return error;
  return with_device([&](ProgramDevice&) {
    taken()[*place] = {pool, bytes};
    pool->used += bytes;
    pool->most_used = std::max(pool->most_used, pool->used);
    return hipSuccess;
  });
}

}  // namespace

void note_freed(const void* memory) {
  const auto found = taken().find(memory);
  if (found == taken().end()) return;
  found->second.pool->used -= found->second.bytes;
  taken().erase(found);
}

}  // namespace heddle::program

using namespace heddle::program;

extern "C" {

// If the call is captured into a graph, the caller needs the address at once, before the graph
// runs, and the graph may run many times. So memory that a graph allocates is kept until the
// program ends.
hipError_t hipMallocFromPoolAsync(void** place, std::size_t bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
  add_captured(stream, hipGraphNodeTypeMemAlloc);
  return take(place, bytes, pool);
}
hipError_t hipMallocAsync(void** place, std::size_t bytes, hipStream_t stream) {
  return hipMallocFromPoolAsync(place, bytes, current_pool, stream);
}
hipError_t hipFreeAsync(void* memory, hipStream_t stream) {
  if (add_captured(stream, hipGraphNodeTypeMemFree)) return hipSuccess;
  return hipFree(memory);
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int) {
  if (!pool) return result(hipErrorInvalidValue);
  *pool = &default_pool;
  return hipSuccess;
}
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int) {
  if (!pool) return result(hipErrorInvalidValue);
  *pool = current_pool;
  return hipSuccess;
}
hipError_t hipDeviceSetMemPool(int, hipMemPool_t pool) {
  if (!pool) return result(hipErrorInvalidValue);
  current_pool = pool;
  return hipSuccess;
}
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  if (!pool || !properties || properties->allocType != hipMemAllocationTypePinned)
    return result(hipErrorInvalidValue);
  *pool = new ihipMemPoolHandle_t;
  return hipSuccess;
}
hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  if (!pool || pool == &default_pool) return result(hipErrorInvalidValue);
  if (current_pool == pool) current_pool = &default_pool;
  for (auto& [memory, from] : taken())
    if (from.pool == pool) from.pool = &default_pool;
  delete pool;
  return hipSuccess;
}
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t) {
  return result(pool ? hipSuccess : hipErrorInvalidValue);
}
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  if (!pool || !value) return result(hipErrorInvalidValue);
  if (attribute >= hipMemPoolReuseFollowEventDependencies &&
      attribute <= hipMemPoolReuseAllowInternalDependencies)
    std::memcpy(&pool->reuse[attribute - 1], value, sizeof(int));
  else if (attribute == hipMemPoolAttrReleaseThreshold)
    std::memcpy(&pool->release_threshold, value, 8);
  else if (attribute == hipMemPoolAttrUsedMemHigh || attribute == hipMemPoolAttrReservedMemHigh)
    pool->most_used = pool->used;  // it can only be set back
  else
    return result(hipErrorInvalidValue);
  return hipSuccess;
}
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  if (!pool || !value) return result(hipErrorInvalidValue);
  if (attribute >= hipMemPoolReuseFollowEventDependencies &&
      attribute <= hipMemPoolReuseAllowInternalDependencies) {
    std::memcpy(value, &pool->reuse[attribute - 1], sizeof(int));
    return hipSuccess;
  }
  const bool is_high =
      attribute == hipMemPoolAttrReservedMemHigh || attribute == hipMemPoolAttrUsedMemHigh;
  if (attribute < hipMemPoolAttrReleaseThreshold || attribute > hipMemPoolAttrUsedMemHigh)
    return result(hipErrorInvalidValue);
  std::memcpy(value,
              attribute == hipMemPoolAttrReleaseThreshold ? &pool->release_threshold
              : is_high                                   ? &pool->most_used
                                                          : &pool->used,
              8);
  return hipSuccess;
}
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* descriptions,
                               std::size_t count) {
  return result(pool && (descriptions || count == 0) ? hipSuccess : hipErrorInvalidValue);
}
hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool, hipMemLocation*) {
  if (!flags || !pool) return result(hipErrorInvalidValue);
  *flags = hipMemAccessFlagsProtReadWrite;
  return hipSuccess;
}
}
