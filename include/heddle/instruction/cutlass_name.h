// The names of CUTLASS: its MMA atoms and the copy atoms that move matrices.
//
//   SM80_16x8x16_F32F16F16F32_TN                  architecture, shape, types of D, A, B, C, layouts
//   SM120_16x8x32_TN<e4m3,e5m2,float>             types as template arguments
//   SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<e2m1,e2m1,float,ue8m0,32>     and k for each scale
//   SM90_64x96x16_F32F16F16_SS                    wgmma; types of D, A, B; A in shared memory or
//   ..._RS                                        in registers
//   SM75_U32x4_LDSM_N                             registers a lane receives
//
// Layouts are those of BLAS: for A, T means row-major and N column-major; for B it is the other way
// round. `_SATURATE` does not change layouts. Source: NVIDIA/cutlass, include/cute/arch/mma_sm*.hpp
// and copy_sm*.hpp, commit 7107b055.
//
//     parse_cutlass_atom("SM80_16x8x16_F32F16F16F32_TN")     architecture 80; m, n and k; the types
//                                                           of D, A, B and C; layouts "row.col"
//     parse_cutlass_atom("SM90_64x96x16_F32F16F16_RS")       wgmma with A in registers
//     parse_cutlass_atom("SM80_16x8_F32F16F16F32_TN")        nothing: a shape has three numbers
//     cutlass_name(row)                                      the name of a row; empty without one
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "heddle/instruction/fragment.h"
#include "heddle/instruction/ptx_name.h"

