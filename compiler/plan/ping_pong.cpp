#include "compiler/plan/ping_pong.h"

#include "compiler/plan/block_tile.h"
#include "compiler/plan/fma_atom.h"
#include "compiler/plan/words.h"
#include "heddle/instruction/target.h"

namespace heddle::plan {
namespace {

/// The smallest tile of a workgroup for which ping-pong is chosen, as rows times columns times k
/// times the bits of an element; it is that of 256x256x32 of f16. Sources: Triton uses its
/// schedules for 8 warps from this size on (BlockPingpong.cpp, mediumTile). HipKittens (arXiv
/// 2511.08083) and AMD ("FP8 GEMM optimization on AMD CDNA4-based GPUs", rocm.docs.amd.com, AI
/// Developer Hub) use ping-pong for tiles of 256x256. It was not measured here.
constexpr std::int64_t least_tile = std::int64_t{1} << 25;

bool has_published_schedule(instruction::Target target) {
  return target == instruction::Target::gfx942 || target == instruction::Target::gfx950;
}

constexpr const char* copies_are_mixed =
    "of A and B one passes registers while the other goes straight to LDS";

}  // namespace

std::string why_no_ping_pong(const MatmulPlan& plan) {
  const instruction::ProcessorRow& processor = instruction::row(plan.target);
  if (!instruction::is_cdna(processor.family))
    return "only on CDNA a workgroup of 8 waves has two on each SIMD";
  if (is_fma(*plan.instruction)) return "multiply-adds occupy no matrix core beside other waves";
  if (plan.tiles.warps() != ping_pong_waves)
    return "a workgroup of " + number(plan.tiles.warps()) + " waves does not have two on each SIMD";
  if (waves_per_simd(processor, plan.registers.total()) < 2)
    return "waves of " + number(plan.registers.total()) + " VGPRs are alone on their SIMD";
  if (plan.a.is_copied() != plan.b.is_copied()) return copies_are_mixed;
  if (plan.has_copies() && plan.tiles.stages == 1)
    return "with one tile in LDS copies run while nothing is multiplied";
  return {};
}

std::string why_together(const MatmulPlan& plan) {
  if (!has_published_schedule(plan.target))
    return "for this processor no measurement of ping-pong is published";
  const Tiling& block = plan.tiles;
  const std::int64_t bits = std::int64_t{block.m} * block.n * block.k *
                            plan.problem.elements_of_unit() * instruction::bits(plan.problem.input);
  if (bits < least_tile) return "turns of so small tiles would be short";
  return {};
}

std::string refused_schedule(const MatmulPlan& plan, const std::string& asked, bool mixes_copies) {
  if (asked.empty() || asked == "together") return {};
  if (asked != "ping-pong")
    return "the schedule \"" + asked + "\"; accepted: ping-pong or together";
  if (plan.ping_pong && !mixes_copies) return {};
  return "the schedule \"ping-pong\"; accepted: together, since " +
         (plan.ping_pong ? copies_are_mixed : why_no_ping_pong(plan));
}

Choice schedule_choice(const MatmulPlan& plan, const std::string& why) {
  if (!plan.ping_pong) return {"schedule", "together", why};
  const int multiplied = plan.atoms_m() * plan.atoms_n() * plan.pack;
  return {"schedule", "ping-pong",
          "of the two waves on a SIMD one multiplies, " + number(multiplied) +
              " MFMA in a turn, while the other loads and stores; at a barrier they change places"};
}

}  // namespace heddle::plan
