#include "answers/layout/layout_argument.h"

#include <algorithm>
#include <charconv>

#include "answers/instruction/selection.h"
#include "answers/layout/layout_expression.h"
#include "answers/layout/layout_file.h"
#include "answers/layout/pasted_text.h"
#include "answers/layout/written_layout.h"
#include "answers/text/counted.h"
#include "answers/text/marked_text.h"
#include "heddle/instruction/nearest.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "runtime/files/files.h"

namespace heddle::answers {
namespace {

using instruction::Operand;

template <class T>
using Answer = std::expected<T, std::string>;

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "rows:8" and "columns:8".
Answer<LayoutArgument> copied(std::string_view option, const std::string& text,
                              const LayoutContext& context) {
  const bool along_rows = text.starts_with("columns:");
  const auto vector = number_of(std::string_view(text).substr(text.find(':') + 1));
  if (!vector)
    return std::unexpected(
        formatted("{}: '{}' needs the elements that a lane takes, as rows:8", option, text));
  if (!context.tile)
    return std::unexpected(formatted("{}: '{}' needs the tile, as --tile 64x32", option, text));
  auto map = plan::coalesced(*context.tile, *vector, context.lanes, along_rows);
  if (!map) return std::unexpected(formatted("{}: {}", option, map.error()));
  return LayoutArgument{text,
                        formatted("{} of global memory, {} a lane", along_rows ? "columns" : "rows",
                                  counted(*vector, "element")),
                        *map, 0, ""};
}

instruction::ElementType type_of(const instruction::Instruction& row, Operand operand) {
  if (operand == Operand::a) return row.a_type;
  return operand == Operand::b ? row.b_type : row.d_type;
}

RowArguments named_row(const std::string& name, const LayoutContext& context) {
  RowArguments named;
  named.name = name;
  if (!context.any_target) named.target = std::string(instruction::name(context.target));
  named.wave = context.lanes == 64 ? 64 : 0;
  return named;
}

/// The error message for text that names an instruction without an operand, or with an operand that
/// the instruction does not have. Empty if the text names no instruction.
std::string missing_operand(std::string_view option, const std::string& text,
                            const LayoutContext& context) {
  for (const std::string& name : {text, text.substr(0, std::min(text.rfind('.'), text.size()))}) {
    const auto row = select_row(named_row(name, context));
    if (!row) continue;
    std::vector<std::string> operands;
    for (const Operand each : instruction::all_operands)
      if (row->row.has(each) && !row->row.map(each).text.empty())
        operands.push_back(formatted(".{}", instruction::name(each)));
    if (operands.empty()) continue;
    const std::string last = operands.back();
    operands.pop_back();
    return formatted(
        "{}: '{}' is {}; a layout is that of one of its operands: add {}{}{}", option, text,
        name == text ? std::string("an instruction") : formatted("no operand of {}", row->row.name),
        joined(operands, ", "), operands.empty() ? "" : " or ", last);
  }
  return "";
}

/// A suggestion: the known beginning of a layout that is nearest to the text, as in "did you mean
/// zipped_divide(? ". Empty if none is near.
std::string near_beginning(std::string_view text) {
  std::vector<std::string> beginnings{
      "#ttg.",         "#ttng.", "#triton_gpu.", "tensor<",
      "!ttg.memdesc<", "#iree",  "Fragment",     "tile_distribution_encoding<"};
  for (const std::string_view name : interop::cute::names_of_layouts())
    beginnings.emplace_back(name);
  for (const std::string_view name : layout_functions())
    beginnings.push_back(formatted("{}(", name));
  const auto word_of = [](std::string_view whole) {
    return whole.substr(0, whole.find_first_of("(<[{ :\n"));
  };
  const std::string_view word = word_of(text);
  const std::string* nearest = nullptr;
  int least = 3;  // a distance that is too far
  for (const std::string& beginning : beginnings) {
    const std::string_view known = word_of(beginning);
    const std::size_t dot = known.find('.');
    // A text that begins like a type of a known dialect, such as "!ttg.", is most likely another
    // type of it.
    const bool same_dialect = dot != std::string_view::npos && known.starts_with('!') &&
                              word.starts_with(known.substr(0, dot + 1));
    const int edits = instruction::edit_distance(word, known);
    const int distance = same_dialect ? std::min(edits, 2) : edits;
    if (distance >= least || static_cast<std::size_t>(distance) * 2 >= known.size()) continue;
    least = distance;
    nearest = &beginning;
  }
  return nearest == nullptr ? "" : formatted("did you mean {}? ", *nearest);
}

/// The error message that the text is no layout. It shows the beginnings that layouts can have.
std::string no_layout(std::string_view option, const std::string& text) {
  constexpr std::size_t most = 60;
  std::size_t end = std::min(text.size(), most);
  while (end > 0 && end < text.size() && (text[end] & 0xc0) == 0x80) --end;  // inside a character
  const std::string shown = text.substr(0, end) + (end < text.size() ? "…" : "");
  // A text that could be a path is here no file: the caller has looked for a file of this name.
  const bool is_path = text.find_first_of("(<[{:#\n ") == std::string::npos &&
                       text.find_first_of("./") != std::string::npos;
  return formatted(
      "{}: '{}' is {}none of {}; {}{}", option, shown, is_path ? "no file, and " : "", layout_forms,
      near_beginning(text),
      text.starts_with('#')
          ? "attributes begin with #ttg. (Triton) or #iree (IREE)"
          : "layouts begin with a name and coordinates as lane: (0,1) (Heddle), #ttg. (Triton), "
            "gl.BlockedLayout( (Gluon), a shape as (4,8): or Layout< (CuTe), #iree (IREE), "
            "Fragment (TileLang) or tile_distribution_encoding (Composable Kernel)");
}

/// "NAME.A".
Answer<LayoutArgument> operand_argument(std::string_view option, const std::string& text,
                                        const LayoutContext& context) {
  const std::size_t dot = text.rfind('.');
  std::optional<Operand> operand;
  for (const Operand each : instruction::all_operands)
    if (dot != std::string::npos && text.substr(dot + 1) == instruction::name(each)) operand = each;
  if (!operand || dot == 0) {
    const std::string missing = missing_operand(option, text, context);
    return std::unexpected(missing.empty() ? no_layout(option, text) : missing);
  }
  if (!context.shape.empty() && !context.tile)
    return std::unexpected(formatted(
        "{}: an operand is spread over rows and columns; give two sizes, as 64x32", option));
  const auto row = select_row(named_row(text.substr(0, dot), context));
  if (!row) return std::unexpected(formatted("{}: {}", option, row.error()));
  if (row->row.map(*operand).text.empty())
    return std::unexpected(formatted("{}: {} of {} lies in no registers", option,
                                     instruction::name(*operand), row->row.name));
  layout::LinearLayout map = instruction::fragment(row->row, *operand, context.k_order);
  if (context.tile) {
    auto spread = plan::distributed(map, *context.tile);
    if (!spread) return std::unexpected(formatted("{}: {}", option, spread.error()));
    map = *spread;
  }
  const std::string where =
      context.any_target ? formatted(" on {}", instruction::name(row->target)) : "";
  return LayoutArgument{text,
                        formatted("{} of {}{}", instruction::name(*operand), row->row.name, where),
                        map,
                        row->row.map(*operand).bits,
                        std::string(instruction::name(type_of(row->row, *operand))),
                        {},
                        row->target};
}

/// The contents of the file named `text`, or of standard input if `text` is "-". Null if there is
/// no such file, because `text` is then the layout itself.
Answer<std::optional<std::string>> input_named(const std::string& text) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  const bool is_standard_input = text == "-";
  if (!is_standard_input && text.find_first_of("(<[{:#\n") != std::string::npos)
    return std::nullopt;
  auto contents = is_standard_input
                      ? runtime::read_standard_input(most_bytes)
                      : runtime::read_file(text, most_bytes, runtime::FileKind::regular);
  if (contents) return *std::move(contents);
  // If there is no file of this name, the text is most often the name of an instruction's operand.
  if (!is_standard_input && !contents.error().contains("has more than")) return std::nullopt;
  return std::unexpected(contents.error());
}

/// What the text was read as: its dialect. A tiled product that CuTe prints has three layouts (of
/// A, B and C); the result then also says which of the three was taken.
std::string read_as(interop::Dialect dialect, std::string_view text) {
  std::string name(interop::row(dialect).name);
  const bool is_product = dialect == interop::Dialect::cute &&
                          text.find("ThrID:") != std::string_view::npos &&
                          text.find("Shape") != std::string_view::npos;
  if (!is_product) return name;
  const char last = text.back();
  const bool is_chosen = text[text.size() - 2] == '.';
  return formatted(
      "{} of {}{}", is_chosen && (last == 'A' || last == 'B') ? last : 'C',
      "a product that CuTe prints",
      is_chosen ? "" : "; .A or .B behind the text, :A or :B behind a file is another");
}

/// For "FILE:A": FILE contains a tiled product that CuTe printed, and the result is this text with
/// ".A" behind it, which chooses the layout of operand A. Null for other texts.
std::optional<std::string> operand_of_file(const std::string& text) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  if (text.size() < 3 || text[text.size() - 2] != ':' ||
      !std::string_view("ABCD").contains(text.back()))
    return std::nullopt;
  auto contents =
      runtime::read_file(text.substr(0, text.size() - 2), most_bytes, runtime::FileKind::regular);
  if (!contents || contents->find("ThrID:") == std::string::npos) return std::nullopt;
  while (contents->ends_with('\n') || contents->ends_with(' ')) contents->pop_back();
  return *contents + '.' + text.back();
}

