#include "emulator/decode/code_object.h"

#include <llvm/Support/AMDHSAKernelDescriptor.h>

#include <algorithm>
#include <cstring>

#include "emulator/decode/elf_file.h"
#include "emulator/decode/metadata.h"
#include "emulator/decode/program.h"
#include "emulator/decode/source_lines.h"
#include "emulator/machine/float_mode.h"
#include "emulator/machine/memory.h"
#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

constexpr std::string_view descriptor_suffix = ".kd";
constexpr std::size_t most_kernels = 4096;

std::expected<Kernel, std::string> read_descriptor(const ElfFile& file, const ElfSymbol& symbol) {
  llvm::amdhsa::kernel_descriptor_t descriptor;
  if (symbol.address > file.image.size() || file.image.size() - symbol.address < sizeof descriptor)
    return std::unexpected(
        formatted("the kernel descriptor {} at address {:#x} lies outside the image of {} bytes",
                  symbol.name, symbol.address, file.image.size()));
  std::memcpy(&descriptor, file.image.data() + symbol.address, sizeof descriptor);
  Kernel kernel;
  kernel.name = symbol.name.substr(0, symbol.name.size() - descriptor_suffix.size());
  kernel.entry = symbol.address + static_cast<uint64_t>(descriptor.kernel_code_entry_byte_offset);
  kernel.lds_bytes = descriptor.group_segment_fixed_size;
  kernel.scratch_bytes = descriptor.private_segment_fixed_size;
  kernel.argument_bytes = descriptor.kernarg_size;
  kernel.resource1 = descriptor.compute_pgm_rsrc1;
  kernel.resource2 = descriptor.compute_pgm_rsrc2;
  kernel.resource3 = descriptor.compute_pgm_rsrc3;
  kernel.properties = descriptor.kernel_code_properties;
  kernel.preload = descriptor.kernarg_preload;
  kernel.wave32 = AMDHSA_BITS_GET(descriptor.kernel_code_properties,
                                  llvm::amdhsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32);
  return kernel;
}

}  // namespace

std::expected<CodeObject, std::string> CodeObject::load(std::span<const std::byte> bytes) {
  auto file = ElfFile::read(bytes);
  if (!file) return std::unexpected(file.error());
  CodeObject object;
  object.target_ = find_target(file->machine);
  if (!object.target_)
    return std::unexpected(formatted(
        "the code object is for a processor the emulator does not have (EF_AMDGPU_MACH {:#x}); "
        "it has {}",
        file->machine, target_names()));
  for (const ElfSymbol& symbol : file->symbols) {
    if (!symbol.name.ends_with(descriptor_suffix)) continue;
    auto kernel = read_descriptor(*file, symbol);
    if (!kernel) return std::unexpected(kernel.error());
    // The symbol may be in both symbol tables.
    if (object.find_kernel(kernel->name)) continue;
    object.kernels_.push_back(*kernel);
    if (object.kernels_.size() > most_kernels)
      return std::unexpected(
          formatted("the code object has more than {} kernels; compile them apart", most_kernels));
  }
  if (object.kernels_.empty())
    return std::unexpected("the code object has no kernel (no symbol ends in .kd)");
  if (auto read = read_metadata(file->metadata, object.kernels_); !read)
    return std::unexpected(read.error());
  // Functions do not record a wave size; all kernels of a file have the same one, which is used for
  // them.
  const int wave = object.kernels_.front().wave32 ? 32 : 64;
  const bool two_float_modes = std::ranges::any_of(object.kernels_, [](const Kernel& kernel) {
    return has_two_float_modes(kernel.resource1 >> 12);
  });
  auto program = Program::decode(*object.target_, wave, two_float_modes, file->image, file->code);
  if (!program) return std::unexpected(program.error());
  object.program_ = *program;
  for (const Kernel& kernel : object.kernels_)
    if (object.program_->find(kernel.entry) < 0)
      return std::unexpected(formatted("the entry of kernel {}, {:#x}, is not in its code",
                                       kernel.name, kernel.entry));
  object.image_ = std::move(file->image);
  for (ElfSymbol& symbol : file->symbols)
    if (symbol.is_object && symbol.address <= object.image_.size() &&
        symbol.size <= object.image_.size() - symbol.address && !symbol.name.ends_with(".kd"))
      object.variables_.push_back(
          {std::move(symbol.name), image_base + symbol.address, symbol.address, symbol.size});
  object.lines_ = std::make_shared<SourceLines>(std::move(file->debug));
  return object;
}

const Kernel* CodeObject::find_kernel(std::string_view name) const {
  for (const Kernel& kernel : kernels_)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

std::vector<std::string> CodeObject::unknown_instructions() const {
  std::vector<std::string> lines;
  const uint32_t count = static_cast<uint32_t>(program_->instructions().size());
  for (uint32_t i = 0; i < count; ++i) {
    // s_code_end fills the space after the last instruction for the prefetcher.
    if (program_->obstacle(i).empty() || program_->mnemonic(i) == "s_code_end") continue;
    lines.push_back(formatted("{:#x} {}: {}", program_->addresses()[i], program_->text(i),
                              program_->obstacle(i)));
  }
  return lines;
}

std::string CodeObject::source_line(uint64_t address) const { return lines_->find(address); }

std::vector<std::string> CodeObject::source_callers(uint64_t address) const {
  return lines_->find_callers(address);
}

}  // namespace heddle::emulator
