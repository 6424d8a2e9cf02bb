// Video instructions: arithmetic on bytes and halves of registers (PTX ISA 9.0, "Video
// Instructions").
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>

#include "emulator/ptx/elementwise.h"

namespace heddle::emulator::ptx {
namespace {

enum class Operation : uint8_t {
  add,
  subtract,
  average,
  difference,
  minimum,
  maximum,
  shift_left,
  shift_right,
  multiply_add,
  compare,
};
enum class Second : uint8_t { none, add, minimum, maximum, merge };
enum class Comparison : uint8_t { eq, ne, lt, le, gt, ge };

struct VideoForm {
  Operation operation = Operation::add;
  Second second = Second::none;
  Comparison comparison = Comparison::eq;
  bool a_signed = false, b_signed = false, d_signed = false;
  bool saturates = false, wraps = false, adds_one = false;
  uint8_t parts = 1;  // 1, 2 halves or 4 bytes
  uint8_t scale = 0;  // bits
  // For packed instructions: a_parts[i] says which byte or half is part i of the first source, and
  // b_parts[i] which one is part i of the second source. Numbers from 0 on mean the parts of a, the
  // following numbers the parts of b.
  std::array<uint8_t, 4> a_parts{}, b_parts{};
  uint8_t d_parts = 0;  // a bit for each part that is written
  // For scalar instructions: the first bit and the width of the part of a, b and d that is used.
  uint8_t a_bit = 0, a_width = 32, b_bit = 0, b_width = 32, d_bit = 0, d_width = 32;
};

int64_t part_of(uint64_t bits, unsigned first, unsigned width, bool is_signed) {
  const uint64_t mask = (uint64_t{1} << width) - 1, sign = uint64_t{1} << (width - 1);
  const uint64_t part = bits >> first & mask;
  return static_cast<int64_t>(is_signed ? (part ^ sign) - sign : part);
}

int64_t clamped(int64_t value, unsigned width, bool is_signed) {
  const int64_t least = is_signed ? -(int64_t{1} << (width - 1)) : 0;
  const int64_t most = (int64_t{1} << (is_signed ? width - 1 : width)) - 1;
  return std::clamp(value, least, most);
}

bool compares(Comparison how, int64_t a, int64_t b) {
  switch (how) {
    case Comparison::eq:
      return a == b;
    case Comparison::ne:
      return a != b;
    case Comparison::lt:
      return a < b;
    case Comparison::le:
      return a <= b;
    case Comparison::gt:
      return a > b;
    default:
      return a >= b;
  }
}

int64_t result_of(const VideoForm& form, int64_t a, int64_t b) {
  switch (form.operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::average:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Operation::difference:
      return a < b ? b - a : a - b;
    case Operation::minimum:
      return std::min(a, b);
    case Operation::maximum:
      return std::max(a, b);
    case Operation::shift_left:
    case Operation::shift_right: {
      const int64_t n = form.wraps ? b & 31 : std::min<int64_t>(b, 32);
      return form.operation == Operation::shift_right
                 ? a >> n
                 : static_cast<int64_t>(static_cast<uint64_t>(a) << n);
    }
    default:
      return compares(form.comparison, a, b);
  }
}

uint32_t second(const VideoForm& form, uint32_t value, uint32_t c) {
  const bool c_first =
      form.d_signed ? static_cast<int32_t>(c) < static_cast<int32_t>(value) : c < value;
  switch (form.second) {
    case Second::add:
      return value + c;
    case Second::minimum:
      return c_first ? c : value;
    case Second::maximum:
      return c_first ? value : c;
    case Second::merge: {
      const auto mask = static_cast<uint32_t>(((uint64_t{1} << form.d_width) - 1) << form.d_bit);
      return (c & ~mask) | (value << form.d_bit & mask);
    }
    default:
      return value;
  }
}

uint32_t multiply_add(const VideoForm& form, int64_t a, int64_t b, uint32_t c) {
  const bool is_signed = form.a_signed || form.b_signed;
  __int128 sum = static_cast<__int128>(a) * b;
  sum += is_signed ? int64_t{static_cast<int32_t>(c)} : int64_t{c};
  sum += form.adds_one;
  sum >>= form.scale;
  if (!form.saturates) return static_cast<uint32_t>(sum);
  const __int128 least = is_signed ? std::numeric_limits<int32_t>::min() : 0;
  const __int128 most = is_signed ? __int128{std::numeric_limits<int32_t>::max()}
                                  : __int128{std::numeric_limits<uint32_t>::max()};
  return static_cast<uint32_t>(sum < least ? least : sum > most ? most : sum);
}

// Operands: d, a, b, c.
void scalar(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const VideoForm*>(in.extra);
  for_lanes(lanes, [&](unsigned l) {
    const int64_t a =
        part_of(get<uint32_t>(w.at(in.operand[1]), l), form.a_bit, form.a_width, form.a_signed);
    const int64_t b =
        part_of(get<uint32_t>(w.at(in.operand[2]), l), form.b_bit, form.b_width, form.b_signed);
    const auto c = get<uint32_t>(w.at(in.operand[3]), l);
    if (form.operation == Operation::multiply_add)
      return put(w.at(in.operand[0]), l, multiply_add(form, a, b, c));
    int64_t value = result_of(form, a, b);
    if (form.saturates) value = clamped(value, form.d_width, form.d_signed);
    put(w.at(in.operand[0]), l, second(form, static_cast<uint32_t>(value), c));
  });
}

void of_parts(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const VideoForm*>(in.extra);
  const unsigned width = 32u / form.parts;
  const auto mask = static_cast<uint32_t>((uint64_t{1} << width) - 1);
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t both = uint64_t{get<uint32_t>(w.at(in.operand[2]), l)} << 32 |
                          get<uint32_t>(w.at(in.operand[1]), l);
    const auto c = get<uint32_t>(w.at(in.operand[3]), l);
    uint32_t result = c;
    for (unsigned i = 0; i < form.parts; ++i) {
      if ((form.d_parts >> i & 1) == 0) continue;
      int64_t value = result_of(form, part_of(both, form.a_parts[i] * width, width, form.a_signed),
                                part_of(both, form.b_parts[i] * width, width, form.b_signed));
      if (form.saturates) value = clamped(value, width, form.d_signed);
      if (form.second == Second::add)
        result += static_cast<uint32_t>(value);
      else
        result = (result & ~(mask << i * width)) | (static_cast<uint32_t>(value) & mask)
                                                       << i * width;
    }
    put(w.at(in.operand[0]), l, result);
  });
}

