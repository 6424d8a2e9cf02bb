// PTX text as parsed records. The instructions are not decoded yet.
//
// Source: PTX ISA 9.0, chapters "Syntax", "State Spaces, Types, and Variables" and "Directives".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::emulator::ptx {

struct Place {
  uint32_t line = 1, column = 1;
};

enum class Space : uint8_t { generic, global, shared, local, param, constant };

// A register that a function declares. A predicate has one bit. Vectors of registers are not
// supported.
struct Register {
  // The kind of type with which the register was declared. .bN fits every type of its size, .uN and
  // .sN fit integers, .fN fits floats (PTX ISA 9.0, "Type Checking").
  enum class Kind : uint8_t { bits, integer, real };
  uint8_t bits = 32;    // 1 (predicate), 16, 32, 64 or 128; a register of 8 bits has 16
  int8_t special = -1;  // a Special, or -1
  Kind kind = Kind::bits;
};

struct Symbol {
  std::size_t offset = 0;  // bytes from the start of the variable
  std::string name;        // the name whose address is stored there
  int64_t addend = 0;
  bool is_generic = false;
};

struct Variable {
  std::string name;
  Place place;
  Space space = Space::global;
  uint64_t alignment = 1, size = 0;  // bytes
  bool is_extern = false;            // dynamic shared memory
  bool is_pointer = false;           // a parameter with .ptr
  std::vector<std::byte> initial;    // empty or `size` bytes
  std::vector<Symbol> symbols;       // in `initial`
};

struct Operand {
  enum class Kind : uint8_t { reg, number, name, address, vector, sink };
  Kind kind = Kind::number;
  Place place;
  bool negated = false;    // !p
  bool is_real = false;    // a number that is written as a float
  uint8_t real_bits = 64;  // 32: 0f…
  int32_t reg = -1;        // the base register of an address, or -1
  uint64_t bits = 0;       // the bits of a number, or the offset that is added to a name or address
  std::string name;        // a name, or the base of an address that is no register
  std::string_view selector;   // the part of a register in a video instruction: "b0", "h10"
  std::vector<Operand> parts;  // elements of a vector; the rest of [address, {…}]; q of p|q
};

struct Statement {
  Place place;
  std::size_t begin = 0, end = 0;        // its place in the text, without the semicolon
  std::vector<std::string_view> opcode;  // "ld", "shared::cta", "v4", "b32"
  int32_t guard = -1;                    // predicate
  bool guard_negated = false;
  std::vector<Operand> operands;
  uint32_t scope = 0;

  bool has(std::string_view modifier) const {
    for (std::size_t i = 1; i < opcode.size(); ++i)
      if (opcode[i] == modifier) return true;
    return false;
  }
};

// A scope `{ … }`. Its names hide those of the outer scopes.
struct NameScope {
  int32_t parent = -1;
  struct Range {
    int32_t first = 0, count = 0;
  };
  std::map<std::string, int32_t, std::less<>> registers;
  std::map<std::string, Range, std::less<>> ranges;     // %r<10>
  std::map<std::string, uint32_t, std::less<>> labels;  // number of the statement after it
  std::map<std::string, std::vector<std::string>, std::less<>> targets;  // .branchtargets
  std::map<std::string, uint32_t, std::less<>> variables;  // positions in Function::variables
};

struct Function {
  std::string name;
  Place place;
  bool is_entry = false, is_defined = false;
  std::vector<uint32_t> results, parameters;  // positions in `variables`
  std::vector<Variable> variables;            // parameters and variables declared inside
  std::vector<Register> registers;
  std::vector<NameScope> scopes;
  std::vector<Statement> statements;
  uint32_t most_threads = 0;      // .maxntid; 0: not said
  std::vector<uint32_t> threads;  // .reqntid
  std::vector<uint32_t> cluster;  // .reqnctapercluster
};

struct Source {
  std::string text;  // statements point into it
  int version = 0;   // 10 * major + minor
  std::string target;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<std::string, std::size_t, std::less<>> variable_numbers, function_numbers;

  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
};

// Why a text is not valid PTX or is not supported, and where. The parser throws a ParseError, and
// so does the decoder if operands or modifiers do not fit an instruction. Module::parse adds the
// place to the message.
struct ParseError {
  Place place;
  std::string message;
};

// Special registers: first those that keep their value while a warp runs, then those that change.
enum class Special : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
  dynamic_smem_size,
  total_smem_size,
  aggr_smem_size,
  warp_size,
  zero,  // registers that are not simulated: counters of performance, registers of the driver
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
};

// True if a special register changes while a warp runs.
constexpr bool is_time(Special special) { return special >= Special::clock; }

struct SpecialRow {
  std::string_view name;
  Special special;
  int bits;
};
const SpecialRow* find_special(std::string_view name);

}  // namespace heddle::emulator::ptx
