// An NVIDIA GPU through CUDA's driver library, found at run time: Heddle builds and installs
// without the CUDA toolkit, and to run it needs only the GPU's driver.
//
// Source of the declarations and numbers: CUDA Driver API 13.0, sections "Initialization", "Version
// Management", "Device Management", "Primary Context Management", "Module Management", "Memory
// Management", "Event Management", "Execution Control" and "Tensor Map Object Management".

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "emulator/ptx/ptx.h"
#include "library/text/formatted.h"
#include "runtime/device/gpu_library.h"

namespace heddle::runtime {
namespace {

using Result = GpuResult;
using Handle = GpuHandle;
using Address = GpuAddress;

// Values of CUdevice_attribute, CUfunction_attribute, CUjit_option and CUlaunchAttributeID.
constexpr int capability_major = 75, capability_minor = 76;
constexpr int max_dynamic_shared_bytes = 8, non_portable_cluster = 14;
constexpr int error_log_buffer = 5, error_log_bytes = 6;
constexpr int attribute_cluster = 4;
// The most bytes of dynamic shared memory that a kernel may have without an attribute that asks for
// more.
constexpr std::uint32_t shared_without_asking = 48 << 10;

struct LaunchAttribute {
  int id;
  int padding;
  std::uint32_t value[16];  // for a cluster: x, y and z
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

struct CudaFunctions {
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

class CudaLibrary final : public GpuLibrary, public CudaFunctions {
 public:
  static std::expected<CudaLibrary, Failure> open() {
    auto library = OpenedLibrary::open(
        "HEDDLE_CUDA_LIBRARY", {"libcuda.so.1", "libcuda.so"},
        "no CUDA here: libcuda.so.1, which comes with the driver of an NVIDIA GPU, is not where "
        "the loader looks. Install the driver, or name the file in HEDDLE_CUDA_LIBRARY; --device "
        "ptx simulates and needs none");
    if (!library) return std::unexpected(library.error());
    CudaLibrary cuda;
    library->find(cuda.init, "cuInit");
    library->find(cuda.driver_version, "cuDriverGetVersion");
    library->find(cuda.device_count, "cuDeviceGetCount");
    library->find(cuda.device, "cuDeviceGet");
    library->find(cuda.device_name, "cuDeviceGetName");
    library->find(cuda.device_attribute, "cuDeviceGetAttribute");
    library->find(cuda.retain_context, "cuDevicePrimaryCtxRetain");
    library->find(cuda.release_context, "cuDevicePrimaryCtxRelease_v2");
    library->find(cuda.set_context, "cuCtxSetCurrent");
    library->find(cuda.load_module, "cuModuleLoadDataEx");
    library->find(cuda.unload_module, "cuModuleUnload");
    library->find(cuda.get_function, "cuModuleGetFunction");
    library->find(cuda.function_attribute, "cuFuncSetAttribute");
    library->find(cuda.CudaFunctions::allocate, "cuMemAlloc_v2");
    library->find(cuda.CudaFunctions::release, "cuMemFree_v2");
    library->find(cuda.CudaFunctions::to_device, "cuMemcpyHtoD_v2");
    library->find(cuda.CudaFunctions::to_host, "cuMemcpyDtoH_v2");
    library->find(cuda.launch, "cuLaunchKernelEx");
    library->find(cuda.synchronize, "cuCtxSynchronize");
    library->find(cuda.create_event, "cuEventCreate");
    library->find(cuda.record_event, "cuEventRecord");
    library->find(cuda.elapsed, "cuEventElapsedTime");
    library->find(cuda.destroy_event, "cuEventDestroy_v2");
    library->find(cuda.encode_map, "cuTensorMapEncodeTiled");
    library->find(cuda.CudaFunctions::error_text, "cuGetErrorString");
    if (!library->missing().empty())
      return failed(formatted("this CUDA library lacks {}; driver 525 (CUDA 12) or later has them",
                              library->missing()));
    return cuda;
  }

