// How a program that ignores an error ends.
#include "heddle/layout/stop.h"

#include <gtest/gtest.h>

namespace heddle::layout {
namespace stop_test {

TEST(StopDeathTest, prints_the_sentence_and_traps) {
  constexpr char sentence[] = "this layout has no warp axis";
  EXPECT_DEATH(stop(sentence, sizeof sentence - 1), "^heddle: this layout has no warp axis\n");
}

TEST(StopDeathTest, ends_by_a_signal_that_a_debugger_stops_at) {
  EXPECT_EXIT(stop("x", 1), [](int status) { return WIFSIGNALED(status); }, "");
}

}  // namespace stop_test
}  // namespace heddle::layout
