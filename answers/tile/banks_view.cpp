#include "answers/tile/banks_view.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "answers/layout/layout_argument.h"
#include "answers/text/counted.h"
#include "answers/tile/transposing_load.h"
#include "heddle/layout/algebra.h"
#include "heddle/memory/transposed_read.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

template <class T>
using Answer = std::expected<T, std::string>;

Answer<memory::SharedLayout> read_memory(const std::string& text, LayoutContext context,
                                         int element_bits) {
  // With a tile, a CuTe text would be read as a thread-value layout; here it says where elements
  // lie.
  context.cute_is_memory = true;
  const auto read = read_layout_argument("--memory", text, context);
  if (!read) return std::unexpected(read.error());
  if (read->element_bits != 0 && read->element_bits != element_bits)
    return std::unexpected(
        formatted("--memory: it is of elements of {} bits, and the access moves {} bits; "
                  "name the type with --type",
                  read->element_bits, element_bits));
  if (const auto* shared = std::get_if<memory::SharedLayout>(&read->meaning)) return *shared;
  if (const auto* function = std::get_if<interop::cute::AnyLayout>(&read->meaning))
    return std::unexpected("--memory: this is no layout of a tile in shared memory: " +
                           interop::cute::to_shared(*function).error());
  return std::unexpected(
      "--memory: this says who holds a tile; wanted is where it lies in shared memory, as 'offset: "
      "(0,1) (1,0) -> m: 2, k: 2', #ttg.swizzled_shared<…> or (8,64):(64,1)");
}

/// Joins the partitions of a layout to one contiguous memory, in which each partition follows the
/// one before. In the hardware a partition is a segment of 64 KiB and begins in bank 0. So the
/// elements keep their banks only if the bytes that the layout uses in a partition fill all banks a
/// whole number of times. Error: they do not.
Answer<void> join_partitions(const AccessView& access, MemoryView& view) {
  const layout::AxisList& inputs = view.shared.map.inputs();
  const int bits = inputs.bits_of("partition");
  if (bits == 0) return {};
  const int offset_bits = inputs.bits_of("offset");
  view.partitions = 1 << bits;
  const auto ordered = layout::transpose_inputs(view.shared.map, [&] {
    layout::NameList names{"offset", "partition"};
    for (const layout::Axis& axis : inputs)
      if (axis.name != "offset" && axis.name != "partition") names.push_back(axis.name);
    return names;
  }());
  layout::AxisList joined{{"offset", offset_bits + bits}};
  for (const layout::Axis& axis : inputs)
    if (axis.name != "offset" && axis.name != "partition") joined.push_back(axis);
  view.shared.map = layout::reshape_inputs(*ordered, joined).value();
  view.part_bytes = view.shared.place(std::uint64_t{1} << offset_bits) *
                    static_cast<std::uint64_t>(access.move.element_bits) / 8;
  const auto line = static_cast<std::uint64_t>(access.model.banks() * access.model.bank_bytes);
  if (view.part_bytes % line == 0) return {};
  return std::unexpected(
      formatted("--memory: a part of {} bytes is no multiple of the {} bytes of all banks; such "
                "layouts in partitions are not counted",
                view.part_bytes, line));
}

/// Sets the map of the access, and the width and type of its elements.
Answer<void> set_held(const BanksArguments& arguments, const LayoutContext& context,
                      AccessView& access) {
  const auto read = read_layout_argument("--access", arguments.access, context);
  if (!read) return std::unexpected(read.error());
  if (const auto standard = distributed_meaning("--access", *read); !standard)
    return std::unexpected(standard.error());
  access.held = std::get<layout::LinearLayout>(read->meaning);  // with its own names of axes
  access.type = read->type.empty() ? "f16" : read->type;
  if (read->element_bits != 0) access.move.element_bits = read->element_bits;
  if (arguments.type.empty()) return {};
  const auto bits = read_element_bits(arguments.type);
  if (!bits) return std::unexpected(bits.error());
  access.type = arguments.type;
  access.move.element_bits = *bits;
  return {};
}

/// Sets the kind of the access: plain loads or stores, matrix loads or stores (ldmatrix, stmatrix),
/// or loads that transpose.
Answer<void> set_kind(const BanksArguments& arguments, instruction::Target target,
                      AccessView& access) {
  using memory::AccessKind;
  access.move.kind = arguments.store ? AccessKind::store : AccessKind::load;
  if (arguments.with.empty()) return {};
  const auto& moves = moves_of_matrices;
  if (std::ranges::find(moves, arguments.with) == moves.end()) {
    const auto load = transposing_load(arguments.with, target, access.move.wave);
    if (!load) return std::unexpected("--with: " + load.error());
    if (arguments.store)
      return std::unexpected(formatted("{} does not store; leave out --store", load->name));
    const auto read = memory::read_by(*load, access.held, access.move.element_bits);
    if (!read) return std::unexpected(read.error());
    const int bytes = memory::bytes_read(*load);
    if (arguments.bytes != 0 && arguments.bytes != bytes)
      return std::unexpected(formatted("--width: a lane of {} reads {} bytes", load->name, bytes));
    access.held = *read;
    access.instruction = load->name;
    access.move.bytes = bytes;
    access.move.ordered = true;
    return {};
  }
  const bool loads = arguments.with.starts_with("ldmatrix");
  if (!(loads ? access.model.has_matrix_moves : access.model.has_matrix_stores))
    return std::unexpected(formatted("{} has no {}", access.model.name, arguments.with));
  if (loads && arguments.store)
    return std::unexpected("ldmatrix does not store; leave out --store");
  access.move.kind = loads ? AccessKind::matrix_load : AccessKind::matrix_store;
  access.move.transposed = arguments.with.ends_with(".trans");
  return {};
}

