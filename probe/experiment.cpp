#include "probe/experiment.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "heddle/instruction/fragment.h"
#include "heddle/instruction/variant.h"
#include "library/text/formatted.h"

namespace heddle::probe {

using instruction::ElementType;
using instruction::Instruction;
using instruction::Kind;
using instruction::Operand;
using instruction::Storage;

namespace {

constexpr std::size_t largest_answer_words = std::size_t{1} << 26;

/// The bits of 1 in the type.
std::uint64_t one(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return 0x3ff0000000000000;
    case ElementType::f32:
    case ElementType::xf32:
      return 0x3f800000;
    case ElementType::f16:
      return 0x3c00;
    case ElementType::bf16:
      return 0x3f80;
    case ElementType::fp8:
      return 0x38;
    case ElementType::bf8:
      return 0x3c;
    default:
      return 1;  // integers and single bits
  }
}

/// The finite number in the bits of an f16. No type for it exists in all compilers: WebAssembly has
/// no _Float16, and g++ has no __fp16.
double half(std::uint64_t bits) {
  const auto mantissa = static_cast<int>(bits & 0x3ff);
  const auto exponent = static_cast<int>(bits >> 10 & 0x1f);
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 0x400, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -size : size;
}

/// The number in the bits of an accumulator.
double number(ElementType type, std::uint64_t bits) {
  switch (type) {
    case ElementType::f64:
      return std::bit_cast<double>(bits);
    case ElementType::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ElementType::f16:
      return half(bits);
    default:
      return static_cast<std::int32_t>(bits);
  }
}

/// Writes a value into an entry of a table. Before, the bits at this place must be zeros.
void set(Words& entry, const Place& at, std::uint64_t value) {
  entry[static_cast<std::size_t>(at.word)] |= static_cast<std::uint32_t>(value << at.bit);
  if (at.bits == 64)
    entry[static_cast<std::size_t>(at.upper_word)] = static_cast<std::uint32_t>(value >> 32);
}

std::uint64_t read(const std::uint32_t* entry, const Place& at) {
  std::uint64_t value = entry[at.word];
  if (at.bits == 64) return value | static_cast<std::uint64_t>(entry[at.upper_word]) << 32;
  return value >> at.bit & ((std::uint64_t{1} << at.bits) - 1);
}

void append(Words& table, const Words& entry) {
  table.insert(table.end(), entry.begin(), entry.end());
}

instruction::SharedTile a_tile(const Instruction& row, const Variant& variant) {
  return instruction::shared_tile(row, Operand::a, variant.a_major, variant.swizzle);
}
instruction::SharedTile b_tile(const Instruction& row, const Variant& variant) {
  return instruction::shared_tile(row, Operand::b, variant.b_major, variant.swizzle);
}

std::uint32_t index_word(Kept kept) { return kept == Kept::first_half ? 0x44444444u : 0xeeeeeeeeu; }

/// The places of A or B in this variant: in registers or in a tile of shared memory.
Positions positions_of(const Instruction& row, Operand operand, const Variant& variant) {
  const bool is_a = operand == Operand::a;
  const bool shared = is_a ? variant.a_in_shared : row.b.storage == Storage::shared_memory;
  if (!shared) return {row, operand};
  return {row, is_a ? a_tile(row, variant) : b_tile(row, variant)};
}

/// The experiments on one instruction.
class Multiply {
 public:
  Multiply(Device& device, const Instruction& row, const Variant& variant)
      : device_(device),
        row_(row),
        variant_(variant),
        a_(positions_of(row, Operand::a, variant)),
        b_(positions_of(row, Operand::b, variant)),
        d_(row, Operand::d),
        d_words_(static_cast<std::size_t>(d_.words())) {}

