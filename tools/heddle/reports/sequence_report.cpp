#include "tools/heddle/reports/sequence_report.h"

#include "answers/text/paragraph.h"
#include "compiler/request/actual_product.h"
#include "library/text/formatted.h"
#include "tools/heddle/reports/launch_json.h"
#include "tools/heddle/reports/plan_report.h"
#include "tools/heddle/reports/report_json.h"
#include "tools/heddle/reports/report_text.h"

namespace heddle::tool {
namespace {

using compiler::ProductSequence;
using compiler::SequenceBuffer;

constexpr std::array<const char*, 4> kind_names{"argument", "result", "intermediate", "constant"};

using Names = std::vector<std::string>;  // of each buffer

const char* kind_name(const SequenceBuffer& buffer) {
  return kind_names[static_cast<std::size_t>(buffer.kind)];
}

bool is_static(const compiler::BufferRecord& buffer) {
  return std::ranges::all_of(buffer.shape, [](std::int64_t size) { return size >= 0; }) &&
         std::ranges::count(buffer.strides, compiler::told_stride) == 0;
}

std::string array_text(const compiler::BufferRecord& buffer) {
  std::string text;
  for (const std::int64_t size : buffer.shape)
    text += (size < 0 ? "?" : formatted("{}", size)) + "x";
  return text + std::string(instruction::name(buffer.element));
}

/// The buffers that a part writes (D and further results), as their numbers in the sequence.
std::vector<int> written_buffers(const compiler::SequencePart& part) {
  std::vector<int> buffers;
  for (const compiler::MatrixRecord* matrix : compiler::written_matrices(part.request))
    buffers.push_back(part.buffers[static_cast<std::size_t>(matrix->parameter)]);
  return buffers;
}

bool is_written(const ProductSequence& sequence, std::size_t buffer) {
  return std::ranges::any_of(sequence.parts, [&](const compiler::SequencePart& part) {
    return std::ranges::count(written_buffers(part), static_cast<int>(buffer)) != 0;
  });
}

/// The names of the buffers that a kernel reads, then an arrow, then the names of the buffers that
/// it writes.
std::string flow_text(const ProductSequence& sequence, const Names& names, std::size_t part) {
  const compiler::SequencePart& all = sequence.parts[part];
  std::string text;
  for (std::size_t i = 0; i < all.buffers.size(); ++i)
    if (all.request.buffers[i].role != compiler::Role::d)
      text += (text.empty() ? "" : ", ") + names[static_cast<std::size_t>(all.buffers[i])];
  text += " -> ";
  const auto written = written_buffers(all);
  for (std::size_t i = 0; i < written.size(); ++i)
    text += (i == 0 ? "" : ", ") + names[static_cast<std::size_t>(written[i])];
  return text;
}

std::string memory_text(const ProductSequence& sequence, const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < sequence.buffers.size(); ++i) {
    const SequenceBuffer& buffer = sequence.buffers[i];
    if (buffer.kind != SequenceBuffer::Kind::intermediate) continue;
    const compiler::BufferRecord& known = record(sequence, buffer);
    const std::string bytes =
        is_static(known) ? formatted(", {} bytes", compiler::byte_count(known, {})) : "";
    text += formatted("{}{}: {}{}, from kernel {} to kernel {}", text.empty() ? "" : "; ", names[i],
                      array_text(known), bytes, buffer.first, buffer.last);
  }
  return text.empty() ? "nothing between the kernels" : text;
}

}  // namespace

std::vector<std::string> result_names(const ProductSequence& sequence, const Names& names,
                                      std::size_t part) {
  std::vector<std::string> written;
  for (const int buffer : written_buffers(sequence.parts[part]))
    written.push_back(names[static_cast<std::size_t>(buffer)]);
  return written;
}

