// Makes a MatmulRequest, which the compilers of kernels read, from the formula of a function.
// Decides which operand is A, which loops are m, n, k and the batch, where each matrix lies in
// memory, and which types are multiplied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/frontend/loop_groups.h"
#include "compiler/reader/formula_reader.h"
#include "compiler/request/matmul_request.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle::compiler {

/// True if the place of `leaf` depends on a loop.
bool reads(const Leaf& leaf, int loop);

class RequestBuilder {
 public:
  /// `between`: values that only other kernels write or read.
  RequestBuilder(mlir::func::FuncOp function, const Formula& formula, Diagnostics& diagnostics,
                 llvm::DenseSet<mlir::Value> between = {})
      : function_(function),
        formula_(formula),
        diagnostics_(diagnostics),
        between_(std::move(between)) {}

  std::optional<MatmulRequest> build();

  /// Those values of `between` that are too large for memory. The caller refuses them only later,
  /// because they are not needed if the kernels that write and read them become one kernel.
  const std::vector<std::pair<mlir::Value, Refusal>>& too_large() const { return too_large_; }

 private:
  bool refuse(mlir::Location place, std::string_view found, std::string_view accepted);
  bool refuse_size(mlir::Value value, const std::string& accepted);
  mlir::Location place() const { return formula_.contraction.operation->getLoc(); }

  bool find_loops();
  const Leaf* only_sum(const Element& element, mlir::Value place);
  bool add_further(const ResultFormula& further, const Leaf& sum);
  static Leaf place_in_memory(const ResultFormula& result);
  bool check_factors();
  void limit_batch();
  bool is_in(int side, int loop) const;
  void name_sides();
  bool find_types();
  void find_leaves();
  bool find_initial();
  Element with_initial(const Element& result) const;
  void find_epilogue();
  bool add_buffer(mlir::Value value);
  bool find_buffers();
  bool find_sizes();
  /// A use of a buffer's dimension: `index` is the formula of the index with which a leaf (a matrix
  /// that a formula reads) reads this dimension.
  struct Use {
    std::size_t buffer, dimension;
    const Index* index;
  };
  std::int64_t& shape_of(const Use& use);
  const Index::Term* outermost(const Index& index) const;
  void spread_sizes(const std::vector<Use>& uses);
  bool find_dynamic_dimensions(const std::vector<Use>& uses);
  bool add_window(std::pair<std::size_t, std::size_t> dimension, const Index& index,
                  const char* what);
  bool find_windows(const std::vector<Use>& uses);
  bool find_padded_windows();
  bool check_loop_sizes();
  bool find_strides();
  bool check_index(std::size_t buffer, std::size_t dimension, const Index& index);
  bool find_groups();
  bool find_matrices();
  bool check_result_places();
  bool check_writes();

  std::vector<const Leaf*> all_leaves() const;
  std::vector<int> members(plan::Loop group) const;
  int buffer_of(const Leaf& leaf) const;
  mlir::Value value_of(int buffer) const;
  std::optional<LoopProduct> distance(std::size_t buffer, std::size_t dimension) const;
  std::optional<LoopProduct> distance(const Leaf& leaf, std::size_t dimension) const;
  std::optional<LoopProduct> distance(const Leaf& leaf, int loop) const;
  std::optional<Stride> stride(const LoopProduct& product) const;
  bool find_further_sizes();
  std::vector<int> dynamic_parts(const LoopGroup& group) const;
  /// The dynamic size of loop number `loop`, or of the window (see windows_) with this number.
  DynamicSize dynamic_size(int loop) const;
  /// The axis of a group of loops in a matrix or, for padding, along one of its dimensions.
  /// `distance` says how far a step of each loop moves.
  Axis axis(plan::Loop group, llvm::function_ref<LoopProduct(int loop)> distance);
  MatrixRecord matrix(const Leaf& leaf, plan::Loop rows, plan::Loop columns);
  Axis axis_of_place(plan::Loop group, const Index& place);
  PlaceRecord record_of_place(const Leaf& leaf);

  mlir::func::FuncOp function_;
  const Formula& formula_;
  Diagnostics& diagnostics_;
  llvm::DenseSet<mlir::Value> between_;
  std::vector<std::pair<mlir::Value, Refusal>> too_large_;

  // The numbers of loops: first the coordinates of D, then the loops that are summed. All leaves
  // are formulas over these loops.
  std::size_t result_loops_ = 0;  // how many are D's
  GroupedLoops loops_;
  LoopGroups groups_;
  int a_side_ = 0;                // which factor is A
  bool repeats_columns_ = false;  // loops of neither factor are n's, not the batch's
  Element factors_[2];            // of A and of B, without the last widening cast
  Leaf leaves_[2];  // A and B: of the matrices that a factor reads, one over most loops
  std::vector<Leaf> further_leaves_[2];  // the others
  bool tells_padding_[2]{};              // whether a factor depends on where A or B is padded
  bool knows_padding_ = true;            // whether that is where its elements are in memory
  Leaf d_leaf_;                          // source: any
  Element initial_;
  Element result_;                  // with the initial value, where that is a formula
  std::vector<Element> further_;    // the same of each further result
  std::vector<Leaf> further_d_;     // source: any
  std::vector<Leaf> extra_leaves_;  // what the epilogues read besides the sum
  std::vector<Leaf> places_;        // and the numbers that they compute with
  std::optional<Leaf> c_leaf_;
  std::vector<int> buffers_;         // of each function argument; -1: it is not read
  std::vector<mlir::Value> values_;  // of each buffer
  // For each dynamic dimension of a buffer, a loop and a factor: the size of the dimension is the
  // size of the loop times the factor.
  std::map<std::pair<std::size_t, std::size_t>, std::pair<int, std::int64_t>> dynamic_;
  bool has_open_strides_ = false;  // a distance that no product of sizes is
  // windows_ has the index formulas of dynamic dimensions over which no loop runs alone: because a
  // window moves over the dimension, as in a convolution, or because it is padded. Each counts as
  // one more loop, of the dimension's size; these loops are numbered downwards from first_window.
  bool tells_each_loop_ = false;
  static constexpr int first_window = 63;
  std::vector<Index> windows_;
  // The strides that are arguments of the kernel. They count as sizes, too; their numbers continue
  // downwards from those of the windows.
  std::map<std::pair<std::size_t, std::size_t>, int> told_strides_;  // of a buffer's dimension
  std::size_t unpadded_windows_ = 0;  // the first of them; dimensions with padding are the others
  std::map<int, unsigned> size_numbers_;  // of such loops, and of several in a group: which size
  MatmulRequest request_;
};

}  // namespace heddle::compiler