// The digits of a selector such as .b3210, beginning with the last; nothing if it is not such a
// selector.
std::optional<std::vector<uint8_t>> digits_of(std::string_view selector, char letter,
                                              uint8_t most) {
  if (selector.size() < 2 || selector[0] != letter) return {};
  std::vector<uint8_t> digits;
  for (std::size_t i = selector.size() - 1; i > 0; --i) {
    const auto digit = static_cast<uint8_t>(selector[i] - '0');
    if (digit > most) return {};
    digits.push_back(digit);
  }
  return digits;
}

// Sets the first bit and the width from the selector of a scalar operand: .b0 to .b3, .h0 or .h1.
void choose_part(const Decoder& d, const Operand& operand, uint8_t& bit, uint8_t& width) {
  if (operand.selector.empty()) return;
  const char letter = operand.selector[0];
  const auto digits = digits_of(operand.selector, letter, letter == 'b' ? 3 : 1);
  if (!digits || digits->size() != 1 || (letter != 'b' && letter != 'h'))
    d.bad(operand, "one of .b0 to .b3, .h0 and .h1 is expected here");
  width = letter == 'b' ? 8 : 16;
  bit = static_cast<uint8_t>((*digits)[0] * width);
}

void choose_parts(const Decoder& d, const VideoForm& form, const Operand& operand,
                  std::array<uint8_t, 4>& parts, uint8_t first) {
  for (uint8_t i = 0; i < form.parts; ++i) parts[i] = static_cast<uint8_t>(first + i);
  if (operand.selector.empty()) return;
  const auto digits = digits_of(operand.selector, form.parts == 2 ? 'h' : 'b',
                                static_cast<uint8_t>(2 * form.parts - 1));
  if (!digits || digits->size() != form.parts)
    d.bad(operand, form.parts == 2 ? "a selector such as .h10 is expected here"
                                   : "a selector such as .b3210 is expected here");
  std::ranges::copy(*digits, parts.begin());
}

