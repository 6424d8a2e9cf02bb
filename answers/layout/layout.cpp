#include "answers/layout/layout.h"

#include <memory>

#include "answers/layout/layout_code.h"
#include "answers/layout/layout_file.h"
#include "answers/layout/layout_picture.h"
#include "answers/layout/layout_points.h"
#include "answers/layout/layout_table.h"
#include "answers/text/json_text.h"
#include "answers/text/paragraph.h"
#include "heddle/interop/triton/view.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

template <class T>
using Answer = std::expected<T, std::string>;

/// The layout drawn as Triton draws it: its tensor view if `is_tensor`, otherwise its hardware
/// view.
Answer<std::string> triton_view(const LayoutView& view, bool is_tensor) {
  const auto drawn = [&](const auto& own) {
    return is_tensor ? interop::triton::format_tensor_view(own)
                     : interop::triton::format_hardware_view(own);
  };
  if (view.kind == LayoutKind::held) return drawn(view.held);
  if (view.kind == LayoutKind::shared) return drawn(view.shared());
  return std::unexpected(
      "Triton's views are of who holds a tile and of where it lies in shared memory; this is a "
      "function of coordinates: look at --view table");
}

/// The bases of the layout (the output for each input bit that is set alone), a line for each input
/// bit: "lane bit 2   lane 4 -> (4,0)".
Answer<std::string> bases_view(const LayoutView& view) {
  layout::LinearLayout map;
  if (view.map() != nullptr) {
    map = *view.map();
  } else {
    const auto linear = interop::cute::to_linear(*view.cute());
    if (!linear) return std::unexpected("there are no bases: " + linear.error());
    map = *linear;
  }
  std::string text = "input bit        is the input      goes to (";
  for (int axis = 0; axis < map.outputs().size(); ++axis)
    text += formatted("{}{}", axis == 0 ? "" : ", ", map.outputs()[axis].name.text());
  text += ")\n";
  for (const layout::Axis& axis : map.inputs()) {
    for (int bit = 0; bit < axis.bits; ++bit) {
      layout::LayoutText basis;
      layout::append_basis(basis, map, map.inputs().offset(map.inputs().find(axis.name)) + bit);
      text += formatted("{:<17}{:<18}{}\n", formatted("{} bit {}", axis.name.text(), bit),
                        formatted("{} {}", axis.name.text(), count_text(bit)), basis.view());
    }
  }
  return text;
}

/// How many rows and columns of the table are drawn: the usual limits or, with --all, the whole
/// table. Error: the user wants the whole table, but it is too large to read.
Answer<TableLimits> limits_of(const LayoutView& view, const LayoutQuestion& arguments) {
  TableLimits limits;
  if (!arguments.all) return limits;
  if (cell_count(view) > most_cells)
    return std::unexpected(formatted(
        "--all: the table has more than {} cells; leave out --all, or give a smaller --shape",
        most_cells));
  return TableLimits{most_cells, most_cells};
}

Answer<std::string> layout_text(const LayoutView& view, const LayoutQuestion& arguments) {
  std::string text;
  for (const LayoutFact& fact : layout_facts(view))
    text += paragraph(fact.label, fact.words, 10, output_width());
  text += '\n';
  if (arguments.at) {
    constexpr std::size_t most_lines = 64;
    const auto points =
        layout_points(view, *arguments.at, arguments.all ? std::size_t{most_cells} : most_lines);
    if (!points) return std::unexpected(points.error());
    return text + points_text(*points, !arguments.all);
  }
  if (arguments.view == "table") {
    const auto limits = limits_of(view, arguments);
    if (!limits) return std::unexpected(limits.error());
    const LayoutTable table = layout_table(view, *limits);
    text +=
        formatted("  {}{}\n", table.legend, table.left_out.empty() ? "" : "\n  " + table.left_out);
    const TableStyle style{
        is_coloured(arguments.colour) && !table.colours.empty() ? Markup::coloured : Markup::plain,
        table_width()};
    return text + view_table(table.table, style);
  }
  const auto picture =
      arguments.view == "bases" ? bases_view(view) : triton_view(view, arguments.view == "tensor");
  if (!picture) return picture;
  return text + *picture;
}

std::string bases_json(const layout::LinearLayout& map) {
  std::string text;
  int flat = 0;
  for (const layout::Axis& axis : map.inputs()) {
    std::string list;
    for (int bit = 0; bit < axis.bits; ++bit, ++flat) {
      std::vector<std::uint64_t> basis;
      for (int out = 0; out < map.outputs().size(); ++out)
        basis.push_back(map.outputs().coordinate(map.basis(flat), out));
      list += formatted("{}[{}]", bit == 0 ? "" : ",", joined(basis, ", "));
    }
    text += formatted("{}{}:[{}]", text.empty() ? "" : ",", json_string(axis.name.text()), list);
  }
  return "{" + text + "}";
}

