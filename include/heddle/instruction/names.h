// Finds an instruction by any of its names: the assembler's mnemonic or an alias of it, also in
// capitals and with LLVM's suffixes; PTX with or without its qualifiers; a CUTLASS atom; IREE's or
// FlyDSL's name; LLVM's intrinsic; clang's builtin.
//
//   find_by_any_name("SM80_16x8x16_F32F16F16F32_TN", Target::sm_80)
//   find_by_any_name("wgmma.mma_async.m64n96k16.f32.f16.f16", Target::sm_90)->n == 96
//   find_by_any_name("__builtin_amdgcn_wmma_f32_16x16x16_f16_w32", Target::gfx1151)
//   find_by_any_name("V_MFMA_F32_32X32X8_F16_e64", Target::gfx942)
//   find_by_any_name("WMMAR3_F32_16x16x16_F16", Target::gfx1151)
//
// For a name that is not found, a message says on which targets it exists or which names are
// similar:
//
//     why_missing_by_any_name("SM80_16x8x16_F32F16F16F32_TN", Target::sm_70)
//         "sm_70 has no instruction SM80_16x8x16_F32F16F16F32_TN; it exists on sm_80, sm_86, …"
//
//     whose name        begins with                          read by
//     the assembler's   v_, ds_, global_, mma., wgmma. …     find (catalogue.h), aliases.h
//     LLVM's intrinsic  llvm.amdgcn., llvm.nvvm.             is_intrinsic
//     clang's builtin   __builtin_amdgcn_, __nvvm_           is_builtin
//     LLVM's machine    V_MFMA_…_e64                         plain_mnemonic
//     CUTLASS's         SM80_, SM90_, SM120::                cutlass_name.h
//     IREE's            MFMA_, WMMAR3_, NV_MMA_SYNC_         iree_name.h
//     FlyDSL's          !fly_rocdl., !fly.mma_atom<          fly_name.h
//     PTX, shortened    mma.m16n8k16.f32…                    ptx_name.h
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/cutlass_name.h"
#include "heddle/instruction/fly_name.h"
#include "heddle/instruction/iree_name.h"
#include "heddle/instruction/nearest.h"
#include "heddle/instruction/ptx_name.h"

namespace heddle::instruction {

/// True if `suffix` is one that LLVM appends for overloaded types: .v8f32.v16f16, .p3
constexpr bool is_overload(std::string_view suffix) {
  if (!suffix.starts_with(".v") && !suffix.starts_with(".p")) return false;
  return all_parts(suffix.substr(1), '.', [](std::string_view part) {
    return part.size() > 1 && (part[0] == 'v' || part[0] == 'p' || part[0] == 'i') &&
           part[1] >= '0' && part[1] <= '9';
  });
}

/// True if two names are equal except for separators: LLVM separates the parts of an intrinsic by
/// '.', and clang those of a builtin by '_'.
constexpr bool same_but_separators(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto joined = [](char c) { return c == '.' ? '_' : c; };
    if (joined(a[i]) != joined(b[i])) return false;
  }
  return true;
}

/// True if `name` is the row's intrinsic. The name may have additional parts that do not change
/// layouts (`satfinite`, `tied`) or the suffix of overloaded types. It may lack the number of
/// scales, if the row's kind has only one such number.
constexpr bool is_intrinsic(const Instruction& row, std::string_view name) {
  if (row.intrinsic.empty()) return false;
  std::string_view wanted = row.intrinsic;
  std::size_t same = 0;
  while (same < wanted.size() && same < name.size() && wanted[same] == name[same]) ++same;
  const std::string_view rest = name.substr(same);
  if (same == wanted.size() && (rest.empty() || is_overload(rest) || rest == ".tied")) return true;
  const std::size_t part = wanted.substr(0, same).rfind('.') + 1;  // the first that differs
  const auto skip = [&](std::string_view& text, std::string_view optional) {
    text.remove_prefix(part);
    if (text.starts_with(optional)) text.remove_prefix(optional.size());
  };
  skip(name, "satfinite.");
  skip(wanted, has_part(row.name, "kind::mxf4") ? "scale.2x." : "scale.1x.");
  const bool only_scales = has_part(row.name, "kind::mxf4") || has_part(row.name, "kind::mxf8f6f4");
  return wanted == name && (only_scales || row.d_type == ElementType::i32);
}

