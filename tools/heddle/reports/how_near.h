// How near a result that is right comes to its limit, in words.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace heddle::tool {

/// What comes behind "all N elements", of a runtime::MatmulCheck or a runtime::Judgement.
template <class Verdict>
std::string how_near(const Verdict& verdict, std::int64_t elements) {
  if (verdict.not_finite == elements) return ", which are infinite or NaN, as they should be";
  std::string text;
  if (verdict.not_finite > 0)
    text = fmt::format(", {} of them infinite or NaN, as they should be", verdict.not_finite);
  return text + fmt::format(
                    "; largest error {:.3g}; nearest to its limit: error {:.3g} where {:.3g} is "
                    "allowed",
                    verdict.largest_error, std::abs(verdict.worst_value - verdict.worst_reference),
                    verdict.worst_allowed);
}

}  // namespace heddle::tool
