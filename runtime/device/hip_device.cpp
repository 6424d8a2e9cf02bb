// An AMD GPU through HIP's run-time library, found at run time: Heddle builds and installs without
// ROCm.
//
// Source of the declarations: HIP Runtime API Reference 6.x, sections "Initialization and Version",
// "Device Management", "Memory Management", "Module Management" and "Execution Control".
// Never run on hardware: see runtime/device/device.h.

#include <chrono>

#include "library/text/formatted.h"
#include "runtime/device/gpu_library.h"

namespace heddle::runtime {
namespace {

using Result = GpuResult;
using Handle = GpuHandle;
using Address = GpuAddress;

// Values of hipMemcpyKind.
constexpr int host_to_device = 1;
constexpr int device_to_host = 2;

/// The members of hipDeviceProp_tR0600 that are read here. The struct has 1472 bytes. Later
/// releases of HIP may use its reserved members, and `rest` has room in case they make the struct
/// longer.
struct DeviceProperties {
  char name[256];
  char between[904];
  char processor[256];  // gcnArchName: "gfx1151" or "gfx1100:sramecc-:xnack-"
  char rest[4096];
};
static_assert(offsetof(DeviceProperties, processor) == 1160, "offset of gcnArchName");

struct HipFunctions {
  Result (*init)(unsigned flags);
  Result (*runtime_version)(int* version);
  Result (*device_count)(int* count);
  Result (*set_device)(int device);
  Result (*device_properties)(DeviceProperties* properties, int device);
  Result (*load_module)(Handle* module, const void* image);
  Result (*unload_module)(Handle module);
  Result (*get_function)(Handle* function, Handle module, const char* name);
  Result (*allocate)(void** address, std::size_t bytes);
  Result (*release)(void* address);
  Result (*copy)(void* to, const void* from, std::size_t bytes, int kind);
  Result (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Handle stream, void** parameters, void** extra);
  Result (*synchronize)();
  const char* (*error_text)(Result error);
};

class HipLibrary final : public GpuLibrary, public HipFunctions {
 public:
  static std::expected<HipLibrary, Failure> open() {
    auto library = OpenedLibrary::open(
        "HEDDLE_HIP_LIBRARY",
        {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so"},
        "no HIP here: libamdhip64.so is neither where the loader looks nor in /opt/rocm/lib. "
        "Install ROCm's run time, or name the file in HEDDLE_HIP_LIBRARY; --device emulator needs "
        "none");
    if (!library) return std::unexpected(library.error());
    HipLibrary hip;
    library->find(hip.init, "hipInit");
    library->find(hip.runtime_version, "hipRuntimeGetVersion");
    library->find(hip.device_count, "hipGetDeviceCount");
    library->find(hip.set_device, "hipSetDevice");
    library->find(hip.device_properties, "hipGetDevicePropertiesR0600");
    library->find(hip.load_module, "hipModuleLoadData");
    library->find(hip.unload_module, "hipModuleUnload");
    library->find(hip.get_function, "hipModuleGetFunction");
    library->find(hip.HipFunctions::allocate, "hipMalloc");
    library->find(hip.HipFunctions::release, "hipFree");
    library->find(hip.copy, "hipMemcpy");
    library->find(hip.launch, "hipModuleLaunchKernel");
    library->find(hip.synchronize, "hipDeviceSynchronize");
    library->find(hip.HipFunctions::error_text, "hipGetErrorString");
    if (!library->missing().empty())
      return failed(
          formatted("this HIP library lacks {}; ROCm 6 or later has them", library->missing()));
    return hip;
  }

  std::string_view name() const override { return "HIP"; }
  Result allocate(Address& address, std::size_t bytes) const override {
    void* pointer = nullptr;
    const Result result = HipFunctions::allocate(&pointer, bytes);
    address = reinterpret_cast<Address>(pointer);
    return result;
  }
  Result release(Address address) const override {
    return HipFunctions::release(reinterpret_cast<void*>(address));
  }
  Result to_device(Address to, const void* from, std::size_t bytes) const override {
    return copy(reinterpret_cast<void*>(to), from, bytes, host_to_device);
  }
  Result to_host(void* to, Address from, std::size_t bytes) const override {
    return copy(to, reinterpret_cast<const void*>(from), bytes, device_to_host);
  }
  const char* error_text(Result error) const override { return HipFunctions::error_text(error); }
};

std::expected<emulator::Value, Failure> no_tensor_maps(const emulator::TensorMap& map) {
  return failed(formatted("the tensor map of {}: AMD's GPUs have none", map.buffer));
}

class HipModule final : public Module {
 public:
  HipModule(const HipLibrary& driver, emulator::CodeObject object, Handle module)
      : driver_(driver), object_(std::move(object)), module_(module) {}
  ~HipModule() override { driver_.unload_module(module_); }

