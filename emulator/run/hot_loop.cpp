#include "emulator/run/hot_loop.h"

#include <algorithm>
#include <map>

#include "emulator/decode/assembly_text.h"
#include "emulator/decode/program.h"

namespace heddle::emulator {
namespace {

/// Indices of instructions: [first, last].
struct Loop {
  uint32_t first, last;
  uint64_t matrix;
};

/// The range of a kernel's instructions: from its entry to the entry of the next kernel.
Loop range_of(const CodeObject& object, const Kernel& kernel) {
  const std::span<const uint32_t> addresses = object.program().addresses();
  uint64_t end = UINT64_MAX;
  for (const Kernel& other : object.kernels())
    if (other.entry > kernel.entry) end = std::min(end, other.entry);
  const auto first = std::ranges::lower_bound(addresses, kernel.entry);
  const auto last = std::ranges::lower_bound(addresses, end);
  return {static_cast<uint32_t>(first - addresses.begin()),
          static_cast<uint32_t>(last - addresses.begin()), 0};
}

/// The index of a branch's target; -1 if the instruction is no branch or leaves the code.
int32_t branch_target(const Program& program, uint32_t index) {
  if (!program.mnemonic(index).starts_with("s_cbranch") && program.mnemonic(index) != "s_branch")
    return -1;
  // The offset is a 16-bit number of 4-byte words from the next instruction (RDNA3 ISA, "SOPP").
  int64_t words = 0;
  bool hexadecimal = false;
  const TextInstruction text = parse_instruction(program.text(index));
  if (text.operands.empty() || !parse_integer(text.operands[0].text, words, hexadecimal)) return -1;
  const int64_t target = int64_t{program.addresses()[index]} + 4 + 4 * int64_t{int16_t(words)};
  return target < 0 ? -1 : program.find(static_cast<uint64_t>(target));
}

uint64_t matrix_between(const Program& program, uint32_t first, uint32_t last) {
  uint64_t count = 0;
  for (uint32_t i = first; i <= last; ++i) count += program.is_matrix(i);
  return count;
}

/// Adds an instruction to the counts.
void count(HotLoop& loop, std::string_view mnemonic, bool is_matrix) {
  const auto is = [&](std::string_view prefix) { return mnemonic.starts_with(prefix); };
  ++loop.instructions;
  loop.matrix += is_matrix;
  const bool is_load = mnemonic.find("_load") != mnemonic.npos;
  const bool is_store = mnemonic.find("_store") != mnemonic.npos;
  if (is("ds_")) {
    loop.lds_loads += is_load;
    loop.lds_loads_128 += is_load && mnemonic.ends_with("b128");
    loop.lds_stores += is_store;
  } else if (is("global_") || is("buffer_") || is("flat_")) {
    loop.global_loads += is_load;
    loop.global_stores += is_store;
  }
  loop.scratch += is("scratch_");
  loop.waits += is("s_wait") && !is("s_wait_alu");
  loop.barriers += mnemonic == "s_barrier" || is("s_barrier_signal");
}

}  // namespace

std::optional<HotLoop> find_hot_loop(const CodeObject& object, const Kernel& kernel) {
  const Program& program = object.program();
  const Loop range = range_of(object, kernel);
  std::vector<Loop> loops;
  for (uint32_t i = range.first; i < range.last; ++i) {
    const int32_t target = branch_target(program, i);
    if (target < 0 || static_cast<uint32_t>(target) > i ||
        static_cast<uint32_t>(target) < range.first)
      continue;
    const auto first = static_cast<uint32_t>(target);
    if (const uint64_t matrix = matrix_between(program, first, i); matrix > 0)
      loops.push_back({first, i, matrix});
  }
  const auto is_innermost = [&](const Loop& loop) {
    return std::ranges::none_of(loops, [&](const Loop& other) {
      return (other.first != loop.first || other.last != loop.last) && other.first >= loop.first &&
             other.last <= loop.last;
    });
  };
  std::optional<Loop> best;
  for (const Loop& loop : loops)
    if (is_innermost(loop) && (!best || loop.matrix > best->matrix)) best = loop;
  if (!best) return std::nullopt;

  HotLoop result;
  result.first = program.addresses()[best->first];
  result.last = program.addresses()[best->last];
  std::map<std::string_view, uint64_t> counts;
  for (uint32_t i = best->first; i <= best->last; ++i) {
    ++counts[program.mnemonic(i)];
    count(result, program.mnemonic(i), program.is_matrix(i));
  }
  for (const auto& [mnemonic, number] : counts)
    result.opcodes.push_back({std::string(mnemonic), number});
  std::ranges::sort(result.opcodes, std::greater{}, &OpcodeCount::count);
  return result;
}

}  // namespace heddle::emulator