  std::string_view name() const override { return "CUDA"; }
  Result allocate(Address& address, std::size_t bytes) const override {
    return CudaFunctions::allocate(&address, bytes);
  }
  Result release(Address address) const override { return CudaFunctions::release(address); }
  Result to_device(Address to, const void* from, std::size_t bytes) const override {
    return CudaFunctions::to_device(to, from, bytes);
  }
  Result to_host(void* to, Address from, std::size_t bytes) const override {
    return CudaFunctions::to_host(to, from, bytes);
  }
  const char* error_text(Result error) const override {
    const char* text = nullptr;
    CudaFunctions::error_text(error, &text);
    return text;
  }
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
      // Copies do not interpret the numbers, so only their width matters.
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

std::expected<emulator::Value, Failure> encoded(const CudaLibrary& driver,
                                                const DeviceMemory& memory,
                                                const emulator::TensorMap& map) {
  const int swizzle = map.swizzle_bytes == 128  ? 3
                      : map.swizzle_bytes == 64 ? 2
                      : map.swizzle_bytes == 32 ? 1
                                                : 0;
  const std::vector<std::uint32_t> steps(map.sizes.size(), 1);
  // The tensor map tells L2 to read 256 bytes at a time from memory, or 128 if lines do not begin
  // at multiples of 256: then neighbouring copies would read the same 256 bytes twice
  // (bench/records/notes/2026-11-27-nvidia_products.md).
  constexpr int promotion_128 = 2, promotion_256 = 3;
  const bool begins_whole =
      std::ranges::all_of(map.strides, [](std::uint64_t stride) { return stride % 256 == 0; });
  const int promotion = begins_whole ? promotion_256 : promotion_128;
  EncodedTensorMap made{};
  const Address address = memory.find(map.buffer, map.offset);
  if (auto error = driver.said(driver.encode_map(&made, map_type(map.element),
                                                 static_cast<std::uint32_t>(map.sizes.size()),
                                                 reinterpret_cast<void*>(address), map.sizes.data(),
                                                 map.strides.data(), map.box.data(), steps.data(),
                                                 0, swizzle, promotion, map.fills_nan ? 1 : 0),
                               formatted("making the tensor map of {}", map.buffer)))
    return std::unexpected(*error);
  return emulator::Value(made.bytes.begin(), made.bytes.end());
}

/// Two events and the time between them.
class Stopwatch {
 public:
  explicit Stopwatch(const CudaLibrary& driver) : driver_(driver) {}
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
  const CudaLibrary& driver_;
  std::array<Handle, 2> events_{};
};

class CudaModule final : public Module {
 public:
  CudaModule(const CudaLibrary& driver, emulator::ptx::Module described, Handle module)
      : driver_(driver), described_(std::move(described)), module_(module) {}
  ~CudaModule() override { driver_.unload_module(module_); }

  std::span<const emulator::Kernel> kernels() const override { return described_.kernels(); }
  std::string target() const override { return described_.target(); }

 private:
  std::expected<LaunchReport, Failure> run(const emulator::Launch& launch,
                                           std::span<const StoredAddress> addresses) override {
    if (const auto fault = emulator::ptx::check_launch(described_, launch))
      return std::unexpected(Failure{fault->text(), fault});
    const std::string kernel =
        launch.kernel.empty() ? described_.kernels().front().name : launch.kernel;
    Handle function = nullptr;
    if (auto error = driver_.said(driver_.get_function(&function, module_, kernel.c_str()),
                                  formatted("finding kernel {}", kernel)))
      return std::unexpected(*error);
    DeviceMemory memory(driver_);
    auto values = argument_values(launch, memory, [&](const emulator::TensorMap& map) {
      return encoded(driver_, memory, map);
    });
    if (!values) return std::unexpected(values.error());
    const auto stored = memory.store(launch, addresses);
    if (!stored) return std::unexpected(stored.error());
    std::vector<void*> parameters = pointers_to(*values);

    Stopwatch watch(driver_);
    if (auto error = execute(kernel, function, launch, parameters.data(), watch))
      return std::unexpected(*error);
    if (auto error = memory.copy_back()) return std::unexpected(*error);
    return LaunchReport{watch.seconds() / times(), {}};
  }

