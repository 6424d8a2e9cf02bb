#include "tools/heddle/compile/tune.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "answers/text/input_file.h"
#include "answers/text/json_text.h"
#include "compiler/launch.h"
#include "library/text/formatted.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"
#include "runtime/device/device.h"
#include "runtime/files/files.h"
#include "tools/heddle/compile/run_memory.h"
#include "tools/heddle/reports/report_json.h"
#include "tools/heddle/run/progress.h"

namespace heddle::tool {
namespace {

// The most plans that are tried; each takes about a second. In the order that the planner
// estimates, the fastest plan is among these.
constexpr std::size_t most_tried = 16;
// A round repeats the launch for this many seconds. The median of the rounds counts.
constexpr double round_seconds = 2e-3;
constexpr int most_launches = 200, rounds = 3;
// A smaller gain may be noise between two measurements of the same kernel.
constexpr double least_gain = 1.02;
constexpr int deepest = 64;  // open brackets in a file of plans

llvm::json::Object plan_object(const compiler::PlanFields& fields) {
  return *llvm::cantFail(llvm::json::parse(compiler::plan_file_text(fields))).getAsObject();
}

// The file of plans that were found before: {"schema": …, "plans": [{"key": …, "plan": …}, …]}.
class KeptPlans {
 public:
  static std::expected<KeptPlans, std::string> read(const std::string& file) {
    KeptPlans kept;
    const auto refused = [&] {
      return std::unexpected(
          file +
          " is no file of tuned plans; accepted: one that --tune wrote, an empty "
          "one, or a name that no file has yet");
    };
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return kept;
    if (!std::filesystem::is_regular_file(file, error)) return refused();
    const auto text = answers::read_file(file);
    if (!text) return std::unexpected(text.error());
    if (text->empty()) return kept;
    // LLVM's parser recurses for each open bracket; a real plan has few.
    int open = 0;
    for (const char c : *text) {
      if (c == '[' || c == '{') ++open;
      if (c == ']' || c == '}') --open;
      if (open > deepest) return refused();
    }
    auto json = llvm::json::parse(*text);
    if (!json) {
      llvm::consumeError(json.takeError());
      return refused();
    }
    const llvm::json::Object* object = json->getAsObject();
    const llvm::json::Array* plans = object == nullptr ? nullptr : object->getArray("plans");
    if (plans == nullptr) return refused();
    for (const llvm::json::Value& plan : *plans) {
      const llvm::json::Object* one = plan.getAsObject();
      if (one == nullptr || !one->getString("key") || one->getObject("plan") == nullptr)
        return refused();
    }
    kept.plans_ = *plans;
    return kept;
  }

  const llvm::json::Object* find(const std::string& key) const {
    for (const llvm::json::Value& plan : plans_)
      if (plan.getAsObject()->getString("key") == key) return plan.getAsObject();
    return nullptr;
  }

  std::expected<void, std::string> add(const std::string& file, llvm::json::Object plan) {
    plans_.push_back(std::move(plan));
    llvm::json::Object all;
    all["schema"] = answers::json_schema;
    all["plans"] = llvm::json::Array(plans_);
    return runtime::write_file(file, json_text(std::move(all)), runtime::Existing::is_updated);
  }

 private:
  llvm::json::Array plans_;
};

// The number of the only kernel that has plans to choose from. Errors: several have, or none has.
std::expected<std::size_t, std::string> tuned_part(const compiler::SequenceCompilation& all,
                                                   const std::string& file) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    if (all.kernels[i].request.program ||
        std::holds_alternative<plan::ElementwisePlan>(all.kernels[i].plan))
      continue;
    if (found)
      return std::unexpected(file +
                             " has several products; accepted with --tune: one, since each "
                             "has a plan of its own");
    found = i;
  }
  if (!found || compiler::likely_plans(all.kernels[*found], 1).empty())
    return std::unexpected(
        "--tune chooses among plans of kernels for NVIDIA, and this is another kernel; accepted: "
        "a product for sm_80 and later");
  if (all.kernels[*found].problem.dynamic != 0)
    return std::unexpected(
        file + " has sizes that only a launch knows; accepted with --tune: those to be tuned for");
  return *found;
}

