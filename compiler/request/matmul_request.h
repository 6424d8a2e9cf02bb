// The user's request: one product of matrices, read from MLIR text and checked.
//
// The front end reads the user's MLIR and fills these records. Everything after the front end reads
// only the records. Every operation that is at heart a matrix product becomes the same record:
//
//   D[batch, m, n] = epilogue(C[batch, m, n] + sum over k of
//                             a_producer(A[batch, m, k], a_extras…) *
//                             b_producer(B[batch, k, n], b_extras…), extras…)
//
// whatever the order of its loops and of the dimensions of its operands. Each of batch, m, n and k
// may count several loops of the text (loop_groups.h), as in a convolution.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/request/element_program.h"
#include "heddle/instruction/target.h"
#include "heddle/plan/expression.h"
#include "heddle/plan/problem.h"

namespace heddle::compiler {

using plan::Expression;
using plan::Node;
using plan::operand_count;
using plan::Step;

/// What a kernel argument is.
/// - a, b, c, d: the memory of this matrix. A product on memrefs updates C in place. A product on
/// tensors that accumulates reads C and writes D; one that starts from a constant has no C.
/// - extra: a matrix that a producer or the epilogue reads.
/// - size: no matrix, but the size of a loop.
/// - workspace: memory that a plan requires.
enum class Role : std::uint8_t { a, b, c, d, extra, size, workspace };

/// The largest matrix, in bytes, of kernels that use 32-bit offsets, as buffer instructions do.
/// Offsets of 2^31 or more mean "out of bounds" to these kernels (compiler/request/reach.h).
inline constexpr std::int64_t most_bytes = (std::int64_t{1} << 31) - 1;

/// A position in the text: line and column, both from 1. Line 0: not in the text.
struct Place {
  unsigned line = 1;
  unsigned column = 1;
};

/// The distance in memory between two neighbours along one loop, in elements: `factor` times the
/// product of the dynamic sizes in `sizes` (a bit for each plan::Loop and each further size). 0:
/// all positions along the loop are the same element.
struct Stride {
  std::int64_t factor = 0;
  unsigned sizes = 0;

  bool is_static() const { return sizes == 0; }
  friend bool operator==(const Stride&, const Stride&) = default;
};

/// A jump in an offset. After every `every` steps (`every` is multiplied by the dynamic sizes in
/// `sizes`), the offset grows by `forward` minus `back`, in addition to the usual step.
struct Jump {
  std::int64_t every = 1;
  Stride forward, back;
  unsigned sizes = 0;
  friend bool operator==(const Jump&, const Jump&) = default;
};

/// The offset along a group of loops that together count as one of m, n, k and the batch. `number`
/// counts through all loops of the group. The offset is number * step + the sum over all jumps of
/// number / every * (forward - back). There are no jumps if the group is one loop, or if its loops
/// are contiguous in memory.
struct Axis {
  Stride step;
  std::vector<Jump> jumps;