  std::span<const emulator::Kernel> kernels() const override { return object_.kernels(); }
  std::string target() const override { return std::string(object_.target().name); }
  const emulator::CodeObject* code_object() const override { return &object_; }

 private:
  std::expected<LaunchReport, Failure> run(const emulator::Launch& launch,
                                           std::span<const StoredAddress> addresses) override {
    if (const auto fault = emulator::check_launch(object_, launch))
      return std::unexpected(Failure{fault->text(), fault});
    const std::string kernel =
        launch.kernel.empty() ? object_.kernels().front().name : launch.kernel;
    Handle function = nullptr;
    if (auto error = driver_.said(driver_.get_function(&function, module_, kernel.c_str()),
                                  formatted("finding kernel {}", kernel)))
      return std::unexpected(*error);
    DeviceMemory memory(driver_);
    auto values = argument_values(launch, memory, no_tensor_maps);
    if (!values) return std::unexpected(values.error());
    const auto stored = memory.store(launch, addresses);
    if (!stored) return std::unexpected(stored.error());
    std::vector<void*> parameters = pointers_to(*values);

    const auto begin = std::chrono::steady_clock::now();
    if (auto error = driver_.said(
            driver_.launch(function, launch.grid[0], launch.grid[1], launch.grid[2],
                           launch.workgroup[0], launch.workgroup[1], launch.workgroup[2],
                           launch.dynamic_lds_bytes, nullptr, parameters.data(), nullptr),
            formatted("launching {}", kernel)))
      return std::unexpected(*error);
    if (auto error = driver_.said(driver_.synchronize(), formatted("running {}", kernel)))
      return std::unexpected(*error);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (auto error = memory.copy_back()) return std::unexpected(*error);
    return LaunchReport{seconds.count(), {}};
  }

  const HipLibrary& driver_;  // of the device, which outlives its modules
  emulator::CodeObject object_;
  Handle module_;
};

class HipDevice final : public Device {
 public:
  HipDevice(const HipLibrary& driver, int number) : driver_(driver), number_(number) {}

  std::optional<Failure> start() {
    if (auto error = driver_.said(driver_.set_device(number_), "choosing the GPU")) return error;
    return driver_.said(driver_.device_properties(&properties_, number_),
                        "asking the GPU for its name");
  }

  std::string description() const override {
    int version = 0;
    driver_.runtime_version(&version);
    return formatted("{}, HIP {}.{}", properties_.name, version / 10'000'000,
                     version / 100'000 % 100);
  }
  std::string processor() const override {
    const std::string_view whole = properties_.processor;
    return std::string(whole.substr(0, whole.find(':')));
  }
  bool is_hardware() const override { return true; }

  std::expected<std::unique_ptr<Module>, Failure> load(std::span<const std::byte> bytes) override {
    auto object = emulator::CodeObject::load(bytes);
    if (!object) return failed(object.error());
    if (object->target().name != processor())
      return failed(formatted("the code object is for {}, and the GPU {} is a {}",
                              object->target().name, number_, processor()));
    Handle module = nullptr;
    if (auto error =
            driver_.said(driver_.load_module(&module, bytes.data()), "loading the code object"))
      return std::unexpected(*error);
    return std::make_unique<HipModule>(driver_, *std::move(object), module);
  }

 private:
  HipLibrary driver_;
  int number_;
  DeviceProperties properties_{};
};

}  // namespace

std::expected<std::unique_ptr<Device>, Failure> open_hip_device(int number) {
  const auto driver = HipLibrary::open();
  if (!driver) return std::unexpected(driver.error());
  int count = 0;
  if (auto error = driver->said(driver->init(0), "starting HIP")) return std::unexpected(*error);
  if (auto error = driver->said(driver->device_count(&count), "counting GPUs"))
    return std::unexpected(*error);
  if (auto error = driver->check_number(number, count, "hip")) return std::unexpected(*error);
  auto device = std::make_unique<HipDevice>(*driver, number);
  if (auto error = device->start()) return std::unexpected(*error);
  return device;
}

}  // namespace heddle::runtime
