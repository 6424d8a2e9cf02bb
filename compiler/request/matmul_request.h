// The user's request: one product of matrices, read from MLIR text and checked.
//
// This is the only place that looks at the user's MLIR. Everything after it works from the plain
// record below. Every operation that is a matmul at heart becomes the same record:
//
//   D[batch, m, n] = epilogue(C[batch, m, n] + sum over k of
//                             a_producer(A[batch, m, k], a_extras…) *
//                             b_producer(B[batch, k, n], b_extras…), extras…)
//
// whatever the order of its loops and of the dimensions of its operands. Each of batch, m, n and k
// may count several loops (loop_groups.h), as those of a convolution.
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

/// The matrix that a kernel argument holds. A memref matmul updates C in place. A tensor matmul
/// that accumulates reads C and writes D; one that starts from a constant has no C. A producer or
/// the epilogue reads `extra`. `size` is the size of a loop, no matrix. `workspace` is memory that
/// a plan asks for.
enum class Role : std::uint8_t { a, b, c, d, extra, size, workspace };

/// The largest matrix of kernels whose offsets have 32 bits, as those of buffer instructions do: to
/// them offsets from 2^31 up mean "outside" (compiler/request/reach.h).
inline constexpr std::int64_t most_bytes = (std::int64_t{1} << 31) - 1;

/// A line and column of the text, from 1; line 0: not in the text.
struct Place {
  unsigned line = 1;
  unsigned column = 1;
};

/// The distance of two neighbours along one loop, in elements: `factor` times the dynamic sizes in
/// `sizes` (a bit for each plan::Loop and each further size). 0: all are one element.
struct Stride {
  std::int64_t factor = 0;
  unsigned sizes = 0;

  bool is_static() const { return sizes == 0; }
  friend bool operator==(const Stride&, const Stride&) = default;
};

/// A jump: after every `every` steps, times the dynamic sizes in `sizes`, a place moves by an
/// additional `forward` minus `back`.
struct Jump {
  std::int64_t every = 1;
  Stride forward, back;
  unsigned sizes = 0;
  friend bool operator==(const Jump&, const Jump&) = default;
};

/// The offset of a place along a group of loops, as a function of the one number that counts
/// through all of them: number * step + the sum of number / every * (forward - back) over jumps. A
/// group of one loop, or of loops that follow each other in memory, has no jumps.
struct Axis {
  Stride step;
  std::vector<Jump> jumps;

  /// True if one step is `stride` and there are no jumps.
  bool is(const Stride& stride) const { return jumps.empty() && step == stride; }
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// A dimension of A or B with zeros around it, or between its elements. Add up `batch`, `row` and
/// `column`: an element is in memory if the sum lies in [before, before + size) and is a multiple
/// of `every`. Elsewhere it is 0.
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

/// True if a number is only read: f4E2M1FN, and f8E8M0FNU, which scales it.
constexpr bool is_only_read(instruction::ElementType type) {
  return type == instruction::ElementType::fp4 || type == instruction::ElementType::e8m0;
}

/// True if a number is an 8-bit float with a sign. Kernels multiply those, or read them as wider
/// floats.
constexpr bool is_small_float(instruction::ElementType type) {
  using enum instruction::ElementType;
  return type == fp8 || type == bf8 || type == fp8_fnuz || type == bf8_fnuz;
}

/// The units of an element in the offsets of a matrix: its bytes. An element that shares a byte
/// counts 1: kernels then count half bytes and divide where they read.
constexpr int counted_bytes(instruction::ElementType type) {
  return shares_bytes(type) ? 1 : instruction::bits(type) / 8;
}

/// The element type of memory: the element itself; a byte if elements share bytes, and for
/// f8E8M0FNU.
constexpr instruction::ElementType array_type(instruction::ElementType type) {
  return shares_bytes(type) || is_only_read(type) ? instruction::ElementType::i8 : type;
}

/// A number that an epilogue computes with: offset plus those along the batch, the row and the
/// column of an element. linalg.index is one, an i64; of known sizes only.
struct PlaceRecord {
  Axis batch, row, column;
  std::int64_t offset = 0;
};

/// The position of a matrix in a kernel argument. Rows are along m (B: along k), columns along n
/// (A: along k).
struct MatrixRecord {
  instruction::ElementType element{};  // in memory
  int parameter = -1;                  // which kernel argument
  Axis batch, row, column;
  std::int64_t offset = 0;  // elements before the first; less than 0 where that is padding
  std::vector<PaddedDimension> padding;
  bool tells_padding = false;  // the producer's last input: whether an element is in memory, of b1
  Place place;
};

/// The size of a dimension that only the kernel learns: the size of a group of loops, or a further
/// size, times `times`, divided by `over`.
struct DynamicSize {
  plan::Loop loop{};
  std::int64_t times = 1, over = 1;
};

/// Marks a stride that the kernel gets as a further size.
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

/// A size that is an argument of the kernel besides those of m, n, k and the batch. It is the size
/// of one of several dynamic loops in a group, of a dynamic dimension over which a window moves, or
/// a stride. The size of a window's dimension is at least `least` plus the sum of factor * (size -
/// 1) over `window`. With padding it may be any size; if the text fixes the amount of padding, it
/// must be exactly that size.
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

/// A number of each row that counts as one more score, of which no share is used: a sink.
struct SoftmaxSink {
  Expression value;                  // in f32, of the elements of `extras`
  std::vector<MatrixRecord> extras;  // rows along m, one column
};

/// A number of each row besides D, such as the logarithm of the sum of exponentials.
struct SoftmaxResult {
  MatrixRecord d;  // rows along m, one column
  /// In f32. Input 0 is the sum of e^(score - largest), or 2^, with the sink's; input 1 is the
  /// largest score.
  Expression value;
};

/// A factor A that is in no memory, as in attention: A[batch, m, k] is the softmax along k of
///
///   scores[batch, m, k] = epilogue(sum over depth of Q[batch, m, depth] * K[batch, k, depth],
///                                  extras…)
///
/// The request's `a` is then Q, whose columns are along `depth`.
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
  /// False if `results` are the same whatever number is subtracted from the scores of a row.
  bool needs_largest = false;

