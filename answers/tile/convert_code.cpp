#include "answers/tile/convert_code.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "answers/layout/layout_code.h"
#include "heddle/layout/algebra.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using layout::LinearLayout;

/// The function `convert` of one plan.
class ConvertFunction {
 public:
  ConvertFunction(const plan::Conversion& conversion, const LinearLayout& from,
                  const LinearLayout& to, int element_bits, bool is_cuda)
      : conversion_(conversion),
        from_(plan::detail::with_all_axes(from)),
        to_(plan::detail::with_all_axes(to)),
        bits_(element_bits),
        is_cuda_(is_cuda) {}

  /// The text of the function that converts, preceded by the integer functions that it calls.
  std::expected<std::string, std::string> text() {
    const plan::ConversionWay& way = conversion_.chosen;
    if (way.swaps) {
      if (is_cuda_)
        return std::unexpected(
            "this way swaps registers and lanes, which CUDA has no function for; "
            "--code hip writes it");
      swap(*way.swaps);
    } else if (way.exchange) {
      exchange(*way.exchange);
    } else if (way.buffer) {
      if (auto wrong = through_memory(*way.buffer); !wrong.empty()) return std::unexpected(wrong);
    } else {
      for (std::uint64_t reg = 0; reg < count(to_); ++reg)
        line(formatted(
            "destination[{}] = source[{}];", reg,
            conversion_.source.outputs().coordinate(
                conversion_.source.apply(reg), conversion_.source.outputs().find("register"))));
    }
    const std::string type = formatted("unsigned {}", bits_ == 64   ? "long long"
                                                      : bits_ == 32 ? "int"
                                                      : bits_ == 16 ? "short"
                                                                    : "char");
    std::string parameters =
        formatted("const {0} (&source)[{1}], {0} (&destination)[{2}], int lane", type, count(from_),
                  count(to_));
    if (way.buffer)
      parameters += formatted(", int warp, {}* shared", type);
    else
      parameters += ", int = 0";  // the warp, which does not matter
    std::string says = formatted("// Through {}; elements have {} bits.",
                                 plan::name(conversion_.chosen.way), bits_);
    if (way.way == plan::Way::nothing) says = "// Nothing moves.";
    if (way.buffer) says += formatted(" `shared` has {} bytes.", way.shared_bytes);
    return formatted("{}{}\n__device__ inline void convert({}) {{\n{}}}\n", functions_, says,
                     parameters, body_);
  }

 private:
  static std::uint64_t count(const LinearLayout& map) { return map.input_size("register"); }
  void line(std::string_view text) { body_ += formatted("  {}\n", text); }

  /// C code that computes bit `bit` of the map's value for `lane`. Only the lowest bit of what the
  /// code computes is valid. Empty if the bit is 0 for all lanes.
  static std::string bit_of_lane(const LinearLayout& map, int bit) {
    std::string text;
    for (int of = 0; of < map.input_bits(); ++of)
      if ((map.basis(of) >> bit & 1) != 0)
        text += formatted("{}lane >> {}", text.empty() ? "" : " ^ ", of);
    return text;
  }

  /// Writes code that permutes the array `name` of `size` elements: afterwards element r has the
  /// value that element r ^ map(lane) had before.
  void rename(std::string_view name, std::uint64_t size, const LinearLayout& map) {
    for (int bit = 0; size >> bit > 1; ++bit) {
      const std::string condition = bit_of_lane(map, bit);
      if (condition.empty()) continue;
      line("#pragma unroll");
      line(formatted("for (int r = 0; r < {}; ++r) {{", size));
      line(formatted("  if ((r & {}) != 0) continue;", 1 << bit));
      line(formatted("  const auto low = {0}[r], high = {0}[r | {1}];", name, 1 << bit));
      line(formatted("  {}[r] = (({}) & 1) != 0 ? high : low;", name, condition));
      line(formatted("  {}[r | {}] = (({}) & 1) != 0 ? low : high;", name, 1 << bit, condition));
      line("}");
    }
  }

  std::string shuffled(std::string_view value, std::string_view lane) const {
    return is_cuda_ ? formatted("__shfl_sync(0xffffffffu, {}, {})", value, lane)
                    : formatted("__shfl({}, {})", value, lane);
  }

