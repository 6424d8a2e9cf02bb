#include "answers/instruction/similar_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "heddle/instruction/names.h"
#include "heddle/instruction/nearest.h"
#include "heddle/interop/iree_text.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using instruction::Instruction;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool is_there(const Instruction& row, std::optional<instruction::Target> target) {
  return !target || row.is_of(instruction::processor(*target).family);
}

/// Names that contain `part`, without repetitions: names of the catalogue or, if there are none, of
/// LLVM and CUTLASS.
std::vector<std::string> names_with(const std::string& part,
                                    std::optional<instruction::Target> target) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (!lower(name).contains(part) || std::ranges::find(names, name) != names.end()) return;
    names.emplace_back(name);
  };
  for (const Instruction& row : instruction::all_instructions())
    if (is_there(row, target)) add(row.name);
  if (!names.empty()) return names;
  for (const Instruction& row : instruction::all_instructions()) {
    if (!is_there(row, target)) continue;
    add(row.intrinsic);
    add(instruction::cutlass_name(row).view());
  }
  return names;
}

/// The command that lists names. `part`: a part of the names, with a space before it; empty: all.
std::string list_command(std::optional<instruction::Target> target, const std::string& part = "") {
  return target ? formatted("`heddle list{} --arch {}`", part, instruction::name(*target))
                : formatted("`heddle list{}`", part);
}

/// "5 instructions have 'wgmma' in their names: …"; empty if no name contains `part`.
std::string containing(const std::string& part, std::optional<instruction::Target> target) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> names = names_with(part, target);
  const std::size_t count = names.size();
  if (count == 0) return "";
  if (count == 1) return formatted("one instruction has '{}' in its name: {}", part, names[0]);
  names.resize(std::min(count, shown));
  return formatted(
      "{} instructions have '{}' in their names: {}{}", count, part, joined(names, ", "),
      count > shown ? formatted(", …; {} has them all", list_command(target, " " + part))
                    : std::string());
}

/// Names that differ from `missing` in a few characters, nearest first.
std::vector<std::string> nearest(std::string_view missing,
                                 std::optional<instruction::Target> target) {
  const int most_slips = std::max(2, static_cast<int>(missing.size() / 4));
  std::vector<std::string> names;
  const auto among = target ? instruction::Families(instruction::processor(*target).family)
                            : instruction::all_families;
  for (const Instruction* row : instruction::nearest_by_any_name(missing, among)) {
    if (row == nullptr) continue;
    std::string name(instruction::name_in_style(*row, missing).view());
    const int slips =
        std::min({instruction::edit_distance(missing, name),
                  instruction::edit_distance(missing, row->intrinsic),
                  instruction::edit_distance(instruction::short_ptx_name(missing),
                                             instruction::short_ptx_name(row->name))});
    if (slips <= most_slips) names.push_back(std::move(name));
  }
  return names;
}

/// A catalogue name consists of parts between points and underscores. Returns the part, of any
/// name, of which `word` may be a misspelling; empty if there is none.
std::string near_part(const std::string& word, std::optional<instruction::Target> target) {
  constexpr std::size_t shortest = 4;  // below, a slip makes any part of any other
  if (word.size() < shortest) return "";
  for (const Instruction& row : instruction::all_instructions()) {
    if (!is_there(row, target)) continue;
    for (std::string_view rest = row.name; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find_first_of("._"));
      if (part.size() >= shortest && instruction::edit_distance(word, part) == 1)
        return std::string(part);
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
  }
  return "";
}

/// A sentence about a virtual intrinsic of IREE such as VMFMA_F32_16x16x32_F16: it names the
/// instructions from which IREE builds this intrinsic. Empty for other names. Source:
/// iree-org/iree, IREEGPUAttrs.cpp, MMAAttr::getVirtualIntrinsics and VirtualMMAAttr.
std::string of_virtual(std::string_view name) {
  if (name.starts_with("VDMFMA_"))
    return "it is virtual: several instructions that IREE puts together for a product of few rows";
  if (!name.starts_with("VMFMA_")) return "";
  const std::size_t end = name.find('_', name.find('x'));
  const std::size_t begin = name.substr(0, end).rfind('x') + 1;
  const auto wide = instruction::parse_iree_name(name.substr(1));
  for (const int parts : {1, 2, 4}) {
    if (!wide || wide->k % parts != 0) break;
    const std::string own = formatted("{}{}{}", name.substr(1, begin - 1), wide->k / parts,
                                      name.substr(std::min(end, name.size())));
    for (const instruction::ProcessorRow& processor : instruction::processor_rows) {
      if (!instruction::find_by_any_name(own, processor.target, 0)) continue;
      // gfx950 has one instruction of this shape, but the virtual intrinsic does not stand for it.
      if (parts == 1 && processor.target == instruction::Target::gfx950) continue;
      const bool is_known = !interop::iree::virtual_operand(formatted("{}.A", name)).empty();
      return formatted("it is virtual: IREE makes it of {}{}, with another order of k{}",
                       parts == 1 ? std::string() : formatted("{} ", parts), own,
                       is_known ? formatted("; `heddle layout {}.A` draws it", name) : "");
    }
  }
  return "it is virtual: several instructions that IREE puts together";
}

}  // namespace

std::string similar_names(std::string_view missing, std::optional<instruction::Target> target) {
  constexpr std::size_t shortest = 3;
  const std::string wanted = lower(missing);
  if (std::string parts = of_virtual(missing); !parts.empty()) return parts;
  if (wanted.size() >= shortest)
    if (std::string found = containing(wanted, target); !found.empty()) return found;
  if (const auto near = nearest(missing, target); !near.empty())
    return formatted("{} {}", target ? "nearest names there:" : "the nearest names are",
                     joined(near, ", "));
  for (std::size_t point = wanted.find('.'); point != std::string::npos;
       point = wanted.find('.', point + 1)) {
    const std::string part = wanted.substr(point + 1);
    if (part.size() < shortest) break;
    if (std::string found = containing(part, target); !found.empty()) return found;
  }
  if (const std::string part = near_part(wanted, target); !part.empty())
    return formatted("did you mean {}? {} has all names", part, list_command(target));
  return formatted("{} has all names", list_command(target));
}

}  // namespace heddle::answers
