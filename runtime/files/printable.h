// Makes text from outside safe to show: without bytes that control a terminal.
//
// Names in debug information, code objects and sources may hold any byte: an escape sequence that
// rewrites the screen, or a character that reverses the direction of writing. Everything that
// Heddle prints goes through here, in every format. The escapes are those of JSON, so a JSON report
// stays valid and holds the same string.
//
//   printable("a\x1b[2Jb")        a\u001b[2Jb
//   printable_line("a\nb")        a\u000ab, for what is one word or one line
#pragma once

#include <string>
#include <string_view>

namespace heddle::runtime {

/// `text` in UTF-8. Newlines and tabs stay. \uXXXX replaces other control characters (U+0000 to
/// U+001F, U+007F to U+009F), line separators and marks that change the direction of text (U+061C,
/// U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069). U+FFFD for each byte that is no UTF-8.
std::string printable(std::string_view text);

/// Like printable, with newlines and tabs escaped, too.
std::string printable_line(std::string_view text);

/// The same as printable, but keeps the sequences by which Heddle's own tables set colours: an
/// escape, '[', digits and ';', and 'm'.
std::string printable_coloured(std::string_view text);

}  // namespace heddle::runtime
