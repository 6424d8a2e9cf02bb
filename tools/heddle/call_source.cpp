#include "tools/heddle/call_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace heddle::tool {
namespace {

using instruction::ElementType;
using instruction::Family;
using instruction::Instruction;
using instruction::Kind;
using instruction::Operand;
using instruction::OperandMap;
using instruction::Storage;

/// A type of C++: a scalar, or a vector of `count` of them that has a name of its own.
struct Type {
  std::string_view scalar;
  std::string_view prefix;  // of the vector's name
  int count;

  std::string name() const {
    return count == 1 ? std::string(scalar) : fmt::format("{}x{}", prefix, count);
  }
  std::string declaration() const {
    return fmt::format("typedef {} {} __attribute__((ext_vector_type({})));\n", scalar, name(),
                       count);
  }
};

/// What clang's builtins take for an operand: its elements, or small ones as words of 32 bits; of
/// dense MFMA two such words are one of 64.
Type hip_type(const Instruction& row, Operand operand) {
  const int registers = row.map(operand).registers;
  switch (row.type(operand)) {
    case ElementType::f64:
      return {"double", "f64", registers / 2};
    case ElementType::f32:
    case ElementType::xf32:
      return {"float", "f32", registers};
    case ElementType::f16:
      return {"_Float16", "f16", 2 * registers};
    case ElementType::bf16:  // the older builtins take bare bits
      return row.is_of(Family::gfx950) && row.a.registers > 2
                 ? Type{"__bf16", "bf16", 2 * registers}
                 : Type{"short", "i16", 2 * registers};
    default: {
      const bool one_word =
          is_cdna(row.family()) && !row.is_sparse() && registers == 2 && operand != Operand::d;
      return one_word ? Type{"long", "i64", 1} : Type{"int", "i32", registers};
    }
  }
}

/// The arguments of the builtin, in terms of a, b, c and index.
std::string hip_arguments(const Instruction& row) {
  const bool rdna = is_rdna(row.family());
  const bool integers = rdna && row.d_type == ElementType::i32;
  // A and B signed; no clamp.
  std::string text = integers ? "true, a, true, b, c" : "a, b, c";
  if (row.is_sparse()) text += ", index";
  if (integers) return text + ", false";
  const bool halves = rdna && row.d.bits == 16 &&
                      instruction::isa_fragment(row, Operand::d).input_size("element") == 1;
  if (halves) return text + ", false";  // the low half of each register
  if (rdna) return text;
  return text + (row.is_sparse() ? ", 0, 0" : ", 0, 0, 0");  // CBSZ, ABID, and of dense ones BLGP
}

CallSource hip_call(const Instruction& row) {
  const Type a = hip_type(row, Operand::a), b = hip_type(row, Operand::b);
  const Type d = hip_type(row, Operand::d);
  std::vector<std::string> seen;
  std::string text;
  for (const Type& type : {a, b, d}) {
    if (type.count == 1 || std::ranges::find(seen, type.name()) != seen.end()) continue;
    seen.push_back(type.name());
    text += type.declaration();
  }
  text += fmt::format("__device__ {} multiply({} a, {} b, {} c{}) {{\n  return {}({});\n}}\n",
                      d.name(), a.name(), b.name(), d.name(), row.is_sparse() ? ", int index" : "",
                      builtin_name(row), hip_arguments(row));
  return {"HIP", text};
}

/// An operand of an asm statement: the registers that PTX has it in.
struct PtxOperand {
  std::string_view name;  // of the C++ parameter
  std::string_view type;  // of its elements
  char constraint;        // f, d or r
  int count;
  bool written;
};

PtxOperand ptx_operand(const Instruction& row, Operand operand) {
  constexpr std::array<std::string_view, instruction::all_operands.size()> names{
      "a", "b", "c", "d", "metadata", "scale_a", "scale_b", "address"};
  const std::string_view name = names[static_cast<std::size_t>(operand)];
  const int registers = row.map(operand).registers;
  const bool written = operand == Operand::d;
  const bool is_number =
      operand == Operand::c || operand == Operand::d || bits(row.type(operand)) == 64;
  if (is_number && row.type(operand) == ElementType::f32)
    return {name, "float", 'f', registers, written};
  if (is_number && row.type(operand) == ElementType::f64)
    return {name, "double", 'd', registers / 2, written};
  return {name, "unsigned", 'r', registers, written};
}

/// "{%4, %5}", the arguments from `first` on.
std::string placeholders(const PtxOperand& operand, int first) {
  std::string text;
  for (int i = 0; i < operand.count; ++i)
    text += fmt::format("{}%{}", i == 0 ? "" : ", ", first + i);
  return "{" + text + "}";
}

/// "\"=f\"(d[0]), \"=f\"(d[1])".
std::string bindings(const PtxOperand& operand) {
  std::string text;
  for (int i = 0; i < operand.count; ++i)
    text += fmt::format("{}\"{}{}\"({}[{}])", i == 0 ? "" : ", ", operand.written ? "=" : "",
                        operand.constraint, operand.name, i);
  return text;
}

CallSource cuda_call(const Instruction& row) {
  std::vector<PtxOperand> operands;
  for (const Operand operand : {Operand::d, Operand::a, Operand::b, Operand::c})
    operands.push_back(ptx_operand(row, operand));
  std::string parameters, list, inputs;
  int next = 0;
  for (const PtxOperand& operand : operands) {
    parameters +=
        fmt::format("{}{}{} (&{})[{}]", parameters.empty() ? "" : ", ",
                    operand.written ? "" : "const ", operand.type, operand.name, operand.count);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", placeholders(operand, next));
    next += operand.count;
    if (!operand.written)
      inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", bindings(operand));
  }
  return {"CUDA", fmt::format("__device__ void multiply({}) {{\n"
                              "  asm volatile(\"{} {};\"\n"
                              "      : {}\n"
                              "      : {});\n"
                              "}}\n",
                              parameters, row.name, list, bindings(operands.front()), inputs)};
}

}  // namespace

std::string builtin_name(const Instruction& row) {
  constexpr std::string_view prefix = "llvm.amdgcn.";
  if (!row.intrinsic.starts_with(prefix)) return "";
  std::string name = "__builtin_amdgcn_" + std::string(row.intrinsic.substr(prefix.size()));
  std::ranges::replace(name, '.', '_');
  if (!is_rdna(row.family())) return name;
  name += row.wave == 32 ? "_w32" : "_w64";
  // WMMA of RDNA4 shares names with that of RDNA3; it alone has sparse ones.
  return row.is_of(Family::gfx12) && !row.is_sparse() ? name + "_gfx12" : name;
}

std::optional<CallSource> call_source(const Instruction& row) {
  if (row.kind != Kind::multiply) return std::nullopt;
  for (const Operand operand : instruction::all_operands)
    if (row.map(operand).storage != Storage::registers) return std::nullopt;
  return is_nvidia(row.family()) ? cuda_call(row) : hip_call(row);
}

}  // namespace heddle::tool
