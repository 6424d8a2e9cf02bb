// Text and drawings as HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace heddle::answers {

/// `text` as it stands between tags and in quoted attributes of HTML and SVG: & < > and " become
/// entities; a control character, which XML has no way to write, becomes a space.
std::string escaped(std::string_view text);

/// A drawing in SVG. Lengths are in pixels at their natural size, from the upper left corner; what
/// is added later lies above what was there. All words are escaped.
class Drawing {
 public:
  /// `words` in the style class `style`, at (x, y) of their base line: the middle of them, unless
  /// the class says text-anchor.
  void text(int x, int y, std::string_view style, std::string_view words);
  /// A rectangle filled with a colour ("#fff").
  void filled(int x, int y, int width, int height, std::string_view colour);
  /// A rectangle in the style class `style`.
  void box(int x, int y, int width, int height, std::string_view style);
  /// A triangle of legs `size` in the upper left corner of what begins at (x, y).
  void corner(int x, int y, int size, std::string_view style);
  void point(int x, int y);

  /// The document, on white, of that size. `styles` are rules of CSS beside the common ones: text
  /// is black, sans-serif and centred; .name and .note begin where they are put, .row ends there.
  std::string document(int width, int height, std::string_view styles) const;

 private:
  std::string shapes_;
};

}  // namespace heddle::answers
