// The special registers by name (PTX ISA 9.0, "Special Registers").
#include <array>

#include "emulator/ptx/source.h"

namespace heddle::emulator::ptx {
namespace {

constexpr std::array special_rows{
    SpecialRow{"%tid.x", Special::tid_x, 32},
    SpecialRow{"%tid.y", Special::tid_y, 32},
    SpecialRow{"%tid.z", Special::tid_z, 32},
    SpecialRow{"%tid.w", Special::zero, 32},
    SpecialRow{"%ntid.x", Special::ntid_x, 32},
    SpecialRow{"%ntid.y", Special::ntid_y, 32},
    SpecialRow{"%ntid.z", Special::ntid_z, 32},
    SpecialRow{"%ntid.w", Special::zero, 32},
    SpecialRow{"%ctaid.x", Special::ctaid_x, 32},
    SpecialRow{"%ctaid.y", Special::ctaid_y, 32},
    SpecialRow{"%ctaid.z", Special::ctaid_z, 32},
    SpecialRow{"%ctaid.w", Special::zero, 32},
    SpecialRow{"%nctaid.x", Special::nctaid_x, 32},
    SpecialRow{"%nctaid.y", Special::nctaid_y, 32},
    SpecialRow{"%nctaid.z", Special::nctaid_z, 32},
    SpecialRow{"%nctaid.w", Special::zero, 32},
    SpecialRow{"%laneid", Special::laneid, 32},
    SpecialRow{"%warpid", Special::warpid, 32},
    SpecialRow{"%nwarpid", Special::nwarpid, 32},
    SpecialRow{"%smid", Special::smid, 32},
    SpecialRow{"%nsmid", Special::nsmid, 32},
    SpecialRow{"%gridid", Special::gridid, 64},
    SpecialRow{"%lanemask_eq", Special::lanemask_eq, 32},
    SpecialRow{"%lanemask_le", Special::lanemask_le, 32},
    SpecialRow{"%lanemask_lt", Special::lanemask_lt, 32},
    SpecialRow{"%lanemask_ge", Special::lanemask_ge, 32},
    SpecialRow{"%lanemask_gt", Special::lanemask_gt, 32},
    SpecialRow{"%clusterid.x", Special::clusterid_x, 32},
    SpecialRow{"%clusterid.y", Special::clusterid_y, 32},
    SpecialRow{"%clusterid.z", Special::clusterid_z, 32},
    SpecialRow{"%clusterid.w", Special::zero, 32},
    SpecialRow{"%nclusterid.x", Special::nclusterid_x, 32},
    SpecialRow{"%nclusterid.y", Special::nclusterid_y, 32},
    SpecialRow{"%nclusterid.z", Special::nclusterid_z, 32},
    SpecialRow{"%nclusterid.w", Special::zero, 32},
    SpecialRow{"%cluster_ctaid.x", Special::cluster_ctaid_x, 32},
    SpecialRow{"%cluster_ctaid.y", Special::cluster_ctaid_y, 32},
    SpecialRow{"%cluster_ctaid.z", Special::cluster_ctaid_z, 32},
    SpecialRow{"%cluster_ctaid.w", Special::zero, 32},
    SpecialRow{"%cluster_nctaid.x", Special::cluster_nctaid_x, 32},
    SpecialRow{"%cluster_nctaid.y", Special::cluster_nctaid_y, 32},
    SpecialRow{"%cluster_nctaid.z", Special::cluster_nctaid_z, 32},
    SpecialRow{"%cluster_nctaid.w", Special::zero, 32},
    SpecialRow{"%cluster_ctarank", Special::cluster_ctarank, 32},
    SpecialRow{"%cluster_nctarank", Special::cluster_nctarank, 32},
    SpecialRow{"%is_explicit_cluster", Special::is_explicit_cluster, 1},
    SpecialRow{"%dynamic_smem_size", Special::dynamic_smem_size, 32},
    SpecialRow{"%total_smem_size", Special::total_smem_size, 32},
    SpecialRow{"%aggr_smem_size", Special::aggr_smem_size, 32},
    SpecialRow{"%clock", Special::clock, 32},
    SpecialRow{"%clock_hi", Special::clock_hi, 32},
    SpecialRow{"%clock64", Special::clock64, 64},
    SpecialRow{"%globaltimer", Special::globaltimer, 64},
    SpecialRow{"%globaltimer_lo", Special::globaltimer_lo, 32},
    SpecialRow{"%globaltimer_hi", Special::globaltimer_hi, 32},
};

// %pm0 to %pm7, %pm0_64 to %pm7_64 and %envreg0 to %envreg31 are read as 0.
const SpecialRow* find_numbered(std::string_view name) {
  struct Range {
    std::string_view before, behind;
    int count;
    SpecialRow row;
  };
  static constexpr Range ranges[] = {{"%pm", "", 8, {"%pm", Special::zero, 32}},
                                     {"%pm", "_64", 8, {"%pm_64", Special::zero, 64}},
                                     {"%envreg", "", 32, {"%envreg", Special::zero, 32}}};
  for (const Range& range : ranges) {
    if (!name.starts_with(range.before) || !name.ends_with(range.behind)) continue;
    const std::string_view digits =
        name.substr(range.before.size(), name.size() - range.before.size() - range.behind.size());
    int number = digits.empty() || digits.size() > 2 ? range.count : 0;
    for (const char c : digits.substr(0, 2))
      number = c >= '0' && c <= '9' ? 10 * number + (c - '0') : range.count;
    if (number < range.count) return &range.row;
  }
  return nullptr;
}

}  // namespace

const SpecialRow* find_special(std::string_view name) {
  for (const SpecialRow& row : special_rows)
    if (row.name == name) return &row;
  return find_numbered(name);
}

}  // namespace heddle::emulator::ptx
