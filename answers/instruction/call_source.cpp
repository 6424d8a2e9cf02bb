#include "answers/instruction/call_source.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "answers/instruction/row_text.h"
#include "answers/text/paragraph.h"
#include "heddle/instruction/names.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::ElementType;
using instruction::Family;
using instruction::Instruction;
using instruction::Kind;
using instruction::Operand;
using instruction::OperandMap;
using instruction::Storage;

/// A C++ type: a scalar, or a named vector of `count` scalars.
struct Type {
  std::string_view scalar;
  std::string_view prefix;  // of the vector's name
  int count;

  std::string name() const {
    return count == 1 ? std::string(scalar) : formatted("{}x{}", prefix, count);
  }
  std::string declaration() const {
    return formatted("typedef {} {} __attribute__((ext_vector_type({})));\n", scalar, name(),
                     count);
  }
};

/// The C++ type that clang's builtins take for an operand: a vector of the operand's elements or,
/// for types of 8 bits and fewer, a vector of 32-bit words. Dense MFMA takes an operand of two such
/// words as one 64-bit integer.
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
      return row.is_of(Family::gfx1250) || (row.is_of(Family::gfx950) && row.a.registers > 2)
                 ? Type{"__bf16", "bf16", 2 * registers}
                 : Type{"short", "i16", 2 * registers};
    default: {
      const bool one_word =
          is_cdna(row.family()) && !row.is_sparse() && registers == 2 && operand != Operand::d;
      return one_word ? Type{"long", "i64", 1} : Type{"int", "i32", registers};
    }
  }
}

/// The type that the builtin returns. For a sparse instruction it is C's type: the builtin takes C
/// and returns D in the same register.
Type hip_result_type(const Instruction& row) {
  return hip_type(row, row.is_sparse() ? Operand::c : Operand::d);
}

/// The arguments of a gfx1250 builtin. Signs, formats, selectors and modifiers are passed as fixed
/// constants.
std::string gfx1250_arguments(const Instruction& row) {
  const bool integers = row.d_type == ElementType::i32;
  const bool choice = !row.formats.empty();  // the first format of both
  const bool has_signs = integers || (!choice && bits(row.a_type) > 8);
  const std::string_view before = integers ? "true, " : has_signs ? "false, " : choice ? "0, " : "";
  std::string text = formatted("{}a, {}b, ", before, before);
  if (!row.is_sparse() && !integers) text += "0, ";  // C as it is
  text += row.is_sparse() ? "c, index" : "c";
  if (row.has(Operand::scale_a)) text += ", 0, 0, scale_a, 0, 0, scale_b";
  const bool has_reuse = !(choice || bits(row.a_type) == 4) || row.has(Operand::scale_a);
  return has_reuse ? text + ", false, false" : text;
}

