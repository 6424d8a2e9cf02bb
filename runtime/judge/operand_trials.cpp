#include "runtime/judge/operand_trials.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/record/operand_trial.h"
#include "heddle/instruction/shared_operand.h"
#include "library/text/formatted.h"
#include "runtime/judge/explanation.h"

namespace heddle::runtime {
namespace {

using emulator::DescribedOperand;
using emulator::OperandTrial;
using emulator::ScaleOperand;
using instruction::MatrixDescriptor;

constexpr std::uint32_t sixteen = 16;            // bytes: what descriptors count
constexpr std::uint32_t address_mask = 0x3ffff;  // of bytes that a field can say

/// Of A, of B, or of both.
enum class Which : std::uint8_t { both, a, b };
constexpr std::array all_of_them{Which::a, Which::b, Which::both};

bool is_of(Which which, bool is_b) { return which == Which::both || (which == Which::b) == is_b; }

const char* name_of(Which which) {
  return which == Which::both ? "A and of B" : which == Which::a ? "A" : "B";
}

// --- what the instructions were told -------------------------------------------------------------

/// The distances in bytes between the start addresses of consecutive operands of one warp, and the
/// number of times that each distance occurs.
using Steps = std::map<std::uint32_t, std::uint64_t>;

/// Changes nothing, and keeps what it sees.
class Seen : public OperandTrial {
 public:
  void change(DescribedOperand& operand) override {
    const std::size_t side = operand.is_b ? 1 : 0;
    std::vector<DescribedOperand>& all = described[side];
    const auto is_same = [&](const DescribedOperand& other) {
      MatrixDescriptor here = operand.descriptor, there = other.descriptor;
      here.start_address = there.start_address = 0;
      return here == there && operand.major == other.major && operand.form == other.form;
    };
    if (all.size() < most && std::ranges::none_of(all, is_same)) all.push_back(operand);
    const std::uint32_t start = operand.descriptor.start_address;
    const auto [last, is_first] = last_[side].try_emplace(operand.warp, start);
    if (const std::uint32_t step = (start - last->second) & address_mask; !is_first && step != 0)
      ++steps[side][step];
    last->second = start;
  }

  void change(ScaleOperand& operand) override {
    std::vector<ScaleOperand>& all = scales[operand.is_b ? 1 : 0];
    const auto is_same = [&](const ScaleOperand& other) {
      return std::tie(operand.rows, operand.blocks, operand.number, operand.thread) ==
             std::tie(other.rows, other.blocks, other.number, other.thread);
    };
    if (all.size() < most && std::ranges::none_of(all, is_same)) all.push_back(operand);
  }

  std::array<std::vector<DescribedOperand>, 2> described;  // of A, of B
  std::array<Steps, 2> steps;
  std::array<std::vector<ScaleOperand>, 2> scales;

 private:
  static constexpr std::size_t most = 8;
  std::array<std::map<std::uint64_t, std::uint32_t>, 2> last_;  // by warp: the start address
};

// --- changes -------------------------------------------------------------------------------------

/// A trial that makes one change to every operand of A, of B, or of A and B, as `which` says. The
/// change of an operand does not depend on other operands.
class Change : public OperandTrial {
 public:
  Change(Which which, std::function<void(DescribedOperand&)> described,
         std::function<void(ScaleOperand&)> scales)
      : which_(which), described_(std::move(described)), scales_(std::move(scales)) {}
  void change(DescribedOperand& operand) override {
    if (described_ && is_of(which_, operand.is_b)) described_(operand);
  }
  void change(ScaleOperand& operand) override {
    if (scales_ && is_of(which_, operand.is_b)) scales_(operand);
  }

