// An NVIDIA GPU through CUDA's driver library, found at run time: Heddle builds and installs
// without the CUDA toolkit, and needs nothing of it to run but what comes with the GPU's driver.
//
// Source of the declarations and numbers: CUDA Driver API 13.0, sections "Initialization", "Version
// Management", "Device Management", "Primary Context Management", "Module Management", "Memory
// Management", "Event Management", "Execution Control" and "Tensor Map Object Management".
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "emulator/ptx/ptx.h"
#include "runtime/device.h"

namespace heddle::runtime {
namespace {

using Result = int;             // CUresult; 0 is success
using Handle = void*;           // CUcontext, CUmodule, CUfunction, CUstream, CUevent
using Address = std::uint64_t;  // CUdeviceptr

// Values of CUdevice_attribute, CUfunction_attribute, CUjit_option and CUlaunchAttributeID.
constexpr int capability_major = 75, capability_minor = 76;
constexpr int max_dynamic_shared_bytes = 8, non_portable_cluster = 14;
constexpr int error_log_buffer = 5, error_log_bytes = 6;
constexpr int attribute_cluster = 4;
// Dynamic shared memory that needs no asking for.
constexpr std::uint32_t shared_without_asking = 48 << 10;

struct LaunchAttribute {
  int id;
  int padding;
  std::uint32_t value[16];  // of a cluster x, y and z
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfiguration {
  unsigned grid[3], block[3], shared_bytes;
  Handle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(offsetof(LaunchConfiguration, stream) == 32);

struct alignas(64) EncodedTensorMap {
  std::array<std::byte, 128> bytes;
};

struct Driver {
  Result (*init)(unsigned flags);
  Result (*driver_version)(int* version);
  Result (*device_count)(int* count);
  Result (*device)(int* device, int number);
  Result (*device_name)(char* name, int bytes, int device);
  Result (*device_attribute)(int* value, int attribute, int device);
  Result (*retain_context)(Handle* context, int device);
  Result (*release_context)(int device);
  Result (*set_context)(Handle context);
  Result (*load_module)(Handle* module, const void* image, unsigned options, int* names,
                        void** values);
  Result (*unload_module)(Handle module);
  Result (*get_function)(Handle* function, Handle module, const char* name);
  Result (*function_attribute)(Handle function, int attribute, int value);
  Result (*allocate)(Address* address, std::size_t bytes);
  Result (*release)(Address address);
  Result (*to_device)(Address to, const void* from, std::size_t bytes);
  Result (*to_host)(void* to, Address from, std::size_t bytes);
  Result (*launch)(const LaunchConfiguration* configuration, Handle function, void** parameters,
                   void** extra);
  Result (*synchronize)();
  Result (*create_event)(Handle* event, unsigned flags);
  Result (*record_event)(Handle event, Handle stream);
  Result (*elapsed)(float* milliseconds, Handle begin, Handle end);
  Result (*destroy_event)(Handle event);
  Result (*encode_map)(EncodedTensorMap* map, int type, std::uint32_t rank, void* address,
                       const std::uint64_t* sizes, const std::uint64_t* strides,
                       const std::uint32_t* box, const std::uint32_t* element_strides,
                       int interleave, int swizzle, int promotion, int fill);
  Result (*error_text)(Result error, const char** text);
};

std::unexpected<Failure> failed(std::string message) {
  return std::unexpected(Failure{std::move(message), {}});
}

/// "Doing: what the library says", when `result` is an error.
std::optional<Failure> said(const Driver& driver, Result result, std::string_view doing) {
  if (result == 0) return {};
  const char* text = nullptr;
  driver.error_text(result, &text);
  return Failure{fmt::format("{}: {} (CUDA error {})", doing, text != nullptr ? text : "no text",
                             static_cast<int>(result)),
                 {}};
}

std::expected<void*, Failure> open_library() {
  if (const char* chosen = std::getenv("HEDDLE_CUDA_LIBRARY"); chosen != nullptr && *chosen != 0) {
    if (void* library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL)) return library;
    return failed(fmt::format("HEDDLE_CUDA_LIBRARY is '{}': {}", chosen, dlerror()));
  }
  for (const char* name : {"libcuda.so.1", "libcuda.so"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return failed(
      "no CUDA here: libcuda.so.1, which comes with the driver of an NVIDIA GPU, is not where the "
      "loader looks. Install the driver, or name the file in HEDDLE_CUDA_LIBRARY; --device ptx "
      "simulates and needs none");
}

std::expected<Driver, Failure> load_driver() {
  const auto library = open_library();
  if (!library) return std::unexpected(library.error());
  Driver driver{};
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(*library, name));
    if (function == nullptr) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  };
  find(driver.init, "cuInit");
  find(driver.driver_version, "cuDriverGetVersion");
  find(driver.device_count, "cuDeviceGetCount");
  find(driver.device, "cuDeviceGet");
  find(driver.device_name, "cuDeviceGetName");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.retain_context, "cuDevicePrimaryCtxRetain");
  find(driver.release_context, "cuDevicePrimaryCtxRelease_v2");
  find(driver.set_context, "cuCtxSetCurrent");
  find(driver.load_module, "cuModuleLoadDataEx");
  find(driver.unload_module, "cuModuleUnload");
  find(driver.get_function, "cuModuleGetFunction");
  find(driver.function_attribute, "cuFuncSetAttribute");
  find(driver.allocate, "cuMemAlloc_v2");
  find(driver.release, "cuMemFree_v2");
  find(driver.to_device, "cuMemcpyHtoD_v2");
  find(driver.to_host, "cuMemcpyDtoH_v2");
  find(driver.launch, "cuLaunchKernelEx");
  find(driver.synchronize, "cuCtxSynchronize");
  find(driver.create_event, "cuEventCreate");
  find(driver.record_event, "cuEventRecord");
  find(driver.elapsed, "cuEventElapsedTime");
  find(driver.destroy_event, "cuEventDestroy_v2");
  find(driver.encode_map, "cuTensorMapEncodeTiled");
  find(driver.error_text, "cuGetErrorString");
  if (!missing.empty())
    return failed(
        fmt::format("this CUDA library lacks {}; driver 525 (CUDA 12) or later has them", missing));
  return driver;
}

/// The buffers of one launch in the GPU's memory, freed at the end whatever happens.
class DeviceMemory {
 public:
  explicit DeviceMemory(const Driver& driver) : driver_(driver) {}
  DeviceMemory(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    for (const Place& place : places_) driver_.release(place.address);
  }

