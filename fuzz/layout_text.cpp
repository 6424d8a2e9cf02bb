// Any text is either read as a layout, which then prints and reads back as itself, or refused with
// a sentence that names a column inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "heddle/layout/layout.h"

namespace {

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::layout;
  const auto layout = parse({reinterpret_cast<const char*>(data), size});
  if (!layout) {
    const std::uint64_t column = layout.error().numbers[0];
    require(column >= 1 && column <= size + 1, "the column of an error lies inside the text");
    require(layout.error().message().size() > 0, "an error has a sentence");
    return 0;
  }
  require(parse(text(*layout)).value() == *layout, "the text form reads back");
  // The operations take any layout that can be read.
  const LinearLayout back = pseudo_inverse(*layout);
  require(*compose(*compose(*layout, back), *layout) == *layout, "pseudo_inverse finds an input");
  require(rank(*layout) + kernel(*layout).input_bits() == layout->input_bits(), "rank and kernel");
  require(rank(*layout) + complement(*layout).input_bits() == layout->output_bits(), "complement");
  require(invert(*layout).has_value() == is_invertible(*layout), "invert knows invertible layouts");
  require(contiguity(*layout) >= 1, "contiguity is at least 1");
  if (const auto twice = product(*layout, *layout)) {
    require(*divide_left(*twice, *layout) == *layout, "divide_left undoes product");
  }
  return 0;
}