  /// True if the offset is always number * `stride`.
  bool is(const Stride& stride) const { return jumps.empty() && step == stride; }
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// A dimension of A or B that is padded with zeros, around it or between its elements. The position
/// along the padded dimension is the sum of the offsets of `batch`, `row` and `column`. If the
/// position is in [before, before + size), and its distance from `before` is divisible by `every`,
/// the value is an element in memory; otherwise the value is 0.
struct PaddedDimension {
  Axis batch, row, column;  // strides are steps along the dimension
  std::int64_t before = 0, every = 1;
  Stride size{1, 0};  // one that only the kernel learns has a bit for it
  friend bool operator==(const PaddedDimension&, const PaddedDimension&) = default;
};

/// True if two elements share a byte, the first in its low half: MLIR's i4 and f4E2M1FN.
constexpr bool shares_bytes(instruction::ElementType type) {
  return type == instruction::ElementType::i4 || type == instruction::ElementType::fp4;
}

/// True if kernels can read this type but not write it: f4E2M1FN, and f8E8M0FNU, the type of
/// scales.
constexpr bool is_only_read(instruction::ElementType type) {
  return type == instruction::ElementType::fp4 || type == instruction::ElementType::e8m0;
}

/// True if the type is an 8-bit float with a sign. Kernels multiply such floats directly, or
/// convert them to wider floats when they read them.
constexpr bool is_small_float(instruction::ElementType type) {
  using enum instruction::ElementType;
  return type == fp8 || type == bf8 || type == fp8_fnuz || type == bf8_fnuz;
}

/// The size of an element in the units in which kernels compute its offset. The unit is a byte; but
/// for elements that share a byte it is half a byte, so their size is 1, and kernels halve the
/// offset when they read.
constexpr int counted_bytes(instruction::ElementType type) {
  return shares_bytes(type) ? 1 : instruction::bits(type) / 8;
}

/// The element type of the array in memory: the type itself, but a byte for f8E8M0FNU and for
/// elements that share a byte.
constexpr instruction::ElementType array_type(instruction::ElementType type) {
  return shares_bytes(type) || is_only_read(type) ? instruction::ElementType::i8 : type;
}

/// An index (i64, from linalg.index) with which an epilogue computes. At an element of D it is
/// `offset` plus the values of `batch`, `row` and `column` for the element's position. Only for
/// sizes that are known at compile time.
struct PlaceRecord {
  Axis batch, row, column;
  std::int64_t offset = 0;
};

/// Where a matrix is in the memory of a kernel argument. The rows of the matrix are along m (those
/// of B along k), its columns along n (those of A along k).
struct MatrixRecord {
  instruction::ElementType element{};  // in memory
  int parameter = -1;                  // which kernel argument
  Axis batch, row, column;
  std::int64_t offset = 0;  // elements before the first; less than 0 where that is padding
  std::vector<PaddedDimension> padding;
  bool tells_padding = false;  // the producer's last input: whether an element is in memory, of b1
  Place place;
};

/// The size of a dimension that is known only at launch: the size `loop` (of a group of loops, or a
/// further size), times `times`, divided by `over`.
struct DynamicSize {
  plan::Loop loop{};
  std::int64_t times = 1, over = 1;
};

/// In BufferRecord::strides: the stride is a further size, which the kernel gets as an argument.
inline constexpr std::int64_t told_stride = -2;

/// Memory that a kernel argument points to: a row-major array, perhaps with gaps.
struct BufferRecord {
  Role role = Role::extra;
  instruction::ElementType element{};
  std::vector<std::int64_t> shape;         // -1: dynamic
  std::vector<DynamicSize> dynamic_sizes;  // of each dimension whose shape is -1
  std::vector<std::int64_t> strides;       // elements from one to the next; -1: by the shape
  std::vector<plan::Loop> told_strides;    // for each dimension whose stride is told_stride
  std::int64_t offset = 0;                 // elements before the first
  bool has_open_offset = false;            // the launch's pointer is to the first, wherever that is
  bool is_i1 = false;                      // of the text; `element` is then i8, of 0 and 1
  std::int64_t index_end = 0;              // a run draws from 0 up to this number; 0: any numbers
  int argument = -1;                       // of the function; -1: what it returns, or a constant
  std::vector<std::byte> constant;         // of the text, whose elements these are; else empty
  Place place;
};

/// A size that is an argument of the kernel in addition to m, n, k and the batch. It is one of
/// these:
/// - the size of one of several dynamic loops in a group;
/// - the size of a dynamic dimension over which a window moves (as in a convolution);
/// - a stride.
///
/// If a window moves over the dimension, its size is at least this number: `least` plus the sum of
/// factor * (size - 1) over all terms in `window`. A padded dimension may have any size; but if the
/// text fixes the amount of padding, the size must be exactly this number.
struct FurtherSize {
  struct Term {
    std::int64_t factor = 1;
    DynamicSize size;
  };
  std::int64_t least = 1;
  std::vector<Term> window = {};
  bool is_padded = false;
  bool is_stride = false;
  bool is_exact = false;  // it is that sum and nothing else, as the size of what a kernel pads
};

/// A result besides D: another epilogue of the same sums.
struct FurtherResult {
  MatrixRecord d;
  Expression epilogue;  // of the inputs that the request's has
};

/// A sink: one number for each row, which counts as one more score in the softmax of the row. The
/// share of the sink is not used.
struct SoftmaxSink {
  Expression value;                  // in f32, of the elements of `extras`
  std::vector<MatrixRecord> extras;  // rows along m, one column
};

/// A result of the softmax with one number for each row, such as the logarithm of the sum of
/// exponentials.
struct SoftmaxResult {
  MatrixRecord d;  // rows along m, one column
  /// The formula of the result, computed in f32. Input 0 is the row's sum of e^(score - largest),
  /// or of 2^(score - largest), including the sink's term. Input 1 is the row's largest score.
  Expression value;
};

/// An operand A that is not in memory but computed, as in attention: A[batch, m, k] is the softmax
/// along k of
///
///   scores[batch, m, k] = epilogue(sum over depth of Q[batch, m, depth] * K[batch, k, depth],
///                                  extras…)
///
/// MatmulRequest::a is then Q, whose columns are along `depth`.
struct SoftmaxOperand {
  std::int64_t depth = 1;
  instruction::ElementType input{};  // the type in which Q and K are multiplied
  MatrixRecord keys;                 // K: rows along k, columns along depth
  Expression epilogue;  // input 0 is the sum, then come elements of `extras`, then `places`
  std::vector<MatrixRecord> extras;  // rows along m, columns along k
  std::vector<PlaceRecord> places;   // the same
  bool is_base_two = false;          // 2^x in place of e^x
  std::optional<SoftmaxSink> sink = {};
  std::vector<SoftmaxResult> results;
  /// True if some result in `results` depends on the number that is subtracted from the scores of a
  /// row. Then this number must be the row's largest score, not another number near it.
  bool needs_largest = false;

