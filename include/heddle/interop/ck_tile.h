// Composable Kernel's tile distributions: tile_distribution_encoding, as C++ writes it.
//
//   tile_distribution_encoding<sequence<2>,                              R: lengths of copies
//                              tuple<sequence<16>, sequence<1, 1, 16>>,  H: each dimension X cut up
//                              tuple<sequence<0, 2, 1>>,                 P: what an id counts
//                              through, tuple<sequence<0, 1, 0>>,                    major and
//                              minor sequence<2, 2>,                           Y: what a thread's
//                              values sequence<0, 2>>                              count through
//
// is A of gfx11's WMMA. A pair (major, minor) names a length: major 0 one of R, major i one of the
// dimension i - 1. The lengths of a dimension multiply to its size, the last one fastest; likewise
// an id P counts through its lengths, the last one fastest, and the values of a thread through Y.
// With one P it is the lane; with two, the warp and the lane.
//
// Source: ROCm/composable_kernel, commit 8e22e1ae: include/ck_tile/core/tensor/
// tile_distribution_encoding.hpp and tile_distribution.hpp (unmerge of each X, merge of each P).
#pragma once

#include <bit>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "heddle/interop/text_scanner.h"
#include "heddle/layout/linear_layout.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::interop::ck_tile {

using Numbers = std::vector<std::int64_t>;

struct Encoding {
  Numbers rs;                               // lengths of copies
  std::vector<Numbers> hs;                  // lengths of each dimension
  std::vector<Numbers> ps_major, ps_minor;  // one list for each id
  Numbers ys_major, ys_minor;
  friend bool operator==(const Encoding&, const Encoding&) = default;
};

namespace detail {

using Word = std::uint64_t;

/// The lengths that a major number names.
const Numbers& lengths(const Encoding& encoding, std::int64_t major);

std::string pair_text(std::int64_t major, std::int64_t minor);

/// Finds the bits that each length has in the dimensions, and hands them to ids and values.
class Builder {
 public:
  explicit Builder(const Encoding& encoding) : encoding_(encoding) {}

  std::expected<layout::LinearLayout, std::string> build() {
    if (auto reason = place_lengths()) return std::unexpected(std::move(*reason));
    if (encoding_.ps_major.size() != encoding_.ps_minor.size() || encoding_.ps_major.size() > 2)
      return std::unexpected(
          "an encoding has one P, the lane, or two, the warp and the lane, with major and minor "
          "numbers each");
    std::vector<std::vector<Word>> ids(2);  // warp, lane
    const std::size_t first = 2 - encoding_.ps_major.size();
    for (std::size_t i = 0; i < encoding_.ps_major.size(); ++i)
      if (auto reason = count_through(ids[first + i], encoding_.ps_major[i], encoding_.ps_minor[i],
                                      "P" + std::to_string(i), true))
        return std::unexpected(std::move(*reason));
    std::vector<Word> values;
    if (auto reason = count_through(values, encoding_.ys_major, encoding_.ys_minor, "Y", false))
      return std::unexpected(std::move(*reason));
    for (std::size_t major = 0; major < used_.size(); ++major)
      for (std::size_t minor = 0; minor < used_[major].size(); ++minor)
        if (!used_[major][minor] && lengths(encoding_, static_cast<std::int64_t>(major))[minor] > 1)
          return std::unexpected(
              "the length " +
              pair_text(static_cast<std::int64_t>(major), static_cast<std::int64_t>(minor)) +
              " belongs to no P and no Y");
    layout::LinearLayout::Bases bases{};
    const layout::AxisList inputs{{"register", static_cast<int>(values.size())},
                                  {"lane", static_cast<int>(ids[1].size())},
                                  {"warp", static_cast<int>(ids[0].size())}};
    if (inputs.bits() > layout::max_bits)
      return std::unexpected("values, lanes and warps have more than 64 bits together");
    std::size_t next = 0;
    for (const auto* words : {&values, &ids[1], &ids[0]})
      for (const Word word : *words) bases[next++] = word;
    const auto map = layout::LinearLayout::from_words(inputs, outputs_, bases);
    if (!map) return std::unexpected(std::string(map.error().message().view()));
    return *map;
  }

