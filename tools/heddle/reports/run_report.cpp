#include "tools/heddle/reports/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answers/text/counted.h"
#include "answers/text/paragraph.h"
#include "compiler/plan/fma_atom.h"
#include "compiler/request/actual_product.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/memory/banks.h"
#include "library/text/formatted.h"
#include "tools/heddle/reports/how_near.h"
#include "tools/heddle/reports/plan_report.h"
#include "tools/heddle/reports/report_json.h"
#include "tools/heddle/reports/report_text.h"

namespace heddle::tool {
namespace {

using instruction::Operand;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The problem without dynamic sizes, because the sizes of a run are known.
plan::Problem static_sizes(plan::Problem problem) {
  problem.dynamic = 0;
  return problem;
}

/// The bytes that the product must at least move, if every matrix is read or written only once.
std::uint64_t compulsory_bytes(const MatmulRun& run, bool written) {
  std::uint64_t bytes = 0;
  const std::vector<compiler::BufferRecord>& buffers = run.compilation.request.buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const compiler::Parameter& parameter = run.compilation.parameters[i];
    if (written ? parameter.written : parameter.read)
      bytes += compiler::byte_count(buffers[i], run.problem);
  }
  return bytes;
}

/// Describes an operand of a matrix instruction: "lane holds 16 elements in 8 VGPRs, each in 2
/// lanes".
std::string operand_text(const instruction::Instruction& wmma, Operand operand) {
  const layout::LinearLayout map = instruction::isa_fragment(wmma, operand);
  const auto lane_copies =
      (std::uint64_t{wmma.wave == 32 ? 32u : 64u} *
       static_cast<std::uint64_t>(instruction::elements_per_lane(wmma, operand))) >>
      map.output_bits();
  std::string text =
      formatted("{} {} elements a lane in {} VGPRs", instruction::name(operand),
                instruction::elements_per_lane(wmma, operand), wmma.map(operand).registers);
  if (lane_copies > 1) text += formatted(", each element in {} lanes", lane_copies);
  return text;
}

std::string fragments_text(const plan::MatmulPlan& plan) {
  if (plan::is_fma(*plan.instruction))
    return "v_fma_f32: of each 16x16 atom a lane has 2 rows of A, 4 columns of B and 8 elements of "
           "D";
  const instruction::Instruction& wmma = *plan.instruction;
  return formatted("{}: {}; {}; {}. `heddle show {} --arch {}` draws them", wmma.name,
                   operand_text(wmma, Operand::a), operand_text(wmma, Operand::b),
                   operand_text(wmma, Operand::d), wmma.name, instruction::name(plan.target));
}

std::string kernel_text(const MatmulRun& run) {
  const auto grid = plan::blocks(run.compilation.grid, run.problem);
  const emulator::Kernel& kernel = run.kernel;
  const instruction::ProcessorRow& limits = instruction::row(run.compilation.target);
  return formatted(
      "{} VGPRs of {}, {} SGPRs, {} spilled; LDS {} of {}; scratch {}; {}x{}x{} workgroups of {} "
      "threads",
      kernel.vgpr_count, limits.max_vgprs, kernel.sgpr_count,
      kernel.vgpr_spills + kernel.sgpr_spills, bytes_text(kernel.lds_bytes),
      bytes_text(static_cast<std::uint64_t>(limits.shared_bytes)), bytes_text(kernel.scratch_bytes),
      grid[0], grid[1], grid[2],
      run.compilation.workgroup[0] * run.compilation.workgroup[1] * run.compilation.workgroup[2]);
}

/// "ds_load_b128 v[0:3], v8 offset:16" without the operands.
std::string_view mnemonic(std::string_view instruction) {
  return instruction.substr(0, instruction.find_first_of(" \t"));
}

/// The LDS accesses with one mnemonic that have bank conflicts, or those with one mnemonic that
/// have none.
struct LdsGroup {
  std::string_view mnemonic;
  std::uint64_t instructions = 0, issued = 0, ideal = 0, extra = 0;
};

std::vector<LdsGroup> lds_groups(const emulator::RunReport& report) {
  std::vector<LdsGroup> groups;
  for (const emulator::LdsAccess& access : report.lds) {
    const bool conflicts = access.extra_passes > 0;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const LdsGroup& candidate) {
      return candidate.mnemonic == mnemonic(access.instruction) &&
             (candidate.extra > 0) == conflicts;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), {mnemonic(access.instruction)});
    ++group->instructions;
    group->issued += access.issued;
    group->ideal += access.ideal_passes;
    group->extra += access.extra_passes;
  }
  return groups;
}

