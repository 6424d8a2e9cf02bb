// Memory that is reused from one launch to the next.
//
// The system provides new memory page by page at the first access, which takes longer than a short
// launch: the registers of a workgroup alone may have a megabyte.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace heddle::emulator {

class ReusedMemory {
 public:
  ReusedMemory() = default;
  // Allocates memory that is aligned for any type. Its contents are undefined. Throws
  // std::bad_alloc.
  explicit ReusedMemory(std::size_t bytes);
  ~ReusedMemory();
  ReusedMemory(ReusedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  ReusedMemory& operator=(ReusedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// An array in reused memory. Members without an initialiser have undefined values.
template <class T>
class ReusedArray {
 public:
  ReusedArray() = default;
  explicit ReusedArray(std::size_t count) : memory_(count * sizeof(T)) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 128);
    std::uninitialized_default_construct_n(get(), count);
  }
  T* get() const { return reinterpret_cast<T*>(memory_.data()); }
  T& operator[](std::size_t i) const { return get()[i]; }
  explicit operator bool() const { return !memory_.empty(); }

 private:
  ReusedMemory memory_;
};

}  // namespace heddle::emulator
