#include "library/text/formatted.h"

#include <iterator>

#if __has_include(<fmt/format.h>)
#include <fmt/format.h>
namespace formatter = fmt;
#else  // The C++ library has the same from GCC 13 and from libc++ 17 on.
#include <format>
namespace formatter = std;
#endif

namespace heddle::formatting {
namespace {

template <class T>
void write(std::string_view field, const T& value, std::string& to) {
  formatter::vformat_to(std::back_inserter(to), field, formatter::make_format_args(value));
}

}  // namespace

void Value::append(std::string_view field, std::string& to) const {
  switch (kind_) {
    case Kind::boolean:
      return write(field, boolean_, to);
    case Kind::character:
      return write(field, character_, to);
    case Kind::integer:
      return write(field, integer_, to);
    case Kind::natural:
      return write(field, natural_, to);
    case Kind::single:
      return write(field, single_, to);
    case Kind::real:
      return write(field, real_, to);
    case Kind::text:
      return write(field, text_, to);
  }
}

std::string filled(std::string_view sentence, std::initializer_list<Value> values) {
  std::string text;
  std::size_t next = 0;
  while (true) {
    const std::size_t brace = sentence.find_first_of("{}");
    text += sentence.substr(0, brace);
    if (brace == std::string_view::npos) return text;
    sentence.remove_prefix(brace);
    if (sentence[1] == sentence[0]) {  // "{{" is a brace
      text += sentence[0];
      sentence.remove_prefix(2);
      continue;
    }
    const std::size_t end = sentence.find('}') + 1;
    std::string_view field = sentence.substr(1, end - 1);
    const std::size_t number = take_number(field, next++);
    values.begin()[number].append(std::string("{").append(field), text);
    sentence.remove_prefix(end);
  }
}

}  // namespace heddle::formatting
