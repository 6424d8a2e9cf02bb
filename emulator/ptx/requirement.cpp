#include "emulator/ptx/requirement.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/ptx/source.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

// The instructions whose opcode contains these words in this order. A word may list alternatives,
// separated by |. If several rows match an instruction, the instruction needs what all these rows
// require.
//
// targets: "80" is sm_80 and every later processor. "100a" is that processor only. "100f" is that
// processor and later ones of its family, by the name of the processor or of the family (sm_100f,
// sm_103a).
//
// Sources: PTX ISA 9.0, "PTX ISA Notes" and "Target ISA Notes" of each instruction. Each row was
// also tested with ptxas of CUDA 13.0 (V13.0.88), for all versions from 6.3 and all targets from
// sm_75.
struct Requirement {
  std::string_view words;
  int version;  // 10 * major + minor
  std::string_view targets;
};
constexpr Requirement requirements[] = {
    {"add s16x2|u16x2", 80, "90"},
    {"add|sub|fma f32 f16|bf16", 86, "100"},
    {"add|sub|mul bf16|bf16x2", 78, "90"},
    {"add|sub|mul|fma f32x2", 86, "100"},
    {"applypriority", 74, "80"},
    {"atom b128", 83, "90"},
    {"atom|red add bf16|bf16x2", 78, "90"},
    {"atom|red v2|v4|v8", 81, "90"},
    {"barrier cluster", 78, "90"},
    {"barrier cta", 78, "75"},
    {"bmsk", 76, "75"},
    {"clusterlaunchcontrol", 86, "100"},
    {"clusterlaunchcontrol multicast::cluster::all", 86, "100f 110f 120f"},
    {"cp async", 70, "80"},
    {"cp async bulk", 80, "90"},
    {"cp async bulk cp_mask", 86, "100"},
    {"cp async bulk shared::cta global", 86, "90"},
    {"cp async bulk tensor cta_group::1|cta_group::2", 86, "100f 110f"},
    {"cp async bulk tensor im2col::w|im2col::w::128", 86, "100f 110f"},
    {"cp async bulk tensor tile::gather4", 86, "100"},
    {"cp async bulk tensor tile::scatter4", 86, "100f 110f"},
    {"cp reduce async bulk", 80, "90"},
    {"createpolicy", 74, "80"},
    {"cvt bf16 f16", 78, "90"},
    {"cvt bf16 s8|u8|s16|u16|s32|u32|s64|u64", 78, "90"},
    {"cvt bf16|bf16x2", 70, "80"},
    {"cvt e2m3x2|e3m2x2|e2m1x2|ue8m0x2", 86, "100f 110f 120f"},
    {"cvt e4m3x2|e5m2x2", 78, "89"},
    {"cvt f16x2 f32", 70, "80"},
    {"cvt f32 bf16", 71, "80"},
    {"cvt pack", 65, "75"},
    {"cvt rn|rz tf32", 78, "90"},
    {"cvt rs", 87, "100a 103a"},
    {"cvt s8|u8|s16|u16|s32|u32|s64|u64 bf16", 78, "90"},
    {"cvt satfinite f16x2|bf16x2|f16|bf16 f32", 81, "80"},
    {"cvt satfinite tf32", 81, "80"},
    {"cvt tf32", 70, "80"},
    {"discard", 74, "80"},
    {"elect", 80, "90"},
    {"ex2|tanh bf16|bf16x2", 78, "90"},
    {"ex2|tanh f16|f16x2", 70, "75"},
    {"fence mbarrier_init", 80, "90"},
    {"fence proxy alias", 75, "75"},
    {"fence proxy async|async::global|async::shared::cta|async::shared::cluster", 80, "90"},
    {"fence proxy tensormap::generic", 83, "90"},
    {"fence sync_restrict::shared::cta|sync_restrict::shared::cluster", 86, "90"},
    {"fma bf16|bf16x2", 70, "80"},
    {"fma relu", 70, "80"},
    {"getctarank", 78, "90"},
    {"griddepcontrol", 78, "90"},
    {"isspacep shared::cluster|shared::cta", 78, "90"},
    {"ld L2::64B|L2::128B|L2::256B", 74, "75"},
    {"ldmatrix", 65, "75"},
    {"ldmatrix m16n16|m8n16", 86, "100f 110f 120f"},
    {"ld|st L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate",
     74, "75"},
    {"ld|st b128", 83, "75"},
    {"ld|st mmio", 82, "75"},
    {"ld|st v4 b64|u64|s64|f64", 88, "100"},
    {"ld|st v8", 88, "100"},
    {"ld|st|atom|red L2::cache_hint", 74, "80"},
    {"ld|st|atom|red shared::cluster", 78, "90"},
    {"ld|st|atom|red shared::cta", 78, "75"},
    {"ld|st|atom|red|fence cluster", 78, "90"},
    {"mapa", 78, "90"},
    {"mbarrier", 70, "80"},
    {"mbarrier expect_tx|complete_tx", 80, "90"},
    {"mbarrier arrive|arrive_drop|test_wait|try_wait relaxed", 86, "90"},
    {"mbarrier shared::cluster|cluster", 80, "90"},
    {"mbarrier test_wait parity", 71, "80"},
    {"mbarrier try_wait", 78, "90"},
    {"min|max NaN", 70, "80"},
    {"min|max bf16|bf16x2", 70, "80"},
    {"min|max f16|f16x2", 70, "80"},
    {"min|max relu s32|s16x2", 80, "90"},
    {"min|max s16x2|u16x2", 80, "90"},
    {"min|max xorsign", 72, "86"},
    {"mma b1 and", 71, "80"},
    {"mma bf16", 70, "80"},
    {"mma e4m3|e5m2", 84, "89"},
    {"mma f16 e4m3|e5m2", 87, "89"},
    {"mma f64", 70, "80"},
    {"mma kind::f8f6f4", 86, "100f 110f 120f"},
    {"mma e2m1|e2m3|e3m2", 87, "120f"},
    {"mma sp|sp::ordered_metadata f16 e4m3|e5m2", 87, "120f"},
    {"mma kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4", 87, "120f"},
    {"mma m16n8k16 e4m3|e5m2", 87, "89"},
    {"mma m16n8k32|m16n8k64|m16n8k128|m16n8k256", 70, "80"},
    {"mma m16n8k4|m16n8k16", 70, "80"},
    {"mma m16n8k4|m16n8k8|m16n8k16 f64", 78, "90"},
    {"mma m8n8k16|m8n8k32|m8n8k128", 65, "75"},
    {"mma sp", 71, "80"},
    {"mma sp::ordered_metadata", 85, "80"},
    {"mma tf32", 70, "80"},
    {"movmatrix", 78, "75"},
    {"multimem", 81, "90"},
    {"neg|abs bf16|bf16x2", 70, "80"},
    {"prefetch tensormap", 80, "90"},
    {"red async", 81, "90"},
    {"redux", 70, "80"},
    {"redux f32", 86, "100f"},
    {"setmaxnreg", 80, "90a 100f 110f 120f"},
    {"setp|set bf16|bf16x2", 78, "90"},
    {"st async", 81, "90"},
    {"st bulk", 86, "100"},
    {"stmatrix", 78, "90"},
    {"stmatrix m16n8", 86, "100f 110f 120f"},
    {"szext", 76, "75"},
    {"tanh", 70, "75"},
    {"tcgen05", 86, "100f 110f"},
    {"tcgen05 ld red", 88, "103f 110f"},
    {"tcgen05 mma block16|block32", 88, "100f 110f"},
    {"tcgen05 mma kind::i8", 86, "100a 110a"},
    {"tcgen05 mma scale_vec::1X|scale_vec::2X|scale_vec::4X", 86, "100a 103a 110a"},
    {"tcgen05 shift", 86, "100a 103a 110a"},
    {"tensormap", 83, "90"},
    {"tensormap replace", 83, "90a 100f 110f 120f"},
    {"tensormap replace swizzle_atomicity", 86, "100f 110f 120f"},
    {"wgmma", 80, "90a"},
    {"wgmma sp", 82, "90a"},
    {"wmma and", 71, "80"},
    {"wmma bf16", 70, "80"},
    {"wmma f64", 70, "80"},
    {"wmma tf32", 70, "80"},
};

