#include "compiler/compile.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/backend.h"
#include "compiler/codegen/guarded.h"
#include "compiler/decisions/block_scales.h"
#include "compiler/decisions/fused_attention.h"
#include "compiler/decisions/prepared_attention.h"
#include "compiler/decisions/prepared_operands.h"
#include "compiler/decisions/slabs.h"
#include "compiler/decisions/special_launches.h"
#include "compiler/description.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/plan/mma_tiles.h"
#include "compiler/plan/warpgroup_planner.h"
#include "compiler/planned_sums.h"
#include "compiler/request/actual_product.h"
#include "compiler/request/operand_form.h"
#include "heddle/instruction/numerics.h"
#include "library/text/formatted.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::compiler {
namespace {

bool some_kind_is_for(instruction::Target target) {
  return std::ranges::any_of(backends(),
                             [&](const Backend& kind) { return kind.has_kernels(target); });
}

/// True if this kind may serve the request. Kinds that compute no product serve only requests
/// without one.
bool serves(const Backend& kind, instruction::Target target, const MatmulRequest& request) {
  return kind.has_kernels(target) && kind.is_for_programs == (request.program != nullptr) &&
         (!kind.is_elementwise || is_elementwise(request)) &&
         kind.is_attention == request.softmax.has_value();
}

std::string instruction_of(const KernelPlan& plan) {
  if (const auto* wgmma = std::get_if<plan::WarpgroupPlan>(&plan))
    return plan::instruction_text(*wgmma);
  if (const auto* attention = std::get_if<plan::AttentionPlan>(&plan))
    return std::string(attention->instruction->name);
  if (const auto* attention = std::get_if<plan::WarpgroupAttentionPlan>(&plan))
    return plan::instruction_text(attention->values);
  const auto* mma = std::get_if<plan::MmaPlan>(&plan);
  return std::string(
      (mma != nullptr ? mma->instruction : std::get<plan::MatmulPlan>(plan).instruction)->name);
}

// True if the plan multiplies with the instruction `name`, which for wgmma may have the letter N in
// place of the number n.
bool is_by(const KernelPlan& plan, const std::string& name) {
  const auto* wgmma = std::get_if<plan::WarpgroupPlan>(&plan);
  return instruction_of(plan) == name || (wgmma != nullptr && plan::wgmma_of(*wgmma).name == name);
}

// An error bound for launches that may take either of two kernels; null if one bound is unknown.
std::optional<instruction::SumError> larger(std::optional<instruction::SumError> a,
                                            const std::optional<instruction::SumError>& b) {
  if (!a || !b) return std::nullopt;
  a->once = std::max(a->once, b->once);
  a->per_product = std::max(a->per_product, b->per_product);
  a->per_group = std::max(a->per_group, b->per_group);
  a->group = std::min(a->group, b->group);
  return a;
}

// Plans the request with kernels of this kind and with the instruction that the options ask for. On
// failure `result` stays unchanged, so that the next kind can be tried.
Done make_plan(const Backend& kind, const MatmulRequest& request, const Options& options,
               Compilation& result) {
  if (auto far = out_of_reach(request, kind.reach)) return std::unexpected(*std::move(far));
  Compilation attempt = result;
  const auto planned = kind.plan(request, options, attempt);
  if (!planned) return planned;
  if (kind.is_for_programs) {
    result = std::move(attempt);
    return {};
  }
  const std::string& asked = options.plan.instruction;
  if (!asked.empty() && !kind.is_elementwise && !is_by(attempt.plan, asked))
    return std::unexpected("the instruction \"" + asked + "\"; accepted: \"" +
                           instruction_of(attempt.plan) + "\"");
  const std::string& copies = options.plan.copies;
  if (!copies.empty() && !std::holds_alternative<plan::MatmulPlan>(attempt.plan))
    return std::unexpected("copies \"" + copies + "\"; accepted: none, but in plans for AMD");
  const std::string& schedule = options.plan.schedule;
  if (!schedule.empty() && !std::holds_alternative<plan::MatmulPlan>(attempt.plan) &&
      !std::holds_alternative<plan::WarpgroupAttentionPlan>(attempt.plan))
    return std::unexpected("the schedule \"" + schedule +
                           "\"; accepted: none, but in plans for AMD");
  const std::string& computes = options.plan.computes;
  if (!computes.empty() && !kind.is_elementwise &&
      !std::holds_alternative<plan::WarpgroupPlan>(attempt.plan))
    return std::unexpected("computes \"" + computes + "\"; accepted: none, but in plans for wgmma");
  result = std::move(attempt);
  return {};
}

// Compiles one product up to its LLVM module: runs the stages in their order, times each, and stops
// after the stage that is asked for.
class ProductPipeline {
 public:
  ProductPipeline(const std::string& file_name, const Options& options, Stage stop_after)
      : file_name_(file_name), options_(options), stop_after_(stop_after) {}

