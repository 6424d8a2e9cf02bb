#include "heddle/memory/conflict_reason.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "heddle/layout/solve.h"
#include "library/memory/axes_text.h"
#include "library/text/formatted.h"

namespace heddle::memory {
namespace {

/// An element of the tile by its coordinates, and the first byte of the word that it is in.
struct TileElement {
  layout::Coordinates at;
  std::int64_t byte = 0;
};

std::string listed(const std::vector<std::string>& items) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool last = i + 1 == items.size();
    if (items.size() > most && i >= most - 2 && !last) {
      if (i == most - 2) text += ", …";
      continue;
    }
    text += (i == 0 ? "" : last ? " and " : ", ") + items[i];
  }
  return text;
}

class Reasons {
 public:
  Reasons(int banks, int bank_bytes, const SharedLayout& shared, int element_bits)
      : banks_(banks), bank_bytes_(bank_bytes), shared_(shared), element_bits_(element_bits) {}

  /// The reason of the fullest bank of a phase that has extra passes.
  ConflictReason of(const IssuedAccess& access, const PhaseReport& phase) const {
    std::vector<TileElement> elements;
    for (const WantedWord& word : phase.words_of(phase.bank))
      elements.push_back(element_of(access, word));
    const std::vector<int> differing = differing_axes(elements);
    const std::string bank = formatted(" meet in bank {}", phase.bank);
    if (differing.size() != 1) return {tuples(elements) + bank, why_apart(elements), 1, 0};
    const int axis = differing.front();
    std::sort(elements.begin(), elements.end(), [&](const TileElement& a, const TileElement& b) {
      return a.at[axis].value < b.at[axis].value;
    });
    return {along(elements, axis) + bank, why_along(elements, axis), 1, 0};
  }

 private:
  /// The element at the beginning of the word, as the word's lowest lane moves it.
  TileElement element_of(const IssuedAccess& access, const WantedWord& word) const {
    const auto lane = static_cast<std::size_t>(std::countr_zero(word.lanes));
    const std::uint32_t first = access.address[lane];
    const std::uint64_t further = word.address > first ? word.address - first : 0;
    const std::uint64_t offset =
        access.offset[lane] + further * 8 / static_cast<unsigned>(element_bits_);
    const layout::AxisList& axes = shared_.map.outputs();
    return {axes.unpack(shared_.map.apply(input_of(offset))), word.address};
  }

  /// The flat input of the map for an offset in the memory of the first thread block.
  std::uint64_t input_of(std::uint64_t offset) const {
    const layout::AxisList& axes = shared_.map.inputs();
    return offset << axes.offset(axes.find("offset"));
  }

  std::int64_t byte_at(std::uint64_t offset) const {
    return static_cast<std::int64_t>(address_of(shared_, offset, element_bits_));
  }

  std::vector<int> differing_axes(const std::vector<TileElement>& elements) const {
    std::vector<int> axes;
    for (int axis = 0; axis < shared_.map.outputs().size(); ++axis)
      if (std::any_of(elements.begin(), elements.end(), [&](const TileElement& element) {
            return element.at[axis].value != elements.front().at[axis].value;
          }))
        axes.push_back(axis);
    return axes;
  }

  std::string axis_name(int axis) const {
    return std::string(shared_.map.outputs()[axis].name.text());
  }
  std::string banks_text() const { return formatted("all {} banks", banks_); }
  std::int64_t width() const { return std::int64_t{banks_} * bank_bytes_; }
  static std::string bytes_text(std::int64_t bytes) { return formatted("{} B", bytes); }

  /// A distance in words: "the width of all 32 banks", "3 times the 128 B of all 32 banks".
  std::string in_banks(std::int64_t distance) const {
    const std::int64_t times = distance / width();
    if (times == 1) return "the width of " + banks_text();
    return formatted("{} times the {} of {}", times, bytes_text(width()), banks_text());
  }

  /// The coordinates of some elements in words: "(m, k) = (0, 0) and (1, 8)".
  std::string tuples(const std::vector<TileElement>& elements) const {
    std::vector<std::string> items;
    for (const TileElement& element : elements) {
      std::string item;
      for (const layout::Coordinate& coordinate : element.at)
        item += formatted("{}{}", item.empty() ? "(" : ", ", coordinate.value);
      items.push_back(item + ")");
    }
    return "(" + axes_text(shared_.map.outputs()) + ") = " + listed(items);
  }

  std::string why_apart(const std::vector<TileElement>& elements) const {
    const std::int64_t distance = std::abs(elements[1].byte - elements[0].byte);
    return "the first two lie " + bytes_text(distance) + " apart, " + in_banks(distance);
  }

