#include "tools/heddle/reports/plan_report.h"

#include "answers/text/input_file.h"
#include "answers/text/paragraph.h"
#include "compiler/plan/matmul_planner.h"
#include "compiler/plan/warpgroup_planner.h"
#include "compiler/plan/warpgroup_time.h"
#include "library/text/formatted.h"
#include "tools/heddle/reports/launch_json.h"
#include "tools/heddle/reports/report_text.h"

namespace heddle::tool {
namespace {

/// For llvm::json, which takes no std::string_view.
llvm::StringRef words(std::string_view text) { return text; }

llvm::json::Object shared_json(const plan::OperandPlan& operand) {
  const plan::SharedCandidate& chosen = operand.chosen;
  const int element_bytes = operand.tile.element_bytes;
  llvm::json::Array padding;
  for (const memory::Padding& pad : chosen.shared().padding)
    padding.push_back(llvm::json::Array{pad.interval * static_cast<std::uint64_t>(element_bytes),
                                        pad.amount * static_cast<std::uint64_t>(element_bytes)});
  const auto layout = layout::text(chosen.shared().map);
  const auto extra = [](const plan::PlacedAccess& access) { return access.passes - access.ideal; };
  return llvm::json::Object{{"layout", std::string(layout.data(), layout.size())},
                            {"padding_bytes", std::move(padding)},
                            {"bytes", chosen.placement.bytes},
                            {"load_bytes_per_lane", chosen.load_elements() * element_bytes},
                            {"load_accesses", chosen.load_cost().instructions},
                            {"load_extra_passes", extra(chosen.load_cost())},
                            {"store_accesses", chosen.store_cost().instructions},
                            {"store_extra_passes", extra(chosen.store_cost())},
                            {"passes", chosen.placement.passes},
                            {"least_passes", chosen.placement.bound},
                            {"base_registers", chosen.registers}};
}

llvm::json::Object kind_json(const std::monostate&) { return {}; }

llvm::json::Object kind_json(const plan::MmaPlan& plan) {
  const plan::Tiling& tiles = plan.tiles;
  llvm::json::Object all{{"instruction", words(plan.instruction->name)},
                         {"block", llvm::json::Array{tiles.m, tiles.n, tiles.k}},
                         {"warps", llvm::json::Array{tiles.warps_m, tiles.warps_n}},
                         {"stages", tiles.stages},
                         {"group", tiles.group},
                         {"split_k", tiles.split_k},
                         {"shared_bytes", plan.shared_bytes}};
  if (tiles.blocks != 0) all["blocks"] = tiles.blocks;  // which dynamic sizes leave open
  return all;
}

llvm::json::Object kind_json(const plan::MatmulPlan& plan) {
  const plan::Tiling& block = plan.tiles;
  return llvm::json::Object{
      {"instruction", words(plan.instruction->name)},
      {"k_order", words(instruction::name(plan.k_order))},
      {"block", llvm::json::Array{block.m, block.n, block.k}},
      {"waves", llvm::json::Array{block.warps_m, block.warps_n}},
      {"warps", llvm::json::Array{block.warps_m, block.warps_n}},  // as a plan file names them
      {"stages", block.stages},
      {"split_k", block.split_k},
      {"atoms_per_wave", llvm::json::Array{plan.atoms_m(), plan.atoms_n()}},
      {"lds_loads_per_wmma", plan.loads_per_instruction()},
      {"lds_buffers", block.stages},
      {"copies", plan::copies_text(plan)},
      {"schedule", plan.ping_pong ? "ping-pong" : "together"},
      {"lds_bytes", plan.shared_bytes},
      {"vgprs_estimated", plan.registers.total()},
      {"lds", llvm::json::Object{{"A", shared_json(plan.a)}, {"B", shared_json(plan.b)}}}};
}

llvm::json::Object kind_json(const plan::WarpgroupPlan& plan) {
  return llvm::json::Object{{"instruction", plan::instruction_text(plan)},
                            {"computes", plan.is_transposed ? "D^T" : "D"},
                            {"estimated_us", plan::estimated_time(plan)},
                            {"block", llvm::json::Array{plan.block_m, plan.block_n, plan.block_k}},
                            {"consumers", plan.consumers},
                            {"split_k", plan.split_k},
                            {"stages", plan.stages},
                            {"cluster", llvm::json::Array{plan.cluster_m, plan.cluster_n}},
                            {"group", plan.group_m},
                            {"blocks", plan.blocks},
                            {"shared_bytes", plan.shared_bytes()}};
}

llvm::json::Object kind_json(const plan::ElementwisePlan& plan) {
  return llvm::json::Object{{"block", llvm::json::Array{plan.rows(), plan.columns()}},
                            {"elements_per_thread", plan.width}};
}

llvm::json::Object kind_json(const plan::AttentionPlan& plan) {
  return llvm::json::Object{
      {"instruction", words(plan.instruction->name)},
      {"block", llvm::json::Array{plan.block_queries(), plan.problem.n, plan.keys}},
      {"warps", llvm::json::Array{plan.warps / plan.sharing_warps(), plan.sharing_warps()}},
      {"split_k", plan.parts},
      {"keys_are_rows", plan.keys_are_rows},
      {"shared_bytes", plan.shared_bytes}};
}

llvm::json::Object kind_json(const plan::WarpgroupAttentionPlan& plan) {
  llvm::json::Object all{
      {"instruction", plan::instruction_text(plan.values)},
      {"block", llvm::json::Array{plan.scores.block_m, plan.values.block_n, plan.keys()}},
      {"consumers", plan.consumers()},
      {"stages", plan.stages()},
      {"schedule", plan.ping_pong ? "ping-pong" : "together"},
      {"shared_bytes", plan.shared_bytes()}};
  if (plan.heads_together != 0) all["group"] = plan.heads_together;  // tiles are not all as long
  return all;
}

llvm::json::Object kind_json(const plan::ElementPlan& plan) {
  return llvm::json::Object{{"block", llvm::json::Array{plan.threads()}},
                            {"elements", plan.elements}};
}

}  // namespace

std::string problem_text(const plan::Problem& problem, const compiler::MatmulRequest& request) {
  const auto size = [&](plan::Loop loop) {
    return problem.is_dynamic(loop) ? "?" : formatted("{}", problem.size(loop));
  };
  if (request.program) {
    std::string text;
    for (const compiler::MatrixRecord* written : compiler::written_matrices(request)) {
      const auto& buffer = request.buffers[static_cast<std::size_t>(written->parameter)];
      text += (text.empty() ? "each element of " : ", ");
      for (const std::int64_t one : buffer.shape) text += one < 0 ? "?x" : formatted("{}x", one);
      text += instruction::name(buffer.element);
    }
    return text + " by itself";
  }
  const bool has_batch = problem.batch != 1 || problem.is_dynamic(plan::Loop::batch);
  const auto matrix = [](const plan::OperandForm& form, instruction::ElementType multiplied,
                         const compiler::MatrixRecord& record) {
    return formatted("{}{}", instruction::name(form.stored ? record.element : multiplied),
                     form.transposed ? " transposed" : "");
  };
  if (const auto& softmax = request.softmax)
    return formatted("{}{} queries, {} keys, heads of {} and {}, {} -> {}",
                     has_batch ? size(plan::Loop::batch) + " of " : "", size(plan::Loop::m),
                     size(plan::Loop::k), softmax->depth, size(plan::Loop::n),
                     instruction::name(problem.input), instruction::name(problem.result));
  return formatted(
      "{}{}x{}x{} (m n k), {} x {} -> {}", has_batch ? size(plan::Loop::batch) + " of " : "",
      size(plan::Loop::m), size(plan::Loop::n), size(plan::Loop::k),
      matrix(problem.a, problem.input, request.a), matrix(problem.b, problem.b_input(), request.b),
      instruction::name(problem.result));
}

std::expected<plan::F32Path, std::string> f32_path(std::string_view name) {
  if (name == "exact") return plan::F32Path::exact;
  if (name == "bf16x3") return plan::F32Path::bf16x3;
  if (name == "tf32") return plan::F32Path::tf32;
  if (name == "tf32-cut") return plan::F32Path::tf32_cut;
  return std::unexpected(formatted("--f32 {}; accepted: exact, bf16x3, tf32 or tf32-cut", name));
}

std::expected<plan::F8Sums, std::string> f8_sums(std::string_view name) {
  if (name == "promoted") return plan::F8Sums::promoted;
  if (name == "fast") return plan::F8Sums::fast;
  if (name == "exact") return plan::F8Sums::exact;
  return std::unexpected(formatted("--f8 {}; accepted: promoted, fast or exact", name));
}

std::expected<compiler::PlanFile, std::string> read_plan(const std::string& path) {
  if (path.empty()) return compiler::PlanFile();
  const auto text = answers::read_file(path);
  if (!text) return std::unexpected(text.error());
  return compiler::read_plan_file(*text, path);
}

std::string launches_text(const compiler::Compilation& variant) {
  std::string text;
  const auto add = [&](std::size_t loop, const char* words, std::int64_t number) {
    text +=
        formatted("{}{} is {} {}", text.empty() ? "" : ", ", plan::size_names[loop], words, number);
  };
  for (std::size_t loop = 0; loop < plan::size_count; ++loop) {
    if (!variant.problem.is_dynamic(static_cast<plan::Loop>(loop))) continue;
    if ((variant.request.ones >> loop & 1u) != 0) {
      text += formatted("{}{} is 1", text.empty() ? "" : ", ", plan::size_names[loop]);
      continue;
    }
    if (variant.request.multiples[loop] != 1)
      add(loop, "a multiple of", variant.request.multiples[loop]);
    if (loop < plan::loop_count && variant.problem.most[loop] != 0)
      add(loop, "at most", variant.problem.most[loop]);
  }
  return text;
}

std::string plan_text(const compiler::Compilation& compilation, PlanDetail detail, int width) {
  std::string text;
  for (const plan::Choice& choice : compilation.choices) {
    const auto why = std::string_view(choice.why)
                         .substr(0, detail == PlanDetail::first_reason ? choice.why.find(';')
                                                                       : std::string::npos);
    text += answers::paragraph(choice.what, formatted("{}: {}", choice.value, why), label_columns,
                               width);
  }
  for (const compiler::Compilation& variant : compilation.variants)
    text += "\n" +
            answers::paragraph("or",
                               formatted("{}: for launches in which {}", variant.kernel_name,
                                         launches_text(variant)),
                               label_columns, width) +
            plan_text(variant, detail, width);
  return text;
}

llvm::json::Object plan_json(const compiler::Compilation& compilation) {
  llvm::json::Array choices;
  for (const plan::Choice& choice : compilation.choices)
    choices.push_back(
        llvm::json::Object{{"what", choice.what}, {"value", choice.value}, {"why", choice.why}});
  const plan::Problem& problem = compilation.problem;
  llvm::json::Object json =
      std::visit([](const auto& plan) { return kind_json(plan); }, compilation.plan);
  json["problem"] = llvm::json::Object{{"m", problem.m},
                                       {"n", problem.n},
                                       {"k", problem.k},
                                       {"input", words(instruction::name(problem.input))},
                                       {"result", words(instruction::name(problem.result))},
                                       {"input_b", words(instruction::name(problem.b_input()))},
                                       {"batch", problem.batch},
                                       {"a_transposed", problem.a.transposed},
                                       {"b_transposed", problem.b.transposed},
                                       {"dynamic", problem.dynamic}};
  json["target"] = words(instruction::name(compilation.target));
  const auto three = [](const std::array<std::uint32_t, 3>& sizes) {
    return llvm::json::Array{sizes[0], sizes[1], sizes[2]};
  };
  json["kernel"] =
      llvm::json::Object{{"name", compilation.kernel_name},
                         {"grid", three(plan::blocks(compilation.grid, compilation.problem))},
                         {"workgroup", three(compilation.workgroup)},
                         {"dynamic_shared_bytes", compilation.dynamic_shared_bytes}};
  json["launch"] = launch_json(compilation);
  json["choices"] = std::move(choices);
  if (!compilation.variants.empty()) {
    llvm::json::Array variants;
    for (const compiler::Compilation& variant : compilation.variants)
      variants.push_back(plan_json(variant));
    json["variants"] = std::move(variants);
  }
  return json;
}

}  // namespace heddle::tool
