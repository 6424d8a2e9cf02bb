#include "probe/relation.h"

#include <map>
#include <set>
#include <utility>

#include "heddle/instruction/fragment.h"
#include "library/text/formatted.h"

namespace heddle::probe {

using instruction::Operand;

namespace {

/// Gives values numbers in the order of their first appearance.
class Numbering {
 public:
  int of(int value) {
    if (value < 0) return -1;
    return numbers_.try_emplace(value, static_cast<int>(numbers_.size())).first->second;
  }
  std::vector<int> of(const std::vector<int>& values) {
    std::vector<int> result;
    result.reserve(values.size());
    for (const int value : values) result.push_back(of(value));
    return result;
  }

 private:
  std::map<int, int> numbers_;
};

}  // namespace

Labels numbered(const Labels& labels) {
  Numbering m, k, n;
  Labels result;
  result.a_m = m.of(labels.a_m);
  result.a_k = k.of(labels.a_k);
  result.b_k = k.of(labels.b_k);
  result.b_n = n.of(labels.b_n);
  result.d_m = m.of(labels.d_m);
  result.d_n = n.of(labels.d_n);
  result.index_m = m.of(labels.index_m);
  result.index_k = k.of(labels.index_k);
  return result;
}

Labels catalogue_labels(const instruction::Instruction& row, const Positions& a, const Positions& b,
                        Kept kept) {
  const auto fill = [&](const Positions& positions, std::vector<int>& first,
                        std::vector<int>& second) {
    for (int i = 0; i < positions.size(); ++i) {
      const Element element = positions.element(i, kept).value_or(Element{-1, -1});
      first.push_back(element.first);
      second.push_back(element.second);
    }
  };
  Labels labels;
  fill(a, labels.a_m, labels.a_k);
  fill(b, labels.b_k, labels.b_n);
  fill(Positions(row, Operand::d), labels.d_m, labels.d_n);
  if (!row.is_sparse()) return labels;
  // The instruction reads only those elements of B whose k the index keeps.
  const std::set<int> kept_k(labels.a_k.begin(), labels.a_k.end());
  for (std::size_t i = 0; i < labels.b_k.size(); ++i)
    if (!kept_k.contains(labels.b_k[i])) labels.b_k[i] = labels.b_n[i] = -1;
  const int group = instruction::k_per_group(row, instruction::isa_fragment(row, Operand::index));
  const int places = row.index.registers * row.wave * index_places_a_word;
  for (const IndexPlace& at : index_places(row)) {
    const auto size = static_cast<std::size_t>((at.selector + 1) * places);
    if (labels.index_m.size() < size) {
      labels.index_m.resize(size, -1);
      labels.index_k.resize(size, -1);
    }
    const auto i = static_cast<std::size_t>(at.selector * places +
                                            at.place.word * index_places_a_word + at.place.bit / 4);
    labels.index_m[i] = at.row;
    labels.index_k[i] = at.group * group + (kept == Kept::second_half ? group / 2 : 0);
  }
  return labels;
}

Relation::Classes::Classes(int size) {
  for (int i = 0; i < size; ++i) parents_.push_back(i);
}

int Relation::Classes::find(int member) {
  auto at = static_cast<std::size_t>(member);
  while (parents_[at] != static_cast<int>(at)) {
    const auto above = static_cast<std::size_t>(parents_[at]);
    parents_[at] = parents_[above];
    at = above;
  }
  return static_cast<int>(at);
}

void Relation::Classes::join(int one, int other) {
  parents_[static_cast<std::size_t>(find(other))] = find(one);
}

Relation::Relation(int a_places, int b_places, int d_places)
    : a_places_(a_places),
      b_places_(b_places),
      m_(a_places + d_places),
      k_(a_places + b_places),
      n_(b_places + d_places),
      lit_(static_cast<std::size_t>(a_places)),
      a_used_(static_cast<std::size_t>(a_places)),
      b_used_(static_cast<std::size_t>(b_places)),
      d_used_(static_cast<std::size_t>(d_places)) {}

void Relation::add(int a, int d, int b) {
  m_.join(a, a_places_ + d);
  k_.join(a, a_places_ + b);
  n_.join(b, b_places_ + d);
  ++lit_[static_cast<std::size_t>(a)];
  a_used_[static_cast<std::size_t>(a)] = 1;
  b_used_[static_cast<std::size_t>(b)] = 1;
  d_used_[static_cast<std::size_t>(d)] = 1;
}

std::expected<Labels, std::string> Relation::labels() {
  Labels labels;
  const auto label = [](Classes& classes, int offset, const std::vector<std::uint8_t>& used,
                        std::vector<int>& to) {
    for (std::size_t i = 0; i < used.size(); ++i)
      to.push_back(used[i] != 0 ? classes.find(offset + static_cast<int>(i)) : -1);
  };
  label(m_, 0, a_used_, labels.a_m);
  label(k_, 0, a_used_, labels.a_k);
  label(k_, a_places_, b_used_, labels.b_k);
  label(n_, 0, b_used_, labels.b_n);
  label(m_, a_places_, d_used_, labels.d_m);
  label(n_, b_places_, d_used_, labels.d_n);
  // A product has one place of A for each (m, k), one place of B for each (k, n), and so on, and
  // each place of A reaches its whole row of D. If not, places that do not belong together were
  // joined.
  const auto distinct = [](const std::vector<int>& first, const std::vector<int>& second) {
    std::set<std::pair<int, int>> seen;
    for (std::size_t i = 0; i < first.size(); ++i)
      if (first[i] >= 0 && !seen.insert({first[i], second[i]}).second) return false;
    return true;
  };
  if (!distinct(labels.a_m, labels.a_k)) return std::unexpected("two places of A act alike");
  if (!distinct(labels.b_k, labels.b_n)) return std::unexpected("two places of B act alike");
  if (!distinct(labels.d_m, labels.d_n)) return std::unexpected("two places of D act alike");
  std::map<int, int> columns;  // places of D in a row
  for (const int m : labels.d_m) ++columns[m];
  for (std::size_t a = 0; a < lit_.size(); ++a)
    if (a_used_[a] != 0 && lit_[a] != columns[labels.a_m[a]])
      return std::unexpected(formatted("place {} of A reaches a part of its row only", a));
  return numbered(labels);
}

}  // namespace heddle::probe
