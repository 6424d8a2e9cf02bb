// An AMD code object: the ELF file that holds kernels and the facts that a launcher needs.
//
// Layout of the file: LLVM "User Guide for AMDGPU Backend", sections "Code Object", "Kernel
// Descriptor" and "Code Object V5 Metadata".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/machine/target.h"

namespace heddle::emulator {

struct KernelArgument {
  std::string name;        // may be empty
  std::string value_kind;  // "global_buffer", "by_value", "hidden_block_count_x", ...
  uint32_t offset = 0;     // in the kernel argument segment, bytes
  uint32_t size = 0;       // bytes
  uint32_t alignment = 0;  // bytes; 0: not said
  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

struct Kernel {
  std::string name;
  uint64_t entry = 0;  // address in the image

  // From the kernel descriptor.
  uint32_t lds_bytes = 0;      // without dynamic LDS
  uint32_t scratch_bytes = 0;  // per lane
  uint32_t argument_bytes = 0;
  uint32_t resource1 = 0, resource2 = 0, resource3 = 0;  // COMPUTE_PGM_RSRC1..3
  uint16_t properties = 0;                               // KERNEL_CODE_PROPERTIES
  uint16_t preload = 0;                                  // KERNARG_PRELOAD
  bool wave32 = true;

  // From the metadata; the defaults if there is no metadata.
  std::vector<KernelArgument> arguments;
  uint32_t vgpr_count = 0, sgpr_count = 0;
  uint32_t vgpr_spills = 0, sgpr_spills = 0;
  uint32_t max_workgroup_size = 1024;
  std::array<uint32_t, 3> cluster{1, 1, 1};  // workgroups along x, y and z
};

// A __device__ or __constant__ variable of a module.
struct DeviceVariable {
  std::string name;               // the symbol
  uint64_t address = 0;           // as the kernels see it
  uint64_t offset = 0, size = 0;  // bytes, in the module's image
};

class Program;      // the decoded instructions
class SourceLines;  // the debug info

class CodeObject {
 public:
  // Reads, checks and decodes a code object. No number in `bytes` is trusted. The error is a
  // sentence, in these cases: the bytes are not an ELF file; they are for another machine or a
  // target that is not in target.h; they contain offsets outside the file, or relocations that need
  // another file.
  static std::expected<CodeObject, std::string> load(std::span<const std::byte> bytes);

  const Target& target() const { return *target_; }
  std::span<const Kernel> kernels() const { return kernels_; }
  // Null when there is no kernel of that name.
  const Kernel* find_kernel(std::string_view name) const;

  // The loadable segments as they lie in memory, from address 0 of the file.
  std::span<const std::byte> image() const { return image_; }
  const Program& program() const { return *program_; }
  // Named ones that lie in the image.
  std::span<const DeviceVariable> variables() const { return variables_; }

  // The instructions that the emulator cannot execute, whether they are reachable or not; one line
  // for each: "0x1600 tbuffer_load_format_x v0, ...". Such an instruction is a fault only when it
  // is executed.
  std::vector<std::string> unknown_instructions() const;

  // "file:line:column" of the instruction at `address` of the image, empty without debug info.
  std::string source_line(uint64_t address) const;
  // If the code at `address` was inlined: the source positions of the calls through which it was
  // inlined, the innermost first. Otherwise empty.
  std::vector<std::string> source_callers(uint64_t address) const;

 private:
  CodeObject() = default;
  const Target* target_ = nullptr;
  std::vector<Kernel> kernels_;
  std::vector<std::byte> image_;
  std::vector<DeviceVariable> variables_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<SourceLines> lines_;
};

}  // namespace heddle::emulator
