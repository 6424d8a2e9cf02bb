#include "emulator/decode/metadata.h"

#include <llvm/BinaryFormat/MsgPackDocument.h>

namespace heddle::emulator {
namespace {

using llvm::msgpack::DocNode;

// The value at a key of a map; null when there is none.
DocNode* at(DocNode& node, llvm::StringRef key) {
  if (!node.isMap()) return nullptr;
  auto& map = node.getMap();
  const auto found = map.find(node.getDocument()->getNode(key));
  return found == map.end() ? nullptr : &found->second;
}

uint32_t number(DocNode& node, llvm::StringRef key, uint32_t otherwise = 0) {
  DocNode* found = at(node, key);
  if (!found) return otherwise;
  if (found->getKind() == llvm::msgpack::Type::UInt) return static_cast<uint32_t>(found->getUInt());
  if (found->getKind() == llvm::msgpack::Type::Int) return static_cast<uint32_t>(found->getInt());
  return otherwise;
}

std::string text(DocNode& node, llvm::StringRef key) {
  DocNode* found = at(node, key);
  return found && found->isString() ? found->getString().str() : std::string();
}

void read_kernel(DocNode& node, Kernel& kernel) {
  kernel.vgpr_count = number(node, ".vgpr_count");
  kernel.sgpr_count = number(node, ".sgpr_count");
  kernel.vgpr_spills = number(node, ".vgpr_spill_count");
  kernel.sgpr_spills = number(node, ".sgpr_spill_count");
  kernel.max_workgroup_size = number(node, ".max_flat_workgroup_size", 1024);
  DocNode* arguments = at(node, ".args");
  if (!arguments || !arguments->isArray()) return;
  for (DocNode& argument : arguments->getArray())
    kernel.arguments.push_back({text(argument, ".name"), text(argument, ".value_kind"),
                                number(argument, ".offset"), number(argument, ".size")});
}

}  // namespace

std::expected<void, Error> read_metadata(const std::string& metadata, std::span<Kernel> kernels) {
  if (metadata.empty()) return {};
  llvm::msgpack::Document document;
  if (!document.readFromBlob(metadata, false))
    return std::unexpected(Error{"the metadata of the code object is no MessagePack document"});
  DocNode* list = at(document.getRoot(), "amdhsa.kernels");
  if (!list || !list->isArray()) return {};
  for (DocNode& node : list->getArray())
    for (Kernel& kernel : kernels)
      if (kernel.name == text(node, ".name") || kernel.name + ".kd" == text(node, ".symbol"))
        read_kernel(node, kernel);
  return {};
}

}  // namespace heddle::emulator