inline constexpr std::string_view suffix_of_gfx12 = "_gfx12";

/// True if clang's builtin for the row's intrinsic ends with _gfx12. gfx11 and gfx12 share the
/// intrinsics of dense products, but each has its own builtin.
constexpr bool has_builtin_of_gfx12(const Instruction& row) {
  return row.is_of(Family::gfx12) && !row.is_sparse() && row.kind == Kind::multiply;
}

/// True if `name` is clang's builtin of an AMD load. The name of such a builtin is made of the name
/// of the intrinsic and the result type. For gfx1250's loads from global memory it is made of the
/// mnemonic and the result type.
constexpr bool is_load_builtin(const Instruction& row, std::string_view name) {
  constexpr std::string_view of_intrinsic = "llvm.amdgcn.";
  if (!row.intrinsic.starts_with(of_intrinsic)) return false;
  const bool by_mnemonic = row.is_of(Family::gfx1250);
  const std::string_view base = by_mnemonic ? row.name : row.intrinsic.substr(of_intrinsic.size());
  if (name.size() <= base.size() || !same_but_separators(base, name.substr(0, base.size())))
    return false;
  const std::string_view type = name.substr(base.size());
  const bool is_vector = type.starts_with("_v") && type.size() > 2;
  // The type "_v8f16" or "_v2i32" has as many bits as the registers of D. For one register it is
  // "_i32".
  if (!is_vector) return type == "_i32" && row.d.registers == 1;
  std::string_view digits = type.substr(2);
  const int count = leading_number(digits);
  digits.remove_prefix(digits.empty() ? 0 : 1);
  if (digits.starts_with("f")) digits.remove_prefix(1);  // of bf16
  return count * leading_number(digits) == 32 * row.d.registers && digits.empty();
}

/// True if `name` is clang's builtin for the row's intrinsic.
constexpr bool is_builtin(const Instruction& row, std::string_view name) {
  constexpr std::array prefixes{std::pair{std::string_view("__builtin_amdgcn_"), "llvm.amdgcn."},
                                std::pair{std::string_view("__nvvm_"), "llvm.nvvm."}};
  for (const auto& [of_builtin, of_intrinsic] : prefixes) {
    const std::string_view prefix = of_intrinsic;
    if (!name.starts_with(of_builtin) || !row.intrinsic.starts_with(prefix)) continue;
    name.remove_prefix(of_builtin.size());
    if (row.kind == Kind::load && !is_nvidia(row.family())) return is_load_builtin(row, name);
    if (name.ends_with(suffix_of_gfx12) != has_builtin_of_gfx12(row)) return false;
    if (name.ends_with(suffix_of_gfx12)) name.remove_suffix(suffix_of_gfx12.size());
    for (const int wave : {32, 64}) {
      const std::string_view suffix = wave == 32 ? "_w32" : "_w64";
      if (!name.ends_with(suffix)) continue;
      if (row.wave != wave) return false;
      name.remove_suffix(suffix.size());
    }
    if (name.ends_with("_tied")) name.remove_suffix(5);
    return same_but_separators(row.intrinsic.substr(prefix.size()), name);
  }
  return false;
}

/// An AMD mnemonic in lower case and without the suffixes of LLVM's machine instructions:
/// V_WMMA_F32_16X16X16_F16_w32 is v_wmma_f32_16x16x16_f16 in waves of 32.
struct PlainMnemonic {
  std::array<char, 96> letters{};
  std::size_t size = 0;
  int wave = 0;  // as the suffix says; 0: it does not

