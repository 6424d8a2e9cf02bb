#include "compiler/decisions/slabs.h"

#include <optional>
#include <utility>

#include "compiler/request/operand_form.h"
#include "compiler/request/reach.h"

namespace heddle::compiler {
namespace {

using plan::Loop;

constexpr std::int64_t most_slabs = 4096, most_matrices = 65535;  // the second: of a grid

// Cuts the loop along m or n into `count` slabs of `size_` rows or columns. Each matrix of the
// batch becomes `count` matrices.
class Slabs {
 public:
  Slabs(const MatmulRequest& request, Loop loop, std::int64_t count)
      : request_(request), loop_(loop), count_(count), size_(request.problem.size(loop) / count) {}

  // Returns the request after the cut. Null if a matrix cannot be cut, because its places along the
  // loop are not proportional to the index.
  std::optional<MatmulRequest> made() && {
    const bool along_m = loop_ == Loop::m;
    const auto matrix = [&](MatrixRecord& of, bool has_m, bool has_n) {
      const auto along = [&](const auto& axes) -> const Axis* {
        if (along_m) return has_m ? &axes.row : nullptr;
        return has_n ? &axes.column : nullptr;
      };
      move(of.batch, along(of));
      for (PaddedDimension& padded : of.padding) move(padded.batch, along(padded));
    };
    matrix(request_.a, true, false);
    matrix(request_.b, false, true);
    for (MatrixRecord& extra : request_.a_extras) matrix(extra, true, false);
    for (MatrixRecord& extra : request_.b_extras) matrix(extra, false, true);
    matrix(request_.d, true, true);
    if (request_.c) matrix(*request_.c, true, true);
    for (MatrixRecord& extra : request_.extras) matrix(extra, true, true);
    for (FurtherResult& further : request_.further) matrix(further.d, true, true);
    for (PlaceRecord& place : request_.places)
      move(place.batch, along_m ? &place.row : &place.column);
    if (!is_right_) return std::nullopt;
    request_.problem.size(loop_) = size_;
    request_.problem.batch *= count_;
    return std::move(request_);
  }

 private:
  // Makes the axis of the batch count slabs: slab s of matrix b gets the number b * count_ + s.
  // `along` is the axis that is cut; null if the matrix does not depend on it.
  void move(Axis& batch, const Axis* along) {
    Axis slabs;
    if (along != nullptr) {
      is_right_ = is_right_ && along->jumps.empty() && along->step.is_static();
      slabs.step.factor = along->step.factor * size_;
    }
    if (request_.problem.batch > 1) {
      slabs.jumps.push_back({count_, batch.step, {slabs.step.factor * count_, 0}});
      for (Jump jump : batch.jumps) {
        jump.every *= count_;
        slabs.jumps.push_back(jump);
      }
    }
    batch = std::move(slabs);
  }

  MatmulRequest request_;
  Loop loop_;
  std::int64_t count_, size_;
  bool is_right_ = true;
};

std::optional<MatmulRequest> cut(const MatmulRequest& request, std::int64_t slabs_m,
                                 std::int64_t slabs_n) {
  std::optional<MatmulRequest> made = request;
  if (slabs_m > 1) made = Slabs(*made, Loop::m, slabs_m).made();
  if (made && slabs_n > 1) made = Slabs(*made, Loop::n, slabs_n).made();
  if (!made || out_of_reach(*made, Reach::matrix)) return std::nullopt;
  find_forms(*made);
  return made;
}

}  // namespace

void cut_into_slabs(MatmulRequest& request, instruction::Target target) {
  if (!instruction::has_kernels(target) || request.program || request.softmax ||
      request.problem.dynamic != 0 || !out_of_reach(request, Reach::matrix))
    return;
  const plan::Problem& problem = request.problem;
  const auto divides = [](std::int64_t count, std::int64_t size, std::int64_t unit) {
    return count == 1 || size % (count * unit) == 0;
  };
  // The fewest slabs, of whole tiles where that is possible.
  for (const std::int64_t unit : {128, 16, 1})
    for (std::int64_t slabs = 2; slabs <= most_slabs && slabs * problem.batch <= most_matrices;
         ++slabs)
      for (std::int64_t slabs_m = 1; slabs_m <= slabs; ++slabs_m) {
        if (slabs % slabs_m != 0 || !divides(slabs_m, problem.m, unit) ||
            !divides(slabs / slabs_m, problem.n, unit))
          continue;
        if (auto made = cut(request, slabs_m, slabs / slabs_m)) {
          request = *std::move(made);
          return;
        }
      }
}

}  // namespace heddle::compiler
