// Takes wait states away from Triton's kernels for CDNA, one s_nop at a time, and prints how many
// of the mutants the checker finds: the table of bench/records/wait_states.md. LLVM puts s_nop only
// where its own rules want one, and as few as they want, so a mutant that is not found is a rule
// that the checker lacks, or one that it leaves out on purpose. `wait_state_mutants NAME ...` tries
// only kernels whose "NAME TARGET" contains one of the names, `-v` prints what is not found. Exit
// status 1 when a mutant is not found for which no reason is known.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "emulator/check/hazards.h"
#include "emulator/decode/code_object.h"
#include "emulator/decode/program.h"
#include "emulator/run/run.h"
#include "llvm/Support/Base64.h"
#include "mutants.h"
#include "runtime/device/launch_binding.h"
#include "runtime/launch/memory.h"
#include "runtime/launch/text.h"
#include "tests/data/golden.h"

namespace heddle::emulator::testing {
namespace {

struct Kernel {
  std::string name;  // "softmax gfx942"
  std::vector<std::byte> file;
  std::string launch;
};

struct Outcome {
  std::set<uint64_t> executed;  // program counters
  std::set<std::string> findings;
};

std::optional<Outcome> run_checked(const std::vector<std::byte>& file, const std::string& text) {
  const auto object = CodeObject::load(file);
  const auto launch = runtime::parse_launch(text);
  if (!object || !launch) return std::nullopt;
  auto memory = runtime::LaunchMemory::fill(*launch, ".");
  if (!memory) return std::nullopt;
  auto bound = runtime::bind(*launch, runtime::call_of(launch->launches.front()), object->kernels(),
                             *memory);
  if (!bound) return std::nullopt;
  bound->check = true;
  const auto report = run(*object, *bound);
  if (!report) return std::nullopt;
  Outcome outcome;
  for (const InstructionCount& count : report->executed)
    outcome.executed.insert(count.program_counter);
  for (const Finding& finding : report->findings)
    if (finding.kind == FindingKind::wait_state_hazard) outcome.findings.insert(finding.message);
  return outcome;
}

// Words of the file, from an instruction on.
class Code {
 public:
  explicit Code(const CodeObject& object) : object_(object), program_(object.program()) {}

  uint32_t address(uint32_t index) const { return program_.addresses()[index]; }
  std::vector<uint32_t> words(uint32_t index) const {
    std::vector<uint32_t> words((address(index + 1) - address(index)) / 4);
    std::memcpy(words.data(), object_.image().data() + address(index), 4 * words.size());
    return words;
  }

