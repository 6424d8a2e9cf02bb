#include "probe/ptx_kernel.h"

#include <vector>

#include "library/text/formatted.h"

namespace heddle::probe {

using instruction::ElementType;
using instruction::Instruction;
using instruction::Kind;
using instruction::Major;
using instruction::Operand;

namespace {

constexpr std::string_view parameter_names[] = {"a",
                                                "b",
                                                "index",
                                                "out",
                                                "a_by_x",
                                                "a_by_y",
                                                "b_by_x",
                                                "b_by_y",
                                                "index_by_x",
                                                "index_by_y",
                                                "out_entry",
                                                "a_shared_bytes",
                                                "b_shared_bytes",
                                                "a_descriptor",
                                                "b_descriptor"};
static_assert(sizeof(KernelParameters) == sizeof(std::uint64_t) * std::size(parameter_names));

/// The PTX type of an operand's registers: .f64 or .f32 for elements of that type, and .b32 for all
/// other elements, such as packed ones and integers.
std::string_view register_type(ElementType type) {
  if (type == ElementType::f64) return "f64";
  if (type == ElementType::f32) return "f32";
  return "b32";
}

class Text {
 public:
  Text(const Instruction& row, std::string_view processor) : row_(row) {
    text_ = formatted(".version 8.8\n.target {}\n.address_size 64\n", processor);
    text_ += ".extern .shared .align 1024 .b8 shared[];\n.visible .entry probe(";
    for (const std::string_view name : parameter_names)
      text_ += formatted("{}.param .u64 {}", name == "a" ? "" : ", ", name);
    text_ += ")\n{\n";
    line(".reg .b32 %lane, %x, %y, %word, %base;");
    line(".reg .b64 %x64, %y64, %lane64, %offset, %entry, %end;");
    line(".reg .pred %more;");
    line("mov.u32 %lane, %tid.x;");
    line("mov.u32 %x, %ctaid.x;");
    line("mov.u32 %y, %ctaid.y;");
    line("cvt.u64.u32 %x64, %x;");
    line("cvt.u64.u32 %y64, %y;");
    line("mul.wide.u32 %lane64, %lane, 4;");
    line("mov.u32 %base, shared;");
    for (const std::string_view name : parameter_names) {
      line(".reg .b64 %p_{};", name);
      line("ld.param.u64 %p_{}, [{}];", name, name);
    }
  }

  template <typename... Values>
  void line(formatting::Sentence<formatting::kinds<Values...>()> sentence,
            const Values&... values) {
    text_ += "  " + formatted(sentence, values...) + "\n";
  }

  /// Writes the code that sets %entry to the address of the table's entry for the running thread
  /// block (KernelParameters).
  void entry_of(std::string_view table) {
    line("mad.lo.u64 %entry, %x64, %p_{}_by_x, %p_{};", table, table);
    line("mad.lo.u64 %entry, %y64, %p_{}_by_y, %entry;", table);
  }
  void entry_of_out() {
    line("mov.u32 %word, %nctaid.x;");
    line("mad.lo.u32 %word, %y, %word, %x;");
    line("cvt.u64.u32 %entry, %word;");
    line("mad.lo.u64 %entry, %entry, %p_out_entry, %p_out;");
  }

  /// Declares the registers `letter`0… and fills them from the table's entry for the running thread
  /// block. Returns the operand as the instruction takes it.
  std::string load(char letter, std::string_view table, int registers, ElementType type) {
    entry_of(table);
    const std::string operand = declare(letter, registers, type);
    line("add.u64 %entry, %entry, %lane64;");
    const int step = row_.wave * 4;
    if (type != ElementType::f64) {
      for (int i = 0; i < registers; ++i)
        line("ld.global.{} %{}{}, [%entry+{}];", register_type(type), letter, i, i * step);
      return operand;
    }
    line(".reg .b32 %{}_low, %{}_high;", letter, letter);
    for (int i = 0; i < registers / 2; ++i) {
      line("ld.global.b32 %{}_low, [%entry+{}];", letter, 2 * i * step);
      line("ld.global.b32 %{}_high, [%entry+{}];", letter, (2 * i + 1) * step);
      line("mov.b64 %{}{}, {{%{}_low, %{}_high}};", letter, i, letter, letter);
    }
    return operand;
  }

  std::string declare(char letter, int registers, ElementType type) {
    const int count = type == ElementType::f64 ? registers / 2 : registers;
    line(".reg .{} %{}<{}>;", register_type(type), letter, count);
    std::string operand;
    for (int i = 0; i < count; ++i) operand += formatted("{}%{}{}", i == 0 ? "" : ", ", letter, i);
    return "{" + operand + "}";
  }