// Measures the seconds that a kernel takes on these buffers.
std::expected<double, std::string> seconds_of(runtime::Module& module,
                                              const compiler::Compilation& kernel,
                                              const plan::Problem& problem, Buffers& buffers) {
  std::vector<double> seconds;
  int times = 1;
  // Launch 0 measures how long a launch takes, launch 1 warms up, and later launches are rounds.
  for (int i = 0; i <= rounds + 1; ++i) {
    emulator::Launch launch;
    compiler::bind_launch(kernel, problem, buffers, launch);
    module.repeat(times);
    const auto report = module.launch(launch);
    if (!report) return std::unexpected(report.error().message);
    if (i == 0)
      times = static_cast<int>(
          std::clamp(round_seconds / std::max(report->seconds, 1e-6), 1.0, double{most_launches}));
    if (i > 1) seconds.push_back(report->seconds);
  }
  std::ranges::nth_element(seconds, seconds.begin() + rounds / 2);
  return seconds[rounds / 2];
}

// The operands of each kernel. They are drawn only once, for all plans that have the same buffers.
using Operands = std::vector<Buffers>;

bool fits(const Operands& operands, const compiler::SequenceCompilation& all) {
  if (operands.size() != all.kernels.size()) return false;
  for (std::size_t part = 0; part < operands.size(); ++part) {
    const Buffers& buffers = operands[part];
    const std::vector<compiler::Parameter>& parameters = all.kernels[part].parameters;
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (i >= parameters.size() || parameters[i].bytes != buffers[i].size()) return false;
  }
  return true;
}

std::expected<Operands, std::string> drawn(const CompileArguments& arguments,
                                           const std::string& text,
                                           const compiler::SequenceCompilation& all) {
  RunArguments run;
  run.file = arguments.file;
  run.target = arguments.target;
  const auto arrays = RunArrays::read(run, named_arrays(all.sequence, text));
  if (!arrays) return std::unexpected(arrays.error());
  RunMemory memory(all.sequence, run, *arrays, {.is_emulated = false});  // on a GPU
  Operands operands;
  for (std::size_t part = 0; part < all.kernels.size(); ++part) {
    if (const auto problem = memory.prepare(part); !problem)
      return std::unexpected(problem.error().message);
    operands.push_back(memory.take(part));
    memory.give_back(part, operands.back());
  }
  return operands;
}

// Measures the seconds of all kernels of the text with this plan. Nothing if the plan is
// impossible.
std::expected<std::optional<double>, std::string> measured(const CompileArguments& arguments,
                                                           const std::string& text,
                                                           const compiler::Options& options,
                                                           runtime::Device& device,
                                                           Operands& operands) {
  const auto all =
      compiler::compile_sequence(text, arguments.file, options, compiler::Stage::object);
  if (!all) return std::nullopt;
  if (!fits(operands, *all)) {
    auto made = drawn(arguments, text, *all);
    if (!made) return std::unexpected(made.error());
    operands = *std::move(made);
  }
  const auto module = device.load(std::as_bytes(std::span(all->object)));
  if (!module) return std::unexpected(module.error().message);
  double sum = 0;
  for (std::size_t part = 0; part < all->kernels.size(); ++part) {
    const compiler::Compilation& kernel = all->kernels[part];
    Buffers& buffers = operands[part];
    const std::size_t count = buffers.size();
    const compiler::Parameter& last = kernel.parameters.back();
    if (last.role == compiler::Role::workspace) buffers.emplace_back(last.bytes);
    const auto seconds = seconds_of(**module, kernel, kernel.problem, buffers);
    buffers.resize(count);
    if (!seconds) return std::unexpected(seconds.error());
    sum += *seconds;
  }
  return sum;
}