Answer<void> set_active(const std::string& text, AccessView& access) {
  if (text.empty()) return {};
  std::string_view digits = text;
  const bool is_hex = digits.starts_with("0x");
  if (is_hex) digits.remove_prefix(2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                            access.active, is_hex ? 16 : 10);
  if (error == std::errc() && end == digits.data() + digits.size()) {
    if (access.model.wave < 64 && access.active >> access.model.wave != 0)
      return std::unexpected(
          formatted("--active: '{}' has lanes beyond the {} of a wave", text, access.model.wave));
    if (access.active == 0) return std::unexpected("--active: no lane takes part");
    return {};
  }
  return std::unexpected(
      formatted("--active: '{}' is no mask of lanes, as 0xffff of lanes 0 to 15", text));
}

Answer<AccessView> access_view(const BanksArguments& arguments, const LayoutContext& context) {
  AccessView access;
  access.model = bank_model(context);
  access.move.wave = context.lanes;
  access.move.bytes = arguments.bytes;
  access.name = arguments.access;
  for (const auto& done :
       {set_held(arguments, context, access), set_kind(arguments, context.target, access),
        set_active(arguments.active, access)})
    if (!done) return std::unexpected(done.error());
  return access;
}

Answer<MemoryView> memory_view(const AccessView& access, const LayoutContext& context,
                               const std::string& text) {
  MemoryView view;
  view.name = text;
  const auto shared = read_memory(text, context, access.move.element_bits);
  if (!shared) return std::unexpected(shared.error());
  view.shared = *shared;
  if (const auto joined = join_partitions(access, view); !joined)
    return std::unexpected(joined.error());
  auto issued = memory::issue(view.shared, access.held, access.move);
  if (!issued)
    return std::unexpected(access.instruction.empty()
                               ? issued.error()
                               : formatted("{} reads {} bytes of one row in each lane: {}",
                                           access.instruction, access.move.bytes, issued.error()));
  view.issued = *std::move(issued);
  for (memory::IssuedAccess& one : view.issued.list) {
    one.active &= access.active;
    view.reports.push_back(memory::explain(access.model, one.view()));
    const memory::Cost cost = view.reports.back().cost();
    view.total.phases += cost.phases;
    view.total.extra_passes += cost.extra_passes;
  }
  view.reasons = memory::conflict_reasons(access.model, view.shared, view.issued, view.reports);
  return view;
}

}  // namespace

std::expected<BanksView, std::string> banks_view(const BanksArguments& arguments) {
  const auto context = tile_context(arguments);
  if (!context) return std::unexpected(context.error());
  const auto access = access_view(arguments, *context);
  if (!access) return std::unexpected(access.error());
  BanksView view{*access, {}};
  for (const std::string& text : arguments.memories) {
    auto memory = memory_view(*access, *context, text);
    if (!memory) return std::unexpected(memory.error());
    view.memories.push_back(*std::move(memory));
  }
  return view;
}

std::vector<std::uint64_t> partitions_of(const MemoryView& memory,
                                         const memory::IssuedAccess& access) {
  std::set<std::uint64_t> reached;
  for (const std::uint64_t lane : lanes_of(access.active))
    reached.insert(memory.part_bytes == 0 ? 0 : access.address[lane] / memory.part_bytes);
  return {reached.begin(), reached.end()};
}

std::vector<AlikeAccesses> alike(const MemoryView& memory) {
  using Phase = std::tuple<int, std::uint64_t, int>;
  std::map<std::vector<Phase>, std::size_t> seen;  // where in `found`
  std::vector<AlikeAccesses> found;
  for (std::size_t i = 0; i < memory.reports.size(); ++i) {
    std::vector<Phase> phases;
    for (const memory::PhaseReport& phase : memory.reports[i].phases)
      phases.emplace_back(phase.number, phase.lanes, phase.passes);
    const auto [at, is_new] = seen.try_emplace(std::move(phases), found.size());
    if (is_new) found.push_back({i, 0});
    ++found[at->second].count;
  }
  return found;
}

std::string instructions_text(const AccessView& access, const MemoryView& memory) {
  const std::size_t count = memory.issued.list.size();
  const memory::IssuedAccess& first = memory.issued.list.front();
  if (memory::is_matrix_move(first.kind))
    return formatted("{} {}.x{}{}", count, memory::name(first.kind), first.matrices,
                     access.move.transposed ? ".trans" : "");
  if (!access.instruction.empty()) return formatted("{} {}", count, access.instruction);
  return formatted("{} of {} a lane", counted(count, memory::name(first.kind)),
                   counted(first.bytes, "byte"));
}

std::string ranges_text(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += formatted("{}{}", text.empty() ? "" : " ", numbers[i]);
    if (end - i > 1) text += formatted("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::vector<std::uint64_t> lanes_of(std::uint64_t mask) {
  std::vector<std::uint64_t> lanes;
  for (; mask != 0; mask &= mask - 1)
    lanes.push_back(static_cast<std::uint64_t>(std::countr_zero(mask)));
  return lanes;
}

memory::Evidence evidence(const AccessView& access, const MemoryView& memory) {
  const memory::IssuedAccess& first = memory.issued.list.front();
  const memory::Evidence evidence = access.model.evidence(first.kind, first.bytes);
  // Only plain loads were measured; the phases of loads that transpose are assumed.
  return access.instruction.empty() ? evidence : memory::Evidence::assumed;
}

}  // namespace heddle::answers
