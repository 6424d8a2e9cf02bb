// Computes the scores of a tile of queries and keys: applies the formula of the scores to the sums
// of Q K^T, with the coordinates of the tile. Also finds the blocks of keys that the tile needs.
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
  /// `extras` are the matrices that the formula reads; `batch` (i32) is null if there is only one
  /// matrix in the batch. `context`, `formula` and `machine` must outlive this object. There are
  /// two ways to compute tanh; the lanes of a warp agree on one by `machine`. If `machine` is null,
  /// they do not vote.
  ScoreCode(const GlobalContext& context, const ScoreFormula& formula,
            std::vector<GlobalMatrix> extras, mlir::Value batch, const Machine* machine = nullptr);

  /// Numbers (i32) of blocks of `keys` keys each. From `first` to `end`: all blocks of keys with at
  /// least one key that at least one of the rows may see, and perhaps others. From `first_plain` to
  /// `end_plain`: the blocks of keys in which every row is known to see every key.
  struct Steps {
    mlir::Value first, end, first_plain, end_plain;
  };
  Steps steps(mlir::Value first_row, mlir::Value last_row, std::int64_t keys) const;

  /// Sets the rows (i32) of a thread, in the order of its groups of registers (Groups). Call it
  /// before the loop over keys: it computes everything that depends only on rows.
  void begin(const std::vector<mlir::Value>& rows);

  /// Facts about the keys of a step.
  struct Step {
    mlir::Value first_key;    // i32
    bool is_kept = false;     // no key is masked
    bool is_partial = false;  // some keys may be beyond the last
  };
  /// The thread's registers of a tile of scores. `map` maps each register to its key along the axis
  /// `key`, `key_of_lane` is thread_coordinate() of that axis, and `rows` says which row each
  /// register belongs to.
  struct Registers {
    const layout::LinearLayout& map;
    layout::AxisName key;
    mlir::Value key_of_lane;
    const Groups& rows;
  };
  /// Elements of the extras that were read in advance: reads[i][r] is the element of extra i for
  /// register r.
  using Reads = std::vector<std::vector<mlir::Value>>;
  /// Reads elements of the extras for the registers after those that `reads` has already, up to
  /// register `end` or a few more, and appends them to `reads`.
  void read(const Step& step, const Registers& registers, std::size_t end, Reads& reads) const;
  /// The score of each register, computed from the register's sum. Elements of the extras that
  /// `reads` does not have are read now.
  std::vector<mlir::Value> scores(const Step& step, llvm::ArrayRef<mlir::Value> sums,
                                  const Registers& registers, Reads reads = {}) const;

 private:
  // The key of a register, counted from the first key of the step: `lane` (i32) plus `constant`.
  struct Key {
    mlir::Value lane;
    std::int64_t constant = 0;
  };
  // The steps of the formula, in one of two versions: for all keys, or only for keys that are not
  // masked. `numbers` has, for each row, the formula's numbers without the part that depends on the
  // key.
  struct Way {
    ScoreSteps steps;
    std::vector<std::vector<mlir::Value>> numbers;
  };

  mlir::Value place(const runtime::MatrixAxis& axis, mlir::Value at) const;
  mlir::Value product(mlir::Value x, std::int64_t factor) const;
  /// The numbers of the formula that are known at launch (i32), and whether they satisfy the
  /// formula's conditions (i1; null: they always do).
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
