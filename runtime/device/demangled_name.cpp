#include "runtime/device/demangled_name.h"

#include <llvm/Demangle/ItaniumDemangle.h>

#include <cstdlib>
#include <memory_resource>
#include <utility>

namespace heddle::runtime {
namespace {

using llvm::itanium_demangle::Node;

/// Owns the nodes of one name. A node takes about as much memory as a few bytes of the symbol.
class Nodes {
 public:
  template <class T, class... Arguments>
  T* makeNode(Arguments&&... arguments) {
    return new (memory_.allocate(sizeof(T), alignof(T))) T(std::forward<Arguments>(arguments)...);
  }
  void* allocateNodeArray(std::size_t count) {
    return memory_.allocate(sizeof(Node*) * count, alignof(Node*));
  }
  void reset() { memory_.release(); }

 private:
  std::pmr::monotonic_buffer_resource memory_;
};

/// LLVM's parser of symbols. Each of its rules that may contain itself also counts how deep the
/// nesting is.
class Parser : public llvm::itanium_demangle::AbstractManglingParser<Parser, Nodes> {
  using Base = llvm::itanium_demangle::AbstractManglingParser<Parser, Nodes>;

 public:
  Parser(const std::string& symbol, NameBudget& budget)
      : Base(symbol.data(), symbol.data() + symbol.size()), budget_(budget) {}

  Node* parseEncoding(bool with_parameters = true) {
    return one_deeper([&] { return Base::parseEncoding(with_parameters); });
  }
  Node* parseName(NameState* state = nullptr) {
    return one_deeper([&] { return Base::parseName(state); });
  }
  Node* parseType() {
    return one_deeper([&] { return Base::parseType(); });
  }
  Node* parseQualifiedType() {
    return one_deeper([&] { return Base::parseQualifiedType(); });
  }
  Node* parseTemplateArg() {
    return one_deeper([&] { return Base::parseTemplateArg(); });
  }
  Node* parseExpr() {
    return one_deeper([&] { return Base::parseExpr(); });
  }
  Node* parseBracedExpr() {
    return one_deeper([&] { return Base::parseBracedExpr(); });
  }

 private:
  template <class Parse>
  Node* one_deeper(Parse parse) {
    if (depth_ >= NameBudget::deepest_nesting || !budget_.take()) return nullptr;
    ++depth_;
    Node* const node = parse();
    --depth_;
    return node;
  }

  NameBudget& budget_;
  int depth_ = 0;
};

/// Writes the name until the budget is spent. The name may be much longer than the tree of nodes,
/// because several nodes may contain the same node.
class Name : public llvm::itanium_demangle::OutputBuffer {
  using Base = llvm::itanium_demangle::OutputBuffer;

 public:
  explicit Name(NameBudget& budget) : budget_(budget) {}
  Name(const Name&) = delete;
  ~Name() override { std::free(getBuffer()); }

  void printLeft(const Node& node) override {
    one_deeper([&] { Base::printLeft(node); });
  }
  void printRight(const Node& node) override {
    one_deeper([&] { Base::printRight(node); });
  }
  bool is_whole() const { return is_whole_; }

 private:
  template <class Print>
  void one_deeper(Print print) {
    is_whole_ = is_whole_ && depth_ < NameBudget::deepest_nesting &&
                getCurrentPosition() <= NameBudget::longest_name && budget_.take();
    if (!is_whole_) return;
    ++depth_;
    print();
    --depth_;
  }

  NameBudget& budget_;
  int depth_ = 0;
  bool is_whole_ = true;
};

}  // namespace

std::string demangled(const std::string& symbol, NameBudget& budget) {
  if (!symbol.starts_with("_Z") || symbol.size() > NameBudget::longest_symbol ||
      !budget.take(symbol.size() / 8))
    return symbol;
  Parser parser(symbol, budget);
  const Node* const node = parser.parse();
  if (node == nullptr) return symbol;
  Name name(budget);
  node->print(name);
  return name.is_whole() ? std::string(std::string_view(name)) : symbol;
}

}  // namespace heddle::runtime
