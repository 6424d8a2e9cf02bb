// Finds the names that are most similar to a mistyped one, for suggestions in messages.
//
//     edit_distance("v_wmma_f32_16x16x16_f17", "v_wmma_f32_16x16x16_f16")     1: one letter
//     NearestNames nearest("registr");
//     for (const char* name : {"lane", "register", "warp"}) nearest.consider(name);
//     nearest.names()[0]                                                      "register"
//
// The caller decides whether the most similar name is similar enough to be shown.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace heddle::instruction {

inline constexpr std::size_t longest_compared_name = 127;

/// The Levenshtein distance: the smallest number of edits (insert, delete or replace one character)
/// that turn `a` into `b`. Only the first 127 characters of each name are compared.
constexpr int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, longest_compared_name);
  b = b.substr(0, longest_compared_name);
  std::array<int, longest_compared_name + 1> row{};  // distances from a prefix of a to those of b
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (char c : a) {
    int diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (c != b[j - 1]);
      diagonal = row[j];
      const int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = replaced < shorter ? replaced : shorter;
    }
  }
  return row[b.size()];
}

/// Collects up to three names, the most similar first. Missing names are empty.
class NearestNames {
 public:
  constexpr explicit NearestNames(std::string_view wanted) : wanted_(wanted) {}

  /// Considers one candidate. A name that was seen before is ignored. Of equally near names the
  /// earlier wins. `candidate` must outlive this object.
  constexpr void consider(std::string_view candidate) {
    consider(candidate, edit_distance(wanted_, candidate));
  }

  /// The same for a candidate whose distance is known.
  constexpr void consider(std::string_view candidate, int distance) {
    for (std::string_view name : names_) {
      if (name == candidate) return;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i].empty() && distances_[i] <= distance) continue;
      const std::string_view name = names_[i];
      const int its_distance = distances_[i];
      names_[i] = candidate;
      distances_[i] = distance;
      candidate = name;
      distance = its_distance;
      if (candidate.empty()) break;
    }
  }

  constexpr const std::array<std::string_view, 3>& names() const { return names_; }

 private:
  std::string_view wanted_;
  std::array<std::string_view, 3> names_{};
  std::array<int, 3> distances_{};
};

}  // namespace heddle::instruction
