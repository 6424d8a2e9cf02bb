// Any text is either read as a layout of Triton's, whose attribute then reads back as the same
// layout, whose map is written and read back, and which is drawn; or it is refused with a column
// inside it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "heddle/interop/triton/attribute_reader.h"
#include "heddle/interop/triton/attribute_writer.h"
#include "heddle/interop/triton/gluon_writer.h"
#include "heddle/interop/triton/view.h"

namespace {

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

using heddle::layout::LinearLayout;

const LinearLayout& bits_of(const LinearLayout& map) { return map; }
const LinearLayout& bits_of(const heddle::memory::SharedLayout& shared) { return shared.map; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::interop::triton;
  const auto read_text = read({reinterpret_cast<const char*>(data), size});
  if (!read_text) {
    const std::size_t column = read_text.error().column;
    require(column >= 1 && column <= size + 1, "the column of an error lies inside the text");
    require(!read_text.error().message.empty(), "an error has a sentence");
    return 0;
  }
  const auto again = read(attribute(read_text->layout), read_text->shape);
  require(again.has_value(), "the attribute of a layout can be read");
  require(again->map == read_text->map, "the attribute of a layout is that layout");
  // A call may have more brackets than its reader takes where the attribute has as many.
  const std::string call = python(read_text->layout);
  if (const auto of_call = read(call, read_text->shape); of_call && !call.empty())
    require(of_call->map == read_text->map, "the call of a layout is that layout");
  std::visit(
      [](const auto& map) {
        const auto text = write(map);
        if (!text) {
          require(!text.error().empty(), "a map that has no attribute has a reason");
          return;
        }
        // A swizzled attribute leaves the shape open.
        const auto back = read(*text, shape_of(bits_of(map)));
        require(back.has_value(), "the attribute of a map can be read");
        require(back->map == Map(map), "the attribute of a map is that map");
        if (bits_of(map).input_bits() <= 10) {
          require(format_tensor_view(map).has_value(), "a small map is drawn");
          require(format_hardware_view(map).has_value(), "a small map is drawn");
        }
      },
      read_text->map);
  return 0;
}