  constexpr std::string_view view() const { return {letters.data(), size}; }
};

/// Converts a name to a PlainMnemonic; the result is empty if the name is not an AMD mnemonic.
constexpr PlainMnemonic plain_mnemonic(std::string_view name) {
  PlainMnemonic plain;
  bool is_mnemonic = false;
  for (const std::string_view prefix : {"V_", "v_", "DS_", "ds_", "GLOBAL_", "global_"})
    is_mnemonic = is_mnemonic || name.starts_with(prefix);
  if (!is_mnemonic || name.size() > plain.letters.size()) return plain;
  constexpr std::array<std::pair<std::string_view, int>, 4> suffixes{
      {{"_e64", 0}, {"_e32", 0}, {"_w32", 32}, {"_w64", 64}}};
  for (const auto& [suffix, wave] : suffixes) {
    if (!name.ends_with(suffix)) continue;
    name.remove_suffix(suffix.size());
    plain.wave = wave;
    break;
  }
  for (const char c : name)
    plain.letters[plain.size++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return plain;
}

/// True if the name itself says how many lanes a wave has.
constexpr bool names_wave(std::string_view name) {
  return plain_mnemonic(name).wave != 0 ||
         (name.starts_with("__builtin_amdgcn_") && (name.find("_w32") != std::string_view::npos ||
                                                    name.find("_w64") != std::string_view::npos));
}

/// The instruction of this row that has the name, or nothing. `atom` is the result of
/// parse_cutlass_atom for the name, so that the name is parsed only once for all rows.
constexpr std::optional<Instruction> match_any_name(const Instruction& row, std::string_view name,
                                                    const std::optional<CutlassAtom>& atom) {
  if (row.name == name || is_intrinsic(row, name) || is_builtin(row, name)) return row;
  if (!is_nvidia(row.family())) return std::nullopt;
  if (atom) return match_cutlass_atom(row, *atom);
  for (const CutlassCopy& copy : cutlass_copies)
    if (copy.name == name) return copy.ptx == row.name ? std::optional(row) : std::nullopt;
  return match_ptx_name(row, name);
}

/// True if `target` has the instruction: its family must have the instruction, and sm_103 lacks
/// some instructions of its family.
constexpr bool exists_on(const Instruction& row, Target target) {
  return row.is_of(processor(target).family) &&
         (target != Target::sm_103 || !row.has(Constraint::not_on_sm_103));
}

/// The instruction with this name on `target`, in waves of `wave` lanes.
/// - If `wave` is 0, the name says the number of lanes, or it is default_wave(target).
/// - If the name is that of a wgmma with a certain n, the result has this n. If the name says that
/// A is in shared memory, the result has A there.
/// - If several rows have the name (the layouts of m8n8k4), the first is returned.
constexpr std::optional<Instruction> find_by_any_name(std::string_view name, Target target,
                                                      int wave = 0) {
  const PlainMnemonic plain = plain_mnemonic(name);
  if (plain.size > 0) name = plain.view();
  if (plain.wave != 0 && wave != 0 && wave != plain.wave) return std::nullopt;
  if (plain.wave != 0) wave = plain.wave;
  name = canonical(name, target);
  const std::optional<CutlassAtom> atom = parse_cutlass_atom(name);
  const std::optional<ShapeAndTypes> shaped =
      begins_as_fly_name(name) ? parse_fly_name(name) : parse_iree_name(name);
  for (const Instruction& row : all_instructions()) {
    if (!exists_on(row, target)) continue;
    const int wanted = wave == 0 ? default_wave(target) : wave;
    const bool any_wave = row.wave > 64 || (wave == 0 && names_wave(name));
    if (row.wave != wanted && !any_wave) continue;
    const std::optional<Instruction> found =
        shaped ? match(row, *shaped) : match_any_name(row, name, atom);
    if (found) return found;
  }
  return std::nullopt;
}

/// The name of the row in the style of `name`: CUTLASS's name if `name` is one of CUTLASS, else the
/// mnemonic.
constexpr CutlassName name_in_style(const Instruction& row, std::string_view name) {
  if (name.starts_with("SM")) return cutlass_name(row);
  CutlassName text;
  text.append(row.name);
  return text;
}

inline constexpr Families all_families = [] {
  Families all;
  all.bits = ~0u;
  return all;
}();

/// The three rows whose names, in the style of `name`, are most similar to `name`, among the rows
/// that any family of `among` has. Missing rows are nullptr.
constexpr std::array<const Instruction*, 3> nearest_by_any_name(std::string_view name,
                                                                Families among = all_families) {
  const auto short_name = short_ptx_name(name);
  NearestNames nearest(name);
  for (const Instruction& row : all_instructions()) {
    if ((row.families.bits & among.bits) == 0) continue;
    if (name.starts_with("SM")) {
      const auto candidate = cutlass_name(row);
      if (candidate.size() > 0) nearest.consider(row.name, edit_distance(name, candidate));
    } else if (name.starts_with("llvm.")) {
      nearest.consider(row.name, edit_distance(name, row.intrinsic));
    } else {
      nearest.consider(row.name, edit_distance(short_name, short_ptx_name(row.name)));
    }
  }
  std::array<const Instruction*, 3> rows{};
  for (const Instruction& row : all_instructions())
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i] == nullptr && row.name == nearest.names()[i]) rows[i] = &row;
  return rows;
}

