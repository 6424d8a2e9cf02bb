#include "heddle/interop/triton/view.h"

#include <algorithm>

#include "library/text/formatted.h"

namespace heddle::interop::triton {
namespace detail {

std::string aligned(std::int64_t value, std::int64_t widest) {
  std::string text = formatted("{}", value);
  const std::size_t width = formatted("{}", widest).size();
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string coordinates(const layout::AxisList& axes, std::uint64_t flat, char separator) {
  std::string text = "(";
  for (int axis = 0; axis < axes.size(); ++axis) {
    if (axis > 0) text += separator;
    text += aligned(static_cast<std::int64_t>(axes.coordinate(flat, axis)),
                    static_cast<std::int64_t>(axes[axis].size()));
  }
  return text + ")";
}

namespace {

/// Lists the texts of the elements (`cells`) row by row in brackets, with a line for each row of
/// the last dimension.
std::string in_brackets(const std::vector<std::string>& cells, const Numbers& shape,
                        std::string_view separator) {
  const std::size_t rank = shape.size();
  // The number of dimensions that begin anew at a cell. Each gets an opening bracket.
  const auto begun = [&](std::size_t cell) {
    std::size_t count = 0;
    for (std::size_t dim = rank; dim-- > 0;) {
      const auto size = static_cast<std::size_t>(shape[dim]);
      if (cell % size != 0) break;
      cell /= size;
      ++count;
    }
    return count;
  };
  std::string text;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const std::size_t opened = begun(cell);
    const std::size_t closed = begun(cell + 1);
    text += std::string(opened, '[');
    if (opened > 0) text += std::string(rank - opened, ' ');
    text += cells[cell];
    text += std::string(closed, ']');
    text += closed > 0 ? "\n" : separator;
  }
  return text;
}

}  // namespace

std::uint64_t size_of(const layout::LinearLayout& map, const layout::AxisName& input) {
  return std::uint64_t{1} << map.inputs().bits_of(input);
}

std::uint64_t row_major(const layout::AxisList& axes, std::uint64_t flat) {
  std::uint64_t number = 0;
  for (int axis = 0; axis < axes.size(); ++axis)
    number = number << axes[axis].bits | axes.coordinate(flat, axis);
  return number;
}

namespace {

/// Refuses a drawing that is too large to read.
Result<void> check_drawable(const layout::LinearLayout& map) {
  if (map.inputs().bits_of("partition") > 0)
    return wrong("a partitioned layout lies in several allocations; look at the layout of a piece");
  constexpr int most_bits = 20;
  if (map.input_bits() <= most_bits && map.output_bits() <= most_bits) return {};
  return wrong(
      formatted("a view has a cell for each element and place; this layout has 2^{}, a view at "
                "most 2^20: choose a smaller shape",
                std::max(map.input_bits(), map.output_bits())));
}

/// Refuses a drawing of shared memory that is too large to read. The drawing has a line for every
/// element of the memory, padding included.
Result<void> check_drawable(const memory::SharedLayout& shared) {
  if (const auto checked = check_drawable(shared.map); !checked) return wrong(checked.error());
  if (shared.size() <= std::uint64_t{1} << 20) return {};
  return wrong(
      formatted("a view has a line for each place; this layout has {} with those left free, a view "
                "at most 2^20: choose a smaller padding",
                shared.size()));
}

/// Calls `visit` for every (block, warp, lane, register), in this order with the register fastest,
/// and passes it the flat output of the map there.
template <class Visit>
void for_each_place(const layout::LinearLayout& map, const Visit& visit) {
  const auto basis = [&](const layout::AxisName& name, std::uint64_t value) {
    const int axis = map.inputs().find(name);
    return axis < 0 ? 0 : value << map.inputs().offset(axis);
  };
  for (std::uint64_t block = 0; block < size_of(map, "block"); ++block)
    for (std::uint64_t warp = 0; warp < size_of(map, "warp"); ++warp)
      for (std::uint64_t lane = 0; lane < size_of(map, "lane"); ++lane)
        for (std::uint64_t reg = 0; reg < size_of(map, "register"); ++reg)
          visit(block, warp, lane, reg,
                map.apply(basis("block", block) | basis("warp", warp) | basis("lane", lane) |
                          basis("register", reg)));
}

std::uint64_t offset_output(const layout::LinearLayout& map, std::uint64_t block,
                            std::uint64_t offset) {
  const int axis = map.inputs().find("block");
  return map.apply(offset | (axis < 0 ? 0 : block << map.inputs().offset(axis)));
}

}  // namespace
}  // namespace detail

Result<std::string> format_hardware_view(const layout::LinearLayout& map) {
  if (const auto checked = detail::check_drawable(map); !checked) return wrong(checked.error());
  const std::uint64_t registers = detail::size_of(map, "register");
  const std::uint64_t lanes = detail::size_of(map, "lane");
  std::vector<std::string> lines(registers);
  std::string text;
  detail::for_each_place(map, [&](std::uint64_t block, std::uint64_t warp, std::uint64_t lane,
                                  std::uint64_t reg, std::uint64_t flat) {
    lines[reg] += detail::coordinates(map.outputs(), flat, ',');
    lines[reg] += lane + 1 < lanes ? ", " : "\n";
    if (lane + 1 < lanes || reg + 1 < registers) return;
    if (warp == 0 && detail::size_of(map, "block") > 1) text += formatted("Block{}:\n", block);
    text += formatted("Warp{}:\n", warp);
    for (std::string& line : lines) text += std::exchange(line, {});
  });
  return text;
}

Result<std::string> format_tensor_view(const layout::LinearLayout& map) {
  if (const auto checked = detail::check_drawable(map); !checked) return wrong(checked.error());
  const auto blocks = static_cast<std::int64_t>(detail::size_of(map, "block"));
  const auto lanes = static_cast<std::int64_t>(detail::size_of(map, "lane"));
  const auto threads = lanes * static_cast<std::int64_t>(detail::size_of(map, "warp"));
  const auto registers = static_cast<std::int64_t>(detail::size_of(map, "register"));
  std::vector<std::string> cells(std::uint64_t{1} << map.output_bits());
  const auto missing = [](std::int64_t value, std::int64_t widest) {
    return formatted("{}", widest).size() - formatted("{}", value).size();
  };
  detail::for_each_place(map, [&](std::uint64_t block, std::uint64_t warp, std::uint64_t lane,
                                  std::uint64_t reg, std::uint64_t flat) {
    const auto thread = static_cast<std::int64_t>(lane) + static_cast<std::int64_t>(warp) * lanes;
    const auto own_block = static_cast<std::int64_t>(block);
    const auto own_register = static_cast<std::int64_t>(reg);
    std::string& cell = cells[detail::row_major(map.outputs(), flat)];
    if (!cell.empty()) cell += "|";
    cell.append(
        missing(own_block, blocks) + missing(thread, threads) + missing(own_register, registers),
        ' ');
    if (blocks > 1) cell += formatted("B{}:", own_block);
    cell += formatted("T{}:{}", thread, own_register);
  });
  return detail::in_brackets(cells, shape_of(map), ", ");
}

Result<std::string> format_hardware_view(const memory::SharedLayout& shared) {
  const layout::LinearLayout& map = shared.map;
  if (const auto checked = detail::check_drawable(shared); !checked) return wrong(checked.error());
  const std::uint64_t blocks = detail::size_of(map, "block");
  const std::uint64_t count = (std::uint64_t{1} << map.output_bits()) / blocks;
  std::string text;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    text += formatted("Block: {}:\n", block);
    std::uint64_t place = 0;
    for (std::uint64_t offset = 0; offset < count; ++offset) {
      for (; place < shared.place(offset); ++place)
        text += formatted("Offset: {} -> padding\n", place);
      text += formatted(
          "Offset: {} -> {}\n", place++,
          detail::coordinates(map.outputs(), detail::offset_output(map, block, offset), ','));
    }
  }
  return text;
}

