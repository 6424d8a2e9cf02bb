// Source lines: the same as LLVM's reader of debug information finds, and no crash on any bytes.
#include "emulator/decode/source_lines.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <filesystem>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace source_lines_test {

// A file of the build folder, as LLVM sees it.
struct ObjectFile {
  explicit ObjectFile(const std::string& path)
      : buffer(llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))),
        file(
            llvm::cantFail(llvm::object::ObjectFile::createObjectFile(buffer->getMemBufferRef()))) {
  }

  DebugSections debug_sections() const {
    DebugSections sections;
    for (const auto& section : file->sections()) {
      const llvm::StringRef name = llvm::cantFail(section.getName());
      if (name.starts_with(".debug_"))
        sections.emplace_back(name.str(), llvm::cantFail(section.getContents()).str());
    }
    return sections;
  }

  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::unique_ptr<llvm::object::ObjectFile> file;
};

// Names of code objects with debug information, at -O0 and -O3, of the examples.
std::vector<std::string> example_files() {
  std::vector<std::string> paths;
  for (const char* name : {"wmma_naive", "wmma_tiled", "softmax", "lines"})
    for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_EXAMPLE_FOLDER))
      if (entry.path().filename().string().starts_with(std::string(name) + "."))
        paths.push_back(entry.path().string());
  return paths;
}

std::string text(const llvm::DILineInfo& line) {
  if (line.FileName == llvm::DILineInfo::BadString || line.Line == 0) return {};
  return line.FileName + ":" + std::to_string(line.Line) + ":" + std::to_string(line.Column);
}

// The witness is LLVM's own reader, of every word of the code.
void expect_like_llvm(const std::string& path) {
  const ObjectFile object(path);
  const auto context = llvm::DWARFContext::create(*object.file);
  const llvm::DILineInfoSpecifier full_paths(
      llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
      llvm::DILineInfoSpecifier::FunctionNameKind::None);
  SourceLines lines(object.debug_sections());
  int found = 0;
  for (const auto& section : object.file->sections()) {
    if (!section.isText()) continue;
    const uint64_t end = section.getAddress() + section.getSize();
    for (uint64_t address = section.getAddress(); address < end; address += 4) {
      const llvm::object::SectionedAddress place{address,
                                                 llvm::object::SectionedAddress::UndefSection};
      const auto line = context->getLineInfoForAddress(place, full_paths);
      const std::string expected = line ? text(*line) : std::string();
      ASSERT_EQ(lines.find(address), expected) << path << " " << address;
      found += !expected.empty();
      const auto frames = context->getInliningInfoForAddress(place, full_paths);
      std::vector<std::string> callers;
      for (uint32_t i = 1; i < frames.getNumberOfFrames(); ++i)
        if (std::string caller = text(frames.getFrame(i)); !caller.empty())
          callers.push_back(std::move(caller));
      ASSERT_EQ(lines.find_callers(address), callers) << path << " " << address;
    }
  }
  EXPECT_GT(found, 50) << path;
}

TEST(SourceLines, AreThoseThatLlvmFinds) {
  const auto paths = example_files();
  ASSERT_GE(paths.size(), 20u);
  for (const std::string& path : paths) expect_like_llvm(path);
}

TEST(SourceLines, AreNoneWithoutDebugInformation) {
  SourceLines none({});
  EXPECT_EQ(none.find(0), "");
  EXPECT_TRUE(none.find_callers(0).empty());
}

// Ten of 4,000 such mutants ended the program when LLVM read them.
TEST(SourceLines, SurviveWrongBytes) {
  const ObjectFile object(std::string(HEDDLE_EXAMPLE_FOLDER) + "/wmma_tiled.gfx1151.O3.co");
  const DebugSections sections = object.debug_sections();
  Random random(1);
  std::size_t characters = 0;
  for (int mutant = 0; mutant < 4000; ++mutant) {
    DebugSections changed = sections;
    for (unsigned change = random.bits() % 4 + 1; change > 0; --change) {
      std::string& bytes = changed[random.bits() % changed.size()].second;
      if (bytes.empty()) continue;
      if (random.bits() % 8 == 0)
        bytes.resize(random.bits() % bytes.size());
      else
        bytes[random.bits() % bytes.size()] = static_cast<char>(random.bits());
    }
    SourceLines lines(std::move(changed));
    for (uint64_t address = 0x1600; address < 0x5600; address += 252) {
      characters += lines.find(address).size();
      for (const std::string& caller : lines.find_callers(address)) characters += caller.size();
    }
  }
  EXPECT_GT(characters, 0u);
}

void append(std::string& bytes, std::initializer_list<int> more) {
  for (const int byte : more) bytes += static_cast<char>(byte);
}

// 2^35 files of no bytes each: the count is only a promise.
TEST(SourceLines, PayForPromisedEntries) {
  std::string line;
  append(line, {5, 0, 8, 0, 40, 0, 0, 0, 4, 1, 1, 0xfb, 14, 1});  // no standard opcodes
  append(line, {0, 0});                                           // folders: no values, none
  append(line, {0, 0x80, 0x80, 0x80, 0x80, 0x80, 1});             // files: no values, 2^35
  std::string section;
  append(section, {static_cast<int>(line.size()), 0, 0, 0});
  SourceLines lines({{".debug_line", section + line}});
  EXPECT_EQ(lines.find(0), "");
}

// Entries of one byte, each with a million attributes of no bytes.
TEST(SourceLines, PayForAttributesOfNoBytes) {
  std::string abbreviations;
  append(abbreviations, {1, 0x11, 0});
  for (int i = 0; i < 1'000'000; ++i) append(abbreviations, {3, 0x19});
  append(abbreviations, {0, 0, 0});
  std::string info(1'000'000, '\1');
  std::string header;
  const auto size = static_cast<uint32_t>(info.size() + 7);
  append(header, {static_cast<int>(size & 255), static_cast<int>(size >> 8 & 255),
                  static_cast<int>(size >> 16), 0, 4, 0, 0, 0, 0, 0, 8});
  SourceLines lines({{".debug_info", header + info}, {".debug_abbrev", abbreviations}});
  EXPECT_TRUE(lines.find_callers(0).empty());
}

}  // namespace source_lines_test
}  // namespace heddle::emulator::testing