namespace {

llvm::json::Array results_json(const ProductSequence& sequence) {
  llvm::json::Array results;
  for (const int buffer : sequence.results) results.push_back(buffer);
  return results;
}

/// For each dynamic size of a kernel: the buffer from which a launching program computes it, and
/// the buffer's dimension or stride.
llvm::json::Array sizes_json_of(const compiler::SequencePart& part) {
  llvm::json::Array sizes;
  // Further sizes come before the sizes of loops, because a loop's size may be a product of them.
  for (unsigned number = 0; number < plan::size_count; ++number) {
    const unsigned loop = (number + plan::loop_count) % plan::size_count;
    if (!part.request.problem.is_dynamic(static_cast<plan::Loop>(loop))) continue;
    llvm::json::Object size{{"size", plan::size_names[loop]}};
    for (std::size_t i = 0; i < part.buffers.size() && !size.get("buffer"); ++i) {
      const compiler::BufferRecord& buffer = part.request.buffers[i];
      if (buffer.role == compiler::Role::d && !part.request.in_place) continue;
      for (std::size_t dimension = 0; dimension < buffer.shape.size(); ++dimension) {
        if (buffer.strides[dimension] == compiler::told_stride &&
            static_cast<unsigned>(buffer.told_strides[dimension]) == loop) {
          size["buffer"] = part.buffers[i];
          size["stride_of_dimension"] = dimension;
          break;
        }
        const compiler::DynamicSize& dynamic = buffer.dynamic_sizes[dimension];
        if (buffer.shape[dimension] >= 0 || static_cast<unsigned>(dynamic.loop) != loop) continue;
        size["buffer"] = part.buffers[i];
        size["dimension"] = dimension;
        size["times"] = dynamic.over;
        size["over"] = dynamic.times;
        break;
      }
    }
    if (loop >= plan::loop_count && !size.get("buffer")) {
      const compiler::FurtherSize& further = part.request.further_sizes[loop - plan::loop_count];
      std::int64_t plus = further.least;
      llvm::json::Array terms;
      for (const compiler::FurtherSize::Term& term : further.window) {
        plus -= term.factor;
        terms.push_back(
            llvm::json::Object{{"size", plan::size_names[static_cast<std::size_t>(term.size.loop)]},
                               {"times", term.factor}});
      }
      if (further.is_exact)
        size["sum"] = llvm::json::Object{{"plus", plus}, {"sizes", std::move(terms)}};
    }
    if (loop < plan::loop_count && part.request.made_of[loop] != 0)
      size["product"] = product_json(part.request, static_cast<plan::Loop>(loop));
    sizes.push_back(std::move(size));
  }
  return sizes;
}

}  // namespace

std::string sequence_text(const compiler::SequenceCompilation& all, const Names& names, int width) {
  const ProductSequence& sequence = all.sequence;
  std::string text =
      answers::paragraph("memory", memory_text(sequence, names), label_columns, width);
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    const compiler::Compilation& kernel = all.kernels[i];
    text += "\n" +
            answers::paragraph(formatted("kernel {}", i),
                               formatted("{}: {}; {}", kernel.kernel_name,
                                         problem_text(kernel.problem, kernel.request),
                                         flow_text(sequence, names, i)),
                               label_columns, width) +
            plan_text(kernel, PlanDetail::all_reasons, width);
  }
  return text;
}

llvm::json::Object sequence_json(const compiler::SequenceCompilation& all, const Names& names) {
  const ProductSequence& sequence = all.sequence;
  llvm::json::Array kernels, buffers;
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    llvm::json::Object kernel = plan_json(all.kernels[i]);
    llvm::json::Array used;
    for (const int buffer : sequence.parts[i].buffers) used.push_back(buffer);
    kernel["buffers"] = std::move(used);
    kernel["sizes"] = sizes_json_of(sequence.parts[i]);
    kernels.push_back(std::move(kernel));
  }
  for (std::size_t i = 0; i < sequence.buffers.size(); ++i) {
    const SequenceBuffer& buffer = sequence.buffers[i];
    const compiler::BufferRecord& known = record(sequence, buffer);
    // The sizes of the buffer, copied from the launch of a kernel that uses it.
    const llvm::json::Object* kernel =
        kernels[static_cast<std::size_t>(buffer.part)].getAsObject()->getObject("launch");
    const llvm::json::Object* array =
        (*kernel->getArray("buffers"))[static_cast<std::size_t>(buffer.buffer)].getAsObject();
    llvm::json::Object object{
        {"name", names[i]},
        {"kind", kind_name(buffer)},
        {"number", buffer.number},
        {"element", llvm::StringRef(instruction::name(known.element))},
        {"kernel", buffer.part},
        {"sizes", *array->get("sizes")},
        {"strides", *array->get("strides")},
        {"offset", *array->get("offset")},
        {"written", is_written(sequence, i)},
        {"bytes", is_static(known) ? llvm::json::Value(compiler::byte_count(known, {})) : nullptr},
        {"first", buffer.first},
        {"last", buffer.last}};
    if (const llvm::json::Value* values = array->get("constant")) object["constant"] = *values;
    buffers.push_back(std::move(object));
  }
  return llvm::json::Object{{"function", sequence.function},
                            {"target", llvm::StringRef(instruction::name(all.kernels[0].target))},
                            {"kernels", std::move(kernels)},
                            {"buffers", std::move(buffers)},
                            {"results", results_json(sequence)}};
}

