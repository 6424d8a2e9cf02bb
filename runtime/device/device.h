// Where kernels run: the emulator of AMD's machine code, the simulator of NVIDIA's PTX, or a GPU
// through HIP or CUDA's driver. One call for all.
//
//   auto device = Device::open("emulator:gfx1151");          // or "hip", "ptx", "cuda:1" ...
//   auto module = (*device)->load(code_object_bytes);        // or the text of PTX
//   emulator::Launch launch;                                 // emulator/record/launch.h
//   launch.kernel = "softmax";
//   launch.arguments = {emulator::buffer(std::span(in), "in"), ..., emulator::value(rows)};
//   std::expected<LaunchReport, Failure> report = (*module)->launch(launch);
//
// The kernel reads and writes the caller's memory: in place on the emulator, by copies around the
// launch on a GPU. The HIP library is opened at run time and never linked, so programs start and
// build without ROCm. The HIP way has never run on hardware: its calls are tested against an
// imitation of the library (tests/runtime/device/imitation_hip.cpp).
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emulator/run/run.h"
#include "runtime/device/stored_addresses.h"

namespace heddle::runtime {

/// The reason why a device, a code object or a launch failed. It is a type of its own because
/// reports print the place and kind of a fault apart from the message.
struct Failure {
  std::string message;                   // the whole message, for people
  std::optional<emulator::Fault> fault;  // the place and kind, if the emulator found the failure
};

/// The result of one launch.
struct LaunchReport {
  /// Host seconds of the emulated run. On a GPU: from the launch to the end of the kernel, with the
  /// latency of a launch (some microseconds) but without copies.
  double seconds = 0;
  /// The counts of the emulator; empty when a GPU ran the kernel.
  std::optional<emulator::RunReport> emulated;
};

/// A loaded code object or PTX text. Its device must outlive it.
class Module {
 public:
  virtual ~Module() = default;
  /// The kernels with their arguments and shared memory. For PTX kernels, the other fields of
  /// emulator::Kernel, which come from an AMD kernel descriptor, are unset.
  virtual std::span<const emulator::Kernel> kernels() const = 0;
  /// The target that it is compiled for: "gfx1151", "sm_90a".
  virtual std::string target() const = 0;
  /// AMD's machine code; null for PTX.
  virtual const emulator::CodeObject* code_object() const { return nullptr; }
  /// The global variables of the module, and the bytes with which they begin, for
  /// Launch::variables. Only modules on the emulator and the simulator have variables here.
  virtual std::span<const emulator::DeviceVariable> variables() const { return {}; }
  virtual std::vector<std::byte> image() const { return {}; }
  /// Runs the kernel to its end. A launch that does not fit its kernel (name, number and size of
  /// arguments, block, LDS) is refused with the same message on every device:
  /// emulator::check_launch. On a GPU `threads`, `budget`, `profile` and `progress` have no
  /// meaning. `addresses` says which words of the buffers hold pointers to other buffers while the
  /// kernel runs.
  std::expected<LaunchReport, Failure> launch(const emulator::Launch& launch,
                                              std::span<const StoredAddress> addresses = {}) {
    return run(launch, addresses);
  }
  /// For timing on an NVIDIA GPU: every later launch runs its kernel `times` times in a row (at
  /// least 1), and LaunchReport::seconds is the mean. The kernel must give the same result when it
  /// is repeated. Other devices ignore the number.
  void repeat(int times) { times_ = times; }

 protected:
  int times() const { return times_; }

 private:
  int times_ = 1;
  virtual std::expected<LaunchReport, Failure> run(const emulator::Launch& launch,
                                                   std::span<const StoredAddress> addresses) = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  /// Opens a device. `name` is "emulator", "emulator:PROCESSOR" (which refuses code objects for
  /// other processors), "hip" (the first GPU) or "hip:NUMBER"; "ptx" or "ptx:sm_90" (which refuses
  /// PTX that this processor does not run), "cuda" or "cuda:NUMBER". Errors: a wrong name, or the
  /// reason why there is no GPU.
  ///
  /// HIP's library is the file in the environment variable HEDDLE_HIP_LIBRARY, else libamdhip64.so
  /// where the system's loader finds it, else in /opt/rocm/lib. ROCm 6 or later. CUDA's driver is
  /// the file in HEDDLE_CUDA_LIBRARY, else libcuda.so.1. Driver 525 (CUDA 12) or later.
  static std::expected<std::unique_ptr<Device>, Failure> open(std::string_view name);

  /// "emulator", "simulator of PTX" or "AMD Radeon RX 7900 XTX, HIP 6.4".
  virtual std::string description() const = 0;
  /// The processor that code objects must be for, such as "gfx1151". Empty: any known processor.
  virtual std::string processor() const = 0;
  /// True when kernels run on a GPU.
  virtual bool is_hardware() const = 0;

  /// Loads a code object. Refuses what CodeObject::load refuses, and code objects for another
  /// processor.
  virtual std::expected<std::unique_ptr<Module>, Failure> load(
      std::span<const std::byte> bytes) = 0;
};

/// Opens a GPU by its number through HIP; Device::open("hip:N") calls it.
std::expected<std::unique_ptr<Device>, Failure> open_hip_device(int number);
/// The same through CUDA's driver, for "cuda:N".
std::expected<std::unique_ptr<Device>, Failure> open_cuda_device(int number);

/// True if PTX for `target` ("sm_80", "sm_90a") runs on `processor`: PTX ISA 9.0, ".target".
bool runs_on(std::string_view target, std::string_view processor);

}  // namespace heddle::runtime
