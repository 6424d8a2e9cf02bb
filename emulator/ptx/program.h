// A decoded PTX kernel: one record for each instruction of the kernel and of the functions that it
// calls.
#pragma once

#include <deque>
#include <expected>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/decode/code_object.h"
#include "emulator/ptx/machine.h"
#include "emulator/ptx/source.h"
#include "heddle/instruction/target.h"

namespace heddle::emulator::ptx {

// The state space and the address of a variable.
struct VariablePlace {
  Space space = Space::global;
  uint64_t address = 0;  // in its space; for global and constant variables, an offset in the image
};

struct FirstValue {
  uint64_t offset;
  const Variable* variable;
};

// The .global and .const variables of a module. They have the same addresses in all its kernels.
struct ModuleVariables {
  std::unordered_map<std::string_view, VariablePlace> places;
  uint64_t image_bytes = 0;
  std::vector<FirstValue> first_values;
  std::set<std::string_view> named;  // variables whose addresses occur in initial values
  std::vector<DeviceVariable> variables;
};
std::expected<std::shared_ptr<const ModuleVariables>, ParseError> place_variables(
    const Source& source, Meter& meter);

// The copies between arguments and parameters before a call, and between results after it, in each
// lane's local memory.
struct CallCopies {
  struct Copy {
    uint32_t from = 0, to = 0, bytes = 0;
  };
  std::vector<Copy> before, after;
  uint32_t function = 0;
};

// A register that an instruction reads or writes, and how.
struct Use {
  enum class Role : uint8_t { source, address, destination, sum };  // sum: D of wgmma, maybe read
  uint32_t word = 0;
  int32_t reg = -1;  // of the function
  uint8_t bits = 0;  // the size of the instruction's type
  Role role = Role::source;
  bool is_predicate = false;
};

struct Program {
  const Source* source = nullptr;
  const Function* kernel = nullptr;
  instruction::Target target = instruction::Target::sm_90;
  std::vector<const Function*> functions;  // the kernel first
  std::vector<uint32_t> entries;           // the first record of each function
  std::vector<Record> records;
  std::vector<Use> uses;            // the uses of all records, in order
  std::vector<uint32_t> first_use;  // the position in `uses` of each record's first use
  // For each record: the index of its mnemonic in `mnemonics`, and the index of its class in
  // ptx_classes.
  std::vector<uint32_t> mnemonic_numbers;
  std::vector<std::string> mnemonics;
  std::vector<uint8_t> classes;
  std::deque<std::vector<uint32_t>> operands;

  // The size of a warp's frame, in words. A register gets its words when an instruction first names
  // it.
  uint32_t frame_words = 0;
  static constexpr uint32_t most_frame_words = 1u << 25;  // 256 MiB for each warp
  struct Constant {
    uint32_t word;
    uint64_t bits;
  };
  std::vector<Constant> constants;  // each is copied to 32 lanes
  struct SpecialPlace {
    uint32_t word;
    Special special;
  };
  std::vector<SpecialPlace> specials;

  bool uses_tensor_memory = false;
  bool uses_heap = false;           // calls malloc or free
  uint32_t shared_bytes = 0;        // the size of static shared memory
  uint32_t dynamic_alignment = 16;  // of the .extern .shared memory, which follows the static
  uint32_t local_bytes = 0;         // the local memory of a lane
  std::vector<uint32_t> parameter_offsets;
  uint32_t parameter_bytes = 0;

  // `image_bytes`: the size of all .global and .const variables, first those of the module, then
  // those that the functions declare. Initial values may contain addresses of variables. The memory
  // itself is allocated by a launch.
  std::shared_ptr<const ModuleVariables> module;
  uint64_t image_bytes = 0;
  std::vector<FirstValue> first_values;  // initial values of the functions' own variables
  struct FirstAddress {
    uint64_t offset, address;
  };
  std::vector<FirstAddress> first_addresses;

  std::deque<CallCopies> calls;
  std::deque<std::vector<uint32_t>> branch_targets;
  std::deque<std::vector<PreparedSource>> prepared;
  std::vector<std::shared_ptr<const void>> kept;  // tables that records point to

  uint32_t dynamic_shared_begin() const {
    return (shared_begin + shared_bytes + dynamic_alignment - 1) / dynamic_alignment *
           dynamic_alignment;
  }
  // The position of a record in `records`.
  uint32_t number_of(const Record& record) const {
    return entries[record.function] + record.statement;
  }
  std::span<const Use> uses_of(const Record& record) const {
    const uint32_t number = number_of(record);
    const std::size_t end = number + 1 < first_use.size() ? first_use[number + 1] : uses.size();
    return std::span(uses).subspan(first_use[number], end - first_use[number]);
  }
  // The register's name in the text.
  std::string name_of(const Record& record, const Use& use) const;
  std::string text_of(const Record& record) const;
  // The opcode with its suffixes, as "ld.global.b32".
  std::string mnemonic_of(const Record& record) const;
  Place place_of(const Record& record) const;
};

// Where the image of variables begins in the generic and the global space.
constexpr uint64_t variable_base = uint64_t{image_region} << region_shift;
// Where the kernel's parameters begin in the generic space. In .param space their addresses begin
// at 0, so a generic access with an address that cvta did not convert is detected.
constexpr uint64_t parameter_base = uint64_t{argument_region} << region_shift;

// Writes the initial values of the variables into the image of a launch, which has at least
// image_bytes.
void place_first_values(const Program& program, std::span<std::byte> image);

// True if the record is an instruction that the simulator does not have; executing it is a fault.
bool is_unknown(const Record& record);

// Decodes a kernel and the functions that it calls. Errors, with their place in the text: names
// that are not declared, operands that the instruction cannot have, recursion, and records that
// exceed the budget of memory. An unknown instruction is not an error here: it becomes a fault when
// it is executed.
std::expected<std::shared_ptr<const Program>, ParseError> decode(
    const Source& source, const Function& kernel, std::shared_ptr<const ModuleVariables> module,
    Meter& meter);

}  // namespace heddle::emulator::ptx