  /// Elements that differ along one axis only, in words: "m 0, 2, 4 and 6 (k 0)".
  std::string along(const std::vector<TileElement>& elements, int axis) const {
    std::vector<std::string> items;
    for (const TileElement& element : elements)
      items.push_back(formatted("{}", element.at[axis].value));
    std::string rest;
    for (int other = 0; other < shared_.map.outputs().size(); ++other)
      if (other != axis)
        rest += formatted("{}{} {}", rest.empty() ? " (" : ", ", axis_name(other),
                          elements.front().at[other].value);
    return axis_name(axis) + " " + listed(items) + rest + (rest.empty() ? "" : ")");
  }

  std::string steps_text(std::int64_t count, int axis) const {
    return formatted("{}{}{}", count, count == 1 ? " step of " : " steps of ", axis_name(axis));
  }

  std::string why_along(const std::vector<TileElement>& elements, int axis) const {
    const auto step = static_cast<std::int64_t>(elements[1].at[axis].value) -
                      static_cast<std::int64_t>(elements[0].at[axis].value);
    const std::int64_t distance = elements[1].byte - elements[0].byte;
    const auto pitch = pitch_of(axis);
    const std::int64_t period = pitch ? width() / std::gcd(*pitch, width()) : 0;
    if (pitch && *pitch * step == distance) {
      std::string why = "the pitch of " + axis_name(axis) + " is " + bytes_text(*pitch);
      if (period > 1)
        why += ", so " + steps_text(period, axis) + " are " + bytes_text(*pitch * period);
      return why + ", " + in_banks(*pitch * period);
    }
    return steps_text(step, axis) + (step == 1 ? " is " : " are ") +
           bytes_text(std::abs(distance)) + " here, " + in_banks(std::abs(distance)) +
           how_moved(elements[0].at[axis].value ^ elements[1].at[axis].value, axis);
  }

  /// The end of the sentence about elements that differ in `bits` of coordinate `axis`, which has
  /// no constant pitch: their distance includes padding, or these bits swizzle nothing within the
  /// width of the banks. Empty if neither is so.
  std::string how_moved(std::uint64_t bits, int axis) const {
    if (!shared_.padding.empty()) return ", the padding between them included";
    const layout::LinearLayout to_offset = layout::pseudo_inverse(shared_.map);
    const int first = shared_.map.outputs().offset(axis);
    const int shift = shared_.map.inputs().offset(shared_.map.inputs().find("offset"));
    const std::uint64_t moved = to_offset.apply(bits << first) >> shift;
    if (byte_at(moved) % width() != 0) return "";
    std::vector<std::string> which;
    for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1)
      which.push_back(formatted("{}", std::countr_zero(rest)));
    const bool one = which.size() == 1;
    return std::string(", and ") + (one ? "bit " : "bits ") + listed(which) + " of " +
           axis_name(axis) + (one ? " swizzles" : " together swizzle") + " nothing below that";
  }

  /// The pitch of an axis: the distance in bytes from each coordinate to the next. An axis has a
  /// pitch only if this distance is the same everywhere, whatever the other coordinates are: then
  /// each bit of the axis moves separate bits of the offset, by the pitch times the value of the
  /// bit.
  std::optional<std::int64_t> pitch_of(int axis) const {
    const layout::LinearLayout to_offset = layout::pseudo_inverse(shared_.map);
    const int shift = shared_.map.inputs().offset(shared_.map.inputs().find("offset"));
    const int first = shared_.map.outputs().offset(axis);
    const int bits = shared_.map.outputs()[axis].bits;
    const std::int64_t pitch = byte_at(to_offset.basis(first) >> shift);
    for (int bit = first; bit < first + bits; ++bit) {
      const std::uint64_t moved = to_offset.basis(bit);
      if (byte_at(moved >> shift) != pitch << (bit - first)) return std::nullopt;
      for (int other = 0; other < to_offset.input_bits(); ++other)
        if (other != bit && (to_offset.basis(other) & moved) != 0) return std::nullopt;
    }
    return pitch;
  }

  int banks_;
  int bank_bytes_;
  const SharedLayout& shared_;
  int element_bits_;
};

}  // namespace

std::vector<ConflictReason> conflict_reasons(const BankModel& model, const SharedLayout& shared,
                                             const IssuedAccesses& issued,
                                             const std::vector<AccessReport>& reports) {
  std::vector<ConflictReason> found;
  for (std::size_t i = 0; i < issued.list.size(); ++i)
    for (const PhaseReport& phase : reports[i].phases) {
      if (phase.extra_passes() == 0) continue;
      const Reasons reasons(phase.banks, model.bank_bytes, shared, issued.element_bits);
      ConflictReason reason = reasons.of(issued.list[i], phase);
      auto same = std::find_if(found.begin(), found.end(), [&](const ConflictReason& other) {
        return other.why == reason.why;
      });
      if (same == found.end()) same = found.insert(found.end(), {reason.who, reason.why, 0, 0});
      ++same->phases;
      same->passes += phase.extra_passes();
    }
  std::sort(found.begin(), found.end(), [](const ConflictReason& a, const ConflictReason& b) {
    return a.passes != b.passes ? a.passes > b.passes : a.why < b.why;
  });
  return found;
}

}  // namespace heddle::memory
