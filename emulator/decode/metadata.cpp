#include "emulator/decode/metadata.h"

#include <llvm/BinaryFormat/MsgPackReader.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace heddle::emulator {
namespace {

// A MessagePack value. LLVM's own tree of them (msgpack::Document) stops the program on some
// malformed input, its reader of single objects does not.
struct Node {
  enum class Kind { other, number, text, list, map } kind = Kind::other;
  uint64_t number = 0;
  std::string text;
  std::vector<Node> children;  // of a map: keys and values in turn

  const Node* at(std::string_view key) const {
    if (kind != Kind::map) return nullptr;
    for (std::size_t i = 0; i + 1 < children.size(); i += 2)
      if (children[i].kind == Kind::text && children[i].text == key) return &children[i + 1];
    return nullptr;
  }
  // Of what is too large the largest, which is refused where it matters.
  uint32_t narrowed() const { return static_cast<uint32_t>(std::min<uint64_t>(number, ~0u)); }
  uint32_t number_at(std::string_view key, uint32_t otherwise = 0) const {
    const Node* found = at(key);
    return found && found->kind == Kind::number ? found->narrowed() : otherwise;
  }
  std::string text_at(std::string_view key) const {
    const Node* found = at(key);
    return found && found->kind == Kind::text ? found->text : std::string();
  }
};

constexpr int deepest_nesting = 32;  // real metadata has 5
// A value is one byte of the file and a hundred of memory; a kernel has some hundred values.
constexpr int most_nodes = 1 << 20;

// Nothing when the bytes end early, nest too deeply or are too many. `left`: nodes that may come.
std::optional<Node> read_node(llvm::msgpack::Reader& reader, int depth, int& left) {
  llvm::msgpack::Object object;
  auto more = reader.read(object);
  if (!more) {
    llvm::consumeError(more.takeError());
    return std::nullopt;
  }
  if (!*more || depth > deepest_nesting || --left < 0) return std::nullopt;
  Node node;
  std::size_t children = 0;
  switch (object.Kind) {
    case llvm::msgpack::Type::UInt:
      node = {Node::Kind::number, object.UInt, {}, {}};
      break;
    case llvm::msgpack::Type::Int:
      node = {Node::Kind::number, static_cast<uint64_t>(object.Int), {}, {}};
      break;
    case llvm::msgpack::Type::String:
      node = {Node::Kind::text, 0, object.Raw.str(), {}};
      break;
    case llvm::msgpack::Type::Array:
      node.kind = Node::Kind::list;
      children = object.Length;
      break;
    case llvm::msgpack::Type::Map:
      node.kind = Node::Kind::map;
      children = 2 * object.Length;
      break;
    default:
      break;
  }
  // The length is only a promise: nothing is reserved, and reading ends with the bytes.
  for (std::size_t i = 0; i < children; ++i) {
    auto child = read_node(reader, depth + 1, left);
    if (!child) return std::nullopt;
    node.children.push_back(std::move(*child));
  }
  return node;
}

void fill_in(const Node& node, Kernel& kernel) {
  kernel.vgpr_count = node.number_at(".vgpr_count");
  kernel.sgpr_count = node.number_at(".sgpr_count");
  kernel.vgpr_spills = node.number_at(".vgpr_spill_count");
  kernel.sgpr_spills = node.number_at(".sgpr_spill_count");
  kernel.max_workgroup_size = node.number_at(".max_flat_workgroup_size", 1024);
  if (const Node* cluster = node.at(".cluster_dims"); cluster && cluster->kind == Node::Kind::list)
    for (std::size_t i = 0; i < std::min(cluster->children.size(), kernel.cluster.size()); ++i)
      kernel.cluster[i] = cluster->children[i].narrowed();
  const Node* arguments = node.at(".args");
  if (!arguments || arguments->kind != Node::Kind::list) return;
  for (const Node& argument : arguments->children)
    kernel.arguments.push_back({argument.text_at(".name"), argument.text_at(".value_kind"),
                                argument.number_at(".offset"), argument.number_at(".size")});
}

}  // namespace

std::expected<void, Error> read_metadata(const std::string& metadata, std::span<Kernel> kernels) {
  if (metadata.empty()) return {};
  llvm::msgpack::Reader reader(llvm::StringRef{metadata});
  int left = most_nodes;
  const auto root = read_node(reader, 0, left);
  if (!root)
    return std::unexpected(
        Error{"the metadata of the code object is no MessagePack document, or has more "
              "than a million values"});
  const Node* list = root->at("amdhsa.kernels");
  if (!list || list->kind != Node::Kind::list) return {};
  std::map<std::string, Kernel*> by_symbol;
  for (Kernel& kernel : kernels) by_symbol.emplace(kernel.name + ".kd", &kernel);
  for (const Node& node : list->children)
    if (const auto found = by_symbol.find(node.text_at(".symbol"));
        found != by_symbol.end() && found->second->arguments.empty())
      fill_in(node, *found->second);
  return {};
}

}  // namespace heddle::emulator
