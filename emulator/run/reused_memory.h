// Memory that one launch hands on to the next.
//
// The system makes fresh memory page by page as it is touched, which takes longer than a short
// launch of a loaded kernel: the registers of a workgroup alone may have a megabyte.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace heddle::emulator {

class ReusedMemory {
 public:
  ReusedMemory() = default;
  // Aligned for everything. What it holds may be anything. Throws std::bad_alloc.
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

// Objects in such memory: their members without an initialiser may be anything.
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
