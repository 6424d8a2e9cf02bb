#include "emulator/decode/source_lines.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Support/MemoryBuffer.h>

namespace heddle::emulator {

struct SourceLines::State {
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> sections;
  std::unique_ptr<llvm::DWARFContext> debug_info;
};

SourceLines::SourceLines(DebugSections sections) : sections_(std::move(sections)) {}
SourceLines::~SourceLines() = default;

SourceLines::State& SourceLines::state() {
  if (state_) return *state_;
  state_ = std::make_unique<State>();
  for (const auto& [name, contents] : sections_)
    state_->sections[llvm::StringRef(name).drop_front()] =
        llvm::MemoryBuffer::getMemBuffer(contents, name, false);
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  state_->debug_info = llvm::DWARFContext::create(state_->sections, 8, true, ignore, ignore);
  return *state_;
}

namespace {

const llvm::DILineInfoSpecifier full_paths(
    llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
    llvm::DILineInfoSpecifier::FunctionNameKind::None);

std::string text(const llvm::DILineInfo& line) {
  if (line.FileName == llvm::DILineInfo::BadString || line.Line == 0) return {};
  return line.FileName + ":" + std::to_string(line.Line) + ":" + std::to_string(line.Column);
}

}  // namespace

std::string SourceLines::find(uint64_t address) {
  if (sections_.empty()) return {};
  const std::lock_guard lock(mutex_);
  const auto line = state().debug_info->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection}, full_paths);
  return line ? text(*line) : std::string();
}

std::vector<std::string> SourceLines::find_callers(uint64_t address) {
  if (sections_.empty()) return {};
  const std::lock_guard lock(mutex_);
  const llvm::DIInliningInfo frames = state().debug_info->getInliningInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection}, full_paths);
  std::vector<std::string> callers;
  for (uint32_t i = 1; i < frames.getNumberOfFrames(); ++i)
    if (std::string caller = text(frames.getFrame(i)); !caller.empty())
      callers.push_back(std::move(caller));
  return callers;
}

}  // namespace heddle::emulator