 private:
  Which which_;
  std::function<void(DescribedOperand&)> described_;
  std::function<void(ScaleOperand&)> scales_;
};

/// A trial that changes the step between the start addresses of consecutive operands: where the
/// kernel steps by `from`, the operands step by `to`.
class ChangeOfStep : public OperandTrial {
 public:
  ChangeOfStep(Which which, std::uint32_t from, std::uint32_t to)
      : which_(which), from_(from), to_(to) {}
  void change(DescribedOperand& operand) override {
    if (!is_of(which_, operand.is_b)) return;
    std::uint32_t& start = operand.descriptor.start_address;
    Walk& walk = walks_[{operand.warp, operand.is_b}];
    const std::uint32_t step = (start - walk.last) & address_mask;
    if (walk.has_begun && step == from_)
      ++walk.steps;
    else if (!walk.has_begun || step != 0)
      walk = {true, start, 0, 0};
    walk.last = start;
    start = (walk.first + walk.steps * to_) & address_mask;
  }
  void change(ScaleOperand&) override {}

 private:
  struct Walk {
    bool has_begun = false;
    std::uint32_t first = 0, last = 0, steps = 0;
  };
  Which which_;
  std::uint32_t from_, to_;
  std::map<std::pair<std::uint64_t, bool>, Walk> walks_;
};

/// A trial in which the selectors of scales count up from product to product and begin again after
/// `cycle` products.
class CountedScales : public OperandTrial {
 public:
  CountedScales(Which which, std::uint32_t cycle) : which_(which), cycle_(cycle) {}
  void change(DescribedOperand&) override {}
  void change(ScaleOperand& operand) override {
    if (is_of(which_, operand.is_b) && operand.blocks * cycle_ <= 4)
      operand.number = counts_[operand.is_b ? 1 : 0]++ % cycle_ * operand.blocks;
  }

 private:
  Which which_;
  std::uint32_t cycle_;
  std::array<std::uint32_t, 2> counts_{};
};

struct Hypothesis {
  Explanation explanation;
  std::function<std::unique_ptr<OperandTrial>()> trial;
};

// --- hypotheses ----------------------------------------------------------------------------------

constexpr const char* offsets_mean =
    "Of a k-major operand the stride byte offset leads from 8 rows to the next 8, and the leading "
    "one, without a swizzle, from 16 bytes of k to the next. Of an mn-major one with a swizzle "
    "the leading offset leads from a line's worth of m or n to the next, and the stride from 8 k "
    "to the next; without a swizzle it is the other way round. `heddle show INSTRUCTION --operand "
    "B --swizzle MODE` prints the descriptor";

class Hypotheses {
 public:
  explicit Hypotheses(const Seen& seen) : seen_(seen) {
    for (const Which which : all_of_them) {
      if (!has_described(which)) continue;
      add_pairs_of_offsets(which);
      add_swizzles(which);
      add_majors(which);
    }
    for (const Which which : all_of_them) add_steps(which);
    for (const Which which : all_of_them) {
      add_offsets(which, "leading", "descriptor-leading-offset", &MatrixDescriptor::leading_bytes);
      add_offsets(which, "stride", "descriptor-stride-offset", &MatrixDescriptor::stride_bytes);
    }
    for (const Which which : all_of_them) {
      add_scale_blocks(which);
      add_scale_rows(which);
    }
  }
  std::vector<Hypothesis> take() { return std::move(all_); }

 private:
  bool has_described(Which which) const {
    return (which == Which::b || !seen_.described[0].empty()) &&
           (which == Which::a || !seen_.described[1].empty());
  }

  void add(std::string name, std::string message, std::string fix, Which which,
           const std::function<void(DescribedOperand&)>& described,
           const std::function<void(ScaleOperand&)>& scales = {}) {
    all_.push_back({{std::move(name), std::move(message), std::move(fix)},
                    [=] { return std::make_unique<Change>(which, described, scales); }});
  }

  static std::string right_if(const std::string& what, Which which) {
    return "the result is right if " + what + " of " + name_of(which);
  }