/// The arguments of the builtin, in terms of a, b, c, index and scales.
std::string hip_arguments(const Instruction& row) {
  if (row.is_of(Family::gfx1250)) return gfx1250_arguments(row);
  if (!row.formats.empty())  // formats, then for A and B which byte of the scales, and the scales
    return formatted("a, b, c, 0, 0, {}",
                     row.has(Operand::scale_a) ? "0, scale_a, 0, scale_b" : "0, 0, 0, 0");
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

/// A call of a load that transposes. clang's builtin takes a pointer to the type that it returns.
CallSource hip_load(const Instruction& row) {
  const int registers = row.d.registers;
  const Type result =
      bits(row.a_type) == 16 ? Type{"short", "i16", 2 * registers} : Type{"int", "i32", registers};
  const int space = row.address.bits == 64 ? 1 : 3;  // global memory, or LDS
  return CallSource{"HIP",
                    formatted("{}__device__ {} load(__attribute__((address_space({}))) {} *p) {{\n"
                              "  return {}(p);\n}}\n",
                              result.count == 1 ? "" : result.declaration(), result.name(), space,
                              result.name(), builtin_name(row))};
}

CallSource hip_call(const Instruction& row) {
  if (row.kind == Kind::load) return hip_load(row);
  const Type a = hip_type(row, Operand::a), b = hip_type(row, Operand::b);
  const Type c = hip_type(row, Operand::c), d = hip_result_type(row);
  std::vector<std::string> seen;
  std::string text;
  for (const Type& type : {a, b, c, d}) {
    if (type.count == 1 || std::ranges::find(seen, type.name()) != seen.end()) continue;
    seen.push_back(type.name());
    text += type.declaration();
  }
  const std::string_view scale = row.scale_a.registers == 2 ? "long" : "int";
  const std::string further = row.is_sparse() ? ", int index"
                              : row.has(Operand::scale_a)
                                  ? formatted(", {0} scale_a, {0} scale_b", scale)
                                  : std::string();
  text +=
      formatted("__device__ {} multiply({} a, {} b, {} c{}) {{\n  return {}({});\n}}\n", d.name(),
                a.name(), b.name(), c.name(), further, builtin_name(row), hip_arguments(row));
  return CallSource{"HIP", text};
}

/// Builds an asm statement: its PTX text, and the C++ values bound to it. Values are numbered %0,
/// %1, … in the order in which they are added. Values that the statement writes must be added
/// first.
class AsmStatement {
 public:
  explicit AsmStatement(std::string mnemonic) : text_(std::move(mnemonic)) {}

  /// Appends text between the operands, such as a constant or a bracket.
  AsmStatement& text(std::string_view words) {
    text_ += words;
    return *this;
  }
  /// Appends "{%0, %1}", the registers of an operand, and binds them to the elements of a C++ array
  /// named `name`.
  AsmStatement& registers(const Instruction& row, Operand operand, std::string_view name,
                          std::string_view written = "") {
    const OperandMap& map = row.map(operand);
    const ElementType type = row.type(operand);
    const bool sums = operand == Operand::c || operand == Operand::d;
    const bool is_float = sums && type == ElementType::f32;
    const bool is_double = type == ElementType::f64;
    const int count = is_double ? map.registers / 2 : map.registers;
    const char constraint = is_double ? 'd' : is_float ? 'f' : 'r';
    parameter(formatted("{}{} (&{})[{}]", written.empty() ? "const " : "",
                        is_double  ? "double"
                        : is_float ? "float"
                                   : "unsigned",
                        name, count));
    text_ += "{";
    for (int i = 0; i < count; ++i) {
      text_ += formatted("{}%{}", i == 0 ? "" : ", ", next_++);
      bind(formatted("\"{}{}\"({}[{}])", written, constraint, name, i), !written.empty());
    }
    text_ += "}";
    return *this;
  }
  /// "%4": one value that is read.
  AsmStatement& value(std::string_view type, std::string_view name, char constraint) {
    parameter(formatted("{} {}", type, name));
    text_ += formatted("%{}", next_++);
    bind(formatted("\"{}\"({})", constraint, name), false);
    return *this;
  }
  /// Binds a value that the statement reads. The mnemonic already contains the value's number (%N),
  /// so no text is appended.
  AsmStatement& last_value(std::string_view type, std::string_view name, char constraint) {
    parameter(formatted("{} {}", type, name));
    bind(formatted("\"{}\"({})", constraint, name), false);
    return *this;
  }
  /// "%4": one register that is written.
  AsmStatement& result(std::string_view name) {
    parameter(formatted("unsigned &{}", name));
    text_ += formatted("%{}", next_++);
    bind(formatted("\"=r\"({})", name), true);
    return *this;
  }

  std::string function(std::string_view name) const {
    constexpr int width = 96;
    std::string text = formatted("__device__ void {}(\n", name) +
                       paragraph("", parameters_ + ") {", 4, width) + "  asm volatile(\n";
    const bool is_block = text_.ends_with('}') && text_.starts_with('{');
    const std::string lines = paragraph("", is_block ? text_ : text_ + ";", 0, width - 12);
    for (std::string_view rest = lines; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      const bool is_last = line.size() + 1 == rest.size();
      text += formatted("      \"{}{}\"\n", line, is_last ? "" : " ");
    }
    text += outputs_.empty() ? "      :\n" : paragraph("      :", outputs_, 8, width);
    text += paragraph("      :", inputs_, 8, width);
    if (touches_memory_) text += "      : \"memory\"\n";
    text.pop_back();
    return text + ");\n}\n";
  }
  AsmStatement& touches_memory() {
    touches_memory_ = true;
    return *this;
  }

 private:
  void parameter(const std::string& declaration) {
    parameters_ += (parameters_.empty() ? "" : ", ") + declaration;
  }
  void bind(const std::string& binding, bool written) {
    std::string& list = written ? outputs_ : inputs_;
    list += (list.empty() ? "" : ", ") + binding;
  }

  std::string text_, parameters_, outputs_, inputs_;
  int next_ = 0;
  bool touches_memory_ = false;
};

/// A call of wgmma. B is in shared memory, A in shared memory or in registers. D is read as well as
/// written. The integer argument `add` says whether the product is added to D. Source of the
/// operands and their order: PTX ISA 9.0, "Syntax" of wgmma.mma_async and of wgmma.mma_async.sp.
std::string wgmma_call(const Instruction& row) {
  const bool shared_a = row.a.storage == Storage::shared_memory;
  // The registers of D have the first numbers, then come A, B and the metadata, then the flag.
  const int values = row.d.registers + (shared_a ? 1 : row.a.registers) + 1;
  AsmStatement call(formatted("{{.reg .pred add; setp.ne.b32 add, %{}, 0; {} ",
                              values + (row.is_sparse() ? 1 : 0), display_name(row)));
  call.registers(row, Operand::d, "d", "+").text(", ");
  if (shared_a) {
    call.value("unsigned long long", "a_descriptor", 'l').text(", ");
  } else {
    call.registers(row, Operand::a, "a").text(", ");
  }
  call.value("unsigned long long", "b_descriptor", 'l');
  if (row.is_sparse()) call.text(", ").value("unsigned", "metadata", 'r').text(", 0");
  // PTX has no arguments that negate integers or bits. It has arguments that transpose only for
  // 16-bit operands in shared memory.
  call.text(", add");
  if (row.d_type != ElementType::i32) call.text(", 1, 1");
  if (bits(row.b_type) == 16) call.text(shared_a ? ", 0, 0" : ", 0");
  return call.text("; }").last_value("int", "add", 'r').touches_memory().function("multiply");
}

/// A call of tcgen05.mma. One thread issues it for all operands. The call names the address in
/// tensor memory of D (and of the metadata and the scales) and the descriptors of A and B in shared
/// memory. M, N and the types are in the instruction descriptor, not in the mnemonic.
std::string tensor_multiply_call(const Instruction& row) {
  std::size_t shape = row.name.find(".m");
  while (row.name[shape + 2] < '0' || row.name[shape + 2] > '9')
    shape = row.name.find(".m", shape + 1);
  const bool scaled = row.has(Operand::scale_a);
  const int flag = 4 + (row.is_sparse() ? 1 : 0) + (scaled ? 2 : 0);  // the values before it
  AsmStatement call(
      formatted("{{.reg .pred add; setp.ne.b32 add, %{}, 0; {} ", flag, row.name.substr(0, shape)));
  call.text("[").value("unsigned", "d", 'r').text("], ");
  call.value("unsigned long long", "a_descriptor", 'l').text(", ");
  call.value("unsigned long long", "b_descriptor", 'l').text(", ");
  if (row.is_sparse()) call.text("[").value("unsigned", "metadata", 'r').text("], ");
  call.value("unsigned", "instruction_descriptor", 'r');
  if (scaled) {
    call.text(", [").value("unsigned", "scale_a", 'r').text("]");
    call.text(", [").value("unsigned", "scale_b", 'r').text("]");
  }
  call.text(", add; }").last_value("int", "add", 'r');
  return call.touches_memory().function("multiply");
}

std::string warp_multiply_call(const Instruction& row) {
  AsmStatement call(std::string(row.name) + " ");
  call.registers(row, Operand::d, "d", "=").text(", ");
  call.registers(row, Operand::a, "a").text(", ");
  call.registers(row, Operand::b, "b").text(", ");
  call.registers(row, Operand::c, "c");
  if (row.is_sparse()) call.text(", ").value("unsigned", "metadata", 'r').text(", 0");
  if (row.has(Operand::scale_a)) {
    call.text(", ").value("unsigned", "scale_a", 'r').text(", {0, 0}");
    call.text(", ").value("unsigned", "scale_b", 'r').text(", {0, 0}");
  }
  return call.function("multiply");
}

/// A call of a load or a store. The address is an address in shared memory, or the address of a
/// column of tensor memory.
std::string move_call(const Instruction& row) {
  AsmStatement call(std::string(row.name) + " ");
  const bool has_two_pieces = row.name.find("16x32bx2") != std::string_view::npos;
  const auto address = [&] {
    call.text("[").value("unsigned", "address", 'r').text("]");
    if (has_two_pieces) call.text(", 16");  // columns from the first piece to the second
  };
  call.touches_memory();
  if (row.kind == Kind::store) {
    address();
    call.text(", ").registers(row, Operand::d, "d");
    return call.function("store");
  }
  call.registers(row, Operand::d, "d", "=").text(", ");
  address();
  return call.function("load");
}

std::string transpose_call(const Instruction& row) {
  AsmStatement call(std::string(row.name) + " ");
  call.result("d").text(", ").value("unsigned", "a", 'r');
  return call.function("transpose");
}

int smallest_n(const Instruction& row) {
  int n = 1;
  while (!instruction::takes_n(row, n)) ++n;
  return n;
}

CallSource cuda_call(const Instruction& row) {
  if (row.d.storage == Storage::tensor_memory) return CallSource{"CUDA", tensor_multiply_call(row)};
  if (row.kind == Kind::transpose) return CallSource{"CUDA", transpose_call(row)};
  if (row.kind != Kind::multiply) return CallSource{"CUDA", move_call(row)};
  return CallSource{"CUDA", row.wave == 128 ? wgmma_call(row) : warp_multiply_call(row)};
}

}  // namespace

std::string builtin_name(const Instruction& row) {
  constexpr std::string_view prefix = "llvm.amdgcn.";
  if (!row.intrinsic.starts_with(prefix)) return "";
  std::string name = "__builtin_amdgcn_" + std::string(row.intrinsic.substr(prefix.size()));
  if (row.kind == Kind::load) {  // see is_load_builtin
    if (row.is_of(Family::gfx1250)) name = "__builtin_amdgcn_" + std::string(row.name);
    const int registers = row.d.registers;
    name += bits(row.a_type) == 16 ? formatted("_v{}i16", 2 * registers)
            : registers == 1       ? "_i32"
                                   : formatted("_v{}i32", registers);
  }
  std::ranges::replace(name, '.', '_');
  if (!is_rdna(row.family()) || row.kind == Kind::load) return name;
  name += row.wave == 32 ? "_w32" : "_w64";
  if (instruction::has_builtin_of_gfx12(row)) name += instruction::suffix_of_gfx12;
  return name;
}

CallSource call_source(const Instruction& row) {
  if (row.n_sizes != 0) return call_source(*instruction::with_n(row, smallest_n(row)));
  return is_nvidia(row.family()) ? cuda_call(row) : hip_call(row);
}

}  // namespace heddle::answers
