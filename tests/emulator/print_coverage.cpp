// Prints the tables of docs/emulator.md: how many of LLVM's instructions the emulator executes, and
// which it does not.
#include <cstdio>
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
        std::printf("%s: %s\n", mnemonic.c_str(),
                    reason.empty() ? why.c_str() : std::string(reason).c_str());
      }
  }
}

}  // namespace
}  // namespace heddle::emulator::testing

int main() {
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
