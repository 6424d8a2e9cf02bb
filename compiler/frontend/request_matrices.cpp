// The part of RequestBuilder that finds where matrices lie: how far each loop moves in every
// matrix. Also, which of these distances allow loads of several elements at once.
#include <algorithm>
#include <numeric>

#include "compiler/frontend/request_builder.h"
#include "compiler/request/operand_form.h"
#include "library/text/formatted.h"

namespace heddle::compiler {

using plan::Loop;

// Expresses a product of sizes as a factor times sizes that are arguments of the kernel. Null if it
// is not a whole multiple of such sizes.
std::optional<Stride> RequestBuilder::stride(const LoopProduct& product) const {
  Stride result{product.factor, 0};
  std::int64_t over = 1;
  for (const auto& [loop, number] : size_numbers_)
    if ((product.loops >> loop & 1u) != 0) result.sizes |= 1u << number;
  for (std::size_t i = 0; i < 4; ++i) {
    if (groups_[i].runs.empty()) continue;
    const std::uint64_t own = loops_.size(groups_[i].runs.front()).loops;
    if ((product.loops & own) == 0 || request_.made_of[i] != 0) continue;
    result.sizes |= 1u << i;
    over *= request_.multiples[i];
  }
  if (result.factor % over != 0) return std::nullopt;
  result.factor /= over;
  return result;
}

Axis RequestBuilder::axis(Loop name, llvm::function_ref<LoopProduct(int loop)> distance) {
  const LoopGroup& group = groups_[static_cast<std::size_t>(name)];
  Axis axis;
  std::int64_t every = 1;
  unsigned sizes = 0;
  for (std::size_t i = group.runs.size(); i-- > 0;) {
    const auto of = [&](const Run& run) { return distance(run.back()); };
    const auto forward = stride(of(group.runs[i]));
    if (i + 1 == group.runs.size()) {
      has_open_strides_ = has_open_strides_ || !forward;
      axis.step = forward.value_or(Stride{});
      continue;
    }
    const LoopProduct inner = loops_.size(group.runs[i + 1]);
    const auto length = stride(inner);
    every *= inner.factor;
    if (length) sizes |= length->sizes;
    const auto distance_back = times(of(group.runs[i + 1]), inner);
    const auto back = distance_back ? stride(*distance_back) : std::nullopt;
    has_open_strides_ = has_open_strides_ || !forward || !back || !length;
    if (forward && back && *forward != *back) axis.jumps.push_back({every, *forward, *back, sizes});
  }
  return axis;
}

MatrixRecord RequestBuilder::matrix(const Leaf& leaf, Loop rows, Loop columns) {
  const int number = buffer_of(leaf);
  const BufferRecord& buffer = request_.buffers[static_cast<std::size_t>(number)];
  MatrixRecord matrix;
  matrix.element = buffer.element;
  matrix.parameter = number;
  matrix.place = line_of(place_of(value_of(number)));
  __int128 offset = buffer.offset;
  for (std::size_t i = 0; i < leaf.dims.size(); ++i) {
    if (leaf.dims[i].constant == 0) continue;
    const auto along = distance(leaf, i);
    has_open_strides_ = has_open_strides_ || !along || along->loops != 0;
    if (along) offset += static_cast<__int128>(leaf.dims[i].constant) * along->factor;
  }
  const auto in_memory = [&](int loop) { return distance(leaf, loop).value(); };
  matrix.row = axis(rows, in_memory);
  matrix.column = axis(columns, in_memory);
  matrix.batch = axis(Loop::batch, in_memory);
  for (const Bound& bound : leaf.bounds) {
    const auto along = [&](int loop) { return LoopProduct{bound.place.factor_of(loop), 0}; };
    Stride size{bound.size, 0};
    if (bound.size < 0) {
      const auto dimension = static_cast<std::size_t>(bound.dimension);
      size = {buffer.shape[dimension], 0};
      if (const auto known = dynamic_.find({static_cast<std::size_t>(number), dimension});
          known != dynamic_.end() && buffer.shape[dimension] < 0) {
        const auto told = stride({known->second.second, std::uint64_t{1} << known->second.first});
        has_open_strides_ = has_open_strides_ || !told;
        size = told.value_or(Stride{});
      }
    }
    matrix.padding.push_back({axis(Loop::batch, along), axis(rows, along), axis(columns, along),
                              -bound.place.constant, bound.every, size});
  }
  matrix.offset = static_cast<std::int64_t>(std::min<__int128>(offset, std::int64_t{1} << 62));
  // A matrix of one row (or column) gets the stride that a second row (or column) would have.
  const auto after = [&](Axis& one, Loop name, const Axis& other, Loop length) {
    if (!groups_[static_cast<std::size_t>(name)].runs.empty() || !other.jumps.empty()) return;
    const plan::Problem& problem = request_.problem;
    one.step = other.step;
    if (!problem.is_dynamic(length)) {
      one.step.factor *= problem.size(length);
    } else if ((other.step.sizes >> static_cast<unsigned>(length) & 1u) == 0) {
      one.step.sizes |= 1u << static_cast<unsigned>(length);
    }
  };
  const bool is_vector = groups_[static_cast<std::size_t>(columns)].runs.empty();
  if (is_vector) after(matrix.column, columns, matrix.row, rows);
  if (!is_vector) after(matrix.row, rows, matrix.column, columns);
  return matrix;
}

// The axis of a place (a number of a row, column or matrix that a formula uses). Loops that are
// contiguous in memory may have unrelated factors in the place, so each loop is treated by itself
// here.
Axis RequestBuilder::axis_of_place(Loop name, const Index& place) {
  Axis axis;
  LoopProduct every{1, 0}, inner{0, 0};
  const std::vector<Run>& runs = groups_[static_cast<std::size_t>(name)].runs;
  const auto known = [&](const std::optional<LoopProduct>& product) {
    const auto as_stride = product ? stride(*product) : std::nullopt;
    has_open_strides_ = has_open_strides_ || !as_stride;
    return as_stride.value_or(Stride{});
  };
  bool is_first = true;
  for (std::size_t run = runs.size(); run-- > 0;)
    for (std::size_t i = runs[run].size(); i-- > 0; is_first = false) {
      const LoopProduct size = loops_.size(runs[run][i]);
      const Stride step{place.factor_of(runs[run][i]), 0};
      if (is_first) {
        axis.step = step;
      } else if (const Stride back = known(inner); step != back) {
        const Stride steps = known(every);
        axis.jumps.push_back({steps.factor, step, back, steps.sizes});
      }
      every = times(every, size).value_or(LoopProduct{1, 0});
      inner =
          step.factor == 0 ? LoopProduct{0, 0} : LoopProduct{step.factor * size.factor, size.loops};
    }
  return axis;
}

PlaceRecord RequestBuilder::record_of_place(const Leaf& leaf) {
  const Index& place = leaf.dims[0];
  return {axis_of_place(Loop::batch, place), axis_of_place(Loop::m, place),
          axis_of_place(Loop::n, place), place.constant};
}

bool RequestBuilder::find_matrices() {
  plan::Problem& problem = request_.problem;
  const auto role = [&](const MatrixRecord& matrix, Role role) {
    request_.buffers[static_cast<std::size_t>(matrix.parameter)].role = role;
  };
  for (const Leaf* leaf : all_leaves()) {
    if (leaf->bounds.empty() || leaf == &leaves_[0] || leaf == &leaves_[1]) continue;
    const auto is_read_beside = [&](const std::vector<Leaf>& further) {
      return std::ranges::any_of(further, [&](const Leaf& one) { return &one == leaf; });
    };
    const bool is_input = std::ranges::any_of(further_leaves_, is_read_beside);
    return refuse(place_of(value_of(buffer_of(*leaf))),
                  is_input ? "padding around a second argument that an input is computed from"
                           : "padding around what is no input of the product",
                  "tensor.pad of A and B, or of what is computed from A or from B alone");
  }
  if (!knows_padding_)
    return refuse(place(), "padding of several numbers around each other",
                  "one number around A and around B");
  for (const Leaf& leaf : extra_leaves_) request_.extras.push_back(matrix(leaf, Loop::m, Loop::n));
  for (const Leaf& leaf : places_) request_.places.push_back(record_of_place(leaf));
  for (const Leaf& leaf : further_leaves_[0])
    request_.a_extras.push_back(matrix(leaf, Loop::m, Loop::k));
  for (const Leaf& leaf : further_leaves_[1])
    request_.b_extras.push_back(matrix(leaf, Loop::k, Loop::n));
  request_.d = matrix(d_leaf_, Loop::m, Loop::n);
  role(request_.d, Role::d);
  for (std::size_t i = 0; i < further_d_.size(); ++i) {
    request_.further[i].d = matrix(further_d_[i], Loop::m, Loop::n);
    role(request_.further[i].d, Role::d);
  }
  if (c_leaf_) {
    request_.c = matrix(*c_leaf_, Loop::m, Loop::n);
    role(*request_.c, Role::c);
  }
  request_.a = matrix(leaves_[0], Loop::m, Loop::k);
  request_.b = matrix(leaves_[1], Loop::k, Loop::n);
  request_.a.tells_padding = tells_padding_[0];
  request_.b.tells_padding = tells_padding_[1];
  role(request_.b, Role::b);
  role(request_.a, Role::a);
  if (has_open_strides_)
    return refuse(place(), "rows whose distance is no product of the sizes that a kernel is told",
                  "dynamic sizes in the outermost dimensions");
  find_forms(request_);
  // Planners, like kernels, count elements that share bytes as bytes.
  if (request_.a.element != problem.input && !request_.a_producer.nodes.empty())
    problem.a.stored = array_type(request_.a.element);
  if (request_.b.element != problem.b_input() && !request_.b_producer.nodes.empty())
    problem.b.stored = array_type(request_.b.element);
  return true;
}

}  // namespace heddle::compiler
