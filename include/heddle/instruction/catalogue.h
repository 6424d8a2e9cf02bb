// The catalogue of matrix instructions: look one up, at run time or at compile time, and get the
// layouts of its operands.
//
//   constexpr auto& wmma = get<"v_wmma_f32_16x16x16_f16", Target::gfx1151>();
//   constexpr LinearLayout a = fragment(wmma, Operand::a);
//   static_assert(a.apply({{"element", 1}, {"register", 3}, {"lane", 5}})->at("k") == 7);
//
//   if (const Instruction* found = find(name, Target::gfx1201)) use(*found);
//   else report(why_missing(name, Target::gfx1201, 32).view());
//
// THREE WAYS TO LOOK ONE UP
//
//     get<name, target>()            a constant; a wrong name does not compile
//     find(name, target, wave)       at run time or in a constant expression; nullptr without one
//     find_by_any_name(name, …)      by the names of CUTLASS, LLVM, IREE, FlyDSL, clang (names.h)
//
//     why_missing("v_wmma_f32_16x16x16_fp8_fp8", Target::gfx1151, 32)
//         "gfx1151 has no instruction v_wmma_f32_16x16x16_fp8_fp8 in waves of 32; it exists on
//         gfx1200 (wave32), gfx1200 (wave64), gfx1201 (wave32), gfx1201 (wave64)"
//     why_missing("v_wmma_f32_16x16x16_f17", Target::gfx1151, 32)
//         "gfx1151 has no instruction v_wmma_f32_16x16x16_f17 in waves of 32; nearest names there:
//         v_wmma_f32_16x16x16_f16, v_wmma_f32_16x16x16_bf16, v_wmma_f16_16x16x16_f16"
//
// One name has several rows if waves of 32 and of 64 hold elements differently. NVIDIA's rows have
// the names of PTX with all qualifiers. wgmma has one row for all n; with_n (variant.h) makes the
// row of one n from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "heddle/instruction/aliases.h"
#include "heddle/instruction/cdna_table.h"
#include "heddle/instruction/fragment.h"
#include "heddle/instruction/gfx1250_table.h"
#include "heddle/instruction/instruction.h"
#include "heddle/instruction/matrix_move_table.h"
#include "heddle/instruction/mma_table.h"
#include "heddle/instruction/nearest.h"
#include "heddle/instruction/rdna_table.h"
#include "heddle/instruction/tcgen05_mma_table.h"
#include "heddle/instruction/tensor_memory_table.h"
#include "heddle/instruction/transpose_load_table.h"
#include "heddle/instruction/variant.h"
#include "heddle/instruction/wgmma_table.h"
#include "heddle/layout/text.h"

namespace heddle::instruction {

/// The rows of several tables, one after the other.
template <typename... Tables>
constexpr auto concatenated(const Tables&... tables) {
  std::array<Instruction, (... + std::tuple_size_v<Tables>)> all{};
  std::size_t count = 0;
  const auto append = [&](const auto& table) {
    for (const Instruction& row : table) all[count++] = row;
  };
  (..., append(tables));
  return all;
}

/// All rows as one array, for constant expressions. Code at run time uses all_instructions().
inline constexpr auto instructions =
    concatenated(rdna_instructions, cdna_instructions, gfx1250_instructions,
                 transpose_load_instructions, mma_instructions, matrix_move_instructions,
                 wgmma_instructions, tensor_instructions, tensor_move_instructions);

#ifdef HEDDLE_COMPILED_CATALOGUE
/// The array `instructions`, compiled once (library/instruction/catalogue.cpp). Only the build of
/// Heddle itself has it. Without it, a compiler evaluates the tables anew in each file that reads a
/// row at run time, which takes more than a second. The rows of compiled_instructions have other
/// addresses than the rows that get() returns.
extern decltype(instructions) compiled_instructions;
#endif

/// A range of all rows of the catalogue. The object is empty, and size() follows from a type alone.
/// Otherwise a compiler would try to evaluate the table wherever a loop binds a reference to the
/// object or calls a member function.
struct Catalogue {
  constexpr const Instruction* begin() const {
#ifdef HEDDLE_COMPILED_CATALOGUE
    if (!std::is_constant_evaluated()) return compiled_instructions.data();
#endif
    return instructions.data();
  }
  constexpr const Instruction* end() const { return begin() + size(); }
  constexpr std::size_t size() const { return std::tuple_size_v<decltype(instructions)>; }
  constexpr const Instruction& operator[](std::size_t row) const { return begin()[row]; }
};
constexpr Catalogue all_instructions() { return {}; }

/// The row of `name`, a mnemonic or an alias of one, on `target` in waves of `wave` lanes; nullptr
/// if there is none.
constexpr const Instruction* find(std::string_view name, Target target, int wave) {
  name = canonical(name, target);
  const Family family = processor(target).family;
  const Catalogue rows = all_instructions();
  for (std::size_t i = 0; i < rows.size(); ++i) {  // a compiler counts an iterator's steps
    const Instruction& candidate = rows[i];
    if (candidate.is_of(family) && candidate.wave == wave && candidate.name == name)
      return &candidate;
  }
  return nullptr;
}

/// The row of `name` in waves of default_wave(target) lanes, or else of 128 or 256 lanes.
constexpr const Instruction* find(std::string_view name, Target target) {
  const Instruction* found = nullptr;
  for (const int wave : {default_wave(target), 128, 256})
    if (found == nullptr) found = find(name, target, wave);
  return found;
}

/// The dense instruction of `target` that multiplies two operands of type `a` into `d`. If there
/// are several, the one with the smallest k; nullptr if there is none.
constexpr const Instruction* find_dense(Target target, ElementType a, ElementType d, int wave) {
  const Instruction* best = nullptr;
  for (const Instruction& candidate : all_instructions()) {
    if (candidate.kind != Kind::multiply || !candidate.is_of(processor(target).family) ||
        candidate.wave != wave || candidate.is_sparse())
      continue;
    if (candidate.a_type != a || candidate.b_type != a || candidate.d_type != d) continue;
    if (best == nullptr || candidate.k < best->k) best = &candidate;
  }
  return best;
}

constexpr const Instruction* find_dense(Target target, ElementType a, ElementType d) {
  return find_dense(target, a, d, default_wave(target));
}

/// Up to three mnemonics of `target` that are most similar to `name`.
constexpr std::array<std::string_view, 3> nearest_names(std::string_view name, Target target) {
  NearestNames nearest(name);
  for (const Instruction& candidate : all_instructions()) {
    if (candidate.is_of(processor(target).family)) nearest.consider(candidate.name);
  }
  return nearest.names();
}

using Sentence = layout::FixedText<600>;

/// The families on whose processors find(name, target, wave) has a row.
/// An alias counts for the families that take it (aliases.h).
constexpr Families families_with(std::string_view name, int wave) {
  const std::string_view meant = meaning(name);
  Families families;
  const Catalogue rows = all_instructions();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Instruction& candidate = rows[i];
    if (candidate.wave == wave && (candidate.name == name || candidate.name == meant))
      families = families | candidate.families;
  }
  return families;
}

