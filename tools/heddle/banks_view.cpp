#include "tools/heddle/banks_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "heddle/instruction/names.h"
#include "heddle/interop/native.h"
#include "tools/heddle/selection.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

using instruction::Operand;
using instruction::Target;

template <class T>
using Answer = std::expected<T, std::string>;

/// A text in any dialect that the program reads.
Answer<interop::NativeLayout> read_layout(std::string_view option, const std::string& text) {
  auto read = interop::read_native(text);
  if (read) return *std::move(read);
  return std::unexpected(
      fmt::format("{} column {}: {}", option, read.error().column, read.error().message));
}

Answer<memory::SharedLayout> read_memory(const std::string& text) {
  const auto read = read_layout("--memory", text);
  if (!read) return std::unexpected(read.error());
  if (const auto* shared = std::get_if<memory::SharedLayout>(&*read)) return *shared;
  return std::unexpected(
      "--memory is a layout of shared memory: its first input axis is 'offset', as in 'offset: "
      "(0,1) (1,0) -> m: 2, k: 2'");
}

/// An operand by name, "A" to "P", or nothing.
std::optional<Operand> operand_named(std::string_view text) {
  for (const Operand operand : instruction::all_operands)
    if (text == instruction::name(operand)) return operand;
  return std::nullopt;
}

const instruction::ElementTypeRow* find_type(std::string_view name) {
  for (const instruction::ElementTypeRow& row : instruction::element_type_rows)
    if (row.name == name) return &row;
  return nullptr;
}

/// The type by name, for the access; an empty name keeps what is there.
Answer<void> set_type(const std::string& name, AccessView& access) {
  if (name.empty()) return {};
  const instruction::ElementTypeRow* type = find_type(name);
  if (type == nullptr)
    return std::unexpected(fmt::format(
        "--type: no element type '{}'; there are f16, bf16, f32, fp8, i8, b16, …", name));
  access.type = name;
  access.move.element_bits = type->bits;
  return {};
}

instruction::ElementType type_of(const instruction::Instruction& row, Operand operand) {
  if (operand == Operand::a) return row.a_type;
  return operand == Operand::b ? row.b_type : row.d_type;
}

/// The access that is an operand of an instruction: its map, and the width of its elements.
Answer<void> set_operand(const BanksArguments& arguments, Target target, AccessView& access) {
  const std::size_t dot = arguments.access.rfind('.');
  const auto operand = dot == std::string::npos
                           ? std::nullopt
                           : operand_named(std::string_view(arguments.access).substr(dot + 1));
  if (!operand)
    return std::unexpected(
        "--access is a layout, as 'register: (0,1); lane: (1,0) (2,0) … -> m: 16, k: 16', or an "
        "operand of an instruction, as v_wmma_f32_16x16x16_f16.A");
  RowArguments named;
  named.name = arguments.access.substr(0, dot);
  named.target = std::string(instruction::name(target));
  named.wave = arguments.wave;
  const auto row = select_row(named);
  if (!row) return std::unexpected(row.error());
  const instruction::OperandMap& map = row->row.map(*operand);
  if (map.text.empty())
    return std::unexpected(
        fmt::format("{} of {} lies in no registers", instruction::name(*operand), row->row.name));
  const auto order = arguments.k_order == "contiguous" ? instruction::KOrder::contiguous
                                                       : instruction::KOrder::isa;
  access.held = instruction::fragment(row->row, *operand, order);
  access.move.element_bits = map.bits;
  access.type = instruction::name(type_of(row->row, *operand));
  return {};
}

Answer<void> set_layout(const BanksArguments& arguments, AccessView& access) {
  const auto read = read_layout("--access", arguments.access);
  if (!read) return std::unexpected(read.error());
  const auto* held = std::get_if<layout::LinearLayout>(&*read);
  if (held == nullptr)
    return std::unexpected(
        "--access is a layout of shared memory; it needs one of lanes and registers, or an operand "
        "of an instruction, as v_wmma_f32_16x16x16_f16.A");
  access.held = *held;
  access.type = "f16";
  return {};
}

/// Loads or stores, plain or of matrices.
Answer<void> set_kind(const BanksArguments& arguments, AccessView& access) {
  using memory::AccessKind;
  access.move.kind = arguments.store ? AccessKind::store : AccessKind::load;
  if (arguments.with.empty()) return {};
  if (!access.model.has_matrix_moves)
    return std::unexpected(fmt::format("{} has no {}", access.model.name, arguments.with));
  const bool loads = arguments.with.starts_with("ldmatrix");
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
  if (error == std::errc() && end == digits.data() + digits.size()) return {};
  return std::unexpected(
      fmt::format("--active: '{}' is no mask of lanes, as 0xffff of lanes 0 to 15", text));
}

Answer<AccessView> access_view(const BanksArguments& arguments) {
  const auto target = read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  const int wave = arguments.wave == 0 ? instruction::default_wave(*target) : arguments.wave;
  if (!memory::has_wave(*target, wave))
    return std::unexpected(fmt::format("{} has no waves of {} lanes", arguments.target, wave));
  AccessView access;
  access.model = memory::bank_model(*target, wave);
  access.move.wave = wave;
  access.move.bytes = arguments.bytes;
  access.name = arguments.access;
  const bool is_layout = arguments.access.find("->") != std::string::npos;
  for (const auto& done :
       {is_layout ? set_layout(arguments, access) : set_operand(arguments, *target, access),
        set_type(arguments.type, access), set_kind(arguments, access),
        set_active(arguments.active, access)})
    if (!done) return std::unexpected(done.error());
  return access;
}

Answer<MemoryView> memory_view(const AccessView& access, const std::string& text) {
  MemoryView view;
  view.name = text;
  const auto shared = read_memory(text);
  if (!shared) return std::unexpected(shared.error());
  view.shared = *shared;
  auto issued = memory::issue(*shared, access.held, access.move);
  if (!issued) return std::unexpected(issued.error());
  view.issued = *std::move(issued);
  for (memory::IssuedAccess& one : view.issued.list) {
    one.active &= access.active;
    view.reports.push_back(memory::explain(access.model, one.view()));
    const memory::Cost cost = view.reports.back().cost();
    view.total.phases += cost.phases;
    view.total.extra_passes += cost.extra_passes;
  }
  view.reasons = memory::conflict_reasons(access.model, *shared, view.issued, view.reports);
  return view;
}

}  // namespace

std::expected<BanksView, std::string> banks_view(const BanksArguments& arguments) {
  const auto access = access_view(arguments);
  if (!access) return std::unexpected(access.error());
  BanksView view{*access, {}};
  for (const std::string& text : arguments.memories) {
    auto memory = memory_view(*access, text);
    if (!memory) return std::unexpected(memory.error());
    view.memories.push_back(*std::move(memory));
  }
  return view;
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
    return fmt::format("{} {}.x{}{}", count, memory::name(first.kind), first.matrices,
                       access.move.transposed ? ".trans" : "");
  return fmt::format("{} {}{} of {} byte{} a lane", count, memory::name(first.kind),
                     count == 1 ? "" : "s", first.bytes, first.bytes == 1 ? "" : "s");
}

std::string ranges_text(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : " ", numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
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
  return access.model.evidence(first.kind, first.bytes);
}

}  // namespace heddle::tool