  std::expected<Address, Failure> add(const emulator::Buffer& buffer) {
    Address address = 0;
    const std::size_t bytes = std::max<std::size_t>(1, buffer.bytes.size());
    if (auto error = said(driver_, driver_.allocate(&address, bytes),
                          fmt::format("allocating {} bytes for {}", bytes, buffer.name)))
      return std::unexpected(*error);
    places_.push_back({address, &buffer});
    if (!buffer.bytes.empty())
      if (auto error =
              said(driver_, driver_.to_device(address, buffer.bytes.data(), buffer.bytes.size()),
                   fmt::format("copying {} to the GPU", buffer.name)))
        return std::unexpected(*error);
    return address;
  }

  /// 0 when no buffer has that name, or it is shorter.
  Address find(const std::string& name, std::uint64_t offset) const {
    for (const Place& place : places_)
      if (place.buffer->name == name && offset <= place.buffer->bytes.size())
        return place.address + offset;
    return 0;
  }

  std::optional<Failure> copy_back() const {
    for (const Place& place : places_) {
      const auto bytes = place.buffer->bytes;
      if (bytes.empty()) continue;
      if (auto error = said(driver_, driver_.to_host(bytes.data(), place.address, bytes.size()),
                            fmt::format("copying {} from the GPU", place.buffer->name)))
        return error;
    }
    return {};
  }

