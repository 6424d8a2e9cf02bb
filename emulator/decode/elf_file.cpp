#include "emulator/decode/elf_file.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFTypes.h>

#include <cstring>

#include "emulator/machine/memory.h"
#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

using llvm::object::ELF64LE;
using File = llvm::object::ELFFile<ELF64LE>;

// The limit on the size of the image, in bytes: far more than any kernel needs, and far less than
// would be a problem for the host.
constexpr uint64_t largest_image = uint64_t{64} << 20;
// The limit on the size of the code, in bytes: 16 times the code of this project's largest kernel.
// Once decoded, code takes a hundred times as much memory.
constexpr uint64_t most_code = uint64_t{8} << 20;

std::string error_of(llvm::Error error, const std::string& what) {
  return what + ": " + llvm::toString(std::move(error));
}

// True for a section with debug information that is not compressed; compressed sections are not
// read.
bool is_debug_info(const File::Elf_Shdr& section, llvm::StringRef name) {
  return name.starts_with(".debug_") && !(section.sh_flags & llvm::ELF::SHF_COMPRESSED);
}

class Reader {
 public:
  Reader(const File& file, std::span<const std::byte> bytes) : file_(file), bytes_(bytes) {}

  std::expected<ElfFile, std::string> read() {
    result_.machine = file_.getHeader().e_flags & llvm::ELF::EF_AMDGPU_MACH;
    for (auto step : {&Reader::load_segments, &Reader::read_sections})
      if (auto error = (this->*step)()) return std::unexpected(*error);
    return std::move(result_);
  }

 private:
  using Problem = std::optional<std::string>;

  // Call before `bytes` bytes are read. Counts them, and reports a problem if too many bytes of the
  // file have been read. A malicious file may refer to the same bytes again and again by its
  // headers, or to the same long name by its symbols; of a valid file, each byte is read about
  // once.
  Problem pay(uint64_t bytes) {
    const uint64_t most = 8 * bytes_.size() + 65536;
    read_ = std::min(read_ + std::min(bytes, most + 1), most + 1);
    if (read_ <= most) return {};
    return formatted(
        "its headers name the same bytes many times: more than {} bytes are read from a file of {}",
        most, bytes_.size());
  }

  Problem load_segments() {
    auto headers = file_.program_headers();
    if (!headers) return error_of(headers.takeError(), "program headers");
    for (const auto& header : *headers) {
      if (header.p_type == llvm::ELF::PT_LOAD)
        if (Problem problem = load_segment(header)) return problem;
      if (header.p_type != llvm::ELF::PT_NOTE) continue;
      if (Problem problem = pay(header.p_filesz)) return problem;
      read_notes(header);
    }
    if (result_.code.empty()) return "the code object has no executable segment";
    return {};
  }

  Problem load_segment(const File::Elf_Phdr& header) {
    const uint64_t offset = header.p_offset, size = header.p_filesz;
    const uint64_t first = header.p_vaddr, room = header.p_memsz;
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      return formatted(
          "a segment of {} bytes at offset {} reaches past the end of the file, which has {} bytes",
          size, offset, bytes_.size());
    if (size > room || first > largest_image || room > largest_image - first)
      return formatted("a segment at address {} of {} bytes; at most {} bytes in all are accepted",
                       first, room, largest_image);
    if (Problem problem = check_order(header)) return problem;
    result_.image.resize(first + room);
    if (size > 0) std::memcpy(result_.image.data() + first, bytes_.data() + offset, size);
    if (!(header.p_flags & llvm::ELF::PF_X)) return {};
    result_.code.push_back({first, first + size});
    code_ += size;
    if (code_ > most_code)
      return formatted(
          "the code object has more than {} bytes of code, which are not accepted; "
          "compile its kernels apart",
          most_code);
    return {};
  }

  // Checks that loadable segments are in ascending order of address (System V ABI, "Program
  // Header") and do not overlap. If segments overlapped, in the image or in the file, the same code
  // could be decoded once for every header.
  Problem check_order(const File::Elf_Phdr& header) {
    const uint64_t first = header.p_vaddr;
    if (first < result_.image.size())
      return formatted(
          "a segment at address {}, where the one before it reaches to {}; loadable "
          "segments must follow each other without overlap",
          first, result_.image.size());
    loaded_ += header.p_filesz;
    if (loaded_ > bytes_.size())
      return formatted(
          "the loadable segments take {} bytes from a file of {}; each byte may be loaded once",
          loaded_, bytes_.size());
    return {};
  }

  // Reads the metadata of a code object (version 3 and later): a note of owner "AMDGPU".
  void read_notes(const File::Elf_Phdr& header) {
    llvm::Error error = llvm::Error::success();
    for (const auto& note : file_.notes(header, error))
      if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
        result_.metadata = note.getDescAsStringRef(4).str();
    llvm::consumeError(std::move(error));
  }

  Problem read_sections() {
    auto sections = file_.sections();
    if (!sections) return error_of(sections.takeError(), "section headers");
    for (const auto& section : *sections) {
      if (Problem problem = pay(sizeof section)) return problem;
      if (section.sh_type == llvm::ELF::SHT_DYNSYM || section.sh_type == llvm::ELF::SHT_SYMTAB)
        if (Problem problem = read_symbols(section)) return problem;
      if (Problem problem = read_debug_info(section)) return problem;
    }
    for (const auto& section : *sections)
      if (section.sh_type == llvm::ELF::SHT_RELA && section.sh_flags & llvm::ELF::SHF_ALLOC)
        if (Problem problem = relocate(section)) return problem;
    return {};
  }

