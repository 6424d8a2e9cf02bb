#include "runtime/device/offload_bundle.h"

#include <llvm/Object/OffloadBundle.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <cstring>

#include "library/text/formatted.h"

namespace heddle::runtime {
namespace {

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view compressed_magic = "CCOB";
constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";
constexpr std::uint16_t machine_amdgpu = 224;  // EM_AMDGPU
// Limits for a whole file. They are needed because bundles may overlap, so that a small file has
// many entries, and because a few compressed bytes may unpack to very many bytes.
constexpr std::uint64_t most_entries = 4096;
constexpr std::size_t most_streams = 64;
constexpr std::uint64_t most_unpacked = std::uint64_t{256} << 20;  // bytes
constexpr std::size_t longest_processor = 64;

struct Entry {
  std::string processor;  // "gfx1151"; empty: not for an AMD GPU
  std::string_view bytes;
};

/// Little-endian, as everything in these files.
template <class T>
T number_at(std::string_view text, std::size_t place) {
  T value;
  std::memcpy(&value, text.data() + place, sizeof value);
  return value;
}

bool is_code_object(std::string_view file) {
  return file.starts_with(elf_magic) && file.size() > 20 &&
         number_at<std::uint16_t>(file, 18) == machine_amdgpu;
}

/// "gfx1151" of "hipv4-amdgcn-amd-amdhsa--gfx1151:xnack-".
std::string processor_of(std::string_view id) {
  if (id.find("amdgcn") == std::string_view::npos) return "";
  const std::size_t begin = id.rfind("gfx");
  if (begin == std::string_view::npos) return "";
  std::string_view processor = id.substr(begin);
  processor = processor.substr(0, processor.find(':'));
  return processor.size() > longest_processor ? "" : std::string(processor);
}

constexpr const char* damaged = "the offload bundle is damaged: ";

/// The entries of the bundle at the beginning of `text`.
std::expected<std::vector<Entry>, std::string> entries_of(std::string_view text) {
  std::size_t place = bundle_magic.size();
  const auto take = [&](std::uint64_t& value) {
    if (text.size() - place < 8) return false;
    value = number_at<std::uint64_t>(text, place);
    place += 8;
    return true;
  };
  std::uint64_t count = 0;
  if (!take(count) || count > most_entries)
    return std::unexpected(formatted("{}it says it has {} entries", damaged, count));
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t offset = 0, size = 0, length = 0;
    if (!take(offset) || !take(size) || !take(length) || length > text.size() - place)
      return std::unexpected(std::string(damaged) + "it ends inside the table of entries");
    const std::string_view id = text.substr(place, length);
    place += length;
    if (offset > text.size() || size > text.size() - offset)
      return std::unexpected(formatted("{}entry {} lies outside the file", damaged, i + 1));
    entries.push_back({processor_of(id), text.substr(offset, size)});
  }
  return entries;
}

/// Decompresses the bundle at the beginning of `text`. `unpacked` adds up the bytes of all bundles
/// that were decompressed.
std::expected<std::unique_ptr<llvm::MemoryBuffer>, std::string> decompressed(
    std::string_view text, std::uint64_t& unpacked) {
  const llvm::StringRef reference(text.data(), text.size());
  auto header = llvm::object::CompressedOffloadBundle::CompressedBundleHeader::tryParse(reference);
  if (!header) return std::unexpected(damaged + llvm::toString(header.takeError()));
  const bool fits = header->UncompressedFileSize <= most_unpacked - unpacked;
  unpacked = fits ? unpacked + header->UncompressedFileSize : most_unpacked + 1;
  if (!fits)
    return std::unexpected(
        formatted("the streams of the offload bundle say that they have more than {} bytes when "
                  "unpacked; give the object file of one source instead",
                  most_unpacked));
  if (header->FileSize && *header->FileSize > text.size())
    return std::unexpected(std::string(damaged) + "it ends too early");
  const llvm::StringRef whole =
      header->FileSize ? reference.take_front(*header->FileSize) : reference;
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(whole, "", false);
  auto plain = llvm::object::CompressedOffloadBundle::decompress(*buffer);
  if (!plain) return std::unexpected(damaged + llvm::toString(plain.takeError()));
  return std::move(*plain);
}

std::string_view text_of(const llvm::MemoryBuffer& buffer) {
  return {buffer.getBufferStart(), buffer.getBufferSize()};
}

/// All entries of all bundles in the file. If a bundle was compressed, `kept` owns its decompressed
/// bytes.
std::expected<std::vector<Entry>, std::string> find_entries(
    std::string_view file, std::unique_ptr<llvm::MemoryBuffer>& kept) {
  std::vector<Entry> all;
  std::uint64_t read = 0, unpacked = 0;
  const auto add = [&](std::string_view bundle) -> std::expected<void, std::string> {
    auto entries = entries_of(bundle);
    if (!entries) return std::unexpected(entries.error());
    read += entries->size();
    if (read > most_entries)
      return std::unexpected(
          formatted("the offload bundles of the file have more than {} entries", most_entries));
    for (Entry& entry : *entries)
      if (!entry.processor.empty()) all.push_back(std::move(entry));
    return {};
  };
  for (std::size_t at = file.find(bundle_magic); at != std::string_view::npos;
       at = file.find(bundle_magic, at + 1))
    if (const auto added = add(file.substr(at)); !added) return std::unexpected(added.error());
  // The magic number of compressed bundles is short and may occur by chance. So a place that cannot
  // be decompressed is skipped, unless it is the beginning of the file.
  std::size_t streams = 0;
  for (std::size_t at = file.find(compressed_magic);
       at != std::string_view::npos && all.empty() && streams < most_streams;
       at = file.find(compressed_magic, at + 1), ++streams) {
    auto plain = decompressed(file.substr(at), unpacked);
    if (!plain && (at == 0 || unpacked > most_unpacked)) return std::unexpected(plain.error());
    if (!plain) continue;
    if (!text_of(**plain).starts_with(bundle_magic)) continue;
    kept = *std::move(plain);
    if (const auto added = add(text_of(*kept)); !added) return std::unexpected(added.error());
  }
  return all;
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace

std::expected<std::vector<std::byte>, std::string> extract_code_object(
    std::span<const std::byte> bytes, std::string_view processor) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (is_code_object(file)) return bytes_of(file);
  std::unique_ptr<llvm::MemoryBuffer> kept;  // the entries point into it
  const auto entries = find_entries(file, kept);
  if (!entries) return std::unexpected(entries.error());
  if (entries->empty())
    return std::unexpected(
        "no code object: neither an AMD GPU's ELF file nor an offload bundle with one");
  std::string names;
  const Entry* chosen = nullptr;
  int fitting = 0;
  for (const Entry& entry : *entries) {
    if (names.find(entry.processor) == std::string::npos)
      names += (names.empty() ? "" : ", ") + entry.processor;
    if (!processor.empty() && entry.processor != processor) continue;
    ++fitting;
    chosen = &entry;
  }
  if (fitting == 0)
    return std::unexpected("no code object for " + std::string(processor) +
                           "; there are some for " + names);
  if (fitting > 1 && processor.empty())
    return std::unexpected("there are code objects for " + names + "; choose one with --target");
  if (fitting > 1)
    return std::unexpected(
        formatted("there are {} code objects for {}: give the object file of one source instead of "
                  "a whole program",
                  fitting, processor));
  return bytes_of(chosen->bytes);
}

std::expected<std::vector<std::string>, std::string> bundled_processors(
    std::span<const std::byte> bytes) {
  std::unique_ptr<llvm::MemoryBuffer> kept;
  const auto entries =
      find_entries({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, kept);
  if (!entries) return std::unexpected(entries.error());
  std::vector<std::string> names;
  for (const Entry& entry : *entries)
    if (std::ranges::find(names, entry.processor) == names.end()) names.push_back(entry.processor);
  return names;
}

}  // namespace heddle::runtime