std::string lds_text(const MatmulRun& run, int width) {
  const emulator::RunReport& report = run.report;
  if (report.lds.empty())
    return answers::paragraph("LDS", "no LDS instruction was profiled", label_columns, width);
  const auto line = [](auto label, auto instruction, auto count, auto issued, auto passes,
                       auto extra) {
    return fmt::format("{:<{}}{:<20}{:>8}{:>9}{:>9}{:>14}\n", label, label_columns, instruction,
                       count, issued, passes, extra);
  };
  std::string text = line("LDS", "instruction", "in code", "accesses", "passes", "extra passes");
  for (const LdsGroup& group : lds_groups(report))
    text += line("", group.mnemonic, group.instructions, group.issued, group.ideal + group.extra,
                 group.extra);
  const memory::BankModel model = memory::bank_model(run.compilation.target);
  return text +
         answers::paragraph(
             "",
             formatted("{} of {} workgroups counted; banks by {}, {} for {}",
                       report.profiled_workgroups, report.workgroups,
                       model.phases(memory::AccessKind::load, 16).source,
                       memory::name(model.evidence(memory::AccessKind::load, 16)), model.name),
             label_columns, width);
}

std::string global_text(const MatmulRun& run) {
  const std::uint64_t read = compulsory_bytes(run, false);
  const std::uint64_t written = compulsory_bytes(run, true);
  return formatted(
      "lanes read {} ({:.2f} times the operands' {}), wrote {} ({:.2f} times the result's {})",
      bytes_text(run.report.global_bytes_read), share(run.report.global_bytes_read, read),
      bytes_text(read), bytes_text(run.report.global_bytes_written),
      share(run.report.global_bytes_written, written), bytes_text(written));
}

// A line for each result. The last line also says which operands were used.
std::string results_text(const MatmulRun& run, int width) {
  std::vector<std::string> lines = verdicts(run);
  lines.back() += formatted("; operands {}, seed {}", run.inputs, run.seed);
  for (std::size_t i = 0; i < run.given.size(); ++i)
    lines.back() += (i == 0 ? ", but " : ", ") + run.given[i];
  std::string text;
  for (const std::string& one : lines)
    text += answers::paragraph(text.empty() ? "result" : "", one, label_columns, width);
  return text;
}

std::string time_text(const MatmulRun& run) {
  const double per_second =
      static_cast<double>(run.report.instructions) / std::max(run.seconds.run, 1e-9);
  return formatted(
      "compiled in {:.0f} ms, decoded in {:.1f} ms, emulated in {:.1f} ms ({:.1f} million "
      "instructions a second, {} thread{}, {}), checked in {:.1f} ms",
      1e3 * run.seconds.compile, 1e3 * run.seconds.decode, 1e3 * run.seconds.run, per_second / 1e6,
      run.report.threads, run.report.threads == 1 ? "" : "s", run.report.simd,
      1e3 * run.seconds.check);
}

/// True if an epilogue changes more than the type of the sum: a bias, an activation, a scale.
bool computes(const plan::Expression& epilogue) {
  return std::ranges::any_of(epilogue.nodes, [](const plan::Node& node) {
    return node.step != plan::Step::input && node.step != plan::Step::convert &&
           node.step != plan::Step::convert_unsigned;
  });
}