  std::expected<Labels, std::string> labels(Kept kept) {
    // Entry j of B's table has a one at each place whose number has bit j; the last entry has only
    // ones.
    const auto digits = static_cast<int>(std::bit_width(static_cast<unsigned>(b_.size() - 1)));
    Words b_table;
    for (int digit = 0; digit <= digits; ++digit) {
      Words entry = nothing(b_);
      for (int b = 0; b < b_.size(); ++b)
        if (digit == digits || (b >> digit & 1) != 0) set(entry, b_.place(b), one(row_.b_type));
      append(b_table, entry);
    }
    const int entries = digits + 1;
    const auto fitting =
        static_cast<int>(largest_answer_words / (d_words_ * static_cast<std::size_t>(entries))) - 1;
    Relation relation(a_.size(), b_.size(), d_.size());
    for (int first = 0; first < a_.size(); first += fitting) {
      const int count = std::min(fitting, a_.size() - first);
      Words a_table = nothing(a_);  // what D shows without a one
      for (int a = first; a < first + count; ++a) {
        Words entry = nothing(a_);
        set(entry, a_.place(a), one(row_.a_type));
        append(a_table, entry);
      }
      auto answer = run(std::move(a_table), b_table, Words(index_words(), index_word(kept)),
                        count + 1, entries, 0, false);
      if (!answer) return std::unexpected(answer.error());
      if (std::string error = gather(*answer, first, count, digits, relation); !error.empty())
        return std::unexpected(error);
    }
    return relation.labels();
  }

  /// Finds the labels of the sparse index, and adds them to `labels`. `labels` has those of A, B
  /// and D, found with an index that keeps the first half of each group. Returns an error, or an
  /// empty text.
  std::string add_index(Labels& labels) {
    const int selectors =
        1 << instruction::isa_fragment(row_, Operand::index).outputs().bits_of("selector");
    const int ks = 1 + *std::max_element(labels.a_k.begin(), labels.a_k.end());
    Words ones = nothing(a_), b_table;
    for (int a = 0; a < a_.size(); ++a) set(ones, a_.place(a), one(row_.a_type));
    for (int k = 0; k < ks; ++k) {
      Words entry = nothing(b_);
      for (int b = 0; b < b_.size(); ++b)
        if (labels.b_k[static_cast<std::size_t>(b)] == k) set(entry, b_.place(b), one(row_.b_type));
      append(b_table, entry);
    }
    // Entry 0 keeps the first half of every group. Entry p + 1 does so, too, except that place p
    // keeps its second half.
    const int places = static_cast<int>(index_words()) * index_places_a_word;
    Words index_table(index_words(), index_word(Kept::first_half));
    for (int p = 0; p < places; ++p) {
      Words entry(index_words(), index_word(Kept::first_half));
      entry[static_cast<std::size_t>(p / index_places_a_word)] ^=
          (index_word(Kept::first_half) ^ index_word(Kept::second_half)) &
          0xfu << p % index_places_a_word * 4;
      append(index_table, entry);
    }
    for (int selector = 0; selector < selectors; ++selector) {
      const auto answer = run(ones, b_table, index_table, places + 1, ks, selector, true);
      if (!answer) return answer.error();
      for (int p = 0; p < places; ++p) {
        int m = -1, first_k = -1;
        for (int k = ks; k-- > 0;) {
          for (int d = 0; d < d_.size(); ++d) {
            const double before = value(*answer, k * (places + 1), d);
            if (value(*answer, k * (places + 1) + p + 1, d) == before) continue;
            const int row = labels.d_m[static_cast<std::size_t>(d)];
            if (m >= 0 && m != row) return "4 bits of the index act on two rows";
            m = row;
            first_k = k;
          }
        }
        labels.index_m.push_back(m);
        labels.index_k.push_back(first_k);
      }
    }
    return "";
  }

 private:
  static Words nothing(const Positions& positions) {
    return Words(static_cast<std::size_t>(positions.words()));
  }
  std::size_t index_words() const {
    return static_cast<std::size_t>(row_.index.registers * row_.wave);
  }

