// Arrays as NumPy writes them, and headers that anybody may have written.
#include "runtime/numbers/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

namespace heddle::runtime {
namespace npy_test {

std::string saved(std::initializer_list<std::int64_t> sizes, std::size_t bytes) {
  const std::vector<std::int64_t> shape(sizes);
  return npy_file(NumberType::f32, shape, std::vector<std::byte>(bytes));
}

TEST(Npy, WhatIsWrittenIsRead) {
  for (const NumberRow& type : number_rows) {
    const std::vector<std::int64_t> sizes{2, 3};
    const std::vector<std::byte> elements(static_cast<std::size_t>(6 * type.bytes), std::byte{7});
    const std::string file = npy_file(type.type, sizes, elements);
    EXPECT_EQ((file.size() - elements.size()) % 64, 0u);
    const auto array = read_npy(file);
    ASSERT_TRUE(array) << array.error();
    EXPECT_EQ(not_that_array(*array, type.type, sizes, "A"), "");
    ASSERT_EQ(array->elements.size(), elements.size());
    EXPECT_EQ(std::memcmp(array->elements.data(), elements.data(), elements.size()), 0);
  }
  EXPECT_EQ(read_npy(saved({}, 4))->sizes.size(), 0u);
  EXPECT_EQ(read_npy(saved({5}, 20))->sizes, std::vector<std::int64_t>{5});
}

// Any bytes in place of some, and any end: an array or a sentence.
RC_GTEST_PROP(Npy, NoHeaderIsTrusted, ()) {
  std::string file = saved({4, 5}, 80);
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i)
    file[static_cast<std::size_t>(*rc::gen::inRange(6, 128))] = *rc::gen::arbitrary<char>();
  file.resize(static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(file.size()) + 1)));
  const auto array = read_npy(file);
  if (!array) {
    RC_ASSERT(!array.error().empty());
    return;
  }
  RC_ASSERT(array->sizes.size() <= 32u);
  for (const std::int64_t size : array->sizes)
    RC_ASSERT(size >= 0 && size <= std::int64_t{1} << 40);
  RC_ASSERT(array->elements.size() <= file.size());
}

}  // namespace npy_test
}  // namespace heddle::runtime