  void add_pairs_of_offsets(Which which) {
    add("descriptor-offsets-in-bytes",
        right_if("both byte offsets in the descriptors", which) +
            " are a sixteenth of what they are",
        std::string("The fields of a matrix descriptor count 16 bytes: (offset & 0x3ffff) >> 4. ") +
            offsets_mean,
        which, [](DescribedOperand& operand) {
          operand.descriptor.leading_bytes =
              operand.descriptor.leading_bytes / sixteen & ~(sixteen - 1);
          operand.descriptor.stride_bytes =
              operand.descriptor.stride_bytes / sixteen & ~(sixteen - 1);
        });
    add("descriptor-offsets-exchanged",
        right_if("the leading and the stride byte offset in the descriptors", which) +
            " are exchanged",
        offsets_mean, which, [](DescribedOperand& operand) {
          std::swap(operand.descriptor.leading_bytes, operand.descriptor.stride_bytes);
        });
  }

  void add_swizzles(Which which) {
    for (const instruction::SwizzleRow& to : instruction::swizzle_rows)
      add("descriptor-swizzle",
          right_if("the swizzle mode in the descriptors", which) + " is " + std::string(to.name) +
              " instead of " + swizzles_of(which),
          "The tile lies in shared memory in another order than the descriptor says: what stores "
          "it, or the tensor map that copies it, must have the mode of the descriptor",
          which, [swizzle = to.swizzle](DescribedOperand& operand) {
            const auto& row = instruction::row(swizzle);
            const bool is_old = operand.form == instruction::DescriptorForm::sm_90;
            if ((is_old ? row.sm_90_code : row.sm_100_code) >= 0)
              operand.descriptor.swizzle = swizzle;
          });
  }

  std::string swizzles_of(Which which) const {
    std::set<std::string> names;
    for (const bool is_b : {false, true})
      if (is_of(which, is_b))
        for (const DescribedOperand& operand : seen_.described[is_b ? 1 : 0])
          names.insert(std::string(instruction::name(operand.descriptor.swizzle)));
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
    return text;
  }

  void add_majors(Which which) {
    add("operand-major",
        "the result is right if " + std::string(name_of(which)) +
            (which == Which::both ? " are read with the other axes contiguous"
                                  : " is read with the other axis contiguous"),
        "wgmma: the last two numbers (tnspA, tnspB) are 1 where m or n is contiguous in shared "
        "memory, and 0 where k is; tcgen05.mma: bits 15 (A) and 16 (B) of the instruction "
        "descriptor",
        which, [](DescribedOperand& operand) {
          operand.major = operand.major == instruction::Major::k ? instruction::Major::mn
                                                                 : instruction::Major::k;
        });
  }

  /// Other values, in bytes, that the author of the kernel may have meant in place of the offset
  /// `of`.
  std::vector<std::uint32_t> candidates(Which which, std::uint32_t of) const {
    std::vector<std::uint32_t> all{of / sixteen, of * sixteen};
    for (const bool is_b : {false, true}) {
      if (!is_of(which, is_b)) continue;
      for (const DescribedOperand& operand : seen_.described[is_b ? 1 : 0])
        for (const std::uint32_t other :
             {operand.descriptor.leading_bytes, operand.descriptor.stride_bytes})
          for (const std::uint32_t times : {1u, 2u, 4u}) all.push_back(other * times);
    }
    for (std::uint32_t bytes = sixteen; bytes <= 1u << 14; bytes *= 2) all.push_back(bytes);
    std::vector<std::uint32_t> result;
    for (const std::uint32_t bytes : all)
      if (bytes != of && bytes % sixteen == 0 && bytes > 0 && bytes <= address_mask &&
          std::ranges::find(result, bytes) == result.end())
        result.push_back(bytes);
    return result;
  }

  void add_offsets(Which which, const std::string& word, const std::string& name,
                   std::uint32_t MatrixDescriptor::* field) {
    if (!has_described(which)) return;
    std::array<std::set<std::uint32_t>, 2> values;
    for (const std::size_t side : {0uz, 1uz})
      for (const DescribedOperand& operand : seen_.described[side])
        values[side].insert(operand.descriptor.*field);
    for (const std::uint32_t from : values[which == Which::b ? 1 : 0]) {
      if (which == Which::both && !values[1].contains(from)) continue;
      for (const std::uint32_t to : candidates(which, from))
        add(name,
            formatted("{} is {} instead of {}",
                      right_if("the " + word + " byte offset in the descriptors", which), to, from),
            offsets_mean, which, [=](DescribedOperand& operand) {
              if (operand.descriptor.*field == from) operand.descriptor.*field = to;
            });
    }
  }