/// Reads a layout that was copied from somewhere. First removes what was copied with it: a name,
/// quotes, comment slashes.
Answer<LayoutArgument> read_pasted(std::string_view option, const std::string& pasted,
                                   const LayoutContext& context) {
  const std::string text = as_layout_text(pasted);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return std::unexpected(formatted("{}: the text is empty; write {}", option, layout_forms));
  if (is_layout_expression(text)) return read_layout_expression(option, text, context);
  if (auto written = read_written_layout(option, text, context)) return *std::move(written);
  if (text.find("->") == std::string::npos) {  // else rows may be an axis of a layout
    if (text.starts_with("rows:") || text.starts_with("columns:"))
      return copied(option, text, context);
    for (const std::string_view near :
         {"row:", "Row:", "Rows:", "col:", "cols:", "column:", "Columns:"})
      if (text.starts_with(near))
        return std::unexpected(formatted("{}: '{}': did you mean {}:{}?", option, text,
                                         near[0] == 'r' || near[0] == 'R' ? "rows" : "columns",
                                         text.substr(near.size())));
  }
  const interop::Dialect dialect = interop::dialect_of(text);
  if (dialect == interop::Dialect::native && !interop::is_native_text(text))
    return operand_argument(option, text, context);
  interop::ReadingContext reading;
  reading.lanes = context.lanes;
  reading.shape = context.shape;
  const bool has_tile = !context.cute_is_memory || dialect != interop::Dialect::cute;
  if (context.shape.empty() && context.tile && has_tile)
    reading.shape = {static_cast<std::int64_t>(context.tile->rows),
                     static_cast<std::int64_t>(context.tile->columns)};
  const auto read = interop::read_layout(text, reading);
  if (!read)
    return std::unexpected(marked_text(text, read.error().column) +
                           formatted("{}, column {}: {} (taken for {})", option,
                                     read.error().column, read.error().message,
                                     interop::row(dialect).name));
  return LayoutArgument{text,   read_as(dialect, text), read->meaning, read->element_bits, "",
                        dialect};
}

}  // namespace