 private:
  using Reason = std::optional<std::string>;

  Reason place_lengths() {
    if (encoding_.hs.size() > layout::max_axes) return "more than 8 dimensions";
    first_.resize(encoding_.hs.size() + 1);
    used_.resize(encoding_.hs.size() + 1);
    int offset = 0;
    for (std::size_t major = 0; major <= encoding_.hs.size(); ++major) {
      const Numbers& parts = lengths(encoding_, static_cast<std::int64_t>(major));
      first_[major].resize(parts.size());
      used_[major].resize(parts.size(), false);
      int bits = 0;
      for (std::size_t minor = parts.size(); minor-- > 0;) {
        const std::int64_t length = parts[minor];
        if (length < 1 || !std::has_single_bit(static_cast<Word>(length)))
          return "the length " + std::to_string(length) + " at " +
                 pair_text(static_cast<std::int64_t>(major), static_cast<std::int64_t>(minor)) +
                 " is no power of two; a linear map has sizes that are";
        first_[major][minor] = offset + bits;
        bits += std::countr_zero(static_cast<Word>(length));
        if (offset + bits > layout::max_bits) return "the dimensions have more than 64 bits";
      }
      if (major == 0) continue;
      outputs_.push_back(
          {layout::AxisName(std::string_view("dim" + std::to_string(major - 1))), bits});
      offset += bits;
    }
    return std::nullopt;
  }

  /// Appends the words of the lengths, the last one first. Copies have words of 0.
  Reason count_through(std::vector<Word>& words, const Numbers& majors, const Numbers& minors,
                       const std::string& who, bool may_copy) {
    if (majors.size() != minors.size())
      return who + " has " + std::to_string(majors.size()) + " major and " +
             std::to_string(minors.size()) + " minor numbers";
    for (std::size_t i = majors.size(); i-- > 0;) {
      const std::string which = who + " names " + pair_text(majors[i], minors[i]);
      const auto major = static_cast<std::size_t>(majors[i]);
      const auto minor = static_cast<std::size_t>(minors[i]);
      if (majors[i] < 0 || major >= used_.size() || minors[i] < 0 || minor >= used_[major].size())
        return which + ", which is no length of the encoding";
      if (major == 0 && !may_copy) return which + ", a copy; only a P counts through copies";
      if (used_[major][minor]) return which + ", which is counted through already";
      used_[major][minor] = true;
      const int bits = std::countr_zero(static_cast<Word>(lengths(encoding_, majors[i])[minor]));
      for (int bit = 0; bit < bits; ++bit)
        words.push_back(major == 0 ? 0 : Word{1} << (first_[major][minor] + bit));
    }
    return std::nullopt;
  }

  const Encoding& encoding_;
  layout::AxisList outputs_;
  std::vector<std::vector<int>> first_;  // the lowest bit of each length
  std::vector<std::vector<bool>> used_;
};

}  // namespace detail

/// The map (register, lane, warp) -> (dim0, dim1, …); copies are zero bases.
/// Errors: lengths that are no powers of two, a pair that names no length, a length that is counted
/// through twice or not at all, more than two P.
std::expected<layout::LinearLayout, std::string> to_distributed(const Encoding& encoding);

namespace detail {

/// A run of bits of one input axis that are neighbours in a dimension too, or are all copies.
struct Run {
  int input;  // index of the axis in (register, lane, warp)
  int from;   // its lowest bit there
  int to;     // and in the flat word of the dimensions; -1 for copies
  int bits;
};

/// The length of a run in the encoding, once it has one.
struct Place {
  Run run;
  std::int64_t major, minor;
};

}  // namespace detail

/// The encoding of a map with the inputs register, lane, warp (or some of them), with the fewest
/// lengths.
/// Law: to_distributed(from_distributed(m)) == m, up to the names of the outputs and the order of
/// the inputs. Errors: other inputs, a basis of several bits, two bases that are equal, an element
/// that nothing holds, copies in registers.
std::expected<Encoding, std::string> from_distributed(const layout::LinearLayout& map);

}  // namespace heddle::interop::ck_tile