/// A or B as it is multiplied: `f(A)` if it is computed from elements, empty if it is 1. Takes the
/// function's name from the front of `functions`.
std::string factor_text(std::string_view letter, const plan::Expression& producer,
                        std::string_view& functions) {
  if (producer.nodes.size() == 1 && producer.nodes[0].step == plan::Step::constant &&
      producer.nodes[0].constant == 1)
    return "";
  if (!computes(producer)) return std::string(letter);
  const char function = functions.front();
  functions.remove_prefix(1);
  return formatted("{}({})", function, letter);
}

std::string factors_text(const compiler::MatmulRequest& request, std::string_view functions) {
  const std::string a = factor_text("A", request.a_producer, functions);
  const std::string b = factor_text("B", request.b_producer, functions);
  if (a.empty() || b.empty())
    return request.problem.k == 1 ? a + b : formatted("the sum of {}{} along k", a, b);
  return a + " * " + b;
}

std::string formula_text(const compiler::Compilation& compilation) {
  using plan::Step;
  if (const auto& softmax = compilation.request.softmax) {
    const bool is_computed = computes(softmax->epilogue);
    const std::string result = formatted("softmax({}) * V", is_computed ? "f(Q * K^T)" : "Q * K^T");
    return computes(compilation.request.epilogue) ? formatted("D = g({})", result)
                                                  : "D = " + result;
  }
  if (compilation.request.program) return "each element by itself";
  const Step combine = compilation.problem.combine;
  if (combine != Step::add) {
    const bool is_largest = combine == Step::maximum || combine == Step::maximum_number;
    return formatted("D = the {} of A along k", is_largest ? "largest" : "smallest");
  }
  if (std::holds_alternative<plan::ElementwisePlan>(compilation.plan))
    return "each element of D by itself, of A";
  const bool has_epilogue = computes(compilation.request.epilogue);
  const std::string product = factors_text(compilation.request, has_epilogue ? "gh" : "fg");
  const std::string sum = !compilation.constant ? "C + " + product
                          : *compilation.constant == 0
                              ? product
                              : formatted("{} + {}", *compilation.constant, product);
  return has_epilogue ? formatted("D = f({})", sum) : "D = " + sum;
}

llvm::json::Object bank_model_json(instruction::Target target) {
  const memory::BankModel model = memory::bank_model(target);
  return llvm::json::Object{
      {"banks", model.banks()},
      {"bank_bytes", model.bank_bytes},
      {"evidence", llvm::StringRef(memory::name(model.evidence(memory::AccessKind::load, 16)))},
      {"source", llvm::StringRef(model.phases(memory::AccessKind::load, 16).source)}};
}

constexpr std::string_view poisoned =
    "poison, such as a float that is beyond the integer that it becomes, or a shift by all bits: "
    "MLIR says nothing about their value, and any is right";

std::string all_poison(const runtime::MatmulCheck& check) {
  return formatted("{} are {}", answers::all_elements(check.elements), poisoned);
}

std::string poison_text(const runtime::MatmulCheck& check) {
  return check.poison == 0 ? "" : formatted("; {} of them are {}", check.poison, poisoned);
}

// The line about the parts of the largest error, if the run was asked for it.
std::string error_text(const MatmulRun& run, int width) {
  if (!run.error) return "";
  const ErrorParts& error = *run.error;
  return answers::paragraph(
      "error",
      formatted("the largest, {:.3g} at row {}, column {}: {:.3g} is of the sums of {} products "
                "by {}, {:.3g} of what the kernel does with them",
                std::abs(error.value - error.exact), error.row, error.column,
                error.of_instruction(), error.part_k, error.instruction.name, error.of_kernel()),
      label_columns, width);
}

llvm::json::Value error_json(const MatmulRun& run) {
  if (!run.error) return nullptr;
  const ErrorParts& error = *run.error;
  return llvm::json::Object{{"row", error.row},
                            {"column", error.column},
                            {"value", number_json(error.value)},
                            {"exact", number_json(error.exact)},
                            {"by_instruction", number_json(error.by_instruction)},
                            {"of_instruction", number_json(error.of_instruction())},
                            {"of_kernel", number_json(error.of_kernel())},
                            {"instruction", llvm::StringRef(error.instruction.name)},
                            {"products", error.part_k}};
}

