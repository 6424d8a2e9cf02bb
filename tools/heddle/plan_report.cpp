#include "tools/heddle/plan_report.h"

#include <fmt/format.h>

#include "tools/heddle/paragraph.h"

namespace heddle::tool {
namespace {

constexpr int label_columns = 16;

/// For llvm::json, which takes no std::string_view.
llvm::StringRef words(std::string_view text) { return text; }

llvm::json::Object shared_json(const plan::OperandPlan& operand) {
  const plan::SharedCandidate& chosen = operand.chosen;
  llvm::json::Array padding;
  for (const memory::Padding& pad : chosen.shared().padding)
    padding.push_back(
        llvm::json::Array{pad.interval * plan::element_bytes, pad.amount * plan::element_bytes});
  const auto layout = layout::text(chosen.shared().map);
  const auto extra = [](const plan::PlacedAccess& access) { return access.passes - access.ideal; };
  return llvm::json::Object{{"layout", std::string(layout.data(), layout.size())},
                            {"padding_bytes", std::move(padding)},
                            {"bytes", chosen.placement.bytes},
                            {"load_bytes_per_lane", chosen.load_elements() * plan::element_bytes},
                            {"load_accesses", chosen.load_cost().instructions},
                            {"load_extra_passes", extra(chosen.load_cost())},
                            {"store_accesses", chosen.store_cost().instructions},
                            {"store_extra_passes", extra(chosen.store_cost())},
                            {"passes", chosen.placement.passes},
                            {"least_passes", chosen.placement.bound},
                            {"base_registers", chosen.registers}};
}

}  // namespace

std::string problem_text(const plan::Problem& problem) {
  return fmt::format("{}x{}x{} (m n k), {} x {} -> {}", problem.m, problem.n, problem.k,
                     instruction::name(problem.input), instruction::name(problem.input),
                     instruction::name(problem.result));
}

std::string plan_text(const plan::MatmulPlan& plan, PlanDetail detail, int width) {
  std::string text;
  for (const plan::Choice& choice : plan.choices) {
    const auto why = std::string_view(choice.why)
                         .substr(0, detail == PlanDetail::first_reason ? choice.why.find(';')
                                                                       : std::string::npos);
    text += paragraph(choice.what, fmt::format("{}: {}", choice.value, why), label_columns, width);
  }
  return text;
}

llvm::json::Object plan_json(const plan::MatmulPlan& plan) {
  const plan::BlockTile& block = plan.block;
  llvm::json::Array choices;
  for (const plan::Choice& choice : plan.choices)
    choices.push_back(
        llvm::json::Object{{"what", choice.what}, {"value", choice.value}, {"why", choice.why}});
  return llvm::json::Object{
      {"problem", llvm::json::Object{{"m", plan.problem.m},
                                     {"n", plan.problem.n},
                                     {"k", plan.problem.k},
                                     {"input", words(instruction::name(plan.problem.input))},
                                     {"result", words(instruction::name(plan.problem.result))}}},
      {"target", words(instruction::name(plan.target))},
      {"instruction", words(plan.wmma->name)},
      {"k_order", words(instruction::name(plan.k_order))},
      {"block", llvm::json::Array{block.m, block.n, block.k}},
      {"waves", llvm::json::Array{block.warps_m, block.warps_n}},
      {"atoms_per_wave", llvm::json::Array{block.atoms_m(), block.atoms_n()}},
      {"lds_loads_per_wmma", plan.loads_per_wmma()},
      {"lds_buffers", plan.buffers},
      {"lds_bytes", plan.lds_bytes},
      {"vgprs_estimated", plan.registers.total()},
      {"lds", llvm::json::Object{{"A", shared_json(plan.a)}, {"B", shared_json(plan.b)}}},
      {"choices", std::move(choices)}};
}

}  // namespace heddle::tool