  std::expected<Words, std::string> run(Words a, Words b, Words index, int grid_x, int grid_y,
                                        int selector, bool index_by_x) {
    Variant variant = variant_;
    variant.selector = selector;
    Launch launch;
    launch.ptx = multiply_kernel(row_, variant);
    launch.threads = row_.wave;
    launch.grid_x = grid_x;
    launch.grid_y = grid_y;
    launch.a = std::move(a);
    launch.b = std::move(b);
    launch.index = std::move(index);
    KernelParameters& p = launch.parameters;
    const auto bytes = [](const Positions& positions) {
      return static_cast<std::uint64_t>(positions.words()) * 4;
    };
    p.b_by_y = bytes(b_);
    (index_by_x ? p.index_by_x : p.a_by_x) = index_by_x ? index_words() * 4 : bytes(a_);
    p.out_entry = d_words_ * 4;
    using instruction::DescriptorForm;
    if (variant.a_in_shared) {
      p.a_shared_bytes = bytes(a_);
      p.a_descriptor = encode(matrix_descriptor(a_tile(row_, variant), 0), DescriptorForm::sm_90);
    }
    if (row_.b.storage == Storage::shared_memory) {
      p.b_shared_bytes = bytes(b_);
      p.b_descriptor = encode(matrix_descriptor(b_tile(row_, variant), 0), DescriptorForm::sm_90);
    }
    launch.out_words =
        d_words_ * static_cast<std::size_t>(grid_x) * static_cast<std::size_t>(grid_y);
    return device_.run(launch);
  }

  double value(const Words& answer, int entry, int d) const {
    return number(row_.d_type,
                  read(answer.data() + d_words_ * static_cast<std::size_t>(entry), d_.place(d)));
  }

  /// Reads an answer. For each place of A and each place of D, it finds the place of B whose
  /// element this place of D shows, and adds the three to `relation`. Returns an error, or an empty
  /// text.
  std::string gather(const Words& answer, int first, int count, int digits, Relation& relation) {
    const int grid_x = count + 1;
    std::vector<double> without(static_cast<std::size_t>(digits + 1));
    for (int d = 0; d < d_.size(); ++d) {
      for (int j = 0; j <= digits; ++j)
        without[static_cast<std::size_t>(j)] = value(answer, j * grid_x, d);
      for (int a = 0; a < count; ++a) {
        const auto change = [&](int j) {
          return value(answer, j * grid_x + a + 1, d) - without[static_cast<std::size_t>(j)];
        };
        const double ones = change(digits);
        if (ones == 0) continue;
        if (std::abs(ones) != 1) return "one times one is not one";
        // For an exclusive or, D changes by 1 where B has a zero and by -1 where B has a one.
        int b = 0;
        for (int j = 0; j < digits; ++j) b |= (change(j) == ones ? 1 : 0) << j;
        if (b >= b_.size()) return "a place of D shows no place of B";
        relation.add(first + a, d, b);
      }
    }
    return "";
  }

  Device& device_;
  const Instruction& row_;
  const Variant variant_;
  Positions a_, b_, d_;
  std::size_t d_words_;
};

}  // namespace

bool can_probe_multiply(const Instruction& row) {
  return row.kind == Kind::multiply && row.d.storage == Storage::registers &&
         !row.has(Operand::scale_a);
}

std::expected<Finding, std::string> probe_multiply(Device& device, const Trial& trial) {
  Multiply experiments(device, trial.row, trial.variant);
  Finding finding;
  auto labels = experiments.labels(Kept::first_half);
  if (!labels) return std::unexpected(labels.error());
  finding.first_half = std::move(*labels);
  if (!trial.row.is_sparse()) return finding;
  if (trial.with_index) {
    if (std::string error = experiments.add_index(finding.first_half); !error.empty())
      return std::unexpected(error);
  }
  auto second = experiments.labels(Kept::second_half);
  if (!second) return std::unexpected(second.error());
  finding.second_half = std::move(*second);
  return finding;
}

