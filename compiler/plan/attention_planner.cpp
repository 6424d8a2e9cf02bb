#include "compiler/plan/attention_planner.h"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "compiler/plan/attention_operands.h"
#include "compiler/plan/words.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/plan/conversion.h"

namespace heddle::plan {
namespace {

using instruction::ElementType;
using instruction::Instruction;
using instruction::Operand;
using layout::LinearLayout;

bool is_usable(const Instruction& row, const AttentionRequest& request) {
  const ElementType type = request.problem.input;
  return row.kind == instruction::Kind::multiply && row.a_type == type && row.b_type == type &&
         row.d_type == ElementType::f32 && row.type(Operand::c) == ElementType::f32 &&
         row.blocks == 1 && !row.is_sparse() && !row.has(Operand::scale_a) && row.formats.empty() &&
         !row.intrinsic.empty() && row.wave == instruction::default_wave(request.target) &&
         row.is_of(instruction::processor(request.target).family) &&
         row.a.storage == instruction::Storage::registers &&
         row.b.storage == instruction::Storage::registers;
}

// The number of bits of the lane's number that change the coordinate along `axis` of D. Lanes that
// differ in these bits must exchange values if D is reduced along the axis.
int lane_bits_along(const Instruction& row, const layout::AxisName& axis) {
  const LinearLayout sums = instruction::fragment(row, Operand::d);
  int count = 0;
  for (int bit = 0; bit < sums.inputs().bits_of("lane"); ++bit)
    count += sums.basis("lane", bit, axis) != 0 ? 1 : 0;
  return count;
}

bool mixes_axes(const Instruction& row) {
  const LinearLayout sums = instruction::fragment(row, Operand::d);
  for (int bit = 0; bit < sums.input_bits(); ++bit) {
    const std::uint64_t word = sums.basis(bit);
    if (sums.outputs().coordinate(word, 0) != 0 && sums.outputs().coordinate(word, 1) != 0)
      return true;
  }
  return false;
}

// True if each lane's sums of the first product are just the elements that this lane needs as an
// operand of the second product.
bool is_its_own_operand(const Instruction& row, instruction::KOrder order, bool keys_are_rows) {
  const LinearLayout sums = instruction::fragment(row, Operand::d);
  const LinearLayout factor =
      instruction::fragment(row, keys_are_rows ? Operand::b : Operand::a, order);
  for (int bit = 0; bit < sums.inputs().bits_of("lane"); ++bit) {
    const auto key = keys_are_rows ? layout::AxisName("m") : layout::AxisName("n");
    const auto query = keys_are_rows ? layout::AxisName("n") : layout::AxisName("m");
    if (sums.basis("lane", bit, key) != factor.basis("lane", bit, "k") ||
        sums.basis("lane", bit, query) != factor.basis("lane", bit, query))
      return false;
  }
  return true;
}

struct KeyOrder {
  std::vector<int> bits;  // of a key's number, by those of its row among the sums
  bool moves = false;     // other lanes' sums are wanted, too: whole registers of theirs
};

// Finds an order of the keys in which a lane's sums of the first product are elements that it needs
// for the second product. Such an order is needed if an instruction of the second product takes
// more keys than one of the first gives, or if several lanes hold copies of the operand (the sums
// are then some of the operand's registers). Null if there is no such order.
std::optional<KeyOrder> order_of_keys(const Instruction& row, instruction::KOrder order,
                                      bool keys_are_rows) {
  const LinearLayout sums = instruction::fragment(row, Operand::d);
  const LinearLayout factor =
      instruction::fragment(row, keys_are_rows ? Operand::b : Operand::a, order);
  const auto key = keys_are_rows ? layout::AxisName("m") : layout::AxisName("n");
  const auto query = keys_are_rows ? layout::AxisName("n") : layout::AxisName("m");
  const int of_sums = keys_are_rows ? row.m : row.n;
  const int keys = std::max(of_sums, row.k);
  KeyOrder made;
  std::vector<std::uint64_t> from, to;
  const auto add = [&](std::vector<std::uint64_t>& list, const LinearLayout& map,
                       const layout::AxisName& input, const layout::AxisName& along) {
    // The others are of queries.
    for (int bit = 0; bit < map.inputs().bits_of(input); ++bit)
      if (const std::uint64_t word = map.basis(input, bit, along); word != 0) list.push_back(word);
  };
  add(from, sums, "register", key);
  for (int next = of_sums; next < keys; next *= 2) from.push_back(std::uint64_t(next));
  add(to, factor, "element", "k");
  add(to, factor, "register", "k");
  for (int next = row.k; next < keys; next *= 2) to.push_back(std::uint64_t(next));
  for (int bit = 0; bit < sums.inputs().bits_of("lane"); ++bit) {
    if (sums.basis("lane", bit, query) != factor.basis("lane", bit, query)) return std::nullopt;
    if (sums.basis("lane", bit, query) != 0) continue;
    from.push_back(sums.basis("lane", bit, key));
    const std::uint64_t along = factor.basis("lane", bit, "k");
    made.moves = made.moves || along == 0;
    if (along != 0) to.push_back(along);
  }
  const auto count = static_cast<std::size_t>(bits_of(keys));
  if (from.size() != count || to.size() != count) return std::nullopt;
  made.bits.assign(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::has_single_bit(from[i]) || !std::has_single_bit(to[i])) return std::nullopt;
    made.bits[static_cast<std::size_t>(std::countr_zero(from[i]))] = std::countr_zero(to[i]);
  }
  if (std::ranges::count(made.bits, -1) != 0) return std::nullopt;
  return made;
}

// True if lanes hold copies of A, as on gfx11. A fragment then takes twice as many registers.
bool repeats_lanes(const Instruction& row) {
  const LinearLayout a = instruction::fragment(row, Operand::a);
  const int first = a.inputs().offset(a.inputs().find("lane"));
  for (int bit = 0; bit < a.inputs().bits_of("lane"); ++bit)
    if (a.basis(first + bit) == 0) return true;
  return false;
}

struct Choices {
  const Instruction* instruction = nullptr;
  bool keys_are_rows = false, moves = false;
  std::vector<int> key_order;
};

Choices choose_instruction(const AttentionRequest& request, instruction::KOrder order) {
  Choices best;
  std::tuple<bool, int, int> best_price;
  // How many queries a fragment of K or V that has been loaded should serve.
  const bool is_wide = std::max(request.depth, request.problem.n) > 128;
  const int wanted = request.problem.m >= 128 && !is_wide ? 32 : 16;
  for (const Instruction& row : instruction::all_instructions()) {
    if (!is_usable(row, request) || mixes_axes(row)) continue;
    const bool keys_are_rows = lane_bits_along(row, "m") < lane_bits_along(row, "n");
    const bool is_own = is_its_own_operand(row, order, keys_are_rows);
    const auto key_order = is_own ? std::nullopt : order_of_keys(row, order, keys_are_rows);
    const bool moves = !is_own && (!key_order || key_order->moves);
    const std::tuple price{moves, row.m == wanted ? 0 : 1, -row.m * row.n * row.k};
    if (best.instruction != nullptr && price >= best_price) continue;
    best = {&row, keys_are_rows, moves, key_order.value_or(KeyOrder()).bits};
    best_price = price;
  }
  return best;
}

// The blocks of a processor, and the least steps of a part, from which on an H200 reads K and V no
// faster: bench/records/nvidia_attention.md.
constexpr int most_together = 2;
constexpr std::int64_t least_part_steps = 8;
// How many multiprocessors are assumed for a GPU for which the number is not known. The planner of
// AMD's products assumes the same number.
constexpr int least_processors = 32;
constexpr int most_key_parts = 64;
constexpr std::int64_t most_workspace = std::int64_t{1} << 30;

// The time that a thread block needs besides its steps, in units of one step: for its first copies,
// and for joining the parts of the keys.
double overhead(int parts) { return parts == 1 ? 1 : 2 + parts / 16.0; }

// Decides into how many parts the keys are divided. Thread blocks divide the keys of a tile of
// queries among them if the tiles alone would not fill the GPU.
void choose_parts(AttentionPlan& plan, int asked, int room) {
  const instruction::ProcessorRow& processor = instruction::processor(plan.target);
  const int processors =
      processor.multiprocessors != 0 ? processor.multiprocessors : least_processors;
  // Of wide heads these also have all registers of a processor.
  const bool is_alone =
      plan.column_warps > 1 && plan.threads() > 128 && instruction::is_nvidia(processor.family);
  const int together = std::clamp(room / static_cast<int>(std::max(plan.shared_bytes, 1u)), 1,
                                  is_alone ? 1 : most_together);
  const std::int64_t at_once = std::int64_t{together} * processors;
  // Parts need a workspace, whose size is fixed: so the number of tiles must be known.
  const bool knows_tiles =
      !plan.problem.is_dynamic(Loop::m) && !plan.problem.is_dynamic(Loop::batch);
  const std::int64_t most =
      knows_tiles ? std::min<std::int64_t>(most_key_parts, plan.steps() / least_part_steps) : 1;
  double best = 0;
  for (int parts = 1; parts <= std::max<std::int64_t>(most, 1); ++parts) {
    const std::int64_t of_part = (plan.steps() + parts - 1) / parts;
    const std::int64_t rounds = (plan.blocks() * parts + at_once - 1) / at_once;
    const double time =
        static_cast<double>(rounds) * (static_cast<double>(of_part) + overhead(parts));
    if (parts > 1 && time >= 0.95 * best) continue;
    best = time;
    plan.parts = parts;
  }
  if (asked != 0) plan.parts = asked;
  plan.choices.push_back(
      {"keys", number(plan.parts) + (plan.parts == 1 ? " part" : " parts"),
       plan.parts == 1
           ? "a block has all keys of its queries"
           : number(plan.part_steps()) + " steps each: " + number(plan.blocks()) +
                 " tiles of queries for " + number(at_once) + " blocks at once on " +
                 number(processors) + " processors; the last block of a tile joins the parts"});
}

void explain(AttentionPlan& plan, bool moves) {
  const std::string name(plan.instruction->name);
  plan.choices = {
      {"kernel", "attention in one",
       "scores stay in registers: a block of keys at a time, with the largest score and the sum of "
       "exponentials of each row so far"},
      {"instruction", name,
       plan.keys_are_rows ? "for both products, transposed: K * Q^T, so that a lane has one query"
                          : "for both products"},
      {"conversion", moves ? "lanes exchange elements" : "nothing moves",
       moves ? "no layout of the scores is that of an operand"
             : "the layout of the scores is that of the next operand"},
      {"block", number(plan.block_queries()) + " queries, " + number(plan.keys) + " keys a step",
       number(plan.warps) + " warps of " + number(plan.queries) + " queries" +
           (plan.key_warps == 1 ? ""
                                : ", of which " + number(plan.key_warps) +
                                      " share queries and divide the keys of a step") +
           (plan.column_warps == 1 ? ""
                                   : ", of which " + number(plan.column_warps) +
                                         " share queries, divide the depth and V's columns, and "
                                         "add up their scores")},
      {"shared memory", number(plan.shared_bytes) + " bytes",
       plan.q ? "Q of the block, K and V of one step" : "K and V of one step"}};
}

}  // namespace

