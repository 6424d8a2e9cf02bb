// Text and drawings as HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace heddle::answers {

/// `text` for the inside of tags and quoted attributes of HTML and SVG: & < > and " become
/// entities. A control character, which XML cannot express, becomes a space.
std::string escaped(std::string_view text);

/// A drawing in SVG. Lengths are in pixels at their natural size, from the upper left corner; a
/// later addition covers earlier ones. All words are escaped.
class Drawing {
 public:
  /// `words` in the style class `style`, with the middle of their base line at (x, y), unless the
  /// class sets text-anchor.
  void text(int x, int y, std::string_view style, std::string_view words);
  /// A rectangle filled with a colour ("#fff").
  void filled(int x, int y, int width, int height, std::string_view colour);
  /// A rectangle in the style class `style`.
  void box(int x, int y, int width, int height, std::string_view style);
  /// A triangle of legs `size` in the upper left corner of the box at (x, y).
  void corner(int x, int y, int size, std::string_view style);
  void point(int x, int y);

  /// The document of that size, on white. `styles` are CSS rules besides the common ones: text is
  /// black, sans-serif and centred; .name and .note begin at their place, .row ends there.
  std::string document(int width, int height, std::string_view styles) const;

 private:
  std::string shapes_;
};

}  // namespace heddle::answers