  // Plans with the first kind of kernel that can serve the request. If none can, the error is the
  // one that the last kind gave.
  Done plan_and_generate(const MatmulRequest& request, llvm::LLVMContext& context) {
    describe(result_, request, options_.target);
    Done planned;
    std::string passed_over;  // why kinds that come before this one do not take the request
    for (const Backend& kind : backends()) {
      if (!serves(kind, options_.target, request)) continue;
      timed("plan", [&] { planned = make_plan(kind, request, options_, result_); });
      if (!planned) {
        passed_over += (passed_over.empty() ? "" : "; ") + planned.error();
        continue;
      }
      // The others have one way to sum.
      if (!std::holds_alternative<plan::WarpgroupPlan>(result_.plan) &&
          !std::holds_alternative<plan::WarpgroupAttentionPlan>(result_.plan))
        result_.problem.f8 = result_.request.problem.f8 = plan::F8Sums::exact;
      result_.problem.sums = result_.request.problem.sums =
          sum_error(planned_sums(result_.plan), options_.target);
      if (!passed_over.empty())
        result_.choices.insert(result_.choices.begin(), {"kernel", "second choice", passed_over});
      if (request.constant_is_any)
        result_.choices.push_back({"initial value", "0", "nothing wrote it: any is as right"});
      if (stop_after_ == Stage::plan) return {};
      const Done done = generate(request, context);
      if (!done) return std::unexpected(internal_error(file_name_, done.error()));
      return {};
    }
    return std::unexpected(plan_refusal(request, planned.error()));
  }

  Compilation take_result() { return std::move(result_); }
  /// The LLVM module; null if the compilation stops before there is one.
  std::unique_ptr<llvm::Module> take_module() { return std::move(module_); }

 private:
  // Tries to plan with this kind of kernel and the decisions `fields`. Returns only whether that
  // succeeds, or the error.
  Done plan_with(const PlanFields& fields, const Backend& kind,
                 const MatmulRequest& request) const {
    Options options = options_;
    options.plan = fields;
    Compilation unused;
    describe(unused, request, options_.target);
    return make_plan(kind, request, options, unused);
  }

  // The message that there is no plan, with the place and the reason. If there is a plan without
  // the user's decisions, the reason is about the first decision that prevents a plan.
  std::string plan_refusal(const MatmulRequest& request, const std::string& said_last) const {
    std::vector<const Backend*> kinds;
    for (const Backend& kind : backends())
      if (serves(kind, options_.target, request) && plan_with({}, kind, request))
        kinds.push_back(&kind);
    const std::string file = file_name_ + ":";
    if (kinds.empty())
      return formatted("{}{}:{}: error: {}\n", file, request.place.line, request.place.column,
                       said_last);
    const auto has_fields = [&](const Backend* kind) { return kind->has_fields(options_.plan); };
    const auto found = std::ranges::find_if(kinds, has_fields);
    const Backend& kind = found == kinds.end() ? *kinds.front() : **found;
    const auto is_at_fault = [&](const PlanPlace& place) {
      return plan_with(without(options_.plan, place.field), kind, request).has_value();
    };
    const auto& places = options_.plan_places;
    auto fault = std::ranges::find_if(places, is_at_fault);
    if (fault == places.end()) fault = places.begin();
    const std::string place = places.empty() ? file + "1:1" : fault->place;
    return place + ": error: " + plan_with(options_.plan, kind, request).error() + "\n";
  }

  Done generate(const MatmulRequest& request, llvm::LLVMContext& context) {
    std::unique_ptr<KernelModule> kernel;
    std::string errors;
    bool valid = false;
    timed("build", [&] {
      kernel = kernel_of(request);
      valid = kernel->tidy(errors);
    });
    if (!valid) return std::unexpected(errors);
    if (stop_after_ == Stage::mlir) {
      result_.text = kernel->text();
      return {};
    }
    timed("lower", [&] { module_ = kernel->lower(context, errors); });
    if (!module_) return std::unexpected(errors);
    const auto machine = target_machine(options_.target);
    if (!machine) return std::unexpected(machine.error());
    Done optimised;
    timed("optimise", [&] {
      optimised = optimise(*module_, **machine, static_cast<int>(result_.workgroup[0]));
    });
    return optimised;
  }

