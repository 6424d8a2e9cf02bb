// Any text is read as a launch file or refused at a place inside it; what is read and small is
// filled, evaluated, judged and explained.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runtime/judge/explanation.h"
#include "runtime/launch/memory.h"

namespace {

using namespace heddle::runtime;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

bool is_small(const LaunchText& launch) {
  std::int64_t elements = 0;
  for (const Tensor& tensor : launch.tensors) {
    elements += tensor.span();
    if (tensor.initial == InitialValue::file) return false;
  }
  std::size_t expectations = 0;
  for (const KernelLaunch& one : launch.launches) expectations += one.expectations.size();
  return elements <= 48 && expectations <= 4;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto launch = parse_launch(text);
  if (!launch) {
    const auto lines = static_cast<std::size_t>(1 + std::count(text.begin(), text.end(), '\n'));
    require(launch.error().place.line >= 1 && launch.error().place.line <= lines,
            "an error outside the text");
    require(launch.error().place.column >= 1 && launch.error().place.column <= size + 1,
            "a column outside the text");
    require(!launch.error().message.empty(), "an error that says nothing");
    return 0;
  }
  if (!is_small(*launch)) return 0;
  const auto memory = LaunchMemory::fill(*launch, "");
  require(memory.has_value(), "memory without files is always filled");
  for (const KernelLaunch& one : launch->launches)
    for (const Expectation& expectation : one.expectations) {
      const auto* formula = std::get_if<Expression>(&expectation.reference);
      if (formula == nullptr) continue;
      const TensorValues values = [&](const Tensor& tensor) { return memory->values(tensor); };
      const FormulaValue reference = evaluate(*launch, *formula, values);
      const Tensor& result = *launch->find_tensor(expectation.result);
      const Judgement judgement = judge(result, memory->values(result), memory->unwritten(result),
                                        reference, expectation.tolerance, expectation.sums);
      require(judgement.elements.size() == static_cast<std::size_t>(result.elements()),
              "every element is judged");
      explain(*launch, expectation, values, judgement, {});
      tile_map(judgement);
    }
  return 0;
}
