#include "compiler/elements/tensor_value.h"

namespace heddle::compiler {

using runtime::Interval;
using runtime::whole_number;

std::int64_t count_of(const Coordinates& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count)) return INT64_MAX;
  return count;
}

std::optional<std::size_t> TensorValue::position(const Coordinates& at) const {
  std::int64_t place = 0;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (at[dim] < 0 || at[dim] >= shape[dim]) return std::nullopt;
    place = place * shape[dim] + at[dim];
  }
  return static_cast<std::size_t>(place);
}

Interval TensorValue::element(std::size_t at) const {
  if (!stored) return elements[at];
  const Interval number = stored->view.number(0, 0, static_cast<std::int64_t>(at));
  if (stored->is_i1) return whole_number(number.low != 0 ? 1 : 0);
  const instruction::ElementType type = stored->view.element;
  if (instruction::is_integer(type) && type != instruction::ElementType::i64)
    return whole_number(static_cast<std::int64_t>(number.low));
  return number;
}

void TensorValue::read_all() {
  if (!stored) return;
  const auto count = static_cast<std::size_t>(count_of(shape));
  elements.reserve(count);
  for (std::size_t at = 0; at < count; ++at) elements.push_back(element(at));
  stored.reset();
}

}  // namespace heddle::compiler