// The report of a kernel for NVIDIA. It has no registers, because the kernel is PTX, and the driver
// or the simulator makes the machine code.
std::string nvidia_text(const MatmulRun& run, int width) {
  const auto line = [&](std::string_view label, const std::string& words) {
    return answers::paragraph(label, words, label_columns, width);
  };
  const compiler::Compilation& compilation = run.compilation;
  const auto grid = plan::blocks(compilation.grid, run.problem);
  const instruction::ProcessorRow& target = instruction::processor(compilation.target);
  return line("matmul", product_text(run) + "  " + run.file) +
         line("target", formatted("{} ({}); {}", target.name, target.product,
                                  run.on_hardware ? "run on " + run.device
                                                  : run.device + ": no GPU was used")) +
         plan_text(compilation, PlanDetail::first_reason, width) +
         line("kernel",
              formatted(
                  "{}{} of {} threads, {} bytes of shared memory, {} bytes of PTX",
                  run.is_variant ? formatted("{}, for launches in which {}; ",
                                             compilation.kernel_name, launches_text(compilation))
                                 : "",
                  answers::counted(grid[0] * grid[1] * grid[2], "block"), compilation.workgroup[0],
                  compilation.dynamic_shared_bytes, compilation.object.size())) +
         findings_text(run, width) + results_text(run, width) + error_text(run, width) +
         line("time", formatted("compiled in {:.0f} ms, {} in {:.3f} ms, checked in {:.1f} ms",
                                run.seconds.compile * 1e3, run.on_hardware ? "run" : "simulated",
                                run.seconds.run * 1e3, run.seconds.check * 1e3));
}

}  // namespace

std::string verdict_text(const runtime::MatmulCheck& check) {
  const std::int64_t judged = check.elements - check.poison;
  if (check.is_not_judged())
    return "NOT JUDGED: " + (judged == 0
                                 ? all_poison(check)
                                 : why_not_judged(check, check.elements) + poison_text(check));
  if (check.right() && check.exact == judged && check.not_finite == 0)
    return formatted("RIGHT: {} against float64, to the last bit{}",
                     answers::all_elements(check.elements), poison_text(check));
  if (check.right())
    return formatted("RIGHT: {} against float64{}{}{}", judged_elements(check, check.elements),
                     how_near(check, judged), few_not_judged(check, check.elements),
                     poison_text(check));
  return formatted(
      "WRONG: {} of {} elements; worst at row {}, column {}: {:.9g}, float64 says {:.9g} and "
      "{:.3g} is allowed",
      check.wrong, check.elements, check.worst_row, check.worst_column, check.worst_value,
      check.worst_reference, check.worst_allowed);
}

std::vector<std::string> verdicts(const MatmulRun& run) {
  std::vector<std::string> all{verdict_text(run.check)};
  for (const runtime::MatmulCheck& check : run.further) all.push_back(verdict_text(check));
  for (std::size_t i = 0; i < std::min(all.size(), run.results.size()); ++i)
    all[i] = run.results[i] + ": " + all[i];
  return all;
}

std::string findings_text(const MatmulRun& run, int width) {
  if (!run.checked) return "";
  std::string text =
      answers::paragraph("findings", found_text(run.report.findings.size(), run.report.unchecked),
                         label_columns, width);
  for (const emulator::Finding& finding : run.report.findings)
    text += finding.text(run.compilation.kernel_name);
  return text;
}

std::string product_text(const MatmulRun& run) {
  if (run.compilation.request.program) return problem_text(run.problem, run.compilation.request);
  return formatted("{}, {}", problem_text(static_sizes(run.problem), run.compilation.request),
                   formula_text(run.compilation));
}

