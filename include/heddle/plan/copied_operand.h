// Finds the way of A or B straight into LDS, by loads that put what the lanes of a wave load side
// by side there and pass no register (buffer_load_dwordx4 … lds of gfx950).
//
// The instruction stores a piece of LDS, 64 lanes of 16 bytes, without gaps. So the layout says who
// copies what, and is chosen for the fragments' loads alone: which rows of the tile share a piece,
// and how much padding is between pieces. The lanes of a piece that follow each other have
// neighbours in memory, so that a wave loads whole segments of it. What does not lie along k in
// memory does not in LDS either: loads of fragments transpose it.
#pragma once

#include <expected>
#include <string>

#include "heddle/layout/needs_cxx23.h"
#include "heddle/plan/operand_plan.h"

namespace heddle::plan {

/// Bytes of a load of a lane that transposes among sixteen lanes (ds_read_b64_tr_b16, …_tr_b8).
inline constexpr int transposing_bytes = 8;

/// Plans one operand from the fragment of a block, whose lanes load up to `bytes` at once. The
/// bytes of its placement are those of all groups. Error: why it has to pass registers.
std::expected<OperandPlan, std::string> plan_copied_operand(const memory::BankModel& model,
                                                            const GlobalTile& tile,
                                                            const layout::LinearLayout& fragment,
                                                            int warps, int bytes);

}  // namespace heddle::plan
