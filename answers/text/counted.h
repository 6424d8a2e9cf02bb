// Numbers of things in sentences: "1 wave", "2 waves", "3 passes", "4 launches".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "library/text/formatted.h"

namespace heddle::answers {

/// `noun` is singular.
inline std::string counted(std::string_view count, std::string_view noun) {
  return formatted("{} {}{}", count, noun,
                   count == "1"                                  ? ""
                   : noun.ends_with('s') || noun.ends_with("ch") ? "es"
                                                                 : "s");
}

inline std::string counted(std::integral auto count, std::string_view noun) {
  return counted(formatted("{}", count), noun);
}

/// "all 64 elements"; "its only element" for one.
inline std::string all_elements(std::integral auto count) {
  return count == 1 ? "its only element" : "all " + counted(count, "element");
}

}  // namespace heddle::answers
