#include "emulator/decode/metadata.h"

#include <llvm/BinaryFormat/MsgPackReader.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

// A MessagePack value with its children. LLVM has a class for such trees, msgpack::Document, but it
// aborts on some malformed input. So this tree is built with LLVM's reader of single objects, which
// does not abort.
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
  std::string text_at(std::string_view key) const {
    const Node* found = at(key);
    return found && found->kind == Kind::text ? found->text : std::string();
  }
};

constexpr int deepest_nesting = 32;  // real metadata has 5
// The limit on the number of values. A value can be a single byte of the file and takes about a
// hundred bytes of memory; the metadata of a kernel has a few hundred values.
constexpr int most_nodes = 1 << 20;

// Reads a value with its children. Null if the bytes end early, values are nested too deeply, or
// there are too many. `left` is the number of values that may still be read.
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
  // The number of children is not trusted: no memory is reserved, and reading stops when bytes end.
  for (std::size_t i = 0; i < children; ++i) {
    auto child = read_node(reader, depth + 1, left);
    if (!child) return std::nullopt;
    node.children.push_back(std::move(*child));
  }
  return node;
}

// Reads the metadata of one kernel into `kernel`. Numbers of more than 32 bits are refused.
class KernelReader {
 public:
  explicit KernelReader(Kernel& kernel) : kernel_(kernel) {}

  std::expected<void, std::string> read(const Node& node) {
    kernel_.vgpr_count = number(node, ".vgpr_count");
    kernel_.sgpr_count = number(node, ".sgpr_count");
    kernel_.vgpr_spills = number(node, ".vgpr_spill_count");
    kernel_.sgpr_spills = number(node, ".sgpr_spill_count");
    kernel_.max_workgroup_size = number(node, ".max_flat_workgroup_size", 1024);
    // These sizes are only checked to have 32 bits: those that are used come from the kernel
    // descriptor.
    for (const std::string_view size :
         {".kernarg_segment_size", ".group_segment_fixed_size", ".private_segment_fixed_size"})
      number(node, size);
    if (const Node* cluster = list(node, ".cluster_dims"))
      for (std::size_t i = 0; i < std::min(cluster->children.size(), kernel_.cluster.size()); ++i)
        kernel_.cluster[i] = narrowed(cluster->children[i], ".cluster_dims");
    if (const Node* arguments = list(node, ".args"))
      for (const Node& argument : arguments->children)
        kernel_.arguments.push_back({argument.text_at(".name"), argument.text_at(".value_kind"),
                                     number(argument, ".offset"), number(argument, ".size")});
    if (problem_.empty()) return {};
    return std::unexpected(problem_);
  }

 private:
  static const Node* list(const Node& node, std::string_view key) {
    const Node* const found = node.at(key);
    return found && found->kind == Node::Kind::list ? found : nullptr;
  }

  uint32_t number(const Node& node, std::string_view key, uint32_t otherwise = 0) {
    const Node* const found = node.at(key);
    return found && found->kind == Node::Kind::number ? narrowed(*found, key) : otherwise;
  }

  uint32_t narrowed(const Node& node, std::string_view key) {
    constexpr uint64_t most = UINT32_MAX;
    if (node.number > most && problem_.empty())
      problem_ = formatted("the metadata of kernel {} says {} for {}; accepted: 0 to {}",
                           kernel_.name, node.number, key, most);
    return static_cast<uint32_t>(std::min(node.number, most));
  }

  Kernel& kernel_;
  std::string problem_;  // of the first number that is none of 32 bits
};

}  // namespace

std::expected<void, std::string> read_metadata(const std::string& metadata,
                                               std::span<Kernel> kernels) {
  if (metadata.empty()) return {};
  llvm::msgpack::Reader reader(llvm::StringRef{metadata});
  int left = most_nodes;
  const auto root = read_node(reader, 0, left);
  if (!root)
    return std::unexpected(
        "the metadata of the code object is no MessagePack document, or has more "
        "than a million values");
  const Node* list = root->at("amdhsa.kernels");
  if (!list || list->kind != Node::Kind::list) return {};
  std::map<std::string, Kernel*> by_symbol;
  for (Kernel& kernel : kernels) by_symbol.emplace(kernel.name + ".kd", &kernel);
  for (const Node& node : list->children)
    if (const auto found = by_symbol.find(node.text_at(".symbol"));
        found != by_symbol.end() && found->second->arguments.empty())
      if (auto read = KernelReader(*found->second).read(node); !read) return read;
  return {};
}

}  // namespace heddle::emulator