  std::unique_ptr<KernelModule> kernel_of(const MatmulRequest& request) const {
    return std::visit(
        [&](const auto& plan) -> std::unique_ptr<KernelModule> {
          if constexpr (requires { product_kernel(request, plan); })
            return product_kernel(request, plan);
          return nullptr;
        },
        result_.plan);
  }

  void timed(const char* step, llvm::function_ref<void()> work) {
    compiler::timed(result_.timings, step, work);
  }

  const std::string& file_name_;
  const Options& options_;
  Stage stop_after_;
  Compilation result_;
  std::unique_ptr<llvm::Module> module_;
};

// Compiles all products of a text: reads it, compiles each to LLVM IR, and writes their code.
class Pipeline {
 public:
  Pipeline(std::string_view file_name, const Options& options, Stage stop_after)
      : file_name_(file_name), options_(options), stop_after_(stop_after) {}

  std::expected<SequenceCompilation, std::string> run(std::string_view text) {
    if (!some_kind_is_for(options_.target)) return std::unexpected(no_kernels());
    const bool has_places = text.contains("linalg.index") || text.contains("linalg_ext.index");
    if (!has_places || !is_read_with_places(text))
      if (Done done = read(text, Formulas::without_places); !done)
        return std::unexpected(std::move(done).error());
    Done done;
    const Done survived = guarded("the compilation", [&] { done = compile_products(); });
    if (!survived) done = std::unexpected(internal_error(file_name_, survived.error()));
    if (!done) return std::unexpected(done.error());
    return std::move(result_);
  }

 private:
  std::string no_kernels() const {
    return "error: no kernels for the target " + std::string(instruction::name(options_.target)) +
           "; accepted: " + names_of_targets() + "\n";
  }

  // Reads the text with places in formulas: numbers of rows and columns (linalg.index), with which
  // only attention kernels can compute. False if another part needs places.
  bool is_read_with_places(std::string_view text) {
    const Done done = read(text, Formulas::with_places);
    const bool is_read = done && guarded("the compilation", [&] { fuse_attention(); }) &&
                         std::ranges::all_of(result_.sequence.parts, [](const SequencePart& part) {
                           return part.request.places.empty();
                         });
    if (is_read) return true;
    result_ = {};
    if (!done) refused_with_places_ = done.error().substr(0, done.error().find('\n'));
    why_not_with_places_ = std::exchange(why_not_fused_, {});
    return false;
  }

  // Reads the products of the text. MLIR's parser crashes on some texts; they are no matmuls, and
  // are refused like other wrong texts.
  Done read(std::string_view text, Formulas formulas) {
    std::optional<ProductSequence> sequence;
    std::string errors;
    const auto survived = guarded("reading the text", [&] {
      timed(result_.timings, "read", [&] {
        sequence = read_products(text, file_name_, options_.function, formulas, errors);
      });
    });
    if (!survived) {
      errors = file_name_ + ":1:1: error: " + survived.error() +
               "; accepted: one func.func of products, as in examples/matmul.mlir\n";
    }
    if (!sequence || !survived) return std::unexpected(errors);
    result_.sequence = *std::move(sequence);
    for (SequencePart& part : result_.sequence.parts) {
      if (part.request.program) continue;
      if (part.request.problem.combine == Step::add) {
        // With k = 1 the sum may be a copy, which must keep all bits (request/own_kernel.h).
        if (part.request.problem.k != 1 || part.request.problem.is_dynamic(plan::Loop::k))
          part.request.problem.f32 = options_.f32;
        part.request.problem.f8 = options_.f8;
      }
      find_block_scales(part.request, options_.target);
      widen_factors(part.request, options_.target);
      part.request.problem.flushes_subnormals =
          part.request.problem.combine == Step::add &&
          instruction::flushes_subnormals(instruction::processor(options_.target).family,
                                          part.request.problem.input);
      if (const auto refusal = why_not(part.request, options_.target))
        return std::unexpected(refused(*refusal));
    }
    return {};
  }