  /// Code that shifts an element to its bits in a word of several elements, or from these bits back
  /// to bit 0. Empty for element 0, which is not shifted.
  std::string shift(std::string_view operation, std::size_t number) const {
    return number == 0 ? "" : formatted(" {} {}", operation, static_cast<int>(number) * bits_);
  }

  /// The registers that move together: the xor of every subset of `steps`.
  static std::vector<std::uint64_t> sums(const std::vector<std::uint64_t>& steps) {
    std::vector<std::uint64_t> all{0};
    for (const std::uint64_t step : steps)
      for (std::size_t i = 0, known = all.size(); i < known; ++i) all.push_back(all[i] ^ step);
    return all;
  }

  void swap(const plan::LaneSwaps& plan) {
    const int words = static_cast<int>(count(from_)) * bits_ / 32;
    const int in_word = std::max(1, 32 / bits_), of_element = std::max(1, bits_ / 32);
    line(formatted("unsigned int held[{}];", words));
    for (int word = 0; word < words; ++word) {
      std::string packed;
      for (int i = 0; i < in_word; ++i)
        packed +=
            formatted("{}static_cast<unsigned int>(source[{}]{}){}", i == 0 ? "" : " | ",
                      (word * in_word + i) / of_element, word % of_element == 0 ? "" : " >> 32",
                      shift("<<", static_cast<std::size_t>(i)));
      line(formatted("held[{}] = {};", word, packed));
    }
    for (const plan::LaneSwap& stage : plan.stages) {
      const int step = (1 << stage.register_bit) * bits_ / 32;
      line("#pragma unroll");
      line(formatted("for (int r = 0; r < {}; ++r) {{", words));
      line(formatted("  if ((r & {}) != 0) continue;", step));
      line(
          formatted("  const auto swapped = __builtin_amdgcn_permlane{}_swap(held[r], held[r | "
                    "{}], false, false);",
                    1 << stage.lane_bit, step));
      line(formatted("  held[r] = swapped[0], held[r | {}] = swapped[1];", step));
      line("}");
    }
    for (std::uint64_t reg = 0; reg < count(to_); ++reg) {
      const auto name = static_cast<int>(plan.names.apply(reg));
      const int word = name * bits_ / 32;
      line(of_element == 2 ? formatted("destination[{}] = held[{}] | static_cast<unsigned long "
                                       "long>(held[{}]) << 32;",
                                       reg, word, word + 1)
                           : formatted("destination[{}] = held[{}]{};", reg, word,
                                       shift(">>", static_cast<std::size_t>(name % in_word))));
    }
  }

