// Why lanes meet in a bank, in a sentence. It names the elements of the tile that meet, the number
// of steps along an axis between them, and the pitch (or another distance in the layout) that puts
// these elements a multiple of the width of all banks apart.
//
// The words that collide are traced back through the layout to their elements. Every pitch and
// distance in the sentence is measured on the layout's addresses. For host code; it allocates.
//
// The example of issued_accesses.h on a gfx1151 has one reason, in each of its four phases:
//
//     who      m 0 and 2 (k 0) meet in bank 0
//     why      the pitch of m is 64 B, so 2 steps of m are 128 B, the width of all 32 banks
//     phases   4
//     passes   4, one more in each phase
//
// The sentence suggests the cure: another pitch (padding), or a swizzle, which orders the elements
// of every second row differently. plan/placement.h finds one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/memory/conflict_report.h"
#include "heddle/memory/issued_accesses.h"

namespace heddle::memory {

/// One reason why lanes collide, and how many phases and extra passes have this reason.
struct ConflictReason {
  std::string who;  // "m 0, 2, 4 and 6 (k 0) meet in bank 0"; of the first phase in which they do
  std::string
      why;         // "the pitch of m is 64 B, so 2 steps of m are 128 B, the width of all 32 banks"
  int phases = 0;  // of all accesses, in which this is the reason of the fullest bank
  int passes = 0;  // the extra passes of these

  std::string sentence() const { return who + ": " + why; }
};

/// The sentence for accesses without conflicts.
inline constexpr std::string_view no_conflict_sentence =
    "in every phase the lanes want different banks, or the same words";

/// The reasons of all phases with extra passes. The reason with the most extra passes is the first.
/// `reports` has a report for each access of `issued`, in the same order.
std::vector<ConflictReason> conflict_reasons(const BankModel& model, const SharedLayout& shared,
                                             const IssuedAccesses& issued,
                                             const std::vector<AccessReport>& reports);

}  // namespace heddle::memory