std::string map_json(const LayoutView& view) {
  std::string copies;
  for (const FreeBit& free : view.free_bits)
    copies += formatted(R"({}{{"axis":{},"bit":{},"zero_basis":{}}})", copies.empty() ? "" : ",",
                        json_string(free.axis), free.bit, free.is_zero);
  return formatted(
      R"("bases":{},"onto":{},"injective":{},"copies":[{}],"vector":{},"vector_axis":{})",
      bases_json(*view.map()), view.missing_bits == 0, view.copy_bits == 0, copies,
      std::uint64_t{1} << view.vector_bits,
      view.vector_bits == 0 ? "null" : json_string(view.axes[view.vector_axis]));
}

std::string shared_json(const memory::SharedLayout& shared) {
  std::string pairs;
  for (const memory::Padding& pad : shared.padding)
    pairs += formatted("{}[{},{}]", pairs.empty() ? "" : ",", pad.interval, pad.amount);
  return formatted(R"("padding":[{}],"padded_size":{})", pairs, shared.size());
}

std::string function_json(const interop::cute::AnyLayout& layout) {
  const auto reached = reached_offsets(layout);
  const auto map = interop::cute::to_linear(layout);
  return formatted(R"("reached":{},"is_linear":{},"why_not_linear":{})",
                   reached ? formatted(R"({{"least":{},"most":{},"different":{}}})", reached->least,
                                       reached->most, reached->different)
                           : "null",
                   map.has_value(), map ? "null" : json_string(map.error()));
}

Answer<std::string> layout_json(const LayoutView& view, const LayoutQuestion& arguments) {
  const auto native = native_text(view);
  const auto or_null = [](const std::string& text) {
    return text.empty() ? std::string("null") : json_string(text);
  };
  std::string axes;
  for (const std::string& axis : view.axes)
    axes += formatted("{}{}", axes.empty() ? "" : ",", json_string(axis));
  std::string text = formatted(
      R"({{"text":{},"dialect":{},"read_as":{},"kind":{},"linear":{},"axes":[{}],"sizes":[{}],)"
      R"("gluon":{},"hint":{},)",
      json_string(view.argument.text),
      view.argument.dialect ? json_string(interop::row(*view.argument.dialect).key) : "null",
      json_string(view.argument.what), json_string(name(view.kind)),
      native ? json_string(*native) : "null", axes, joined(view.sizes, ", "), or_null(view.gluon),
      or_null(view.hint));
  text += "\n " + (view.map() != nullptr ? map_json(view) : function_json(*view.cute()));
  if (view.kind == LayoutKind::shared) text += ",\n " + shared_json(view.shared());
  text += formatted(R"(,{}"element_bits":{},"arch":{},"banks":{},"bank_bytes":{})", "\n ",
                    view.element_bits, json_string(view.model.name), view.model.banks(),
                    view.model.bank_bytes);
  if (!view.uneven_tile.empty()) {
    std::string list;
    for (const HeldElements& held : held_elements(view))
      list += formatted(R"({}{{"times":{},"elements":{},"where":{}}})", list.empty() ? "" : ",",
                        held.times, held.indices.size(), json_string(held.where));
    text += formatted(",\n \"tile\":[{}],\"held\":[{}]", joined(view.uneven_tile, ","), list);
  }
  if (arguments.at) {
    const auto points = layout_points(view, *arguments.at, most_cells);
    if (!points) return std::unexpected(points.error());
    text += ",\n \"at\":" + points_json(*points) + formatted(",\"at_count\":{}", points->count);
  }
  return text + ",\n \"cells\":" + cells_json(view) + "}\n";
}

}  // namespace

std::expected<std::string, std::string> layout(const LayoutQuestion& question) {
  const auto file = find_layout_file(question.text);
  if (!file) return std::unexpected("layout: " + file.error());
  const bool lists = *file && (*file)->wanted.empty() && (*file)->layouts.size() > 1;
  if (question.at &&
      (question.view != "table" || question.format == "svg" || !question.code.empty()))
    return std::unexpected(
        "--at lists points, for --format text and json; leave out --view, --to and svg");
  if (lists && question.at)
    return std::unexpected("--at is for one layout, and the file has several: name one, as " +
                           question.text + ":" + (*file)->layouts.front().name);
  if (lists && question.format == "json") return layout_list_json(**file);
  if (lists && question.format == "text") return layout_list(**file);
  auto read = layout_view(question);
  if (!read)
    if (auto uneven = uneven_view(question)) read = *std::move(uneven);
  if (!read) return std::unexpected(read.error());
  const LayoutView& view = *read;
  if (!question.code.empty()) return code_answer(view, question.code, question.format);
  if (question.format == "json") return layout_json(view, question);
  if (question.format == "text") return layout_text(view, question);
  if (question.view != "table")
    return std::unexpected("--format svg draws the table; leave out --view " + question.view);
  const auto limits = limits_of(view, question);
  if (!limits) return std::unexpected(limits.error());
  return layout_svg(view, layout_table(view, *limits));
}

}  // namespace heddle::answers
