// Offload bundles: no number in one is trusted, and a small file stays small in memory. That good
// ones are read is tested with clang's own in tests/tool/run_kernel_files.txt.
#include "runtime/device/offload_bundle.h"

#include <gtest/gtest.h>
#include <llvm/Object/OffloadBundle.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstring>

namespace heddle::runtime {
namespace offload_bundle_test {

std::string refusal(const std::string& file) {
  const auto object = extract_code_object(std::as_bytes(std::span(file)), "gfx1151");
  if (object) return "it was taken";
  return object.error();
}

/// A stream that unpacks to `plain`.
std::string compressed(const std::string& plain) {
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(plain, "", false);
  const llvm::DebugCompressionType zlib = llvm::DebugCompressionType::Zlib;
  const auto made = llvm::cantFail(llvm::object::CompressedOffloadBundle::compress(
      llvm::compression::Params(zlib), *buffer, 3, nullptr));
  return made->getBuffer().str();
}

std::string number(std::uint64_t value) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &value, 8);
  return bytes;
}

std::string bundle(std::uint64_t entries, const std::string& id) {
  std::string text = "__CLANG_OFFLOAD_BUNDLE__" + number(entries);
  for (std::uint64_t i = 0; i < entries; ++i)
    text += number(0) + number(0) + number(id.size()) + id;
  return text;
}

TEST(OffloadBundle, UnpacksABundle) {
  EXPECT_EQ(refusal(compressed(bundle(2, "hipv4-amdgcn-amd-amdhsa--gfx1100"))),
            "no code object for gfx1151; there are some for gfx1100");
}

// 6 MB that unpacked to 7.3 GB: every stream was kept.
TEST(OffloadBundle, StreamsThatUnpackToTooMuchAreRefused) {
  const std::string stream = compressed(std::string(48 << 20, 'x'));
  std::string file = "a program";
  for (int i = 0; i < 5; ++i) file += stream;
  EXPECT_EQ(refusal(file),
            "no code object: neither an AMD GPU's ELF file nor an offload bundle with one");
  file += stream;
  EXPECT_EQ(refusal(file).find("the streams of the offload bundle say that they have more than "
                               "268435456 bytes when unpacked"),
            0u)
      << refusal(file);
}

// A hundred thousand headers, each of which has the rest of the file as its stream.
TEST(OffloadBundle, AFileOfHeadersIsReadQuickly) {
  std::string file = "a program", header = compressed("x").substr(0, 32);
  for (int i = 0; i < 100'000; ++i) file += header;
  EXPECT_EQ(refusal(file).find("no code object"), 0u) << refusal(file);
}

TEST(OffloadBundle, OverlappingTablesAreRefused) {
  std::string file;
  for (int i = 0; i < 3; ++i) file += bundle(2000, "hipv4-amdgcn-amd-amdhsa--gfx1100");
  EXPECT_EQ(refusal(file), "the offload bundles of the file have more than 4096 entries");
}

TEST(OffloadBundle, NamesOfProcessorsAreShort) {
  EXPECT_EQ(refusal(bundle(2, "amdgcn-gfx" + std::string(100'000, '1'))).find("no code object"),
            0u);
}

TEST(OffloadBundle, EntriesOutsideTheFileAreRefused) {
  std::string file = bundle(1, "hipv4-amdgcn-amd-amdhsa--gfx1151");
  const std::string wide = number(~std::uint64_t{0});
  for (const std::size_t place : {32u, 40u, 48u}) {
    std::string changed = file;
    changed.replace(place, 8, wide);
    EXPECT_EQ(refusal(changed).find("the offload bundle is damaged"), 0u) << refusal(changed);
  }
}

}  // namespace offload_bundle_test
}  // namespace heddle::runtime