  // A plan says how its kernel computes it, for the judge.
  std::optional<instruction::SumError> sums;  // of a score
  std::int64_t rescales = 0;   // most times that a sum is brought to a larger maximum
  std::int64_t additions = 0;  // most additions that an exponential goes through
  int share_exponent = 0;      // exponentials are rounded after they are multiplied by 2^this
  /// Both are of the keys that a plan is made for. So many keys more are one more of each; 0: there
  /// are no others.
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
  /// The function's arguments that the product reads or writes, then D unless it is one of them,
  /// and the results in `further`. A number is an array of one element.
  std::vector<BufferRecord> buffers;
  /// A number that divides each size of problem.dynamic.
  std::array<std::int64_t, plan::size_count> multiples = multiples_of_one();
  /// A bit for each further size that is 1: strides of launches in which rows have no gaps.
  unsigned ones = 0;
  std::vector<FurtherSize> further_sizes;
  /// Each size may be a product of further sizes and its number in `multiples`. The bits say which
  /// further sizes, as in a Stride. 0: the size is a separate argument.
  std::array<unsigned, 4> made_of{};

  MatrixRecord a, b, d;
  std::optional<MatrixRecord> c;
  std::vector<MatrixRecord> extras;
  std::vector<PlaceRecord> places;
  std::optional<SoftmaxOperand> softmax;  // of which A is the result

  /// The operations between an element in memory and the factor that is multiplied. Input 0 is the
  /// element of A or B; input i + 1 is the element of a_extras[i] or b_extras[i] at the same place.
  /// With `tells_padding` there is one more input.
  Expression a_producer, b_producer;
  std::vector<MatrixRecord> a_extras;  // rows along m, columns along k
  std::vector<MatrixRecord> b_extras;  // rows along k, columns along n
  /// The type to which a sum is rounded before the epilogue; D's where that does nothing.
  instruction::ElementType sum_result = instruction::ElementType::f32;
  /// Input 0 is the sum, input i + 1 an element of extras[i]; then come `places`.
  Expression epilogue;
  std::vector<FurtherResult> further;

  /// What a kernel without a product computes; null for a product. Then `buffers` says what the
  /// kernel reads and writes, `problem` has the rows and columns of D, and `extras` the matrices
  /// that it reads.
  std::shared_ptr<const ElementProgram> program;
};

/// Calls `visit` with every matrix of the request; each has a buffer.
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

/// The roles of the kernel's arguments: a pointer to each of `request.buffers`, then a 32-bit
/// integer for each dynamic size, in the order of plan::Loop, then the further sizes.
std::vector<Role> parameter_roles(const MatmulRequest& request);

/// The matrices that the kernel writes: D, then each further result, then those of the softmax.
std::vector<const MatrixRecord*> written_matrices(const MatmulRequest& request);

/// The position of the size of `loop` among the kernel's arguments.
int size_parameter(const MatmulRequest& request, plan::Loop loop);

/// The type as MLIR spells it, for messages.
std::string type_words(instruction::ElementType type);

/// Widens factors of types that no matrix instruction of the target multiplies: unsigned bytes on
/// CDNA to i32, and 8-bit floats to f16 or bf16, which represent all of them.
void widen_factors(MatmulRequest& request, instruction::Target target);

/// The limits of what is compiled. A backend that takes more says so in its row of `why_not.cpp`.
struct Refusal {
  Place place;
  std::string found, accepted;
};

/// The reason there is no kernel for `request` on `target`, or nothing if there is one.
std::optional<Refusal> why_not(const MatmulRequest& request, instruction::Target target);

}  // namespace heddle::compiler