  std::optional<Failure> execute(const std::string& kernel, Handle function,
                                 const emulator::Launch& launch, void** parameters,
                                 Stopwatch& watch) {
    if (launch.dynamic_lds_bytes > shared_without_asking)
      if (auto error = driver_.said(
              driver_.function_attribute(function, max_dynamic_shared_bytes,
                                         static_cast<int>(launch.dynamic_lds_bytes)),
              formatted("asking for {} bytes of dynamic shared memory", launch.dynamic_lds_bytes)))
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
      if (auto error = driver_.said(driver_.function_attribute(function, non_portable_cluster, 1),
                                    formatted("asking for clusters of {} blocks", blocks)))
        return error;
    if (auto error = driver_.said(watch.record(0), "taking the time")) return error;
    for (int i = 0; i < times(); ++i)
      if (auto error = driver_.said(driver_.launch(&configuration, function, parameters, nullptr),
                                    formatted("launching {}", kernel)))
        return error;
    if (auto error = driver_.said(watch.record(1), "taking the time")) return error;
    return driver_.said(driver_.synchronize(), formatted("running {}", kernel));
  }

  const CudaLibrary& driver_;  // of the device, which outlives its modules
  emulator::ptx::Module described_;
  Handle module_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const CudaLibrary& driver, int number) : driver_(driver), number_(number) {}
  ~CudaDevice() override {
    if (context_ != nullptr) driver_.release_context(device_);
  }

  std::optional<Failure> start() {
    if (auto error = driver_.said(driver_.device(&device_, number_), "choosing the GPU"))
      return error;
    std::array<char, 256> name{};
    if (auto error = driver_.said(driver_.device_name(name.data(), name.size(), device_),
                                  "asking the GPU for its name"))
      return error;
    name_ = name.data();
    int major = 0, minor = 0;
    for (const auto& [value, attribute] :
         {std::pair(&major, capability_major), std::pair(&minor, capability_minor)})
      if (auto error = driver_.said(driver_.device_attribute(value, attribute, device_),
                                    "asking the GPU what it can"))
        return error;
    processor_ = formatted("sm_{}{}", major, minor);
    if (auto error = driver_.said(driver_.retain_context(&context_, device_), "opening the GPU"))
      return error;
    return driver_.said(driver_.set_context(context_), "opening the GPU");
  }

  std::string description() const override {
    int version = 0;
    driver_.driver_version(&version);
    return formatted("{}, CUDA {}.{}", name_, version / 1000, version / 10 % 100);
  }
  std::string processor() const override { return processor_; }
  bool is_hardware() const override { return true; }

  std::expected<std::unique_ptr<Module>, Failure> load(std::span<const std::byte> bytes) override {
    // The driver reads PTX as a text that ends with a zero byte.
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto described = emulator::ptx::Module::parse(text);
    if (!described) return failed(described.error());
    if (!runs_on(described->target(), processor_))
      return failed(formatted("the PTX is for {}, and the GPU {} is an {}", described->target(),
                              number_, processor_));
    std::string log(16384, '\0');
    std::array names{error_log_buffer, error_log_bytes};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    Handle module = nullptr;
    const Result result =
        driver_.load_module(&module, text.c_str(), names.size(), names.data(), values.data());
    if (auto error = driver_.said(result, "loading the PTX")) {
      log.resize(std::strlen(log.c_str()));
      while (!log.empty() && log.back() == '\n') log.pop_back();
      if (!log.empty()) error->message += "\n" + log;
      return std::unexpected(*error);
    }
    return std::make_unique<CudaModule>(driver_, *std::move(described), module);
  }

 private:
  CudaLibrary driver_;
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
  // PTX for a target that ends in "a" runs on that processor only; in "f", on its family only.
  if (target.ends_with('a')) return number(target) == number(processor);
  if (target.ends_with('f')) return number(target) / 10 == number(processor) / 10;
  return number(target) <= number(processor);
}

std::expected<std::unique_ptr<Device>, Failure> open_cuda_device(int number) {
  const auto driver = CudaLibrary::open();
  if (!driver) return std::unexpected(driver.error());
  int count = 0;
  if (auto error = driver->said(driver->init(0), "starting CUDA")) return std::unexpected(*error);
  if (auto error = driver->said(driver->device_count(&count), "counting GPUs"))
    return std::unexpected(*error);
  if (auto error = driver->check_number(number, count, "cuda")) return std::unexpected(*error);
  auto device = std::make_unique<CudaDevice>(*driver, number);
  if (auto error = device->start()) return std::unexpected(*error);
  return device;
}

}  // namespace heddle::runtime