  // The plan sets the following fields. They say how its kernel computes the softmax, and the check
  // of results uses them.
  std::optional<instruction::SumError> sums;  // of a score
  std::int64_t rescales = 0;   // most times that a sum is brought to a larger maximum
  std::int64_t additions = 0;  // most additions that an exponential goes through
  int share_exponent = 0;      // exponentials are rounded after they are multiplied by 2^this
  /// `rescales` and `additions` are for the number of keys that the plan assumes. Each of the two
  /// grows by 1 for every `step_keys` keys more. 0: the number of keys is fixed.
  std::int64_t step_keys = 0;
};

constexpr std::array<std::int64_t, plan::size_count> multiples_of_one() {
  std::array<std::int64_t, plan::size_count> all{};
  all.fill(1);
  return all;
}

/// A product that can be compiled.
struct MatmulRequest {
  std::string function;  // symbol of the function; the kernel takes its name
  Place place;           // of the matmul
  plan::Problem problem;
  bool in_place = false;           // memref form: C (or D, when filled) is updated where it is
  std::optional<double> constant;  // initial value of every element; absent: accumulate into C
  bool constant_is_any = false;    // nothing wrote the initial value: 0 is as right as any
  /// The memory of the kernel's pointer arguments, in this order: the function's arguments that the
  /// product reads or writes, D unless it is one of these, and the results in `further`. A scalar
  /// is an array of one element.
  std::vector<BufferRecord> buffers;
  /// For each dynamic size (see problem.dynamic), a number by which every size at launch is
  /// divisible.
  std::array<std::int64_t, plan::size_count> multiples = multiples_of_one();
  /// A bit for each further size that is known to be 1 in this launch: strides of dimensions along
  /// which elements are contiguous.
  unsigned ones = 0;
  std::vector<FurtherSize> further_sizes;
  /// For m, n, k and the batch: the further sizes of which the size is the product, times its
  /// number in `multiples`. A bit for each further size, as in Stride::sizes. 0: the size is a
  /// separate argument of the kernel.
  std::array<unsigned, 4> made_of{};

