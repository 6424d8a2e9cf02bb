#include "heddle/interop/ck_tile.h"

#include <array>
#include <bit>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "library/text/formatted.h"

namespace heddle::interop::ck_tile {
namespace detail {

using Word = std::uint64_t;

std::string pair_text(std::int64_t major, std::int64_t minor);

/// A run of neighbouring bits of one input axis. Either these bits give neighbouring bits of one
/// dimension, or none of them changes the element: indices that differ in them hold copies.
struct Run {
  int input;  // index of the axis in (register, lane, warp)
  int from;   // its lowest bit there
  int to;     // and in the flat word of the dimensions; -1 for copies
  int bits;
};

/// A run, and the major and minor number of the length that it has in the encoding.
struct Place {
  Run run;
  std::int64_t major, minor;
};

}  // namespace detail

const Numbers& lengths(const Encoding& encoding, std::int64_t major) {
  return major == 0 ? encoding.rs : encoding.hs[static_cast<std::size_t>(major - 1)];
}

namespace detail {

std::string pair_text(std::int64_t major, std::int64_t minor) {
  return formatted("({}, {})", major, minor);
}

}  // namespace detail

namespace detail {
namespace {

/// Builds the map of an encoding. A length is a factor of a dimension's size, or a number of
/// copies. The builder finds which bits of the dimensions each length has, and gives these bits to
/// the ids (P) and the values (Y) that count through the length.
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
                                      formatted("P{}", i), true))
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
          return formatted(
              "the length {} at {} is no power of two; a linear map has sizes that are", length,
              pair_text(static_cast<std::int64_t>(major), static_cast<std::int64_t>(minor)));
        first_[major][minor] = offset + bits;
        bits += std::countr_zero(static_cast<Word>(length));
        if (offset + bits > layout::max_bits) return "the dimensions have more than 64 bits";
      }
      if (major == 0) continue;
      outputs_.push_back({layout::AxisName(std::string_view(formatted("dim{}", major - 1))), bits});
      offset += bits;
    }
    return std::nullopt;
  }

  /// Appends the bases of the lengths that `majors` and `minors` name, the last length first.
  /// Lengths of copies have bases of 0.
  Reason count_through(std::vector<Word>& words, const Numbers& majors, const Numbers& minors,
                       const std::string& who, bool may_copy) {
    if (majors.size() != minors.size())
      return formatted("{} has {} major and {} minor numbers", who, majors.size(), minors.size());
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

}  // namespace
}  // namespace detail

std::expected<layout::LinearLayout, std::string> to_distributed(const Encoding& encoding) {
  return detail::Builder(encoding).build();
}

std::expected<Encoding, std::string> from_distributed(const layout::LinearLayout& map) {
  using detail::Run;
  using detail::Word;
  const std::array<layout::AxisName, 3> names{"register", "lane", "warp"};
  for (const layout::Axis& axis : map.inputs())
    if (axis.bits > 0 && axis.name != names[0] && axis.name != names[1] && axis.name != names[2])
      return std::unexpected("the map has an input axis '" + std::string(axis.name.text()) +
                             "'; an encoding has register, lane and warp");
  Word reached = 0;
  std::vector<Run> runs;
  for (int input = 0; input < 3; ++input) {
    const layout::AxisName& name = names[static_cast<std::size_t>(input)];
    const int axis = map.inputs().find(name);
    for (int bit = 0; axis >= 0 && bit < map.inputs()[axis].bits; ++bit) {
      const Word word = map.basis(map.inputs().offset(axis) + bit);
      const std::string which = formatted("{} bit {}", name.text(), bit);
      if (std::popcount(word) > 1)
        return std::unexpected(which +
                               " moves by more than one bit of the dimensions, as a "
                               "swizzle does; an encoding has no such");
      if (word == 0 && input == 0)
        return std::unexpected(which + " is a copy; in an encoding only lanes and warps are");
      if ((reached & word) != 0)
        return std::unexpected(which +
                               " moves by the same bit as another; copies have no bit in "
                               "an encoding");
      reached |= word;
      const int to = word == 0 ? -1 : std::countr_zero(word);
      const bool goes_on =
          !runs.empty() && runs.back().input == input &&
          (to < 0 ? runs.back().to < 0
                  : runs.back().to >= 0 && runs.back().to + runs.back().bits == to &&
                        map.outputs().axis_of_bit(to) == map.outputs().axis_of_bit(to - 1));
      if (goes_on) {
        ++runs.back().bits;
      } else {
        runs.push_back({input, bit, to, 1});
      }
    }
  }
  if (reached != layout::low_bits(map.output_bits()))
    return std::unexpected("some elements are in no register; an encoding gives each one a place");
  Encoding encoding;
  encoding.hs.resize(static_cast<std::size_t>(map.outputs().size()));
  std::vector<detail::Place> places;
  for (const Run& run : runs) {
    if (run.to >= 0) continue;
    places.push_back({run, 0, static_cast<std::int64_t>(encoding.rs.size())});
    encoding.rs.push_back(std::int64_t{1} << run.bits);
  }
  // Each run becomes a length of its dimension; the highest bits come first.
  for (int to = map.output_bits(); to-- > 0;) {
    for (const Run& run : runs) {
      if (run.to < 0 || run.to + run.bits - 1 != to) continue;
      const int dim = map.outputs().axis_of_bit(to);
      Numbers& parts = encoding.hs[static_cast<std::size_t>(dim)];
      places.push_back({run, dim + 1, static_cast<std::int64_t>(parts.size())});
      parts.push_back(std::int64_t{1} << run.bits);
    }
  }
  // The lengths that each input axis counts through, from its highest bit down.
  const auto list = [&](int input, Numbers& majors, Numbers& minors) {
    for (std::size_t i = runs.size(); i-- > 0;) {
      if (runs[i].input != input) continue;
      for (const detail::Place& place : places) {
        if (place.run.input != input || place.run.from != runs[i].from) continue;
        majors.push_back(place.major);
        minors.push_back(place.minor);
      }
    }
  };
  list(0, encoding.ys_major, encoding.ys_minor);
  for (std::size_t dim = 0; dim < encoding.hs.size(); ++dim) {
    if (!encoding.hs[dim].empty()) continue;  // of size 1: a value that is always 0
    encoding.hs[dim].push_back(1);
    encoding.ys_major.push_back(static_cast<std::int64_t>(dim) + 1);
    encoding.ys_minor.push_back(0);
  }
  const std::size_t ids = map.inputs().bits_of("warp") > 0 ? 2 : 1;
  encoding.ps_major.resize(ids);
  encoding.ps_minor.resize(ids);
  for (std::size_t id = 0; id < ids; ++id)
    list(static_cast<int>(ids - id), encoding.ps_major[id], encoding.ps_minor[id]);
  return encoding;
}

}  // namespace heddle::interop::ck_tile