  Done compile_products() {
    fuse_attention();
    // Without places, scores are another kernel's; the first reading of the text has the reason.
    if (why_not_with_places_.size() == why_not_fused_.size())
      for (std::size_t i = 0; i < why_not_fused_.size(); ++i)
        why_not_fused_[i].second = why_not_with_places_[i].second;
    for (const SequenceBuffer& buffer : result_.sequence.buffers)
      if (buffer.too_large) return std::unexpected(refused(*buffer.too_large));
    if (options_.prepare != Prepare::never) prepare_operands();
    for (SequencePart& part : result_.sequence.parts) {
      cut_into_slabs(part.request, options_.target);
      auto kernel = compile_product(part.request);
      if (!kernel) return std::unexpected(std::move(kernel).error());
      part.request.problem = kernel->problem;
      for (const Backend& kind : backends())
        if (serves(kind, options_.target, part.request) && part.request.problem.dynamic != 0 &&
            !kind.is_for_programs)
          if (Done done = add_variants(part.request, kind, *kernel); !done) return done;
      for (const Compilation& variant : kernel->variants)
        kernel->problem.sums = larger(kernel->problem.sums, variant.problem.sums);
      part.request.problem.sums = kernel->problem.sums;
      part.request.softmax = kernel->request.softmax;
      part.request.buffers = kernel->request.buffers;
      for (const auto& [product, why] : why_not_fused_)
        if (product == part.request.function)
          kernel->choices.push_back(
              {"attention", "scores in memory", why_unfused(why, refused_with_places_)});
      if (result_.sequence.prints > 0 && result_.kernels.empty())
        kernel->choices.push_back({"prints", formatted("{} left out", result_.sequence.prints),
                                   "vector.print: kernels print nothing"});
      result_.kernels.push_back(*std::move(kernel));
    }
    if (!all_) return {};
    auto code = write_code(*all_, options_.target, stop_after_, result_.timings);
    if (!code) return std::unexpected(internal_error(file_name_, code.error()));
    result_.text = std::move(code->text);
    result_.object = std::move(code->object);
    return {};
  }

  std::string refused(const Refusal& refusal) const {
    return formatted("{}:{}:{}: error: {}; accepted: {}\n", file_name_, refusal.place.line,
                     refusal.place.column, refusal.found, refusal.accepted);
  }

  // Makes one kernel of each attention that a kind of kernel can serve. If it cannot read Q, K or V
  // as they lie in memory, other kernels first write them in another order.
  void fuse_attention() {
    ProductSequence& sequence = result_.sequence;
    why_not_fused_.clear();
    for (std::size_t i = 0; i < sequence.parts.size(); ++i) {
      auto done = fused(sequence, i);
      if (!done) continue;
      if (!*done)
        if (auto prepared = with_prepared_attention(sequence, i))
          if (auto other = fused(prepared->sequence, prepared->product); other && *other)
            done = std::move(other);
      if (*done) {
        i = (*done)->second;
        sequence = std::move((*done)->first);
      } else {
        why_not_fused_.emplace_back(sequence.parts[i].request.function, done->error());
      }
    }
  }

  // Fuses part `product` with the parts that compute its softmax. Returns the new sequence and the
  // fused part's number in it. Null if there is no softmax. Error: why it cannot be fused.
  std::optional<std::expected<std::pair<ProductSequence, std::size_t>, std::string>> fused(
      const ProductSequence& sequence, std::size_t product) const {
    auto made = with_fused_attention(sequence, product);
    if (!made) return std::nullopt;
    if (!*made) return std::unexpected(std::move(*made).error());
    const std::size_t at = product - (sequence.parts.size() - (*made)->parts.size());
    const MatmulRequest& request = (*made)->parts[at].request;
    if (!options_.fuses_attention) return std::unexpected(std::string("as --unfused asks"));
    Done planned =
        std::unexpected(formatted("no such kernels for {}", instruction::name(options_.target)));
    // Without the user's decisions: the fused kernel's planner refuses them later if need be.
    Options alone = options_;
    alone.plan = {};
    for (const Backend& kind : backends()) {
      if (!serves(kind, options_.target, request)) continue;
      Compilation compilation;
      describe(compilation, request, options_.target);
      planned = make_plan(kind, request, alone, compilation);
      if (planned) return std::pair(**std::move(made), at);
    }
    return std::unexpected(std::move(planned).error());
  }

  // If the best kind of kernel needs an operand in another order in memory, and writing the operand
  // in that order pays, adds a kernel that does so.
  void prepare_operands() {
    ProductSequence& sequence = result_.sequence;
    for (std::size_t i = 0; i < sequence.parts.size(); ++i) {
      auto better = prepared(static_cast<int>(i));
      if (!better) continue;
      i += static_cast<std::size_t>(better->count) - 1;
      sequence = std::move(better->sequence);
    }
  }