LinearLayout AttentionPlan::in_key_order(const LinearLayout& map,
                                         const layout::AxisName& axis) const {
  if (key_order.empty()) return map;
  const int first = map.outputs().offset(map.outputs().find(axis));
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < map.input_bits(); ++bit) {
    std::uint64_t word = map.basis(bit), moved = word;
    for (std::size_t at = 0; at < key_order.size(); ++at)
      moved &= ~(std::uint64_t{1} << (first + static_cast<int>(at)));
    for (std::size_t at = 0; at < key_order.size(); ++at)
      moved |= (word >> (first + static_cast<int>(at)) & 1) << (first + key_order[at]);
    bases[static_cast<std::size_t>(bit)] = moved;
  }
  return LinearLayout::from_words(map.inputs(), map.outputs(), bases).value();
}

LinearLayout AttentionPlan::among_column_warps(const LinearLayout& map,
                                               const layout::AxisName& axis, int bits) const {
  if (column_warps == 1) return map;
  const int warp_bits = bits_of(column_warps);
  const int at = map.outputs().find(axis);
  layout::AxisList inputs = map.inputs(), outputs;
  for (const layout::Axis& each : map.outputs())
    outputs.push_back({each.name, each.bits + (each.name == axis ? warp_bits : 0)});
  inputs.push_back({"warp", warp_bits});
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < map.input_bits(); ++bit) {
    std::uint64_t word = 0;
    for (int out = 0; out < map.outputs().size(); ++out) {
      std::uint64_t place = map.outputs().coordinate(map.basis(bit), out);
      if (out == at) place += (place >> bits << bits) * (std::uint64_t(column_warps) - 1);
      word |= place << outputs.offset(out);
    }
    bases[static_cast<std::size_t>(bit)] = word;
  }
  for (int bit = 0; bit < warp_bits; ++bit)
    bases[static_cast<std::size_t>(map.input_bits() + bit)] = std::uint64_t{1}
                                                              << (outputs.offset(at) + bits + bit);
  return LinearLayout::from_words(inputs, outputs, bases).value();
}

