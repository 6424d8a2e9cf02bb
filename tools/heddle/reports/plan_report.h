// A tile plan, as text for people and as data for programs.
#pragma once

#include <llvm/Support/JSON.h>

#include <expected>
#include <string>
#include <string_view>

#include "compiler/compile.h"

namespace heddle::tool {

/// The problem in words: "42x64x32 (m n k), f16 x f16 -> f32". `problem` has the sizes, and the
/// request has the types in memory.
std::string problem_text(const plan::Problem& problem, const compiler::MatmulRequest& request);

/// The path that --f32 names: exact, bf16x3, tf32 or tf32-cut.
std::expected<plan::F32Path, std::string> f32_path(std::string_view name);
/// The sums that --f8 names: promoted, fast or exact.
std::expected<plan::F8Sums, std::string> f8_sums(std::string_view name);

/// Reads the plan file at `path`; nothing if the path is empty.
std::expected<compiler::PlanFile, std::string> read_plan(const std::string& path);

/// The condition on sizes for which a variant of a kernel is made: "n is a multiple of 8, k is a
/// multiple of 8, m is at most 64".
std::string launches_text(const compiler::Compilation& variant);

/// How much of the reason (`why`) of each decision is shown: all of it, or only the part before the
/// first semicolon.
enum class PlanDetail { first_reason, all_reasons };

/// The decisions of a plan, a paragraph each: what was decided, its value, and why. Lines are
/// wrapped to `width` columns.
std::string plan_text(const compiler::Compilation& compilation, PlanDetail detail, int width);

/// The plan as an object: {"problem", "target", "choices": [...], ...}. The keys not named here
/// depend on the kind of kernel: a kernel for RDNA has "instruction", "k_order", "block", "waves",
/// "lds_bytes", ….
llvm::json::Object plan_json(const compiler::Compilation& compilation);

}  // namespace heddle::tool
