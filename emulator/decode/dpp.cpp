#include "emulator/decode/dpp.h"

#include <array>
#include <string_view>

namespace heddle::emulator {
namespace {

constexpr int out_of_row = -1;

// One control of DPP. from(i, amount) returns which lane of its row (16 lanes) lane `i` of the row
// reads, or out_of_row. row_newbcast is CDNA's name for row_share.
struct Control {
  std::string_view name;
  int (*from)(int i, int amount);
};

int within(int i) { return i >= 0 && i < 16 ? i : out_of_row; }

constexpr Control controls[] = {
    {"row_shl", [](int i, int n) { return within(i + n); }},
    {"row_shr", [](int i, int n) { return within(i - n); }},
    {"row_ror", [](int i, int n) { return (i - n) & 15; }},
    {"row_mirror", [](int i, int) { return 15 - i; }},
    {"row_half_mirror", [](int i, int) { return i ^ 7; }},
    {"row_share", [](int, int n) { return n; }},
    {"row_newbcast", [](int, int n) { return n; }},
    {"row_xmask", [](int i, int n) { return i ^ n; }},
};

// CDNA's controls that cross rows of 16 lanes. from(i, …) returns which of the 64 lanes of the wave
// lane `i` reads, or out_of_row (AMD Instinct MI300 ISA, "DPP"; LLVM "AMDGPU Instruction
// Modifiers", dpp_ctrl). row_bcast:15 copies the last lane of each row to the next row;
// row_bcast:31 copies lane 31 to the last two rows. The first row, or the first two, read no lane.
constexpr Control wave_controls[] = {
    {"wave_shl", [](int i, int) { return i + 1 < 64 ? i + 1 : out_of_row; }},
    {"wave_shr", [](int i, int) { return i - 1; }},
    {"wave_rol", [](int i, int) { return (i + 1) & 63; }},
    {"wave_ror", [](int i, int) { return (i - 1) & 63; }},
    {"row_bcast", [](int i, int last) { return (i & ~last) == 0 ? out_of_row : (i & ~last) - 1; }},
};

int64_t number_of(const TextInstruction& text, std::string_view name, int64_t otherwise) {
  const TextModifier* modifier = text.find(name);
  int64_t value = otherwise;
  bool hexadecimal = false;
  if (modifier && !parse_integer(modifier->value, value, hexadecimal)) return otherwise;
  return value;
}

LaneSelection empty_selection() {
  LaneSelection selection{};
  selection.enabled = 0xffffffffu;
  return selection;
}

void select(LaneSelection& selection, int lane, int from) {
  selection.lane[lane] = static_cast<uint8_t>(from == out_of_row ? 0 : from);
  if (from != out_of_row) selection.in_range |= 1u << lane;
}

// The lanes that are enabled by both masks. row_mask has a bit for each row of 16 lanes, bank_mask
// a bit for each of the four groups of four lanes in a row.
uint32_t enabled_lanes(int64_t row_mask, int64_t bank_mask, int first_row) {
  uint32_t enabled = 0;
  for (int lane = 0; lane < 32; ++lane)
    if ((row_mask >> (first_row + lane / 16) & 1) && (bank_mask >> (lane / 4 % 4) & 1))
      enabled |= 1u << lane;
  return enabled;
}

}  // namespace

std::expected<std::optional<LaneSelection>, std::string> lane_selection(const TextInstruction& text,
                                                                        int first_row) {
  LaneSelection selection = empty_selection();
  selection.fetch_inactive = number_of(text, "fi", 0) != 0;
  if (const TextModifier* eight = text.find("dpp8")) {
    const std::vector<int64_t> from = parse_list(eight->value);
    if (from.size() != 8) return std::unexpected("dpp8:" + std::string(eight->value));
    for (int lane = 0; lane < 32; ++lane)
      select(selection, lane,
             (lane & ~7) | static_cast<int>(from[static_cast<std::size_t>(lane % 8)] & 7));
    selection.zero_when_invalid = true;
    return selection;
  }
  selection.zero_when_invalid = number_of(text, "bound_ctrl", 0) != 0;
  selection.enabled =
      enabled_lanes(number_of(text, "row_mask", 15), number_of(text, "bank_mask", 15), first_row);
  if (const TextModifier* quad = text.find("quad_perm")) {
    const std::vector<int64_t> from = parse_list(quad->value);
    if (from.size() != 4) return std::unexpected("quad_perm:" + std::string(quad->value));
    for (int lane = 0; lane < 32; ++lane)
      select(selection, lane,
             (lane & ~3) | static_cast<int>(from[static_cast<std::size_t>(lane % 4)] & 3));
    return selection;
  }
  for (const Control& control : wave_controls) {
    if (!text.find(control.name)) continue;
    const int amount = static_cast<int>(number_of(text, control.name, 1) & 31);
    for (int lane = 0; lane < 32; ++lane) {
      const int here = 16 * first_row, from = control.from(here + lane, amount);
      select(selection, lane, from == out_of_row ? out_of_row : from ^ here);
      selection.crosses |= selection.lane[lane] >= 32;
    }
    return selection;
  }
  for (const Control& control : controls) {
    if (!text.find(control.name)) continue;
    const int amount = static_cast<int>(number_of(text, control.name, 0) & 15);
    for (int lane = 0; lane < 32; ++lane) {
      const int from = control.from(lane % 16, amount);
      select(selection, lane, from == out_of_row ? out_of_row : (lane & 16) | from);
    }
    return selection;
  }
  return std::nullopt;
}

}  // namespace heddle::emulator