  void exchange(const plan::LaneExchange& plan) {
    const std::string word = bits_ == 64 ? "unsigned long long" : "unsigned int";
    line(formatted("{} held[{}];", word, count(from_)));
    line(formatted("for (int r = 0; r < {}; ++r) held[r] = source[r];", count(from_)));
    rename("held", count(from_), plan.before);
    std::string sender;
    for (int bit = 0; bit < plan.lanes.output_bits(); ++bit) {
      const std::string term = bit_of_lane(plan.lanes, bit);
      if (!term.empty())
        sender += formatted("{}(({}) & 1) << {}", sender.empty() ? "" : " | ", term, bit);
    }
    const bool keeps = plan.keeps_lanes();
    if (!keeps && plan.shuffled() > 0)
      line(formatted("const int sender = {};", sender.empty() ? "0" : sender));
    const std::vector<std::uint64_t> to = sums(plan.packed_to), from = sums(plan.packed_from);
    std::vector<bool> is_received(count(to_));
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
      const plan::ExchangeRound& one = plan.rounds[round];
      for (const std::uint64_t step : to) is_received[one.to_register ^ step] = true;
      if (one.stays) {
        for (std::size_t i = 0; i < to.size(); ++i)
          line(formatted("destination[{}] = held[{}];", one.to_register ^ to[i],
                         one.from_register ^ from[i]));
        continue;
      }
      std::string packed;
      for (std::size_t i = 0; i < from.size(); ++i)
        packed += formatted("{}held[{}]{}", i == 0 ? "" : " | ", one.from_register ^ from[i],
                            shift("<<", i));
      const std::string from_lane =
          formatted("{}{}", keeps ? "lane" : "sender",
                    one.lane_xor == 0 ? std::string() : formatted(" ^ {}", one.lane_xor));
      line(formatted("const {} word{} = {};", word, round, shuffled(packed, from_lane)));
      for (std::size_t i = 0; i < to.size(); ++i)
        line(formatted("destination[{}] = word{}{};", one.to_register ^ to[i], round,
                       shift(">>", i)));
    }
    for (const std::uint64_t step : plan.copies)
      for (std::uint64_t reg = 0; reg < count(to_); ++reg)
        if (!is_received[reg] && is_received[reg ^ step]) {
          line(formatted("destination[{}] = destination[{}];", reg, reg ^ step));
          is_received[reg] = true;
        }
    rename("destination", count(to_), plan.after);
  }

  /// Writes the conversion through shared memory. Returns an error message, or an empty string if
  /// the conversion can be written.
  std::string through_memory(const plan::SharedExchange& buffer) {
    const LinearLayout to_offset = layout::invert(buffer.placement.shared.map).value();
    const std::uint64_t parts = buffer.parts.output_size("part");
    std::string wrong;
    // Adds a function `name` that computes `map`, and returns its call for register r.
    const auto call = [&](const LinearLayout& map, const std::string& name, std::string_view says) {
      const auto text = map_code(map, name, says, "hip");
      if (!text) wrong = text.error();
      functions_ += text.value_or("");
      std::string arguments;
      for (const layout::Axis& axis : map.inputs())
        if (axis.bits > 0)
          arguments += formatted("{}{}", arguments.empty() ? "" : ", ",
                                 axis.name == "register" ? "r" : axis.name.text());
      return formatted("{}({})", name, arguments);
    };
    const auto loop = [&](const std::string& name, const LinearLayout& map, std::string_view says,
                          std::string_view move) {
      const LinearLayout own =
          layout::sublayout(map, {"register", "lane", "warp"}, layout::names_of(map.outputs()))
              .value();
      const LinearLayout located = layout::compose(own, buffer.parts).value();
      const auto part_of = [&](std::initializer_list<layout::AxisName> outputs) {
        return layout::sublayout(located, {"register", "lane", "warp"}, outputs).value();
      };
      const std::string offset =
          call(layout::compose(part_of({"element"}), to_offset).value(), name + "_offset", says);
      const std::string condition =
          parts == 1 ? ""
                     : formatted("if ({} == part) ", call(part_of({"part"}), name + "_part",
                                                          "In which part of the tile that is."));
      line("#pragma unroll");
      line(formatted("for (int r = 0; r < {}; ++r) {{", count(map)));
      line(formatted("  const int at = {};", offset));
      std::string padded = "at";
      for (const memory::Padding& pad : buffer.placement.shared.padding)
        padded += formatted(" + at / {} * {}", pad.interval, pad.amount);
      line(formatted("  {}{}", condition, fmt::format(fmt::runtime(move), padded)));
      line("}");
    };
    if (parts > 1) line(formatted("for (int part = 0; part < {}; ++part) {{", parts));
    if (parts > 1) line("if (part != 0) __syncthreads();");
    loop("store", from_, "Where a register of the source goes, before padding.",
         "shared[{}] = source[r];");
    line("__syncthreads();");
    loop("load", to_, "Where a register of the destination comes from, before padding.",
         "destination[r] = shared[{}];");
    if (parts > 1) line("}");
    return wrong;
  }

  const plan::Conversion& conversion_;
  LinearLayout from_, to_;
  int bits_;
  bool is_cuda_;
  std::string functions_, body_;
};

}  // namespace

std::expected<std::string, std::string> conversion_code(const plan::Conversion& conversion,
                                                        const layout::LinearLayout& from,
                                                        const layout::LinearLayout& to,
                                                        int element_bits,
                                                        std::string_view language) {
  const layout::LinearLayout& all = conversion.source;
  const auto source =
      layout::sublayout(all, layout::names_of(all.inputs()), {"register", "lane", "warp"}).value();
  auto code =
      map_code(source, "source",
               "Where each register of the destination finds its element in the source.", language);
  if (!code || (language != "cuda" && language != "hip")) return code;
  const auto convert =
      ConvertFunction(conversion, from, to, element_bits, language == "cuda").text();
  if (!convert) return convert;
  return *code + *convert;
}

}  // namespace heddle::answers