 private:
  struct Place {
    Address address;
    const emulator::Buffer* buffer;
  };
  const Driver& driver_;
  std::vector<Place> places_;
};

/// CUtensorMapDataType.
int map_type(instruction::ElementType type) {
  using instruction::ElementType;
  switch (type) {
    case ElementType::f16:
      return 6;
    case ElementType::f32:
      return 7;
    case ElementType::f64:
      return 8;
    case ElementType::bf16:
      return 9;
    case ElementType::xf32:
      return 11;
    case ElementType::i32:
      return 3;
    default:
      // Copies do not look at the numbers.
      switch (instruction::bits(type)) {
        case 16:
          return 1;
        case 32:
          return 2;
        default:
          return 0;
      }
  }
}

std::expected<emulator::Value, Failure> encoded(const Driver& driver, const DeviceMemory& memory,
                                                const emulator::TensorMap& map) {
  const int swizzle = map.swizzle_bytes == 128  ? 3
                      : map.swizzle_bytes == 64 ? 2
                      : map.swizzle_bytes == 32 ? 1
                                                : 0;
  const std::vector<std::uint32_t> steps(map.sizes.size(), 1);
  constexpr int promotion_256 = 3;
  EncodedTensorMap made{};
  const Address address = memory.find(map.buffer, map.offset);
  if (auto error =
          said(driver,
               driver.encode_map(
                   &made, map_type(map.element), static_cast<std::uint32_t>(map.sizes.size()),
                   reinterpret_cast<void*>(address), map.sizes.data(), map.strides.data(),
                   map.box.data(), steps.data(), 0, swizzle, promotion_256, 0),
               fmt::format("making the tensor map of {}", map.buffer)))
    return std::unexpected(*error);
  return emulator::Value(made.bytes.begin(), made.bytes.end());
}

/// Storage of the kernel's arguments, as cuLaunchKernelEx takes them: a pointer to each.
std::expected<std::vector<emulator::Value>, Failure> argument_values(const Driver& driver,
                                                                     const emulator::Launch& launch,
                                                                     DeviceMemory& memory) {
  for (const emulator::Buffer& buffer : launch.buffers)
    if (const auto address = memory.add(buffer); !address) return std::unexpected(address.error());
  std::vector<emulator::Value> values(launch.arguments.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto* buffer = std::get_if<emulator::Buffer>(&launch.arguments[i])) {
      const auto address = memory.add(*buffer);
      if (!address) return std::unexpected(address.error());
      values[i] = emulator::value(*address);
    } else if (const auto* value = std::get_if<emulator::Value>(&launch.arguments[i])) {
      values[i] = *value;
    }
  }
  // Into buffers that may come later.
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto* inside = std::get_if<emulator::BufferAddress>(&launch.arguments[i]))
      values[i] = emulator::value(memory.find(inside->buffer, inside->offset));
    if (const auto* map = std::get_if<emulator::TensorMap>(&launch.arguments[i])) {
      auto made = encoded(driver, memory, *map);
      if (!made) return std::unexpected(made.error());
      values[i] = *std::move(made);
    }
  }
  return values;
}

/// Two events and the time between them.
class Stopwatch {
 public:
  explicit Stopwatch(const Driver& driver) : driver_(driver) {}
  Stopwatch(const Stopwatch&) = delete;
  ~Stopwatch() {
    for (const Handle event : events_)
      if (event != nullptr) driver_.destroy_event(event);
  }
  Result record(std::size_t number) {
    if (const Result result = driver_.create_event(&events_[number], 0); result != 0) return result;
    return driver_.record_event(events_[number], nullptr);
  }
  double seconds() const {
    float milliseconds = 0;
    if (driver_.elapsed(&milliseconds, events_[0], events_[1]) != 0) return 0;
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  const Driver& driver_;
  std::array<Handle, 2> events_{};
};

class CudaModule final : public Module {
 public:
  CudaModule(const Driver& driver, emulator::ptx::Module described, Handle module)
      : driver_(driver), described_(std::move(described)), module_(module) {}
  ~CudaModule() override { driver_.unload_module(module_); }

  std::span<const emulator::Kernel> kernels() const override { return described_.kernels(); }
  std::string target() const override { return described_.target(); }

  std::expected<LaunchReport, Failure> launch(const emulator::Launch& launch) override {
    if (const auto fault = emulator::ptx::check_launch(described_, launch))
      return std::unexpected(Failure{fault->text(), fault});
    const std::string kernel =
        launch.kernel.empty() ? described_.kernels().front().name : launch.kernel;
    Handle function = nullptr;
    if (auto error = said(driver_, driver_.get_function(&function, module_, kernel.c_str()),
                          fmt::format("finding kernel {}", kernel)))
      return std::unexpected(*error);
    DeviceMemory memory(driver_);
    auto values = argument_values(driver_, launch, memory);
    if (!values) return std::unexpected(values.error());
    std::vector<void*> parameters;
    for (emulator::Value& value : *values) parameters.push_back(value.data());

    Stopwatch watch(driver_);
    if (auto error = run(kernel, function, launch, parameters.data(), watch))
      return std::unexpected(*error);
    if (auto error = memory.copy_back()) return std::unexpected(*error);
    return LaunchReport{watch.seconds(), {}};
  }

 private:
  std::optional<Failure> run(const std::string& kernel, Handle function,
                             const emulator::Launch& launch, void** parameters, Stopwatch& watch) {
    if (launch.dynamic_lds_bytes > shared_without_asking)
      if (auto error = said(driver_,
                            driver_.function_attribute(function, max_dynamic_shared_bytes,
                                                       static_cast<int>(launch.dynamic_lds_bytes)),
                            fmt::format("asking for {} bytes of dynamic shared memory",
                                        launch.dynamic_lds_bytes)))
        return error;
    LaunchConfiguration configuration{};
    for (std::size_t i = 0; i < 3; ++i) {
      configuration.grid[i] = launch.grid[i];
      configuration.block[i] = launch.workgroup[i];
    }
    configuration.shared_bytes = launch.dynamic_lds_bytes;
    LaunchAttribute cluster{attribute_cluster, 0, {}};
    const std::uint32_t blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    if (blocks > 1) {
      for (std::size_t i = 0; i < 3; ++i) cluster.value[i] = launch.cluster[i];
      configuration.attributes = &cluster;
      configuration.attribute_count = 1;
    }
    if (blocks > 8)
      if (auto error = said(driver_, driver_.function_attribute(function, non_portable_cluster, 1),
                            fmt::format("asking for clusters of {} blocks", blocks)))
        return error;
    if (auto error = said(driver_, watch.record(0), "taking the time")) return error;
    if (auto error = said(driver_, driver_.launch(&configuration, function, parameters, nullptr),
                          fmt::format("launching {}", kernel)))
      return error;
    if (auto error = said(driver_, watch.record(1), "taking the time")) return error;
    return said(driver_, driver_.synchronize(), fmt::format("running {}", kernel));
  }

