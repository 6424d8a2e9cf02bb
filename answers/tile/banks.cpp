#include "answers/tile/banks.h"

#include <expected>
#include <memory>
#include <string>

#include "answers/layout/layout_argument.h"
#include "answers/text/paragraph.h"
#include "answers/tile/banks_picture.h"
#include "answers/tile/banks_text.h"
#include "answers/tile/banks_view.h"

namespace heddle::answers {
namespace {}  // namespace

std::expected<std::string, std::string> banks(const BanksQuestion& question) {
  const auto view = banks_view(question);
  if (!view) return std::unexpected(view.error());
  if (question.format == "json") return banks_json(*view);
  if (question.format == "svg") return banks_svg(*view);
  return banks_text(*view, output_width());
}

}  // namespace heddle::answers