std::int64_t AttentionPlan::sum_words(std::int64_t atoms) const {
  const LinearLayout sums = instruction::fragment(*instruction, Operand::d);
  const layout::AxisName along = keys_are_rows ? layout::AxisName("n") : layout::AxisName("m");
  const int atom_queries = keys_are_rows ? instruction->n : instruction->m;
  std::int64_t kept = 0;
  std::set<std::int64_t> rows;
  for (int first = 0; first < queries; first += atom_queries)
    for (std::uint64_t reg = 0; reg < sums.input_size("register"); ++reg) {
      const auto row =
          first + static_cast<std::int64_t>(sums.apply({{"register", reg}}).value().at(along));
      if (is_beyond(row)) continue;
      ++kept;
      rows.insert(row);
    }
  return (atoms * kept + 2 * static_cast<std::int64_t>(rows.size()) + 3) / 4 * 4;
}

namespace {

// Those of DeepSeek's attention with keys and values in one cache: 512 columns and 64 of places.
constexpr std::int64_t widest_head = 576;

// Bytes of K and V that a thread has on their way through registers beside sums of wide heads.
constexpr int most_copied = 256;

// What is wrong with the user's decisions; empty if nothing is.
std::string why_not(const PlanFields& asked) {
  const std::tuple<const char*, int, int> powers[] = {
      {"block", asked.block_k, 1024}, {"warps", asked.warps_m, 8}, {"warps", asked.warps_n, 8}};
  for (const auto& [name, value, most] : powers)
    if (value != 0 && (value < 0 || value > most || !std::has_single_bit(unsigned(value))))
      return number(value) + " in \"" + name + "\"; accepted: powers of two up to " + number(most);
  if (asked.split_k < 0 || asked.split_k > most_key_parts)
    return number(asked.split_k) + " parts of the keys; accepted: 1 to " + number(most_key_parts);
  return {};
}

}  // namespace