/// Explains why find(name, target, wave) is nullptr: lists the targets that have the instruction,
/// or the most similar names on `target`.
constexpr Sentence why_missing(std::string_view name, Target target, int wave) {
  Sentence sentence;
  sentence.append(instruction::name(target));
  sentence.append(" has no instruction ");
  sentence.append(name.substr(0, longest_compared_name));
  if (!is_nvidia(processor(target).family)) {
    sentence.append(" in waves of ");
    sentence.append_number(static_cast<std::uint64_t>(wave));
  }
  std::string_view separator = "; it exists on ";
  constexpr std::array waves{32, 64, 128, 256};
  std::array<Families, waves.size()> families{};
  for (std::size_t i = 0; i < waves.size(); ++i) families[i] = families_with(name, waves[i]);
  for (const ProcessorRow& other : processor_rows) {
    for (std::size_t i = 0; i < waves.size(); ++i) {
      if (!families[i].contains(other.family)) continue;
      const int lanes = waves[i];
      sentence.append(separator);
      sentence.append(other.name);
      if (!is_nvidia(other.family)) sentence.append(lanes == 32 ? " (wave32)" : " (wave64)");
      separator = ", ";
    }
  }
  if (separator == ", ") return sentence;
  // NVIDIA's names are too many and too long to be compared in a constant.
  if (std::is_constant_evaluated() && is_nvidia(processor(target).family)) return sentence;
  separator = "; nearest names there: ";
  for (std::string_view near : nearest_names(name, target)) {
    if (near.empty()) continue;
    sentence.append(separator);
    sentence.append(near);
    separator = ", ";
  }
  return sentence;
}

/// A string literal as a template argument.
template <std::size_t size>
struct Literal {
  char characters[size]{};
  consteval Literal(const char (&text)[size]) {
    for (std::size_t i = 0; i < size; ++i) characters[i] = text[i];
  }
  constexpr std::string_view view() const { return {characters, size - 1}; }
};

/// The row of `name` on `target`, at compile time. A wrong name does not compile, and the compiler
/// prints the message of why_missing.
template <Literal name, Target target, int wave = default_wave(target)>
consteval const Instruction& get() {
  constexpr const Instruction* found =
      wave == default_wave(target) ? find(name.view(), target) : find(name.view(), target, wave);
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
  constexpr Sentence message =
      found == nullptr ? why_missing(name.view(), target, wave) : Sentence();
  static_assert(found != nullptr, message);
#pragma clang diagnostic pop
#else
  static_assert(found != nullptr, "no instruction of this name on this target and wave size");
#endif
  return found == nullptr ? all_instructions()[0] : *found;  // one error, not two
}

}  // namespace heddle::instruction
