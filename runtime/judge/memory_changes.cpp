#include "runtime/judge/memory_changes.h"

#include <algorithm>
#include <cstring>

#include "library/text/formatted.h"

namespace heddle::runtime {
namespace {

/// The owner of an element of memory. If an element has several, the last in this list counts.
enum class Owner : std::uint8_t { nobody, window, array, expectation };

bool names(const Expression& formula, const std::string& tensor) {
  return formula.name == tensor ||
         std::ranges::any_of(formula.operands,
                             [&](const Expression& operand) { return names(operand, tensor); });
}

bool is_judged(const KernelLaunch& launch, const Tensor& tensor) {
  return std::ranges::any_of(launch.expectations, [&](const Expectation& expectation) {
    return expectation.result == tensor.name;
  });
}

bool is_input(const KernelLaunch& launch, const Tensor& tensor) {
  const bool read = std::ranges::any_of(launch.expectations, [&](const Expectation& expectation) {
    const auto* formula = std::get_if<Expression>(&expectation.reference);
    return formula != nullptr && names(*formula, tensor.name);
  });
  return read || (tensor.initial != InitialValue::none && tensor.initial != InitialValue::number);
}

std::string row_and_column(const Tensor& tensor, std::int64_t element) {
  return formatted("row {}, column {}", element / tensor.pitch, element % tensor.pitch);
}

/// One allocation of memory: the array `whole`, the windows in it, and the elements that a launch
/// changed.
class Memory {
 public:
  Memory(const LaunchText& text, const KernelLaunch& launch, const Tensor& whole,
         std::span<const std::byte> before, std::span<const std::byte> after)
      : launch_(launch), whole_(whole), owners_(static_cast<std::size_t>(whole.span())) {
    const auto step = static_cast<std::size_t>(row(whole.type).bytes);
    for (std::size_t i = 0; i < owners_.size(); ++i)
      changed_.push_back(std::memcmp(before.data() + i * step, after.data() + i * step, step) != 0);
    for (const Tensor& tensor : text.tensors)
      if (tensor.inside == whole.name) windows_.push_back(&tensor);
    for (const Tensor* window : windows_) claim(*window, Owner::window);
    if (windows_.empty() || is_judged(launch, whole)) claim(whole, Owner::array);
  }

  void add_to(std::vector<MemoryChange>& all) const {
    add_strays(all);
    for (const Tensor* window : windows_) add_unjudged(*window, all);
    if (windows_.empty()) add_unjudged(whole_, all);
  }

 private:
  void claim(const Tensor& tensor, Owner owner) {
    if (is_judged(launch_, tensor)) owner = Owner::expectation;
    for_each(tensor,
             [&](std::size_t at, std::int64_t) { owners_[at] = std::max(owners_[at], owner); });
  }

  template <class Visit>
  static void for_each(const Tensor& tensor, const Visit& visit) {
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      const std::int64_t at = i / tensor.columns() * tensor.pitch + i % tensor.columns();
      visit(static_cast<std::size_t>(tensor.first + at), at);
    }
  }

  void add_strays(std::vector<MemoryChange>& all) const {
    std::int64_t first = -1, count = 0;
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      if (!changed_[i] || owners_[i] != Owner::nobody) continue;
      if (count++ == 0) first = static_cast<std::int64_t>(i);
    }
    if (count == 0) return;
    const bool in_gap = first % whole_.pitch >= whole_.columns();
    std::string message = formatted("{}: {}", whole_.name, count);
    if (in_gap)
      message += formatted(
          " elements of the gaps between its rows were written, first in the gap after row {} ({})",
          first / whole_.pitch, row_and_column(whole_, first));
    else
      message += formatted(" elements outside its windows were written, first at element {} ({})",
                           first, row_and_column(whole_, first));
    all.push_back({whole_.place, std::move(message), true});
  }

  void add_unjudged(const Tensor& tensor, std::vector<MemoryChange>& all) const {
    std::int64_t first = -1, count = 0;
    for_each(tensor, [&](std::size_t at, std::int64_t element) {
      if (changed_[at] && owners_[at] != Owner::expectation && count++ == 0) first = element;
    });
    if (count == 0) return;
    const bool input =
        is_input(launch_, tensor) || (!tensor.inside.empty() && is_input(launch_, whole_));
    all.push_back(
        {tensor.place,
         input ? formatted(
                     "{} is an input and was changed: {}{}{}; if it should, write 'expect {} = …'",
                     tensor.name, count, count == 1 ? " element, at " : " elements, first at ",
                     row_and_column(tensor, first), tensor.name)
               : tensor.name + " was written and not judged: there is no line 'expect " +
                     tensor.name + " = …'",
         input});
  }

  const KernelLaunch& launch_;
  const Tensor& whole_;
  std::vector<const Tensor*> windows_;
  std::vector<Owner> owners_;
  std::vector<bool> changed_;
};

}  // namespace

std::vector<MemoryChange> memory_changes(const LaunchText& text, const KernelLaunch& launch,
                                         const LaunchMemory& before, const LaunchMemory& after) {
  std::vector<MemoryChange> all;
  for (const Tensor& tensor : text.tensors) {
    if (!tensor.inside.empty()) continue;
    const auto old = before.bytes(tensor.name), now = after.bytes(tensor.name);
    if (!std::ranges::equal(old, now)) Memory(text, launch, tensor, old, now).add_to(all);
  }
  return all;
}

}  // namespace heddle::runtime
