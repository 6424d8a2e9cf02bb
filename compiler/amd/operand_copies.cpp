#include "compiler/amd/operand_copies.h"

namespace heddle::compiler {

using mlir::Value;

OperandCopies::OperandCopies(const KernelContext& context, const plan::OperandPlan& operand,
                             Value from, const std::vector<Value>& extras, std::uint32_t start)
    : context_(context) {
  if (operand.is_copied())
    direct_.emplace(context, operand, from, start);
  else
    staging_.emplace(context, operand, from,
                     context.plan.problem.has_scales ? std::vector<Value>() : extras, start);
}

std::vector<Value> OperandCopies::load(Value k, const std::optional<Extent>& k_left) const {
  if (direct_) return {};
  return staging_->load(staging_->at(k), k_left);
}

void OperandCopies::copy(Value k, Value stage, const std::optional<Extent>& k_left) const {
  if (!direct_) return;
  const Value first = context_.part.first_k;
  direct_->copy(first ? context_.add(first, k) : k, stage, k_left);
}

void OperandCopies::store(const std::vector<Value>& loaded, Value stage,
                          const std::optional<Extent>& k_left) const {
  if (direct_) return;
  std::vector<Value> bases = staging_->lds_bases();
  for (Value& base : bases)
    if (stage) base = context_.add(base, stage);
  staging_->store(loaded, std::move(bases), k_left);
}

}  // namespace heddle::compiler
