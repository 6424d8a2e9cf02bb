// Prints the tables of bench/records/coverage.md: how many of LLVM's instructions the emulator
// executes, and which it does not.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "coverage.h"

namespace heddle::emulator::testing {
namespace {

struct Column {
  const char* target;
  int wave;
};

void print_table(const std::vector<Column>& columns) {
  std::printf("| encoding |");
  for (const Column& column : columns) std::printf(" %s wave%d |", column.target, column.wave);
  std::printf("\n|---|");
  for (std::size_t i = 0; i < columns.size(); ++i) std::printf("---:|");
  std::printf("\n");
  std::vector<Coverage> all;
  std::set<std::string> encodings;
  for (const Column& column : columns) {
    all.push_back(coverage(*find_target(column.target), column.wave));
    for (const auto& [encoding, count] : all.back().by_encoding) encodings.insert(encoding);
  }
  const auto row = [&](const std::string& title, auto count_of) {
    std::printf("| %s |", title.c_str());
    for (const Coverage& c : all) {
      const Coverage::Count count = count_of(c);
      if (count.all == 0)
        std::printf(" |");
      else
        std::printf(" %d of %d |", count.covered, count.all);
    }
    std::printf("\n");
  };
  for (const std::string& encoding : encodings)
    row(encoding, [&](const Coverage& c) {
      const auto found = c.by_encoding.find(encoding);
      return found == c.by_encoding.end() ? Coverage::Count{} : found->second;
    });
  row("mnemonics, each once", [](const Coverage& c) { return c.total; });
  std::printf("\n");
  std::set<std::string> printed;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Target& target = *find_target(columns[i].target);
    for (const auto& [mnemonic, why] : all[i].missing)
      if (printed.insert(mnemonic).second) {
        const auto reason = reason_for_absence(mnemonic, target, columns[i].wave);
        std::printf("- `%s`: %s\n", mnemonic.c_str(),
                    reason.empty() ? why.c_str() : std::string(reason).c_str());
      }
  }
}

}  // namespace
}  // namespace heddle::emulator::testing

// Of files of machine code: what the emulator refuses, and with a `!` what it has no reason to
// refuse; then the mnemonics in them.
int print_refused(const char* target_name, int wave, std::span<char*> files) {
  using namespace heddle::emulator;
  using namespace heddle::emulator::testing;
  const Target* target = find_target(std::string_view(target_name));
  if (!target) {
    std::fprintf(stderr, "%s: no target; there are %s\n", target_name, target_names().c_str());
    return 2;
  }
  std::set<std::string> emitted;
  std::map<std::string, std::string> all;
  for (const char* path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string code((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    all.merge(refused(std::as_bytes(std::span(code)), *target, wave, emitted));
  }
  for (const auto& [mnemonic, why] : all) {
    const auto reason = reason_for_absence(mnemonic, *target, wave);
    std::printf("%s %s: %s\n", reason.empty() ? "!" : " ", mnemonic.c_str(),
                reason.empty() ? why.c_str() : std::string(reason).c_str());
  }
  std::printf("%zu of %zu mnemonics are refused:", all.size(), emitted.size());
  for (const std::string& mnemonic : emitted) std::printf(" %s", mnemonic.c_str());
  std::printf("\n");
  return 0;
}

// Without arguments the tables; else TARGET WAVE FILE...: files of machine code, as
// `llvm-objcopy -O binary --only-section=.text` writes them.
int main(int count, char** arguments) {
  if (count > 3)
    return print_refused(arguments[1], std::atoi(arguments[2]),
                         std::span(arguments, static_cast<std::size_t>(count)).subspan(3));
  using heddle::emulator::testing::print_table;
  print_table({{"gfx1100", 32},
               {"gfx1100", 64},
               {"gfx1151", 32},
               {"gfx1151", 64},
               {"gfx1201", 32},
               {"gfx1201", 64}});
  std::printf("\n");
  print_table({{"gfx90a", 64}, {"gfx942", 64}, {"gfx950", 64}, {"gfx1250", 32}});
}