std::string sequence_run_text(const SequenceRun& run, int width) {
  // A single kernel with several results is reported like a product.
  if (run.kernels.size() == 1) return run_text(run.kernels[0], width);
  const ProductSequence& sequence = run.sequence;
  const MatmulRun& first = run.kernels[0];
  const auto line = [&](std::string_view label, const std::string& words) {
    return answers::paragraph(label, words, label_columns, width);
  };
  const auto& target = instruction::processor(first.compilation.target);
  std::string text =
      line("sequence",
           formatted("{}: {} kernels  {}", sequence.function, run.kernels.size(), run.file)) +
      line("target", formatted("{} ({}); {}", target.name, target.product,
                               first.on_hardware ? "run on " + first.device
                                                 : first.device + ": no GPU was used")) +
      line("memory", memory_text(sequence, run.arrays));
  double seconds = 0, checking = 0;
  std::size_t wrong = run.kernels.size(), unjudged = wrong;
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    const MatmulRun& kernel = run.kernels[i];
    const auto grid = plan::blocks(kernel.compilation.grid, kernel.problem);
    const auto& block = kernel.compilation.workgroup;
    text += line(
        formatted("kernel {}", i),
        formatted("{}: {}; {}; {}x{}x{} workgroups of {} threads", kernel.compilation.kernel_name,
                  product_text(kernel), flow_text(sequence, run.arrays, i), grid[0], grid[1],
                  grid[2], block[0] * block[1] * block[2]));
    for (const std::string& verdict : verdicts(kernel)) text += line("", verdict);
    for (const plan::Choice& choice : kernel.compilation.choices)
      if (choice.what == "attention")
        text += line(choice.what, formatted("{}: {}", choice.value, choice.why));
    text += findings_text(kernel, width);
    if (!kernel.right() && !kernel.is_not_judged()) wrong = std::min(wrong, i);
    if (kernel.is_not_judged()) unjudged = std::min(unjudged, i);
    seconds += kernel.seconds.run;
    checking += kernel.seconds.check;
  }
  std::string operands = formatted("operands {}, seed {}", first.inputs, first.seed);
  for (std::size_t i = 0; i < first.given.size(); ++i)
    operands += (i == 0 ? ", but " : ", ") + first.given[i];
  const std::string verdict =
      wrong == run.kernels.size() && unjudged < wrong
          ? formatted("NOT JUDGED: kernel {}, {}, is the first that is not", unjudged,
                      run.kernels[unjudged].compilation.kernel_name)
      : wrong == run.kernels.size()
          ? formatted("RIGHT: {}, for the arrays that it read",
                      wrong == 1 ? "the kernel" : formatted("each of {} kernels", wrong))
          : formatted("WRONG: kernel {}, {}, is the first that is", wrong,
                      run.kernels[wrong].compilation.kernel_name);
  return text + line("result", verdict + "; " + operands) +
         line("time",
              formatted("compiled in {:.0f} ms, {} in {:.3f} ms, checked in {:.1f} ms",
                        run.seconds_to_compile * 1e3, first.on_hardware ? "run" : "simulated",
                        seconds * 1e3, checking * 1e3));
}

llvm::json::Object sequence_run_json(const SequenceRun& run) {
  const MatmulRun& first = run.kernels[0];
  const ProductSequence& sequence = run.sequence;
  llvm::json::Object report = run_report_json("sequence");
  llvm::json::Array kernels, results, findings, buffers;
  double seconds = 0, checking = 0;
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    const MatmulRun& kernel = run.kernels[i];
    const compiler::SequencePart& part = sequence.parts[i];
    const std::vector<int> written = written_buffers(part);
    for (std::size_t result = 0; result < written.size(); ++result)
      results.push_back(result_json(kernel, result == 0 ? kernel.check : kernel.further[result - 1],
                                    run.arrays[static_cast<std::size_t>(written[result])]));
    for (const emulator::Finding& finding : kernel.report.findings)
      findings.push_back(finding_json(finding, instruction::name(kernel.compilation.target)));
    llvm::json::Object one = run_json(kernel);
    llvm::json::Array used;
    for (const int buffer : part.buffers) used.push_back(buffer);
    one["buffers"] = std::move(used);
    kernels.push_back(std::move(one));
    seconds += kernel.seconds.run;
    checking += kernel.seconds.check;
  }
  for (std::size_t i = 0; i < sequence.buffers.size(); ++i)
    buffers.push_back(llvm::json::Object{{"kind", kind_name(sequence.buffers[i])},
                                         {"number", sequence.buffers[i].number},
                                         {"name", run.arrays[i]}});
  report["file"] = run.file;
  report["kernel"] = sequence.function;
  report["target"] = llvm::StringRef(instruction::name(first.compilation.target));
  report["executed_on"] = first.on_hardware ? first.device : "emulator";
  report["device"] = first.device;
  report["hardware"] = first.on_hardware;
  report["right"] = verdict_json(run.right(), run.is_not_judged());
  report["checked"] = first.checked;
  report["findings"] = std::move(findings);
  report["results"] = std::move(results);
  report["seconds"] = llvm::json::Object{{"compile", run.seconds_to_compile},
                                         {"decode", first.seconds.decode},
                                         {"run", seconds},
                                         {"check", checking}};
  report["seed"] = first.seed;
  report["inputs"] = first.inputs;
  report["given"] = llvm::json::Array(first.given);
  report["dumped"] = llvm::json::Array(first.dumped);
  report["kernels"] = std::move(kernels);
  report["buffers"] = std::move(buffers);
  return report;
}

}  // namespace heddle::tool