template <class F>
bool any_word(std::string_view words, char separator, F f) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(separator));
    if (f(word)) return true;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return false;
}

bool names(const Requirement& requirement, const Statement& statement) {
  std::size_t next = 0;
  return !any_word(requirement.words, ' ', [&](std::string_view alternatives) {
    const auto is_here = [&](std::string_view part) {
      return any_word(alternatives, '|', [&](std::string_view word) { return word == part; });
    };
    // The first word is the first part of the opcode. Before each later word, other parts may
    // stand.
    if (next == 0) return !is_here(statement.opcode[next++]);
    while (next < statement.opcode.size())
      if (is_here(statement.opcode[next++])) return false;
    return true;
  });
}

// The parts of a target's name: "sm_103a" is 103 and 'a'. sm_101 is renamed to sm_110 from PTX 9.0
// on.
struct TargetName {
  int number = 0;
  char suffix = ' ';
};
TargetName target_name(std::string_view text) {
  if (text.starts_with("sm_")) text.remove_prefix(3);
  TargetName name;
  for (; !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
       text.remove_prefix(1))
    name.number = 10 * name.number + (text[0] - '0');
  if (!text.empty()) name.suffix = text[0];
  if (name.number == 101) name.number = 110;
  return name;
}

bool is_met(std::string_view targets, TargetName file) {
  return any_word(targets, ' ', [&](std::string_view word) {
    const TargetName needed = target_name(word);
    if (needed.suffix == ' ') return file.number >= needed.number;
    if (file.suffix == ' ') return false;
    if (needed.suffix == 'a') return file.number == needed.number && file.suffix == 'a';
    return file.number / 10 == needed.number / 10 && file.number >= needed.number;
  });
}

