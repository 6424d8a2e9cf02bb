// ldmatrix, stmatrix, tcgen05.ld and tcgen05.st against LLVM 22: a call of the row's intrinsic with
// exactly the row's registers verifies and becomes the row's mnemonic with these registers, one
// register more is refused, and LLVM has no such intrinsic without a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace ptx_move_intrinsic_test {

bool is_tensor_move(const Instruction& row) { return row.name.starts_with("tcgen05."); }

/// Calls `check` with every row that loads or stores and has an intrinsic.
template <typename Check>
void for_each_move(Check check) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    if (!is_nvidia(row.family()) || (row.kind != Kind::load && row.kind != Kind::store)) continue;
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(row.has(Witness::llvm));
    check(row);
    ++count;
  }
  EXPECT_EQ(count, 27 + 148);
}

Target first_target(const Instruction& row) {
  for (const ProcessorRow& processor : processor_rows)
    if (processor.family == row.family()) return processor.target;
  ADD_FAILURE() << row.name;
  return Target::sm_100;
}

// ldmatrix returns a structure of registers, stmatrix takes them one by one; tcgen05.ld and .st
// move a vector, or one word, and are told whether to pack.
std::string ir(const Instruction& row, int registers) {
  const std::string intrinsic(row.intrinsic), count = std::to_string(registers);
  const std::string vector = registers == 1 ? "i32" : "<" + count + " x i32>";
  std::string structure, listed, declared;
  for (int i = 0; i < registers; ++i) {
    structure += i == 0 ? "{ i32" : ", i32";
    listed += ", i32 %r" + std::to_string(i);
    declared += ", i32";
  }
  structure = registers == 1 ? "i32" : structure + " }";
  if (row.kind == Kind::load && !is_tensor_move(row))
    return "declare " + structure + " @" + intrinsic + ".p3(ptr addrspace(3))\ndefine " +
           structure + " @f(ptr addrspace(3) %p) {\n  %d = call " + structure + " @" + intrinsic +
           ".p3(ptr addrspace(3) %p)\n  ret " + structure + " %d\n}\n";
  if (!is_tensor_move(row))
    return "declare void @" + intrinsic + ".p3(ptr addrspace(3)" + declared +
           ")\ndefine void @f(ptr addrspace(3) %p" + listed + ") {\n  call void @" + intrinsic +
           ".p3(ptr addrspace(3) %p" + listed + ")\n  ret void\n}\n";
  const std::string packs = row.d.bits == 16 ? "i1 true" : "i1 false";
  const std::string split = row.blocks == 2 ? ", i64 16" : "";
  const std::string split_type = row.blocks == 2 ? ", i64" : "";
  if (row.kind == Kind::load)
    return "declare " + vector + " @" + intrinsic + "(ptr addrspace(6)" + split_type +
           ", i1)\ndefine " + vector + " @f(ptr addrspace(6) %p) {\n  %d = call " + vector + " @" +
           intrinsic + "(ptr addrspace(6) %p" + split + ", " + packs + ")\n  ret " + vector +
           " %d\n}\n";
  return "declare void @" + intrinsic + "(ptr addrspace(6)" + split_type + ", " + vector +
         ", i1)\ndefine void @f(ptr addrspace(6) %p, " + vector + " %r) {\n  call void @" +
         intrinsic + "(ptr addrspace(6) %p" + split + ", " + vector + " %r, " + packs +
         ")\n  ret void\n}\n";
}

// The instruction's line in the assembly: everything from its name to the semicolon.
std::string line_of(const std::string& ptx, std::string_view name) {
  const std::size_t begin = ptx.find("\t" + std::string(name) + " ");
  if (begin == std::string::npos) return "";
  return ptx.substr(begin, ptx.find(';', begin) - begin);
}

TEST(PtxMoveIntrinsic, BecomesTheMnemonicWithTheRowsRegisters) {
  for_each_move([](const Instruction& row) {
    const auto ptx = test::compile_ir(first_target(row), 32, ir(row, row.d.registers));
    ASSERT_EQ(ptx.error, "");
    const std::string line = line_of(ptx.value, row.name);
    ASSERT_NE(line, "") << ptx.value;
    const std::size_t open = line.find('{'), close = line.find('}');
    ASSERT_NE(close, std::string::npos) << line;
    const auto commas = std::count(line.begin() + static_cast<std::ptrdiff_t>(open),
                                   line.begin() + static_cast<std::ptrdiff_t>(close), ',');
    EXPECT_EQ(commas + 1, row.d.registers) << line;
  });
}

TEST(PtxMoveIntrinsic, OtherRegisterCountsAreRefused) {
  for_each_move([](const Instruction& row) {
    const auto ptx = test::compile_ir(first_target(row), 32, ir(row, row.d.registers + 1));
    EXPECT_NE(ptx.error, "");
  });
}

TEST(PtxMoveIntrinsic, EveryOneOfLlvmHasARow) {
  std::set<std::string> rows;
  for_each_move([&](const Instruction& row) { rows.insert(std::string(row.intrinsic)); });
  std::size_t known = 0;
  for (const char* prefix : {"llvm.nvvm.ldmatrix.", "llvm.nvvm.stmatrix.", "llvm.nvvm.tcgen05.ld.",
                             "llvm.nvvm.tcgen05.st."})
    for (const std::string& intrinsic : test::intrinsics(prefix)) {
      EXPECT_TRUE(rows.contains(intrinsic)) << intrinsic;
      ++known;
    }
  EXPECT_EQ(known, rows.size());
}

}  // namespace ptx_move_intrinsic_test
}  // namespace heddle::instruction
