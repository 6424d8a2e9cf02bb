#include "answers/layout/translate.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "answers/layout/layout_code.h"
#include "answers/layout/layout_view.h"
#include "answers/text/json_text.h"
#include "heddle/interop/triton/attribute_writer.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

template <class T>
using Answer = std::expected<T, std::string>;

/// The text of a layout in one dialect, or the reason why this dialect cannot express the layout.
struct Translation {
  interop::Dialect dialect;
  Answer<std::string> text;
  std::vector<std::uint64_t> tile;  // the sizes that the text lacks; empty: it has them
};

/// True if the layout's text in this dialect does not contain the sizes of its tile. Such texts are
/// CuTe's thread-value layouts, and Triton's swizzled layouts that are repeated over the tile.
bool leaves_tile_open(const LayoutView& view, interop::Dialect dialect) {
  if (dialect == interop::Dialect::cute) return view.kind == LayoutKind::held;
  const bool is_triton = dialect == interop::Dialect::triton || dialect == interop::Dialect::gluon;
  if (!is_triton || view.kind != LayoutKind::shared) return false;
  const auto found = interop::triton::short_layout(view.shared());
  const auto* swizzled =
      found ? std::get_if<interop::triton::SwizzledSharedLayout>(&*found) : nullptr;
  return swizzled && !std::ranges::equal(swizzled->tile(), view.sizes,
                                         std::cmp_equal<std::int64_t, std::uint64_t>);
}

Translation translation(const LayoutView& view, interop::Dialect dialect) {
  Translation result{dialect, interop::write_layout(view.argument.meaning, dialect), {}};
  if (result.text && leaves_tile_open(view, dialect)) result.tile = view.sizes;
  return result;
}

std::string translation_json(const Translation& translation) {
  if (!translation.text)
    return formatted(R"({{"error":{}}})", json_string(translation.text.error()));
  return formatted(
      R"({{"text":{},"tile":{}}})", json_string(*translation.text),
      translation.tile.empty() ? "null" : formatted("[{}]", joined(translation.tile, ", ")));
}

std::string json_of(const LayoutView& view, const std::vector<Translation>& translations) {
  std::string list;
  for (const Translation& one : translations)
    list += formatted("{}\n {}:{}", list.empty() ? "" : ",",
                      json_string(interop::row(one.dialect).key), translation_json(one));
  return formatted("{{\"read_as\":{},\"kind\":{},\"hint\":{},{}}}\n",
                   json_string(view.argument.what), json_string(name(view.kind)),
                   view.hint.empty() ? "null" : json_string(view.hint), list);
}

/// "for a tile of 64x32"
std::string tile_text(const Translation& translation) {
  return formatted("{} {}",
                   translation.dialect == interop::Dialect::cute
                       ? "a thread-value layout; its tile is"
                       : "for a tile of",
                   joined(translation.tile, "x"));
}

/// A line for each dialect. The lines are not wrapped, because users copy the layouts from them.
std::string all_text(const LayoutView& view, const std::vector<Translation>& translations) {
  std::string text;
  for (const Translation& one : translations) {
    text += formatted("{:<10}{}\n", interop::row(one.dialect).key,
                      one.text ? *one.text : "not said: " + one.text.error());
    if (!one.tile.empty()) text += formatted("{:<10}{}\n", "", tile_text(one));
  }
  if (!view.hint.empty()) text += formatted("{:<10}{}\n", "or", view.hint);
  return text;
}

}  // namespace

std::expected<std::string, std::string> translate(const TranslateQuestion& question) {
  auto argument = read_layout_arguments(question);
  if (!argument) return std::unexpected(argument.error());
  const LayoutView view = layout_view(*std::move(argument), !question.shape.empty());
  if (std::ranges::find(code_languages, question.dialect) != code_languages.end())
    return code_answer(view, question.dialect, question.format);
  const interop::DialectRow* asked = interop::find_dialect(question.dialect);
  std::vector<Translation> translations;
  for (const interop::DialectRow& row : interop::dialect_rows)
    if (question.dialect == "all" || &row == asked)
      translations.push_back(translation(view, row.dialect));
  const bool is_one = translations.size() == 1;
  if (is_one && !translations[0].text)
    return std::unexpected(formatted("{} cannot say this: {}",
                                     interop::row(translations[0].dialect).name,
                                     translations[0].text.error()));
  if (question.format == "json") return json_of(view, translations);
  return is_one ? *translations[0].text + "\n" : all_text(view, translations);
}

std::string note_on_translation(const TranslateQuestion& question) {
  const interop::DialectRow* asked = interop::find_dialect(question.dialect);
  if (question.format != "text" || asked == nullptr) return "";
  auto argument = read_layout_arguments(question);
  if (!argument) return "";
  const LayoutView view = layout_view(*std::move(argument), !question.shape.empty());
  const Translation one = translation(view, asked->dialect);
  std::string notes;
  if (!one.tile.empty())
    notes = formatted("note: the text leaves the sizes open: {}\n", tile_text(one));
  // The hint says that the layout's text has a second meaning. In the layout's own dialect, both
  // meanings have the text that the user gave, so there the hint is not needed.
  if (!view.hint.empty() && asked->dialect != view.argument.dialect)
    notes += formatted("note: {}\n", view.hint);
  return notes;
}

}  // namespace heddle::answers