Answer<LayoutArgument> read_layout_argument(std::string_view option, const std::string& text,
                                            const LayoutContext& context) {
  const auto whole = layout_without_files(text);
  if (!whole) return std::unexpected(formatted("{}: {}", option, whole.error()));
  return read_pasted(option, *whole, context);
}

Answer<std::string> layout_without_files(const std::string& text) {
  const auto file = find_layout_file(text);
  if (!file) return std::unexpected(file.error());
  if (*file) return layout_text_of(**file);
  if (const auto operand = operand_of_file(text)) return *operand;
  const auto input = input_named(text);
  if (!input) return std::unexpected(input.error());
  return *input ? **input : text;
}

Answer<layout::LinearLayout> distributed_meaning(std::string_view option,
                                                 const LayoutArgument& argument) {
  const auto* map = std::get_if<layout::LinearLayout>(&argument.meaning);
  if (map == nullptr)
    return std::unexpected(formatted(
        "{}: this says where a tile lies in shared memory; wanted is who holds it, as 'register: "
        "(0,1); lane: (1,0) (2,0) … -> m: 16, k: 16'{}",
        option,
        argument.what == interop::row(interop::Dialect::cute).name
            ? ", or with --tile a thread-value layout of CuTe's"
            : ""));
  const auto standard = interop::detail::standard_distributed(*map);
  if (!standard) return std::unexpected(formatted("{}: {}", option, standard.error()));
  return *standard;
}

