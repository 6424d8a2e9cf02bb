// The launch file of `heddle run KERNEL LAUNCH`: the kernel, its number of threads, the contents of
// its arguments, and the expected result. docs/run.md shows how to write one.
//
//   kernel wmma_naive
//   grid   4 2                     # workgroups, x y z
//   block  32                      # threads
//   A = f16[32x48] random
//   B = f16[48x64] random
//   C = f32[32x64]                 # holds nothing yet: the kernel must write all of it
//   arguments A B C 32 64 48
//   expect C = A @ B
//
// Several launches follow each other in one file, each from its line `kernel` on.
//
// The text is read without looking at the kernel or at any file that it names.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/numbers/number.h"

namespace heddle::runtime {

/// A place in the launch file, both counted from 1.
struct TextPlace {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The reason why a text is not a launch file, and the place: the program shows that line with a
/// caret.
struct LaunchError {
  TextPlace place;
  std::string message;
};

/// A number as it was written.
struct WrittenNumber {
  bool is_integer = true;
  double value = 0;
  // the number if is_integer; otherwise the bits of an integer from 2^63 to 2^64 - 1, or 0
  std::int64_t integer = 0;
};

enum class InitialValue {
  none,       // uninitialised: all ones, NaN as a float, and reading it is a finding
  number,     // every element the same
  random,     // floats uniform in [-1, 1), integers uniform in the type, at most 8 bits of it
  exact,      // floats multiples of 1/8 in [-1, 1]: sums of products are exact in f32
  iota,       // 0, 1, 2, … in row-major order
  file,       // .npy, or raw bytes in row-major order
  addresses,  // addresses of arrays: Tensor::addresses
};

/// An element of an array of pointers: it points to element `first` of another array.
struct WrittenAddress {
  TextPlace place;
  std::string tensor;      // empty: the null pointer
  std::int64_t first = 0;  // element
};

/// An array in global memory: `sizes` row-major. The last dimension is contiguous, and rows are
/// `pitch` elements apart.
struct Tensor {
  std::string name;
  TextPlace place;
  NumberType type = NumberType::f32;
  std::vector<std::int64_t> sizes;
  std::int64_t pitch = 0;  // in elements; at least the last size
  InitialValue initial = InitialValue::none;
  double number = 0;
  std::int64_t integer = 0;  // the number, for an integer type
  std::uint64_t seed = 0;
  std::string file;
  TextPlace file_place;
  /// The name of the tensor in whose memory this tensor is a window; the window begins `first`
  /// elements after the start of that tensor. Empty if this tensor has memory of its own.
  std::string inside;
  std::int64_t first = 0;
  std::vector<WrittenAddress> addresses;  // one for each element, which is a u64

  std::int64_t elements() const;  // product of the sizes
  std::int64_t rows() const;      // product of all sizes but the last
  std::int64_t columns() const;   // the last size
  std::int64_t span() const;      // elements of memory from the first to the last one inclusive
};

/// A tensor map of NVIDIA's of a whole array, which a kernel takes by value (CUtensorMap).
struct ArrayMap {
  std::string name;
  TextPlace place;
  std::string tensor;
  std::vector<std::int64_t> box;  // as the array's sizes: the last one is contiguous
  std::uint32_t swizzle_bytes = 0;
  bool fills_nan = false;
};

/// An argument that is passed by value: one number, or several as the members of a struct.
struct Scalar {
  std::string name;
  TextPlace place;
  NumberType type = NumberType::i32;
  std::vector<WrittenNumber> values;
};

/// An argument of the kernel: the name of a tensor or scalar, or a number. The kernel's parameter
/// decides the size of a number.
struct WrittenArgument {
  TextPlace place;
  std::string name;  // empty: it is the number
  WrittenNumber number;
};

/// A formula of tensors, in float64.
struct Expression {
  enum class Kind { number, name, add, subtract, multiply, product, transpose, negate, function };
  Kind kind = Kind::number;
  TextPlace place;
  double number = 0;
  std::string name;  // a tensor, a scalar or a function
  std::vector<Expression> operands;
};

/// Another kernel whose result is the reference.
struct ReferenceKernel {
  std::string kernel;
  std::string file;  // empty: the kernel's own file
  TextPlace place;
  std::array<std::uint32_t, 3> grid = {}, block = {};  // zeros: as the kernel's
  std::vector<WrittenArgument> arguments;              // empty: as the kernel's
};

struct Expectation {
  TextPlace place;
  std::string result;  // a tensor
  std::variant<Expression, ReferenceKernel> reference;
  /// If set, an element with |value - reference| <= tolerance * (1 + |reference|) is right, too.
  std::optional<double> tolerance;
  /// The type in which the kernel adds up sums: f16, bf16, f32 or f64. If empty: f64 for a result
  /// of f64, else f32.
  std::optional<NumberType> sums = {};
};

/// One launch of a kernel, and its expected results.
struct KernelLaunch {
  std::string kernel;  // empty: the file has only one kernel
  TextPlace kernel_place;
  TextPlace arguments_place;
  std::array<std::uint32_t, 3> grid = {1, 1, 1}, block = {32, 1, 1};
  std::uint32_t lds_bytes = 0;  // dynamic LDS
  std::vector<WrittenArgument> arguments;
  /// The expected results. Each formula is computed from the memory before this launch and compared
  /// with the memory after it.
  std::vector<Expectation> expectations;
};

struct LaunchText {
  std::vector<Tensor> tensors;
  std::vector<Scalar> scalars;
  std::vector<ArrayMap> maps;
  std::vector<KernelLaunch> launches;  // in their order; at least one

  const Tensor* find_tensor(std::string_view name) const;
  const Scalar* find_scalar(std::string_view name) const;
  const ArrayMap* find_map(std::string_view name) const;
};

/// Limits of one file: 64 tensors of up to 4 dimensions, 1 GiB in all; 64 tensor maps; 65536
/// addresses; 1024 scalars; 64 launches of 256 arguments; 64 expectations; expressions of 256
/// terms, 32 deep, that take 2 GiB of memory; text of 1 MiB.
inline constexpr std::int64_t most_tensor_bytes = std::int64_t{1} << 30;

/// Limits for all `expect` lines together: the elements that are judged, and the cost of their
/// formulas in multiplications and additions (some minutes).
inline constexpr std::int64_t most_judged_elements = std::int64_t{1} << 26;
inline constexpr double most_formula_work = 0x1p38;

/// Reads a launch file. Errors: the first mistake, with the nearest word or name if one is close.
/// Afterwards every name in arguments, windows and formulas is declared, and the sizes of formulas
/// agree.
std::expected<LaunchText, LaunchError> parse_launch(std::string_view text);

/// The rows and columns of a formula's value. A tensor of one dimension is one row. In other
/// arrays, all dimensions except the last are rows.
struct MatrixSize {
  std::int64_t rows = 1, columns = 1;
  friend bool operator==(const MatrixSize&, const MatrixSize&) = default;
};

/// True for the functions that a formula may call: relu, gelu, silu, sigmoid, tanh, exp, sqrt, abs,
/// softmax (of each row).
bool is_function(std::string_view name);

}  // namespace heddle::runtime