namespace heddle::instruction {

/// The facts in the name of an MMA atom.
struct CutlassAtom {
  int architecture = 0;  // 80 of SM80
  int m = 0, n = 0, k = 0;
  int type_count = 0;
  std::array<ElementType, 5> types{};  // D, A, B, C; as template arguments A, B, D, scales
  std::string_view layouts = "row.col";
  std::string_view operation{};  // ".xor.popc" of single bits
  bool templated = false;        // of SM120
  bool sparse = false;
  int k_per_scale = 0;  // 0 without scales
  char memory = 0;      // wgmma: 'S' or 'R', where A is
};

/// The types as CUTLASS writes them, in names and as template arguments.
struct CutlassType {
  ElementType type;
  std::string_view name, argument;
};

inline constexpr std::array cutlass_types{
    CutlassType{ElementType::bf16, "BF16", "bfloat16"},
    CutlassType{ElementType::xf32, "TF32", "tfloat32"},
    CutlassType{ElementType::f16, "F16", "half"},
    CutlassType{ElementType::f32, "F32", "float"},
    CutlassType{ElementType::f64, "F64", "double"},
    CutlassType{ElementType::i32, "S32", "int32"},
    CutlassType{ElementType::i8, "S8", "int8"},
    CutlassType{ElementType::u8, "U8", "uint8"},
    CutlassType{ElementType::i4, "S4", "int4"},
    CutlassType{ElementType::u4, "U4", "uint4"},
    CutlassType{ElementType::b1, "U1", "uint1"},
    CutlassType{ElementType::fp8, "E4M3", "e4m3"},
    CutlassType{ElementType::bf8, "E5M2", "e5m2"},
    CutlassType{ElementType::fp6, "", "e2m3"},
    CutlassType{ElementType::bf6, "", "e3m2"},
    CutlassType{ElementType::fp4, "", "e2m1"},
    CutlassType{ElementType::e8m0, "", "ue8m0"},
    CutlassType{ElementType::ue4m3, "", "ue4m3"},
};

constexpr std::string_view cutlass_name(ElementType type) {
  for (const CutlassType& row : cutlass_types)
    if (row.type == type) return row.name;
  return {};
}

/// BLAS's two letters for the layouts of A and B, and the qualifiers with the same meaning in PTX.
struct CutlassLayouts {
  std::string_view name, ptx;
};

inline constexpr std::array cutlass_layouts{
    CutlassLayouts{"TN", "row.col"}, CutlassLayouts{"TT", "row.row"},
    CutlassLayouts{"NN", "col.col"}, CutlassLayouts{"NT", "col.row"}};

namespace cutlass {

/// Removes `prefix` from the front of the text. False if the text does not begin with `prefix`.
constexpr bool cut_prefix(std::string_view& text, std::string_view prefix) {
  if (prefix.empty() || !text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// "F32F16F16F32"
constexpr bool read_types(CutlassAtom& atom, std::string_view text) {
  while (!text.empty()) {
    bool known = false;
    for (const CutlassType& row : cutlass_types) {
      if (known || atom.type_count == 4 || !cut_prefix(text, row.name)) continue;
      atom.types[static_cast<std::size_t>(atom.type_count++)] = row.type;
      known = true;
    }
    if (!known) return false;
  }
  return true;
}

/// "16x8x16"
constexpr bool read_shape(CutlassAtom& atom, std::string_view text) {
  atom.m = leading_number(text);
  if (!cut_prefix(text, "x")) return false;
  atom.n = leading_number(text);
  if (!cut_prefix(text, "x")) return false;
  atom.k = leading_number(text);
  return atom.m > 0 && atom.n > 0 && atom.k > 0 && text.empty();
}

/// "float_e4m3_t", "e4m3", "half_t", "float", "32"
constexpr bool read_argument(CutlassAtom& atom, std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::string_view number = text;
  const int scaled = leading_number(number);
  if (scaled > 0 && number.empty()) {
    atom.k_per_scale = scaled;
    return true;
  }
  if (text != "float") cut_prefix(text, "float_");
  if (text.ends_with("_t")) text.remove_suffix(2);
  for (const CutlassType& row : cutlass_types) {
    if (text != row.argument || atom.type_count == 4) continue;
    atom.types[static_cast<std::size_t>(atom.type_count++)] = row.type;
    return true;
  }
  return false;
}

/// A part of the name between underscores.
constexpr bool read_part(CutlassAtom& atom, std::string_view part) {
  if (part == "SATURATE" || part == "VS" || part == "MMA" || part == "GMMA") return true;
  if (part == "SPARSE") return atom.sparse = true;
  if (part == "SS" || part == "RS") {
    atom.memory = part[0];
    return true;
  }
  if (part == "XORPOPC" || part == "ANDPOPC") {
    atom.operation = part[0] == 'X' ? ".xor.popc" : ".and.popc";
    return true;
  }
  for (const CutlassLayouts& layouts : cutlass_layouts) {
    if (part != layouts.name) continue;
    atom.layouts = layouts.ptx;
    return true;
  }
  if (!part.empty() && part[0] >= '1' && part[0] <= '9') return read_shape(atom, part);
  return !part.empty() && read_types(atom, part);
}

}  // namespace cutlass

/// Parses the name of an MMA atom, with or without its namespaces. Returns nothing if the text is
/// not such a name.
constexpr std::optional<CutlassAtom> parse_cutlass_atom(std::string_view name) {
  CutlassAtom atom;
  const std::size_t angle = name.find('<');
  std::string_view head = name.substr(0, angle);
  cutlass::cut_prefix(head, "cute::");
  if (!cutlass::cut_prefix(head, "SM")) return std::nullopt;
  atom.architecture = leading_number(head);
  const std::size_t scope = head.rfind("::");
  if (scope != std::string_view::npos) {
    atom.sparse = head.substr(0, scope).find("SPARSE") != std::string_view::npos;
    head.remove_prefix(scope + 2);
    if (cutlass::cut_prefix(head, "SM")) atom.architecture = leading_number(head);
    if (head.starts_with('_')) head.remove_prefix(1);
  } else if (!cutlass::cut_prefix(head, "_")) {
    return std::nullopt;
  }
  if (!all_parts(head, '_', [&](std::string_view part) { return cutlass::read_part(atom, part); }))
    return std::nullopt;
  if (atom.m == 0 || atom.architecture <= 0) return std::nullopt;
  if (angle == std::string_view::npos || atom.memory != 0) return atom;  // GMMA::Major::K: layouts
  std::string_view arguments = name.substr(angle + 1);
  if (!arguments.ends_with('>') || atom.type_count != 0) return std::nullopt;
  arguments.remove_suffix(1);
  atom.templated = true;
  if (!all_parts(arguments, ',',
                 [&](std::string_view part) { return cutlass::read_argument(atom, part); }))
    return std::nullopt;
  return atom;
}

/// The architecture number of a family, which is in the name of its first processor: 80 of sm_80.
constexpr int architecture(Family family) {
  std::string_view text = name(family);
  text.remove_prefix(text.starts_with("sm_") ? 3 : text.size());
  return leading_number(text);
}

/// True if a row has the types in the atom's name, all of which must match.
constexpr bool has_types(const Instruction& row, const CutlassAtom& atom) {
  const auto& types = atom.types;
  const int count = atom.type_count;
  if (!atom.templated)
    return (count == 4 || (count == 3 && atom.memory != 0)) && row.d_type == types[0] &&
           row.a_type == types[1] && row.b_type == types[2] &&
           (count == 3 || row.type(Operand::c) == types[3]);
  return count == (atom.k_per_scale != 0 ? 4 : 3) && row.a_type == types[0] &&
         row.b_type == types[1] && row.d_type == types[2] &&
         (atom.k_per_scale == 0 || row.scale_type == types[3]);
}

constexpr bool is_wgmma(const Instruction& row) { return row.name.starts_with("wgmma."); }

/// The instruction of this row that an atom means (for wgmma, with the atom's n), or nothing.
constexpr std::optional<Instruction> match_cutlass_atom(const Instruction& row,
                                                        const CutlassAtom& atom) {
  if (row.kind != Kind::multiply || !is_nvidia(row.family())) return std::nullopt;
  if (row.m != atom.m || row.k != atom.k || !has_types(row, atom)) return std::nullopt;
  if (architecture(row.family()) > atom.architecture) return std::nullopt;
  if (atom.memory != 0) {
    if (!is_wgmma(row)) return std::nullopt;
    std::optional<Instruction> found = with_n(row, atom.n);
    if (found && atom.memory == 'S') found->a = {0, bits(row.a_type), "", Storage::shared_memory};
    return found;
  }
  const bool of_kind = row.name.find("kind::") != std::string_view::npos;
  if (row.wave != 32 || row.n != atom.n || row.is_sparse() != atom.sparse ||
      of_kind != atom.templated || row.has(Operand::scale_a) != (atom.k_per_scale != 0))
    return std::nullopt;
  if (row.name.find(atom.layouts) == std::string_view::npos ||
      (row.a_type == ElementType::b1 && !row.name.ends_with(atom.operation)))
    return std::nullopt;
  if (atom.k_per_scale != 0) {
    const int scales = k_per_group(row, isa_fragment(row, Operand::scale_a));
    // For e2m1 with two scales PTX has the kinds mxf4 and mxf4nvf4; CUTLASS means mxf4nvf4.
    if (scales != atom.k_per_scale || has_part(row.name, "kind::mxf4")) return std::nullopt;
  }
  return row;
}

/// A copy atom, and the PTX instruction that it executes.
struct CutlassCopy {
  std::string_view name, ptx;
};

inline constexpr std::array cutlass_copies{
    CutlassCopy{"SM75_U32x1_LDSM_N", "ldmatrix.sync.aligned.m8n8.x1.shared.b16"},
    CutlassCopy{"SM75_U32x2_LDSM_N", "ldmatrix.sync.aligned.m8n8.x2.shared.b16"},
    CutlassCopy{"SM75_U32x4_LDSM_N", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"},
    CutlassCopy{"SM75_U16x2_LDSM_T", "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16"},
    CutlassCopy{"SM75_U16x4_LDSM_T", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"},
    CutlassCopy{"SM75_U16x8_LDSM_T", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
    CutlassCopy{"SM75_U32x1_MOVM_T", "movmatrix.sync.aligned.m8n8.trans.b16"},
    CutlassCopy{"SM90_U32x1_STSM_N", "stmatrix.sync.aligned.m8n8.x1.shared.b16"},
    CutlassCopy{"SM90_U32x2_STSM_N", "stmatrix.sync.aligned.m8n8.x2.shared.b16"},
    CutlassCopy{"SM90_U32x4_STSM_N", "stmatrix.sync.aligned.m8n8.x4.shared.b16"},
    CutlassCopy{"SM90_U16x2_STSM_T", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16"},
    CutlassCopy{"SM90_U16x4_STSM_T", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16"},
    CutlassCopy{"SM90_U16x8_STSM_T", "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
    CutlassCopy{"SM100_U8x8_LDSM_T", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8"},
    CutlassCopy{"SM100_U8x16_LDSM_T", "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8"},
    CutlassCopy{"SM100_SU4_DU8x16_x1_LDSM_N",
                "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64"},
    CutlassCopy{"SM100_SU4_DU8x16_x2_LDSM_N",
                "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64"},
    CutlassCopy{"SM100_SU4_DU8x16_x4_LDSM_N",
                "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64"},
    CutlassCopy{"SM100_SU6_DU8x16_x1_LDSM_N",
                "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32"},
    CutlassCopy{"SM100_SU6_DU8x16_x2_LDSM_N",
                "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32"},
    CutlassCopy{"SM100_SU6_DU8x16_x4_LDSM_N",
                "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32"},
    CutlassCopy{"SM100_U8x4_STSM_T", "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8"},
    CutlassCopy{"SM100_U8x8_STSM_T", "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8"},
    CutlassCopy{"SM100_U8x16_STSM_T", "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8"},
};

using CutlassName = layout::FixedText<127>;

namespace cutlass {

/// Appends the shape: "16x8x16", or "64xNx16" for the row of wgmma that stands for all n.
constexpr void append_shape(CutlassName& text, const Instruction& row) {
  text.append_number(static_cast<std::uint64_t>(row.m));
  text.append('x');
  if (row.n_sizes != 0) {
    text.append('N');
  } else {
    text.append_number(static_cast<std::uint64_t>(row.n));
  }
  text.append('x');
  text.append_number(static_cast<std::uint64_t>(row.k));
}

/// The name of a wgmma, whose A is in shared memory or in registers.
constexpr CutlassName wgmma_name(const Instruction& row) {
  CutlassName text;
  text.append(row.is_sparse() ? "SM90::GMMA::SPARSE::GMMA_" : "SM90_");
  append_shape(text, row);
  text.append('_');
  for (const ElementType type : {row.d_type, row.a_type, row.b_type})
    text.append(cutlass_name(type));
  text.append(row.a.storage == Storage::shared_memory ? "_SS" : "_RS");
  if (bits(row.a_type) != 16) text.append("_TN");  // of 16 bits the layouts are template arguments
  return text;
}

/// SM120's, of template arguments.
constexpr CutlassName templated_name(const Instruction& row) {
  CutlassName text;
  if (row.has(Operand::scale_a)) {
    text.append(row.is_sparse() ? "SM120::BLOCKSCALED::SPARSE::" : "SM120::BLOCKSCALED::");
  } else if (row.is_sparse()) {
    text.append("SM120::SPARSE::");
  }
  text.append(row.is_sparse() ? "SM120_SPARSE_" : "SM120_");
  append_shape(text, row);
  text.append(row.has(Operand::scale_a) ? "_TN_VS<" : "_TN<");
  text.append(ptx_name(row.a_type));
  text.append(',');
  text.append(ptx_name(row.b_type));
  text.append(row.d_type == ElementType::f32 ? ",float" : ",half_t");
  if (row.has(Operand::scale_a)) {
    text.append(',');
    text.append(ptx_name(row.scale_type));
    text.append(',');
    text.append_number(
        static_cast<std::uint64_t>(k_per_group(row, isa_fragment(row, Operand::scale_a))));
  }
  text.append('>');
  return text;
}

/// The architecture in CUTLASS's name of an mma whose types are not template arguments.
constexpr int atom_architecture(const Instruction& row) {
  const bool in_sm75 = row.a_type == ElementType::f16 ||
                       (row.a_type == ElementType::i8 && row.b_type == ElementType::i8);
  return row.family() == Family::sm75 && !in_sm75 ? 80 : architecture(row.family());
}

}  // namespace cutlass

/// CUTLASS's name of the instruction; empty if it has none. For the row of a wgmma that stands for
/// all n, the name has "N" in place of n.
constexpr CutlassName cutlass_name(const Instruction& row) {
  CutlassName text;
  if (!row.has(Witness::cutlass)) return text;
  if (row.kind != Kind::multiply) {
    for (const CutlassCopy& copy : cutlass_copies)
      if (copy.ptx == row.name) text.append(copy.name);
    return text;
  }
  if (is_wgmma(row)) return cutlass::wgmma_name(row);
  if (!row.name.starts_with("mma.")) return text;  // tcgen05.mma: one atom for many
  if (row.name.find("kind::") != std::string_view::npos) return cutlass::templated_name(row);
  text.append("SM");
  text.append_number(static_cast<std::uint64_t>(cutlass::atom_architecture(row)));
  text.append('_');
  cutlass::append_shape(text, row);
  text.append('_');
  for (const Operand operand : {Operand::d, Operand::a, Operand::b, Operand::c})
    text.append(cutlass_name(row.type(operand)));
  for (const CutlassLayouts& layouts : cutlass_layouts) {
    if (row.name.find(layouts.ptx) == std::string_view::npos) continue;
    text.append('_');
    text.append(layouts.name);
  }
  if (row.a_type == ElementType::b1)
    text.append(has_part(row.name, "xor") ? "_XORPOPC" : "_ANDPOPC");
  return text;
}

}  // namespace heddle::instruction
