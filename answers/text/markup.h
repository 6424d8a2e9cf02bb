// Text and drawings as HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace heddle::answers {

/// Makes `text` safe inside tags and quoted attributes of HTML and SVG: the characters & < > and "
/// become entities. A control character, which XML cannot express, becomes a space.
std::string escaped(std::string_view text);

/// An SVG drawing to which text and shapes are added. Positions are in pixels from the upper left
/// corner, as long as the drawing is not scaled. What is added later covers what was added earlier.
/// All text is escaped.
class Drawing {
 public:
  /// Adds `words` in the style class `style`. The middle of their base line is at (x, y), unless
  /// the class sets text-anchor.
  void text(int x, int y, std::string_view style, std::string_view words);
  /// A rectangle filled with a colour ("#fff").
  void filled(int x, int y, int width, int height, std::string_view colour);
  /// A rectangle in the style class `style`.
  void box(int x, int y, int width, int height, std::string_view style);
  /// Adds a right-angled triangle, whose two legs have length `size`, in the upper left corner of
  /// the box that begins at (x, y).
  void corner(int x, int y, int size, std::string_view style);
  void point(int x, int y);

  /// The SVG document of this width and height, on white. `styles` are CSS rules in addition to the
  /// common rules, by which text is black, sans-serif and centred, text of class .name or .note
  /// begins at its position, and text of class .row ends at its position.
  std::string document(int width, int height, std::string_view styles) const;

 private:
  std::string shapes_;
};

}  // namespace heddle::answers
