// What the instruction decoders have in common: access to the statement that is decoded, and to the
// record that the decoder makes of the statement.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "emulator/ptx/program.h"

namespace heddle::emulator::ptx {

enum class Type : uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  tf32,
  e4m3x2,
  e5m2x2,
  e2m1x2,
  e2m3x2,
  e3m2x2,
  ue8m0x2,
  f32x2,
  u16x2,
  s16x2,
};
Type type_named(std::string_view name);
int bytes_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);

// Loads, stores and conversions accept registers wider than their type; other instructions do not
// (PTX ISA 9.0, "Operand Size Exceeding Instruction-Type Size").
enum class Fit : uint8_t { exact, wider };

class Decoder {
 public:
  Decoder(Program& program, const Function& function);

  const Statement& statement() const { return *statement_; }
  Record& record() { return record_; }
  Program& program() { return program_; }

  std::string_view name() const { return statement_->opcode[0]; }
  std::size_t modifiers() const { return statement_->opcode.size(); }
  // True if the opcode has the modifier. A decoder that asks for a modifier must obey it. An
  // instruction is rejected as unknown if it has a modifier that no decoder asked for and that is
  // not one of the row's hints (unread()).
  bool has(std::string_view modifier) const;
  // The modifier with index `i`; empty if there are fewer.
  std::string_view modifier(std::size_t i) const;
  // The name with all its modifiers, except `without`, for tables that list whole names.
  std::string whole_name(std::string_view without = {}) const;
  // Marks all modifiers as read: each is obeyed or changes nothing here.
  void read_all() const { read_ = ~uint32_t{0}; }
  // The first modifier that was not read and is not one of `hints`; empty if there is none.
  std::string_view unread(std::string_view hints) const;
  // True if the type is a packed one: a register holds two or four numbers.
  bool is_of_pairs() const;
  // The last modifier that is a type.
  Type type() const;
  Type type(std::size_t number) const;  // the type with this number, in the order of the text
  std::size_t types() const;

  std::size_t operands() const { return statement_->operands.size(); }
  const Operand& operand(std::size_t i) const;
  // The index of a source operand's word in the frame of the warp's registers: a register, a
  // constant or an address. A number is converted to the bits of the type. For `reg + number` and
  // `!predicate` the frame gets a separate word, which is filled before the instruction runs
  // (Record::prepared).
  //
  // The register's declared class must fit the type. A predicate must be declared as a predicate.
  // Other registers must have the size of the type, or at least this size if `fit` allows it.
  uint32_t source(const Operand& operand, Type type, Fit fit = Fit::exact);
  uint32_t destination(const Operand& operand, Type type, Fit fit = Fit::exact,
                       Use::Role role = Use::Role::destination);
  uint32_t source(std::size_t i, Type type, Fit fit = Fit::exact) {
    return source(operand(i), type, fit);
  }
  uint32_t destination(std::size_t i, Type type, Fit fit = Fit::exact) {
    return destination(operand(i), type, fit);
  }
  // The words of d and p in the operand d|p. If p is absent, its word is the sink, which nothing
  // reads.
  std::pair<uint32_t, uint32_t> destination_pair(std::size_t i, Type d, Type p);
  uint32_t constant(uint64_t bits);
  // A constant of 128 bits. As with ptxas 13.0, the upper 64 bits are zero, even if the number is
  // negative.
  uint32_t wide_constant(uint64_t bits);
  // The word of the base in the operand [base + offset]. The offset goes to Record::immediate. If
  // the base is a variable, its state space goes to Record::space.
  uint32_t address(const Operand& operand, bool keeps_immediate = true);
  uint32_t sink();
  // The word of the carry flag CC.CF. `takes`: the instruction reads the flag; `gives`: the
  // instruction writes the flag.
  uint32_t carry(bool takes, bool gives);
  int bits_of(const Operand& operand) const;  // the size of a register; 0 for other operands
  // The parts of a vector operand, or the operand itself.
  std::vector<const Operand*> parts(std::size_t i) const;

  void set_operands(std::vector<uint32_t> words);
  template <class T>
  const T* keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    program_.kept.push_back(kept);
    return kept.get();
  }
  // Sets the scope of an access or a fence, and whether it acquires and releases, as its modifiers
  // say. If `is_strong`, an access without modifiers of scope and order counts as relaxed, with the
  // scope of the device.
  void set_order(bool is_strong);
  [[noreturn]] void bad(std::string message) const;
  [[noreturn]] void bad(const Operand& operand, std::string message) const;
  // The space that the modifiers name.
  Space space() const;

  uint32_t label(const Operand& operand) const;  // statement number
  const Variable* variable(const std::string& name, VariablePlace& place) const;
  const std::vector<std::string>* branch_targets(const std::string& name) const;
  uint32_t label_named(const std::string& name, const Place& place) const;

 private:
  friend class ProgramBuilder;
  void note(uint32_t word, const Operand& operand, Type type, Use::Role role);
  void check_class(const Operand& operand, Type type, Fit fit) const;
  uint32_t prepared(const Operand& operand, Type type);
  uint32_t word_of(int32_t reg);
  uint32_t allocate(uint32_t words);

  Program& program_;
  const Function& function_;
  const Statement* statement_ = nullptr;
  mutable uint32_t read_ = 0;  // one bit for each modifier that was asked for
  Record record_;
  std::vector<uint32_t> words_;  // the words of the function's registers; 0: not used yet
  std::vector<PreparedSource> prepared_;
  std::vector<Use> uses_;  // registers that the record uses
  std::unordered_map<uint64_t, uint32_t>* constants_ = nullptr;
  const std::map<std::pair<const Function*, std::string>, VariablePlace>* places_ = nullptr;
  uint32_t *sink_word_ = nullptr, *carry_word_ = nullptr;
};

// A row for an instruction: the first part of its name, and the function that decodes it. The
// function returns false for a variant that it does not know.
using Decode = bool (*)(Decoder&);
struct DecodeRow {
  std::string_view name;
  Decode decode;
  // Modifiers that do not change results in the simulator, such as cache hints. A hint that ends in
  // '*' stands for every modifier that begins with the same text.
  std::string_view hints = {};
  Flow flow = Flow::lane;  // for records whose decoder sets no other
};
// Decodes an instruction that does nothing in the simulator: a performance hint, a breakpoint, or a
// request for an order of accesses that the simulator keeps anyway.
bool decode_no_operation(Decoder& d);

// The decode tables, one for each group of instructions.
std::span<const DecodeRow> integer_rows();
std::span<const DecodeRow> comparison_rows();
std::span<const DecodeRow> bit_rows();
std::span<const DecodeRow> video_rows();
std::span<const DecodeRow> fragment_rows();
std::span<const DecodeRow> float_rows();
std::span<const DecodeRow> float_comparison_rows();
std::span<const DecodeRow> conversion_rows();
std::span<const DecodeRow> memory_rows();
std::span<const DecodeRow> atomic_rows();
std::span<const DecodeRow> exchange_rows();
std::span<const DecodeRow> matrix_rows();
std::span<const DecodeRow> asynchronous_rows();
std::span<const DecodeRow> barrier_rows();
std::span<const DecodeRow> memory_barrier_rows();
std::span<const DecodeRow> warpgroup_rows();
std::span<const DecodeRow> tensor_rows();
std::span<const DecodeRow> map_rows();
std::span<const DecodeRow> launch_control_rows();

}  // namespace heddle::emulator::ptx