// "sm_89 or higher", "sm_100a, sm_110f or sm_120f".
std::string spelled(std::string_view targets) {
  std::string text;
  any_word(targets, ' ', [&](std::string_view word) {
    const bool is_last = word.data() + word.size() == targets.data() + targets.size();
    text += (text.empty() ? "sm_" : is_last ? " or sm_" : ", sm_") + std::string(word);
    return false;
  });
  return text + (targets.find_first_of("af") == std::string_view::npos ? " or higher" : "");
}

}  // namespace

std::optional<std::string> unmet_requirement(const Statement& statement, const Source& source) {
  if (statement.opcode.empty()) return {};
  const TargetName target = target_name(source.target);
  int version = 0;
  std::string_view targets;
  for (const Requirement& requirement : requirements) {
    const bool has_version = source.version >= requirement.version;
    const bool has_target = is_met(requirement.targets, target);
    if ((has_version && has_target) || !names(requirement, statement)) continue;
    version = std::max(version, requirement.version);
    if (!has_target) targets = requirement.targets;
  }
  if (version == 0) return {};
  std::string opcode;
  for (const std::string_view part : statement.opcode)
    opcode += (opcode.empty() ? "" : ".") + std::string(part);
  std::string needs;
  if (source.version < version) needs = formatted(".version {}.{}", version / 10, version % 10);
  if (!targets.empty()) needs += (needs.empty() ? "" : " and ") + (".target " + spelled(targets));
  return formatted("{} needs {}, and the file has .version {}.{} and .target {}", opcode, needs,
                   source.version / 10, source.version % 10, source.target);
}

}  // namespace heddle::emulator::ptx