Answer<std::vector<std::int64_t>> read_shape(std::string_view option, const std::string& text) {
  std::vector<std::int64_t> shape;
  std::string_view rest = text;
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  while (true) {
    const std::size_t end = rest.find_first_of("x,");
    const auto size = number_of(rest.substr(0, end));
    if (!size || *size == 0 || *size > (1u << 30))
      return std::unexpected(
          formatted("{}: '{}' is no shape; write its sizes as 128x32", option, text));
    shape.push_back(static_cast<std::int64_t>(*size));
    if (end == std::string_view::npos) return shape;
    rest.remove_prefix(end + 1);
  }
}

Answer<plan::TileShape> read_tile(const std::string& tile, const std::string& warps) {
  const auto shape = read_shape("--tile", tile);
  if (!shape) return std::unexpected(shape.error());
  if (shape->size() != 2)
    return std::unexpected(
        formatted("--tile: '{}' has {} sizes; a tile has rows and columns, as "
                  "128x32",
                  tile, shape->size()));
  plan::TileShape result{static_cast<std::uint64_t>((*shape)[0]),
                         static_cast<std::uint64_t>((*shape)[1]), 1, 1, 1};
  if (!warps.empty()) {
    const auto counts = read_shape("--warps", warps);
    if (!counts) return std::unexpected(counts.error());
    if (counts->size() > 2)
      return std::unexpected(formatted(
          "--warps: '{}' has more than two numbers; write 4, or 4x2 along rows and columns",
          warps));
    result.row_warps = static_cast<std::uint64_t>((*counts)[0]);
    if (counts->size() == 2) result.column_warps = static_cast<std::uint64_t>((*counts)[1]);
  }
  if (const std::string wrong = plan::detail::why_not(result); !wrong.empty())
    return std::unexpected("--tile: " + wrong);
  return result;
}

Answer<int> element_bits_of(const std::string& type, int of_layouts, bool must_agree) {
  if (type.empty()) return of_layouts == 0 ? 16 : of_layouts;
  const auto named = read_element_bits(type);
  if (!named) return std::unexpected(named.error());
  if (*named != 4 && *named != 8 && *named != 16 && *named != 32 && *named != 64)
    return std::unexpected(formatted(
        "--type {}: elements of {} have no place of their own; 4, 8, 16, 32 or 64 bits have", type,
        counted(*named, "bit")));
  if (must_agree && of_layouts != 0 && *named != of_layouts)
    return std::unexpected(formatted("--type {} has {}, the layout's elements have {}", type,
                                     counted(*named, "bit"), of_layouts));
  return *named;
}

Answer<int> read_element_bits(const std::string& name) {
  for (const instruction::ElementTypeRow& row : instruction::element_type_rows)
    if (row.name == name) return row.bits;
  // MLIR's names of small floats, with their bits (builtin dialect, "Types").
  constexpr auto of_mlir = std::to_array<std::pair<std::string_view, int>>({
      {"f8E5M2", 8},
      {"f8E4M3", 8},
      {"f8E4M3FN", 8},
      {"f8E5M2FNUZ", 8},
      {"f8E4M3FNUZ", 8},
      {"f8E4M3B11FNUZ", 8},
      {"f8E3M4", 8},
      {"f8E8M0FNU", 8},
      {"f6E3M2FN", 6},
      {"f6E2M3FN", 6},
      {"f4E2M1FN", 4},
      {"tf32", 32},
  });
  for (const auto& [mlir_name, bits] : of_mlir)
    if (mlir_name == name) return bits;
  return std::unexpected(
      formatted("--type: no element type '{}'; there are f16, bf16, f32, fp8, i8, b16, …", name));
}

}  // namespace heddle::answers
