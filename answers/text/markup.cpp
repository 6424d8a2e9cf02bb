#include "answers/text/markup.h"

#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

constexpr std::string_view common_styles =
    "text{font-family:sans-serif;text-anchor:middle;fill:#000}"
    ".name,.title{font-weight:bold;text-anchor:start}.note{font-size:12px;text-anchor:start}"
    ".axis{font-size:11px;fill:#444}.row{font-size:11px;fill:#444;text-anchor:end}"
    "rect{stroke:#555;stroke-width:.5}";

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      result += ' ';
    else
      result += c;
  }
  return result;
}

void Drawing::text(int x, int y, std::string_view style, std::string_view words) {
  shapes_ +=
      formatted("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, style, escaped(words));
}

void Drawing::filled(int x, int y, int width, int height, std::string_view colour) {
  shapes_ += formatted("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y,
                       width, height, colour);
}

void Drawing::box(int x, int y, int width, int height, std::string_view style) {
  shapes_ += formatted("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n", x, y,
                       width, height, style);
}

void Drawing::corner(int x, int y, int size, std::string_view style) {
  shapes_ +=
      formatted("<path d=\"M{} {}h{}l-{} {}z\" class=\"{}\"/>\n", x, y, size, size, size, style);
}

void Drawing::point(int x, int y) {
  shapes_ += formatted("<circle cx=\"{}\" cy=\"{}\" r=\"1.3\"/>\n", x, y);
}

std::string Drawing::document(int width, int height, std::string_view styles) const {
  return formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n<style>{2}{3}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\" "
      "style=\"stroke:none\"/>\n{4}</svg>\n",
      width, height, common_styles, styles, shapes_);
}

}  // namespace heddle::answers
