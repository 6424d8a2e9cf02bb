#include "compiler/reader/factors.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace heddle::compiler {
namespace {

using instruction::ElementType;

// The factors of the product at step `root`: multiplications of the same type may be nested, and
// the operands of all of them that are not such multiplications themselves are returned. Empty if
// there are too many.
std::vector<int> multiplicands(const Element& body, int root) {
  const ElementType type = body.nodes[static_cast<std::size_t>(root)].type;
  std::vector<int> found, open{root};
  constexpr std::size_t most = 16;
  while (!open.empty() && found.size() + open.size() <= most) {
    const Node& node = body.nodes[static_cast<std::size_t>(open.back())];
    if (node.step == Step::multiply && node.type == type) {
      open.back() = node.operands[1];
      open.push_back(node.operands[0]);
    } else {
      found.push_back(open.back());
      open.pop_back();
    }
  }
  return open.empty() ? found : std::vector<int>();
}

// The coordinates on which a formula depends.
std::set<int> coordinates_of(const Element& element) {
  std::set<int> all;
  for (const Leaf& leaf : element.leaves)
    for (const Index& index : leaf.dims)
      for (const Index::Term& term : index.terms) all.insert(term.coordinate);
  return all;
}

}  // namespace

int in_two_factors(Element& body, int root) {
  std::vector<int> all = multiplicands(body, root);
  if (all.size() < 3) return root;
  std::vector<std::set<int>> along;
  for (const int step : all) along.push_back(coordinates_of(body.part(step)));
  std::array<std::size_t, 2> main{0, 0};
  for (std::size_t i = 1; i < all.size(); ++i)
    if (along[i].size() > along[main[0]].size()) main[0] = i;
  main[1] = main[0] == 0 ? 1 : 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i != main[0] && along[i].size() > along[main[1]].size()) main[1] = i;
  if (main[1] < main[0]) std::swap(main[0], main[1]);
  // If the text already multiplies two such products, they are used as they are.
  const Node product = body.nodes[static_cast<std::size_t>(root)];
  const std::size_t of_left = multiplicands(body, product.operands[0]).size();
  bool is_split = main[0] < of_left && main[1] >= of_left;
  for (std::size_t i = 0; i < all.size(); ++i)
    is_split = is_split && std::ranges::includes(along[main[i < of_left ? 0 : 1]], along[i]);
  if (is_split) return root;
  std::array<int, 2> factors{all[main[0]], all[main[1]]};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == main[0] || i == main[1]) continue;
    const auto is_along = [&](std::size_t side) {
      return std::ranges::includes(along[main[side]], along[i]);
    };
    if (!is_along(0) && !is_along(1)) return root;
    int& factor = factors[is_along(0) ? 0 : 1];
    factor = body.add({Step::multiply, product.type, {factor, all[i]}});
  }
  return body.add({Step::multiply, product.type, {factors[0], factors[1]}});
}

}  // namespace heddle::compiler