  std::optional<PreparedProduct> prepared(int part) const {
    const ProductSequence& sequence = result_.sequence;
    const MatmulRequest& request = sequence.parts[static_cast<std::size_t>(part)].request;
    for (const Backend& kind : backends()) {
      if (kind.prepared_row_bytes == 0 || !serves(kind, options_.target, request) ||
          !kind.has_fields(options_.plan))
        continue;
      for (Preparation which : {Preparation{}, {.a = true}, {.b = true}, {.a = true, .b = true}}) {
        const bool is_prepared = which.a || which.b;
        if (is_prepared && !may(request, which)) continue;
        PreparedProduct made = with_prepared(sequence, part, which, kind.prepared_row_bytes);
        const auto product = static_cast<std::size_t>(made.product);
        const auto planned = trial(made.sequence.parts[product].request, kind);
        if (!planned) continue;
        which.d = stores_from_registers(*planned) && may(request, {.d = true});
        which.a_scales = scatters_scales(*planned) && may(request, {.a_scales = true});
        if (which.d || which.a_scales)
          return with_prepared(sequence, part, which, kind.prepared_row_bytes);
        if (is_prepared) return made;
        return std::nullopt;  // it takes the product as it is
      }
    }
    return std::nullopt;
  }

  bool may(const MatmulRequest& request, Preparation which) const {
    return can_be_prepared(request, which) &&
           (options_.prepare == Prepare::always || pays(request, which));
  }

  static bool stores_from_registers(const Compilation& kernel) {
    const auto* wgmma = std::get_if<plan::WarpgroupPlan>(&kernel.plan);
    return wgmma != nullptr && !wgmma->result_is_mapped && wgmma->has_lines();
  }

  // True if it copies scales of A one by one that bulk copies could copy, were they contiguous.
  static bool scatters_scales(const Compilation& kernel) {
    const auto* wgmma = std::get_if<plan::WarpgroupPlan>(&kernel.plan);
    return wgmma != nullptr && wgmma->problem.scaled_columns != 0 &&
           !wgmma->problem.a_scales_contiguous && wgmma->problem.m % 4 == 0;
  }

  // The plan that this kind of kernel makes for the request; null if it cannot serve the request.
  std::optional<Compilation> trial(const MatmulRequest& request, const Backend& kind) const {
    Compilation made;
    describe(made, request, options_.target);
    if (!make_plan(kind, request, options_, made)) return std::nullopt;
    return made;
  }

  // Compiles one product, and adds its text and its module to those of the other products.
  std::expected<Compilation, std::string> compile_product(const MatmulRequest& request) {
    ProductPipeline product(file_name_, options_, stop_after_);
    if (Done done = product.plan_and_generate(request, context_); !done)
      return std::unexpected(std::move(done).error());
    Compilation kernel = product.take_result();
    if (stop_after_ == Stage::mlir) {
      // Separates the parts for mlir-opt --split-input-file.
      result_.text += (result_.text.empty() ? "" : "// -----\n") + std::exchange(kernel.text, {});
    }
    auto module = product.take_module();
    if (module && !all_) {
      all_ = std::move(module);
    } else if (module && llvm::Linker::linkModules(*all_, std::move(module))) {
      return std::unexpected(internal_error(file_name_, "kernels that do not link"));
    }
    return kernel;
  }

  // Adds variants for special launches, the most special first: small launches, launches whose rows
  // begin at multiples of row_bytes, launches with contiguous elements. A variant is added only if
  // its plan differs from that of the kernel that would otherwise run the launch.
  Done add_variants(const MatmulRequest& request, const Backend& kind, Compilation& kernel) {
    std::vector<Compilation>& variants = kernel.variants;
    const std::optional<MatmulRequest> side_by_side = with_unit_strides(request);
    std::vector<MatmulRequest> special;
    if (kind.row_bytes != 0)
      special = with_whole_rows(side_by_side.value_or(request), kind.row_bytes);
    if (side_by_side) special.push_back(*side_by_side);
    for (const MatmulRequest& known : special) {
      if (!plans_otherwise(known, kind, variants.empty() ? kernel : variants.back())) continue;
      auto variant = compile_product(known);
      if (!variant) return std::unexpected(std::move(variant).error());
      variants.push_back(*std::move(variant));
    }
    const MatmulRequest best = variants.empty() ? request : variants.front().request;
    if (kind.small_launches == nullptr) return {};
    for (const MostSizes& most : kind.small_launches(options_.target)) {
      const auto few = with_most(best, most);
      if (!few) continue;
      const auto other = std::ranges::find_if(variants, [&](const Compilation& one) {
        return has_launches_of(one.request.problem, few->problem);
      });
      if (!plans_otherwise(*few, kind, other == variants.end() ? kernel : *other)) continue;
      auto variant = compile_product(*few);
      if (!variant) return std::unexpected(std::move(variant).error());
      variants.insert(variants.begin(), *std::move(variant));
    }
    return {};
  }

