#include "runtime/program/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/program/protocol.h"

namespace heddle::program {

SharedMemory::SharedMemory(unsigned devices)
    : bytes_(devices * device_bytes),
      file_(::memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (!file_.is_open()) return;
  if (::ftruncate(file_.number(), static_cast<off_t>(2 * bytes_)) != 0) return;
  if (::fcntl(file_.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return;
  void* const memory = ::mmap(nullptr, 2 * bytes_, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_NORESERVE, file_.number(), 0);
  if (memory != MAP_FAILED) memory_ = static_cast<std::byte*>(memory);
}

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) ::munmap(memory_, 2 * bytes_);
}

std::span<std::byte> SharedMemory::bytes(std::uint64_t offset, std::uint64_t count) const {
  if (offset > bytes_ || count > bytes_ - offset) return {};
  return {memory_ + offset, count};
}

std::uint8_t* SharedMemory::written(std::uint64_t offset) const {
  return reinterpret_cast<std::uint8_t*>(memory_ + bytes_ + offset);
}

}  // namespace heddle::program