  /// The steps that were seen most often.
  std::vector<std::uint32_t> steps(Which which) const {
    std::map<std::uint32_t, std::uint64_t> counts;
    for (const std::size_t side : {0uz, 1uz})
      if (is_of(which, side == 1))
        for (const auto& [step, count] : seen_.steps[side])
          if (which != Which::both || seen_.steps[1 - side].contains(step)) counts[step] += count;
    std::vector<std::uint32_t> all;
    for (const auto& [step, count] : counts) all.push_back(step);
    std::ranges::sort(all, std::greater(),
                      [&](std::uint32_t step) { return std::pair(counts[step], step); });
    constexpr std::size_t most = 2;
    if (all.size() > most) all.resize(most);
    return all;
  }

  void add_steps(Which which) {
    for (const std::uint32_t from : steps(which))
      for (const std::uint32_t to : candidates(which, from))
        all_.push_back(
            {{"descriptor-step",
              formatted("{} advances by {} bytes from one product to the next instead of by {}",
                        right_if("the start address in the descriptors", which), to, from),
              "The start address counts 16 bytes. Along k a k-major operand with a swizzle "
              "advances by the bytes of the instruction's k inside a line, 32 for all types but "
              "those of 4 bits that fill bytes; without a swizzle by the leading byte offset for "
              "each 16 bytes of k. An mn-major one advances by a stride byte offset for each 8 k"},
             [=] { return std::make_unique<ChangeOfStep>(which, from, to); }});
  }

  bool has_scales(Which which) const {
    return (which == Which::b || !seen_.scales[0].empty()) &&
           (which == Which::a || !seen_.scales[1].empty());
  }
  bool scales_are(Which which, auto is) const {
    for (const bool is_b : {false, true})
      if (is_of(which, is_b) && std::ranges::any_of(seen_.scales[is_b ? 1 : 0], is)) return true;
    return false;
  }
  static std::string scales_of(Which which) {
    return "the result is right if the scales of " + std::string(name_of(which));
  }

  void add_scale_blocks(Which which) {
    if (!has_scales(which)) return;
    const std::string name = "scales-of-another-block";
    const std::string choice =
        "mma.sync chooses the bytes of its scales by {byte-id, thread-id}, tcgen05.mma by the "
        "numbers in the instruction descriptor (bits 29 and 4) and by the column of tensor memory";
    const auto has = [&](std::uint32_t blocks) {
      return scales_are(which, [=](const ScaleOperand& scales) { return scales.blocks == blocks; });
    };
    for (std::uint32_t number = 0; number < 4; ++number)
      if (has(1) || (has(2) && number % 2 == 0))
        add(name, formatted("{} begin at byte {}", scales_of(which), number), choice, which, {},
            [=](ScaleOperand& scales) {
              if (number % scales.blocks == 0) scales.number = number;
            });
    for (const std::uint32_t cycle : {2u, 4u})
      if (has(1) || (has(2) && cycle == 2))
        all_.push_back({{name,
                         scales_of(which) + " begin at another byte for each product, " +
                             (cycle == 2 ? "of two in turn" : "of four in turn"),
                         choice},
                        [=] { return std::make_unique<CountedScales>(which, cycle); }});
    for (std::uint32_t thread = 0; thread < 4; ++thread)
      if (scales_are(which, [=](const ScaleOperand& at) { return thread < at.threads; }))
        add("scales-of-another-row",
            formatted("{} come from the lanes of thread-id {}", scales_of(which), thread), choice,
            which, {}, [=](ScaleOperand& scales) {
              if (thread < scales.threads) scales.thread = thread;
            });
    if (scales_are(which, [](const ScaleOperand& at) { return at.is_in_tensor_memory; }))
      for (const int columns : {1, -1, 2, -2, 4, -4, 8, -8, 16, -16, 32, -32})
        add(name,
            formatted("{} begin {}{} in tensor memory", scales_of(which), std::abs(columns),
                      columns > 0 ? " columns further on" : " columns earlier"),
            choice, which, {}, [=](ScaleOperand& scales) { scales.columns = columns; });
    for (const std::uint32_t bits : {1u, 2u, 3u})
      if (has(4) || (has(2) && bits == 1))
        add(name,
            formatted("{} for block b of k are those of block b ^ {}", scales_of(which), bits),
            "The scales of a row follow each other in the order of k", which, {},
            [=](ScaleOperand& scales) {
              if (bits < scales.blocks)
                reorder(scales, [=](std::uint32_t row, std::uint32_t block) {
                  return std::pair(row, block ^ bits);
                });
            });
  }

