#include "heddle/interop/triton/bases.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "library/text/formatted.h"

namespace heddle::interop::triton {

std::unexpected<std::string> wrong(std::string sentence) {
  return std::unexpected(std::move(sentence));
}

bool are_powers_of_two(const Numbers& numbers) {
  return std::ranges::all_of(numbers, is_power_of_two);
}

std::string joined(const Numbers& numbers, std::string_view separator) {
  std::string text;
  for (const std::int64_t number : numbers) {
    if (!text.empty()) text += separator;
    text += formatted("{}", number);
  }
  return text;
}

std::string list_text(const Numbers& numbers) { return "[" + joined(numbers, ", ") + "]"; }

std::string list_text(const Bases& bases) {
  std::string text = "[";
  for (const Numbers& basis : bases) {
    if (text.size() > 1) text += ", ";
    text += list_text(basis);
  }
  return text + "]";
}

std::string mangled(const Bases& bases) {
  std::string text;
  for (const Numbers& basis : bases) {
    if (!text.empty()) text += "_";
    text += joined(basis, "~");
  }
  return text;
}

layout::AxisName dimension(std::size_t index) {
  const char text[] = {'d', 'i', 'm', static_cast<char>('0' + index)};
  return layout::AxisName(std::string_view(text, 4));
}

Numbers last_first(std::size_t rank) {
  Numbers order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(rank - 1 - i);
  return order;
}

bool is_permutation_of(const Numbers& order, std::size_t rank) {
  Numbers sorted = order;
  std::ranges::sort(sorted);
  std::ranges::reverse(sorted);
  return sorted == last_first(rank);
}

Result<void> check_shape(const Numbers& shape) {
  if (shape.empty() || shape.size() > layout::max_axes)
    return wrong(formatted("the shape {} has {} dimensions; a layout has 1 to 8", list_text(shape),
                           shape.size()));
  for (const std::int64_t size : shape) {
    if (is_power_of_two(size) && size <= std::int64_t{1} << 31) continue;
    return wrong(formatted("the shape {} has the size {}; sizes are powers of two up to 2147483648",
                           list_text(shape), size));
  }
  return {};
}

Result<void> check_shape(const Numbers& shape, std::size_t rank) {
  if (shape.size() != rank && rank != 0)
    return wrong(formatted("the shape {} has {} dimensions; the layout has {}", list_text(shape),
                           shape.size(), rank));
  return check_shape(shape);
}

Result<void> check_bases(std::string_view name, const Bases& bases, std::size_t rank) {
  if (bases.size() > layout::max_bits)
    return wrong(formatted("{} has {} bases; a layout has at most 64", name, bases.size()));
  for (const Numbers& basis : bases) {
    if (basis.size() != rank)
      return wrong(formatted("the basis {} of {} has {} coordinates; the layout has {} dimensions",
                             list_text(basis), name, basis.size(), rank));
    for (const std::int64_t coordinate : basis) {
      if (coordinate < 0 || coordinate >= std::int64_t{1} << 31)
        return wrong(
            formatted("the basis {} of {} has the coordinate {}; a coordinate is 0 to 2147483647",
                      list_text(basis), name, coordinate));
    }
  }
  return {};
}

Numbers reached(const std::vector<NamedBases>& inputs, std::size_t rank) {
  Numbers sizes(rank, 1);
  for (const NamedBases& input : inputs) {
    for (const Numbers& basis : input.bases) {
      for (std::size_t dim = 0; dim < rank; ++dim) {
        const auto needed = std::bit_ceil(static_cast<std::uint64_t>(basis[dim]) + 1);
        sizes[dim] = std::max(sizes[dim], static_cast<std::int64_t>(needed));
      }
    }
  }
  return sizes;
}

Result<layout::LinearLayout> map_of(const std::vector<NamedBases>& inputs, const Numbers& shape) {
  if (const auto checked = check_shape(shape); !checked) return wrong(checked.error());
  layout::AxisList in;
  layout::AxisList out;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    out.push_back({dimension(dim), std::countr_zero(static_cast<std::uint64_t>(shape[dim]))});
  // Checks the sizes before a coordinate is shifted: sizes that are valid one by one may have more
  // than 64 bits together.
  if (const layout::Error error = out.check(); error.code != layout::ErrorCode::none)
    return wrong("the shape " + list_text(shape) + ": " + std::string(error.message().view()));
  layout::LinearLayout::Bases words{};
  std::size_t bit = 0;
  for (const NamedBases& input : inputs) {
    const auto checked = check_bases(input.input.text(), input.bases, shape.size());
    if (!checked) return wrong(checked.error());
    in.push_back({input.input, static_cast<int>(input.bases.size())});
    for (const Numbers& basis : input.bases) {
      if (bit == words.size()) return wrong("the layout has more than 64 bases");
      for (std::size_t dim = 0; dim < shape.size(); ++dim) {
        if (basis[dim] >= shape[dim])
          return wrong("the basis " + list_text(basis) + " of " + std::string(input.input.text()) +
                       " leaves the shape " + list_text(shape));
        if (basis[dim] != 0)
          words[bit] |= static_cast<std::uint64_t>(basis[dim]) << out.offset(static_cast<int>(dim));
      }
      ++bit;
    }
  }
  const auto map = layout::LinearLayout::from_words(in, out, words);
  if (!map) return wrong(std::string(map.error().message().view()));
  return *map;
}

Bases bases_of(const layout::LinearLayout& map, const layout::AxisName& input) {
  Bases bases;
  for (int bit = 0; bit < map.inputs().bits_of(input); ++bit) {
    Numbers basis;
    for (const layout::Axis& axis : map.outputs())
      basis.push_back(static_cast<std::int64_t>(map.basis(input, bit, axis.name)));
    bases.push_back(basis);
  }
  return bases;
}

Numbers shape_of(const layout::LinearLayout& map) {
  Numbers shape;
  for (const layout::Axis& axis : map.outputs())
    shape.push_back(static_cast<std::int64_t>(axis.size()));
  return shape;
}

Numbers order_of(const Bases& bases, std::size_t rank) {
  Numbers order;
  const auto add = [&](std::int64_t dim) {
    if (std::ranges::find(order, dim) == order.end()) order.push_back(dim);
  };
  for (const Numbers& basis : bases) {
    const auto moved = std::ranges::find_if(basis, [](std::int64_t c) { return c != 0; });
    if (moved != basis.end()) add(moved - basis.begin());
  }
  for (const std::int64_t dim : last_first(rank)) add(dim);
  return order;
}

}  // namespace heddle::interop::triton
