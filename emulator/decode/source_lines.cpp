#include "emulator/decode/source_lines.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

namespace heddle::emulator {

struct SourceLines::State {
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> debug_info;
};

SourceLines::SourceLines(std::span<const std::byte> file) : file_(file.begin(), file.end()) {}
SourceLines::~SourceLines() = default;

std::string SourceLines::find(uint64_t address) {
  const std::lock_guard lock(mutex_);
  if (!state_) {
    state_ = std::make_unique<State>();
    const llvm::StringRef bytes(reinterpret_cast<const char*>(file_.data()), file_.size());
    auto object = llvm::object::ObjectFile::createELFObjectFile({bytes, "code object"});
    if (!object) {
      llvm::consumeError(object.takeError());
      return {};
    }
    state_->object = std::move(*object);
    const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    state_->debug_info = llvm::DWARFContext::create(
        *state_->object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore,
        ignore);
  }
  if (!state_->debug_info) return {};
  const auto line = state_->debug_info->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection});
  if (!line || line->FileName == llvm::DILineInfo::BadString || line->Line == 0) return {};
  return line->FileName + ":" + std::to_string(line->Line) + ":" + std::to_string(line->Column);
}

}  // namespace heddle::emulator
