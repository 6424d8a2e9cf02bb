#include "compiler/reader/element_steps.h"

#include <bit>

#include "llvm/ADT/Hashing.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

std::size_t hash_of(const Node& node) {
  return llvm::hash_combine(static_cast<int>(node.step), static_cast<int>(node.type),
                            node.operands[0], node.operands[1], node.operands[2], node.index,
                            std::bit_cast<std::uint64_t>(node.constant));
}

std::size_t hash_of(const Leaf& leaf) {
  llvm::hash_code hash = llvm::hash_combine(leaf.source, leaf.is_mask, leaf.bounds.size());
  for (const Index& dim : leaf.dims) {
    hash = llvm::hash_combine(hash, dim.constant);
    for (const Index::Term& term : dim.terms)
      hash = llvm::hash_combine(hash, term.coordinate, term.factor);
  }
  return hash;
}

// An integer plus or minus 0, such as a zero point. Without that step a narrower number may
// remain, which matrix instructions multiply.
bool adds_zero(const Node& node, const std::vector<Node>& nodes) {
  if (!instruction::is_integer(node.type) ||
      (node.step != Step::add && node.step != Step::subtract))
    return false;
  const Node& other = nodes[static_cast<std::size_t>(node.operands[1])];
  return other.step == Step::constant && other.constant == 0;
}

// The step with operand i replaced by `moved[i]`.
Node with_operands(Node node, const std::vector<int>& moved) {
  for (int i = 0; i < operand_count(node.step); ++i) {
    int& operand = node.operands[static_cast<std::size_t>(i)];
    operand = moved[static_cast<std::size_t>(operand)];
  }
  return node;
}

}  // namespace

ElementSteps::ElementSteps(Element& into) : into_(into) {
  widen(nodes_, into.nodes);
  widen(leaves_, into.leaves);
}

// Makes room for twice as many as there are. Of equal ones, which nothing adds but a change in
// place makes, the table has the first.
template <typename T>
void ElementSteps::widen(Table& table, const std::vector<T>& all) {
  table.slots.assign(std::bit_ceil(std::max<std::size_t>(16, 4 * all.size())), -1);
  const std::size_t mask = table.slots.size() - 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t slot = hash_of(all[i]) & mask;
    while (table.slots[slot] >= 0) slot = (slot + 1) & mask;
    table.slots[slot] = static_cast<int>(i);
  }
  table.count = all.size();
}

// Where `one` is among `all`, to which it is added if it is not there.
template <typename T>
int ElementSteps::place_in(Table& table, std::vector<T>& all, const T& one) {
  if (table.count != all.size() || 2 * table.count >= table.slots.size()) widen(table, all);
  const std::size_t mask = table.slots.size() - 1;
  std::size_t slot = hash_of(one) & mask;
  for (; table.slots[slot] >= 0; slot = (slot + 1) & mask)
    if (all[static_cast<std::size_t>(table.slots[slot])] == one) return table.slots[slot];
  table.slots[slot] = static_cast<int>(all.size());
  all.push_back(one);
  ++table.count;
  return table.slots[slot];
}

int ElementSteps::add(const Node& node) {
  if (adds_zero(node, into_.nodes)) return node.operands[0];
  return place_in(nodes_, into_.nodes, node);
}

int ElementSteps::add_leaf(const Leaf& leaf, ElementType type) {
  return add({Step::input, type, {}, place_in(leaves_, into_.leaves, leaf)});
}

int ElementSteps::add_all(const Element& other,
                          llvm::function_ref<int(const Leaf&, ElementType)> read) {
  std::vector<int> moved;
  moved.reserve(other.nodes.size());
  for (const Node& node : other.nodes) {
    const bool is_leaf = node.step == Step::input;
    moved.push_back(is_leaf ? read(other.leaves[static_cast<std::size_t>(node.index)], node.type)
                            : add(with_operands(node, moved)));
  }
  return moved.back();
}

int ElementSteps::add_all(const Element& other) {
  return add_all(other, [&](const Leaf& leaf, ElementType type) { return add_leaf(leaf, type); });
}

int Element::add(const Node& node) {
  if (adds_zero(node, nodes)) return node.operands[0];
  const auto known = std::ranges::find(nodes, node);
  const auto index = static_cast<int>(known - nodes.begin());
  if (known == nodes.end()) nodes.push_back(node);
  return index;
}

int Element::add_leaf(const Leaf& leaf, ElementType type) {
  auto known = std::ranges::find(leaves, leaf);
  const auto index = static_cast<int>(known - leaves.begin());
  if (known == leaves.end()) leaves.push_back(leaf);
  return add({Step::input, type, {}, index});
}

int Element::add_all(const Element& other, llvm::function_ref<int(const Leaf&, ElementType)> read) {
  return ElementSteps(*this).add_all(other, read);
}

int Element::add_all(const Element& other, const std::vector<Index>& places) {
  ElementSteps steps(*this);
  return steps.add_all(other, [&](const Leaf& leaf, ElementType type) {
    const auto change = [&](const Index& index) { return index.at(places); };
    return steps.add_leaf(leaf.moved(change), type);
  });
}

Element Element::at(const std::vector<Index>& places) const {
  Element moved;
  if (is_written()) moved.add_all(*this, places);
  return moved;
}

Element Element::with(int coordinate, const Index& place) const {
  Element moved;
  if (!is_written()) return moved;
  ElementSteps steps(moved);
  steps.add_all(*this, [&](const Leaf& leaf, ElementType type) {
    const auto change = [&](const Index& index) { return index.with(coordinate, place); };
    return steps.add_leaf(leaf.moved(change), type);
  });
  return moved;
}

Element Element::part(int root) const {
  std::vector<bool> needed(nodes.size());
  needed[static_cast<std::size_t>(root)] = true;
  for (int at = root; at >= 0; --at) {
    const Node& node = nodes[static_cast<std::size_t>(at)];
    for (int i = 0; needed[static_cast<std::size_t>(at)] && i < operand_count(node.step); ++i)
      needed[static_cast<std::size_t>(node.operands[static_cast<std::size_t>(i)])] = true;
  }
  Element result;
  ElementSteps steps(result);
  std::vector<int> moved(nodes.size());
  for (std::size_t at = 0; at <= static_cast<std::size_t>(root); ++at) {
    if (!needed[at]) continue;
    const Node& node = nodes[at];
    moved[at] = node.step == Step::input
                    ? steps.add_leaf(leaves[static_cast<std::size_t>(node.index)], node.type)
                    : steps.add(with_operands(node, moved));
  }
  return result;
}

}  // namespace heddle::compiler