std::expected<compiler::PlanFields, std::string> fields_of(const llvm::json::Object& plan,
                                                           const std::string& file) {
  const auto read = compiler::read_plan_file(json_text(llvm::json::Object(plan)), file);
  if (!read) return std::unexpected(read.error());
  return read->fields;
}

}  // namespace

std::expected<TunedPlan, std::string> tuned_plan(const CompileArguments& arguments,
                                                 const std::string& text,
                                                 const compiler::Options& options) {
  if (!arguments.plan.empty())
    return std::unexpected("--tune chooses what --plan decides; accepted: one of them");
  if (arguments.tune == arguments.output)
    return std::unexpected("--tune and --output are one file, " + arguments.tune +
                           "; accepted: two names");
  auto kept = KeptPlans::read(arguments.tune);
  if (!kept) return std::unexpected(kept.error());
  const auto first =
      compiler::compile_sequence(text, arguments.file, options, compiler::Stage::plan);
  if (!first) return std::unexpected(first.error());
  const auto part = tuned_part(*first, arguments.file);
  if (!part) return std::unexpected(part.error());
  const auto device = runtime::Device::open("cuda");
  if (!device) {
    const std::string& said = device.error().message;
    return std::unexpected(
        "--tune measures on a GPU, and there is none: " + said.substr(0, said.find("; --device")) +
        "; --plan takes a plan that was found elsewhere");
  }
  const std::string gpu = (*device)->description();
  const std::string key = formatted("{} {} f32={} f8={} {:016x}", gpu, arguments.target,
                                    arguments.f32, arguments.f8, llvm::xxh3_64bits(text));
  if (const llvm::json::Object* found = kept->find(key)) {
    const auto fields = fields_of(*found->getObject("plan"), arguments.tune);
    if (!fields) return std::unexpected(fields.error());
    return TunedPlan{*fields, {"tuned", "kept", "measured before: " + arguments.tune}};
  }
  std::vector<compiler::PlanFields> plans{{}};  // first the planner's own
  std::ranges::copy(compiler::likely_plans(first->kernels[*part], most_tried),
                    std::back_inserter(plans));
  const Progress progress;
  Operands operands;
  std::vector<double> seconds;
  std::size_t fastest = 0, tried = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    progress.show(formatted("tuning: plan {} of {}", i + 1, plans.size()));
    compiler::Options with_plan = options;
    with_plan.plan = plans[i];
    const auto time = measured(arguments, text, with_plan, **device, operands);
    if (!time) return std::unexpected(time.error());
    seconds.push_back(time->value_or(std::numeric_limits<double>::infinity()));
    if (*time) ++tried;
    if (seconds[i] < seconds[fastest]) fastest = i;
  }
  if (seconds[0] / seconds[fastest] < least_gain) fastest = 0;
  const double ratio = seconds[0] / seconds[fastest];
  llvm::json::Object found;
  found["key"] = key;
  found["gpu"] = gpu;
  found["target"] = arguments.target;
  found["file"] = arguments.file;
  found["plan"] = plan_object(plans[fastest]);
  found["microseconds"] = 1e6 * seconds[fastest];
  found["planned_microseconds"] = 1e6 * seconds[0];
  found["tried"] = static_cast<std::int64_t>(tried);
  const auto done = kept->add(arguments.tune, std::move(found));
  if (!done) return std::unexpected(done.error());
  return TunedPlan{
      plans[fastest],
      {"tuned",
       fastest == 0 ? std::string("the planner's own") : formatted("{:.3g} times as fast", ratio),
       formatted("the fastest of {} on {}: {:.4g} us, {:.4g} us with the planner's; "
                 "kept in {}",
                 tried, gpu, 1e6 * seconds[fastest], 1e6 * seconds[0], arguments.tune)}};
}

}  // namespace heddle::tool
