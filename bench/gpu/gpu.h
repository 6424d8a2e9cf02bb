// One GPU with the matrices of one product in its memory: launches compiled kernels and cuBLAS on
// them, checks and times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/gpu/cuda_driver.h"
#include "runtime/number.h"

namespace heddle::bench {

/// A tensor map over a row-major matrix, or a pointer.
struct KernelArgument {
  std::string matrix;  // "A", "B" or "D"
  bool is_map = false;
  std::string element;
  std::uint64_t columns = 0, rows = 0, stride = 0;  // stride in bytes
  std::uint32_t line = 0, lines = 0;                // elements that one copy moves
};

/// A line of kernels.txt, as write_kernels writes it.
struct Kernel {
  std::string name, plan;
  long m = 0, n = 0, k = 0;
  std::string input, result, entry;
  unsigned blocks = 0, batch = 0, threads = 0, shared = 0;
  std::vector<KernelArgument> arguments;
};

std::vector<Kernel> read_kernels(const std::string& folder);

/// Any failure of the driver or of cuBLAS, and a kernel that does not end within seconds, ends the
/// process with status 1 and a line that says which.
class Gpu {
 public:
  explicit Gpu(Cuda& cuda);

  /// {"gpu": …, "driver": …}: the members, without braces.
  const std::string& description() const { return description_; }

  /// Draws A and B twice, as multiples of 1/8 in [-1, 1], and normal or uniform in [-1, 1); has the
  /// GPU multiply both in float64, which 200 elements of sums on the host confirm.
  void prepare(const Kernel& product, bool uniform);
  void load(const std::string& folder, const Kernel& kernel);
  void unload();

  /// The largest error of any element of D over the limit that runtime/matmul_check.h states: right
  /// up to 1. The product of multiples of 1/8 comes first: while k is at most 2^18, its sums in f32
  /// are exact, so that every element must be the right one. Deep sums of other numbers owe so much
  /// rounding that a missing term could hide in it.
  double check_loaded();

  /// Milliseconds of `calls` calls after one that is not timed.
  double time_loaded(std::size_t number, int calls);
  double time_cublas(int calls);
  /// The clock of the multiprocessors in MHz in the midst of the last calls timed; 0: not known.
  unsigned clock() const { return clock_; }

 private:
  struct Loaded {
    Kernel kernel;
    void* module = nullptr;
    void* function = nullptr;
    std::vector<TensorMap> maps;
  };
  /// A and B of 16 bits an element, what float64 makes of them, and what bounds a sum in f32.
  struct Operands {
    std::vector<std::uint16_t> a, b;
    std::vector<double> product, row_norms, column_norms;
    bool exact = false;  // all sums of products are, in f32
  };

  void check(int code, const char* what);
  TensorMap tensor_map(const KernelArgument& argument);
  Address address(const std::string& matrix) const;
  Operands drawn(auto&& number);
  std::vector<double> doubles(const std::vector<std::uint16_t>& numbers) const;
  void multiply_in_float64(Operands& operands, const std::vector<double>& a,
                           const std::vector<double>& b);
  void check_float64(const Operands& operands);
  void upload(const Operands& operands);
  void in_parallel(auto&& work) const;
  void launch(Loaded& loaded);
  void multiply_by_cublas();
  double timed(int calls, auto&& work);
  void wait();
  double compare(const Operands& operands, const std::vector<std::byte>& got) const;
  runtime::NumberType input() const {
    return product_.input == "bf16" ? runtime::NumberType::bf16 : runtime::NumberType::f16;
  }
  runtime::NumberType result() const {
    return product_.result == "f32" ? runtime::NumberType::f32 : input();
  }
  std::size_t result_bytes() const { return product_.result == "f32" ? 4 : 2; }

  Cuda& cuda_;
  void* cublas_ = nullptr;
  void* nvml_ = nullptr;
  void* events_[2]{};
  std::string description_;
  Kernel product_;
  Address a_ = 0, b_ = 0, d_ = 0, reference_ = 0;
  Operands exact_, drawn_;
  std::vector<Loaded> loaded_;
  unsigned seed_ = 1, clock_ = 0;
  std::size_t workers_ = 1;
};

}  // namespace heddle::bench