  // True if this kind plans the request otherwise than `other`: with other decisions, copies or
  // stores. The number of thread blocks, which follows from the rest, is not compared.
  bool plans_otherwise(const MatmulRequest& request, const Backend& kind,
                       const Compilation& other) const {
    const auto made = trial(request, kind);
    if (!made) return false;
    const auto decisions = [](const Compilation& one) {
      std::vector<std::pair<std::string, std::string>> all;
      for (const plan::Choice& choice : one.choices)
        if (choice.what != "blocks") all.emplace_back(choice.what, choice.value);
      for (const KernelArgument& argument : one.arguments)
        if (argument.map)
          for (const std::uint32_t size : argument.map->box)
            all.emplace_back("box", formatted("{}", size));
      const MatrixRecord& d = one.request.d;
      const auto form = form_of(one.request, d, plan::Loop::m, plan::Loop::n);
      const std::int64_t bytes = form.divisor * counted_bytes(d.element);
      all.emplace_back("stores", formatted("{}", std::gcd(bytes, std::int64_t{16})));
      return all;
    };
    return decisions(*made) != decisions(other);
  }

  std::string file_name_;
  Options options_;
  Stage stop_after_;
  SequenceCompilation result_;
  /// The first line of the reason why the text was refused when it was read with places; empty if
  /// it was not refused.
  std::string refused_with_places_;
  /// Products whose A is a softmax that is not fused, each with the reason: from the present
  /// reading, and from the reading with places (numbers of rows and columns) in formulas.
  std::vector<std::pair<std::string, std::string>> why_not_fused_, why_not_with_places_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> all_;  // of the products so far
};

}  // namespace

std::expected<SequenceCompilation, std::string> compile_sequence(std::string_view text,
                                                                 std::string_view file_name,
                                                                 const Options& options,
                                                                 Stage stop_after) {
  return Pipeline(file_name, options, stop_after).run(text);
}

std::expected<Compilation, std::string> compile(std::string_view text, std::string_view file_name,
                                                const Options& options, Stage stop_after) {
  Options one_kernel = options;
  one_kernel.prepare = Prepare::never;
  auto all = compile_sequence(text, file_name, one_kernel, stop_after);
  if (!all) return std::unexpected(std::move(all).error());
  if (!all->sequence.is_one_product()) {
    const Place& place = all->sequence.parts.back().request.place;
    return std::unexpected(
        formatted("{}:{}:{}: error: several products or results; accepted: one\n", file_name,
                  place.line, place.column));
  }
  return as_one_kernel(*std::move(all));
}

std::vector<PlanFields> likely_plans(const Compilation& kernel, std::size_t most) {
  if (std::holds_alternative<plan::WarpgroupPlan>(kernel.plan))
    return likely_wgmma_plans(kernel.request, most);
  if (const auto* mma = std::get_if<plan::MmaPlan>(&kernel.plan)) {
    std::vector<PlanFields> all = plan::mma_blocks(*mma->instruction);
    all.resize(std::min(all.size(), most));
    return all;
  }
  return {};
}

const Compilation& kernel_for(const Compilation& compilation, const plan::Problem& problem) {
  const auto fits = [&](const Compilation& one) { return are_as_known(one.request, problem); };
  const auto found = std::ranges::find_if(compilation.variants, fits);
  return found == compilation.variants.end() ? compilation : *found;
}

Compilation as_one_kernel(SequenceCompilation all) {
  Compilation kernel = std::move(all.kernels[0]);
  kernel.text = std::move(all.text);
  kernel.object = std::move(all.object);
  // Puts the timings of the whole text among those of the kernel: reading first, writing code last.
  const auto is_reading = [](const Timing& timing) { return timing.step == "read"; };
  for (const Timing& timing : all.timings)
    kernel.timings.insert(is_reading(timing) ? kernel.timings.begin() : kernel.timings.end(),
                          timing);
  return kernel;
}

}  // namespace heddle::compiler
