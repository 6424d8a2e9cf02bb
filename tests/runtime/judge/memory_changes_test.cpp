// What is written next to the results: every single element of a memory with gaps and windows is
// changed in turn, and must be named as what it is.
#include "runtime/judge/memory_changes.h"

#include <gtest/gtest.h>

namespace heddle::runtime {
namespace memory_changes_test {

/// What is said when this element alone of `array` changes: "" for nothing, else 'e' or 'n', for an
/// error or a note, and the first word of the message.
std::string said(const LaunchText& launch, const std::string& array, std::size_t element) {
  const LaunchMemory before = LaunchMemory::fill(launch, "").value();
  LaunchMemory after = before;
  after.bytes(array)[4 * element] ^= std::byte{1};
  const auto changes = memory_changes(launch, launch.launches[0], before, after);
  EXPECT_LE(changes.size(), 1u);
  if (changes.empty()) return "";
  const std::string& message = changes[0].message;
  return (changes[0].is_error ? "e " : "n ") + message.substr(0, message.find_first_of(" :"));
}

TEST(MemoryChanges, EveryElementIsNamedAsWhatItIs) {
  const auto launch = parse_launch(
      "A = f32[3x5] random pitch 8\n"
      "B = f32[4] 1\n"
      "S = f32[4] 1\n"
      "Z = f32[6x8] 0\n"
      "W = f32[2x4] inside Z at 8\n"
      "V = f32[2x4] inside Z at 12\n"
      "C = f32[3x5] pitch 8\n"
      "arguments\n"
      "expect C = A\n"
      "expect W = 2\n"
      "expect B = B + 1\n"
      "expect A = A\n");
  ASSERT_TRUE(launch) << launch.error().message;
  const LaunchText& text = *launch;
  for (std::size_t i = 0; i < 21; ++i) {
    const bool in_gap = i % 8 >= 5;
    EXPECT_EQ(said(text, "A", i), in_gap ? "e A" : "") << i;
    EXPECT_EQ(said(text, "C", i), in_gap ? "e C" : "") << i;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(said(text, "B", i), "") << "an input with an expectation of its own";
    EXPECT_EQ(said(text, "S", i), "n S") << "a workspace";
  }
  for (std::size_t i = 0; i < 48; ++i) {
    const bool in_rows = i / 8 == 1 || i / 8 == 2;
    EXPECT_EQ(said(text, "Z", i), !in_rows ? "e Z" : i % 8 < 4 ? "" : "n V") << i;
  }
}

TEST(MemoryChanges, InputsAreWhatHasValuesOrIsRead) {
  for (const char* initial : {"random", "exact", "iota"}) {
    const auto launch =
        parse_launch(std::string("A = f32[4] ") + initial + "\narguments\n").value();
    EXPECT_EQ(said(launch, "A", 2), "e A") << initial;
  }
  const auto read =
      parse_launch("A = f32[4] 3\nC = f32[4]\narguments\nexpect C = relu(A)\n").value();
  EXPECT_EQ(said(read, "A", 2), "e A");
}

}  // namespace memory_changes_test
}  // namespace heddle::runtime
