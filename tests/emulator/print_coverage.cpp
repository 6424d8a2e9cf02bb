// Prints the table of docs/emulator.md: how many of LLVM's instructions the emulator executes, and
// which it does not.
#include <cstdio>
#include <vector>

#include "coverage.h"

int main() {
  using namespace heddle::emulator;
  using namespace heddle::emulator::testing;
  const char* names[] = {"gfx1100", "gfx1151", "gfx1201"};
  std::printf("| encoding |");
  for (const char* name : names)
    for (int wave : {32, 64}) std::printf(" %s wave%d |", name, wave);
  std::printf("\n|---|---:|---:|---:|---:|---:|---:|\n");
  std::vector<Coverage> all;
  std::set<std::string> encodings;
  for (const char* name : names)
    for (int wave : {32, 64}) {
      all.push_back(coverage(*find_target(name), wave));
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
  std::size_t i = 0;
  for (const char* name : names)
    for (int wave : {32, 64}) {
      const Target& target = *find_target(name);
      for (const auto& [mnemonic, why] : all[i++].missing)
        if (printed.insert(mnemonic).second)
          std::printf("%s: %s\n", mnemonic.c_str(),
                      std::string(reason_for_absence(mnemonic, target, wave)).c_str());
    }
}