/// The name of clang's builtin for the other generation, gfx11 or gfx12: adds or removes _gfx12.
/// Empty if `name` is not a builtin of AMD or is too long.
constexpr CutlassName builtin_of_other_generation(std::string_view name) {
  CutlassName other;
  const bool is_of_amd = name.starts_with("__builtin_amdgcn_");
  if (!is_of_amd || name.size() + suffix_of_gfx12.size() > longest_compared_name) return other;
  if (name.ends_with(suffix_of_gfx12)) {
    other.append(name.substr(0, name.size() - suffix_of_gfx12.size()));
  } else {
    other.append(name);
    other.append(suffix_of_gfx12);
  }
  return other;
}

/// Explains why find_by_any_name(name, target, wave) finds nothing: lists the targets that have the
/// instruction, or the most similar names on `target`.
constexpr Sentence why_missing_by_any_name(std::string_view name, Target target, int wave = 0) {
  Sentence sentence;
  sentence.append(instruction::name(target));
  sentence.append(" has no instruction ");
  sentence.append(name.substr(0, longest_compared_name));
  const bool nvidia = is_nvidia(processor(target).family);
  if (!nvidia && !names_wave(name)) {
    sentence.append(" in waves of ");
    sentence.append_number(static_cast<std::uint64_t>(wave == 0 ? default_wave(target) : wave));
  }
  const CutlassName there = builtin_of_other_generation(name);
  if (there.size() > 0 && find_by_any_name(there, target, wave)) {
    sentence.append("; the builtin is called ");
    sentence.append(there);
    sentence.append(" there");
    return sentence;
  }
  std::string_view separator = "; it exists on ";
  for (const ProcessorRow& other : processor_rows) {
    for (const int lanes : {32, 64}) {
      const auto found = find_by_any_name(name, other.target, lanes);
      if (!found || (is_nvidia(other.family) && lanes == 64)) continue;
      sentence.append(separator);
      sentence.append(other.name);
      if (!is_nvidia(other.family)) sentence.append(lanes == 32 ? " (wave32)" : " (wave64)");
      separator = ", ";
    }
  }
  if (separator == ", ") return sentence;
  separator = "; nearest names there: ";
  for (const Instruction* near : nearest_by_any_name(name, processor(target).family)) {
    if (near == nullptr) continue;
    sentence.append(separator);
    sentence.append(name_in_style(*near, name));
    separator = ", ";
  }
  return sentence;
}

}  // namespace heddle::instruction
