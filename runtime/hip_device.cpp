// An AMD GPU through HIP's run-time library, found at run time: Heddle builds and installs without
// ROCm.
//
// Source of the declarations: HIP Runtime API Reference 6.x, sections "Initialization and Version",
// "Device Management", "Memory Management", "Module Management" and "Execution Control".
// Never run on hardware: see runtime/device.h.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "runtime/device.h"

namespace heddle::runtime {
namespace {

using Result = int;    // hipError_t; 0 is success
using Handle = void*;  // hipModule_t, hipFunction_t, hipStream_t
using Address = void*;

// Values of hipMemcpyKind.
constexpr int host_to_device = 1;
constexpr int device_to_host = 2;

/// The parts of hipDeviceProp_tR0600 that are read here. The struct has 1472 bytes; later releases
/// may only write where this one has reserved members, and the room behind is for those that grow.
struct DeviceProperties {
  char name[256];
  char between[904];
  char processor[256];  // gcnArchName: "gfx1151" or "gfx1100:sramecc-:xnack-"
  char rest[4096];
};
static_assert(offsetof(DeviceProperties, processor) == 1160, "offset of gcnArchName");

struct Driver {
  Result (*init)(unsigned flags);
  Result (*runtime_version)(int* version);
  Result (*device_count)(int* count);
  Result (*set_device)(int device);
  Result (*device_properties)(DeviceProperties* properties, int device);
  Result (*load_module)(Handle* module, const void* image);
  Result (*unload_module)(Handle module);
  Result (*get_function)(Handle* function, Handle module, const char* name);
  Result (*allocate)(Address* address, std::size_t bytes);
  Result (*release)(Address address);
  Result (*copy)(void* to, const void* from, std::size_t bytes, int kind);
  Result (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Handle stream, void** parameters, void** extra);
  Result (*synchronize)();
  const char* (*error_text)(Result error);
};

std::unexpected<Failure> failed(std::string message) {
  return std::unexpected(Failure{std::move(message), {}});
}

/// "Doing: what the library says", when `result` is an error.
std::optional<Failure> said(const Driver& driver, Result result, std::string_view doing) {
  if (result == 0) return {};
  const char* text = driver.error_text(result);
  return Failure{fmt::format("{}: {} (HIP error {})", doing, text != nullptr ? text : "no text",
                             static_cast<int>(result)),
                 {}};
}

std::expected<void*, Failure> open_library() {
  if (const char* chosen = std::getenv("HEDDLE_HIP_LIBRARY"); chosen != nullptr && *chosen != 0) {
    if (void* library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL)) return library;
    return failed(fmt::format("HEDDLE_HIP_LIBRARY is '{}': {}", chosen, dlerror()));
  }
  for (const char* name :
       {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return failed(
      "no HIP here: libamdhip64.so is neither where the loader looks nor in /opt/rocm/lib. Install "
      "ROCm's run time, or name the file in HEDDLE_HIP_LIBRARY; --device emulator needs none");
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
  find(driver.init, "hipInit");
  find(driver.runtime_version, "hipRuntimeGetVersion");
  find(driver.device_count, "hipGetDeviceCount");
  find(driver.set_device, "hipSetDevice");
  find(driver.device_properties, "hipGetDevicePropertiesR0600");
  find(driver.load_module, "hipModuleLoadData");
  find(driver.unload_module, "hipModuleUnload");
  find(driver.get_function, "hipModuleGetFunction");
  find(driver.allocate, "hipMalloc");
  find(driver.release, "hipFree");
  find(driver.copy, "hipMemcpy");
  find(driver.launch, "hipModuleLaunchKernel");
  find(driver.synchronize, "hipDeviceSynchronize");
  find(driver.error_text, "hipGetErrorString");
  if (!missing.empty())
    return failed(fmt::format("this HIP library lacks {}; ROCm 6 or later has them", missing));
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
    Address address = nullptr;
    const std::size_t bytes = std::max<std::size_t>(1, buffer.bytes.size());
    if (auto error = said(driver_, driver_.allocate(&address, bytes),
                          fmt::format("allocating {} bytes for {}", bytes, buffer.name)))
      return std::unexpected(*error);
    places_.push_back({address, &buffer});
    if (!buffer.bytes.empty())
      if (auto error =
              said(driver_,
                   driver_.copy(address, buffer.bytes.data(), buffer.bytes.size(), host_to_device),
                   fmt::format("copying {} to the GPU", buffer.name)))
        return std::unexpected(*error);
    return address;
  }

  /// Null when no buffer has that name, or it is shorter.
  Address find(const std::string& name, std::uint64_t offset) const {
    for (const Place& place : places_)
      if (place.buffer->name == name && offset <= place.buffer->bytes.size())
        return static_cast<char*>(place.address) + offset;
    return nullptr;
  }

  std::optional<Failure> copy_back() const {
    for (const Place& place : places_) {
      const auto bytes = place.buffer->bytes;
      if (bytes.empty()) continue;
      if (auto error =
              said(driver_, driver_.copy(bytes.data(), place.address, bytes.size(), device_to_host),
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

/// Storage of the kernel's arguments, as hipModuleLaunchKernel takes them: a pointer to each, whose
/// sizes it knows from the code object.
std::expected<std::vector<emulator::Value>, Failure> argument_values(const emulator::Launch& launch,
                                                                     DeviceMemory& memory) {
  for (const emulator::Buffer& buffer : launch.buffers)
    if (const auto address = memory.add(buffer); !address) return std::unexpected(address.error());
  std::vector<emulator::Value> values;
  for (const emulator::Argument& argument : launch.arguments) {
    if (const auto* buffer = std::get_if<emulator::Buffer>(&argument)) {
      const auto address = memory.add(*buffer);
      if (!address) return std::unexpected(address.error());
      values.push_back(emulator::value(*address));
    } else if (const auto* value = std::get_if<emulator::Value>(&argument)) {
      values.push_back(*value);
    } else {
      values.emplace_back();  // a pointer into a buffer that may come later
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto* inside = std::get_if<emulator::BufferAddress>(&launch.arguments[i]))
      values[i] = emulator::value(memory.find(inside->buffer, inside->offset));
  return values;
}

class HipModule final : public Module {
 public:
  HipModule(const Driver& driver, emulator::CodeObject object, Handle module)
      : driver_(driver), object_(std::move(object)), module_(module) {}
  ~HipModule() override { driver_.unload_module(module_); }

  std::span<const emulator::Kernel> kernels() const override { return object_.kernels(); }
  std::string target() const override { return std::string(object_.target().name); }
  const emulator::CodeObject* code_object() const override { return &object_; }

  std::expected<LaunchReport, Failure> launch(const emulator::Launch& launch) override {
    if (const auto fault = emulator::check_launch(object_, launch))
      return std::unexpected(Failure{fault->text(), fault});
    const std::string kernel =
        launch.kernel.empty() ? object_.kernels().front().name : launch.kernel;
    Handle function = nullptr;
    if (auto error = said(driver_, driver_.get_function(&function, module_, kernel.c_str()),
                          fmt::format("finding kernel {}", kernel)))
      return std::unexpected(*error);
    DeviceMemory memory(driver_);
    auto values = argument_values(launch, memory);
    if (!values) return std::unexpected(values.error());
    std::vector<void*> parameters;
    for (emulator::Value& value : *values) parameters.push_back(value.data());

    const auto begin = std::chrono::steady_clock::now();
    if (auto error =
            said(driver_,
                 driver_.launch(function, launch.grid[0], launch.grid[1], launch.grid[2],
                                launch.workgroup[0], launch.workgroup[1], launch.workgroup[2],
                                launch.dynamic_lds_bytes, nullptr, parameters.data(), nullptr),
                 fmt::format("launching {}", kernel)))
      return std::unexpected(*error);
    if (auto error = said(driver_, driver_.synchronize(), fmt::format("running {}", kernel)))
      return std::unexpected(*error);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (auto error = memory.copy_back()) return std::unexpected(*error);
    return LaunchReport{seconds.count(), {}};
  }

 private:
  const Driver& driver_;  // of the device, which outlives its modules
  emulator::CodeObject object_;
  Handle module_;
};

class HipDevice final : public Device {
 public:
  HipDevice(const Driver& driver, int number) : driver_(driver), number_(number) {}

  std::optional<Failure> start() {
    if (auto error = said(driver_, driver_.set_device(number_), "choosing the GPU")) return error;
    return said(driver_, driver_.device_properties(&properties_, number_),
                "asking the GPU for its name");
  }

  std::string description() const override {
    int version = 0;
    driver_.runtime_version(&version);
    return fmt::format("{}, HIP {}.{}", properties_.name, version / 10'000'000,
                       version / 100'000 % 100);
  }
  std::string processor() const override {
    const std::string_view whole = properties_.processor;
    return std::string(whole.substr(0, whole.find(':')));
  }
  bool is_hardware() const override { return true; }

  std::expected<std::unique_ptr<Module>, Failure> load(std::span<const std::byte> bytes) override {
    auto object = emulator::CodeObject::load(bytes);
    if (!object) return failed(object.error().message);
    if (object->target().name != processor())
      return failed(fmt::format("the code object is for {}, and the GPU {} is a {}",
                                object->target().name, number_, processor()));
    Handle module = nullptr;
    if (auto error =
            said(driver_, driver_.load_module(&module, bytes.data()), "loading the code object"))
      return std::unexpected(*error);
    return std::make_unique<HipModule>(driver_, *std::move(object), module);
  }

 private:
  Driver driver_;
  int number_;
  DeviceProperties properties_{};
};

}  // namespace

std::expected<std::unique_ptr<Device>, Failure> open_hip_device(int number) {
  const auto driver = load_driver();
  if (!driver) return std::unexpected(driver.error());
  int count = 0;
  if (auto error = said(*driver, driver->init(0), "starting HIP")) return std::unexpected(*error);
  if (auto error = said(*driver, driver->device_count(&count), "counting GPUs"))
    return std::unexpected(*error);
  if (number >= count)
    return failed(fmt::format("no GPU {}: HIP finds {}{}", number, count,
                              count == 0 ? "" : fmt::format(", hip:0 to hip:{}", count - 1)));
  auto device = std::make_unique<HipDevice>(*driver, number);
  if (auto error = device->start()) return std::unexpected(*error);
  return device;
}

}  // namespace heddle::runtime
