// Memory as launch files describe it, and .npy files byte by byte as NumPy writes them.
#include "runtime/launch/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace heddle::runtime {
namespace launch_memory_test {

LaunchText launch_of(const std::string& text) {
  auto launch = parse_launch(text + "\narguments\n");
  EXPECT_TRUE(launch) << launch.error().message;
  return *launch;
}

LaunchMemory filled(const LaunchText& launch) {
  auto memory = LaunchMemory::fill(launch, testing::TempDir());
  EXPECT_TRUE(memory) << memory.error().message;
  return *memory;
}

TEST(LaunchMemory, PitchesWindowsAndWhatNobodyWrote) {
  const LaunchText launch = launch_of(
      "W = f32[4x6] iota pitch 8\nV = f32[2x3] inside W at 9\n"
      "N = f16[2x2]\nC = i8[3] -1\n");
  LaunchMemory memory = filled(launch);
  EXPECT_EQ(memory.bytes("W").size(), 4u * (3 * 8 + 6));
  EXPECT_EQ(memory.values(*launch.find_tensor("V")).values,
            (std::vector<double>{7, 8, 9, 13, 14, 15}));
  float gap;
  std::memcpy(&gap, memory.bytes("W").data() + 6 * 4, 4);
  EXPECT_TRUE(std::isnan(gap)) << "between rows nothing is written";
  EXPECT_EQ(memory.unwritten(*launch.find_tensor("N")), std::vector<bool>(4, true));
  EXPECT_EQ(memory.unwritten(*launch.find_tensor("W")), std::vector<bool>(24, false));
  EXPECT_EQ(memory.values(*launch.find_tensor("C")).values, (std::vector<double>{-1, -1, -1}));
}

TEST(LaunchMemory, RandomValuesAreOfTheirType) {
  const LaunchText launch = launch_of(
      "A = f16[64x64] random\nB = f16[64x64] random seed 1\n"
      "C = f16[64x64] random\nE = bf16[64] exact\n"
      "I = i8[4096] random\nU = u8[4096] random\n");
  const LaunchMemory memory = filled(launch);
  const auto values = [&](const char* name) {
    return memory.values(*launch.find_tensor(name)).values;
  };
  EXPECT_EQ(values("A"), values("B")) << "the first array has seed 1";
  EXPECT_NE(values("A"), values("C"));
  for (const double x : values("A")) EXPECT_LE(std::abs(x), 1);
  for (const double x : values("E")) EXPECT_EQ(x * 8, std::round(x * 8));
  const auto i = values("I"), u = values("U");
  EXPECT_EQ(*std::ranges::min_element(i), -128);
  EXPECT_EQ(*std::ranges::max_element(i), 127);
  EXPECT_EQ(*std::ranges::min_element(u), 0);
  EXPECT_EQ(*std::ranges::max_element(u), 255);
}

/// A file as numpy.save writes it: NumPy Enhancement Proposal 1, version 1.0.
void save(const std::string& name, const std::string& header, const std::string& elements) {
  std::string padded = header;
  while ((10 + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  std::ofstream file(testing::TempDir() + name, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\x00' << char(padded.size() & 0xff) << char(padded.size() >> 8)
       << padded << elements;
}

std::string floats(std::initializer_list<float> values) {
  std::string bytes(values.size() * 4, '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::string refusal(const std::string& declaration) {
  const auto memory = LaunchMemory::fill(launch_of(declaration), testing::TempDir());
  if (memory) return "filled";
  return std::to_string(memory.error().place.column) + ": " + memory.error().message;
}

TEST(LaunchMemory, NpyFiles) {
  save("right.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
       floats({1, 2, 3, 4, 5, 6}));
  const LaunchText launch = launch_of("A = f32[2x3] file right.npy pitch 4");
  EXPECT_EQ(filled(launch).values(*launch.find_tensor("A")).values,
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  const std::string path = testing::TempDir() + "right.npy";
  EXPECT_EQ(refusal("A = f16[2x3] file right.npy"),
            "19: '" + path + "': it holds '<f4', and A is f16");
  EXPECT_EQ(refusal("A = f32[3x2] file right.npy"),
            "19: '" + path + "': its shape is (2, 3), and that of A is (3, 2)");
  save("short.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", floats({1, 2}));
  EXPECT_EQ(refusal("A = f32[3] file short.npy"),
            "17: '" + testing::TempDir() + "short.npy' has 8 bytes of elements, and A has 12");
  save("columns.npy", "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", floats({1}));
  EXPECT_NE(refusal("A = f32[1] file columns.npy").find("column-major"), std::string::npos);
  std::ofstream(testing::TempDir() + "cut.npy", std::ios::binary)
      << "\x93NUMPY\x01" << '\x00' << "\xff\xff{'descr'";
  EXPECT_NE(refusal("A = f32[1] file cut.npy").find("it ends inside the header"),
            std::string::npos);
}

TEST(LaunchMemory, RawFiles) {
  std::ofstream(testing::TempDir() + "raw.bin", std::ios::binary) << floats({0.5f, -2});
  const LaunchText launch = launch_of("A = f32[2] file raw.bin");
  EXPECT_EQ(filled(launch).values(*launch.find_tensor("A")).values, (std::vector<double>{0.5, -2}));
  EXPECT_EQ(refusal("A = f32[3] file raw.bin"),
            "17: '" + testing::TempDir() + "raw.bin' has 8 bytes of elements, and A has 12");
}

}  // namespace launch_memory_test
}  // namespace heddle::runtime
