#include "runtime/device/device.h"

#include <charconv>

#include "emulator/machine/target.h"
#include "emulator/ptx/ptx.h"
#include "heddle/instruction/target.h"
#include "library/text/formatted.h"

namespace heddle::runtime {
namespace {

/// Writes the stored addresses into the launch's buffers, calls `run`, restores the buffers, and
/// returns the report of `run`.
template <class Run>
std::expected<LaunchReport, Failure> emulated(const emulator::Launch& launch,
                                              std::span<const StoredAddress> addresses, Run run) {
  const StoredAddresses stored(launch, addresses, [&](const emulator::BufferAddress& of) {
    return emulated_address(launch, of);
  });
  auto report = run();
  if (!report) return std::unexpected(Failure{report.error().text(), report.error()});
  const double seconds = report->seconds;
  return LaunchReport{seconds, *std::move(report)};
}

class EmulatorModule final : public Module {
 public:
  explicit EmulatorModule(emulator::CodeObject object) : object_(std::move(object)) {}

  std::span<const emulator::Kernel> kernels() const override { return object_.kernels(); }
  std::string target() const override { return std::string(object_.target().name); }
  const emulator::CodeObject* code_object() const override { return &object_; }
  std::span<const emulator::DeviceVariable> variables() const override {
    return object_.variables();
  }
  std::vector<std::byte> image() const override {
    return {object_.image().begin(), object_.image().end()};
  }

 private:
  std::expected<LaunchReport, Failure> run(const emulator::Launch& launch,
                                           std::span<const StoredAddress> addresses) override {
    return emulated(launch, addresses, [&] { return emulator::run(object_, launch); });
  }

  emulator::CodeObject object_;
};

class EmulatorDevice final : public Device {
 public:
  explicit EmulatorDevice(std::string processor) : processor_(std::move(processor)) {}

  std::string description() const override { return "emulator"; }
  std::string processor() const override { return processor_; }
  bool is_hardware() const override { return false; }

  std::expected<std::unique_ptr<Module>, Failure> load(std::span<const std::byte> bytes) override {
    auto object = emulator::CodeObject::load(bytes);
    if (!object) return std::unexpected(Failure{object.error(), {}});
    if (!processor_.empty() && object->target().name != processor_)
      return std::unexpected(
          Failure{formatted("the code object is for {}, and the device emulates {}",
                            object->target().name, processor_),
                  {}});
    return std::make_unique<EmulatorModule>(*std::move(object));
  }

 private:
  std::string processor_;
};

class PtxModule final : public Module {
 public:
  explicit PtxModule(emulator::ptx::Module module) : module_(std::move(module)) {}

  std::span<const emulator::Kernel> kernels() const override { return module_.kernels(); }
  std::string target() const override { return module_.target(); }
  std::span<const emulator::DeviceVariable> variables() const override {
    return module_.variables();
  }
  std::vector<std::byte> image() const override { return module_.image(); }

 private:
  std::expected<LaunchReport, Failure> run(const emulator::Launch& launch,
                                           std::span<const StoredAddress> addresses) override {
    return emulated(launch, addresses, [&] { return emulator::ptx::run(module_, launch); });
  }

  emulator::ptx::Module module_;
};

class PtxDevice final : public Device {
 public:
  explicit PtxDevice(std::string processor) : processor_(std::move(processor)) {}

  std::string description() const override { return "simulator of PTX"; }
  std::string processor() const override { return processor_; }
  bool is_hardware() const override { return false; }

  std::expected<std::unique_ptr<Module>, Failure> load(std::span<const std::byte> bytes) override {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto module = emulator::ptx::Module::parse(text);
    if (!module) return std::unexpected(Failure{module.error(), {}});
    if (!processor_.empty() && !runs_on(module->target(), processor_))
      return std::unexpected(Failure{
          formatted("the PTX is for {}, and the device simulates {}", module->target(), processor_),
          {}});
    return std::make_unique<PtxModule>(*std::move(module));
  }

 private:
  std::string processor_;
};

std::unexpected<Failure> refused(std::string message) {
  return std::unexpected(Failure{std::move(message), {}});
}

std::expected<std::unique_ptr<Device>, Failure> open_emulator(std::string_view processor) {
  if (emulator::find_target(processor) == nullptr)
    return refused(formatted("the emulator has no processor '{}'; it has {}", processor,
                             emulator::target_names()));
  return std::make_unique<EmulatorDevice>(std::string(processor));
}

std::expected<std::unique_ptr<Device>, Failure> open_simulator(std::string_view processor) {
  const instruction::ProcessorRow* row = instruction::find_processor(processor);
  if (row == nullptr || !instruction::is_nvidia(row->family))
    return refused(
        formatted("the simulator of PTX has no processor '{}'; it has sm_70 to sm_121, "
                  "such as sm_80 or sm_90a",
                  processor));
  return std::make_unique<PtxDevice>(std::string(processor));
}

std::expected<std::unique_ptr<Device>, Failure> open_gpu(
    std::string_view kind, std::string_view number,
    std::expected<std::unique_ptr<Device>, Failure> (*open)(int)) {
  int value = 0;
  const char* end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value < 0)
    return refused(formatted("'{}' is no number of a GPU; {}:0 is the first, and {} alone means it",
                             number, kind, kind));
  return open(value);
}

}  // namespace

std::expected<std::unique_ptr<Device>, Failure> Device::open(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const bool has_detail = colon != std::string_view::npos;
  const std::string_view detail = has_detail ? name.substr(colon + 1) : std::string_view();
  if (kind == "emulator" && !has_detail) return std::make_unique<EmulatorDevice>("");
  if (kind == "emulator") return open_emulator(detail);
  if (kind == "ptx" && !has_detail) return std::make_unique<PtxDevice>("");
  if (kind == "ptx") return open_simulator(detail);
  if (kind == "hip") return open_gpu(kind, has_detail ? detail : "0", open_hip_device);
  if (kind == "cuda") return open_gpu(kind, has_detail ? detail : "0", open_cuda_device);
  return refused(
      formatted("no device '{}'; there are emulator, emulator:PROCESSOR, hip, hip:NUMBER, ptx, "
                "ptx:PROCESSOR, cuda and cuda:NUMBER",
                name));
}

}  // namespace heddle::runtime