  std::string zeros(char letter, int registers, ElementType type) {
    const std::string operand = declare(letter, registers, type);
    const int count = type == ElementType::f64 ? registers / 2 : registers;
    const std::string_view zero = type == ElementType::f64   ? "0d0000000000000000"
                                  : type == ElementType::f32 ? "0f00000000"
                                                             : "0";
    for (int i = 0; i < count; ++i) line("mov.{} %{}{}, {};", register_type(type), letter, i, zero);
    return operand;
  }

  void store(char letter, int registers, ElementType type) {
    entry_of_out();
    line("add.u64 %entry, %entry, %lane64;");
    const int step = row_.wave * 4;
    if (type != ElementType::f64) {
      for (int i = 0; i < registers; ++i)
        line("st.global.{} [%entry+{}], %{}{};", register_type(type), i * step, letter, i);
      return;
    }
    line(".reg .b32 %{}_low, %{}_high;", letter, letter);
    for (int i = 0; i < registers / 2; ++i) {
      line("mov.b64 {{%{}_low, %{}_high}}, %{}{};", letter, letter, letter, i);
      line("st.global.b32 [%entry+{}], %{}_low;", 2 * i * step, letter);
      line("st.global.b32 [%entry+{}], %{}_high;", (2 * i + 1) * step, letter);
    }
  }

  /// Writes the code that copies an entry of a table, which begins at %entry, into shared memory at
  /// `from` if `to_shared`, otherwise the other way. `bytes` is the name of the parameter with the
  /// size.
  void copy_shared(std::string_view bytes, std::string_view from, bool to_shared, int label) {
    line("mov.u64 %offset, %lane64;");
    line("copy_{}:", label);
    line("setp.ge.u64 %more, %offset, %p_{};", bytes);
    line("@%more bra copied_{};", label);
    line("add.u64 %end, %entry, %offset;");
    line(".reg .b32 %at_{};", label);
    line("cvt.u32.u64 %at_{}, %offset;", label);
    line("add.u32 %at_{}, %at_{}, {};", label, label, from);
    if (to_shared) {
      line("ld.global.b32 %word, [%end];");
      line("st.shared.b32 [%at_{}], %word;", label);
    } else {
      line("ld.shared.b32 %word, [%at_{}];", label);
      line("st.global.b32 [%end], %word;");
    }
    line("add.u64 %offset, %offset, {};", row_.wave * 4);
    line("bra copy_{};", label);
    line("copied_{}:", label);
  }

  /// Writes the code that makes %`name` the descriptor of shared memory at `from`. The address in
  /// it counts units of 16 bytes.
  void descriptor(std::string_view name, std::string_view from) {
    line(".reg .b64 %{};", name);
    line("cvt.u64.u32 %{}, {};", name, from);
    line("and.b64 %{}, %{}, 0x3ffff;", name, name);
    line("shr.u64 %{}, %{}, 4;", name, name);
    line("or.b64 %{}, %{}, %p_{};", name, name, name);
  }

  std::string finish() {
    line("ret;");
    return text_ + "}\n";
  }

