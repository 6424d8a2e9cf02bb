// The scores of a tile of queries and keys from their sums: the formula of attention's first
// product with the coordinates of the tile, and the blocks of keys that it needs.
#pragma once

#include <vector>

#include "compiler/decisions/score_formula.h"
#include "compiler/kernel/global_matrix.h"
#include "compiler/tile/machine.h"
#include "compiler/tile/score_steps.h"
#include "compiler/tile/verbs.h"

namespace heddle::compiler {

class ScoreCode {
 public:
  /// `extras` are the softmax's; `batch` (i32) is null for the only matrix. `formula` stays, and so
  /// does `machine`, by which the warp votes on a way to compute tanh; null: it does not vote.
  ScoreCode(const GlobalContext& context, const ScoreFormula& formula,
            std::vector<GlobalMatrix> extras, mlir::Value batch, const Machine* machine = nullptr);

  /// The blocks of keys (i32), of `keys` each, that some of the rows may see, and those in which
  /// all rows see all keys, as far as that is known.
  struct Steps {
    mlir::Value first, end, first_plain, end_plain;
  };
  Steps steps(mlir::Value first_row, mlir::Value last_row, std::int64_t keys) const;

  /// Begins with the rows (i32) of a thread, in the order of the groups of its registers. What rows
  /// alone tell is computed here, before the loop over keys.
  void begin(const std::vector<mlir::Value>& rows);

  /// What is true of the keys of a step.
  struct Step {
    mlir::Value first_key;    // i32
    bool is_kept = false;     // no key is masked
    bool is_partial = false;  // some keys may be beyond the last
  };
  /// The thread's registers of a tile of scores: `map` has their keys along the axis `key`,
  /// `key_of_lane` is thread_coordinate() of that, and `rows` says which row each has.
  struct Registers {
    const layout::LinearLayout& map;
    layout::AxisName key;
    mlir::Value key_of_lane;
    const Groups& rows;
  };
  /// What registers read of the extras: for each extra, that of each register.
  using Reads = std::vector<std::vector<mlir::Value>>;
  /// Reads for the next registers up to `end`, or a few more.
  void read(const Step& step, const Registers& registers, std::size_t end, Reads& reads) const;
  /// The score of each register, from its sum. What `reads` does not have is read.
  std::vector<mlir::Value> scores(const Step& step, llvm::ArrayRef<mlir::Value> sums,
                                  const Registers& registers, Reads reads = {}) const;

 private:
  // A register's key: `lane` (i32) plus `constant` from the step's first on.
  struct Key {
    mlir::Value lane;
    std::int64_t constant = 0;
  };
  // The formula of all keys or of those that are kept, and for each row its numbers without the
  // column's part.
  struct Way {
    ScoreSteps steps;
    std::vector<std::vector<mlir::Value>> numbers;
  };

  mlir::Value place(const runtime::MatrixAxis& axis, mlir::Value at) const;
  mlir::Value product(mlir::Value x, std::int64_t factor) const;
  /// The formula's numbers (i32), and whether conditions hold for them (null: always).
  std::pair<std::vector<mlir::Value>, mlir::Value> numbers() const;
  std::vector<mlir::Value> without_keys(const std::vector<PlaceSum>& sums,
                                        const std::vector<mlir::Value>& places) const;
  Key key_of(const Registers& registers, std::uint64_t reg) const;
  std::size_t neighbours(const Registers& registers, std::uint64_t reg) const;
  mlir::Value is_inside(const Step& step, const Key& own) const;
  mlir::Value is_negative(const PlaceSum& sum, mlir::Value without_keys, mlir::Value first,
                          std::int64_t constant) const;
  mlir::Value number(const PlaceNumber& of, mlir::Value without_keys, mlir::Value first,
                     std::int64_t constant) const;
  std::vector<mlir::Value> inputs(const Step& step, mlir::Value sum, std::size_t row,
                                  const Key& own, const Reads& reads, std::size_t reg) const;
  mlir::Value emitted(const Expression& expression, const std::vector<mlir::Value>& inputs) const;
  const Way& way(const Step& step) const { return step.is_kept ? kept_ : all_; }

  const GlobalContext& context_;
  const ScoreFormula& formula_;
  std::vector<GlobalMatrix> extras_;
  mlir::Value batch_;
  const Machine* machine_;
  Way all_, kept_;
  std::vector<mlir::Value> rows_;
  std::vector<std::vector<mlir::Value>> places_;  // of each row: the part without the column's
  std::vector<std::vector<mlir::Value>> sums_;    // of each row: that of each comparison
};

}  // namespace heddle::compiler