Finding catalogue_finding(const Trial& trial) {
  const Positions a = positions_of(trial.row, Operand::a, trial.variant);
  const Positions b = positions_of(trial.row, Operand::b, trial.variant);
  const auto without_index = [](Labels labels) {
    labels.index_m.clear();
    labels.index_k.clear();
    return labels;
  };
  Finding finding;
  const Labels first = catalogue_labels(trial.row, a, b, Kept::first_half);
  finding.first_half = numbered(trial.with_index ? first : without_index(first));
  if (!trial.row.is_sparse()) return finding;
  // Labels of the index exist for the first half only.
  finding.second_half =
      numbered(without_index(catalogue_labels(trial.row, a, b, Kept::second_half)));
  return finding;
}

std::string digest(const Finding& finding) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Labels* labels : {&finding.first_half, &finding.second_half}) {
    for (const std::vector<int>* list :
         {&labels->a_m, &labels->a_k, &labels->b_k, &labels->b_n, &labels->d_m, &labels->d_n,
          &labels->index_m, &labels->index_k}) {
      for (const int label : *list)
        for (int byte = 0; byte < 4; ++byte)
          hash = (hash ^ (static_cast<std::uint32_t>(label) >> 8 * byte & 0xff)) * 0x100000001b3;
    }
  }
  return formatted("{:016x}", hash);
}

std::vector<Trial> trials_of(const Instruction& row) {
  if (row.b.storage != Storage::shared_memory)
    return {{.row = row, .variant = {}, .note = "", .with_index = row.is_sparse()}};
  using instruction::Major;
  using instruction::Swizzle;
  std::vector<Trial> trials;
  const auto add = [&](int n, const Variant& variant) {
    const std::optional<Instruction> narrow = instruction::with_n(row, n);
    if (!narrow) return;
    std::string note = formatted("n {}, A in ", n);
    note += variant.a_in_shared ? "shared memory " + std::string(name(variant.a_major)) + "-major"
                                : "registers";
    note += ", B " + std::string(name(variant.b_major)) + "-major, swizzle " +
            std::string(name(variant.swizzle));
    // Variants do not move the index, so one trial with it is enough.
    const bool with_index = row.is_sparse() && trials.empty();
    trials.push_back({*narrow, variant, std::move(note), with_index});
  };
  const bool bits = row.a_type == ElementType::b1;  // of which atoms hold very many
  for (const bool a_in_shared : {false, true})
    for (const Swizzle swizzle :
         {Swizzle::none, Swizzle::bytes32, Swizzle::bytes64, Swizzle::bytes128})
      for (const Major b_major : {Major::k, Major::mn})
        for (const Major a_major : {Major::k, Major::mn}) {
          if (!a_in_shared && a_major == Major::mn) continue;
          if (bits && swizzle != Swizzle::none) continue;
          if (b_major == Major::mn && !may_be_mn_major(row, Operand::b, swizzle)) continue;
          if (a_major == Major::mn && !may_be_mn_major(row, Operand::a, swizzle)) continue;
          add(24, {.a_in_shared = a_in_shared,
                   .swizzle = swizzle,
                   .a_major = a_major,
                   .b_major = b_major});
        }
  const bool every_n = row.name.find("f32.f16.f16") != std::string_view::npos ||
                       row.name.find("s32.s8.s8") != std::string_view::npos;
  for (int n = 8; n <= 256; n += every_n && !row.is_sparse() ? 8 : 248)
    if (n != 24) add(n, {});
  return trials;
}