  MatrixRecord a, b, d;
  std::optional<MatrixRecord> c;
  std::vector<MatrixRecord> extras;
  std::vector<PlaceRecord> places;
  std::optional<SoftmaxOperand> softmax;  // of which A is the result

  /// The formula that turns an element of A or B in memory into the factor that is multiplied.
  /// Input 0 is the element of A or B; input i + 1 is the element of a_extras[i] or b_extras[i]
  /// with the same row and column. If the matrix has `tells_padding`, one more input follows:
  /// whether the element is in memory.
  Expression a_producer, b_producer;
  std::vector<MatrixRecord> a_extras;  // rows along m, columns along k
  std::vector<MatrixRecord> b_extras;  // rows along k, columns along n
  /// The type to which a sum is rounded before the epilogue uses it. If the text does not round the
  /// sum, it is the type of D.
  instruction::ElementType sum_result = instruction::ElementType::f32;
  /// The formula of an element of D. Input 0 is the sum, input i + 1 an element of extras[i]; then
  /// come the indices in `places`.
  Expression epilogue;
  std::vector<FurtherResult> further;

  /// If the kernel computes no product, what it computes instead; null for a product. Then
  /// `buffers` says what the kernel reads and writes, `problem` has the numbers of rows and columns
  /// of D, and `extras` has the matrices that are read.
  std::shared_ptr<const ElementProgram> program;
};

/// Calls `visit` with every MatrixRecord of the request, that is, with every matrix that the kernel
/// reads or writes.
template <class Request, class Visit>
void for_each_matrix(Request& request, Visit visit) {
  visit(request.a);
  visit(request.b);
  if (request.c) visit(*request.c);
  visit(request.d);
  for (auto* list : {&request.extras, &request.a_extras, &request.b_extras})
    for (auto& matrix : *list) visit(matrix);
  for (auto& further : request.further) visit(further.d);
  if (!request.softmax) return;
  visit(request.softmax->keys);
  for (auto& matrix : request.softmax->extras) visit(matrix);
  for (auto& result : request.softmax->results) visit(result.d);
  if (!request.softmax->sink) return;
  for (auto& matrix : request.softmax->sink->extras) visit(matrix);
}

/// The roles of the kernel's arguments, in their order:
/// - a pointer to each of `request.buffers`;
/// - a 32-bit integer for each dynamic size of m, n, k and the batch, in the order of plan::Loop;
/// - a 32-bit integer for each further size.
std::vector<Role> parameter_roles(const MatmulRequest& request);

/// The matrices that the kernel writes, in this order: D, the further results, the results of the
/// softmax.
std::vector<const MatrixRecord*> written_matrices(const MatmulRequest& request);

/// The position of the size of `loop` among the kernel's arguments.
int size_parameter(const MatmulRequest& request, plan::Loop loop);

/// The type as MLIR spells it, for messages.
std::string type_words(instruction::ElementType type);

/// Changes the request so that factors are converted to a wider type, if no matrix instruction of
/// the target multiplies their type: on CDNA, unsigned bytes to i32; 8-bit floats to f16 or bf16,
/// which represent all 8-bit floats exactly.
void widen_factors(MatmulRequest& request, instruction::Target target);

/// Why a request cannot be compiled: what was found, and what is accepted. Whoever extends a
/// backend changes the backend's row in `why_not.cpp`.
struct Refusal {
  Place place;
  std::string found, accepted;
};

/// The reason there is no kernel for `request` on `target`, or nothing if there is one.
std::optional<Refusal> why_not(const MatmulRequest& request, instruction::Target target);

}  // namespace heddle::compiler