  static void reorder(ScaleOperand& scales, const auto& from) {
    scales.order.resize(std::size_t{scales.rows} * scales.blocks);
    for (std::uint32_t row = 0; row < scales.rows; ++row)
      for (std::uint32_t block = 0; block < scales.blocks; ++block) {
        const auto [r, b] = from(row, block);
        const bool is_inside = r < scales.rows && b < scales.blocks;
        scales.order[row * scales.blocks + block] =
            is_inside ? r * scales.blocks + b : row * scales.blocks + block;
      }
  }

  void add_scale_rows(Which which) {
    if (!has_scales(which)) return;
    const auto add_order = [&](const std::string& source, const auto& from) {
      add("scales-of-another-row",
          scales_of(which) + " for row or column r are those that now go to " + source,
          "`heddle show INSTRUCTION --operand scale_A` draws which row's scale a lane holds", which,
          {}, [=](ScaleOperand& scales) {
            reorder(scales, [&](std::uint32_t row, std::uint32_t block) {
              return std::pair(from(row, scales.rows), block);
            });
          });
    };
    std::uint32_t rows = 0;
    for (const std::size_t side : {0uz, 1uz})
      if (is_of(which, side == 1))
        for (const ScaleOperand& scales : seen_.scales[side]) rows = std::max(rows, scales.rows);
    for (std::uint32_t bit = 1; bit < rows; bit *= 2)
      add_order(formatted("r ^ {}", bit), [=](std::uint32_t r, std::uint32_t) { return r ^ bit; });
    for (const std::uint32_t by : {1u, 2u, 4u, 8u, 16u, 32u, 64u})
      if (by < rows)
        for (const bool up : {true, false})
          add_order(formatted("r {}{}, cyclically", up ? "+ " : "- ", by),
                    [=](std::uint32_t r, std::uint32_t count) {
                      return (up ? r + by : r + count - by % count) % count;
                    });
    // Orders that transpose a table of rows: row r = i * n + j goes to j * (rows / n) + i.
    for (std::uint32_t inner = 2; inner < rows; inner *= 2)
      add_order(formatted("r % {} * (rows / {}) + r / {}", inner, inner, inner),
                [=](std::uint32_t r, std::uint32_t count) {
                  return r % inner * (count / inner) + r / inner;
                });
  }

  const Seen& seen_;
  std::vector<Hypothesis> all_;
};

}  // namespace

Explanations try_operands(const RunTrial& run, std::uint64_t most_instructions) {
  Explanations result;
  Seen seen;
  const TrialRun first = run(seen);
  // If the unchanged kernel is right in this run, its result depends on the order of thread blocks
  // or the like, and a trial would prove nothing.
  if (first.is_right) return result;
  std::uint64_t spent = first.instructions;
  for (Hypothesis& hypothesis : Hypotheses(seen).take()) {
    if (spent > most_instructions) {
      result.was_cut = true;
      break;
    }
    const std::unique_ptr<OperandTrial> trial = hypothesis.trial();
    const TrialRun again = run(*trial);
    spent += std::max(again.instructions, first.instructions);
    if (!again.is_right) continue;
    result.found.push_back(std::move(hypothesis.explanation));
    break;
  }
  return result;
}

}  // namespace heddle::runtime
