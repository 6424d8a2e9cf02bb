// Describes in words how near a right result comes to its limit, or why a result is not judged.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "answers/text/counted.h"

#include "library/text/formatted.h"

namespace heddle::tool {

/// The elements that were judged, in words: "all 64 elements", or "62 of 64 elements".
template <class Verdict>
std::string judged_elements(const Verdict& verdict, std::int64_t elements) {
  return verdict.unjudged == 0
             ? answers::all_elements(elements)
             : formatted("{} of {} elements", elements - verdict.unjudged, elements);
}

/// The end of a sentence that begins with "all N elements". It says how near the result comes to
/// its limit. Verdict is runtime::MatmulCheck or runtime::Judgement.
template <class Verdict>
std::string how_near(const Verdict& verdict, std::int64_t elements) {
  if (verdict.not_finite == elements) return ", which are infinite or NaN, as they should be";
  std::string text;
  if (verdict.not_finite > 0)
    text = formatted(", {} of them infinite or NaN, as they should be", verdict.not_finite);
  return text + formatted(
                    "; largest error {:.3g}; nearest to its limit: error {:.3g} where {:.3g} is "
                    "allowed",
                    verdict.largest_error, std::abs(verdict.worst_value - verdict.worst_reference),
                    verdict.worst_allowed);
}

/// A sentence about the elements whose limit is too wide to judge them. Verdict is
/// runtime::MatmulCheck or runtime::Judgement.
template <class Verdict>
std::string why_not_judged(const Verdict& verdict, std::int64_t elements) {
  return formatted(
      "{} of {} elements may be {} by the rounding of sums, and the elements differ by no more "
      "than "
      "{:.3g} among themselves, so that wrong numbers would pass as well",
      verdict.unjudged, elements,
      std::isinf(verdict.widest_limit) ? "any number"
                                       : formatted("off by up to {:.3g}", verdict.widest_limit),
      verdict.spread);
}

/// The sentence of why_not_judged, to be appended to a verdict on the other elements. Empty if all
/// elements were judged.
template <class Verdict>
std::string few_not_judged(const Verdict& verdict, std::int64_t elements) {
  return verdict.unjudged == 0 ? "" : "; not judged: " + why_not_judged(verdict, elements);
}

}  // namespace heddle::tool