bool video(Decoder& d, Operation operation, uint8_t parts) {
  VideoForm form;
  form.operation = operation;
  form.parts = parts;
  const bool is_comparison = operation == Operation::compare;
  std::size_t next = 0;
  const auto is_signed = [&] { return d.type(next++) == Type::s32; };
  form.d_signed = !is_comparison && is_signed();
  form.a_signed = is_signed();
  form.b_signed = is_signed();
  for (std::size_t i = 0; i < next; ++i)
    if (d.type(i) != Type::s32 && d.type(i) != Type::u32) return false;
  if (is_comparison) {
    constexpr std::string_view names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const auto* const found = std::ranges::find_if(names, [&](auto name) { return d.has(name); });
    if (found == std::end(names)) return false;
    form.comparison = static_cast<Comparison>(found - names);
  } else {
    form.saturates = d.has("sat");
  }
  if (operation == Operation::shift_left || operation == Operation::shift_right) {
    form.wraps = d.has("wrap");
    if (!form.wraps && !d.has("clamp")) return false;
  }
  if (operation == Operation::multiply_add) {
    form.adds_one = d.has("po");
    form.scale = d.has("shr7") ? 7 : d.has("shr15") ? 15 : 0;
  } else if (d.has("add")) {
    form.second = Second::add;
  } else if (parts == 1) {
    form.second = d.has("min") ? Second::minimum : d.has("max") ? Second::maximum : Second::none;
  }
  std::array<Operand, 4> operands;
  const std::size_t count = std::min<std::size_t>(d.operands(), 4);
  for (std::size_t i = 0; i < count; ++i) operands[i] = d.operand(i);
  if (parts == 1) {
    choose_part(d, operands[0], form.d_bit, form.d_width);
    choose_part(d, operands[1], form.a_bit, form.a_width);
    choose_part(d, operands[2], form.b_bit, form.b_width);
    if (!operands[0].selector.empty()) form.second = Second::merge;
  } else {
    choose_parts(d, form, operands[1], form.a_parts, 0);
    choose_parts(d, form, operands[2], form.b_parts, parts);
    form.d_parts = static_cast<uint8_t>((1u << parts) - 1);
    if (!operands[0].selector.empty()) {
      const auto digits =
          digits_of(operands[0].selector, parts == 2 ? 'h' : 'b', static_cast<uint8_t>(parts - 1));
      if (!digits) d.bad(operands[0], "a selector such as .h1 or .b20 is expected here");
      form.d_parts = 0;
      for (const uint8_t digit : *digits) form.d_parts |= static_cast<uint8_t>(1u << digit);
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    if (i < 3) operands[i].selector = {};
  const bool has_c =
      parts > 1 || operation == Operation::multiply_add || form.second != Second::none;
  if (d.operands() != (has_c ? 4u : 3u)) d.bad("wrong number of operands");
  if (parts > 1) d.record().flow = Flow::exact;
  d.record().extra = d.keep(form);
  d.record().handler = parts == 1 ? scalar : of_parts;
  d.set_operands({d.destination(operands[0], Type::b32), d.source(operands[1], Type::b32),
                  d.source(operands[2], Type::b32),
                  has_c ? d.source(operands[3], Type::b32) : d.constant(0)});
  return true;
}
template <Operation operation, uint8_t parts>
bool video_of(Decoder& d) {
  return video(d, operation, parts);
}

constexpr DecodeRow video_table[] = {
    {"vadd", video_of<Operation::add, 1>},
    {"vsub", video_of<Operation::subtract, 1>},
    {"vabsdiff", video_of<Operation::difference, 1>},
    {"vmin", video_of<Operation::minimum, 1>},
    {"vmax", video_of<Operation::maximum, 1>},
    {"vshl", video_of<Operation::shift_left, 1>},
    {"vshr", video_of<Operation::shift_right, 1>},
    {"vmad", video_of<Operation::multiply_add, 1>},
    {"vset", video_of<Operation::compare, 1>},
    {"vadd2", video_of<Operation::add, 2>},
    {"vsub2", video_of<Operation::subtract, 2>},
    {"vavrg2", video_of<Operation::average, 2>},
    {"vabsdiff2", video_of<Operation::difference, 2>},
    {"vmin2", video_of<Operation::minimum, 2>},
    {"vmax2", video_of<Operation::maximum, 2>},
    {"vset2", video_of<Operation::compare, 2>},
    {"vadd4", video_of<Operation::add, 4>},
    {"vsub4", video_of<Operation::subtract, 4>},
    {"vavrg4", video_of<Operation::average, 4>},
    {"vabsdiff4", video_of<Operation::difference, 4>},
    {"vmin4", video_of<Operation::minimum, 4>},
    {"vmax4", video_of<Operation::maximum, 4>},
    {"vset4", video_of<Operation::compare, 4>},
};

}  // namespace

std::span<const DecodeRow> video_rows() { return video_table; }

}  // namespace heddle::emulator::ptx
