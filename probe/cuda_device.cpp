// The CUDA driver API, found at run time: Heddle builds and installs without CUDA.
//
// Source of the declarations: CUDA Driver API reference 13.0, "Driver Entry Point Access" (the
// versioned symbol names) and the sections of each function.
#include <dlfcn.h>

#include <array>
#include <map>

#include "library/text/formatted.h"
#include "probe/device.h"

namespace heddle::probe {
namespace {

using Result = int;  // CUresult; 0 is success
using Handle = void*;
using Address = std::uint64_t;  // CUdeviceptr

struct Driver {
  Result (*init)(unsigned flags);
  Result (*driver_version)(int* version);
  Result (*device_get)(int* device, int ordinal);
  Result (*device_name)(char* name, int length, int device);
  Result (*device_attribute)(int* value, int attribute, int device);
  Result (*retain_context)(Handle* context, int device);
  Result (*release_context)(int device);
  Result (*reset_context)(int device);
  Result (*set_current)(Handle context);
  Result (*load_module)(Handle* module, const void* image, unsigned count, int* options,
                        void** values);
  Result (*unload_module)(Handle module);
  Result (*get_function)(Handle* function, Handle module, const char* name);
  Result (*set_function_attribute)(Handle function, int attribute, int value);
  Result (*allocate)(Address* address, std::size_t bytes);
  Result (*release)(Address address);
  Result (*copy_to)(Address to, const void* from, std::size_t bytes);
  Result (*copy_from)(void* to, Address from, std::size_t bytes);
  Result (*fill)(Address to, unsigned value, std::size_t words);
  Result (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Handle stream, void** parameters, void** extra);
  Result (*synchronize)();
  Result (*error_name)(Result error, const char** name);
};

// Values of CUdevice_attribute, CUfunction_attribute and CUjit_option.
constexpr int compute_capability_major = 75;
constexpr int compute_capability_minor = 76;
constexpr int maximum_dynamic_shared_bytes = 8;
constexpr int error_log_buffer = 5;
constexpr int error_log_buffer_bytes = 6;

std::expected<Driver, std::string> load_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return std::unexpected("no NVIDIA driver here: libcuda.so.1 cannot be opened");
  Driver driver{};
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing += formatted("{}{}", missing.empty() ? "" : ", ", name);
  };
  find(driver.init, "cuInit");
  find(driver.driver_version, "cuDriverGetVersion");
  find(driver.device_get, "cuDeviceGet");
  find(driver.device_name, "cuDeviceGetName");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.retain_context, "cuDevicePrimaryCtxRetain");
  find(driver.release_context, "cuDevicePrimaryCtxRelease_v2");
  find(driver.reset_context, "cuDevicePrimaryCtxReset_v2");
  find(driver.set_current, "cuCtxSetCurrent");
  find(driver.load_module, "cuModuleLoadDataEx");
  find(driver.unload_module, "cuModuleUnload");
  find(driver.get_function, "cuModuleGetFunction");
  find(driver.set_function_attribute, "cuFuncSetAttribute");
  find(driver.allocate, "cuMemAlloc_v2");
  find(driver.release, "cuMemFree_v2");
  find(driver.copy_to, "cuMemcpyHtoD_v2");
  find(driver.copy_from, "cuMemcpyDtoH_v2");
  find(driver.fill, "cuMemsetD32_v2");
  find(driver.launch, "cuLaunchKernel");
  find(driver.synchronize, "cuCtxSynchronize");
  find(driver.error_name, "cuGetErrorName");
  if (!missing.empty())
    return std::unexpected(formatted("this NVIDIA driver is too old: it lacks {}", missing));
  return driver;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int device) : driver_(driver), device_(device) {}
  ~CudaDevice() override {
    for (const auto& [ptx, module] : modules_) driver_.unload_module(module);
    driver_.release_context(device_);
  }

  std::string open() {
    Handle context = nullptr;
    if (const auto error = said(driver_.retain_context(&context, device_), "opening the GPU");
        !error.empty())
      return error;
    return said(driver_.set_current(context), "opening the GPU");
  }

  std::string name() const override {
    std::array<char, 256> text{};
    driver_.device_name(text.data(), static_cast<int>(text.size()), device_);
    return text.data();
  }
  std::string driver() const override {
    int version = 0;
    driver_.driver_version(&version);
    return formatted("CUDA {}.{}", version / 1000, version % 1000 / 10);
  }
  std::string processor() const override {
    int major = 0, minor = 0;
    driver_.device_attribute(&major, compute_capability_major, device_);
    driver_.device_attribute(&minor, compute_capability_minor, device_);
    return formatted("sm_{}{}", major, minor);
  }

  std::expected<Words, std::string> run(const Launch& launch) override {
    const auto module = module_of(launch.ptx);
    if (!module) return std::unexpected(module.error());
    Words out(launch.out_words);
    std::array<Address, 4> buffers{};
    const std::string error = run(launch, *module, buffers, out);
    for (const Address buffer : buffers)
      if (buffer != 0) driver_.release(buffer);
    if (!error.empty()) {
      modules_.clear();  // they go with the context
      // After a kernel was stopped, every call in its context fails. So the context is made anew.
      driver_.reset_context(device_);
      driver_.release_context(device_);
      const std::string again = open();
      return std::unexpected(again.empty() ? error : formatted("{}; then {}", error, again));
    }
    return out;
  }

 private:
  /// The module of this PTX. Each text is compiled only once.
  std::expected<Handle, std::string> module_of(const std::string& ptx) {
    if (const auto known = modules_.find(ptx); known != modules_.end()) return known->second;
    std::array<char, 4096> log{};
    std::array<int, 2> options{error_log_buffer, error_log_buffer_bytes};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
    Handle module = nullptr;
    const std::string error =
        said(driver_.load_module(&module, ptx.c_str(), 2, options.data(), values.data()),
             "compiling the kernel");
    if (!error.empty()) return std::unexpected(formatted("{}: {}", error, log.data()));
    return modules_[ptx] = module;
  }

  std::string said(Result result, std::string_view doing) const {
    if (result == 0) return "";
    const char* name = nullptr;
    driver_.error_name(result, &name);
    return formatted("{}: {}", doing, name != nullptr ? name : "unknown error");
  }

  std::string run(const Launch& launch, Handle module, std::array<Address, 4>& buffers,
                  Words& out) {
    const std::array<const Words*, 3> tables{&launch.a, &launch.b, &launch.index};
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const std::size_t words = i < tables.size() ? tables[i]->size() : out.size();
      if (words == 0) continue;
      std::string error = said(driver_.allocate(&buffers[i], words * 4), "allocating GPU memory");
      if (error.empty() && i < tables.size())
        error =
            said(driver_.copy_to(buffers[i], tables[i]->data(), words * 4), "copying to the GPU");
      // Memory that the kernel does not write must not look like an answer.
      if (error.empty() && i == tables.size())
        error = said(driver_.fill(buffers[i], 0x7fc07fc0u, words), "filling GPU memory");
      if (!error.empty()) return error;
    }
    KernelParameters parameters = launch.parameters;
    parameters.a = buffers[0];
    parameters.b = buffers[1];
    parameters.index = buffers[2];
    parameters.out = buffers[3];
    std::array<void*, sizeof(KernelParameters) / sizeof(std::uint64_t)> arguments{};
    for (std::size_t i = 0; i < arguments.size(); ++i)
      arguments[i] = reinterpret_cast<std::uint64_t*>(&parameters) + i;
    Handle function = nullptr;
    std::string error =
        said(driver_.get_function(&function, module, "probe"), "finding the kernel");
    const auto shared =
        static_cast<unsigned>(parameters.a_shared_bytes + parameters.b_shared_bytes);
    if (error.empty())
      error = said(driver_.set_function_attribute(function, maximum_dynamic_shared_bytes,
                                                  static_cast<int>(shared)),
                   "asking for shared memory");
    if (error.empty())
      error = said(driver_.launch(function, static_cast<unsigned>(launch.grid_x),
                                  static_cast<unsigned>(launch.grid_y), 1,
                                  static_cast<unsigned>(launch.threads), 1, 1, shared, nullptr,
                                  arguments.data(), nullptr),
                   "launching the kernel");
    if (error.empty()) error = said(driver_.synchronize(), "running the kernel");
    if (error.empty())
      error =
          said(driver_.copy_from(out.data(), buffers[3], out.size() * 4), "copying from the GPU");
    return error;
  }

  Driver driver_;
  int device_;
  std::map<std::string, Handle> modules_;
};

}  // namespace

std::expected<std::unique_ptr<Device>, std::string> open_device() {
  const auto driver = load_driver();
  if (!driver) return std::unexpected(driver.error());
  int device = 0;
  if (driver->init(0) != 0 || driver->device_get(&device, 0) != 0)
    return std::unexpected("the NVIDIA driver finds no GPU");
  auto opened = std::make_unique<CudaDevice>(*driver, device);
  if (const std::string error = opened->open(); !error.empty()) return std::unexpected(error);
  return opened;
}

}  // namespace heddle::probe
