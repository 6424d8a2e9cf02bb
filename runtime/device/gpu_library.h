// The code that a launch through HIP and a launch through CUDA have in common: a library opened at
// run time, memory on the GPU, numbers of errors, and arguments that are passed by pointer.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/device.h"

namespace heddle::runtime {

using GpuResult = int;             // hipError_t, CUresult; 0 is success
using GpuHandle = void*;           // a module, function, stream, context or event
using GpuAddress = std::uint64_t;  // hipDeviceptr_t, CUdeviceptr

std::unexpected<Failure> failed(std::string message);

/// A shared library and the functions looked up in it.
class OpenedLibrary {
 public:
  /// Opens the file that the environment variable names, or the first of `names` that the loader
  /// finds. Errors: the loader's message about the variable's file; `none` if no name is found.
  static std::expected<OpenedLibrary, Failure> open(const char* variable,
                                                    std::initializer_list<const char*> names,
                                                    std::string_view none);

  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(symbol(name));
  }
  /// The functions that were not found, separated by commas; empty if all were found.
  const std::string& missing() const { return missing_; }

 private:
  void* symbol(const char* name);

  void* handle_ = nullptr;
  std::string missing_;
};

/// The functions of HIP or CUDA that the memory of a launch needs.
class GpuLibrary {
 public:
  virtual ~GpuLibrary() = default;
  virtual std::string_view name() const = 0;  // "HIP", "CUDA"
  virtual GpuResult allocate(GpuAddress& address, std::size_t bytes) const = 0;
  virtual GpuResult release(GpuAddress address) const = 0;
  virtual GpuResult to_device(GpuAddress to, const void* from, std::size_t bytes) const = 0;
  virtual GpuResult to_host(void* to, GpuAddress from, std::size_t bytes) const = 0;
  virtual const char* error_text(GpuResult error) const = 0;  // null: no text is known

  /// The failure "doing: the library's text" if `result` is an error; nothing otherwise.
  std::optional<Failure> said(GpuResult result, std::string_view doing) const;
  /// A failure if there is no GPU with this number among `count`; nothing otherwise. `prefix` is
  /// "hip" or "cuda".
  std::optional<Failure> check_number(int number, int count, std::string_view prefix) const;
};

/// The buffers of one launch in the GPU's memory. The destructor frees them, also after an error.
class DeviceMemory {
 public:
  explicit DeviceMemory(const GpuLibrary& library) : library_(library) {}
  DeviceMemory(const DeviceMemory&) = delete;
  ~DeviceMemory();

  std::expected<GpuAddress, Failure> add(const emulator::Buffer& buffer);
  /// The address of a byte of a buffer; 0 if no buffer has that name or it is too short.
  GpuAddress find(const std::string& name, std::uint64_t offset) const;
  std::optional<Failure> copy_back() const;
  /// Stores the addresses in the GPU's memory and in the caller's, for as long as the result lives.
  /// Precondition: all buffers of `launch` have been added.
  std::expected<std::unique_ptr<StoredAddresses>, Failure> store(
      const emulator::Launch& launch, std::span<const StoredAddress> addresses) const;

 private:
  struct Place {
    GpuAddress address;
    const emulator::Buffer* buffer;
  };
  std::optional<Failure> copy_to_device(const Place& place) const;
  const GpuLibrary& library_;
  std::vector<Place> places_;
};

using EncodeMap =
    std::function<std::expected<emulator::Value, Failure>(const emulator::TensorMap& map)>;

/// The values of the kernel's arguments. Adds the launch's buffers to `memory`: first
/// launch.buffers, then the buffers that are arguments. When all buffers have addresses, `encode`
/// makes the tensor maps.
std::expected<std::vector<emulator::Value>, Failure> argument_values(const emulator::Launch& launch,
                                                                     DeviceMemory& memory,
                                                                     const EncodeMap& encode);

/// A pointer to each argument's value. HIP and CUDA take arguments in this form.
std::vector<void*> pointers_to(std::vector<emulator::Value>& values);

}  // namespace heddle::runtime