  Problem read_debug_info(const File::Elf_Shdr& section) {
    auto name = file_.getSectionName(section);
    if (!name) return error_of(name.takeError(), "section name");
    if (Problem problem = pay(name->size())) return problem;
    if (!is_debug_info(section, *name)) return {};
    auto contents = file_.getSectionContents(section);
    if (!contents) return error_of(contents.takeError(), "section " + name->str());
    if (Problem problem = pay(contents->size())) return problem;
    result_.debug.emplace_back(name->str(), std::string(contents->begin(), contents->end()));
    return {};
  }

  Problem read_symbols(const File::Elf_Shdr& section) {
    auto symbols = file_.symbols(&section);
    if (!symbols) return error_of(symbols.takeError(), "symbols");
    auto names = file_.getStringTableForSymtab(section);
    if (!names) return error_of(names.takeError(), "symbol names");
    if (Problem problem = pay(section.sh_size)) return problem;
    for (const auto& symbol : *symbols) {
      auto name = symbol.getName(*names);
      if (!name) return error_of(name.takeError(), "symbol name");
      if (Problem problem = pay(name->size())) return problem;
      if (symbol.st_shndx != llvm::ELF::SHN_UNDEF)
        result_.symbols.push_back({name->str(), symbol.st_value, symbol.st_size,
                                   symbol.getType() == llvm::ELF::STT_OBJECT});
    }
    return {};
  }

  Problem relocate(const File::Elf_Shdr& section) {
    auto entries = file_.relas(section);
    if (!entries) return error_of(entries.takeError(), "relocations");
    if (Problem problem = pay(section.sh_size)) return problem;
    for (const auto& entry : *entries)
      if (Problem problem = relocate(section, entry)) return problem;
    return {};
  }

  // Applies a relocation. Only the relocations that can occur in a finished shared object are
  // accepted: they insert addresses of symbols of the same file.
  Problem relocate(const File::Elf_Shdr& section, const File::Elf_Rela& entry) {
    uint64_t target = image_base + static_cast<uint64_t>(int64_t{entry.r_addend});
    const uint32_t type = entry.getType(false);
    if (type == llvm::ELF::R_AMDGPU_ABS64) {
      auto table = file_.getSection(section.sh_link);
      if (!table) return error_of(table.takeError(), "relocation symbols");
      auto symbol = file_.getRelocationSymbol(entry, *table);
      if (!symbol) return error_of(symbol.takeError(), "relocation symbol");
      if (!*symbol || (*symbol)->st_shndx == llvm::ELF::SHN_UNDEF)
        return "a relocation needs a symbol that the code object does not define";
      target += (*symbol)->st_value;
    } else if (type != llvm::ELF::R_AMDGPU_RELATIVE64) {
      return formatted(
          "relocation type {}; only R_AMDGPU_ABS64 and R_AMDGPU_RELATIVE64 are accepted", type);
    }
    const uint64_t place = entry.r_offset;
    if (place > result_.image.size() || result_.image.size() - place < 8)
      return formatted("a relocation at address {}, outside the image", place);
    std::memcpy(result_.image.data() + place, &target, 8);
    return {};
  }

  const File& file_;
  std::span<const std::byte> bytes_;
  uint64_t read_ = 0;    // bytes that pay() was told of
  uint64_t code_ = 0;    // bytes in executable segments
  uint64_t loaded_ = 0;  // bytes of the file that segments have taken so far
  ElfFile result_;
};

}  // namespace

DebugSections debug_sections(std::span<const std::byte> bytes) {
  DebugSections found;
  const auto ignore = [](auto& value) { llvm::consumeError(value.takeError()); };
  auto file = File::create({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!file) return ignore(file), found;
  auto sections = file->sections();
  if (!sections) return ignore(sections), found;
  for (const auto& section : *sections) {
    auto name = file->getSectionName(section);
    if (!name) return ignore(name), found;
    if (!is_debug_info(section, *name)) continue;
    auto contents = file->getSectionContents(section);
    if (!contents) return ignore(contents), found;
    found.emplace_back(name->str(), std::string(contents->begin(), contents->end()));
  }
  return found;
}

std::expected<ElfFile, std::string> ElfFile::read(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(File::Elf_Ehdr) || std::memcmp(bytes.data(),
                                                           "\x7f"
                                                           "ELF",
                                                           4) != 0)
    return std::unexpected("this is no ELF file");
  const auto* ident = reinterpret_cast<const uint8_t*>(bytes.data());
  if (ident[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      ident[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return std::unexpected("an ELF file of another class; 64-bit little-endian is needed");
  auto file = File::create({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!file) return std::unexpected(error_of(file.takeError(), "this is no ELF file"));
  if (file->getHeader().e_machine != llvm::ELF::EM_AMDGPU)
    return std::unexpected(formatted("an ELF file for machine {}; AMDGPU (224) is needed",
                                     unsigned{file->getHeader().e_machine}));
  if (file->getHeader().e_type != llvm::ELF::ET_DYN)
    return std::unexpected(formatted(
        "an ELF file that is not linked (type {}); link it to a shared object with ld.lld -shared",
        unsigned{file->getHeader().e_type}));
  return Reader(*file, bytes).read();
}

}  // namespace heddle::emulator