 private:
  const Instruction& row_;
  std::string text_;
};

/// The mnemonic. The names of wgmma have a letter N, which the number n replaces.
std::string mnemonic(const Instruction& row) {
  std::string name(row.name);
  const std::size_t generic = name.find("nNk");
  if (generic != std::string::npos) name.replace(generic, 2, formatted("n{}", row.n));
  return name;
}

std::string asynchronous_multiply(const Instruction& row, const Variant& variant,
                                  std::string_view processor) {
  Text text(row, processor);
  text.entry_of("b");
  text.copy_shared("b_shared_bytes", "%base", true, 0);
  text.line(".reg .b32 %base_a;");
  text.line("cvt.u32.u64 %word, %p_b_shared_bytes;");
  text.line("add.u32 %base_a, %base, %word;");
  std::string a = "%a_descriptor";
  if (variant.a_in_shared) {
    text.entry_of("a");
    text.copy_shared("a_shared_bytes", "%base_a", true, 1);
    text.descriptor("a_descriptor", "%base_a");
  } else {
    a = text.load('a', "a", row.a.registers, row.a_type);
  }
  text.descriptor("b_descriptor", "%base");
  std::string index;
  if (row.is_sparse()) {
    text.load('i', "index", row.index.registers, ElementType::i32);
    index = formatted("%i0, {}, ", variant.selector);
  }
  const std::string d = text.zeros('d', row.d.registers, row.d_type);
  text.line("fence.proxy.async.shared::cta;");
  text.line("bar.sync 0;");
  text.line(".reg .pred %accumulate;");
  text.line("setp.ne.u32 %accumulate, 0, 0;");
  // Integers and bits have no operands for signs, and only 16-bit factors may be MN-major.
  std::string options = "%accumulate";
  const bool integers = row.d_type == ElementType::i32;
  if (!integers) options += ", 1, 1";
  if (instruction::bits(row.a_type) == 16) {
    if (variant.a_in_shared) options += variant.a_major == Major::mn ? ", 1" : ", 0";
    options += variant.b_major == Major::mn ? ", 1" : ", 0";
  }
  text.line("wgmma.fence.sync.aligned;");
  text.line("{} {}, {}, %b_descriptor, {}{};", mnemonic(row), d, a, index, options);
  text.line("wgmma.commit_group.sync.aligned;");
  text.line("wgmma.wait_group.sync.aligned 0;");
  text.store('d', row.d.registers, row.d_type);
  return text.finish();
}

}  // namespace

std::string multiply_kernel(const Instruction& row, const Variant& variant,
                            std::string_view processor) {
  if (row.wave == 128) return asynchronous_multiply(row, variant, processor);
  Text text(row, processor);
  const std::string a = text.load('a', "a", row.a.registers, row.a_type);
  const std::string b = text.load('b', "b", row.b.registers, row.b_type);
  const std::string c = text.zeros('c', row.map(Operand::c).registers, row.type(Operand::c));
  std::string index;
  if (row.is_sparse()) {
    text.load('i', "index", row.index.registers, ElementType::i32);
    index = formatted(", %i0, {}", variant.selector);
  }
  std::string scales;
  if (row.has(Operand::scale_a)) {
    text.zeros('s', row.scale_a.registers, ElementType::i32);
    text.zeros('t', row.scale_b.registers, ElementType::i32);
    scales = ", %s0, {0, 0}, %t0, {0, 0}";
  }
  const std::string d = text.declare('d', row.d.registers, row.d_type);
  text.line("{} {}, {}, {}, {}{}{};", row.name, d, a, b, c, index, scales);
  text.store('d', row.d.registers, row.d_type);
  return text.finish();
}

namespace {

/// Writes a load or store of tensor memory, at the address of lane 0 and column 0.
std::string tensor_move(Text& text, const Instruction& row) {
  const std::string split = row.blocks == 2 ? ", 0" : "";  // columns between the halves
  text.line(".reg .b32 %address;");
  text.line("mov.u32 %address, 0;");
  if (row.kind == Kind::load) {
    const std::string d = text.declare('d', row.d.registers, ElementType::i32);
    text.line("{} {}, [%address]{};", row.name, d, split);
    text.line("tcgen05.wait::ld.sync.aligned;");
    text.store('d', row.d.registers, ElementType::i32);
    return text.finish();
  }
  const std::string d = text.load('d', "b", row.d.registers, ElementType::i32);
  text.line("{} [%address]{}, {};", row.name, split, d);
  text.line("tcgen05.wait::st.sync.aligned;");
  return text.finish();
}

}  // namespace

std::string move_kernel(const Instruction& row, std::string_view processor) {
  Text text(row, processor);
  if (row.kind == Kind::transpose) {
    text.load('a', "a", row.a.registers, ElementType::i32);
    text.declare('d', row.d.registers, ElementType::i32);
    text.line("{} %d0, %a0;", row.name);
    text.store('d', row.d.registers, ElementType::i32);
    return text.finish();
  }
  if (row.has(instruction::Constraint::quarter_of_tensor_memory)) return tensor_move(text, row);
  text.load('p', "a", 1, ElementType::i32);  // offsets into shared memory
  text.line("add.u32 %p0, %p0, %base;");
  if (row.kind == Kind::load) {
    text.entry_of("b");
    text.copy_shared("b_shared_bytes", "%base", true, 0);
    text.line("bar.sync 0;");
    const std::string d = text.declare('d', row.d.registers, ElementType::i32);
    text.line("{} {}, [%p0];", row.name, d);
    text.store('d', row.d.registers, ElementType::i32);
    return text.finish();
  }
  const std::string stored = text.load('d', "b", row.d.registers, ElementType::i32);
  text.line("{} [%p0], {};", row.name, stored);
  text.line("bar.sync 0;");
  text.entry_of_out();
  text.copy_shared("b_shared_bytes", "%base", false, 0);
  return text.finish();
}

}  // namespace heddle::probe