llvm::json::Object result_json(const MatmulRun& run, const runtime::MatmulCheck& check,
                               const std::string& array) {
  return llvm::json::Object{
      {"array", array},
      {"expectation", formula_text(run.compilation)},
      {"line", nullptr},
      {"right", verdict_json(check.right(), check.is_not_judged())},
      {"elements", check.elements},
      {"wrong", check.wrong},
      {"unjudged", check.is_not_judged() && check.unjudged == 0 ? check.poison : check.unjudged},
      {"unwritten", nullptr},  // an element that was not written is wrong
      {"exact", check.exact},
      {"not_finite", check.not_finite},
      {"largest_error", number_json(check.largest_error)},
      {"worst", llvm::json::Object{{"row", check.worst_row},
                                   {"column", check.worst_column},
                                   {"value", number_json(check.worst_value)},
                                   {"reference", number_json(check.worst_reference)},
                                   {"allowed", number_json(check.worst_allowed)}}},
      {"note", check.is_not_judged() || check.poison > 0 ? verdict_text(check) : ""},
      {"explanations", llvm::json::Array{}}};
}

std::string run_text(const MatmulRun& run, int width) {
  const instruction::ProcessorRow& target = instruction::processor(run.compilation.target);
  if (instruction::is_nvidia(target.family)) return nvidia_text(run, width);
  const auto* plan = std::get_if<plan::MatmulPlan>(&run.compilation.plan);
  const auto line = [&](std::string_view label, const std::string& words) {
    return answers::paragraph(label, words, label_columns, width);
  };
  return line("matmul", product_text(run) + "  " + run.file) +
         line("target",
              formatted("{} ({}), emulated: no GPU was used", target.name, target.product)) +
         plan_text(run.compilation, PlanDetail::first_reason, width) +
         (plan == nullptr ? "" : line("operands", fragments_text(*plan))) +
         line("kernel", kernel_text(run)) + line("executed", mix_text(run.report, false)) +
         lds_text(run, width) + line("global memory", global_text(run)) +
         findings_text(run, width) + results_text(run, width) + error_text(run, width) +
         line("time", time_text(run));
}

llvm::json::Object run_json(const MatmulRun& run) {
  const bool is_amd =
      !instruction::is_nvidia(instruction::processor(run.compilation.target).family);
  llvm::json::Object report = run_report_json("matmul");
  report["file"] = run.file;
  report["kernel"] = run.compilation.kernel_name;
  report["symbol"] = run.compilation.kernel_name;
  report["target"] = llvm::StringRef(instruction::name(run.compilation.target));
  report["executed_on"] = run.on_hardware ? run.device : "emulator";
  report["device"] = run.device;
  report["hardware"] = run.on_hardware;
  report["right"] = verdict_json(run.right(), run.is_not_judged());
  report["checked"] = run.checked;
  llvm::json::Array findings;
  for (const emulator::Finding& finding : run.report.findings)
    findings.push_back(finding_json(finding, instruction::name(run.compilation.target)));
  report["findings"] = std::move(findings);
  report["grid"] = sizes_json(plan::blocks(run.compilation.grid, run.problem));
  report["block"] = sizes_json(run.compilation.workgroup);
  report["results"] = llvm::json::Array{result_json(run, run.check, "D")};
  report["error"] = error_json(run);
  report["seconds"] = llvm::json::Object{{"compile", run.seconds.compile},
                                         {"decode", run.seconds.decode},
                                         {"run", run.seconds.run},
                                         {"check", run.seconds.check}};
  report["seed"] = run.seed;
  report["inputs"] = run.inputs;
  report["given"] = llvm::json::Array(run.given);
  report["dumped"] = llvm::json::Array(run.dumped);
  report["plan"] = plan_json(run.compilation);
  report["operand_bytes"] = compulsory_bytes(run, false);
  report["result_bytes"] = compulsory_bytes(run, true);
  if (is_amd) {
    report["resources"] = resources_json(run.kernel, run.compilation.dynamic_shared_bytes);
    report["bank_model"] = bank_model_json(run.compilation.target);
  }
  if (!run.on_hardware)
    report["emulated"] = emulated_json(run.report, instruction::name(run.compilation.target));
  return report;
}

}  // namespace heddle::tool
