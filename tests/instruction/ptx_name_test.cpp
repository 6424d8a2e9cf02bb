// PTX names in the spellings that people use.
#include "heddle/instruction/ptx_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::instruction {
namespace ptx_name_test {

constexpr const Instruction& dense =
    get<"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Target::sm_80>();
static_assert(match_ptx_name(dense, "mma.m16n8k16.f32.f16.f16.f32"));
static_assert(match_ptx_name(dense, "mma.sync.m16n8k16.row.col.f32.f16.f16.f32"));
static_assert(!match_ptx_name(dense, "mma.m16n8k16.f16.f16.f16.f32"));
static_assert(!match_ptx_name(dense, "mma.m16n8k16.col.row.f32.f16.f16.f32"));
static_assert(!match_ptx_name(dense, "mma.m16n8k16.row.f32.f16.f16.f32"));
static_assert(!match_ptx_name(dense, "mma.m16n8k16.satfinite.f32.f16.f16.f32"));
static_assert(!match_ptx_name(dense, "mma.sp.m16n8k16.f32.f16.f16.f32"));
static_assert(!match_ptx_name(dense, "mma.m16n8k16.f32.f16.f16.f32."));
static_assert(!match_ptx_name(dense, ""));

void for_each_row(auto&& check) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    if (!is_nvidia(row.family())) continue;
    SCOPED_TRACE(row.name);
    check(row);
    ++count;
  }
  EXPECT_GT(count, 300);
}

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  all_parts(name, '.', [&](std::string_view part) {
    parts.emplace_back(part);
    return true;
  });
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string name;
  for (const std::string& part : parts) name += (name.empty() ? "" : ".") + part;
  return name;
}

TEST(PtxName, EveryRowHasItsOwn) {
  for_each_row([](const Instruction& row) {
    const auto found = match_ptx_name(row, row.name);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, row.name);
    EXPECT_EQ(found->n_sizes, row.n_sizes);
  });
}

// Full names tell all rows apart.
TEST(PtxName, NoRowHasAnothers) {
  for_each_row([](const Instruction& row) {
    for (const Instruction& other : all_instructions()) {
      if (!is_nvidia(other.family()) || other.name == row.name) continue;
      EXPECT_FALSE(match_ptx_name(row, other.name)) << other.name;
    }
  });
}

// What may be left out, and that the order of the rest is free but for types and layouts.
TEST(PtxName, QualifiersMayBeLeftOutAndMoved) {
  for_each_row([](const Instruction& row) {
    std::vector<std::string> parts = parts_of(row.name);
    std::erase_if(parts, [](const std::string& part) {
      return part == "sync" || part == "aligned" || part == "row" || part == "col" ||
             part == "shared";
    });
    EXPECT_TRUE(match_ptx_name(row, joined(parts))) << joined(parts);
    // Qualifiers in front of the shape, as CUTLASS has them.
    std::vector<std::string> moved{parts[0]};
    for (const bool qualifiers : {true, false})
      for (std::size_t i = 1; i < parts.size(); ++i) {
        const bool qualifier =
            parts[i].find("::") != std::string::npos || parts[i] == "block_scale";
        if (qualifier == qualifiers) moved.push_back(parts[i]);
      }
    EXPECT_TRUE(match_ptx_name(row, joined(moved))) << joined(moved);
  });
}

TEST(PtxName, EveryOtherPartIsNeeded) {
  for_each_row([](const Instruction& row) {
    const std::vector<std::string> parts = parts_of(row.name);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool optional = may_be_left_out(row, parts[i]);
      std::vector<std::string> fewer = parts;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_EQ(match_ptx_name(row, joined(fewer)).has_value(), optional) << joined(fewer);
      std::vector<std::string> other = parts;
      other[i] += "x";
      EXPECT_FALSE(match_ptx_name(row, joined(other))) << joined(other);
    }
  });
}

// LLVM prints these of the intrinsics with .satfinite (mma_intrinsic_test.cpp).
TEST(PtxName, WhatMovesNoElementMayBeAdded) {
  for_each_row([](const Instruction& row) {
    const std::string name(row.name);
    EXPECT_EQ(match_ptx_name(row, name + ".satfinite").has_value(), row.d_type == ElementType::i32);
    EXPECT_EQ(match_ptx_name(row, name + ".rz").has_value(), row.d_type == ElementType::f64);
  });
  const Instruction& load = *find("ldmatrix.sync.aligned.m8n8.x4.shared.b16", Target::sm_80);
  EXPECT_TRUE(match_ptx_name(load, "ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16"));
}

TEST(PtxName, OneNOfARowForSeveral) {
  int sizes = 0;
  for_each_row([&](const Instruction& row) {
    if (row.n_sizes == 0) return;
    std::string name(row.name);
    const std::size_t at = name.find('N');
    for (int n = 1; n <= 300; ++n) {
      const std::string sized = name.substr(0, at) + std::to_string(n) + name.substr(at + 1);
      const auto found = match_ptx_name(row, sized);
      ASSERT_EQ(found.has_value(), takes_n(row, n)) << sized;
      if (!found) continue;
      EXPECT_EQ(found->n, n);
      EXPECT_EQ(found->n_sizes, 0u);
      EXPECT_EQ(found->d.registers, row.d.registers * n / row.n);
      ++sizes;
    }
  });
  EXPECT_GT(sizes, 500);
}

TEST(PtxName, ShortNamesLeaveOutWhatAllHave) {
  EXPECT_EQ(short_ptx_name(dense.name).view(), "mma.m16n8k16.f32.f16.f16.f32");
  EXPECT_EQ(short_ptx_name("v_wmma_f32").view(), "v_wmma_f32");
}

}  // namespace ptx_name_test
}  // namespace heddle::instruction