namespace {

constexpr int elements_of_a_row = 8;  // 16 bits each: 16 bytes, what a lane's address stands for

/// The number of a 16-bit half among registers. Halves vary fastest, then lanes, then registers.
std::size_t half_of(int reg, int lane, int half, int wave) {
  return static_cast<std::size_t>((reg * wave + lane) * 2 + half);
}

Words counting(std::size_t words) {
  Words table(words);
  for (std::size_t i = 0; i < words; ++i)
    table[i] = static_cast<std::uint32_t>(2 * i | (2 * i + 1) << 16);
  return table;
}

std::vector<int> halves(const Words& words) {
  std::vector<int> result;
  for (const std::uint32_t word : words) {
    result.push_back(static_cast<int>(word & 0xffff));
    result.push_back(static_cast<int>(word >> 16));
  }
  return result;
}

}  // namespace

bool can_probe_move(const Instruction& row) {
  return row.kind != Kind::multiply && row.m == 8 && row.n == 8 &&
         instruction::bits(row.d_type) == 16;
}

std::expected<std::vector<int>, std::string> probe_move(Device& device, const Instruction& row) {
  const auto wave = static_cast<std::size_t>(row.wave);
  const std::size_t shared_words = wave * elements_of_a_row / 2;
  const std::size_t registers = static_cast<std::size_t>(row.d.registers) * wave;
  Launch launch;
  launch.ptx = move_kernel(row);
  launch.threads = row.wave;
  if (row.kind == Kind::transpose) {
    launch.a = counting(registers);
  } else {
    for (int lane = 0; lane < row.wave; ++lane)
      launch.a.push_back(static_cast<std::uint32_t>(lane * elements_of_a_row * 2));
    launch.b = counting(row.kind == Kind::load ? shared_words : registers);
    launch.parameters.b_shared_bytes = shared_words * 4;
  }
  launch.out_words = row.kind == Kind::store ? shared_words : registers;
  const auto answer = device.run(launch);
  if (!answer) return std::unexpected(answer.error());
  if (row.kind != Kind::store) return halves(*answer);
  // The answer of a store is inverted: for each half of a register, its place in memory.
  std::vector<int> went(registers * 2, -1);
  const std::vector<int> stored = halves(*answer);
  for (std::size_t at = 0; at < stored.size(); ++at)
    if (static_cast<std::size_t>(stored[at]) < went.size())
      went[static_cast<std::size_t>(stored[at])] = static_cast<int>(at);
  return went;
}

std::vector<int> catalogue_move(const Instruction& row) {
  std::vector<int> moved(static_cast<std::size_t>(row.d.registers * row.wave * 2), -1);
  const auto for_each = [&](Operand operand, auto&& act) {
    const layout::LinearLayout map = instruction::isa_fragment(row, operand);
    for (std::uint64_t word = 0; word >> map.input_bits() == 0; ++word) {
      const layout::Coordinates from = map.inputs().unpack(word);
      const layout::Coordinates to = map.outputs().unpack(map.apply(word));
      act(static_cast<int>(from.at("register")), static_cast<int>(from.at("lane")),
          static_cast<int>(from.at("element")), to);
    }
  };
  // For a transposition: the place in A of each element. Otherwise: the lane that addresses each
  // row.
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> sources;
  const bool transpose = row.kind == Kind::transpose;
  for_each(transpose ? Operand::a : Operand::address, [&](int reg, int lane, int half,
                                                          const layout::Coordinates& to) {
    if (transpose)
      sources[{to[0].value, to[1].value}] = static_cast<int>(half_of(reg, lane, half, row.wave));
    else
      sources.try_emplace({to.at("m"), to.at_or("block", 0)}, lane);
  });
  for_each(Operand::d, [&](int reg, int lane, int half, const layout::Coordinates& to) {
    const std::size_t at = half_of(reg, lane, half, row.wave);
    if (transpose)
      moved[at] = sources.at({to[1].value, to[0].value});
    else
      moved[at] = sources.at({to.at("m"), to.at_or("block", 0)}) * elements_of_a_row +
                  static_cast<int>(to.at("n"));
  });
  return moved;
}

}  // namespace heddle::probe
