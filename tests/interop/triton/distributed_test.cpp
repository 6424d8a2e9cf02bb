// Distributed layouts: the bases, names and errors that Triton recorded.
#include "heddle/interop/triton/distributed.h"

#include <gtest/gtest.h>

#include <map>

#include "heddle/layout/text.h"
#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace {

std::string native(const layout::LinearLayout& map) {
  return std::string(layout::text(map).view());
}

TEST(Distributed, BasesAreTritons) {
  std::map<std::string, int> checked;
  int failed = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const llvm::json::Object& record = *value.getAsObject();
    const llvm::json::Object* linear = record.getObject("linear");
    const llvm::json::Object* fields = record.getObject("fields");
    if (!linear || !fields) continue;
    const auto layout = test::layout_of(*fields);
    const auto* distributed = std::get_if<DistributedLayout>(&layout);
    if (!distributed) continue;
    const auto map = to_linear(*distributed, test::numbers_of(record, "shape"));
    const bool right = map.has_value() && *map == test::map_of(*linear);
    if (!right && ++failed <= 20) {
      ADD_FAILURE() << record.getString("text").value_or("?").str() << "\n  is        "
                    << native(test::map_of(*linear)) << "\n  should be, not "
                    << (map ? native(*map) : map.error());
    }
    ++checked[test::kind_of(record).str() + (right ? "" : " wrong")];
  }
  EXPECT_EQ(failed, 0);
  for (const auto& [kind, count] : checked) std::printf("%5d %s\n", count, kind.c_str());
  EXPECT_GE(checked["blocked"], 700);
}

}  // namespace
}  // namespace heddle::interop::triton