std::expected<AttentionPlan, std::string> make_attention_plan(const AttentionRequest& request) {
  if (std::string why = why_not(request.asked); !why.empty())
    return std::unexpected(std::move(why));
  AttentionPlan plan;
  plan.problem = request.problem;
  plan.target = request.target;
  plan.depth = request.depth;
  plan.lanes = instruction::default_wave(request.target);
  const bool nvidia = instruction::is_nvidia(instruction::processor(request.target).family);
  plan.order = nvidia ? instruction::KOrder::isa : instruction::KOrder::contiguous;
  const Choices chosen = choose_instruction(request, plan.order);
  if (chosen.instruction == nullptr)
    return std::unexpected("no matrix instruction of " +
                           std::string(instruction::name(request.problem.input)) + " into f32 on " +
                           std::string(instruction::name(request.target)));
  plan.instruction = chosen.instruction;
  plan.keys_are_rows = chosen.keys_are_rows;
  plan.key_order = chosen.key_order;
  const Instruction& row = *plan.instruction;
  const int of_query = plan.keys_are_rows ? row.n : row.m;
  const int of_key = plan.keys_are_rows ? row.m : row.n;
  plan.depth_atoms = (request.depth + row.k - 1) / row.k;
  plan.columns_atoms = (request.problem.n + of_key - 1) / of_key;
  const std::int64_t widest = std::max(request.depth, request.problem.n);
  if (widest > widest_head)
    return std::unexpected("heads of " + number(request.depth) + " and " +
                           number(request.problem.n) + "; accepted: up to " + number(widest_head));
  if (widest > 256) plan.column_warps = plan.lanes == 32 ? 4 : 2;
  // A fragment of K or V in a register is multiplied twice, where the sums leave registers for
  // that, and there are enough rows, or keys for several blocks.
  const bool has_many = request.problem.m * request.problem.batch >= std::int64_t{1} << 14 ||
                        request.problem.k >= 2048;
  const bool is_twice = nvidia && !plan.keys_are_rows && widest <= 128 && has_many &&
                        request.problem.m > std::int64_t{4} * of_query &&
                        request.asked.warps_n <= 1;
  plan.queries = is_twice ? 2 * of_query : of_query;
  // With more warps, threads of NVIDIA's would have fewer registers than wide heads want
  // (bench/records/nvidia_attention.md).
  const int most_query_warps = nvidia && plan.column_warps > 1 ? 2 : 4;
  int query_warps = request.asked.warps_m != 0 ? request.asked.warps_m : most_query_warps;
  // Warps without queries of their own take some of the keys.
  plan.key_warps = 1;
  while (query_warps > 1 && plan.queries * (query_warps / 2) >= request.problem.m) {
    query_warps /= 2;
    plan.key_warps *= 2;
  }
  if (request.asked.warps_n != 0) plan.key_warps = request.asked.warps_n;
  if (is_twice || plan.column_warps > 1) plan.key_warps = 1;
  const bool has_few_keys = widest > 128 || (repeats_lanes(row) && plan.key_warps == 1);
  plan.keys = request.asked.block_k != 0 ? request.asked.block_k : has_few_keys ? 32 : 64;
  const int least_keys = std::max(of_key, row.k);
  plan.keys = std::max(plan.keys, least_keys);
  constexpr int most_warps = 8;
  plan.key_warps =
      std::clamp(plan.key_warps, 1, std::min(plan.keys / least_keys, most_warps / query_warps));
  plan.warps = query_warps * plan.sharing_warps();
  const int room = nvidia ? instruction::processor(request.target).shared_bytes
                          : instruction::row(request.target).shared_bytes;
  for (;;) {
    if (!place_operands(plan))
      return std::unexpected("no layout of shared memory for " + number(plan.keys) + " keys");
    if (std::cmp_less_equal(plan.shared_bytes, room)) {
      // Other warps copy, too, if registers would not hold a thread's copies beside its sums.
      const bool is_crowded = plan.column_warps > 1 && !nvidia && request.asked.warps_m == 0 &&
                              std::cmp_greater(plan.v.end(), most_copied * plan.threads());
      if (!is_crowded) break;
      plan.warps *= 2;
      continue;
    }
    if (plan.key_warps > 1) {
      plan.key_warps /= 2;
      plan.warps /= 2;
      continue;
    }
    if (plan.keys / 2 < least_keys)
      return std::unexpected(number(plan.shared_bytes) +
                             " bytes of shared memory; accepted: at most " + number(room));
    plan.keys /= 2;
  }
  if (request.asked.split_k > 1 &&
      (plan.problem.is_dynamic(Loop::m) || plan.problem.is_dynamic(Loop::batch)))
    return std::unexpected(number(request.asked.split_k) +
                           " parts of the keys; accepted: 1, since the number of queries is "
                           "dynamic");
  explain(plan, chosen.moves);
  choose_parts(plan, request.asked.split_k, room);
  if (plan.split_memory().bytes() > most_workspace)
    return std::unexpected(number(plan.split_memory().bytes()) +
                           " bytes for the sums of parts; accepted: at most " +
                           number(most_workspace));
  return plan;
}

}  // namespace heddle::plan