  const Driver& driver_;  // of the device, which outlives its modules
  emulator::ptx::Module described_;
  Handle module_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int number) : driver_(driver), number_(number) {}
  ~CudaDevice() override {
    if (context_ != nullptr) driver_.release_context(device_);
  }

  std::optional<Failure> start() {
    if (auto error = said(driver_, driver_.device(&device_, number_), "choosing the GPU"))
      return error;
    std::array<char, 256> name{};
    if (auto error = said(driver_, driver_.device_name(name.data(), name.size(), device_),
                          "asking the GPU for its name"))
      return error;
    name_ = name.data();
    int major = 0, minor = 0;
    for (const auto& [value, attribute] :
         {std::pair(&major, capability_major), std::pair(&minor, capability_minor)})
      if (auto error = said(driver_, driver_.device_attribute(value, attribute, device_),
                            "asking the GPU what it can"))
        return error;
    processor_ = fmt::format("sm_{}{}", major, minor);
    if (auto error = said(driver_, driver_.retain_context(&context_, device_), "opening the GPU"))
      return error;
    return said(driver_, driver_.set_context(context_), "opening the GPU");
  }

  std::string description() const override {
    int version = 0;
    driver_.driver_version(&version);
    return fmt::format("{}, CUDA {}.{}", name_, version / 1000, version / 10 % 100);
  }
  std::string processor() const override { return processor_; }
  bool is_hardware() const override { return true; }

  std::expected<std::unique_ptr<Module>, Failure> load(std::span<const std::byte> bytes) override {
    // The driver reads a text up to its zero.
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto described = emulator::ptx::Module::parse(text);
    if (!described) return failed(described.error().message);
    if (!runs_on(described->target(), processor_))
      return failed(fmt::format("the PTX is for {}, and the GPU {} is an {}", described->target(),
                                number_, processor_));
    std::string log(16384, '\0');
    std::array names{error_log_buffer, error_log_bytes};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    Handle module = nullptr;
    const Result result =
        driver_.load_module(&module, text.c_str(), names.size(), names.data(), values.data());
    if (auto error = said(driver_, result, "loading the PTX")) {
      log.resize(std::strlen(log.c_str()));
      while (!log.empty() && log.back() == '\n') log.pop_back();
      if (!log.empty()) error->message += "\n" + log;
      return std::unexpected(*error);
    }
    return std::make_unique<CudaModule>(driver_, *std::move(described), module);
  }

 private:
  Driver driver_;
  int number_;
  int device_ = 0;
  Handle context_ = nullptr;
  std::string name_, processor_;
};

}  // namespace

bool runs_on(std::string_view target, std::string_view processor) {
  const auto number = [](std::string_view name) {
    int value = 0;
    if (name.starts_with("sm_")) name.remove_prefix(3);
    std::from_chars(name.data(), name.data() + name.size(), value);
    return value;
  };
  if (target == processor) return true;
  // What ends in a letter is for that processor (a) or its family (f) alone.
  if (target.ends_with('a')) return number(target) == number(processor);
  if (target.ends_with('f')) return number(target) / 10 == number(processor) / 10;
  return number(target) <= number(processor);
}

std::expected<std::unique_ptr<Device>, Failure> open_cuda_device(int number) {
  const auto driver = load_driver();
  if (!driver) return std::unexpected(driver.error());
  int count = 0;
  if (auto error = said(*driver, driver->init(0), "starting CUDA")) return std::unexpected(*error);
  if (auto error = said(*driver, driver->device_count(&count), "counting GPUs"))
    return std::unexpected(*error);
  if (number >= count)
    return failed(fmt::format("no GPU {}: CUDA finds {}{}", number, count,
                              count == 0 ? "" : fmt::format(", cuda:0 to cuda:{}", count - 1)));
  auto device = std::make_unique<CudaDevice>(*driver, number);
  if (auto error = device->start()) return std::unexpected(*error);
  return device;
}

}  // namespace heddle::runtime
