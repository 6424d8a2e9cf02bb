#include "heddle/interop/triton/padded_shared.h"

#include <algorithm>
#include <string>

#include "library/text/formatted.h"

namespace heddle::interop::triton {

Result<void> PaddedSharedLayout::verify() const {
  for (const auto* bases : {&offset_bases, &cga_layout}) {
    const auto name = bases == &offset_bases ? "offset_bases" : "cga_layout";
    if (const auto checked = check_bases(name, *bases, rank()); !checked) return checked;
  }
  if (interval_padding_pairs.empty())
    return wrong(
        "PaddedSharedLayout interval_padding_pairs must have at least one interval-padding pair");
  for (const Numbers& pair : interval_padding_pairs) {
    if (pair.size() != 2)
      return wrong("PaddedSharedLayout interval_padding_pairs has " + list_text(pair) +
                   ", which is no pair; write [interval, padding]");
  }
  for (auto pair = interval_padding_pairs.begin(); pair != interval_padding_pairs.end(); ++pair) {
    const auto same = [&](const Numbers& other) { return other[0] == (*pair)[0]; };
    if (std::any_of(interval_padding_pairs.begin(), pair, same))
      return wrong(
          formatted("PaddedSharedLayout interval {} is there twice; give each interval one "
                    "padding, the sum of the two",
                    (*pair)[0]));
  }
  for (const Numbers& pair : interval_padding_pairs) {
    if (!is_power_of_two(pair[0]))
      return wrong("PaddedSharedLayout interval values must all be power of two");
  }
  for (const Numbers& pair : interval_padding_pairs) {
    if (!is_power_of_two(pair[1]))
      return wrong("PaddedSharedLayout padding values must all be power of two");
  }
  if (shape.empty()) return wrong("PaddedSharedLayout order must not be empty");
  return {};
}

std::string PaddedSharedLayout::mangle() const {
  return "PaddedShared_" + list_text(interval_padding_pairs) + "_" + list_text(offset_bases) + "_" +
         list_text(cga_layout) + "_" + list_text(shape) + "_PaddedShared";
}

std::string PaddedSharedLayout::type() const {
  return "constexpr_type[PaddedSharedLayout(interval_padding_pairs=" +
         list_text(interval_padding_pairs) + ", offset_bases=" + list_text(offset_bases) +
         ", cga_layout=" + list_text(cga_layout) + ", shape=" + list_text(shape) + ")]";
}

Result<memory::SharedLayout> PaddedSharedLayout::to_shared() const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(shape); !checked) return wrong(checked.error());
  const auto part = map_of({{"offset", offset_bases}}, reached({{"offset", offset_bases}}, rank()));
  if (!part) return wrong(part.error());
  const std::vector<NamedBases> block{{"block", cga_layout}};
  const auto blocks = map_of(block, reached(block, rank()));
  if (!blocks) return wrong(blocks.error());
  const auto map = layout::product(*part, *blocks);
  if (!map) return wrong(std::string(map.error().message().view()));
  if (shape_of(*map) != shape)
    return wrong("the bases reach the shape " + list_text(shape_of(*map)) +
                 "; the layout's shape is " + list_text(shape));
  if (!layout::is_injective(*map) || !layout::is_surjective(*map))
    return wrong("Broadcasting is not supported: the bases must reach each element of the shape " +
                 list_text(shape) + " once");
  if (interval_padding_pairs.size() > memory::PaddingList::most)
    return wrong(formatted("the layout has {} paddings; at most {} are supported",
                           interval_padding_pairs.size(), memory::PaddingList::most));
  memory::SharedLayout shared{without_empty_block(*map), {}};
  for (const Numbers& pair : interval_padding_pairs)
    shared.padding.push_back(
        {static_cast<std::uint64_t>(pair[0]), static_cast<std::uint64_t>(pair[1])});
  return shared;
}

layout::LinearLayout PaddedSharedLayout::without_empty_block(const layout::LinearLayout& map) {
  if (!map.inputs().contains("block") || map.inputs().bits_of("block") > 0) return map;
  return layout::sublayout(map, {"offset"}, layout::names_of(map.outputs())).value();
}

}  // namespace heddle::interop::triton
