// NVIDIA's assembler against the families of every row: it took or refused the kernel of each row
// on each processor, with exactly the row's registers.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "heddle/instruction/catalogue.h"
#include "tests/data/golden.h"

namespace heddle::instruction {
namespace ptxas_families_test {

/// What ptxas 13.0 says otherwise than the PTX ISA.
bool is_exception(const std::string& name, const std::string& processor) {
  const auto contains = [&](const char* part) { return name.find(part) != std::string::npos; };
  // The ISA has kind::f8f6f4 on sm_120 only; of 8-bit floats ptxas takes it on sm_100 as well.
  if (contains("kind::f8f6f4") && processor.starts_with("sm_10")) return true;
  // Of scale_vec::4X ptxas knows .ue4m3 only.
  return contains("scale_vec::4X") && contains(".ue8m0") && processor.starts_with("sm_12");
}

TEST(PtxasFamilies, AcceptsARowOnTheProcessorsOfItsFamilies) {
  const llvm::json::Value recorded = test::read_golden("ptxas_families.json.gz");
  const llvm::json::Object& accepted = *recorded.getAsObject()->getObject("accepted");
  int taken = 0, refused = 0, exceptions = 0;
  for (const Instruction& row : all_instructions()) {
    const llvm::json::Array* by = accepted.getArray(row.name);
    EXPECT_EQ(row.has(Witness::ptxas), by != nullptr && !by->empty()) << row.name;
    if (by == nullptr) continue;
    std::set<std::string> takers;
    for (const llvm::json::Value& name : *by) takers.insert(name.getAsString()->str());
    for (const llvm::json::Value& value : *recorded.getAsObject()->getArray("processors")) {
      const std::string name = value.getAsString()->str();
      const ProcessorRow* processor = find_processor(name);
      ASSERT_NE(processor, nullptr) << name;
      // wgmma wants the processor's own target, sm_90a.
      const bool own = row.has(Constraint::warpgroup) && name == "sm_90";
      const bool wanted = row.is_of(processor->family) && !own;
      if (is_exception(std::string(row.name), name) && takers.contains(name) != wanted)
        ++exceptions;
      else
        EXPECT_EQ(takers.contains(name), wanted) << row.name << " on " << name;
      (takers.contains(name) ? taken : refused) += 1;
    }
  }
  EXPECT_GT(taken, 1500);
  EXPECT_GT(refused, 3000);
  EXPECT_EQ(exceptions, 12 * 2 + 2 * 2);
}

}  // namespace ptxas_families_test
}  // namespace heddle::instruction
