// One GPU with the matrices of one product in its memory: launches compiled kernels and cuBLAS on
// them, checks and times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/gpu/cuda_driver.h"

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

  /// Fills A and B, normal or uniform in [-1, 1), and multiplies them by cuBLAS.
  void prepare(const Kernel& product, bool uniform);
  void load(const std::string& folder, const Kernel& kernel);
  void unload();

  /// The largest error of any element of D over what rounding may make of it: right below 1. All
  /// are compared with cuBLAS's, 200 with sums in float64.
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
  void check(int code, const char* what);
  TensorMap tensor_map(const KernelArgument& argument);
  Address address(const std::string& matrix) const;
  Address random(std::vector<std::uint16_t>& host, std::size_t count, bool uniform);
  void in_parallel(auto&& work) const;
  void launch(Loaded& loaded);
  void multiply_by_cublas();
  double timed(int calls, auto&& work);
  void wait();
  double element(const std::vector<unsigned char>& bytes, std::size_t at) const;
  double sum(long row, long column) const;
  double compare_all(const std::vector<unsigned char>& got) const;
  double judged(double x, double y) const;
  bool bf16() const { return product_.input == "bf16"; }
  std::size_t result_bytes() const { return product_.result == "f32" ? 4 : 2; }

  Cuda& cuda_;
  void* cublas_ = nullptr;
  void* nvml_ = nullptr;
  void* events_[2]{};
  std::string description_;
  Kernel product_;
  bool uniform_ = false;
  Address a_ = 0, b_ = 0, d_ = 0, reference_ = 0;
  std::vector<std::uint16_t> host_a_, host_b_;
  std::vector<unsigned char> expected_;
  std::vector<Loaded> loaded_;
  unsigned seed_ = 1, clock_ = 0;
  std::size_t workers_ = 1;
};

}  // namespace heddle::bench