Result<std::string> format_tensor_view(const memory::SharedLayout& shared) {
  const layout::LinearLayout& map = shared.map;
  if (const auto checked = detail::check_drawable(shared); !checked) return wrong(checked.error());
  const std::uint64_t blocks = detail::size_of(map, "block");
  const std::uint64_t count = (std::uint64_t{1} << map.output_bits()) / blocks;
  std::string free = "(";
  for (int axis = 0; axis < map.outputs().size(); ++axis) {
    const std::size_t width = formatted("{}", map.outputs()[axis].size()).size();
    free += (axis > 0 ? ":" : "") + std::string(width - 1, ' ') + "-";
  }
  free += ")";
  std::vector<std::string> cells;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::uint64_t offset = 0; offset < count; ++offset) {
      std::string cell =
          detail::coordinates(map.outputs(), detail::offset_output(map, block, offset), ':');
      const std::uint64_t next = offset + 1 < count ? shared.place(offset + 1) : 0;
      for (std::uint64_t place = shared.place(offset) + 1; place < next; ++place)
        cell += "," + free;
      cells.push_back(std::move(cell));
    }
  }
  return detail::in_brackets(cells, shape_of(map), ",");
}

Result<std::string> format_hardware_view(const Layout& layout, const Numbers& shape) {
  const auto map = to_map(layout, shape);
  if (!map) return wrong(map.error());
  return std::visit([](const auto& own) { return format_hardware_view(own); }, *map);
}

Result<std::string> format_tensor_view(const Layout& layout, const Numbers& shape) {
  const auto map = to_map(layout, shape);
  if (!map) return wrong(map.error());
  return std::visit([](const auto& own) { return format_tensor_view(own); }, *map);
}

}  // namespace heddle::interop::triton
