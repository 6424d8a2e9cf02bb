// Adds steps to a formula. Equal steps are one step, and equal leaves are one leaf; tables find
// them, so that a formula of n steps takes time in proportion to n.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/reader/element.h"

namespace heddle::compiler {

class ElementSteps {
 public:
  /// Adds to `into`. What others add to it meanwhile is found, too.
  explicit ElementSteps(Element& into);

  /// What the functions of Element with these names do.
  int add(const Node& node);
  int add_leaf(const Leaf& leaf, instruction::ElementType type);
  int add_all(const Element& other,
              llvm::function_ref<int(const Leaf&, instruction::ElementType)> read);
  /// Adds the steps of `other` as they are; returns its root.
  int add_all(const Element& other);

 private:
  // Positions by the hashes of what is there; -1: none. Their number is a power of two.
  struct Table {
    std::vector<int> slots = std::vector<int>(16, -1);
    std::size_t count = 0;
  };
  template <typename T>
  int place_in(Table& table, std::vector<T>& all, const T& one);
  template <typename T>
  void widen(Table& table, const std::vector<T>& all);

  Element& into_;
  Table nodes_, leaves_;
};

}  // namespace heddle::compiler