 private:
  const CodeObject& object_;
  const Program& program_;
};

using Patches = std::vector<Mutant::Patch>;

// The s_nop at `index` comes after the next instruction that is none: as if it were not there.
std::optional<Patches> without(const Program& program, const Code& code, uint32_t index) {
  uint32_t next = index + 1;
  while (next < program.instructions().size() && program.mnemonic(next) == "s_nop") ++next;
  if (next >= program.instructions().size()) return std::nullopt;
  // What depends on its own address stays.
  const std::string_view mnemonic = program.mnemonic(next);
  if (mnemonic.starts_with("s_branch") || mnemonic.starts_with("s_cbranch") ||
      mnemonic.starts_with("s_getpc") || mnemonic.starts_with("s_call") ||
      mnemonic.starts_with("s_swappc") || mnemonic.starts_with("s_setpc") ||
      mnemonic.starts_with("s_endpgm"))
    return std::nullopt;
  std::vector<uint32_t> words;
  for (uint32_t i = index + 1; i <= next; ++i)
    for (const uint32_t word : code.words(i)) words.push_back(word);
  words.push_back(code.words(index).front());
  Patches patches;
  uint64_t address = code.address(index);
  for (const uint32_t word : words) {
    patches.push_back({address, word});
    address += 4;
  }
  return patches;
}

std::optional<Patches> one_less(const Code& code, uint32_t index) {
  const uint32_t word = code.words(index).front();
  if ((word & 15u) == 0) return std::nullopt;
  return Patches{{code.address(index), word - 1}};
}

// Why LLVM puts an s_nop that no document asks for; null when there should be a finding.
const char* reason_for(const Program& program, uint32_t index) {
  uint32_t next = index + 1;
  while (program.mnemonic(next) == "s_nop") ++next;
  if (index == 0) return nullptr;
  const std::string_view before = program.mnemonic(index - 1), after = program.mnemonic(next);
  const auto both = [&](std::string_view prefix) {
    return before.starts_with(prefix) && after.starts_with(prefix);
  };
  if (both("s_load_") || both("s_buffer_load_") || both("global_load_") || both("buffer_load_"))
    return "parts loads that are repeated together after a page fault, which XNACK allows";
  // LLVM takes op_sel_hi of a packed instruction for the half that a result goes to.
  if (before.starts_with("v_pk_"))
    return "follows a packed instruction, whose op_sel_hi LLVM takes for the place of its result";
  return nullptr;
}

// How many instructions of the code come too early after those before them in the code.
int wrong_in_order(const CodeObject& object) {
  const Program& program = object.program();
  const check::EffectsTable effects(program, object.target());
  const check::Hazards hazards(program, effects, object.target());
  int count = 0;
  for (uint32_t i = 0; i < program.instructions().size(); ++i)
    count += hazards.is_wrong_in_order(i);
  return count;
}

// How many instructions from `index` on come too early after a branch that is taken, if that were
// one wait state as other instructions are.
int early_behind_branches(const CodeObject& object, uint32_t index) {
  constexpr uint32_t reach = check::Path::most_states;
  const Program& program = object.program();
  const check::EffectsTable effects(program, object.target());
  const check::Hazards hazards(program, effects, object.target(), 1);
  int count = 0;
  for (uint32_t branch = 0; branch + 1 < program.instructions().size(); ++branch) {
    const std::string text = program.text(branch);
    if (!text.starts_with("s_branch ") && !text.starts_with("s_cbranch_")) continue;
    const auto words = static_cast<int16_t>(std::stoi(text.substr(text.rfind(' '))));
    const auto target = std::ranges::lower_bound(
        program.addresses(), program.addresses()[branch + 1] + static_cast<uint32_t>(4 * words));
    const auto first = static_cast<uint32_t>(target - program.addresses().begin());
    for (uint32_t second = std::max(index, first); second < index + reach; ++second) {
      if (second - first > reach || second >= program.instructions().size()) break;
      check::Path path;
      path.start();
      for (uint32_t i = branch - std::min(branch, reach); i <= branch; ++i) path.take(i);
      for (uint32_t i = first; i <= second; ++i) path.take(i);
      count += hazards.check(path, second).has_value();
    }
  }
  return count;
}

struct Score {
  int mutants = 0, found = 0, lacking = 0;
  std::map<std::string, int> reasons;
};

void print(std::string_view name, const Score& score) {
  int left_out = 0;
  for (const auto& [reason, count] : score.reasons) left_out += count;
  std::printf("| %s | %d | %d | %d | %d |\n", std::string(name).c_str(), score.mutants, score.found,
              left_out, score.lacking);
  std::fflush(stdout);
}

void try_kernel(const Kernel& kernel, bool verbose, Score& deleted, Score& reduced) {
  const auto object = CodeObject::load(kernel.file);
  const auto original = run_checked(kernel.file, kernel.launch);
  if (!object || !original || !original->findings.empty()) {
    std::fprintf(
        stderr, "%s: the original cannot be tried%s%s\n", kernel.name.c_str(),
        original && !original->findings.empty() ? ": " : "",
        original && !original->findings.empty() ? original->findings.begin()->c_str() : "");
    ++deleted.lacking;
    return;
  }
  const Program& program = object->program();
  const Code code(*object);
  const uint64_t entry = object->kernels().front().entry;
  for (uint32_t i = 0; i < program.instructions().size(); ++i) {
    if (program.mnemonic(i) != "s_nop" || !original->executed.contains(code.address(i) - entry))
      continue;
    const auto attempt = [&](const std::optional<Patches>& patches, Score& score, const char* how) {
      if (!patches) return;
      ++score.mutants;
      const auto file = patched(kernel.file, *patches);
      const auto outcome = run_checked(file, kernel.launch);
      if (outcome && !outcome->findings.empty()) {
        ++score.found;
        return;
      }
      const char* reason = reason_for(program, i);
      const auto mutant = CodeObject::load(file);
      if (!reason && mutant && wrong_in_order(*mutant) > wrong_in_order(*object))
        reason = "matters only after a branch that the launch takes otherwise";
      if (!reason && mutant &&
          early_behind_branches(*mutant, i) > early_behind_branches(*object, i))
        reason = "is one of two wait states that a branch that is taken is for the checker";
      if (reason)
        ++score.reasons[reason];
      else
        ++score.lacking;
      if (!verbose && reason) return;
      std::fprintf(stderr, "%s: %s %s at 0x%x%s%s\n", kernel.name.c_str(), program.text(i).c_str(),
                   how, code.address(i), reason ? ": " : "", reason ? reason : "");
      if (!reason)
        for (uint32_t j = i > 8 ? i - 8 : 0; j < i + 3 && j < program.instructions().size(); ++j)
          std::fprintf(stderr, "    %s\n", program.text(j).c_str());
    };
    attempt(without(program, code, i), deleted, "deleted");
    attempt(one_less(code, i), reduced, "one less");
  }
}

std::vector<Kernel> kernels_of(std::span<const std::string_view> names) {
  std::vector<Kernel> kernels;
  const llvm::json::Value data = test::read_golden("triton_kernels_cdna.json.gz");
  for (const llvm::json::Value& value : *data.getAsObject()->getArray("kernels")) {
    const llvm::json::Object& entry = *value.getAsObject();
    Kernel kernel;
    kernel.name = entry.getString("name")->str() + " " + entry.getString("target")->str();
    if (!names.empty() && std::ranges::none_of(names, [&](std::string_view name) {
          return kernel.name.contains(name);
        }))
      continue;
    std::vector<char> bytes;
    if (auto error = llvm::decodeBase64(*entry.getString("code"), bytes)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    kernel.file.resize(bytes.size());
    std::memcpy(kernel.file.data(), bytes.data(), bytes.size());
    kernel.launch = entry.getString("launch")->str();
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

int main_of(std::span<const std::string_view> arguments) {
  std::vector<std::string_view> names(arguments.begin(), arguments.end());
  const bool verbose = std::erase(names, "-v") != 0;
  std::map<std::string, std::array<Score, 2>> of_targets;
  for (const Kernel& kernel : kernels_of(names)) {
    auto& [deleted, reduced] = of_targets[kernel.name.substr(kernel.name.rfind(' ') + 1)];
    try_kernel(kernel, verbose, deleted, reduced);
  }
  std::printf("| mutants | tried | found | left out | missed |\n|---|---|---|---|---|\n");
  int tried = 0, lacking = 0;
  std::map<std::string, int> reasons;
  for (const auto& [target, scores] : of_targets)
    for (int i = 0; i < 2; ++i) {
      const Score& score = scores[static_cast<std::size_t>(i)];
      print(target + (i == 0 ? ", s_nop deleted" : ", s_nop of one less"), score);
      tried += score.mutants;
      lacking += score.lacking;
      for (const auto& [reason, count] : score.reasons) reasons[reason] += count;
    }
  if (!reasons.empty()) std::printf("\nLeft out, where the s_nop\n\n");
  for (const auto& [reason, count] : reasons) std::printf("- %s: %d\n", reason.c_str(), count);
  return tried > 0 && lacking == 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::emulator::testing

int main(int count, char** arguments) {
  const std::vector<std::string_view> words(arguments + 1, arguments + count);
  return heddle::emulator::testing::main_of(words);
}
